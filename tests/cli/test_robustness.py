"""What hostile outputs, full disks, damaged models, odd numbers, long lines and readers that go away do to the program.

Everything here runs the real program: one line on standard error, exit code 2, nothing left behind, nothing replaced.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from tests.interrupting import heed_interrupts

TRAIN = ["--aligner", "fast", "--order", "3", "--iterations", "1", "--set", "search.pop_limit=40", "--set", "nbest=20"]


def dragoman(
    *arguments: str | Path,
    stdin: str = "",
    stdout: IO[str] | int = subprocess.PIPE,
    before: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dragoman", *map(str, arguments)]
    return subprocess.run(
        command,
        input=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        preexec_fn=before,
    )


def refused(run: subprocess.CompletedProcess[str], *words: str) -> None:
    assert run.returncode == 2, run.stderr
    assert run.stderr.startswith("dragoman: "), run.stderr
    assert run.stderr.count("\n") == 1, run.stderr
    for word in words:
        assert word.lower() in run.stderr.lower()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("robust") / "corpus"
    CliRunner().invoke(app, ["synth", "en-de", "--split", "train=200,dev=20,test=10", "-o", str(folder)])
    return folder


def train(corpus: Path, output: Path, before: Callable[[], None] | None = None) -> subprocess.CompletedProcess[str]:
    dev: list[str | Path] = ["--dev-source", corpus / "dev.en", "--dev-target", corpus / "dev.de"]
    return dragoman("train", corpus / "train.en", corpus / "train.de", *dev, "-o", output, *TRAIN, before=before)


@pytest.fixture(scope="module")
def trained(corpus: Path) -> Path:
    run = train(corpus, corpus.parent / "model")
    assert run.returncode == 0, run.stderr
    return corpus.parent / "model"


@pytest.fixture(scope="module")
def table(trained: Path) -> Path:
    return trained / "table.rules"


# Outputs


def device(name: str, number: int, folder: Path) -> Path:
    """A device that may be lost: root, who could replace those of the machine, gets one of its own."""
    if os.geteuid() != 0:
        return Path("/dev") / name
    os.mknod(folder / name, stat.S_IFCHR | 0o666, os.makedev(1, number))
    return folder / name


def writers(corpus: Path, trained: Path) -> dict[str, list[str | Path]]:
    table = trained / "table.rules"
    arpa = corpus.parent / "small.arpa"
    dragoman("lm", "estimate", corpus / "train.en", "-o", arpa, "--order", "2")
    links = corpus.parent / "links"
    links.write_text("0-0\n" * 200)
    return {
        "lm estimate": ["lm", "estimate", corpus / "train.en", "--order", "2"],
        "lm convert": ["lm", "convert", arpa],
        "lm bounds": ["lm", "bounds", arpa],
        "extract": ["extract", corpus / "train.en", corpus / "train.de", links],
        "table prune": ["table", "prune", table, "--top", "1"],
        "table filter": ["table", "filter", table, corpus / "test.en"],
        "table mix": ["table", "mix", table, trained / "." / "table.rules", "--names", "a,b"],
    }


def test_outputs_replace_neither_devices_nor_folders_and_follow_no_link(
    corpus: Path, trained: Path, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    for name, command in writers(corpus, trained).items():
        place = tmp_path / name.replace(" ", "-")
        (place / "folder").mkdir(parents=True)
        refused(dragoman(*command, "-o", place / "folder"), "folder")
        null = device("null", 3, place)
        refused(dragoman(*command, "-o", null), "null", "regular file")
        assert null.is_char_device()
        assert {path.name for path in place.iterdir()} <= {"folder", "null"}
        victim.write_text("kept")
        (place / "out.partial").symlink_to(victim)
        done = dragoman(*command, "-o", place / "out")
        assert done.returncode == 0, (name, done.stderr)
        assert victim.read_text() == "kept"
        assert sorted(path.name for path in place.iterdir()) == [
            "folder",
            *(["null"] if os.geteuid() == 0 else []),
            "out",
            "out.partial",
        ]


def test_text_goes_to_devices_and_a_folder_is_refused(table: Path, tmp_path: Path) -> None:
    null, full = device("null", 3, tmp_path), device("full", 7, tmp_path)
    assert dragoman("table", "export", table, "-o", null).returncode == 0
    refused(dragoman("table", "export", table, "-o", full), "full", "no space left")
    refused(dragoman("table", "export", table, "-o", tmp_path), "folder")
    assert null.is_char_device()
    assert full.is_char_device()
    with (tmp_path / "out").open("w") as file:  # /dev/stdout is then a link to a regular file
        assert dragoman("table", "export", table, "-o", "/dev/stdout", stdout=file).returncode == 0
    assert "|||" in (tmp_path / "out").read_text()
    assert Path("/dev/stdout").is_symlink()


# Full disks


def limit_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))


def test_a_full_disk_is_one_line_and_training_goes_on_from_there(corpus: Path, trained: Path, tmp_path: Path) -> None:
    output = tmp_path / "model"
    refused(train(corpus, output, before=limit_files), "file too large")
    assert not output.exists()
    done = train(corpus, output)
    assert done.returncode == 0, done.stderr
    for name in ("table.rules", "lm.bin"):
        assert (output / name).read_bytes() == (trained / name).read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_full_disk_below_other_writers(corpus: Path, trained: Path, tmp_path: Path) -> None:
    estimate = ("lm", "estimate", corpus / "train.en", "-o", tmp_path / "lm")
    refused(dragoman(*estimate, before=limit_files), "file too large")
    assert not list(tmp_path.iterdir())
    text = (corpus / "test.en").read_text()
    with Path("/dev/full").open("w") as full:
        refused(dragoman("-q", "translate", trained, stdin=text, stdout=full), "standard output", "No space left")
        refused(dragoman("list", "--json", stdout=full), "standard output")


def test_a_model_is_not_trained_for_a_folder_that_is_none(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1.tex").write_text("kept")
    started = time.monotonic()
    refused(train(corpus, tmp_path / "thesis"), "has chapter1.tex in it, which was not made by this command")
    assert time.monotonic() - started < 20
    assert [path.name for path in tmp_path.rglob("*")] == ["thesis", "chapter1.tex"]


# Damage


def test_damage_to_any_file_of_a_model_is_noticed_before_it_translates(
    trained: Path, corpus: Path, tmp_path: Path
) -> None:
    text = "".join(f"{line}\n" for line in (corpus / "test.en").read_text().splitlines()[:2])
    for file in sorted(path.relative_to(trained) for path in trained.rglob("*") if path.is_file()):
        if file.name in ("SHA256SUMS", "report.json"):
            continue
        model = tmp_path / "damaged"
        shutil.copytree(trained, model)
        raw = bytearray((model / file).read_bytes())
        at = raw.index(b"=") + 2 if file.name == "model.toml" else len(raw) * 2 // 3
        raw[at] ^= 1
        (model / file).write_bytes(raw)
        run = dragoman("translate", model, stdin=text)
        refused(run, "damaged")
        assert run.stdout == ""
        shutil.rmtree(model)


def test_verification_can_be_switched_off(trained: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    shutil.copytree(trained, model)
    manifest = (model / "model.toml").read_text()
    (model / "model.toml").write_text(manifest.replace("pop_limit = 40", "pop_limit = 41"))
    refused(dragoman("translate", model, stdin="a\n"), "--no-verify")
    assert dragoman("translate", model, "--no-verify", stdin="a\n").returncode == 0


# Numbers


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("lm", "classes", "FILE", "-o", "OUT", "--seed", "-1"), ("--seed is -1", "from 0 to")),
        (("lm", "score", "FILE", "FILE", "--threads", "-3"), ("--threads is -3", "from 0 to")),
        (("table", "lookup", "TABLE", "a", "--limit", "-5"), ("--limit is -5", "from 0 to")),
        (("translate", "MODEL", "--distortion-limit", "-2"), ("distortion_limit is -2", "from -1 to")),
        (("translate", "MODEL", "--beam", "100000000000000000000"), ("beam is 100000000000000000000", "from 1 to")),
        (("translate", "MODEL", "--nbest", "-1"), ("--nbest is -1", "from 0 to")),
        (("train", "FILE", "FILE", "-o", "OUT", "--seed", "-1"), ("--seed is -1", "from 0 to")),
    ],
)
def test_numbers_out_of_range(
    arguments: tuple[str, ...], words: tuple[str, ...], trained: Path, corpus: Path, tmp_path: Path
) -> None:
    places = {
        "FILE": corpus / "train.en",
        "OUT": tmp_path / "out",
        "MODEL": trained,
        "TABLE": trained / "table.rules",
    }
    refused(dragoman(*(places.get(each, each) for each in arguments), stdin="a\n"), *words)


@pytest.mark.parametrize("value", ["4.5", "1e400", "-1", '"many"', "[" * 50_000])
def test_numbers_in_a_manifest(value: str, trained: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    shutil.copytree(trained, model)
    text = (model / "model.toml").read_text().replace("pop_limit = 40", f"pop_limit = {value}")
    (model / "model.toml").write_text(text)
    refused(dragoman("translate", model, "--no-verify", stdin="a\n"), str(model), "damaged")


def test_nothing_to_measure_is_valid_json(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("")
    dragoman("lm", "estimate", corpus / "train.en", "-o", tmp_path / "lm", "--order", "2")
    run = dragoman("lm", "perplexity", tmp_path / "lm", tmp_path / "empty", "--json")
    assert run.returncode == 0
    assert json.loads(run.stdout, parse_constant=lambda name: pytest.fail(name))["perplexity"] is None


def test_scores_that_no_number_holds(tmp_path: Path) -> None:
    for score, fine in (("1e-400", True), ("1e400", False), ("0." + "0" * 400 + "1", True), ("9" * 400, False)):
        (tmp_path / "table").write_text(f"a ||| b ||| {score} 0.5 0.5 0.5 ||| 0-0 ||| 1 1 1\n")
        run = dragoman("table", "import", tmp_path / "table", "-o", tmp_path / "out")
        if fine:
            assert run.returncode == 0, run.stderr
        else:
            refused(run, "line 1", "is no probability")


# Time


def test_a_reader_that_goes_away_is_no_error(trained: Path, corpus: Path) -> None:
    text = (corpus / "train.en").read_text() * 5
    run = subprocess.run(
        f"{sys.executable} -m dragoman translate {trained} | head -n 1; echo ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.splitlines()[1] in ("0", "141")
    assert "Traceback" not in run.stderr
    assert "roken" not in run.stderr


def test_a_long_line_can_be_interrupted(trained: Path, corpus: Path) -> None:
    words = (corpus / "train.en").read_text().split()
    text = " ".join((words * (200_000 // len(words) + 1))[:200_000]).replace(".", "x")
    command = [
        sys.executable,
        "-m",
        "dragoman",
        "-q",
        "translate",
        str(trained),
        "--beam",
        "2000",
        "--pop-limit",
        "2000",
    ]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, preexec_fn=heed_interrupts) as run:
        assert run.stdin is not None
        run.stdin.write(text.encode() + b"\n")
        run.stdin.close()
        run.stdin = None
        time.sleep(12)
        assert run.poll() is None
        started = time.monotonic()
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
        assert time.monotonic() - started < 8
        assert run.returncode == 130


def test_a_line_can_be_too_long(trained: Path) -> None:
    text = "a b c\n" + "word " * 5000 + "\n"
    refused(dragoman("translate", trained, "--max-tokens", "100", stdin=text), "5,000 tokens where at most 100")
    assert dragoman("translate", trained, "--max-tokens", "100", stdin="a b c\n").returncode == 0


def test_comments_do_not_stop_a_reader(tmp_path: Path) -> None:
    (tmp_path / "hypotheses").write_text("<!-- c -->\n" * 2000 + " " * 20_000)
    (tmp_path / "references").write_text("<!-- c -->\n" * 2000 + " " * 20_000)
    started = time.monotonic()
    run = dragoman("score", tmp_path / "hypotheses", "-r", tmp_path / "references", "-m", "bleu")
    assert run.returncode in (0, 2), run.stderr
    assert time.monotonic() - started < 30


def test_text_that_is_longer_than_names_can_be_is_no_model(trained: Path) -> None:
    """What stands where a model should is looked for as a file, which has a name that no file can have."""
    text = "word " * 2000
    refused(dragoman("lm", "deep", "perplexity", text, "none"))
    refused(dragoman("explain", text, str(trained)), "text, not a model; the model comes first")
