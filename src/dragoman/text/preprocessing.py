"""Settings of a preprocessor, and their file.

They are values, separate from the models they call for, so that the two sides of a model can be described, compared and
stored before anything is trained.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dragoman.errors import FileError, FormatError, SettingError, UnknownName
from dragoman.files import writing
from dragoman.plain_data import read_toml
from dragoman.settings import Settings, setting
from dragoman.text.pieces import Pieces
from dragoman.text.placeholders import KINDS
from dragoman.text.segmenting import Segmentation
from dragoman.text.sentences import Breaks

__all__ = ["Case", "Preprocessing"]

Case = Literal["truecase", "lowercase", "keep"]

_FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Preprocessing(Settings):
    """Settings of a preprocessor."""

    language: str = setting("en", "Of the text.")
    tokenize: bool = setting(
        True, "Switch it off for text that is tokenised already: it is cut at white space and joined by blanks."
    )
    normalize: bool = setting(True, "Write punctuation in one way before it is cut off.")
    aggressive_dash_splits: bool = setting(False, "Cut words at every dash.")
    escape: bool = setting(False, "Write characters that are special to Moses as it does.")
    case: Case = setting("truecase", "What becomes of capital letters.")
    segment: Segmentation = setting(
        "auto",
        "What text without blanks between words is cut into: words, characters, or nothing; `auto` is words for "
        "languages that are written so.",
    )
    mixed_blanks: bool = setting(True, "Such text has blanks beside Latin letters and digits; training looks at it.")
    pieces: Pieces = setting("words", "What words are cut into: see `dragoman.text.pieces`.")
    subwords: int = setting(8000, "Subwords to learn, if words are cut into these.", least=8)
    split: bool = setting(False, "Find sentences within lines; without it every line is one.")
    breaks: Breaks = setting("line", "What ends a sentence in any case.")
    protect: tuple[str, ...] = setting(tuple(KINDS), "What is not translated.", choices=KINDS)
    terms: tuple[str, ...] = setting((), "Words and phrases that are not translated.")
    patterns: tuple[str, ...] = setting((), "Regular expressions of what is not translated.")

    def save(self, path: Path | str) -> None:
        """Write the settings as TOML."""
        import tomli_w

        with writing(path) as file:
            file.write(tomli_w.dumps({"format": _FORMAT, **self.to_dict()}))

    @classmethod
    def load(cls, path: Path | str) -> Preprocessing:
        """Read what `save` wrote."""
        remedy = "copy or train the model again"
        try:
            values = read_toml(path, remedy=remedy)
        except FileError:
            raise FormatError("not a preprocessor: its settings are missing", where=str(path), remedy=remedy) from None
        found = values.pop("format", None)
        if found != _FORMAT:
            raise FormatError(
                f"preprocessor format {found!r}, this dragoman reads format {_FORMAT}",
                where=str(path),
                remedy="install the version of dragoman that made it, or train again",
            )
        try:
            return cls.from_dict(values)
        except (SettingError, UnknownName) as error:
            raise FormatError(f"damaged: {error.what}", where=str(path), remedy=remedy) from None
