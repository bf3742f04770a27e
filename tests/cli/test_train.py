"""`dragoman train`, `translate`, `explain`, `decode`, `export-moses`: pipes, formats, one-line errors."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.errors import BundleError, DragomanError, FileError, LengthMismatch, SettingError, UnknownName
from dragoman.files import read_lines

RUN = CliRunner()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli") / "corpus"
    RUN.invoke(app, ["synth", "en-de", "--split", "train=300,dev=30,test=10", "-o", str(folder)])
    return folder


@pytest.fixture(scope="module")
def trained(corpus: Path) -> Path:
    output = corpus.parent / "model"
    result = RUN.invoke(
        app,
        [
            "train",
            str(corpus / "train.en"),
            str(corpus / "train.de"),
            "--dev-source",
            str(corpus / "dev.en"),
            "--dev-target",
            str(corpus / "dev.de"),
            "-o",
            str(output),
            "--aligner",
            "fast",
            "--order",
            "3",
            "--iterations",
            "2",
            "--set",
            "search.pop_limit=40",
            "--set",
            "nbest=20",
            "--json",
        ],
    )
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["preflight"]["train"]["segments"] == 300
    assert report["stages"]["tuning"]["tuner"] == "mira"
    assert report["stages"]["tuning"]["dev_bleu"] > 5
    return output


def test_training_shows_sizes_and_stages(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text('aligner = "fast"\ntuner = "none"\norder = 2\n')
    result = RUN.invoke(
        app,
        [
            "train",
            str(corpus / "train.en"),
            str(corpus / "train.de"),
            "-o",
            str(tmp_path / "m"),
            "--config",
            str(tmp_path / "recipe.toml"),
            "--order",
            "3",
            "--reordering",
            "none",
        ],
    )
    assert result.exit_code == 0, result.output
    assert "en-de; needs about" in result.stdout
    assert "alignment" in result.stdout
    recipe = json.loads(RUN.invoke(app, ["info", str(tmp_path / "m"), "--json"]).stdout)["provenance"]["recipe"]
    assert (recipe["aligner"], recipe["order"], recipe["reordering"]) == ("fast", 3, "")


def test_lines_in_lines_out_in_order(trained: Path, corpus: Path, tmp_path: Path) -> None:
    lines = list(read_lines(corpus / "test.en"))
    text = "".join(f"{line}\n\n" for line in lines)
    piped = RUN.invoke(app, ["translate", str(trained)], input=text)
    (tmp_path / "in.txt").write_text(text)
    threaded = RUN.invoke(app, ["translate", str(trained), str(tmp_path / "in.txt"), "-j", "3"])
    assert piped.stdout == threaded.stdout
    found = piped.stdout.splitlines()
    assert len(found) == 20
    assert not any(found[1::2])
    assert all(found[::2])


def test_json_lines(trained: Path) -> None:
    result = RUN.invoke(app, ["translate", str(trained), "--json", "--nbest", "3"], input="The house.\n\n")
    first, second = map(json.loads, result.stdout.splitlines())
    assert first["id"] == 0
    assert first["nbest"][0]["text"] == first["text"]
    assert first["sentences"][0]["phrases"][0]["features"]
    assert second["text"] == ""


def test_nbest_lists_as_moses_writes_them(trained: Path) -> None:
    result = RUN.invoke(app, ["translate", str(trained), "--nbest", "3"], input="The house.\nA cat.\n")
    rows = [line.split(" ||| ") for line in result.stdout.splitlines()]
    assert {row[0] for row in rows} == {"0", "1"}
    assert all(len(row) >= 4 and "lm= " in row[2] and float(row[3]) for row in rows)


def test_search_options_reach_the_decoder(trained: Path) -> None:
    marked = RUN.invoke(app, ["translate", str(trained), "--unknown", "mark"], input="The flurbish house.\n")
    assert "<unk:flurbish>" in marked.stdout.lower()
    for options in (
        ["--search", "stack", "--beam", "20"],
        ["--distortion-limit", "0"],
        ["--pop-limit", "5"],
        ["--check-features"],
    ):
        result = RUN.invoke(app, ["translate", str(trained), *options], input="The old house.\n")
        assert result.exit_code == 0
        assert result.stdout.strip()


def test_choosing_by_consensus(trained: Path, corpus: Path) -> None:
    command = ["translate", str(trained), str(corpus / "test.en")]
    chosen = RUN.invoke(app, [*command, "--consensus", "20", "--scale", "0.05"]).stdout.splitlines()
    assert len(chosen) == 10
    assert chosen != RUN.invoke(app, command).stdout.splitlines()
    lists = RUN.invoke(app, [*command, "--consensus", "20", "--scale", "0.05", "--nbest", "2", "--json"]).stdout
    for text, found in zip(chosen, map(json.loads, lists.splitlines()), strict=True):
        assert found["text"] == found["nbest"][0]["text"] == text
        assert found["score"] == pytest.approx(sum(sentence["score"] for sentence in found["sentences"]))
        assert found["score"] == pytest.approx(found["nbest"][0]["score"])
    assert isinstance(RUN.invoke(app, [*command, "--consensus", "2", "--scale", "0"]).exception, SettingError)


def test_explaining_on_the_way(trained: Path) -> None:
    result = RUN.invoke(app, ["translate", str(trained), "--explain"], input="The house.\n")
    assert "total" in result.stdout


def test_a_line_that_comes_alone_does_not_wait(trained: Path) -> None:
    command = [sys.executable, "-m", "dragoman", "translate", str(trained)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as job:
        assert job.stdin is not None
        assert job.stdout is not None
        for line in ("The house.\n", "The cat.\n"):
            job.stdin.write(line)
            job.stdin.flush()
            started = time.monotonic()
            assert job.stdout.readline().strip()
            assert time.monotonic() - started < 60
        job.stdin.close()


def test_explain_draws(trained: Path, tmp_path: Path) -> None:
    for name in ("why.svg", "why.html"):
        result = RUN.invoke(app, ["explain", str(trained), "The <b>old</b> house & cat.", "-o", str(tmp_path / name)])
        assert result.exit_code == 0, result.output
        assert "total" in result.stdout
    root = ElementTree.fromstring((tmp_path / "why.svg").read_text("utf-8"))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "house" in texts
    assert "&" in texts
    assert "<table>" in (tmp_path / "why.html").read_text("utf-8")
    plain = RUN.invoke(app, ["explain", str(trained), "The old house.", "--json"])
    assert json.loads(plain.stdout)["nbest"]
    piped = RUN.invoke(app, ["explain", str(trained), "--json"], input="The old house.\n")
    assert json.loads(piped.stdout)["nbest"] == json.loads(plain.stdout)["nbest"]


def test_moses_and_back(trained: Path, corpus: Path, tmp_path: Path) -> None:
    result = RUN.invoke(app, ["export-moses", str(trained), "-o", str(tmp_path / "moses"), "--json"])
    assert set(json.loads(result.stdout)["files"]) == {"phrase-table.gz", "reordering-table.gz", "lm.arpa", "moses.ini"}
    text = (corpus / "test.tok.en").read_text("utf-8").lower()
    ini = ["decode", "--ini", str(tmp_path / "moses" / "moses.ini")]
    decoded = [json.loads(line) for line in RUN.invoke(app, [*ini, "--json"], input=text).stdout.splitlines()]
    parts = [
        "decode",
        "--table",
        str(trained / "table.rules"),
        "--lm",
        str(trained / "lm.bin"),
        "--weights",
        str(next(trained.glob("weights*"))),
        "--pop-limit",
        "40",
        "--cache",
        str(tmp_path / "cache"),
    ]
    ours = [json.loads(line) for line in RUN.invoke(app, [*parts, "--json"], input=text).stdout.splitlines()]
    assert [each["text"] for each in decoded] == [each["text"] for each in ours]
    scale = decoded[0]["score"] / ours[0]["score"]  # weights for Moses sum to 1
    assert [each["score"] for each in decoded] == pytest.approx([each["score"] * scale for each in ours], abs=1e-4)
    nbest = RUN.invoke(app, [*ini, "--nbest", "2", "--segments"], input="the house .\n").stdout.splitlines()
    assert [len(line.split(" ||| ")) for line in nbest] == [6, 6]


def test_templates_and_domains(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "web.lines").write_text("".join(f"{line}\n" for line in range(1, 300, 3)))
    trained = RUN.invoke(
        app,
        [
            "train",
            str(corpus / "train.en"),
            str(corpus / "train.de"),
            "--dev-source",
            str(corpus / "dev.en"),
            "--dev-target",
            str(corpus / "dev.de"),
            "-o",
            str(tmp_path / "m"),
            "--aligner",
            "fast",
            "--order",
            "3",
            "--iterations",
            "1",
            "--set",
            "search.pop_limit=30",
            "--set",
            "nbest=20",
            "--templates",
            "domain,shape",
            "--set",
            "template_min_count=2",
            "--set",
            "domains=news,web",
            "--domain",
            f"web={tmp_path / 'web.lines'}",
            "--domain",
            "news=100-200",
            "--dev-domain",
            "web=1-15",
            "--set",
            "tuner_settings=batch=10,l1_families.rule=0.05",
        ],
    )
    assert trained.exit_code == 0, trained.output
    assert "tuner online" in trained.stdout
    text = "The old house.\nThe cat sleeps.\n"
    web = RUN.invoke(app, ["translate", str(tmp_path / "m"), "--domain", "web", "--json"], input=text)
    first = json.loads(web.stdout.splitlines()[0])
    assert any(name.endswith("@web") for name in first["sentences"][0]["features"])
    by_lines = [["web=1-1"], [f"web={tmp_path / 'first.line'}"], ["news", "web=1-1"], ["web", "news=2-2"]]
    (tmp_path / "first.line").write_text("1\n")
    for given in by_lines:
        options = [option for each in given for option in ("--domain", each)]
        found = RUN.invoke(app, ["translate", str(tmp_path / "m"), *options, "--json"], input=text).stdout.splitlines()
        assert json.loads(found[0])["score"] == first["score"]
        fired = json.loads(found[1])["sentences"][0]["features"]
        assert any(name.endswith("@news") for name in fired)
        assert not any(name.endswith("@web") for name in fired)
    for options, wrong in (
        (["--domain", "web=2-3"], "line 3, but there are 2"),
        (["--domain", "web", "--domain", "news"], "which lines"),
        (["--domain", "web=1-1", "--domain", "news=1-1"], "two domains"),
        (["--domain", "talk=1-1"], "no domain 'talk'"),
        (["--domain", "web="], "is no domain"),
    ):
        refused = RUN.invoke(app, ["translate", str(tmp_path / "m"), *options], input=text)
        assert isinstance(refused.exception, DragomanError)
        assert wrong in str(refused.exception)
    explained = RUN.invoke(app, ["explain", str(tmp_path / "m"), "The old house.", "--domain", "news"])
    assert "sparse" in explained.stdout
    nbest = RUN.invoke(app, ["translate", str(tmp_path / "m"), "--nbest", "2"], input=text)
    assert "shape:2x" in nbest.stdout or "shape:1x" in nbest.stdout
    talk = RUN.invoke(app, ["translate", str(tmp_path / "m"), "--domain", "talk"], input=text)
    assert isinstance(talk.exception, SettingError)
    exported = RUN.invoke(app, ["export-moses", str(tmp_path / "m"), "-o", str(tmp_path / "moses"), "--json"])
    assert json.loads(exported.stdout)["left_out"]
    parts = [
        "decode",
        "--table",
        str(tmp_path / "m" / "table.rules"),
        "--lm",
        str(tmp_path / "m" / "lm.bin"),
        "--json",
        "--weights",
        str(tmp_path / "m" / "weights.txt"),
        "--pop-limit",
        "30",
    ]
    for spec in ("rule:min_count=2", "link", "orient:min_count=2"):
        parts += ["--templates", f"{spec},domains=news+web" if ":" in spec else f"{spec}:domains=news+web"]
    parts += ["--templates", "domain:domains=news+web", "--templates", "domain_adjacent:domains=news+web"]
    decoded = RUN.invoke(app, [*parts, "--templates", "shape", "--domain", "web"], input="the old house .\n")
    assert json.loads(decoded.stdout)["score"] == pytest.approx(first["score"], abs=1e-6)
    unknown = RUN.invoke(app, parts, input="the old house .\n")  # weights of `shape`, and no such template
    assert isinstance(unknown.exception, UnknownName)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["train", "no.en", "no.de", "-o", "m"], FileError),
        (["train", "a", "b", "-o", "m", "-l", "english"], SettingError),
        (["train", "a", "b", "-o", "m", "--dev-source", "a"], SettingError),
        (["train", "a", "b", "-o", "m", "-l", "en-de"], LengthMismatch),
        (["train", "a", "a", "-o", "m", "--set", "ordre=3"], UnknownName),
        (["train", "a", "a", "-o", "m", "--aligner", "guess"], SettingError),
        (["translate", "nowhere"], BundleError),
        (["translate", "MODEL", "nofile"], FileError),
        (["translate", "MODEL", "--weights", "nan.txt"], DragomanError),
        (["translate", "MODEL", "--weights", "unknown.toml"], UnknownName),
        (["translate", "MODEL", "--search", "guess"], SettingError),
        (["explain", "MODEL", "x", "-o", "x.png"], SettingError),
        (["decode"], SettingError),
        (["decode", "--table", "a"], SettingError),
        (["decode", "--table", "nofile", "--lm", "a"], FileError),
        (["decode", "--ini", "a"], DragomanError),
        (["export-moses", "nowhere", "-o", "x"], BundleError),
    ],
)
def test_mistakes_are_our_errors(
    arguments: list[str], error: type[Exception], trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_text("a b\n" * 20)
    (tmp_path / "b").write_text("a b\n" * 19)
    (tmp_path / "nan.txt").write_text("lm nan\n")
    (tmp_path / "unknown.toml").write_text("lmm = 1.0\n")
    chosen = [str(trained) if argument == "MODEL" else argument for argument in arguments]
    result = RUN.invoke(app, chosen, input="x\n")
    assert isinstance(result.exception, error), result.exception
    assert not (tmp_path / "m").exists()
