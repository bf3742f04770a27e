"""Wording: what is written on the assessor's page, in the assessor's language.

Assessors are native speakers of the target language, and instructions in it keep others away (Agirre et al. 2014), so
the texts are data, one file per language in `wordings/`; a language that is not shipped is addressed in English.
Statements, not questions with adjectives for answers: ratings depend on wording, and the two ends of the line must mean
the same for every attribute (Graham et al. 2013).

    >>> wording("fluency", language="en", target="cs").statement
    'the text is fluent Czech'
    >>> wording("similarity", language="es").labels[5]
    'son completamente equivalentes'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from typing import Any

from dragoman.errors import SettingError
from dragoman.plain_data import parse_toml

__all__ = ["Wording", "language_name", "languages", "wording"]


@dataclass(frozen=True, slots=True)
class Wording:
    """The texts of one protocol's pages, with language names filled in.

    `anchors` are the ends of a line; `labels` the points of a scale of categories, lowest first; `source`, `reference`
    and `candidate` head the boxes. `instructions` are paragraphs that may hold `{items}` and `{minutes}`.
    `severities` explains the grades of a marked error by name, `missing` is the mark for something left out.
    """

    language: str
    title: str
    lead_in: str
    statement: str
    anchors: tuple[str, str]
    labels: tuple[str, ...]
    source: str
    reference: str
    candidate: str
    context: str
    not_applicable: str
    instructions: tuple[str, ...]
    missing: str = ""
    severities: Mapping[str, str] | None = None

    def instructions_for(self, *, items: int, minutes: int) -> tuple[str, ...]:
        """The instructions of a task of that size."""
        return tuple(
            text.replace("{items}", str(items)).replace("{minutes}", str(minutes)) for text in self.instructions
        )


@cache
def languages() -> tuple[str, ...]:
    """The languages that pages can be written in."""
    folder = resources.files("dragoman.assessment") / "wordings"
    return tuple(sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml")))


@cache
def texts(language: str) -> dict[str, Any]:
    """The whole file of a language, English for one that is not shipped."""
    name = language.partition("-")[0].partition("_")[0]
    if name not in languages():
        name = "en"
    file = resources.files("dragoman.assessment") / "wordings" / f"{name}.toml"
    found = parse_toml(file.read_text("utf-8"), where=file.name)
    return {**found, "language": name}


def language_name(code: str, *, language: str = "en") -> str:
    """What a language is called in another, for people; its code where neither that nor English knows a name."""
    short = code.partition("-")[0].partition("_")[0]
    names = texts(language)["names"]
    return str(names.get(short) or texts("en")["names"].get(short) or code)


def wording(
    protocol: str,
    *,
    language: str = "",
    source: str = "",
    target: str = "",
    overrides: Mapping[str, Any] | None = None,
) -> Wording:
    """The texts of a protocol.

    `language` is that of the page (by default the target's); `overrides` replaces single texts of `Wording` by name. A
    protocol of the user's own takes what it does not override from the common texts.
    """
    found = texts(language or target or "en")
    spoken = str(found["language"])
    values: dict[str, Any] = {
        "title": "",
        "statement": "",
        **found["common"],
        **found.get(protocol, {}),
        **(overrides or {}),
    }
    known = {field.name for field in fields(Wording)}
    if unknown := set(values) - known:
        raise SettingError(
            f"no text is called {sorted(unknown)[0]!r}", remedy=f"choose from {', '.join(sorted(known))}"
        )
    names = {
        "{source}": language_name(source, language=spoken) if source else "",
        "{target}": language_name(target, language=spoken) if target else "",
    }

    def filled(value: Any) -> Any:
        if isinstance(value, str):
            for mark, name in names.items():
                value = value.replace(mark, name)
            return value
        if isinstance(value, Mapping):
            return {key: filled(inner) for key, inner in value.items()}
        return tuple(filled(inner) for inner in value)

    values = {name: filled(value) for name, value in values.items() if name != "language"}
    return Wording(language=spoken, **values)
