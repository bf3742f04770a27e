"""The catalogue: real corpora in one command, each with a record of where it came from and under which terms.

A collection knows how to fetch and build a corpus from what anybody can get. What it builds is a folder of plain
parallel files, `train`, `dev` and `test`, cut so that nothing of dev and test is in train, beside `corpus.toml` and a
README that name the sources with versions and checksums, the counts, the terms, and what was left out and why. The
folder appears when it is complete.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

from dragoman.errors import SettingError
from dragoman.files import checksum, read_lines, require_own_folder, writing_directory
from dragoman.plain_data import parse_toml
from dragoman.progress import ProgressCallback
from dragoman.registry import Registry
from dragoman.version import __version__

__all__ = ["COLLECTIONS", "Card", "Collection", "Order", "Origin", "get_corpus", "read_card"]


@dataclass(frozen=True, slots=True)
class Origin:
    """A file that a corpus was made from."""

    what: str
    version: str
    bytes: int
    sha256: str

    @classmethod
    def of(cls, path: Path, what: str, version: str = "") -> Origin:
        return cls(what, version, path.stat().st_size, checksum(path))


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is wanted of a collection.

    `origin` is a folder with the raw files, where they need not be fetched; `cache` is where downloads are kept;
    `size` is the number of segments to make, for collections that make them.
    """

    languages: tuple[str, ...]
    origin: Path | None = None
    cache: Path | None = None
    seed: int = 1
    size: int | None = None
    progress: ProgressCallback | None = None


@dataclass(slots=True, kw_only=True)
class Card:
    """What a corpus is: sources, terms, contents. Kept beside it as `corpus.toml`."""

    collection: str
    title: str
    languages: list[str]
    license: str
    seed: int
    origins: list[Origin] = field(default_factory=list)
    removed: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    created: str = ""
    command: str = ""
    dragoman: str = __version__
    files: dict[str, dict[str, Any]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


class Collection(ABC):
    """A source of corpora; the first line of its docstring is shown in lists."""

    languages: ClassVar[str]
    """Which languages there are, in words."""
    license: ClassVar[str]
    """The terms, in words."""
    example: ClassVar[str]
    """The arguments of an example command."""
    to_size: ClassVar[bool] = False
    """Whether it makes as many segments as are asked for."""

    @abstractmethod
    def build(self, order: Order, folder: Path) -> Card:
        """Write the files of the corpus into an empty folder, and say what it is."""


COLLECTIONS = Registry[Collection](
    "collection",
    {
        "debian": "dragoman.text.debian:DebianDescriptions",
        "libreoffice-help": "dragoman.text.libreoffice:LibreOfficeHelp",
        "synthetic": "dragoman.text.synthetic.collection:SyntheticPairs",
    },
)


def get_corpus(name: str, folder: Path | str, order: Order) -> Card:
    """Build a corpus of the named collection in `folder`, replacing a corpus that is there, and nothing else."""
    collection = COLLECTIONS.get(name)()
    if order.size is not None and not collection.to_size:
        raise SettingError(f"{name!r} is as large as it is", remedy="leave out --size")
    folder = Path(folder)
    require_own_folder(folder, _own_files)  # before anything is fetched
    with writing_directory(folder, own=_own_files) as aside:
        card = collection.build(order, aside)
        card.command = f"dragoman corpus get {name} {' '.join(order.languages)} --seed {order.seed}"
        card.command += f" --size {order.size}" if order.size is not None else ""
        card.created = datetime.now(UTC).date().isoformat()
        card.files = {
            path.relative_to(aside).as_posix(): _describe(path) for path in sorted(aside.rglob("*")) if path.is_file()
        }
        _write_card(card, aside)
    return card


def _own_files(folder: Path) -> list[str]:
    """The files that a corpus says it consists of."""
    known = (folder / "corpus.toml").is_file()
    return [*read_card(folder).get("files", {}), "corpus.toml", "README.md"] if known else []


def read_card(folder: Path | str) -> dict[str, Any]:
    """The record beside a corpus."""
    path = Path(folder) / "corpus.toml"
    return parse_toml("\n".join(read_lines(path)), where=str(path))


def _describe(path: Path) -> dict[str, Any]:
    segments = tokens = 0
    for line in read_lines(path):
        segments += 1
        tokens += len(line.split())
    return {"segments": segments, "tokens": tokens, "bytes": path.stat().st_size, "sha256": checksum(path)}


def _write_card(card: Card, folder: Path) -> None:
    import tomli_w

    (folder / "corpus.toml").write_text(tomli_w.dumps(card.to_dict()), "utf-8")
    (folder / "README.md").write_text(_readme(card), "utf-8")


def _readme(card: Card) -> str:
    lines = [f"# {card.title}", "", f"Languages: {', '.join(card.languages)}. Made on {card.created} by", ""]
    lines += [
        f"    {card.command}",
        "",
        f"(dragoman {card.dragoman}).",
        "",
    ]
    lines += ["## Terms", "", card.license, "", "## Files", ""]
    lines += _table(
        ["file", "segments", "tokens", "SHA-256"],
        [
            [name, f"{facts['segments']:,}", f"{facts['tokens']:,}", facts["sha256"][:16]]
            for name, facts in card.files.items()
        ],
    )
    if card.origins:
        rows = [[origin.what, origin.version, f"{origin.bytes:,}", origin.sha256[:16]] for origin in card.origins]
        lines += ["", "## Made from", "", *_table(["source", "version", "bytes", "SHA-256"], rows)]
    if card.removed:
        lines += ["", "## Left out", ""]
        lines += _table(["why", "pairs"], [[name, f"{count:,}"] for name, count in card.removed.items()])
    if card.notes:
        lines += ["", "## Notes", "", *(f"- {note}" for note in card.notes)]
    return "\n".join(lines) + "\n"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]


def removed_counts(report: Mapping[str, Any]) -> dict[str, int]:
    """The counts of a cleaning report, without checks that removed nothing."""
    return {name: facts["count"] for name, facts in report["removed"].items() if facts["count"]}
