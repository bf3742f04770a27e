"""Near-duplicates, sampling and mining, against brute force and worked examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman._native import similarity as native
from dragoman.errors import FileError, InputError, SettingError
from dragoman.similarity import TextPair, get_scorer
from dragoman.similarity.duplicates import near_duplicates
from dragoman.similarity.mining import (
    MiningSettings,
    _Group,
    _mine,
    content_blocks,
    mine_articles,
    mine_events,
    read_articles,
    read_events,
)
from dragoman.similarity.sampling import PairCandidate, banded_sample
from dragoman.text.strings import common_stretches, common_subsequences, string_similarities

LINES = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=8).map(" ".join), max_size=14)


@pytest.mark.slow
@given(LINES, st.sampled_from([0.2, 1 / 3, 0.5, 0.75, 1.0]), st.integers(1, 3))
def test_the_index_misses_nothing(lines: list[str], least: float, threads: int) -> None:
    sets = [set(line.split()) for line in lines]
    expected = {
        (i, j): len(sets[i] & sets[j]) / len(sets[i] | sets[j])
        for i, j in combinations(range(len(lines)), 2)
        if sets[i] and sets[j] and len(sets[i] & sets[j]) >= least * len(sets[i] | sets[j]) - 1e-9
    }
    first, second, jaccard = native.near_duplicates(lines, least=least, threads=threads)
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == sorted(expected)
    assert jaccard.tolist() == pytest.approx([expected[pair] for pair in sorted(expected)])


def test_duplicates_are_scored_and_copies_counted_once() -> None:
    lines = ["The cat sat.", "", "the cat sat", "The cats sat.", "A dog barked.", "THE CAT SAT !"]
    plain = near_duplicates(lines, least=0.9)
    assert [(pair.first, pair.second) for pair in plain] == [(0, 2), (0, 5)]
    found = near_duplicates(lines, get_scorer("soft-cardinality"), least=0.8, least_shared=0.4)
    assert [(pair.first, pair.second) for pair in found] == [(0, 2), (0, 3), (0, 5)]
    assert near_duplicates([]) == []
    with pytest.raises(SettingError):
        near_duplicates(lines, least_shared=0.0)


@given(st.text("abc ", max_size=80), st.text("abc ", max_size=80))
def test_common_subsequences_against_the_plain_program(first: str, second: str) -> None:
    row = [0] * (len(second) + 1)
    for letter in first:
        above, row = row, [0]
        for at, other in enumerate(second):
            row.append(above[at] + 1 if letter == other else max(above[at + 1], row[at]))
    assert common_subsequences([first], [second])[0].tolist() == [row[-1], len(first), len(second)]
    words = common_subsequences([" ".join(first)], [" ".join(second)], unit="word")[0].tolist()
    kept = [[letter for letter in text if letter != " "] for text in (first, second)]
    assert words[1:] == [len(side) for side in kept]


def test_strings() -> None:
    assert string_similarities(["a bike", "", "ähm"], ["a bicycle", "", "ahm"]).tolist() == pytest.approx(
        [2 / 3, 1.0, 2 / 3]
    )
    assert common_stretches(["xabcy"], ["abzabc"])[0].tolist() == [3, 5, 6]


def test_samples_are_balanced() -> None:
    base = "abcdefghijklmnopqrstuvwxyz"
    candidates = [
        PairCandidate(TextPair.of(base, base[: 26 - cut] + "0" * cut + str(number)), kind)
        for kind in ("same", "other")
        for cut in range(16)
        for number in range(10)
    ]
    found = banded_sample(candidates, 40, seed=3)
    assert Counter(found.drawn.values()) == Counter({4: 10})
    assert not found.short
    assert len(found.candidates) == 40
    assert all(0.4 <= value < 0.9 for value in found.similarities)
    assert banded_sample(candidates, 40, seed=3).candidates == found.candidates
    assert banded_sample(candidates, 40, seed=4).candidates != found.candidates


def test_a_short_band_is_made_up_by_others() -> None:
    few = [PairCandidate(TextPair.of("abcdefghij", "abcdefgh" + str(n) * 2)) for n in range(2)]
    many = [PairCandidate(TextPair.of("abcdefghij", "abcde" + str(n % 10) * 5 + str(n))) for n in range(20)]
    found = banded_sample([*few, *many], 10, bands=[0.4, 0.8])
    assert found.drawn == {("", 0.4): 8, ("", 0.8): 2}
    assert found.short == (("", 0.8),)
    assert found.to_dict()["pairs"] == 10
    with pytest.raises(InputError, match="no candidate"):
        banded_sample(few, 10, bands=[0.0])
    with pytest.raises(SettingError):
        banded_sample(few, 10, bands=[0.5, 0.4])
    long = [PairCandidate(TextPair.of("a b c d e f", "a b c d e g"))]
    with pytest.raises(InputError):
        banded_sample(long, 1, max_tokens=5)


AMERICA = "América es el segundo continente más grande del planeta después de Asia."
MASS = "América corresponde a la segunda masa de tierra más grande del planeta, luego de Asia."


def test_mining_of_articles(tmp_path: Path) -> None:
    """Worked example: 7 words in order of 12 and 15, 14/27."""
    file = tmp_path / "articles.es"
    file.write_text(
        f"{AMERICA}\n<p>{MASS} Otra frase corta.\n\nUn artículo de un solo párrafo que no cuenta.\n", "utf-8"
    )
    found = mine_articles(read_articles(file), MiningSettings(language="es"))
    assert [one.similarity for one in found.pairs] == [pytest.approx(14 / 27)]
    assert (found.documents, found.skipped) == (2, 1)
    assert found.pairs[0].pair.texts[0] == AMERICA
    assert not mine_articles(read_articles(file), MiningSettings(language="es", least=0.6)).pairs


def test_mining_of_events(tmp_path: Path) -> None:
    for number, text in enumerate((f"Inicio | 12:30\n{AMERICA} {AMERICA}\nCopyright 2014", f"{MASS} {AMERICA}")):
        page = tmp_path / "event" / f"{number}.txt"
        page.parent.mkdir(exist_ok=True)
        page.write_text(text, "utf-8")
    found = mine_events(read_events(tmp_path), MiningSettings(language="es"))
    assert len(found.pairs) == 1
    assert found.pairs[0].source == "event"
    with pytest.raises(FileError):
        read_events(tmp_path / "event")


WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f", "g", "h", "the", "the"]), min_size=1, max_size=9).map(
    " ".join
)


@given(st.lists(WORDS, max_size=6), st.lists(WORDS, max_size=6), st.sampled_from([0.0, 0.2, 0.35, 0.7]))
def test_mining_misses_nothing(first: list[str], others: list[str], least: float) -> None:
    """Against a comparison of all sentences; an article is an abstract and its content, an event all of its pages."""
    settings = MiningSettings(min_words=2, ratio=0.4, least=least)

    def wanted(pairs: Iterable[tuple[str, str]]) -> set[frozenset[str]]:
        long = [pair for pair in pairs if min(len(text.split()) for text in pair) >= 2 and pair[0] != pair[1]]
        sizes = [sorted(len(text.split()) for text in pair) for pair in long]
        values = string_similarities([a for a, _ in long], [b for _, b in long], unit="word")
        return {
            frozenset(pair)
            for pair, (short, longer), value in zip(long, sizes, values, strict=True)
            if value > least and short > 0.4 * longer
        }

    def found(groups: list[_Group]) -> set[frozenset[str]]:
        return {frozenset(one.pair.texts) for one in _mine(groups, 1, settings, 1).pairs}

    long = [[text for text in dict.fromkeys(side) if len(text.split()) >= 2] for side in (first, others)]
    assert found([_Group("article", *long)]) == wanted(product(long[0], long[1]))
    joined = list(dict.fromkeys([*long[0], *long[1]]))
    assert found([_Group("event", joined)]) == wanted(combinations(joined, 2))


def test_mining_compares_what_shares_rare_words() -> None:
    """All share `the`, two share more."""
    texts = [f"the {' '.join(f'w{number}x{at}' for at in range(9))}" for number in range(40)]
    report = _mine([_Group("event", [*texts, f"{texts[0]} too"])], 1, MiningSettings(), 1)
    assert [one.pair.texts for one in report.pairs] == [(texts[0], f"{texts[0]} too")]
    assert report.compared == 1


def test_blocks_of_content() -> None:
    content, menu = "word " * 20, "Home | 12"
    assert content_blocks([menu, content, "short", content, menu]) == [content, "short", content]
    assert content_blocks([menu, content, menu]) == []
