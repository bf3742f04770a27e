"""A multi-parallel corpus from the help pages of LibreOffice.

The help is written in English and translated paragraph by paragraph into many languages; Debian packages it as one HTML
page per topic in which every paragraph keeps its identifier. Paragraphs of the same page and identifier belong
together, in as many languages as are asked for. Texts that differ by operating system appear once for each; the general
one is taken. Train, dev and test are cut by page.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from lxml import etree

from dragoman.errors import FileError, FormatError, InputError, MissingDependency, SettingError
from dragoman.progress import tracked
from dragoman.text.apt import Apt
from dragoman.text.catalog import Card, Collection, Order, Origin
from dragoman.text.checks import CHECKS, CleaningLimits, whitespace
from dragoman.text.composing import nfc
from dragoman.text.corpus import Corpus
from dragoman.text.heldout import hold_out, usual_size

__all__ = ["HelpPage", "LibreOfficeHelp", "read_page", "read_pages"]

ENGLISH = "en-us"
_ID = re.compile(r"(?:par|hd|tit)_id\w+")
_SYSTEMS = {"MAC", "UNIX", "WIN"}
_PAGE = re.compile(r"(?:^|/)help/[A-Za-z-]+/(text/.+)\.html$")
_COPYRIGHT = re.compile(r"(?:^|/)doc/[^/]+/copyright$")
_CHECKS = ("control", "identical", "length", "ratio", "symbols", "untranslated", "marker")
_MAX_PAGE_BYTES = 16 * 2**20


@dataclass(frozen=True, slots=True)
class HelpPage:
    """A page by its path below `help/LANGUAGE/`, with its paragraphs by identifier and number of occurrence."""

    name: str
    paragraphs: Mapping[tuple[str, int], str]


def read_page(raw: bytes, name: str) -> HelpPage:
    """The paragraphs of one HTML page."""
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(raw, parser)
    except etree.XMLSyntaxError as error:
        raise FormatError(f"not HTML: {error.msg}", where=name) from None
    found: dict[tuple[str, int], str] = {}
    for element in root.iter("p", "h1", "h2", "h3", "h4", "h5", "h6") if root is not None else ():
        identifier = element.get("id", "")
        if _ID.fullmatch(identifier):
            number = 0
            while (identifier, number) in found:
                number += 1
            found[identifier, number] = nfc(whitespace("".join(_texts(element))))
    return HelpPage(name, found)


def _texts(element: Any) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.get("class") not in _SYSTEMS and child.tag not in {"script", "style"}:
            yield from _texts(child)
        yield " " if child.tag == "br" else ""
        yield child.tail or ""


def read_pages(path: Path, language: str) -> Iterator[tuple[str, bytes]]:
    """Files of a help package (a `.deb`, or a folder where one is unpacked) by path, pages and copyright only."""
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            if file.is_file() and _wanted(file.as_posix(), language):
                yield file.as_posix(), file.read_bytes()
        return
    program = shutil.which("dpkg-deb")
    if program is None:
        raise MissingDependency("dpkg-deb is not installed", where=str(path), remedy="unpack the package first")
    with subprocess.Popen(
        [program, "--fsys-tarfile", str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        try:
            assert process.stdout is not None
            with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
                for member in archive:
                    if member.isfile() and member.size <= _MAX_PAGE_BYTES and _wanted(member.name, language):
                        content = archive.extractfile(member)
                        assert content is not None
                        yield member.name, content.read()
            process.stdout.read()
            if process.wait() != 0:
                raise tarfile.ReadError("it ends too early")
        except (tarfile.TarError, EOFError, OSError) as error:
            raise FileError(f"not a package, or damaged: {error}", where=str(path), remedy="copy it again") from None
        finally:
            process.kill()


def _wanted(name: str, language: str) -> bool:
    parts = PurePosixPath(name.lower()).parts
    return bool(_PAGE.search(name) and language.lower() in parts) or bool(
        _COPYRIGHT.search(name) and f"libreoffice-help-{language.lower()}" in parts
    )


class LibreOfficeHelp(Collection):
    """Help pages of LibreOffice, English and any number of some thirty languages, multi-parallel."""

    languages = "en with one or more of ca cs da de el es et eu fi fr gl hi hu id it ja ko nl pl pt-br ru sk sl sv ..."
    license = (
        "Mozilla Public License 2.0, with parts under the Apache License 2.0 (copyright 2000, 2010 LibreOffice "
        "contributors, Oracle and their affiliates); the packages' own statement is in the file `copyright`."
    )
    example = "libreoffice-help de fr -o libreoffice-help"

    def build(self, order: Order, folder: Path) -> Card:
        codes = self._codes(order)
        packages = self._packages(codes, order)
        pages: list[dict[str, HelpPage]] = []
        statement = b""
        for code, package in packages.items():
            pages.append({})
            for name, raw in tracked(read_pages(package, code), f"reading {code}", order.progress, every=50):
                page = _PAGE.search(name)
                if page is None:
                    statement = statement or raw
                else:
                    pages[-1][page[1]] = read_page(raw, name)
            if not pages[-1]:
                raise InputError(f"no help pages in {code!r}", where=str(package))
        rows = list(_rows(pages))
        kept, removed = _cleaned(rows)
        if not kept:
            raise InputError(f"no paragraph is in all of {', '.join(codes)}")
        parts = hold_out(
            [row.page for row in kept], [row.texts[0] for row in kept], size=usual_size(len(kept)), seed=order.seed
        )
        removed["rest of held-out pages"] = len(kept) - sum(map(len, (parts.train, parts.dev, parts.test)))
        names = ["en", *codes[1:]]
        for name, numbers, suffix in (
            ("train", parts.train, ".gz"),
            ("dev", parts.dev, ""),
            ("test", parts.test, ""),
        ):
            for column, code in enumerate(names):
                Corpus.of(kept[number].texts[column] for number in numbers).write(folder / f"{name}.{code}{suffix}")
            Corpus.of(kept[number].page for number in numbers).write(folder / f"{name}.page{suffix}")
        if statement:
            (folder / "copyright").write_bytes(statement)
        return Card(
            collection="libreoffice-help",
            title=f"LibreOffice help, {', '.join(names)}",
            languages=names,
            license=self.license,
            seed=order.seed,
            origins=[_origin(path) for path in packages.values() if path.is_file()],
            removed=removed,
            notes=["line n of all languages and of `page` belong together; no page is in two of train, dev and test"],
        )

    def _codes(self, order: Order) -> list[str]:
        codes = [language.lower().replace("_", "-") for language in order.languages]
        codes = [code for code in dict.fromkeys(codes) if code not in {"en", ENGLISH}]
        if not codes or not all(re.fullmatch(r"[a-z]{2,3}(-[a-z]{2,4})?", code) for code in codes):
            raise SettingError(
                f"languages {', '.join(order.languages)!r}" if order.languages else "no languages",
                remedy=f"name one or more, as in `dragoman corpus get {self.example}`; English is always there",
            )
        return [ENGLISH, *codes]

    def _packages(self, codes: Sequence[str], order: Order) -> dict[str, Path]:
        names = {code: f"libreoffice-help-{code}" for code in codes}
        if order.origin is None:
            apt = Apt(order.cache, progress=order.progress)
            apt.update(["en"])
            return dict(zip(codes, apt.download(list(names.values())), strict=True))
        if not order.origin.is_dir():
            raise FileError("no such folder", where=str(order.origin))
        found: dict[str, Path] = {}
        for code, name in names.items():
            files = [*sorted(order.origin.glob(f"{name}_*.deb")), *sorted(order.origin.glob(name))]
            if not files:
                raise FileError(f"neither {name}_*.deb nor a folder {name} is here", where=str(order.origin))
            found[code] = files[-1]
        return found


@dataclass(frozen=True, slots=True)
class _Row:
    page: str
    texts: tuple[str, ...]


def _rows(pages: Sequence[Mapping[str, HelpPage]]) -> Iterator[_Row]:
    """Paragraphs that every language has: same page, same identifier, same number of occurrences of it."""
    for name, page in pages[0].items():
        others = [language.get(name) for language in pages[1:]]
        versions = [page, *(other for other in others if other is not None)]
        if len(versions) < len(pages):
            continue
        for identifier in page.paragraphs:
            key, number = identifier
            texts = tuple(version.paragraphs.get(identifier, "") for version in versions)
            repeated = {(key, number + 1) in version.paragraphs for version in versions}
            if all(texts) and len(repeated) == 1:
                yield _Row(name, texts)


def _cleaned(rows: Iterable[_Row]) -> tuple[list[_Row], dict[str, int]]:
    """Rows whose every translation passes the checks against the English, without repetitions."""
    limits = CleaningLimits(max_words=150)
    checks = {name: CHECKS.get(name)(limits) for name in _CHECKS}
    removed = dict.fromkeys([*checks, "duplicate"], 0)
    kept: dict[tuple[str, ...], _Row] = {}
    for row in rows:
        english, *others = row.texts
        reason = next((name for name, check in checks.items() if any(check(english, other) for other in others)), "")
        if not reason and row.texts in kept:
            reason = "duplicate"
        if reason:
            removed[reason] += 1
        else:
            kept[row.texts] = row
    return list(kept.values()), {name: count for name, count in removed.items() if count}


def _origin(path: Path) -> Origin:
    name, version, *_ = path.stem.split("_")
    return Origin.of(path, name, version.replace("%3a", ":"))
