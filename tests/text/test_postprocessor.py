"""The learned post-processor: its labels undo anything, and a field learns them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import FormatError, InputError
from dragoman.text.postprocessor import LearnedPostprocessor, letter_labels, relabelled

TEXT = st.text(alphabet="aAbß ,.+é", max_size=12)


@given(TEXT, TEXT)
def test_labels_make_the_raw_text(prepared: str, raw: str) -> None:
    assert relabelled(prepared, letter_labels(prepared, raw)) == raw


def test_a_field_learns_case_and_spacing(tmp_path: Path) -> None:
    words = ["the", "house", "sleeps", "a", "dog", "sees", "Anna", "Berlin"]
    raw = []
    for seed in range(120):
        chosen = [words[(seed * k + k) % len(words)] for k in range(1, 5)]
        text = f"{chosen[0]} {chosen[1]}, {chosen[2]} {chosen[3]}."
        raw.append(text[:1].upper() + text[1:])

    def prepare(lines: list[str]) -> list[str]:
        return [line.lower().replace(",", " ,").replace(".", " .") for line in lines]

    made = LearnedPostprocessor.train(raw[:100], prepare, iterations=40)  # type: ignore[arg-type]
    restored = made.apply(prepare(raw[100:]))
    assert sum(one == other for one, other in zip(restored, raw[100:], strict=True)) >= 18
    made.save(tmp_path / "post")
    assert LearnedPostprocessor.open(tmp_path / "post").apply(["a dog ."]) == made.apply(["a dog ."])
    assert made.apply([""]) == [""]


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(b"nonsense")
    with pytest.raises(FormatError):
        LearnedPostprocessor.open(tmp_path / "bad")
    with pytest.raises(InputError):
        LearnedPostprocessor.train_on([("", "")])
