from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import SettingError
from dragoman.text.sentences import Breaks, split
from tests.text import nasty

TEXT = "Dr. Ng came. She sat!\n  Wrapped\nline. 你好。我很好！\r\n\r\n\tNew paragraph? Yes. "


def test_lines_are_kept_apart() -> None:
    spans = split(TEXT, "en")
    assert [TEXT[span.start : span.end] for span in spans] == [
        "Dr. Ng came.",
        "She sat!",
        "Wrapped",
        "line.",
        "你好。",
        "我很好！",
        "New paragraph?",
        "Yes.",
    ]
    assert [span.paragraph for span in spans] == [0] * 6 + [1, 1]


def test_wrapped_text_is_read_by_paragraph() -> None:
    texts = [TEXT[span.start : span.end] for span in split(TEXT, "en", breaks="paragraph")]
    assert "Wrapped\nline." in texts
    assert texts[-2:] == ["New paragraph?", "Yes."]


@pytest.mark.slow
@given(
    text=nasty.texts, breaks=st.sampled_from(["line", "paragraph"]), language=st.sampled_from(["en", "de", "zh", "xx"])
)
def test_nothing_but_white_space_lies_between(text: str, breaks: Breaks, language: str) -> None:
    at = 0
    for span in split(text, language, breaks=breaks):
        assert not text[at : span.start].strip()
        sentence = text[span.start : span.end]
        assert sentence == sentence.strip() != ""
        at = span.end
    assert not text[at:].strip()


def test_unknown_breaks_are_refused() -> None:
    with pytest.raises(SettingError, match="one of line, paragraph"):
        split("x", breaks="page")  # type: ignore[arg-type]
