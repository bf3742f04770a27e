from __future__ import annotations

from dragoman.semantics.pseudo_words import PseudoWord, SenseItem, choose_pseudo_words, conflated, score_senses


def test_pairs_are_alike_in_frequency_and_unlike_in_translation() -> None:
    frequencies = {"a": 40, "b": 50, "c": 45, "d": 200, "e": 10}
    translations = {"a": ["x"], "b": ["x", "y"], "c": ["z"], "d": ["w"], "e": ["v"]}
    found = choose_pseudo_words(frequencies, translations, count=5)
    assert [set(pair) for pair in found] in ([{"a", "c"}], [{"b", "c"}])
    assert choose_pseudo_words(frequencies, translations, count=0) == []


def test_conflation_adds_counts_up() -> None:
    pseudo = [PseudoWord("a", "b")]
    counts = {("a c", "x"): 1.0, ("b c", "x"): 2.0, ("d", "a"): 4.0}
    assert conflated(counts, pseudo) == {("a_b c", "x"): 3.0, ("d", "a"): 4.0}
    assert conflated(counts, pseudo, side=1) == {("a c", "x"): 1.0, ("b c", "x"): 2.0, ("d", "a_b"): 4.0}


def test_scores_by_hand() -> None:
    pseudo = PseudoWord("a", "b")
    lists = {"a": ["p", "q"], "b": ["q", "r"]}
    items = [
        SenseItem(pseudo, "a", ["p", "r"]),
        SenseItem(pseudo, "a", ["q"]),  # of both
        SenseItem(pseudo, "b", ["r"]),
        SenseItem(pseudo, "b", []),
    ]
    found = score_senses(items, lists, {"a": 9, "b": 5})
    assert (found.right, found.proposed, found.items) == (2, 3, 4)
    assert (found.precision, found.recall, found.coverage, found.minority) == (2 / 3, 0.5, 0.75, 0.5)
