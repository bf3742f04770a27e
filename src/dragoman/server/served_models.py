"""The models that a server has opened: by name, and by the languages that they translate between.

A model is opened once, with all that it will need, and stays as it is: files that are replaced on disk are seen only
when the models are opened again. Two models of the same languages have two names; the first one answers those who name
none.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from dragoman.errors import InputError, SettingError, UnknownName
from dragoman.files import writing
from dragoman.pipeline.learned import LearnedChange, LearnedLayer, learned_folder, with_learned
from dragoman.pipeline.memory import TranslationMemory
from dragoman.pipeline.model import Model
from dragoman.search.glossary import Glossary
from dragoman.server.access import Forbidden
from dragoman.server.language_codes import AUTO, canonical, language_name
from dragoman.text.corpus import Bitext
from dragoman.text.languages import Identified, Identifier, known_languages, primary

__all__ = ["NOT_IN_TERMS", "ServedModel", "ServedModels", "ServingOptions", "UnknownLanguage"]


class UnknownLanguage(UnknownName):
    """A language, or a pair of them, that no model translates; `pair` if each by itself is known."""

    def __init__(self, what: str, *, pair: bool = False, remedy: str = "") -> None:
        super().__init__(what, remedy=remedy)
        self.pair = pair


GLOSSARY = "glossary.tsv"
"""Terms of a model, in the folder of what it has learned."""

NOT_IN_TERMS = r"|\x00-\x1f\x7f-\x9f\u2028\u2029"
"""Signs that mean something in such a file, or nothing at all, for patterns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingOptions:
    """What models may do when they are served."""

    trust_features: bool = False
    learn: bool = False
    step: float = 0.0
    """How far weights may move with a correction."""
    memory: bool = False
    memory_files: tuple[Path, ...] = ()


@dataclass(frozen=True, eq=False)
class ServedModel:
    """A model under its name, and what its files were when it was opened."""

    name: str
    path: Path
    plain: Model
    """As it was opened."""
    opened: str
    fingerprint: str
    layer: LearnedLayer | None = None
    """What it learns, if it may."""
    memory: TranslationMemory | None = None
    """What people wrote before, if that comes first."""
    glossary: Glossary | None = None
    """Terms of everybody."""

    @classmethod
    def open(cls, name: str, path: Path, options: ServingOptions) -> ServedModel:
        """Open a bundle, and read what would otherwise be read at the first request."""
        before = _fingerprint(path)
        plain = Model.open(path, trust_features=options.trust_features)
        _ = plain.preprocessors, plain.confidence
        layer = LearnedLayer(plain, step=options.step) if options.learn else None
        if layer is not None:
            layer.prepare()
        memory = None
        if options.memory:
            memory = TranslationMemory(layer.corrections if layer is not None else LearnedLayer(plain).corrections)
            for file in options.memory_files:
                for pair in Bitext.open(file, languages=plain.languages):
                    memory.add(pair.source, pair.target)
        terms = learned_folder(path) / GLOSSARY
        return cls(
            name,
            path,
            plain if layer is not None else with_learned(plain),
            datetime.now(UTC).isoformat(timespec="seconds"),
            before,
            layer,
            memory,
            Glossary.read(terms) if terms.is_file() else None,
        )

    @property
    def model(self) -> Model:
        """As it is now."""
        return self.layer.model if self.layer is not None else self.plain

    def need_layer(self) -> LearnedLayer:
        """What it learns with; an error if it may not."""
        if self.layer is None:
            raise Forbidden("this server does not learn", remedy="its operator can start it with --learn")
        return self.layer

    def learn(self, source: str, target: str) -> LearnedChange:
        """Learn from a correction, and remember it."""
        change = self.need_layer().learn(source, target)
        if self.memory is not None:
            self.memory.add(source, target)
        return change

    def undo(self) -> LearnedChange:
        """Take the last change back, and forget it."""
        change = self.need_layer().undo()
        if self.memory is not None and change.action == "learn":
            self.memory.forget(change.source, change.target)
        return change

    def remembered(self, text: str, *, markup: bool = False) -> str | None:
        """What somebody wrote before for the same text, or for the same piece of a page."""
        if self.memory is None:
            return None
        return self.memory.exact_markup(text) if markup else self.memory.exact(text)

    def matches(self, text: str, limit: int) -> list[dict[str, Any]]:
        """What somebody wrote before for texts like it, the nearest first; `score` is the share that is the same."""
        if self.memory is None or not limit:
            return []
        return [match.to_dict() for match in self.memory.fuzzy(text, limit=limit)]

    @cached_property
    def source(self) -> str:
        """The language that it reads."""
        return canonical(self.model.languages[0])

    @cached_property
    def target(self) -> str:
        """The language that it writes."""
        return canonical(self.model.languages[1])

    @property
    def changed(self) -> bool:
        """Whether other files lie where it was opened from."""
        return _fingerprint(self.path) != self.fingerprint

    @cached_property
    def size(self) -> int:
        """Bytes of its files; they are mapped, so that what is not used takes no memory."""
        return sum(self.model.bundle.sizes.values())

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.name,
            "source": self.source,
            "target": self.target,
            "kind": str(self.model.bundle.settings["decoder"]),
            "bytes": self.size,
            "opened": self.opened,
            "changed_on_disk": self.changed,
            "confidence": self.model.confidence is not None,
            "learns": self.layer is not None and self.layer.can_learn,
            "memory": len(self.memory) if self.memory is not None else 0,
        }


def _fingerprint(path: Path) -> str:
    try:
        return hashlib.sha256((path / "model.toml").read_bytes()).hexdigest()
    except OSError:
        return ""


class ServedModels:
    """All of them; whoever holds one keeps it, while others are opened in its place."""

    def __init__(self, paths: Sequence[Path | str], options: ServingOptions | None = None) -> None:
        """`NAME=FOLDER`, or just the folder, whose own name it then gets."""
        self._places = _named(paths)
        self.options = options or ServingOptions()
        self._lock = threading.Lock()
        self._models = self._open()

    def _open(self) -> dict[str, ServedModel]:
        return {name: ServedModel.open(name, path, self.options) for name, path in self._places.items()}

    def reload(self) -> list[ServedModel]:
        """Open all again; if one cannot be opened, those that there are stay."""
        with self._lock:
            self._models = self._open()
            self.__dict__.pop("_identifier", None)
        return self.all

    def set_glossary(self, served: ServedModel, glossary: Glossary) -> None:
        """Give a model other terms, from the next request on; they are kept beside it."""
        folder = learned_folder(served.path)
        for form in (form for term in glossary.terms for form in (*term.sources, *term.targets)):
            if re.search(f"[{NOT_IN_TERMS}]", form):
                raise InputError(f"the term {form!r} has a sign that separates terms", remedy="leave it out")
        # A blank before the first sign, so that it does not make a comment of the line.
        lines = [
            "\t".join([" " + "|".join(term.sources), "|".join(term.targets), "hard" if term.hard else "soft"])
            for term in glossary.terms
        ]
        kept = Glossary.parse(lines)  # as it will be read when the model is opened again
        with self._lock:
            folder.mkdir(parents=True, exist_ok=True)
            with writing(folder / GLOSSARY) as file:
                file.writelines(f"{line}\n" for line in lines)
            if self._models.get(served.name) is served:
                self._models = {**self._models, served.name: replace(served, glossary=kept)}

    @property
    def all(self) -> list[ServedModel]:
        """In the order in which they were named."""
        return list(self._models.values())

    @property
    def sources(self) -> dict[str, list[str]]:
        """Languages that can be translated, each with those that it can be translated into."""
        found: dict[str, set[str]] = {}
        for each in self.all:
            found.setdefault(each.source, set()).add(each.target)
        return {source: sorted(targets) for source, targets in sorted(found.items())}

    @property
    def languages(self) -> list[str]:
        """All languages of all models."""
        return sorted({language for each in self.all for language in (each.source, each.target)})

    def named(self, name: str) -> ServedModel:
        """By its name."""
        found = self._models.get(name)
        if found is None:
            raise UnknownName(f"no model is called {name!r}", remedy=f"there are {', '.join(self._models)}")
        return found

    def language(self, code: str) -> str:
        """The language of the models that is meant by a code: itself, or without its region."""
        wanted = canonical(code)
        for tried in (wanted, primary(wanted)):
            if tried in self.languages:
                return tried
        raise UnknownLanguage(f"{code} is not supported", remedy=f"the languages are {', '.join(self.languages)}")

    def translating(self, source: str, target: str) -> ServedModel:
        """The first model between two languages."""
        found = next((each for each in self.all if (each.source, each.target) == (source, target)), None)
        if found is None:
            raise UnknownLanguage(
                f"{language_name(target)} ({target}) is not available as a target language from "
                f"{language_name(source)} ({source})",
                pair=True,
            )
        return found

    def choose(self, *, name: str = "", source: str = "", target: str = "", text: str = "") -> ServedModel:
        """A model by its name, or by languages; a source that is `auto` or not said is guessed from the text."""
        if name:
            return self.named(name)
        wanted = self.language(target) if target else ""
        if source and source != AUTO:
            known = self.language(source)
            if wanted:
                return self.translating(known, wanted)
            fitting = [each for each in self.all if each.source == known]
        else:
            fitting = [each for each in self.all if not wanted or each.target == wanted]
            if len({each.source for each in fitting}) > 1:
                guess = self.guess(text, [each.source for each in fitting])
                fitting = [each for each in fitting if guess and each.source == guess.language] or fitting
        if not fitting:
            raise UnknownLanguage(f"no model translates {source or AUTO} into {target or 'anything'}", pair=True)
        return fitting[0]

    @cached_property
    def _identifier(self) -> tuple[Identifier, dict[str, str]] | None:
        """What tells the languages apart, and their codes by those that it knows."""
        known = set(known_languages())
        codes = {primary(code): code for code in reversed(self.languages) if primary(code) in known}
        codes |= {primary(source): source for source in reversed(self.sources) if primary(source) in known}
        return (Identifier(sorted(codes)), codes) if codes else None

    def _ranked(self, text: str) -> list[Identified]:
        if self._identifier is None:
            return []
        identifier, codes = self._identifier
        found = [each for each in identifier.ranked(text) if each.confidence > 0]
        return [Identified(codes[each.language], each.confidence) for each in found]

    def detect(self, text: str, *, most: int = 3) -> list[Identified]:
        """Languages that a text may be in, of those that are served, the likeliest first."""
        return self._ranked(text)[:most] or [Identified(self.all[0].source, 0.0)]

    def guess(self, text: str, languages: Sequence[str]) -> Identified | None:
        """The likeliest of some languages; None if it is in none of them."""
        return next((each for each in self._ranked(text) if each.language in languages), None)


def _named(paths: Sequence[Path | str]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for each in paths:
        name, equals, folder = str(each).partition("=")
        path = Path(folder if equals else name)
        name = name if equals else path.resolve().name
        if name in found:
            raise SettingError(
                f"two models are called {name!r}", where=str(path), remedy="give one a name of its own: NAME=FOLDER"
            )
        found[name] = path
    if not found:
        raise SettingError("no model to serve", remedy="name the folder of one, as `dragoman train` makes it")
    return found
