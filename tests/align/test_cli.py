"""`dragoman align` as people type it."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.errors import InputError, LengthMismatch, SettingError, UnknownName


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "de").write_text("das Haus\ndas Buch\nein Buch\nein Haus\n" * 5)
    (tmp_path / "en").write_text("the house\nthe book\na book\na house\n" * 5)
    (tmp_path / "gold").write_text("0-0 1-1\n" * 20)
    return tmp_path


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["align", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_train_save_load_score_show(folder: Path) -> None:
    report = json.loads(run("de", "en", "-o", "links", "--save", "model", "--languages", "de-en", "--json"))
    assert (report["pairs"], report["used"]) == (20, 20)
    run("de", "en", "-o", "again", "--load", "model")
    assert (folder / "again").read_text() == (folder / "links").read_text() == "0-0 1-1\n" * 20
    assert json.loads(run("score", "links", "gold", "--json"))["aer"] == 0
    assert "■" in run("show", "de", "en", "links", "-n", "2")
    run("de", "en", "-o", "p", "--load", "model", "--posteriors")
    assert (folder / "p").read_text().startswith("0-0:")
    run("de", "en", "--aligner", "hmm", "--symmetrize", "none", "-o", "both", "--a3", "giza")
    run("symmetrize", "both.forward", "both.reverse", "-o", "sym", "--symmetrize", "intersection")
    assert (folder / "sym").read_text() == "0-0 1-1\n" * 20
    assert (folder / "giza.forward.A3").exists()
    (folder / "anchors").write_text("1|||das Haus|||the house|||1|||1\n")
    run("de", "en", "--aligner", "ibm1", "--anchors", "anchors", "-o", "anchored")
    assert (folder / "anchored").read_text().splitlines()[0] == "0-0 0-1 1-0 1-1"


def test_refuses(folder: Path) -> None:
    (folder / "short").write_text("the house\n")
    with pytest.raises(LengthMismatch, match="20 lines, short has 1"):
        run("de", "short", "-o", "x")
    run("de", "en", "-o", "links", "--save", "model", "--aligner", "ibm1")
    with pytest.raises(InputError, match="knows 0% of the source words"):
        run("en", "de", "-o", "x", "--load", "model")
    with pytest.raises(SettingError, match="--update needs --load"):
        run("de", "en", "-o", "x", "--update")


def test_order_of_translations(folder: Path) -> None:
    (folder / "source").write_text("a b c d\na b c d\n")
    (folder / "reference").write_text("w x y z\nw x y z\n")
    (folder / "gold").write_text("0-0 1-3 2-1 3-2\n0-0 1-1 2-2 3-3\n")
    (folder / "links").write_text("0-0 1-1 2-2 3-3\n0-0 1-1 2-2 3-3\n")
    arguments = ("order", "source", "reference", "links", "--ref", "reference", "--ref-links", "gold")
    found = json.loads(run(*arguments, "--json"))
    assert found == {"score": pytest.approx(100 * (0.4226 + 1) / 2, abs=0.01), "distance": "kendall", "sentences": 2}
    assert run(*arguments, "--distance", "hamming").startswith("LRscore (hamming) 62.50 of 2 sentences")
    (folder / "gold").write_text("0-0\n")
    with pytest.raises(LengthMismatch, match="files of 2, 2, 2, 2, 1 lines"):
        run(*arguments)


def test_mined_expressions_there_and_back(folder: Path) -> None:
    (folder / "fr").write_text("explication de vote écrite\nune explication de vote\nle vote\nexplication de vote\n")
    (folder / "gb").write_text("written explanation of vote\nan explanation of vote\nthe vote\nexplanation of vote\n")
    report = json.loads(run("mwe", "extract", "fr", "gb", "-o", "terms", "--json"))
    assert report["found"] >= 1
    assert (folder / "terms").read_text().startswith("explication de vote\texplanation of vote\t3\t1\n")
    report = json.loads(run("mwe", "group", "fr", "gb", "--expressions", "terms", "-o", "glued", "--json"))
    assert report == {"anchors": 3, "sentences": 3, "dropped": 0}
    assert (folder / "glued.source").read_text().splitlines()[1] == "une explication_de_vote"
    run("glued.source", "glued.target", "--anchors", "glued.anchors", "--aligner", "hmm", "-o", "links")
    run("mwe", "ungroup", "links", "glued.source", "glued.target", "-o", "words")
    assert len((folder / "words").read_text().splitlines()[3].split()) == 9
    (folder / "table").write_text("explication_de_vote ||| explanation_of_vote ||| 1 1 ||| 0-0\n")
    assert run("mwe", "ungroup-table", "table").startswith(
        "explication de vote ||| explanation of vote ||| 1 1 ||| 0-0"
    )
    with pytest.raises(SettingError, match="either --expressions or --anchors"):
        run("mwe", "group", "fr", "gb", "-o", "glued")
    (folder / "twice").write_text("1|||explication|||explanation|||1|||2\n1|||explication|||vote|||1|||4\n")
    report = json.loads(run("mwe", "group", "fr", "gb", "--anchors", "twice", "-o", "glued", "--json"))
    assert report["dropped"] == 2


def test_expressions_by_tags(folder: Path) -> None:
    (folder / "conllu").write_text("".join(_conllu(line) for line in (folder / "de").read_text().splitlines()))
    (folder / "patterns").write_text("DET NOUN\n")
    run("mwe", "extract", "de", "en", "-o", "terms", "--source-tags", "conllu", "--source-patterns", "patterns")
    found = [line.split("\t")[0] for line in (folder / "terms").read_text().splitlines()]
    assert set(found) == {"das Haus", "das Buch", "ein Haus", "ein Buch"}
    with pytest.raises(SettingError, match="give tags of both sides"):
        run("mwe", "extract", "de", "en", "--pairing", "em", "--source-tags", "conllu")
    (folder / "numbered").write_text("das Rad 2 dreht\n")
    (folder / "english").write_text("the wheel 2 turns\n")
    assert run("mwe", "extract", "numbered", "english", "--pairing", "numbers") == "1|||Rad 2|||wheel 2|||2|||2\n"


def _conllu(line: str) -> str:
    rows = [
        f"{at}\t{word}\t_\t{'NOUN' if word[0].isupper() else 'DET'}\t_\t_\t_\t_\t_\t_"
        for at, word in enumerate(line.split(), 1)
    ]
    return "\n".join(rows) + "\n\n"


def test_settings_links_by_hand_and_lexicon(folder: Path) -> None:
    (folder / "hand").write_text("0-1 1-0\n" + "\n" * 19)
    arguments = ("de", "en", "--aligner", "hmm", "--set", "iterations=2", "--set", "classes=2", "-o", "links")
    run(*arguments, "--known", "hand", "--known-share", "0.9", "--lexicon", "lex")
    assert (folder / "links").read_text().splitlines()[0] == "0-1 1-0"
    words = [line.split() for line in (folder / "lex.forward").read_text().splitlines()]
    total = sum(float(p) for _, given, p in words if given == "Buch")
    assert total == pytest.approx(1, abs=0.3)
    with pytest.raises(UnknownName, match="hmm has no setting 'chains'; it has max_length, "):
        run(*arguments, "--set", "chains=2")
    with pytest.raises(SettingError, match="iterations is 'many'; it must be a whole number"):
        run(*arguments, "--set", "iterations=many")
    with pytest.raises(SettingError, match="agreement is 'ture'; it must be true or false"):
        run(*arguments, "--set", "agreement=ture")
    (folder / "hand").write_text("0-1 1-0\n")
    with pytest.raises(LengthMismatch, match="1 lines, de has 20"):
        run(*arguments, "--known", "hand")


def test_letters_are_the_same_however_they_are_spelt(folder: Path) -> None:
    """A composed and a decomposed spelling (NFC, NFD) are one word to an aligner, when it is trained and used."""
    lines = ["das Gebäude", "das Büro", "ein Büro", "ein Gebäude"] * 5
    apart = [unicodedata.normalize("NFD", line) if at % 2 else line for at, line in enumerate(lines)]
    (folder / "composed").write_text("\n".join(lines) + "\n")
    (folder / "mixed").write_text("\n".join(apart) + "\n")
    run("composed", "en", "-o", "links", "--save", "model", "--aligner", "hmm")
    run("mixed", "en", "-o", "mixed.links", "--aligner", "hmm")
    run("mixed", "en", "-o", "loaded.links", "--load", "model")
    assert (folder / "mixed.links").read_text() == (folder / "links").read_text()
    assert (folder / "loaded.links").read_text() == (folder / "links").read_text()
