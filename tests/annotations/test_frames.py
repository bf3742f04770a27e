"""Frames in columns: CoNLL brackets and SENNA's positions."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.annotations import Argument, Frame, Sentence, frames
from dragoman.errors import DragomanError, FormatError, InputError
from dragoman.files import read_lines

CONLL = "The\t-\t(A0*\ndog\t-\t*)\nbarks\tbark\t(V*)\nloudly\t-\t(AM-MNR*)\n"
SENNA = (
    "The\tDT\tB-NP\tO\t-\tB-A0\t(S(NP*\ndog\tNN\tE-NP\tO\t-\tE-A0\t*)\nbarks\tVBZ\tS-VP\tO\tbarks\tS-V\t(VP*\n"
    "loudly\tRB\tS-ADVP\tO\t-\tS-AM-MNR\t(ADVP*)))\n"
)


def test_both_formats_say_the_same() -> None:
    [conll] = frames.parse(CONLL.splitlines(), frames.CONLL2005)
    [senna] = frames.parse(SENNA.splitlines(), frames.SENNA)
    assert conll.frames[0].roles() == senna.frames[0].roles() == {"A0": (0, 1), "AM-MNR": (3,)}
    assert next((chunk.label, chunk.start, chunk.end) for chunk in senna.chunks) == ("NP", 0, 2)
    assert next(iter(senna.constituents.spans())) == ("S", 0, 4)
    assert frames.format_sentence(conll, frames.CONLL2005) == CONLL
    assert frames.format_sentence(senna, frames.SENNA) == SENNA


@pytest.mark.parametrize(
    ("text", "layout", "message", "line"),
    [
        ("a - (A0*\nb go (V*)\n", frames.CONLL2005, "\\(A0 is never closed", 1),
        ("a - *)\nb go (V*)\n", frames.CONLL2005, "a \\) without its", 1),
        ("a go (V*)\nb - x\n", frames.CONLL2005, "not a bracketed span", 2),
        ("a go (V*)\nb -\n", frames.CONLL2005, "2 columns where the line above has 3", 2),
        ("a - (V*)\n", frames.CONLL2005, "0 predicates but 1 columns", 1),
        ("a\n", frames.CONLL2005, "1 columns where at least 2", 1),
        ("a X Q-NP O - *\n", frames.SENNA, "not a span mark", 1),
    ],
)
def test_errors_name_the_line(text: str, layout: frames.ColumnLayout, message: str, line: int) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        list(frames.parse(text.splitlines(), layout, name="f"))
    assert f"f, line {line}" in str(caught.value)


def test_what_columns_cannot_say_is_refused() -> None:
    twice = Sentence.of(["a", "b"], frames=[Frame(0, "x"), Frame(0, "y")])
    with pytest.raises(InputError, match="two frames with one predicate"):
        frames.format_sentence(twice)
    overlap = Sentence.of(["a", "b"], frames=[Frame(0, "x", (Argument("A0", 0, 2),))])
    with pytest.raises(InputError, match="overlaps"):
        frames.format_sentence(overlap, frames.SENNA)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 3)), max_size=4))
def test_nested_and_disjoint_spans_round_trip(pairs: list[tuple[int, int]]) -> None:
    spans: list[Argument] = []
    for start, length in pairs:
        span = Argument("A0", start, min(start + length, 7))
        if all(a.end <= span.start or span.end <= a.start for a in spans):
            spans.append(span)
    sentence = Sentence.of([*"abcdefgh"], frames=[Frame(7, "go.01", tuple(sorted(spans, key=lambda a: a.start)))])
    [again] = frames.parse(frames.format_sentence(sentence).splitlines())
    assert again.frames == sentence.frames


@given(st.text(alphabet="ab-()*A0 \n", max_size=60))
def test_any_text_gives_sentences_or_our_error(text: str) -> None:
    with contextlib.suppress(DragomanError):
        list(frames.parse(text.split("\n")))


@pytest.mark.slow
def test_propbank_on_the_web_treebank_round_trips(data: Path, tmp_path: Path) -> None:
    file = data / "treebanks" / "srl" / "ewt-props.dev.conll.gz"
    frames.write(frames.read(file, frames.PROPBANK), tmp_path / "again", frames.PROPBANK)
    assert list(read_lines(tmp_path / "again")) == list(read_lines(file))
