"""The bundle: a model on disk, as one directory that is either whole or refused.

`model.toml` says what the model is (kind, languages, settings), where it came from (inputs with their hashes, command,
seed, version) and how large each file must be; `SHA256SUMS` lists checksums in the form that `sha256sum -c` reads.
A bundle is written aside and renamed into place, so that a crash leaves the old one or none. Opening one checks format
version, kind and sizes before anything else, then the checksums of the manifest and of all that is not a binary file
(those check theirs when they are opened): damage would not stop a translation, only change it. `verify_when_opened`
switches that off; `Bundle.verify` recomputes everything.

    >>> import tempfile; folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "model"
    >>> with writing_bundle(path, kind="example", settings={"order": 5}) as files:
    ...     _ = (files / "table.txt").write_text("ja\\tyes\\n")
    >>> Bundle.open(path, kind="example").settings
    {'order': 5}
    >>> folder.cleanup()
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from dragoman._native import common
from dragoman.errors import BundleError, FormatError
from dragoman.files import checksum, require_own_folder, require_writable, write_bytes, writing_directory
from dragoman.plain_data import parse_toml
from dragoman.version import __version__

__all__ = ["FORMAT", "Bundle", "Provenance", "require_place_for_bundle", "verify_when_opened", "writing_bundle"]

FORMAT = 1
"""Version of the bundle's own layout; the files inside have versions of their own."""

_MANIFEST, _CHECKSUMS = "model.toml", "SHA256SUMS"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a model came from: the command, the seed, the recipe, and the inputs with their hashes."""

    command: str = ""
    seed: int | None = None
    inputs: tuple[Mapping[str, str | int], ...] = ()
    recipe: Mapping[str, Any] | None = None
    changes: tuple[Mapping[str, Any], ...] = ()
    """What was done to it since."""

    def changed(self, change: str) -> Provenance:
        """A copy with one more entry in its history, dated now."""
        return replace(self, changes=(*self.changes, _change(change)))

    @staticmethod
    def of_manifest(entry: Mapping[str, Any]) -> Provenance:
        """What the manifest of a bundle says."""
        return Provenance(
            entry.get("command", ""),
            entry.get("seed"),
            tuple(entry.get("inputs", ())),
            entry.get("recipe"),
            tuple(entry.get("changes", ())),
        )

    @staticmethod
    def of_files(
        paths: Sequence[Path | str],
        *,
        command: str = "",
        seed: int | None = None,
        recipe: Mapping[str, Any] | None = None,
    ) -> Provenance:
        """Provenance with name, size and SHA-256 of each input file."""

        def entry(path: Path) -> Mapping[str, str | int]:
            return {"path": str(path), "bytes": path.stat().st_size, "sha256": checksum(path)}

        return Provenance(command, seed, tuple(entry(Path(path)) for path in paths), recipe)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _change(text: str) -> dict[str, str]:
    return {"created": _now(), "change": text}


@dataclass(frozen=True, slots=True)
class Bundle:
    """An opened bundle: the manifest is checked, its files are where it says and as large as it says."""

    path: Path
    kind: str
    languages: tuple[str, ...]
    settings: Mapping[str, Any]
    provenance: Mapping[str, Any]
    created: str
    version: str
    sizes: Mapping[str, int] = field(repr=False)

    def __repr__(self) -> str:
        return f"Bundle({str(self.path)!r}, {self.kind}, {'-'.join(self.languages)})"

    @classmethod
    def open(cls, path: Path | str, *, kind: str | None = None) -> Bundle:
        """Read and check the manifest and the files; `kind` is the one kind the caller can use."""
        path = Path(path)
        manifest = _read_manifest(path)
        if kind is not None and manifest["kind"] != kind:
            raise BundleError(f"a bundle of kind {manifest['kind']!r} where {kind!r} is needed", where=str(path))
        sizes: dict[str, int] = manifest["files"]
        for name, size in sizes.items():
            file = path / _inside(name, path)
            if not file.is_file():
                raise BundleError(f"{name} is missing", where=str(path), remedy="copy or train the model again")
            if file.stat().st_size != size:
                raise BundleError(
                    f"{name} has {file.stat().st_size} bytes instead of {size}",
                    where=str(path),
                    remedy="copy or train the model again",
                )
        if _verifying:
            _verify_small_files(path, manifest)
        return cls(
            path=path,
            kind=manifest["kind"],
            languages=tuple(manifest["languages"]),
            settings=manifest["settings"],
            provenance=manifest["provenance"],
            created=manifest["created"],
            version=manifest["dragoman"],
            sizes=sizes,
        )

    def file(self, name: str) -> Path:
        """Path of a file that the manifest lists."""
        if name not in self.sizes:
            raise BundleError(f"it has no {name}", where=str(self.path), remedy="train the model again")
        return self.path / name

    def replaced(self, old: str, new: str, content: str, *, settings: Mapping[str, Any], change: str) -> Bundle:
        """The bundle with one text file in the place of another, other settings, and a line more of provenance.

        The new file has a name of its own and the manifest is renamed over the old one, so that whoever opens the
        bundle meanwhile finds the old model or the new one. (Checksums follow a moment later.)
        """
        manifest = _read_manifest(self.path)
        if old not in manifest["files"]:
            raise BundleError("was changed by someone else meanwhile", where=str(self.path), remedy="open it again")
        write_bytes(self.path / new, content.encode())
        manifest["settings"] = dict(settings)
        digests = manifest.setdefault("sha256", {})
        for entries in (manifest["files"], digests):
            entries.pop(old, None)
        manifest["files"][new] = (self.path / new).stat().st_size
        digests[new] = checksum(self.path / new)
        manifest["provenance"].setdefault("changes", []).append(_change(change))
        write_bytes(self.path / _MANIFEST, _manifest_text(manifest).encode())
        listed = _read_checksums(self.path)
        listed.pop(old, None)
        listed |= {name: checksum(self.path / name) for name in (new, _MANIFEST)}
        write_bytes(self.path / _CHECKSUMS, "".join(f"{digest}  {name}\n" for name, digest in listed.items()).encode())
        if new != old:
            (self.path / old).unlink(missing_ok=True)
        return Bundle.open(self.path, kind=self.kind)

    def verify(self) -> None:
        """Recompute all checksums; raise at the first that differs."""
        listed = _read_checksums(self.path)
        for name in (*self.sizes, _MANIFEST):
            if listed.get(name) != checksum(self.path / name):
                raise BundleError(
                    f"{name} is damaged: its checksum differs", where=str(self.path), remedy="copy or train it again"
                )


def require_place_for_bundle(path: Path | str, kind: str) -> None:
    """Refuse a place that a bundle must not take, before the work that it would hold: of all folders, it may replace an
    older bundle of its kind or an empty one."""
    path = Path(path)
    require_writable(path, folder=True)
    if (path / _MANIFEST).is_file() and (there := _read_manifest(path)["kind"]) != kind:
        raise BundleError(
            f"holds a bundle of kind {there!r}, which was not made by this command",
            where=str(path),
            remedy="choose another name; nothing was changed",
        )
    require_own_folder(path, _own_files)


def _own_files(path: Path) -> list[str]:
    """The files of a bundle that its manifest knows."""
    return [*_read_manifest(path)["files"], _MANIFEST, _CHECKSUMS] if (path / _MANIFEST).is_file() else []


def require_new_bundle(path: Path | str, *, force: bool) -> str:
    """Refuse to replace a bundle that nobody said may be replaced; when that was made that will be, if there is one."""
    if not (Path(path) / _MANIFEST).is_file():
        return ""
    if force:
        with contextlib.suppress(BundleError):  # a damaged one may be replaced, too
            return str(_read_manifest(Path(path))["created"])
        return ""
    created = _read_manifest(Path(path))["created"]
    raise BundleError(
        f"there is one already, made {created}", where=str(path), remedy="choose another name, or set force=True"
    )


@contextlib.contextmanager
def writing_bundle(
    path: Path | str,
    *,
    kind: str,
    languages: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
    provenance: Provenance | None = None,
) -> Iterator[Path]:
    """A directory to fill with files; when the block ends without an error it becomes the bundle at `path`.

    Settings are read when the block ends: what only its files tell may be added until then.
    """
    provenance = provenance or Provenance()
    require_place_for_bundle(path, kind)
    with writing_directory(path, own=_own_files) as folder:
        yield folder
        names = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
        digests = {name: checksum(folder / name) for name in names}
        manifest = {
            "format": FORMAT,
            "kind": kind,
            "languages": list(languages),
            "dragoman": __version__,
            "created": _now(),
            "settings": dict(settings or {}),
            "provenance": {
                "command": provenance.command,
                **({"seed": provenance.seed} if provenance.seed is not None else {}),
                **({"recipe": dict(provenance.recipe)} if provenance.recipe is not None else {}),
                "inputs": [dict(entry) for entry in provenance.inputs],
                **({"changes": [dict(entry) for entry in provenance.changes]} if provenance.changes else {}),
            },
            "files": {name: (folder / name).stat().st_size for name in names},
            "sha256": dict(digests),
        }
        (folder / _MANIFEST).write_text(_manifest_text(manifest), "utf-8")
        digests[_MANIFEST] = checksum(folder / _MANIFEST)
        (folder / _CHECKSUMS).write_text("".join(f"{digest}  {name}\n" for name, digest in digests.items()), "utf-8")


_FIELDS: dict[str, type] = {
    "kind": str,
    "languages": list,
    "dragoman": str,
    "created": str,
    "settings": dict,
    "provenance": dict,
    "files": dict,
}


def _read_manifest(path: Path) -> dict[str, Any]:
    where = str(path / _MANIFEST)
    if not path.is_dir():
        kept = next(path.parent.glob(f".{path.name}.*.replaced"), None)
        remedy = f"an earlier version was kept: mv {kept} {path}" if kept else "check the spelling"
        raise BundleError("no such bundle", where=str(path), remedy=remedy)
    try:
        raw = (path / _MANIFEST).read_bytes()
    except OSError:
        raise BundleError(f"not a bundle: it has no {_MANIFEST}", where=str(path)) from None
    try:
        manifest = parse_toml(raw, where=where)
    except FormatError as error:
        raise BundleError(f"damaged: {error.what}", where=where, remedy="copy or train the model again") from None
    if manifest.get("format") != FORMAT:
        raise BundleError(
            f"bundle format {manifest.get('format')!r}, this dragoman reads format {FORMAT}",
            where=where,
            remedy="install the version of dragoman that made it, or train again",
        )
    for name, kind in _FIELDS.items():
        if not isinstance(manifest.get(name), kind):
            raise BundleError(f"damaged: {name!r} is missing or wrong", where=where)
    for name, kind in (("files", int), ("sha256", str)):
        if not all(isinstance(value, kind) for value in manifest.get(name, {}).values()):
            raise BundleError(f"damaged: {name!r} is missing or wrong", where=where)
    if not all(isinstance(language, str) for language in manifest["languages"]):
        raise BundleError("damaged: 'languages' is missing or wrong", where=where)
    signed = _SIGNED.fullmatch(raw)
    if _verifying and signed and hashlib.sha256(signed[2]).hexdigest() != signed[1].decode():
        raise BundleError(
            "damaged: its checksum differs", where=where, remedy="copy or train the model again, or use --no-verify"
        )
    manifest.pop("checksum", None)  # of this text, not of the next
    return manifest


def _manifest_text(manifest: Mapping[str, Any]) -> str:
    """TOML whose first line is the checksum of the rest: it is renamed in one step, and vouches for itself."""
    import tomli_w

    text = tomli_w.dumps(manifest)
    return f'checksum = "{hashlib.sha256(text.encode()).hexdigest()}"\n{text}'


_SIGNED = re.compile(rb'checksum = "([0-9a-f]{64})"\n(.*)', re.DOTALL)
_MOST_HASHED = 64 * 2**20
"""Larger files that are no binary ones of ours are left to `verify`: hashing them would take longer than loading."""

_verifying = True
_whole: set[tuple[int, int, int, int]] = set()
"""Files that this process found whole, by device, number, size and time: none is read twice."""


def verify_when_opened(wanted: bool) -> None:
    """Whether bundles and binary files opened from now on are compared with their checksums; they are by default."""
    global _verifying
    _verifying = wanted
    common.verify_when_opened(wanted)


def _verify_small_files(path: Path, manifest: Mapping[str, Any]) -> None:
    for name, digest in manifest.get("sha256", {}).items():
        file = path / _inside(name, path)
        try:
            status = file.stat()
            identity = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
            if identity in _whole or status.st_size > _MOST_HASHED or (status.st_size and common.is_binary_file(file)):
                continue
            fine = checksum(file) == digest
        except OSError as error:
            raise BundleError(f"{name} cannot be read: {error.strerror}", where=str(path)) from None
        if not fine:
            raise BundleError(
                f"{name} is damaged: its checksum differs",
                where=str(path),
                remedy="copy or train the model again, or use --no-verify",
            )
        _whole.add(identity)


def _read_checksums(path: Path) -> dict[str, str]:
    try:
        lines = (path / _CHECKSUMS).read_text("utf-8").splitlines()
        return {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    except (OSError, ValueError):
        raise BundleError(f"{_CHECKSUMS} is missing or damaged", where=str(path)) from None


def _inside(name: str, path: Path) -> PurePosixPath:
    relative = PurePosixPath(name)
    if relative.is_absolute() or ".." in relative.parts:
        raise BundleError(f"damaged: it lists {name!r}, which lies outside", where=str(path / _MANIFEST))
    return relative
