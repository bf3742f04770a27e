from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dragoman.bundle import Bundle, Provenance, verify_when_opened, writing_bundle
from dragoman.errors import BundleError, FileError
from dragoman.pipeline.describe import describe


def write(path: Path, content: str = "ja\tyes\n") -> None:
    source = path.parent / "corpus.txt"
    source.write_text("ein Haus\n")
    provenance = Provenance.of_files([source], command="train", seed=7)
    with writing_bundle(
        path, kind="example", languages=["de", "en"], settings={"a": 1}, provenance=provenance
    ) as files:
        (files / "table.txt").write_text(content)
        (files / "deep").mkdir()
        (files / "deep" / "more.bin").write_bytes(bytes(range(256)))


def test_a_bundle_gives_back_what_was_put_in(tmp_path: Path) -> None:
    path = tmp_path / "model"
    write(path)
    bundle = Bundle.open(path, kind="example")
    bundle.verify()
    assert (bundle.languages, bundle.settings, bundle.provenance["seed"]) == (("de", "en"), {"a": 1}, 7)
    assert bundle.provenance["inputs"][0]["bytes"] == len("ein Haus\n")
    assert bundle.file("deep/more.bin").stat().st_size == 256
    assert subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=path, check=False).returncode == 0
    assert describe(path, verify=True)["what"] == "bundle of kind 'example'"


def test_replacing_keeps_only_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "model"
    write(path)
    write(path, "nein\tno\n")
    assert (path / "table.txt").read_text() == "nein\tno\n"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["corpus.txt", "model"]


def damage_version(path: Path) -> None:
    manifest = path / "model.toml"
    manifest.write_text(manifest.read_text().replace("format = 1", "format = 99"))


def escape(path: Path) -> None:
    manifest = path / "model.toml"
    _, _, text = manifest.read_text().partition("\n")  # who writes one by hand leaves out its checksum
    manifest.write_text(text.replace('"table.txt"', '"../corpus.txt"'))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda path: (path / "table.txt").unlink(), "table.txt is missing"),
        (lambda path: (path / "table.txt").write_text("j"), "has 1 bytes instead of 7"),
        (lambda path: (path / "model.toml").unlink(), r"it has no model\.toml"),
        (lambda path: (path / "model.toml").write_text("[[["), "damaged"),
        (lambda path: (path / "model.toml").write_text("format = 1\n"), "'kind' is missing"),
        (damage_version, "bundle format 99, this dragoman reads format 1"),
        (escape, "lies outside"),
    ],
)
def test_what_is_not_whole_is_refused(tmp_path: Path, spoil: object, message: str) -> None:
    assert callable(spoil)
    write(tmp_path / "model")
    spoil(tmp_path / "model")
    with pytest.raises(BundleError, match=message):
        Bundle.open(tmp_path / "model")


def test_other_kind_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "model")
    with pytest.raises(BundleError, match="kind 'example' where 'aligner' is needed"):
        Bundle.open(tmp_path / "model", kind="aligner")


def test_a_flipped_bit_is_found_when_it_is_opened(tmp_path: Path) -> None:
    write(tmp_path / "model")
    Bundle.open(tmp_path / "model").verify()
    (tmp_path / "model" / "table.txt").write_text("ja\tyeS\n")
    with pytest.raises(BundleError, match=r"table\.txt is damaged"):
        Bundle.open(tmp_path / "model")
    verify_when_opened(False)
    try:
        opened = Bundle.open(tmp_path / "model")
    finally:
        verify_when_opened(True)
    with pytest.raises(BundleError, match=r"table\.txt is damaged"):
        opened.verify()


def test_a_changed_manifest_is_noticed(tmp_path: Path) -> None:
    write(tmp_path / "model")
    manifest = tmp_path / "model" / "model.toml"
    manifest.write_text(manifest.read_text().replace("languages = [", 'languages = ["xx",'))
    with pytest.raises(BundleError, match="its checksum differs"):
        Bundle.open(tmp_path / "model")


def test_a_folder_that_is_no_bundle_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "thesis").write_text("kept")
    with pytest.raises(FileError, match="has thesis in it, which was not made by this command"):
        write(tmp_path / "precious")
    assert (tmp_path / "precious" / "thesis").read_text() == "kept"


def test_a_bundle_of_another_kind_is_never_replaced(tmp_path: Path) -> None:
    write(tmp_path / "model")
    before = Bundle.open(tmp_path / "model")
    with (
        pytest.raises(BundleError, match=f"holds a bundle of kind '{before.kind}'"),
        writing_bundle(tmp_path / "model", kind="other"),
    ):
        pass
    Bundle.open(tmp_path / "model", kind=before.kind).verify()


WRITER = """
import sys
from pathlib import Path
from dragoman.bundle import writing_bundle
path, number = Path(sys.argv[1]), 0
print("ready", flush=True)
while True:
    number += 1
    with writing_bundle(path, kind="example", settings={"number": number}) as files:
        for name in "abc":
            (files / name).write_text(str(number) * 5000)
"""


@pytest.mark.slow
def test_killed_while_writing_leaves_a_whole_bundle_or_none(tmp_path: Path) -> None:
    chance = random.Random(5)
    path = tmp_path / "model"
    whole = 0
    for _ in range(12):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(chance.uniform(0.005, 0.08))
            os.kill(writer.pid, signal.SIGKILL)
        if not path.exists():
            continue
        bundle = Bundle.open(path)
        bundle.verify()
        whole += 1
        number = bundle.settings["number"]
        assert all(bundle.file(name).read_text() == str(number) * 5000 for name in "abc")
    assert whole > 0


def test_a_bundle_lost_between_two_renames_is_named(tmp_path: Path) -> None:
    write(tmp_path / "model")
    (tmp_path / "model").rename(tmp_path / ".model.xyz.replaced")
    with pytest.raises(BundleError, match="an earlier version was kept"):
        Bundle.open(tmp_path / "model")
