"""`dragoman score` from the outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.errors import EncodingError, InputError, LengthMismatch, SettingError, UnknownName

REF = [f"the cat number {n} sat on the mat." for n in range(110)]
HYP = [line.replace("sat", "sits") for line in REF]


def run(*arguments: str, text: str | None = None) -> str:
    result = CliRunner().invoke(app, ["score", *arguments], input=text, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ref").write_text("".join(f"{line}\n" for line in REF), "utf-8")
    (tmp_path / "hyp").write_text("".join(f"{line}\n" for line in HYP), "utf-8")
    return tmp_path


def sgml(kind: str, lines: list[str], **names: str) -> str:
    attributes = "".join(f' {key}="{value}"' for key, value in names.items())
    segments = "\n".join(f'<seg id="{n}">{line}</seg>' for n, line in enumerate(lines, 1))
    return f'<{kind} setid="t" srclang="de" trglang="en">\n<doc docid="d"{attributes}>\n{segments}\n</doc>\n</{kind}>\n'


@pytest.mark.usefixtures("files")
def test_table_and_json() -> None:
    table = run("hyp", "other=ref", "--ref", "ref")
    assert "other" in table
    assert "100.00 ± 0.00" in table
    found = json.loads(run("hyp", "--ref", "ref", "-m", "bleu", "-m", "bleu - ter", "--json"))
    assert set(found["systems"]["hyp"]) == {"bleu", "bleu - ter"}
    assert found["systems"]["hyp"]["bleu"]["low"] <= found["systems"]["hyp"]["bleu"]["score"]
    assert found["confidence"] == 0.95
    plain = json.loads(run("hyp", "-r", "ref", "-m", "ter", "--no-confidence", "--json"))
    assert "low" not in plain["systems"]["hyp"]["ter"]
    assert run("hyp", "-r", "ref", "--latex").startswith(r"\begin{tabular}")
    run("hyp", "other=ref", "-r", "ref", "--plot", "map.svg")
    assert "other, chrf" in Path("map.svg").read_text("utf-8")


@pytest.mark.usefixtures("files")
def test_threads_and_seed_give_the_same_bytes() -> None:
    outputs = {run("hyp", "-r", "ref", "--json", "--threads", threads) for threads in ("1", "2", "7")}
    assert len(outputs) == 1
    assert run("hyp", "-r", "ref", "-m", "bleu", "--json", "--seed", "5") != run(
        "hyp", "-r", "ref", "-m", "bleu", "--json"
    )


@pytest.mark.usefixtures("files")
def test_sentence_level_and_standard_input() -> None:
    rows = run("-", "-r", "ref", "-m", "bleu+1", "--sentence-level", text="\n".join(HYP)).splitlines()
    assert rows[0] == "system\tsegment\tbleu+1"
    assert len(rows) == 1 + len(HYP)
    found = json.loads(run("hyp", "-r", "ref", "-m", "ter", "--sentence-level", "--json"))
    assert len(found["systems"]["hyp"]["ter"]["sentences"]) == len(HYP)


def test_sgml_matches_segments_by_id(files: Path) -> None:
    (files / "ref.sgm").write_text(sgml("refset", REF, sysid="ref"), "utf-8")
    shuffled = sgml("tstset", HYP, sysid="S").splitlines()
    shuffled[2:-2] = reversed(shuffled[2:-2])
    (files / "hyp.sgm").write_text("\n".join(shuffled), "utf-8")
    one = json.loads(run("hyp.sgm", "-r", "ref.sgm", "--json"))["systems"]["hyp.sgm"]
    assert one == json.loads(run("hyp", "-r", "ref", "--json"))["systems"]["hyp"]
    (files / "short.sgm").write_text(sgml("tstset", HYP[:-1], sysid="S"), "utf-8")
    with pytest.raises(LengthMismatch, match="lacks segment '110' of document 'd'"):
        run("short.sgm", "-r", "ref.sgm")
    with pytest.raises(InputError, match="holds no reference, only hypothesis"):
        run("hyp.sgm", "-r", "hyp.sgm")


def test_bad_input(files: Path) -> None:
    (files / "short").write_text("one\n", "utf-8")
    with pytest.raises(LengthMismatch, match="ref: 110, short: 1"):
        run("short", "-r", "ref")
    (files / "nul").write_bytes(b"a\x00b\n" * 110)
    with pytest.raises(EncodingError, match="nul, line 1: a NUL"):
        run("nul", "-r", "ref")
    (files / "empty").write_text("\n" * 110, "utf-8")
    with pytest.raises(InputError, match="empty: all hypotheses are empty"):
        run("empty", "-r", "ref")
    with pytest.raises(InputError, match="reference 1, segment 1: an empty reference"):
        run("hyp", "-r", "empty")
    with pytest.raises(UnknownName, match="did you mean 'bleu'"):
        run("hyp", "-r", "ref", "-m", "bleuu")
    with pytest.raises(SettingError, match="standard input"):
        run("-", "-r", "-")


@pytest.mark.usefixtures("files")
def test_warnings_go_to_standard_error() -> None:
    Path("tokenized").write_text("".join(line.replace(".", " .") + "\n" for line in HYP), "utf-8")
    result = CliRunner().invoke(app, ["score", "tokenized", "-r", "ref", "--json"], catch_exceptions=False)
    assert "tokenized looks tokenized" in result.stderr
    assert json.loads(result.stdout)["warnings"]


def test_metrics_are_listed() -> None:
    result = CliRunner().invoke(app, ["list", "metrics", "--json"], catch_exceptions=False)
    found = json.loads(result.stdout)["metrics"]
    assert {"bleu", "chrf", "ter", "terpa", "meteor"} <= set(found)
    assert all(found.values())


@pytest.mark.usefixtures("files")
def test_domains_are_scored_by_themselves() -> None:
    Path("mixed").write_text("".join(f"{line}\n" for line in [*REF[:50], *HYP[50:]]), "utf-8")
    Path("web").write_text("51\n52\n", "utf-8")
    options = ("mixed", "-r", "ref", "-m", "bleu", "--no-confidence")
    found = json.loads(run(*options, "--domain", "news=1-40", "--domain", "web=web", "--json"))["domains"]
    assert list(found) == ["news", "web", "other", "all"]
    assert [found[name]["segments"] for name in found] == [40, 2, 68, 110]
    scores = {name: part["systems"]["mixed"]["bleu"]["score"] for name, part in found.items()}
    assert scores["news"] == pytest.approx(100)
    assert scores["web"] < scores["other"] < scores["all"] < 100
    assert scores["all"] == json.loads(run(*options, "--json"))["systems"]["mixed"]["bleu"]["score"]
    table = run(*options, "--domain", "news=1-110")
    assert "news: 110 segments" in table
    assert "other" not in table
    for more, error in ((["--domain", "x=1-111"], InputError), (["--domain", "x=1-2", "--latex"], SettingError)):
        with pytest.raises(error):
            CliRunner().invoke(app, ["score", *options, *more], catch_exceptions=False)
