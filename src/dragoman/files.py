"""Files: text read with line numbers and checked, everything written aside and renamed.

All readers of text go through `read_lines`, so that compression, encoding errors and absurd lines are treated alike
everywhere: gzip, xz and bzip2 are recognised by content; bytes that are not UTF-8, NUL and lone surrogates are refused
with file and line. All writers go through `writing`, so that a crash leaves the old file or none.
"""

from __future__ import annotations

import bz2
import contextlib
import difflib
import errno
import gzip
import hashlib
import io
import lzma
import os
import secrets
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, cast

from dragoman.errors import EncodingError, FileError, InputError, LengthMismatch

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "DAMAGE",
    "MAX_LINE_BYTES",
    "checksum",
    "damaged",
    "decode_line",
    "disk_errors",
    "display_name",
    "is_file",
    "open_binary",
    "read_lines",
    "read_parallel",
    "require_file",
    "require_own_folder",
    "require_writable",
    "take_file",
    "user_cache",
    "write_bytes",
    "writing",
    "writing_bytes",
    "writing_directory",
]

MAX_LINE_BYTES = 64 * 2**20
"""Longer lines are refused: they are binary files or broken exports, and would exhaust memory."""

DAMAGE = (EOFError, OSError, zlib.error, lzma.LZMAError)
"""What reading a truncated or damaged compressed file may raise."""

_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}

_GZIP, _XZ, _BZIP2 = b"\x1f\x8b", b"\xfd7zXZ\x00", b"1AY&SY"
_BOM = b"\xef\xbb\xbf"


def open_binary(path: Path | str) -> BinaryIO:
    """Open for reading, decompressing gzip, xz and bzip2 by content; `-` is standard input; pipes are read as is."""
    if str(path) == "-":
        if sys.stdin is None:
            raise FileError("standard input is closed", remedy="name a file, or send text")
        return sys.stdin.buffer
    try:
        if Path(path).exists() and not Path(path).is_file():
            return Path(path).open("rb")  # what is read from a pipe to look at it is gone
        with Path(path).open("rb") as raw:
            magic = raw.read(10)
        if magic.startswith(_GZIP):
            return cast(BinaryIO, gzip.open(path, "rb"))
        if magic.startswith(_XZ):
            return cast(BinaryIO, lzma.open(path, "rb"))
        if magic.startswith(b"BZh") and magic.endswith(_BZIP2):
            return cast(BinaryIO, bz2.open(path, "rb"))
        return Path(path).open("rb")
    except OSError as error:
        raise _cannot("read", path, error) from None


def display_name(path: Path | str) -> str:
    """How messages call a file."""
    return "standard input" if str(path) == "-" else str(path)


def damaged(error: BaseException, *, where: str) -> FileError:
    """The error for a file that broke off or went wrong while it was read (see `DAMAGE`)."""
    return FileError(f"damaged or truncated: {error}", where=where, remedy="copy the file again")


def decode_line(raw: bytes, *, where: str) -> str:
    """Decode one line, refusing what is not text."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        bad = raw[error.start]
        surrogate = raw[error.start : error.start + 2] >= b"\xed\xa0" and bad == 0xED
        what = "a lone surrogate" if surrogate else f"byte 0x{bad:02x} at position {error.start + 1} is not UTF-8"
        raise EncodingError(what, where=where, remedy="convert the file to UTF-8, for example with `iconv`") from None
    if "\x00" in text:
        raise EncodingError("a NUL character", where=where, remedy="is this a binary or a UTF-16 file?")
    return text


def read_lines(path: Path | str) -> Iterator[str]:
    """The lines of a text file without their ends, read as a stream; plain or compressed; `-` is standard input.

    Lines end at LF or CR LF only: the other separators that Unicode knows are ordinary characters of a segment.
    """
    name = display_name(path)
    number = 0
    with contextlib.ExitStack() as stack:
        file = open_binary(path)
        if file is not sys.stdin.buffer:
            stack.enter_context(file)
        while True:
            number += 1
            try:
                raw = file.readline(MAX_LINE_BYTES + 1)
            except DAMAGE as error:
                raise damaged(error, where=f"{name}, line {number}") from None
            if not raw:
                return
            if len(raw) > MAX_LINE_BYTES:
                raise InputError(f"a line of more than {MAX_LINE_BYTES // 2**20} MiB", where=f"{name}, line {number}")
            if number == 1:
                raw = raw.removeprefix(_BOM)
            raw = raw.removesuffix(b"\n").removesuffix(b"\r")
            try:
                line = raw.decode("utf-8")
            except UnicodeDecodeError:
                line = "\x00"
            # A line without fault costs no call: only what is wrong is looked at closely.
            yield decode_line(raw, where=f"{name}, line {number}") if "\x00" in line else line


def read_parallel(paths: Sequence[Path | str], *, beside: tuple[Path | str, int] | None = None) -> list[list[str]]:
    """The lines of files that go line by line; `beside` is one that was read before, and how many lines it had."""
    found = [list(read_lines(path)) for path in paths]
    counted = [(display_name(path), len(lines)) for path, lines in zip(paths, found, strict=True)]
    first, expected = beside or counted[0]
    for name, count in counted:
        if count != expected:
            raise LengthMismatch(
                f"{count:,} lines, but {first} has {expected:,}",
                where=name,
                remedy="line n of one file must belong to line n of the other",
            )
    return found


def require_writable(path: Path | str, *, folder: bool = False, stream: bool = True) -> None:
    """Refuse a place that cannot be written to before hours of work are lost, not after; makes its parent folders.

    Text can go to pipes and devices; a binary model (`stream=False`) only into a regular file.
    """
    path = Path(path)
    if not folder and (str(path) == "-" or _is_stream(path)):
        if stream:
            return
        raise FileError("a binary file can only be written to a regular file", where=str(path), remedy="name a file")
    if path.exists() and path.is_dir() != folder:
        kind = "a folder" if folder else "a file"
        raise FileError(f"exists and is not {kind}", where=str(path), remedy="choose another name")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            return
    except OSError as error:
        raise _cannot("write", path, error) from None


class _Output(io.FileIO):
    """A file descriptor to write to whose failures, a full disk above all, name the file that a user knows."""

    def __init__(self, descriptor: int, path: Path) -> None:
        super().__init__(descriptor, "wb")
        self._path = path

    def write(self, data: Buffer, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise _cannot("write", self._path, error) from None


@contextlib.contextmanager
def writing(path: Path | str, *, private: bool = False) -> Iterator[IO[str]]:
    """Open a text file for writing aside; it takes its place when the block ends without an error.

    `.gz` and `.xz` compress (reproducibly: no time stamp); `-` is standard output. A pipe or device is written to as it
    is: renaming a file over `/dev/null` would take it away from the whole machine. Only the owner can read a `private`
    file, from the moment that it exists.
    """
    if str(path) == "-":
        yield sys.stdout
        sys.stdout.flush()
        return
    with writing_bytes(path, private=private) as raw, contextlib.ExitStack() as stack:
        suffix = "" if _is_stream(Path(path)) else Path(path).suffix
        stream: IO[bytes] = raw
        if suffix == ".gz":
            compressed = gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=6, mtime=0)
            stream = cast(IO[bytes], stack.enter_context(compressed))
        elif suffix == ".xz":
            stream = stack.enter_context(lzma.LZMAFile(raw, "wb"))
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="\n", write_through=False)
        yield text
        text.flush()
        text.detach()  # who opened a stream closes it


@contextlib.contextmanager
def writing_bytes(path: Path | str, *, private: bool = False) -> Iterator[IO[bytes]]:
    """Open a binary file for writing, as `writing`; the native core has the same rules (`common/output_file.hpp`).

    What is written lies aside under a name that nobody can guess, in a file that was created and not opened, so that a
    link which someone left in a shared folder leads nowhere.
    """
    path = Path(path)
    if _is_stream(path):
        try:
            descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_CLOEXEC", 0))
        except OSError as error:
            raise _cannot("write", path, error) from None
        with io.BufferedWriter(_Output(descriptor, path)) as direct:
            yield direct
        return
    if path.is_dir():
        raise FileError("exists and is a folder", where=str(path), remedy="choose another name")
    aside = path.with_name(f".{path.name}.{secrets.token_hex(8)}.partial")
    flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(aside, flags, 0o600 if private else 0o666)
    except OSError as error:
        raise _cannot("write", path, error) from None
    try:
        with io.BufferedWriter(_Output(descriptor, path)) as file:
            yield file
            file.flush()
            _sync(descriptor, path)
        try:
            aside.replace(path)
        except OSError as error:
            raise _cannot("write", path, error) from None
        _sync_folder(path.parent)
    finally:
        with contextlib.suppress(OSError):
            aside.unlink()


def write_bytes(path: Path | str, content: bytes) -> None:
    """Write a binary file aside and rename it."""
    with writing_bytes(path) as file:
        file.write(content)


def _is_stream(path: Path) -> bool:
    """Whether a path leads to something that is written to as it is: a pipe, a device, a descriptor of ours."""
    # /dev/stdout is a link to whatever standard output is, be it a regular file: replacing the link serves nobody.
    if str(path).startswith(("/dev/", "/proc/")) and path.is_symlink():
        return True
    return path.exists() and not path.is_file() and not path.is_dir()


def _sync(descriptor: int, path: Path) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        raise _cannot("write", path, error) from None


def _sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk; not every system can do that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def require_own_folder(path: Path | str, own: Callable[[Path], Collection[str]] = lambda folder: ()) -> None:
    """Refuse to replace a folder that has anything in it that this program did not make.

    `own` gives the names of the files that an earlier run is known to have made in a folder.
    """
    path = Path(path)
    if path.exists() and not path.is_dir():
        raise FileError("exists and is not a folder", where=str(path), remedy="choose another name")
    if not path.is_dir():
        return
    if Path.cwd().resolve().is_relative_to(path.resolve()):
        raise FileError("is the folder you are in", where=str(path), remedy="name a new folder inside it")
    made = own(path)
    for file in sorted(path.rglob("*")):
        name = file.relative_to(path).as_posix()
        if not file.is_dir() and name not in made:
            raise FileError(
                f"has {name} in it, which was not made by this command",
                where=str(path),
                remedy="choose another name; nothing was changed",
            )


@contextlib.contextmanager
def writing_directory(
    path: Path | str, *, own: Callable[[Path], Collection[str]] = lambda folder: ()
) -> Iterator[Path]:
    """A fresh directory beside `path` that replaces it when the block ends without an error.

    Only a folder without files, or with those that `own` names, is replaced (see `require_own_folder`).

    The replacement is two renames (a directory cannot be swapped in one on every system): a crash between them leaves
    the old directory under a hidden name beside it, and never a half-written one under `path`.
    """
    path = Path(path)
    require_own_folder(path, own)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".partial", dir=path.parent))
    except OSError as error:
        raise _cannot("write", path, error) from None
    old: Path | None = None
    try:
        aside.chmod(0o777 & ~_umask())
        with disk_errors(path):
            yield aside
            for file in aside.rglob("*"):
                if file.is_file():
                    with file.open("rb+") as open_file:
                        os.fsync(open_file.fileno())
            if path.exists():
                old = aside.with_suffix(".replaced")
                path.replace(old)
            aside.replace(path)
        _sync_folder(path.parent)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
        if old is not None and path.exists():
            if old.is_symlink():  # it was a link to a folder that stays where it is
                old.unlink()
            else:
                shutil.rmtree(old, ignore_errors=True)


@contextlib.contextmanager
def disk_errors(path: Path | str) -> Iterator[None]:
    """What the disk refuses in the block (no room, a quota, a file too large, a broken device) is said of `path`."""
    try:
        yield
    except OSError as error:
        if error.errno not in _DISK:
            raise
        raise _cannot("write", path, error) from None


def take_file(source: Path, target: Path) -> None:
    """A second name for a file that never changes again, or a copy where the disk cannot do that."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def user_cache(name: str) -> Path:
    """The folder where something is kept for this user between runs, and may be deleted at any time."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dragoman" / name


def checksum(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def is_file(name: Path | str) -> bool:
    """Whether there is a file of this name, where it may be text: longer than names can be, say."""
    try:
        return Path(name).is_file()
    except OSError:
        return False


def require_file(path: Path | str) -> None:
    """Refuse a file that is not there, with the name of one that is and that may have been meant."""
    if not Path(path).is_file():
        raise FileError("no such file", where=str(path), remedy=_near(Path(path)))


def _near(path: Path) -> str:
    """What to do about a missing file: the same one compressed, or one that is called nearly so, may be there."""
    names = sorted(each.name for each in path.parent.iterdir()) if path.parent.is_dir() else []
    found = [name for name in names if name.startswith(f"{path.name}.")]
    found += difflib.get_close_matches(path.name, names, n=1, cutoff=0.8)
    return f"did you mean {path.with_name(found[0])}?" if found else "check the spelling and the folder"


def _cannot(verb: str, path: Path | str, error: OSError) -> FileError:
    reason = error.strerror or str(error)
    remedy = _near(Path(path)) if isinstance(error, FileNotFoundError) else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        remedy = "make room, and run it again"
    return FileError(f"cannot {verb}: {reason[:1].lower()}{reason[1:]}", where=str(path), remedy=remedy)
