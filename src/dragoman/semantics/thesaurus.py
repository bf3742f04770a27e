"""Thesauri: words grouped by meaning, one group a coarse sense.

A word stands in as many groups as it has senses. Readers: two columns (group, tab, term), the MyThes files of
LibreOffice, the data of Aiksaurus (Debian's `libaiksaurus-1.2-data`), the Moby thesaurus (one group per head word, so
not divided by sense) and WordNet (sets merged below a depth of the hierarchy, or by the files of its lexicographers).
None of their data comes with this package.

    >>> thesaurus = Thesaurus({"FINANCE": ["bank", "loan"], "RIVER": ["bank", "shore"]})
    >>> thesaurus.senses("bank")
    ('FINANCE', 'RIVER')
"""

from __future__ import annotations

import struct
import unicodedata
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path

from dragoman.errors import EncodingError, FileError, FormatError, InputError, MissingDependency, SettingError
from dragoman.files import display_name, read_lines
from dragoman.semantics.wordnet import WordNet
from dragoman.settings import check_argument

__all__ = ["THESAURUS_FORMATS", "Thesaurus"]

THESAURUS_FORMATS = ("tsv", "mythes", "aiksaurus", "moby", "wordnet")

_AIKSAURUS = "/usr/share/aiksaurus"
_END = 0xFFFF


class Thesaurus:
    """Groups of terms; terms are in lower case and composed form (NFC), and may have several words."""

    def __init__(self, groups: Mapping[str, Iterable[str]]) -> None:
        self._members: dict[str, tuple[str, ...]] = {}
        senses: dict[str, list[str]] = {}
        empty = []
        for name, terms in groups.items():
            members = tuple(dict.fromkeys(filter(None, map(_normal, terms))))
            if not members:
                empty.append(name)
                continue
            self._members[name] = members
            for term in members:
                senses.setdefault(term, []).append(name)
        self._senses = {term: tuple(names) for term, names in senses.items()}
        if empty:
            warnings.warn(f"{len(empty)} groups of the thesaurus are empty, the first is {empty[0]!r}", stacklevel=2)
        if not self._members:
            raise InputError("a thesaurus without groups", remedy="check its format")

    @property
    def groups(self) -> tuple[str, ...]:
        return tuple(self._members)

    @property
    def terms(self) -> tuple[str, ...]:
        return tuple(self._senses)

    def senses(self, term: str) -> tuple[str, ...]:
        """The groups that a term is in; none for a term that the thesaurus does not have."""
        return self._senses.get(_normal(term), ())

    def members(self, group: str) -> tuple[str, ...]:
        return self._members[group]

    def __contains__(self, term: str) -> bool:
        return _normal(term) in self._senses

    def __len__(self) -> int:
        return len(self._members)

    def __repr__(self) -> str:
        return f"Thesaurus({len(self._members):,} groups, {len(self._senses):,} terms)"

    @classmethod
    def open(cls, path: Path | str | None = None, *, format: str = "tsv") -> Thesaurus:  # noqa: A002
        """Read a thesaurus; Aiksaurus and WordNet are looked for where Debian puts them when no path is given."""
        check_argument("format", format, choices=THESAURUS_FORMATS)
        if format == "wordnet":
            return cls.from_wordnet(WordNet.find(path))
        if format == "aiksaurus":
            return cls.read_aiksaurus(path)
        if path is None:
            raise SettingError(f"a thesaurus of format {format!r} needs a path", remedy="name its file")
        readers = {"tsv": cls.read_tsv, "mythes": cls.read_mythes, "moby": cls.read_moby}
        return readers[format](path)

    @classmethod
    def read_tsv(cls, path: Path | str) -> Thesaurus:
        """Lines of group, tab, term; lines that start with `#` are remarks."""
        groups: dict[str, list[str]] = {}
        for number, line in enumerate(read_lines(path), 1):
            if not line.strip() or line.startswith("#"):
                continue
            name, tab, term = line.partition("\t")
            if not tab or not name.strip() or not term.strip():
                raise FormatError("not a group, a tab and a term", where=f"{display_name(path)}, line {number}")
            groups.setdefault(name.strip(), []).append(term)
        return cls(groups)

    @classmethod
    def read_mythes(cls, path: Path | str) -> Thesaurus:
        """The `.dat` file of a MyThes thesaurus: each meaning of each entry is a group."""
        try:
            raw = Path(path).read_bytes()
        except OSError as error:
            raise FileError(
                f"cannot read: {error.strerror}", where=str(path), remedy="apt-get install mythes-de (or -es, -fr, ...)"
            ) from None
        encoding = raw.partition(b"\n")[0].decode("ascii", "replace").strip()
        try:
            lines = raw.decode(encoding).splitlines()
        except (LookupError, UnicodeDecodeError) as error:
            raise EncodingError(f"not the encoding that its first line names: {error}", where=str(path)) from None
        groups: dict[str, list[str]] = {}
        at = 1
        while at < len(lines):
            head, _, count = lines[at].rpartition("|")
            if not head or not count.strip().isdigit() or at + int(count) >= len(lines):
                raise FormatError("not a term and the number of its meanings", where=f"{path}, line {at + 1}")
            for number in range(int(count)):
                terms = [part for part in lines[at + 1 + number].split("|")[1:] if not part.startswith("(")]
                bare = [term.partition(" (")[0] for term in terms]
                groups[f"{head}.{number + 1}"] = [head, *bare]
            at += 1 + int(count)
        return cls(groups)

    @classmethod
    def read_moby(cls, path: Path | str) -> Thesaurus:
        """One line per head word: its related words between commas."""
        groups: dict[str, list[str]] = {}
        for number, line in enumerate(read_lines(path), 1):
            terms = [term for term in line.split(",") if term.strip()]
            if line.strip() and len(terms) < 2:
                raise FormatError("not words between commas", where=f"{display_name(path)}, line {number}")
            if terms:
                groups.setdefault(terms[0].strip(), []).extend(terms)
        return cls(groups)

    @classmethod
    def read_aiksaurus(cls, folder: Path | str | None = None) -> Thesaurus:
        """The two data files of Aiksaurus: terms with numbers of groups, and groups with numbers of terms."""
        place = Path(folder or _AIKSAURUS)
        files = [place / "words.dat", place / "meanings.dat"]
        if not all(file.is_file() for file in files):
            raise MissingDependency(
                f"no Aiksaurus data in {place}", remedy="apt-get install libaiksaurus-1.2-data, or name its folder"
            )
        words, meanings = (file.read_bytes() for file in files)
        terms: list[str] = []
        at = 0
        while at < len(words):
            end = words.find(b"\0", at)
            if end < 0:
                raise FormatError("a term without an end", where=f"{files[0]}, byte {at}")
            terms.append(words[at:end].decode("latin-1").replace(":", " "))
            at = end + 1
            while _number(words, at, files[0]) != _END:
                at += 2
            at += 2
        groups: dict[str, list[str]] = {}
        group: list[str] = []
        for at in range(0, len(meanings) - 1, 2):
            number = _number(meanings, at, files[1])
            if number == _END:
                if group:
                    groups[f"{len(groups) + 1} {group[0]}"] = group
                group = []
            elif number >= len(terms):
                raise FormatError(f"term {number} of {len(terms)}", where=f"{files[1]}, byte {at}")
            else:
                group.append(terms[number])
        return cls(groups)

    @classmethod
    def from_wordnet(cls, wordnet: WordNet, *, depth: int | None = 5) -> Thesaurus:
        """Nouns and verbs grouped by their hypernym at a depth below the top, or by lexicographers' file (None)."""
        if depth is not None:
            check_argument("depth", depth, int, least=0)
        groups: dict[str, list[str]] = {}
        paths: dict[tuple[str, int], tuple[tuple[str, int], ...]] = {}

        def path(synset: tuple[str, int]) -> tuple[tuple[str, int], ...]:
            """From the top down to a set, over the first hypernym of each."""
            if synset not in paths:
                above = wordnet.hypernyms(*synset)
                paths[synset] = (*(path(above[0]) if above else ()), synset)
            return paths[synset]

        for pos in ("n", "v"):
            for lemma in wordnet.lemmas(pos):
                for offset in wordnet.offsets(lemma, pos):
                    if depth is None:
                        name = f"{pos}{wordnet.synset(pos, offset).lexicographer:02d}"
                    else:
                        chain = path((pos, offset))
                        at = chain[min(depth, len(chain) - 1)]
                        name = f"{wordnet.synset(*at).lemmas[0]}.{at[0]}{at[1]:08d}"
                    groups.setdefault(name, []).append(lemma)
        return cls(groups)


def _normal(term: str) -> str:
    return " ".join(unicodedata.normalize("NFC", term.lower()).split())


def _number(data: bytes, at: int, file: Path) -> int:
    if at + 2 > len(data):
        raise FormatError("breaks off", where=f"{file}, byte {at}", remedy="install it again")
    found: int = struct.unpack_from(">H", data, at)[0]
    return found
