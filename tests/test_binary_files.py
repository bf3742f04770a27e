"""Binary files: what an older version wrote is refused with what to do; seeds of the fuzz drivers are not old."""

from __future__ import annotations

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


def test_every_format_has_seeds_for_its_driver() -> None:
    assert {describe_binary_file(path).kind for path in BINARY_SEEDS} == {made.kind for made in binary_formats()}


@pytest.mark.parametrize("path", BINARY_SEEDS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_seeds_are_whole_and_of_this_version(path: Path) -> None:
    """Else a driver would meet nothing behind the header: `python tools/fuzz_seeds.py` writes them anew."""
    found = describe_binary_file(path, verify=True)
    assert found.version == {made.kind: made.version for made in binary_formats()}[found.kind]
