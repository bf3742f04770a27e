"""Natural logic: the join table from sets, marks, proofs on pairs of our own."""

from __future__ import annotations

from itertools import product

import pytest

from dragoman.annotations import Sentence
from dragoman.entailment.entailer import Entailer, EntailerSettings
from dragoman.entailment.judgement import EntailmentJudgement
from dragoman.entailment.marker_lists import Markers
from dragoman.entailment.monotonicity import mark
from dragoman.entailment.natural_logic import RELATIONS, LogicProof, join, project, prove
from dragoman.entailment.pairs import AnnotatedPair
from dragoman.entailment.suites import SUITES, load_suite
from dragoman.entailment.word_relations import WordRelations


def relation(first: frozenset[int], second: frozenset[int]) -> str:
    if first == second:
        return "="
    if first < second:
        return "<"
    if second < first:
        return ">"
    return "#" if first & second else "|"


def test_joins_are_those_of_sets() -> None:
    """All triples of proper, non-empty subsets of four things; what is not determined is independence."""
    sets = [frozenset(at for at in range(4) if number >> at & 1) for number in range(1, 15)]
    seen: dict[tuple[str, str], set[str]] = {}
    for one, two, three in product(sets, repeat=3):
        seen.setdefault((relation(one, two), relation(two, three)), set()).add(relation(one, three))
    for pair, found in seen.items():
        assert join(*pair) == (found.pop() if len(found) == 1 else "#"), pair


def test_joins_are_associative_and_equivalence_is_neutral() -> None:
    for one, two, three in product(RELATIONS, repeat=3):
        assert join(join(one, two), three) == join(one, join(two, three))
    assert all(join("=", each) == join(each, "=") == each for each in RELATIONS)


def test_the_answer_is_yes_just_if_every_edit_is() -> None:
    for edits in product(RELATIONS, repeat=3):
        joined = "="
        for each in edits:
            joined = join(joined, each)
        assert (joined in "=<") == all(each in "=<" for each in edits)


def test_projection() -> None:
    assert [project(each, -1) for each in RELATIONS] == ["=", ">", "<", "#", "|"]
    assert [project(each, 0) for each in RELATIONS] == ["=", "#", "#", "#", "#"]
    assert [project(each, 1) for each in RELATIONS] == list(RELATIONS)


@pytest.mark.parametrize("prover", ["rules", "learned"])
@pytest.mark.slow
def test_the_prover_is_right_on_nine_of_ten(words: WordRelations, prover: str) -> None:
    """Of all pairs of ours but the problems of one edit, which the learned prover was taught."""
    entailer = Entailer(words, settings=EntailerSettings(prover=prover))
    pairs = [pair for name in ("phenomena", "exceptions", "logic") for pair in load_suite(name)]
    right = sum(entailer.prove(entailer.align(pair)).answer == pair.label for pair in pairs)
    assert len(pairs) >= 250
    assert right >= 0.9 * len(pairs)


@pytest.mark.slow
@pytest.mark.parametrize("prover", ["rules", "learned"])
@pytest.mark.parametrize("name", SUITES)
def test_the_prover_does_not_contradict_itself(words: WordRelations, prover: str, name: str) -> None:
    """What it says of a pair fits what it says of the pair turned round, and everything follows from itself.

    Of a text of several sentences each sentence follows, and what follows from the text excludes none of them.
    """
    entailer = Entailer(words, settings=EntailerSettings(prover=prover))

    def proved(text: tuple[Sentence, ...], hypothesis: Sentence) -> LogicProof:
        return entailer.prove(entailer.align(AnnotatedPair("x", text, hypothesis)))

    allowed = {"=": "=", "<": ">#", ">": "<#", "|": "|#", "#": RELATIONS.replace("=", "")}
    for pair in load_suite(name):
        there = proved(pair.text, pair.hypothesis)
        assert proved((pair.hypothesis,), pair.hypothesis).relation == "=", pair.hypothesis.text
        back = [proved((pair.hypothesis,), sentence).relation for sentence in pair.text]
        if len(pair.text) == 1:
            assert back[0] in allowed[there.relation], (pair.raw, there.relation, back)
        else:
            assert all(proved(pair.text, sentence).answer for sentence in pair.text), pair.raw
            assert not (there.answer and "|" in back), (pair.raw, there.relation, back)


def test_a_word_that_is_added_ends_a_proof(entailer: Entailer) -> None:
    """Two problems of Chambers et al. (2007) in words of ours: *called* and *first* are only in the hypothesis."""
    text = Sentence.of(
        ["SNCF", ",", "the", "French", "railway", "company", ",", "cooperates"],
        lemmas=["SNCF", ",", "the", "French", "railway", "company", ",", "cooperate"],
        pos=["PROPN", "PUNCT", "DET", "ADJ", "NOUN", "NOUN", "PUNCT", "VERB"],
        tags=["NNP", ",", "DT", "JJ", "NN", "NN", ",", "VBZ"],
        dependencies=(
            [7, 5, 5, 5, 5, 0, 5, -1],
            ["nsubj", "punct", "det", "amod", "compound", "appos", "punct", "root"],
        ),
    )
    hypothesis = Sentence.of(
        ["The", "French", "railway", "company", "is", "called", "SNCF"],
        lemmas=["the", "French", "railway", "company", "be", "call", "SNCF"],
        pos=["DET", "ADJ", "NOUN", "NOUN", "AUX", "VERB", "PROPN"],
        tags=["DT", "JJ", "NN", "NN", "VBZ", "VBN", "NNP"],
        dependencies=([3, 3, 3, 5, 5, -1, 5], ["det", "amod", "compound", "nsubj:pass", "aux:pass", "root", "xcomp"]),
    )
    proof = entailer.judge(AnnotatedPair("518", (text,), hypothesis)).proof
    assert not proof.answer
    assert ("INS", "called") in [(edit.kind, edit.hypothesis) for edit in proof.edits]

    def won(*modifier: str) -> Sentence:
        more = len(modifier)
        return Sentence.of(
            ["Anna", "won", "a", *modifier, "prize"],
            lemmas=["Anna", "win", "a", *modifier, "prize"],
            pos=["PROPN", "VERB", "DET", *["ADJ"] * more, "NOUN"],
            tags=["NNP", "VBD", "DT", *["JJ"] * more, "NN"],
            dependencies=(
                [1, -1, 3 + more, *[3 + more] * more, 1],
                ["nsubj", "root", "det", *["amod"] * more, "obj"],
            ),
        )

    proof = entailer.judge(AnnotatedPair("601", (won(),), won("first"))).proof
    assert str(proof) == "INS(first) in upward context: > (more is said); so far >\nno: reverse"
    assert entailer.judge(AnnotatedPair("turned", (won("first"),), won())).proof.answer


def with_phrase(determiner: str, preposition: str, *, after: str = "noun") -> Sentence:
    """Dogs bark, with or without a phrase on the dogs or on the barking: *no dogs without collars bark*."""
    phrase = [preposition, "collars"] if preposition else []
    words = [determiner, "dogs", *(phrase if after == "noun" else []), "bark", *(phrase if after == "verb" else [])]
    verb, noun = words.index("bark"), 1
    heads, labels, pos = [noun] + [0] * (len(words) - 1), ["det"] + [""] * (len(words) - 1), ["DET"] * len(words)
    for at, head, label, tag in ((noun, verb, "nsubj", "NOUN"), (verb, -1, "root", "VERB")):
        heads[at], labels[at], pos[at] = head, label, tag
    if phrase:
        collars = words.index("collars")
        heads[collars], labels[collars], pos[collars] = (
            (noun, "nmod", "NOUN") if after == "noun" else (verb, "obl", "NOUN")
        )
        heads[collars - 1], labels[collars - 1], pos[collars - 1] = collars, "case", "ADP"
    lemmas = [{"dogs": "dog", "collars": "collar"}.get(word, word.lower()) for word in words]
    return Sentence.of(words, lemmas=lemmas, pos=pos, tags=pos, dependencies=(heads, labels))


@pytest.mark.parametrize(
    ("determiner", "after", "dropped", "added"),
    [("some", "noun", True, False), ("no", "noun", False, True), ("some", "verb", True, False)],
)
def test_what_turns_inside_a_phrase_does_not_turn_the_phrase(
    entailer: Entailer, determiner: str, after: str, dropped: bool, added: bool
) -> None:
    """Some dogs without collars bark, so some dogs bark; no dogs bark, so no dogs without collars bark."""
    plain = with_phrase(determiner, "")
    for preposition in ("with", "without", "before"):
        more = with_phrase(determiner, preposition, after=after)
        assert entailer.judge(AnnotatedPair("drop", (more,), plain)).proof.answer == dropped, preposition
        assert entailer.judge(AnnotatedPair("add", (plain,), more)).proof.answer == added, preposition


def test_reports_are_taken_as_so_on_request(words: WordRelations) -> None:
    def said(verb: str) -> Sentence:
        return Sentence.of(
            ["Anna", verb, "that", "dogs", "bark"],
            lemmas=["Anna", {"said": "say", "hoped": "hope"}[verb], "that", "dog", "bark"],
            pos=["PROPN", "VERB", "SCONJ", "NOUN", "VERB"],
            tags=["NNP", "VBD", "IN", "NNS", "VBP"],
            dependencies=([1, -1, 4, 4, 1], ["nsubj", "root", "mark", "nsubj", "ccomp"]),
        )

    bark = Sentence.of(
        ["Dogs", "bark"],
        lemmas=["dog", "bark"],
        pos=["NOUN", "VERB"],
        tags=["NNS", "VBP"],
        dependencies=([1, -1], ["nsubj", "root"]),
    )
    for reports in (False, True):
        judge = Entailer(words, settings=EntailerSettings(reports=reports))
        for verb in ("said", "hoped"):
            found = judge.judge(AnnotatedPair(verb, (said(verb),), bark))
            believed = reports and verb == "said"
            assert found.proof.answer == believed
            assert bool(found.features.values["text_is_factive"]) == believed
            assert bool(found.features.values["text_is_nonfactive"]) == (not believed)


def test_relations_in_other_words_are_proved(entailer: Entailer) -> None:
    by_id = {pair.id: pair for name in ("phenomena", "exceptions") for pair in load_suite(name)}
    proof = entailer.judge(by_id["relation-x07"]).proof  # The bank employs Karl, so Karl works for the bank
    assert [edit.kind for edit in proof.edits] == ["REL"]
    assert proof.relation == "="
    assert entailer.judge(by_id["relation-x01"]).proof.relation == "<", "Karl's wife Anna also sings"
    assert entailer.judge(by_id["structure-x01"]).proof.answer, "who meets somebody is met"
    denied = entailer.judge(by_id["opposite-x03"]).proof
    assert [str(edit) for edit in denied.edits] == ["SUB(closed, not open) in upward context: < (what excludes it)"]


def test_decisions_by_feature_are_covered_with_both_answers(phenomena: list[AnnotatedPair]) -> None:
    groups = {pair.task for pair in phenomena}
    assert {"negation", "adjunct", "antonymy", "modality", "factivity", "quantifier", "number", "date"} <= groups
    for group in groups:
        assert {pair.label for pair in phenomena if pair.task == group} == {True, False}


def marks(entailer: Entailer, pair: AnnotatedPair) -> dict[str, int]:
    graph = entailer.graph(pair.text)
    found = mark(graph, Markers.load())
    return {node.word.lower(): found.marks[node.index] for node in graph}


def test_marks(entailer: Entailer, phenomena: list[AnnotatedPair]) -> None:
    """No soldier without a uniform: the soldier is in a downward context, the uniform in an upward one again."""
    by_text = {pair.raw.text: pair for pair in [*phenomena, *load_suite("logic")]}
    found = marks(entailer, by_text["No soldier without clothes marched."])
    assert (found["soldier"], found["clothes"], found["marched"]) == (-1, 1, -1)
    found = marks(entailer, by_text["Every lazy student passed the test."])
    assert (found["student"], found["lazy"], found["passed"], found["test"]) == (-1, -1, 1, 1)
    found = marks(entailer, by_text["The dogs did not bark loudly."])
    assert (found["dogs"], found["bark"], found["loudly"]) == (1, -1, -1)
    found = marks(entailer, by_text["Most dogs bark loudly."])
    assert (found["dogs"], found["bark"]) == (0, 1)
    found = marks(entailer, by_text["The club refused to admit old women."])
    assert (found["club"], found["refused"], found["old women"]) == (1, 1, -1)
    found = marks(entailer, by_text["If a dog enters, the alarm rings."])
    assert (found["dog"], found["rings"]) == (-1, 1)


def test_a_proof_is_shown_step_by_step(entailer: Entailer, phenomena: list[AnnotatedPair]) -> None:
    [pair] = [each for each in phenomena if each.raw.hypothesis == "They didn't tango."]
    proof = prove(entailer.align(pair), entailer.relations, Markers.load())
    assert str(proof) == "SUB(dance, tango) in downward context: < (more special); so far <\nyes: forward"


def test_all_judgements_agree_with_their_proofs(judged: list[EntailmentJudgement]) -> None:
    for each in judged:
        joined = [relation for _, relation in each.proof.trace()]
        assert (joined[-1] if joined else "=") == each.proof.relation
