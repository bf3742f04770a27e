from __future__ import annotations

import gzip
import io
import lzma
import os
import pickle
import threading
from pathlib import Path

import pytest

from dragoman.errors import DragomanError, EncodingError, FileError, FormatError, InputError, LengthMismatch
from dragoman.files import (
    read_lines,
    read_parallel,
    require_file,
    require_writable,
    write_bytes,
    writing,
    writing_bytes,
    writing_directory,
)


@pytest.mark.parametrize("name", ["plain.txt", "packed.gz", "packed.xz"])
def test_what_was_written_is_read(tmp_path: Path, name: str) -> None:
    lines = ["eins zwei", "", "größer \u2028 als", "ende"]
    with writing(tmp_path / name) as file:
        file.writelines(line + "\n" for line in lines)
    assert list(read_lines(tmp_path / name)) == lines


def test_compressed_output_is_reproducible(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        with writing(tmp_path / name) as file:
            file.write("same\n")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_line_ends_and_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "dos.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\nlast")
    assert list(read_lines(tmp_path / "dos.txt")) == ["one", "two", "last"]


@pytest.mark.parametrize(
    ("raw", "what"),
    [
        (b"fine\nbad \xff\n", "0xff at position 5"),
        (b"fine\na\x00b\n", "NUL"),
        (b"fine\n\xed\xa0\x80\n", "lone surrogate"),
    ],
)
def test_what_is_not_text_is_refused_with_its_line(tmp_path: Path, raw: bytes, what: str) -> None:
    (tmp_path / "bad.txt").write_bytes(raw)
    with pytest.raises(EncodingError, match=what) as caught:
        list(read_lines(tmp_path / "bad.txt"))
    assert caught.value.where.endswith("bad.txt, line 2")
    assert caught.value.remedy


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_truncated_archives_are_refused(tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    whole = pack(b"line of text\n" * 1000)
    (tmp_path / "torn").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileError, match="truncated"):
        list(read_lines(tmp_path / "torn"))


def test_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        list(read_lines(tmp_path / "nothing"))


def test_a_missing_file_is_looked_for_under_other_names(tmp_path: Path) -> None:
    for name in ("train.en.gz", "dev.de"):
        (tmp_path / name).write_bytes(b"")
    for wrong, right in (("train.en", "train.en.gz"), ("dve.de", "dev.de"), ("dev.dee", "dev.de")):
        with pytest.raises(FileError, match=f"no such file; did you mean {tmp_path / right}\\?"):
            require_file(tmp_path / wrong)
        with pytest.raises(FileError, match=f"did you mean {tmp_path / right}\\?"):
            list(read_lines(tmp_path / wrong))
    for nowhere in (tmp_path / "thesis", tmp_path / "no" / "folder"):
        with pytest.raises(FileError, match="no such file; check the spelling and the folder"):
            require_file(nowhere)
    require_file(tmp_path / "dev.de")


def test_overlong_lines_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dragoman.files.MAX_LINE_BYTES", 2**20)
    (tmp_path / "long").write_bytes(b"x" * (2**20 + 1))
    with pytest.raises(InputError, match="more than 1 MiB"):
        list(read_lines(tmp_path / "long"))


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "kept.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), writing(path) as file:
        file.write("new")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_directory_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "model"
    for content in ("first", "second"):
        with writing_directory(path, own=lambda folder: ["file"]) as folder:
            (folder / "file").write_text(content)
    with pytest.raises(FileError, match="has file in it, which was not made"), writing_directory(path):
        pass
    with pytest.raises(RuntimeError), writing_directory(path, own=lambda folder: ["file"]) as folder:
        (folder / "file").write_text("third")
        raise RuntimeError
    assert (path / "file").read_text() == "second"
    assert list(tmp_path.iterdir()) == [path]


def test_pipes_and_devices_are_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[str] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_text("utf-8")))
    reader.start()
    with writing(pipe) as file:
        file.write("größer\n")
    reader.join()
    assert received == ["größer\n"]
    assert pipe.is_fifo()


def test_pipes_are_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text("one\ntwo\n"))
    writer.start()
    assert list(read_lines(pipe)) == ["one", "two"]
    writer.join()


def test_folders_and_files_are_not_written_over_by_each_other(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError, match="is a folder"), writing(tmp_path / "folder"):
        pass
    (tmp_path / "file").write_text("kept")
    with pytest.raises(FileError, match="not a folder"), writing_directory(tmp_path / "file"):
        pass
    assert (tmp_path / "file").read_text() == "kept"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("a\nß\n".encode())))
    assert list(read_lines("-")) == ["a", "ß"]


def test_errors_survive_pickling() -> None:
    error = FormatError("3 fields where 5 are needed", where="rules.gz, line 18", remedy="write it again")
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, DragomanError)
    assert (str(again), again.where) == (str(error), error.where)
    assert str(error) == "rules.gz, line 18: 3 fields where 5 are needed; write it again"


def test_parallel_files_have_equal_lengths(tmp_path: Path) -> None:
    for name, lines in (("a", "1\n2\n"), ("b", "x\ny\n"), ("c", "z\n")):
        (tmp_path / name).write_text(lines)
    a, b, c = (tmp_path / name for name in "abc")
    assert read_parallel([a, b]) == [["1", "2"], ["x", "y"]]
    with pytest.raises(LengthMismatch, match=r"c: 1 lines, but .*a has 2"):
        read_parallel([a, b, c])
    with pytest.raises(LengthMismatch, match=r"b: 2 lines, but other has 1"):
        read_parallel([b], beside=("other", 1))


def test_a_place_that_cannot_be_written_to_is_told_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    require_writable("-")
    require_writable("/dev/null")
    require_writable(tmp_path / "file")
    require_writable(tmp_path / "new" / "file")
    require_writable(tmp_path, folder=True)
    for path, folder in ((tmp_path, False), (tmp_path / "file", True), (tmp_path / "file" / "below", False)):
        with pytest.raises(FileError):
            require_writable(path, folder=folder)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "new"]


def test_nothing_is_followed_or_left_behind(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("kept")
    place = tmp_path / "place"
    place.mkdir()
    (place / "out.partial").symlink_to(victim)
    (place / f".out.{os.getpid()}.partial").symlink_to(victim)
    (place / "out").symlink_to(victim)
    write_bytes(place / "out", b"new")
    with pytest.raises(FileError, match="is a folder"):
        write_bytes(place, b"new")
    assert victim.read_text() == "kept"
    assert (place / "out").read_bytes() == b"new"
    assert not (place / "out").is_symlink()
    assert len(list(place.iterdir())) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["place", "victim"]


def test_a_full_disk_names_the_file() -> None:
    with pytest.raises(FileError, match="/dev/full: cannot write: no space left"), writing("/dev/full") as file:
        file.write("x" * 100_000)
    with pytest.raises(FileError, match="cannot write"), writing_bytes("/dev/full") as raw:
        raw.write(b"x")


def test_a_replaced_link_to_a_folder_leaves_the_folder_alone(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "kept").write_text("kept")
    (tmp_path / "model").symlink_to(tmp_path / "real")
    with writing_directory(tmp_path / "model", own=lambda folder: ["kept"]) as folder:
        (folder / "new").write_text("new")
    assert (tmp_path / "real" / "kept").read_text() == "kept"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "real"]
