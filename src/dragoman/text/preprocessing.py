"""Settings of a preprocessor, and their file.

They are values, separate from the models they call for, so that the two sides of a model can be described, compared and
stored before anything is trained.
"""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from dragoman.errors import FormatError, SettingError
from dragoman.files import writing
from dragoman.text.placeholders import DEFAULT_KINDS
from dragoman.text.sentences import Breaks

__all__ = ["Case", "Preprocessing"]

Case = Literal["truecase", "lowercase", "keep"]

_FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Preprocessing:
    """Settings of a preprocessor.

    `tokenize=False` is for text that is tokenised already: it is cut at white space and joined by blanks, nothing else.
    `split` finds sentences within lines; without it every line is one. `breaks` says what ends a sentence in any case.
    `subwords` is the number of pieces to learn, 0 for whole words. `protect` names kinds of `placeholders.KINDS`;
    `terms` and `patterns` are a user's own list of what is not translated.
    """

    language: str = "en"
    tokenize: bool = True
    normalize: bool = True
    aggressive_dash_splits: bool = False
    escape: bool = False
    case: Case = "truecase"
    subwords: int = 0
    split: bool = False
    breaks: Breaks = "line"
    protect: tuple[str, ...] = DEFAULT_KINDS
    terms: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, choices in (("case", get_args(Case)), ("breaks", get_args(Breaks))):
            if getattr(self, name) not in choices:
                raise SettingError(
                    f"{name} cannot be {getattr(self, name)!r}", remedy=f"choose from {', '.join(choices)}"
                )
        if self.subwords < 0:
            raise SettingError(f"subwords cannot be {self.subwords}", remedy="use 0 for whole words")

    def save(self, path: Path | str) -> None:
        """Write the settings as TOML."""
        import tomli_w

        with writing(path) as file:
            file.write(tomli_w.dumps({"format": _FORMAT, **asdict(self)}))

    @classmethod
    def load(cls, path: Path | str) -> Preprocessing:
        """Read what `save` wrote."""
        remedy = "copy or train the model again"
        try:
            values: dict[str, Any] = tomllib.loads(Path(path).read_text("utf-8"))
        except OSError:
            raise FormatError("not a preprocessor: its settings are missing", where=str(path), remedy=remedy) from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise FormatError(f"damaged: {error}", where=str(path), remedy=remedy) from None
        found = values.pop("format", None)
        if found != _FORMAT:
            raise FormatError(
                f"preprocessor format {found!r}, this dragoman reads format {_FORMAT}",
                where=str(path),
                remedy="install the version of dragoman that made it, or train again",
            )
        known: dict[str, Any] = {field.name: type(field.default) for field in fields(cls)}
        settings: dict[str, Any] = {}
        for name, value in values.items():
            if name not in known:
                raise FormatError(f"damaged: unknown setting {name!r}", where=str(path), remedy=remedy)
            wanted = list if known[name] is tuple else known[name]
            items = value if isinstance(value, list) else []
            if type(value) is not wanted or not all(isinstance(item, str) for item in items):
                raise FormatError(f"damaged: the value of {name!r}", where=str(path), remedy=remedy)
            settings[name] = tuple(value) if isinstance(value, list) else value
        try:
            return cls(**settings)
        except SettingError as error:
            raise FormatError(f"damaged: {error.what}", where=str(path), remedy=remedy) from None
