"""Rules with labels of the source: the chart decoder against brute force, and sentences without syntax."""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest

from dragoman.annotations import Sentence, Span
from dragoman.errors import InputError, SettingError
from dragoman.grammar.rule import Nonterminal, Rule, Symbol
from dragoman.search.hiero import HieroDecoder
from dragoman.text.source_text import SourceText
from tests.search.hiero_setting import WEIGHTS, decoder, derivations, grammar, language_model, model_score

LABELS = {
    "source": ("X", "NP", "VP"),
    "target": ("X", "N", "V"),
    "both": ("X", "NP~N", "NP~X", "X~N", "VP~V"),
}

VALUES = {"p": -1.0, "q": -1.0}


def cell(label: str, side: str) -> str:
    if side == "source":
        return "X"
    return label.partition("~")[2] or label


def covered(label: str, side: str) -> str:
    """What syntax must call the words; X for anything."""
    if side == "both":
        return label.partition("~")[0]
    return label if side == "source" else "X"


def labelled_grammar(seed: int, side: str) -> tuple[list[Rule], list[str], list[Span]]:
    """Rules of arity up to 3, some with several left-hand sides, a sentence, and spans with names."""
    random_ = random.Random(seed)
    labels = LABELS[side]
    rules: dict[tuple[tuple[Symbol, ...], tuple[Symbol, ...], str], Rule] = {}
    for label in labels:  # every cell has something to be filled from
        rules[("a",), ("A",), label] = Rule(("a",), ("A",), {"p": -random_.random(), "q": -0.1}, label=label)
    for _ in range(random_.randint(5, 10)):
        slots: list[Nonterminal] = []
        source: list[Symbol] = []
        for _ in range(random_.randint(2, 4)):
            if len(slots) < 3 and random_.random() < 0.5:
                slots.append(Nonterminal(random_.choice(labels), len(slots)))
                source.append(slots[-1])
            else:
                source.append(random_.choice("abc"))
        target: list[Symbol] = [*slots, *random_.choices("ABCD", k=random_.randint(0 if slots else 1, 2))]
        random_.shuffle(target)
        for label in random_.sample(labels, random_.randint(1, 2)):
            values = {"p": round(-random_.random(), 3), "q": round(-random_.random(), 3)}
            rules[tuple(source), tuple(target), label] = Rule(tuple(source), tuple(target), values, label=label)
    words = [random_.choice("aabbcd") for _ in range(random_.randint(2, 5))]
    spans = [(start, end) for start in range(len(words)) for end in range(start + 1, len(words) + 1)]
    nodes = [Span(label, *span) for span in spans for label in ("NP", "VP", "QP") if random_.random() < 0.3]
    return list(rules.values()), words, nodes


@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize("side", list(LABELS))
@pytest.mark.parametrize("seed", range(12))
def test_labelled_decoding_equals_enumeration(seed: int, side: str, checked: bool, tmp_path: Path) -> None:
    rules, words, nodes = labelled_grammar(seed, side)
    names = {(node.label, node.start, node.end) for node in nodes}
    model = language_model(seed)

    def named(label: str, start: int, end: int) -> bool:
        return covered(label, side) == "X" or (covered(label, side), start, end) in names

    trees = derivations(
        rules,
        words,
        cell=lambda label: cell(label, side),
        covers_span=named,
        derives_span=lambda label, start, end: not checked or end == start + 1 or named(label, start, end),
    )
    wanted = sorted((model_score(tree, model, WEIGHTS) for tree in trees), reverse=True)
    table = grammar(rules, tmp_path / "t", labels=side, tree="nodes")
    given = SourceText.annotated(Sentence.of(words, nodes=nodes))
    search = decoder(table, model).with_settings(check_left_hand_sides=checked)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some sentences have no node at all
        [found] = search.translate([given], forests=True)
    assert found.score == pytest.approx(wanted[0], abs=1e-6)
    listed = found.nbest(len(wanted) + 10)
    assert [each.score for each in listed] == pytest.approx(wanted, abs=1e-6)


def toy(tmp_path: Path) -> HieroDecoder:
    noun = Nonterminal("NN", 0)
    rules = [
        Rule(("money",), ("dinero",), VALUES, label="NN"),
        Rule(("this",), ("esto",), VALUES, label="DT"),
        Rule(("this", noun), ("este", noun), {"p": -0.1, "q": -0.1}, label="NP"),
    ]
    table = grammar(rules, tmp_path / "t", labels="source", tree="pos", relax="0")
    return decoder(table, language_model(1))


def test_a_sentence_without_syntax_still_translates_and_says_so_once(tmp_path: Path) -> None:
    search = toy(tmp_path)
    tagged = SourceText.annotated(Sentence.of(["this", "money"], tags=["DT", "NN"]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [each.text for each in search.translate([tagged])] == ["este dinero"]
    other = SourceText.annotated(Sentence.of(["this", "money"], tags=["DT", "VB"]))
    with pytest.warns(UserWarning, match="1 of 2 sentences have no tags: no nonterminal with a label") as told:
        found = search.translate(["this money", other])
    assert [each.text for each in found] == ["esto dinero", "esto dinero"]
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search.translate(["this money"])


def test_bad_labels_are_refused(tmp_path: Path) -> None:
    search = toy(tmp_path)
    with pytest.raises(InputError, match="a constituent of words"):
        search.translate([SourceText("this money", annotation=Sentence.of(["a", "b", "c"], tags=["NN"] * 3))])
    with pytest.raises(SettingError, match="labels, for which Moses needs trees"):
        search.export_moses(tmp_path / "moses")
    loop = grammar(
        [Rule((Nonterminal("NP", 0),), (Nonterminal("NP", 0), "A"), VALUES, label="VP")],
        tmp_path / "c",
        labels="source",
    )
    with pytest.raises(InputError, match="turn a nonterminal into itself"):
        decoder(loop, language_model(1))
