"""Lexical substitution: mutual information, rankers, systems, files and scores, with the worked examples of the paper's
definitions."""

from __future__ import annotations

import gzip
import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from dragoman.annotations import Sentence
from dragoman.errors import DragomanError, FormatError, InputError, LengthMismatch, SettingError
from dragoman.semantics.mutual_information import MutualInformation
from dragoman.semantics.pair_ranking import PairRanker, pair_step
from dragoman.semantics.substitution import (
    ContextSubstitution,
    DecodedSubstitution,
    DictionarySubstitution,
    repeat_answers,
)
from dragoman.semantics.substitution_files import (
    Instance,
    read_answers,
    read_dictionary,
    read_gold,
    read_instances,
    write_answers,
    write_dictionary,
)
from dragoman.semantics.substitution_scoring import score_answers
from dragoman.semantics.word_views import tagged_lemmas


def bitext() -> tuple[list[str], list[str]]:
    """A hundred pairs: bank in 10, banco in 8 (6 together), orilla in 3 (1 together), casa in 20 (none together)."""
    source: list[set[str]] = [set() for _ in range(100)]
    target: list[set[str]] = [set() for _ in range(100)]

    def put(side: list[set[str]], word: str, rows: list[int]) -> None:
        for row in rows:
            side[row].add(word)

    put(source, "bank.n", list(range(10)))
    put(target, "banco.n", [*range(6), 90, 91])
    put(target, "orilla.n", [6, 80, 81])
    put(target, "casa.n", list(range(20, 40)))
    put(source, "river.n", [80, 81, 50, 51, 52])  # twice with orilla, never with banco
    put(source, "sit.v", [90, 60, 61, 62])  # once with banco, never with orilla
    for side in (source, target):
        for row in side:
            row.add("the.x")
    return [" ".join(sorted(row)) for row in source], [" ".join(sorted(row)) for row in target]


@pytest.fixture(scope="module")
def information() -> MutualInformation:
    return MutualInformation.train(*bitext())


def test_mutual_information_of_the_worked_example(information: MutualInformation) -> None:
    assert information.native.tagged
    assert information.value("bank.n", "banco.n") == pytest.approx(0.106833, abs=1e-6)
    assert information.value("bank.n", "orilla.n") == pytest.approx(0.010658, abs=1e-6)
    assert information.value("bank.n", "casa.n") == pytest.approx(-0.004360, abs=1e-6)
    assert [each.phrase for each in information.dictionary("bank.n")] == ["banco.n", "orilla.n"]
    assert information.dictionary("bank.n", size=1)[0].value == pytest.approx(0.106833, abs=1e-6)


def test_context_of_the_worked_example(information: MutualInformation) -> None:
    assert information.value("river.n", "banco.n") == pytest.approx(-0.000872, abs=1e-6)
    assert information.value("sit.v", "banco.n") == pytest.approx(0.010091, abs=1e-6)
    assert information.value("river.n", "orilla.n") == pytest.approx(0.045840, abs=1e-6)
    assert information.value("sit.v", "orilla.n") == pytest.approx(-0.000262, abs=1e-6)
    sentence = ["sit.v", "the.x", "bank.n", "the.x", "river.n"]
    found = information.context(sentence, 2, ["banco.n", "orilla.n"])
    assert found.all == pytest.approx([0.038684, 0.018745], abs=1e-6)
    assert found.others == pytest.approx([0.004610, 0.022789], abs=1e-6)
    alone = information.context(["the.x", "bank.n"], 1, ["banco.n"])
    assert alone.all == pytest.approx(alone.own)
    assert alone.others.tolist() == [0]
    far = information.context(["river.n", *["the.x"] * 5, "bank.n"], 6, ["orilla.n"])
    assert far.others.tolist() == [0]


def test_independent_words_say_nothing() -> None:
    source = [" ".join(w for w, on in (("a", i < 2), ("b", True)) if on) for i in range(4)]
    target = [" ".join(w for w, on in (("x", i % 2 == 0), ("y", True)) if on) for i in range(4)]
    made = MutualInformation.train(source, target, function_words=0)
    assert made.value("a", "x") == pytest.approx(0, abs=1e-12)
    assert made.value("b", "y") == pytest.approx(0, abs=1e-12)
    swapped = MutualInformation.train(target, source, function_words=0)
    assert swapped.value("x", "b") == made.value("b", "x")
    never = MutualInformation.train(["a", "b"], ["x", "y"], function_words=0)
    share = 0.25 * 0.1 / 1.1
    assert never.value("a", "y") == pytest.approx(share * math.log(1 / 11))


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from("abc"), min_size=1, max_size=5), st.lists(st.sampled_from("xyz"), min_size=1)
        ),
        min_size=1,
        max_size=12,
    )
)
def test_counts_equal_a_product_of_matrices(pairs: list[tuple[list[str], list[str]]]) -> None:
    made = MutualInformation.train([" ".join(s) for s, _ in pairs], [" ".join(t) for _, t in pairs], function_words=0)

    def matrix(side: int, letters: str) -> csr_matrix:
        return csr_matrix([[float(letter in pair[side]) for letter in letters] for pair in pairs])

    together = (matrix(0, "abc").T @ matrix(1, "xyz")).toarray()
    for (i, s), (j, t) in itertools.product(enumerate("abc"), enumerate("xyz")):
        partners = dict(made.native.partners(s))
        assert (t in partners) == (together[i, j] > 0)
        if s in {w for p, _ in pairs for w in p} and t in {w for _, p in pairs for w in p}:
            ps, pt = (sum(w in p[k] for p in pairs) / len(pairs) for k, w in ((0, s), (1, t)))
            joint = (together[i, j] / len(pairs) + 0.1 * ps * pt) / 1.1
            assert made.value(s, t) == pytest.approx(joint * math.log(joint / (ps * pt)), rel=1e-6)


def test_counts_are_kept_or_refused(tmp_path: Path, information: MutualInformation) -> None:
    information.save(tmp_path / "mi")
    opened = MutualInformation.open(tmp_path / "mi")
    assert opened.value("bank.n", "banco.n") == information.value("bank.n", "banco.n")
    whole = (tmp_path / "mi").read_bytes()
    for content in (whole[:100], b"", whole[:-1] + bytes([whole[-1] ^ 1])):
        (tmp_path / "mi").write_bytes(content)
        with pytest.raises(DragomanError):
            MutualInformation.open(tmp_path / "mi")
    with pytest.raises(LengthMismatch):
        MutualInformation.train(["a"], [])
    with pytest.raises(InputError):
        MutualInformation.train([""], [""])
    few = MutualInformation.train(*bitext(), only=["bank.n"])
    assert few.dictionary("bank.n") == information.dictionary("bank.n")
    assert few.dictionary("river.n") == []


def test_views_of_annotated_sentences() -> None:
    sentence = Sentence.of(["The", "Banks", "ran"], lemmas=["the", "bank", "run"], pos=["DET", "NOUN", "VERB"])
    assert tagged_lemmas(sentence) == ["the.x", "bank.n", "run.v"]


# The ranker


def test_step_of_the_worked_example() -> None:
    difference = [-0.096175, -0.019939, 0.018180, -1.0, 0.0]
    length = sum(value**2 for value in difference)
    assert length == pytest.approx(1.009978, abs=1e-6)
    weights = pair_step([0.2] * 5, difference, length)
    assert weights == pytest.approx([0.083865, 0.175923, 0.221952, -1.007538, 0.2], abs=2e-6)
    assert sum(w * f for w, f in zip(weights, difference, strict=True)) == pytest.approx(1)
    assert pair_step(weights, difference, length) is weights


def test_ranker_learns_what_can_be_separated() -> None:
    rng = np.random.default_rng(1)
    true = np.array([1.0, -2.0, 0.5])
    groups = []
    for _ in range(30):
        rows = rng.normal(size=(6, 3))
        groups.append((rows, np.argsort(np.argsort(rows @ true)) // 2))
    weights = PairRanker(epochs=40).fit(groups)
    wrong = sum(
        (rows[i] - rows[j]) @ weights <= 0
        for rows, ranks in groups
        for i in range(6)
        for j in range(6)
        if ranks[i] > ranks[j]
    )
    assert wrong <= 2
    turned = PairRanker(epochs=5).fit([(rows[::-1], ranks[::-1]) for rows, ranks in groups[:1]])
    assert turned.shape == (3,)
    assert np.array_equal(PairRanker(shuffle=True, seed=3).fit(groups), PairRanker(shuffle=True, seed=3).fit(groups))
    scaled = PairRanker(scale="std").fit([(np.asarray(rows) * [1, 100, 1], ranks) for rows, ranks in groups])
    assert scaled == pytest.approx(PairRanker(scale="std").fit(groups) / [1, 100, 1], rel=1e-6)
    assert np.abs(PairRanker(most=0.01).fit(groups) - 0.2).max() < np.abs(PairRanker().fit(groups) - 0.2).max()
    with pytest.raises(InputError):
        PairRanker().fit([])


# Scores

GOLD = {
    ("x.n", "1"): {"banco": 3, "orilla": 1, "ribera": 1},
    ("x.n", "2"): {"barco": 2, "nave": 2},
    ("x.n", "3"): {"claro": 1},
    ("x.n", "4"): {"papel": 4, "documento": 1},
}


def test_scores_of_the_worked_example() -> None:
    answers = {("x.n", "1"): ("banco",), ("x.n", "2"): ("barco", "buque"), ("x.n", "4"): ("hoja", "papel")}
    best = score_answers(answers, GOLD)
    assert best.items == 3
    assert best.modes == 2
    assert best.precision == best.recall == pytest.approx(0.416667, abs=1e-6)
    assert best.mode_precision == best.mode_recall == 0.5
    assert best.lines()[0] == "precision = 41.67, recall = 41.67"
    without = score_answers({key: value for key, value in answers.items() if key[1] != "4"}, GOLD)
    assert without.precision == pytest.approx(0.425)
    assert without.recall == pytest.approx(0.283333, abs=1e-6)
    assert without.mode_precision == 1
    assert without.mode_recall == 0.5
    ten = {("x.n", "1"): ("banco", "orilla", "rio"), ("x.n", "2"): ("nave",), ("x.n", "4"): ("papel", "papel")}
    oot = score_answers(ten, GOLD, task="oot")
    assert oot.precision == pytest.approx(0.966667, abs=1e-6)
    assert oot.mode_precision == 1
    assert oot.repeated == 1
    assert score_answers(ten, GOLD, task="oot", dedupe=True).precision == pytest.approx((0.8 + 0.5 + 0.8) / 3)
    strange = score_answers({("y.n", "9"): ("a",)}, GOLD)
    assert strange.strange == 1
    assert strange.precision == 0
    eleven = {("x.n", "1"): (*"abcdefghij", "banco")}
    assert score_answers(eleven, GOLD, task="oot").precision == 0
    assert score_answers({("x.n", "1"): ("Banco",)}, GOLD, ignore_case=True).precision == 0.6
    with pytest.raises(SettingError):
        score_answers({}, {}, task="worst")


def test_repeated_answers_earn_more_and_find_less() -> None:
    answers = {("x.n", "1"): ("banco", "rio", "ribera", "orilla", "costa")}
    scores = [score_answers(repeat_answers(answers, count), GOLD, task="oot") for count in (5, 2)]
    assert scores[1].precision > scores[0].precision
    assert len(repeat_answers(answers, 3)["x.n", "1"]) == 10


# Systems

SENTENCE = Instance("bank.n", "1", ("sit", "the", "bank", "river"), 2, ("sit.v", "the.x", "bank.n", "river.n"))
DICTIONARY = {"bank": ["banco", "ribera", "orilla"]}


def test_a_translation_system_and_a_dictionary() -> None:
    system = DecodedSubstitution(lambda _: ["Orilla", "margen", "banco"], DICTIONARY)
    assert system.answer([SENTENCE]) == {("bank.n", "1"): ("orilla",)}
    answers, sources = system.answer_with_sources([SENTENCE], "oot")
    assert answers[SENTENCE.key] == ("orilla", "banco", "ribera")
    assert (sources.decoded, sources.dictionary, sources.short) == (2, 1, 1)
    other = DecodedSubstitution(lambda _: ["margen", "orilla"], DICTIONARY)
    assert other.answer([SENTENCE])[SENTENCE.key] == ("banco",)
    unknown = DecodedSubstitution(lambda _: ["margen", "orilla"], {})
    assert unknown.answer_with_sources([SENTENCE], "oot")[1].unfiltered == 2
    assert DictionarySubstitution(DICTIONARY).answer([SENTENCE], "oot")[SENTENCE.key] == ("banco", "ribera", "orilla")


def test_candidates_are_ranked_by_their_sentence(information: MutualInformation, tmp_path: Path) -> None:
    first = DecodedSubstitution(lambda _: ["banco", "orilla"], DICTIONARY)
    system = ContextSubstitution(information, first)
    [(listed, rows)] = system.measured([SENTENCE])
    assert listed == ["banco.n", "orilla.n"]
    assert rows[:, 3:].tolist() == [[1, 1], [0, 1]]
    assert rows[1, 2] == pytest.approx(0.022789, abs=1e-6)
    assert system.answer([SENTENCE])[SENTENCE.key] == ("banco",)
    learned = system.fit([SENTENCE], {SENTENCE.key: {"orilla": 3}})
    assert learned.weights == pytest.approx((0.083865, 0.175923, 0.221952, -1.007538, 0.2), abs=2e-6)
    assert learned.answer([SENTENCE])[SENTENCE.key] == ("orilla",)
    assert learned.answer([SENTENCE], "oot")[SENTENCE.key] == ("orilla", "banco")
    learned.save_weights(tmp_path / "w.toml")
    assert system.with_weights(tmp_path / "w.toml").weights == learned.weights
    (tmp_path / "w.toml").write_text("other = 1\n", "utf-8")
    with pytest.raises(FormatError):
        system.with_weights(tmp_path / "w.toml")
    plain = ContextSubstitution(information, features=("others",), candidates={"bank": ["banco", "orilla", "casa"]})
    assert plain.answer([SENTENCE])[SENTENCE.key] == ("orilla",)
    with pytest.raises(SettingError, match="there is none"):
        ContextSubstitution(information)
    with pytest.raises(SettingError, match="features is 'some'"):
        ContextSubstitution(information, first, features=("some",))
    with pytest.raises(InputError, match="no instance"):
        system.fit([SENTENCE], {})


# Files


def test_instances_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        '<corpus lang="english"><lexelt item="bank.n"><instance id="7"><context>Sit on the <head>bank</head> of it .'
        "</context></instance></lexelt></corpus>",
        "utf-8",
    )
    expected = Instance("bank.n", "7", ("Sit", "on", "the", "bank", "of", "it", "."), 3)
    assert read_instances(tmp_path / "a.xml") == [expected]
    (tmp_path / "a.tsv").write_text("bank.n\t7\tSit on the <head>bank</head> of it .\n", "utf-8")
    assert read_instances(tmp_path / "a.tsv") == [expected]
    (tmp_path / "b.tsv").write_text("bank.n\t7\t3\tSit on the bank of it .\n", "utf-8")
    assert read_instances(tmp_path / "b.tsv") == [expected]
    (tmp_path / "c.tsv").write_text("7\tbank.n\t3\tSit on the bank of it .\n", "utf-8")
    assert read_instances(tmp_path / "c.tsv") == [expected]


def test_a_word_that_is_marked_twice_is_meant_where_it_is_first(tmp_path: Path) -> None:
    marked = "they sat <head>side</head> by <head>side</head>, quietly"
    (tmp_path / "a.tsv").write_text(f"side.n\t41\t{marked}\n", "utf-8")
    (tmp_path / "a.xml").write_text(
        f'<corpus><lexelt item="side.n"><instance id="41"><context>{marked}</context></instance></lexelt></corpus>',
        "utf-8",
    )
    expected = Instance("side.n", "41", ("they", "sat", "side", "by", "side,", "quietly"), 2)
    assert read_instances(tmp_path / "a.tsv") == read_instances(tmp_path / "a.xml") == [expected]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("bank.n\t7\tno mark here\n", "0 marked words"),
        ("bank.n\t7\t<head>a</head> <head>b</head>\n", "2 marked words"),
        ("bank.n\t7\t9\tfew words\n", "no position"),
        ("bank.n\n", "three or four fields"),
        ("", "no instances"),
        ("<corpus><lexelt item='a.n'><instance id='1'><context>a</context></instance></lexelt></corpus>", "0 marked"),
        ("<corpus><lexelt item='a.n'><instance id='1'/></lexelt></corpus>", "without a context"),
        ("<corpus>", "not XML"),
        ("<corpus></corpus>", "no instances"),
    ],
)
def test_bad_instances_are_refused(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "a").write_text(content, "utf-8")
    with pytest.raises(FormatError, match=said):
        read_instances(tmp_path / "a")


def test_gold_and_answers_are_read(tmp_path: Path) -> None:
    (tmp_path / "gold").write_text("coach.n.es 1 :: autobu\u0301s 3;auto car 1;\n\n", "utf-8")
    assert read_gold(tmp_path / "gold") == {("coach.n", "1"): {"autobús": 3, "auto car": 1}}
    write_answers(tmp_path / "oot", {("coach.n", "1"): ["autobús", "bus"]}, task="oot")
    assert (tmp_path / "oot").read_text("utf-8") == "coach.n 1 ::: autobús;bus\n"
    (tmp_path / "oot").write_text("coach.n.es 1 ::: a;b\ncoach.n 1 ::: c\n", "utf-8")
    assert read_answers(tmp_path / "oot") == {("coach.n", "1"): ("a", "b")}
    for content in ("coach.n 1 : a 1;\n", "coach.n 1 :: a;\n", "coach.n 1 :: a 1;\ncoach.n 1 :: b 1;\n"):
        (tmp_path / "gold").write_text(content, "utf-8")
        with pytest.raises(FormatError, match="line"):
            read_gold(tmp_path / "gold")
    (tmp_path / "oot").write_text("nothing\n", "utf-8")
    with pytest.raises(FormatError, match="line 1"):
        read_answers(tmp_path / "oot")


def test_dictionaries_are_read(tmp_path: Path) -> None:
    write_dictionary(tmp_path / "d.tsv", {"bank": ["banco", "orilla"]})
    assert read_dictionary(tmp_path / "d.tsv") == {"bank": ("banco", "orilla")}
    entry = "bank /bæŋk/ <noun>\n 1. banco, orilla\n 2. ribera\n"
    with gzip.open(tmp_path / "e.dict.dz", "wb") as file:
        file.write(entry.encode())
    size = len(entry.encode())
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    (tmp_path / "e.index").write_text(f"bank\tA\t{letters[size]}\n", "utf-8")
    assert read_dictionary(tmp_path / "e.index") == {"bank": ("banco", "orilla", "ribera")}
    (tmp_path / "e.index").write_text("bank\tA\n", "utf-8")
    with pytest.raises(FormatError, match="line 1"):
        read_dictionary(tmp_path / "e.index")
    (tmp_path / "d.tsv").write_text("bank\n", "utf-8")
    with pytest.raises(FormatError, match="line 1"):
        read_dictionary(tmp_path / "d.tsv")


TEI = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body>
<entry><form><orth>Bank</orth><orth>banks</orth></form>
<sense><cit type="trans"><quote>banco</quote></cit><cit type="example"><quote>no</quote></cit></sense>
<sense><cit type="trans"><quote>orilla <hi>del río</hi></quote></cit></sense>
<sense><cit type="trans"><quote>banco</quote></cit></sense>
</entry>
<entry><form><orth>empty</orth></form></entry>
</body></text></TEI>
"""


def test_dictionaries_of_the_text_encoding_initiative_are_read(tmp_path: Path) -> None:
    path = tmp_path / "en-es.tei"
    path.write_text(TEI, "utf-8")
    assert read_dictionary(path) == {"bank": ("banco", "orilla del río"), "banks": ("banco", "orilla del río")}
    path.write_text(TEI.replace("</entry>", "</sense>", 1), "utf-8")
    with pytest.raises(FormatError, match="line 7"):
        read_dictionary(path)
    path.write_text("<TEI/>", "utf-8")
    with pytest.raises(FormatError, match="no entry"):
        read_dictionary(path)


def test_sets_of_the_shared_tasks_are_read(data: Path) -> None:
    gold = read_gold(data / "lexsub" / "clwsd2013" / "test.es.gold")
    instances = read_instances(data / "lexsub" / "clwsd2013" / "test.contexts.tsv.gz")
    assert len(instances) == 1000
    assert {each.key for each in instances} == set(gold)
    english = read_instances(data / "lexsub" / "semeval2007" / "lst_all.xml.gz")
    assert len(english) == 2010
    perfect = {key: tuple(votes) for key, votes in gold.items()}
    assert score_answers(perfect, gold, task="oot").mode_precision == 1
