from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.errors import DragomanError, FormatError
from dragoman.forest import Forest, ForestBuilder
from dragoman.forest.store import from_dict, read_forests, to_dict, write_forests
from dragoman.pipeline.describe import describe
from tests.strategies import small_forests


def example() -> Forest:
    build = ForestBuilder("das Haus", weights={"lm": 1.0})
    noun, goal = build.add_node(1, 2, coverage=[1]), build.add_node(0, 2, coverage=[0, 1])
    build.add_edge(noun, "house", features={"lm": -0.5}, span=(1, 2), links=[(0, 0)])
    build.add_edge(noun, "größeres Haus", features={"lm": -1.5, "unknown": 2.0}, span=(1, 2), rule=3)
    build.add_edge(goal, ["the", 0], [noun], features={"lm": -0.25}, span=(0, 2), links=[(0, 0)])
    return build.finish(goal)


@given(small_forests())
def test_json_gives_back_what_was_put_in(forest: Forest) -> None:
    value = json.loads(json.dumps(to_dict(forest)))
    again = from_dict(value)
    assert to_dict(again) == to_dict(forest)
    assert [d.text for d in again.kbest(5)] == [d.text for d in forest.kbest(5)]


@pytest.mark.slow
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(small_forests(max_derivations=30), max_size=4))
def test_binary_gives_back_what_was_put_in(tmp_path: Path, forests: list[Forest]) -> None:
    path = tmp_path / "set.forests"
    write_forests(path, forests)
    again = read_forests(path)
    assert [to_dict(forest) for forest in again] == [to_dict(forest) for forest in forests]
    for forest, other in zip(forests, again, strict=True):
        assert np.array_equal(forest.scores, other.scores)
    if forests:
        assert to_dict(again[-1]) == to_dict(forests[-1])
    assert len(again[1:]) == max(0, len(forests) - 1)
    with pytest.raises(IndexError):
        again[len(forests)]
    assert describe(path, verify=True)["what"] == "forests"


@pytest.mark.parametrize("name", ["forests.json", "forests.jsonl.gz", "forests.bin"])
def test_files_tell_by_themselves_what_they_are(tmp_path: Path, name: str) -> None:
    write_forests(tmp_path / "deep" / name, [example(), example()])
    found = read_forests(tmp_path / "deep" / name)
    assert [to_dict(forest) for forest in found] == [to_dict(example())] * 2
    assert found[0].words is found[1].words


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    def broken() -> object:
        yield example()
        raise RuntimeError

    for name in ("forests.json", "forests.bin"):
        with pytest.raises(RuntimeError):
            write_forests(tmp_path / name, broken())  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def spoilt(change: str) -> str:
    value = to_dict(example())
    exec(change, {"value": value})
    return json.dumps(value)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{", "not JSON"),
        ("[1]", "an object is needed"),
        ("{}", "'source' is missing"),
        (spoilt("value['edges'][0]['head'] = -1"), "-1 where a natural number"),
        (spoilt("value['edges'][0]['head'] = 2.5"), "2.5 where a natural number"),
        (spoilt("value['edges'][0]['head'] = 99"), "edge 0: the head is not a node"),
        (spoilt("value['edges'][0]['target'] = 'house'"), "a list of words and tail indices"),
        (spoilt("value['edges'][2]['target'] = [-1]"), "cannot be negative"),
        (spoilt("value['edges'][2]['target'] = [2**40]"), "not a forest"),
        (spoilt("value['edges'][0]['features'] = 3"), "an object of names and values"),
        (spoilt("value['edges'][0]['links'] = [[0]]"), "not a forest"),
        (spoilt("value['edges'][0]['links'] = [[70000, 0]]"), "not a forest"),
        (spoilt("value['edges'][0]['score'] = None"), "not a forest"),
        (spoilt("value['edges'][0]['score'] = float('nan')"), "not a finite number"),
        (spoilt("value['nodes'][0]['coverage'] = [5]"), "outside the source"),
        (spoilt("value['source'] = [1]"), "list of tokens"),
        (spoilt("value['goal'] = 9"), "the goal is not a node"),
        (spoilt("value['nodes'] = [[]]"), "a list of objects"),
    ],
)
def test_what_is_no_forest_is_refused_with_its_line(tmp_path: Path, line: str, what: str) -> None:
    path = tmp_path / "forests.json"
    path.write_text(json.dumps(to_dict(example())) + "\n" + line + "\n")
    with pytest.raises(FormatError, match=what) as caught:
        read_forests(path)
    assert f"{path}, line 2" in caught.value.where


@pytest.mark.slow
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damaged_files_are_refused_or_harmless(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / data.draw(st.sampled_from(["forests.json", "forests.bin"]))
    write_forests(path, [example()])
    raw = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(raw)
    try:
        for forest in read_forests(path):
            forest.kbest(3)
            to_dict(forest)
    except DragomanError:
        pass
