"""Trees that are none: every way in which a file of annotations can be broken is told with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.annotations.corpus import read_annotations
from dragoman.errors import DragomanError

CONLLU = "1\ta\ta\tX\tX\t_\t{}\tdep\t_\t_\n2\tb\tb\tX\tX\t_\t{}\tdep\t_\t_\n\n"
GOOD = CONLLU.format(0, 1)


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("unclosed.mrg", "(S (NP a) (VP b))\n(S (NP a (VP b))\n", "line 2"),
        ("unopened.mrg", "(S (NP a) (VP b))\n(S (NP a)) (VP b))\n", "line 2"),
        ("words.mrg", "(S (NP a))\na b\n", "line 2"),
        ("cycle.conllu", GOOD + CONLLU.format(2, 1), "line"),
        ("self.conllu", GOOD + CONLLU.format(1, 0), "line"),
        ("outside.conllu", GOOD + CONLLU.format(0, 7), "line"),
        ("letters.conllu", GOOD + CONLLU.format("x", 0), "line"),
        ("short.conllu", GOOD + "1\ta\n\n", "line"),
        ("cycle.jsonl", '{"text": "a b", "dependencies": {"heads": [1, 0], "labels": ["x", "y"]}}\n', "line 1"),
        ("layers.jsonl", '{"text": "a b", "pos": ["X"]}\n', "line 1"),
        ("broken.jsonl", '{"text": "a b"\n', "line 1"),
    ],
)
def test_broken_trees_are_refused_with_their_place(name: str, text: str, place: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(DragomanError) as error:
        list(read_annotations(tmp_path / name))
    assert name in str(error.value)
    assert place in str(error.value)
