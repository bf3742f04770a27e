"""Binary files: what an older version wrote is refused with what to do; seeds of the fuzz drivers are not old."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from dragoman._native.common import Vocabulary, binary_formats, describe_binary_file, is_binary_file
from dragoman.errors import FormatError

SEEDS = Path(__file__).parent.parent / "native" / "fuzz" / "seeds"
BINARY_SEEDS = sorted(path for path in SEEDS.glob("*/*") if is_binary_file(path))


def test_an_older_version_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "words"
    Vocabulary().save(path)
    written = bytearray(path.read_bytes())
    written[12] -= 1  # the version in the header
    path.write_bytes(written)
    assert describe_binary_file(path).version == written[12]
    message = f"format version {written[12]}, this dragoman reads version {written[12] + 1}; build it again"
    with pytest.raises(FormatError, match=message):
        Vocabulary.load(path)
    with pytest.raises(FormatError, match=message):
        describe_binary_file(path, verify=True)


@pytest.mark.parametrize("path", BINARY_SEEDS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_damage_is_told_by_section(path: Path, tmp_path: Path) -> None:
    whole = path.read_bytes()
    found = describe_binary_file(path, verify=True)
    sections = [struct.unpack_from("<4Q", whole, 64 + 32 * at) for at in range(len(found.section_bytes))]
    for at, (offset, size, _, _) in enumerate(sections, 1):
        if size:
            broken = tmp_path / "broken"
            broken.write_bytes(whole[:offset] + bytes([whole[offset] ^ 1]) + whole[offset + 1 :])
            with pytest.raises(FormatError, match=f"the checksum of section {at} of {len(sections)} differs"):
                describe_binary_file(broken, verify=True)
    flags = bytearray(whole)
    flags[14] ^= 1  # a bit that the kind may know
    (tmp_path / "flags").write_bytes(flags)
    with pytest.raises(FormatError, match="the checksum of the header differs"):
        describe_binary_file(tmp_path / "flags", verify=True)


def test_every_format_has_seeds_for_its_driver() -> None:
    assert {describe_binary_file(path).kind for path in BINARY_SEEDS} == {made.kind for made in binary_formats()}


@pytest.mark.parametrize("path", BINARY_SEEDS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_seeds_are_whole_and_of_this_version(path: Path) -> None:
    """Else a driver would meet nothing behind the header: `python tools/fuzz_seeds.py` writes them anew."""
    found = describe_binary_file(path, verify=True)
    assert found.version == {made.kind: made.version for made in binary_formats()}[found.kind]
