"""A bitext from Debian's package descriptions.

Volunteers of the Debian Description Translation Project translate the descriptions of packages, and the archive carries
the results as `Translation-XX` indices. Each description is named by the MD5 sum of its English original, so original
and translation find each other exactly; descriptions with the same number of paragraphs pair up paragraph by paragraph.
All packages built from one source package say much the same, therefore train, dev and test are cut by source package.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dragoman.errors import FileError, FormatError, InputError, MissingDependency, SettingError
from dragoman.files import read_lines
from dragoman.progress import ProgressCallback, tracked
from dragoman.text.apt import Apt
from dragoman.text.catalog import Card, Collection, Order, Origin, removed_counts
from dragoman.text.checks import CleaningLimits, whitespace
from dragoman.text.cleaning import Cleaning
from dragoman.text.composing import nfc
from dragoman.text.corpus import Bitext, Corpus, SegmentPair
from dragoman.text.formats import language_pair
from dragoman.text.heldout import hold_out, usual_size

__all__ = ["DebianDescriptions", "Indices", "paragraphs", "read_stanzas"]

_REGIONAL = {"zh": "zh_CN and zh_TW", "pt": "pt_BR"}
"""Languages of which most is under a code with a region."""

_CHECKS = ("empty", "control", "identical", "length", "ratio", "untranslated", "marker")


def read_stanzas(path: Path) -> Iterator[dict[str, str]]:
    """The stanzas of a control file: fields by name; in a continued field, lines keep all but the first blank."""
    stanza: dict[str, list[str]] = {}
    current: list[str] | None = None
    with _readable(path) as readable:
        for number, line in enumerate(read_lines(readable), start=1):
            if not line.strip(" \t"):  # a no-break space is text, and stands alone on a line here and there
                if stanza:
                    yield {name: "\n".join(lines) for name, lines in stanza.items()}
                stanza, current = {}, None
            elif line[0] in " \t":
                if current is None:
                    raise FormatError("a continued line without a field before it", where=f"{path}, line {number}")
                current.append(line[1:])
            else:
                name, colon, value = line.partition(":")
                if not colon:
                    raise FormatError("a line that is no field", where=f"{path}, line {number}")
                current = stanza[name] = [value.strip()]
    if stanza:
        yield {name: "\n".join(lines) for name, lines in stanza.items()}


@contextmanager
def _readable(path: Path) -> Iterator[Path]:
    """The file itself, or a copy unpacked by apt's own helper where Python cannot (lz4, zstd)."""
    if path.suffix not in {".lz4", ".zst"}:
        yield path
        return
    helper = shutil.which("apt-helper", path="/usr/lib/apt:/usr/libexec/apt")
    if helper is None:
        raise MissingDependency("apt-helper is not installed", where=str(path), remedy="unpack the file first")
    with tempfile.TemporaryDirectory(prefix="dragoman-") as folder:
        copy = Path(folder) / path.stem
        with copy.open("wb") as file:
            done = subprocess.run([helper, "cat-file", str(path)], stdout=file, stderr=subprocess.PIPE, check=False)
        if done.returncode:
            raise FileError("damaged or truncated", where=str(path), remedy="copy the file again")
        yield copy


_NO_BREAK_SIGN = "\u22c5"
"""How some translations, the French above all, show their no-break spaces."""

_MARKER = re.compile(r"(?:[-*+•·–—−]|o(?=\s)|\(?\d{1,2}[.)])\s*")


def paragraphs(description: str) -> list[str]:
    """Short description, paragraphs, and each item of a list (or line of verbatim text), as a description is displayed.

    >>> paragraphs("short\\nOne line\\nand more.\\n.\\n * an item\\n   that goes on\\n * another")
    ['short', 'One line and more.', '* an item that goes on', '* another']
    """
    short, *body = description.split("\n")
    found: list[list[str]] = [[short]]
    indent: int | None = None  # of the list item that is open; None in a paragraph
    fresh = True
    for line in body:
        text = line.strip()
        if text in {".", ""}:
            fresh = True
            continue
        depth = len(line) - len(line.lstrip())
        if depth == 0:
            begins = fresh or indent is not None
            indent = None
        else:
            begins = fresh or indent is None or depth <= indent or _MARKER.match(text) is not None
            indent = depth if begins else indent
        if begins:
            found.append([])
        found[-1].append(text)
        fresh = False
    return [" ".join(lines) for lines in found]


@dataclass(frozen=True, slots=True)
class Indices:
    """The files that a bitext is made from."""

    english: tuple[Path, ...]
    translated: tuple[Path, ...]
    packages: tuple[Path, ...]
    release: str = ""

    @classmethod
    def fetch(
        cls, language: str, *, cache: Path | None, progress: ProgressCallback | None
    ) -> tuple[Indices, list[str]]:
        """From the archive, by apt; with remarks about what did not go well."""
        apt = Apt(cache, progress=progress)
        found = [index for index in apt.update(["en", language]) if index.component == "main"]
        releases = {index.release for index in found if index.language == language}
        if not releases:
            raise InputError(f"the archive has no descriptions in {language!r}", remedy="see `dragoman corpus list`")
        here = [index for index in found if index.release in releases]
        versions = sorted({f"{index.origin} {index.version} ({index.release}), main" for index in here})
        notes = []
        if apt.complaints:
            notes.append(
                "some indices could not be fetched anew; copies from an earlier time were used where there were any"
            )
        return cls(
            tuple(index.path for index in here if index.language == "en"),
            tuple(index.path for index in here if index.language == language),
            tuple(index.path for index in here if index.kind == "Packages"),
            ", ".join(versions),
        ), notes

    @classmethod
    def find(cls, folder: Path, language: str) -> Indices:
        """In a folder that has them, such as `/var/lib/apt/lists`, however packed."""
        if not folder.is_dir():
            raise FileError("no such folder", where=str(folder))
        files = sorted(path for path in folder.rglob("*") if path.is_file())

        def named(what: str) -> tuple[Path, ...]:
            pattern = re.compile(rf"(?:.*[_-])?{re.escape(what)}(?:\.(?:gz|xz|bz2|lz4|zst))?")
            found = tuple(path for path in files if pattern.fullmatch(path.name))
            if not found:
                raise FileError(f"no {what} index here", where=str(folder), remedy=f"it has a name that ends in {what}")
            return found

        return cls(named("Translation-en"), named(f"Translation-{language}"), named("Packages"), folder.name)

    def origins(self) -> list[Origin]:
        """What they are, for the record; without the names of mirrors."""
        return [
            Origin.of(path, re.sub(r"^.*(?=Translation-|Packages)", "", path.name), self.release)
            for path in (*self.english, *self.translated, *self.packages)
        ]


class DebianDescriptions(Collection):
    """Descriptions of Debian packages, English and one of some thirty languages, with monolingual English."""

    languages = "en with it, da, fr, de, sk, ja, pt_BR, uk, ru, ko, pl, es, cs, pt, zh_CN (by size), or a smaller one"
    license = (
        "Descriptions carry the free licences of their packages; the Debian Description Translation Project states no "
        "other licence for the translations."
    )
    example = "debian en-it -o debian-en-it"

    def build(self, order: Order, folder: Path) -> Card:
        language = self._language(order)
        notes: list[str] = []
        if order.origin is not None:
            indices = Indices.find(order.origin, language)
        else:
            indices, notes = Indices.fetch(language, cache=order.cache, progress=order.progress)
        sources = _source_packages(indices.packages, order.progress)
        english = _descriptions(indices.english, "en", order.progress)
        translated = _descriptions(indices.translated, language, order.progress)
        cleaning = Cleaning(_pairs(english, translated, sources), checks=_CHECKS, limits=CleaningLimits(max_words=150))
        pairs = list(tracked(cleaning, "pairing paragraphs", order.progress))
        if not pairs:
            raise InputError(f"no description is in both English and {language!r}")
        removed = removed_counts(cleaning.report.to_dict())
        removed |= _write(pairs, _english_paragraphs(english, sources), language, folder, seed=order.seed)
        if language in _REGIONAL:
            regions = _REGIONAL[language]
            notes.append(
                f"{len(pairs):,} pairs are in {language!r}; the archive has more in {regions}: "
                f"ask for en-{regions.split()[0]}"
            )
        notes.append("dev and test: paragraphs of 3 to 60 words that no other source package has, one split per source")
        return Card(
            collection="debian",
            title=f"Debian package descriptions, English and {language}",
            languages=["en", language],
            license=self.license,
            seed=order.seed,
            origins=indices.origins(),
            removed=removed,
            notes=notes,
        )

    def _language(self, order: Order) -> str:
        if len(order.languages) != 1:
            raise SettingError("one pair is wanted", remedy=f"as in `dragoman corpus get {self.example}`")
        source, target = language_pair(order.languages[0])
        if source != "en":
            raise SettingError(f"{order.languages[0]!r} does not begin with English", remedy=f"try `en-{source}`")
        return target


def _source_packages(paths: Sequence[Path], progress: ProgressCallback | None) -> dict[str, str]:
    """The source package that each package is built from, where it has another name."""
    sources: dict[str, str] = {}
    for path in paths:
        for stanza in tracked(read_stanzas(path), "reading packages", progress):
            if "Source" in stanza and "Package" in stanza:
                sources[stanza["Package"]] = stanza["Source"].partition(" ")[0]
    return sources


def _descriptions(
    paths: Sequence[Path], language: str, progress: ProgressCallback | None
) -> dict[str, tuple[str, str]]:
    """Package and description by checksum."""
    found: dict[str, tuple[str, str]] = {}
    for path in paths:
        for stanza in tracked(read_stanzas(path), f"reading {language}", progress):
            try:
                entry = stanza["Package"], stanza[f"Description-{language}"]
                found.setdefault(stanza["Description-md5"], entry)
            except KeyError as error:
                raise FormatError(
                    f"a stanza without {error.args[0]}", where=str(path), remedy="is it a Translation index?"
                ) from None
    return found


def _pairs(
    english: dict[str, tuple[str, str]], translated: dict[str, tuple[str, str]], sources: dict[str, str]
) -> Iterator[SegmentPair]:
    for digest, (package, original) in english.items():
        if digest not in translated:
            continue
        ours, theirs = paragraphs(original), paragraphs(translated[digest][1])
        if len(ours) == len(theirs):
            facts = {"package": package, "source": sources.get(package, package)}
            for source, target in zip(ours, theirs, strict=True):
                yield SegmentPair(source, target.replace(_NO_BREAK_SIGN, " "), (), facts)


def _english_paragraphs(english: dict[str, tuple[str, str]], sources: dict[str, str]) -> dict[tuple[str, str], None]:
    """All (source package, paragraph) in English, translated or not, once and in order."""
    return dict.fromkeys(
        (sources.get(package, package), nfc(whitespace(text)))
        for package, description in english.values()
        for text in paragraphs(description)
    )


def _write(
    pairs: Sequence[SegmentPair], english: dict[tuple[str, str], None], language: str, folder: Path, *, seed: int
) -> dict[str, int]:
    """Split by source package and write the files; gives what was left out in doing so."""
    parts = hold_out(
        [pair.metadata["source"] for pair in pairs],
        [pair.source for pair in pairs],
        size=usual_size(len(pairs)),
        seed=seed,
        others=english,
    )
    unique = Cleaning([pairs[row] for row in parts.train], checks=["duplicate"], fixes=[])
    train = list(unique)
    Bitext.of(train).write(folder / "train.en.gz", folder / f"train.{language}.gz")
    for name, rows in (("dev", parts.dev), ("test", parts.test)):
        chosen = [pairs[row] for row in rows]
        Bitext.of(chosen).write(folder / f"{name}.en", folder / f"{name}.{language}")
        Corpus.of(pair.metadata["package"] for pair in chosen).write(folder / f"{name}.package")
    translated = {pair.source for pair in train}
    more = dict.fromkeys(
        text for group, text in english if text and group not in parts.groups and text not in translated
    )
    Corpus.of(more).write(folder / "mono.en.gz")
    removed = removed_counts(unique.report.to_dict())
    removed["rest of held-out packages"] = len(pairs) - sum(map(len, (parts.train, parts.dev, parts.test)))
    return removed
