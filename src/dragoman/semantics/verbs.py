"""Verb ontologies: which verbs may stand for each other, and why.

Three sources with one question, `related(first, second)`, answered by a reason or None. The same lemma is related to
itself everywhere.

- VerbNet (Kipper et al. 2008): they are members of one class; a member of a subclass is one of the classes above it.
- VerbOcean (Chklovski and Pantel 2004): a line `verb [relation] verb :: score` says so, in either direction.
- WordNet: they share a synonym set, or a direct hypernym with at most 30 hyponyms; one is the direct hypernym of the
  other; or a verb group, entailment or cause links them. Never if one is the antonym of the other.

The cap of 30 keeps general verbs apart: without it, nearly one in ten pairs of frequent verbs would be related.
"""

from __future__ import annotations

import re
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree

from dragoman.errors import FileError, FormatError
from dragoman.files import display_name, read_lines
from dragoman.semantics.wordnet import Synset, WordNet

__all__ = ["SISTERS", "VerbNet", "VerbOcean", "VerbOntology", "WordNetVerbs", "open_ontology"]

SISTERS = 30
"""Verbs under one hypernym are related only if it has at most so many direct hyponyms."""

_OCEAN = re.compile(r"\s*(\S+)\s+\[([^\]]+)\]\s+(\S+)\s*::\s*(\S+)\s*")


class VerbOntology(ABC):
    """Which verbs are related."""

    def related(self, first: str, second: str) -> str | None:
        """Why two lemmas are related; None if they are not."""
        return "same" if first == second else self._related(first, second)

    @abstractmethod
    def _related(self, first: str, second: str) -> str | None: ...


class NoOntology(VerbOntology):
    """Only a verb itself is related to it."""

    def _related(self, first: str, second: str) -> str | None:
        return None


class VerbNet(VerbOntology):
    """Classes of verbs."""

    def __init__(self, classes: Mapping[str, Iterable[str]]) -> None:
        self.classes = {lemma: tuple(sorted(set(names))) for lemma, names in classes.items()}

    @classmethod
    def read(cls, path: Path | str) -> VerbNet:
        """A folder of XML files, or a zip archive of them."""
        found: dict[str, set[str]] = {}
        documents = _xml_files(Path(path))
        for name, text in documents:
            try:
                root = ElementTree.fromstring(text)
            except ElementTree.ParseError as error:
                raise FormatError(f"not XML: {error}", where=name) from None
            if root.tag == "VNCLASS":
                _members(root, (), found)
        if not found:
            raise FormatError("no classes of VerbNet", where=str(path), remedy="give its folder of XML files")
        return cls(found)

    def _related(self, first: str, second: str) -> str | None:
        shared = set(self.classes.get(first, ())) & set(self.classes.get(second, ()))
        return f"verbnet:{min(shared)}" if shared else None


def _xml_files(path: Path) -> list[tuple[str, bytes]]:
    try:
        if path.is_dir():
            return [(file.name, file.read_bytes()) for file in sorted(path.glob("*.xml"))]
        with zipfile.ZipFile(path) as archive:
            return [(name, archive.read(name)) for name in sorted(archive.namelist()) if name.endswith(".xml")]
    except (OSError, zipfile.BadZipFile) as error:
        raise FileError(f"cannot read: {error}", where=str(path), remedy="give a folder or a zip archive") from None


def _members(element: ElementTree.Element, above: tuple[str, ...], found: dict[str, set[str]]) -> None:
    """A member of a subclass is a member of all classes above that have a name of their own."""
    names = (*above, element.get("ID", ""))
    for member in element.findall("./MEMBERS/MEMBER"):
        found.setdefault(member.get("name", "").replace("_", " ").lower(), set()).update(names)
    for below in element.findall("./SUBCLASSES/VNSUBCLASS"):
        _members(below, names, found)


class VerbOcean(VerbOntology):
    """Relations between verbs found on the web."""

    def __init__(self, relations: Mapping[tuple[str, str], str]) -> None:
        self.relations = dict(relations)

    @classmethod
    def read(cls, path: Path | str) -> VerbOcean:
        """Lines of `verb [relation] verb :: score`; `#` starts a remark."""
        found: dict[tuple[str, str], str] = {}
        for number, line in enumerate(read_lines(path), 1):
            if not line.strip() or line.startswith("#"):
                continue
            match = _OCEAN.fullmatch(line)
            if match is None:
                raise FormatError(
                    "not a relation of verbs",
                    where=f"{display_name(path)}, line {number}",
                    remedy="write: verb [relation] verb :: score",
                )
            found.setdefault((match[1].lower(), match[3].lower()), match[2])
        return cls(found)

    def _related(self, first: str, second: str) -> str | None:
        relation = self.relations.get((first, second)) or self.relations.get((second, first))
        return f"verbocean:{relation}" if relation else None


class WordNetVerbs(VerbOntology):
    """Relations that WordNet gives verbs."""

    def __init__(self, wordnet: WordNet | None = None) -> None:
        self._wordnet = wordnet or WordNet.find()
        self._sets = lru_cache(maxsize=2**14)(self._synsets)
        self._answers = lru_cache(maxsize=2**16)(self._answer)

    def _synsets(self, lemma: str) -> tuple[Synset, ...]:
        return tuple(self._wordnet.synsets(lemma, "v"))

    def _related(self, first: str, second: str) -> str | None:
        return self._answers(first, second)

    def _answer(self, first: str, second: str) -> str | None:
        ours, theirs = self._sets(first), self._sets(second)
        places = {one.offset for one in theirs}
        if any(_points(one, places, ("!",)) for one in ours):
            return None
        for one in ours:
            if one.offset in places:
                return "wordnet:synonym"
        above = [{one.offset: _targets(one, ("@",)) for one in side} for side in (ours, theirs)]
        for one in ours:
            if _points(one, places, ("@",)) or any(one.offset in targets for targets in above[1].values()):
                return "wordnet:hypernym"
            if _points(one, places, ("$", "*", ">")):
                return "wordnet:verb group, entailment or cause"
        other = {one.offset for one in ours}
        if any(_points(one, other, ("$", "*", ">")) for one in theirs):
            return "wordnet:verb group, entailment or cause"
        shared = set().union(*above[0].values()) & set().union(*above[1].values())
        if any(len(_targets(self._wordnet.synset("v", place), ("~",))) <= SISTERS for place in shared):
            return "wordnet:sister"
        return None


def _targets(synset: Synset, relations: tuple[str, ...]) -> frozenset[int]:
    return frozenset(p.offset for p in synset.pointers if p.relation in relations and p.part_of_speech == "v")


def _points(synset: Synset, places: set[int], relations: tuple[str, ...]) -> bool:
    return bool(_targets(synset, relations) & places)


def open_ontology(spec: str) -> VerbOntology:
    """`wordnet`, `verbnet:PATH`, `verbocean:PATH`, or `none`."""
    kind, _, path = spec.partition(":")
    if kind == "wordnet":
        return WordNetVerbs()
    if kind == "verbnet":
        return VerbNet.read(path)
    return VerbOcean.read(path) if kind == "verbocean" else NoOntology()
