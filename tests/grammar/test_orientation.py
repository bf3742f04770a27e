"""Orientation labels against brute force and the worked example; probabilities against counts."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given

from dragoman.errors import SettingError
from dragoman.grammar.limits import GappyLimits
from dragoman.grammar.orientation import CLASSES, ReorderingModel, orientations
from dragoman.grammar.phrases import extract
from dragoman.grammar.scoring import Scoring
from tests.grammar import brute_force
from tests.grammar.conftest import Bitext, lines
from tests.grammar.test_phrases import pairs


def test_worked_example_of_a_reversed_block() -> None:
    """Target order of source words 2, 1, 0, 3 with phrases of up to two words."""
    links = [(2, 0), (1, 1), (0, 2), (3, 3)]

    def previous(model: str, source: int) -> str:
        found = orientations(4, 4, links, model=model, max_length=2)
        return next(before for spans, before, _ in found if spans[:2] == (source, source + 1))

    assert [previous(model, 3) for model in ("wbe", "phrase", "hier")] == ["R", "R", "M"]
    assert [previous(model, 0) for model in ("wbe", "phrase", "hier")] == ["S", "S", "S"]
    assert [previous("hier", source) for source in (2, 1)] == ["R", "S"]


@pytest.mark.parametrize(("order", "last"), [((1, 3, 0, 2, 4), 4), ((1, 4, 0, 2, 3), 3)])
def test_blocks_that_are_not_binarizable(order: tuple[int, ...], last: int) -> None:
    links = [(source, target) for target, source in enumerate(order)]
    found = orientations(5, 5, links, model="hier")
    assert next(before for spans, before, _ in found if spans[:2] == (last, last + 1) and spans[3] == 5) == "M"


@pytest.mark.slow
@pytest.mark.parametrize("model", ["wbe", "phrase", "hier"])
@given(pair=pairs())
def test_labels_follow_the_definition(model: str, pair: tuple[int, int, brute_force.Links]) -> None:
    n, m, links = pair
    neighbours = {"wbe": None, "phrase": brute_force.blocks(n, m, links, 3), "hier": brute_force.blocks(n, m, links, 9)}
    for spans, before, after in orientations(n, m, links, model=model, max_length=3):
        assert (before, after) == brute_force.orientation(n, m, links, spans, neighbours[model])


@pytest.mark.slow
@given(pairs())
def test_hierarchical_keeps_every_monotone_and_swap_of_the_phrase_model(
    pair: tuple[int, int, brute_force.Links],
) -> None:
    phrase = {spans: labels for spans, *labels in orientations(*pair, model="phrase")}
    for spans, *labels in orientations(*pair, model="hier"):
        for ours, theirs in zip(labels, phrase[spans], strict=True):
            assert theirs in "LR" or ours == theirs


@pytest.mark.slow
@given(pair=pairs())
def test_a_phrase_is_contained_between_words_of_one_neighbour(pair: tuple[int, int, brute_force.Links]) -> None:
    n, m, links = pair
    plain = {spans: labels for spans, *labels in orientations(n, m, links)}
    for spans, *labels in orientations(n, m, links, containment=True):
        for label, beside, otherwise in zip(labels, (spans[2] - 1, spans[3]), plain[spans], strict=True):
            linked = [source for source, target in links if target == beside]
            around = any(source < spans[0] for source in linked) and any(source >= spans[1] for source in linked)
            assert label == ("C" if around else otherwise)


def test_containment_is_for_phrases_with_gaps(tmp_path: Path) -> None:
    """je ne veux pas, i do not want: the verb stands between the words of the negation."""
    source, target, links = ["je ne veux pas"], ["i do not want"], ["0-0 1-2 3-2 2-3"]
    model = ReorderingModel.parse("msdc-bidirectional-fe")
    scoring = Scoring(reordering=model)
    table = extract(source, target, links, tmp_path / "t", limits=GappyLimits(), scoring=scoring).table
    assert table.columns[4:] == model.columns
    [verb] = [rule for rule in table.lookup("veux") if rule.target_text == "want"]
    found = [math.exp(verb.values[f"orientation.previous.{name}"]) for name in CLASSES["msdc"]]
    assert found == pytest.approx([1 / 6, 1 / 6, 1 / 6, 1 / 2])
    with pytest.raises(SettingError, match="without gaps"):
        extract(source, target, links, tmp_path / "u", scoring=scoring)


FOLD = {
    "msd": {"M": "monotone", "S": "swap", "L": "other", "R": "other"},
    "mslr": {"M": "monotone", "S": "swap", "L": "left", "R": "right"},
    "monotonicity": {"M": "monotone", "S": "not", "L": "not", "R": "not"},
    "leftright": {"M": "right", "R": "right", "S": "left", "L": "left"},
}


@pytest.mark.slow
@pytest.mark.parametrize("classes", list(FOLD))
@pytest.mark.parametrize("condition", ["f", "fe"])
def test_probabilities_follow_the_counts(bitext: Bitext, tmp_path: Path, classes: str, condition: str) -> None:
    model = ReorderingModel("hier", classes, "bidirectional", condition)
    table = extract(*lines(bitext[:120]), tmp_path / "t", scoring=Scoring(min_probability=0, reordering=model)).table
    truth = brute_force.Table(bitext[:120])
    assert table.columns[4:] == model.columns
    for rule in list(table)[::5]:
        for position, side in enumerate(("previous", "next")):
            counts = dict.fromkeys(CLASSES[classes], 0.5)
            for pair, labels in truth.labels.items():
                same = pair[0] == rule.source_text and (condition == "f" or pair[1] == rule.target_text)
                for label, count in labels.items() if same else ():
                    counts[FOLD[classes][label[position]]] += count
            total = sum(counts.values())
            found = {name: math.exp(rule.values[f"orientation.{side}.{name}"]) for name in counts}
            assert found == pytest.approx({name: count / total for name, count in counts.items()}, rel=1e-5)
            assert sum(found.values()) == pytest.approx(1, abs=1e-5)


def test_smoothing_of_a_worked_example(tmp_path: Path) -> None:
    """Monotone three times, swapped once: (3.5, 1.5, 0.5) / 5.5."""
    source = ["a b", "a b", "a b", "b a"]
    target = ["u v", "u v", "u v", "u v"]
    links = ["0-0 1-1"] * 3 + ["0-1 1-0"]
    model = ReorderingModel.parse("msd-backward-fe")
    values = (
        extract(source, target, links, tmp_path / "t", scoring=Scoring(reordering=model)).table.lookup("b")[0].values
    )
    assert [math.exp(values[name]) for name in model.columns] == pytest.approx([0.6364, 0.2727, 0.0909], abs=1e-4)


@pytest.mark.parametrize(
    ("name", "full", "columns"),
    [
        ("hier-mslr-bidirectional-fe", "hier-mslr-bidirectional-fe", 8),
        ("msd-bidirectional-fe", "wbe-msd-bidirectional-fe", 6),
        ("phrase-monotonicity-forward-f", "phrase-monotonicity-forward-f", 2),
        ("leftright-fe", "wbe-leftright-backward-fe", 2),
        ("hier-msd2-bidirectional-fe", "hier-mslr-bidirectional-fe", 8),
    ],
)
def test_names(name: str, full: str, columns: int) -> None:
    model = ReorderingModel.parse(name)
    assert (str(model), len(model.columns)) == (full, columns)
