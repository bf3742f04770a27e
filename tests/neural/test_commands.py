"""`dragoman joint`, and `dragoman rescore` with joint models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dragoman.cli import program
from dragoman.errors import InputError
from dragoman.neural.joint_model import JointModel
from dragoman.tuning.rescoring import RankedText, with_joint_scores

SETTINGS = ["hidden=16", "vector=8", "passes=12", "classes=3", "sum_units=4", "rate=0.1"]
GERMAN = ["das haus", "ein haus", "das buch", "ein buch"] * 40
ENGLISH = ["the house", "a house", "the book", "a book"] * 40
LINKS = ["0-0 1-1"] * 160
LISTS = (
    "0 ||| a book  ||| lm= -1 ||| -1 ||| 0-1=0-1 ||| 0-0 1-1 \n"
    "0 ||| the book  ||| lm= -1.5 ||| -1.5 ||| 0-1=0-1 ||| 0-0 1-1 \n"
)


def run(*words: object) -> None:
    program().main([str(word) for word in words], standalone_mode=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("joint")
    for name, lines in (("de", GERMAN), ("en", ENGLISH), ("links", LINKS)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    given = [word for each in SETTINGS for word in ("--set", each)]
    texts = [folder / name for name in ("de", "en", "links")]
    run("joint", "train", *texts, "-o", folder / "joint.bin", *given, "--threads", 1)
    run("joint", "train", *texts, "-o", folder / "back.bin", *given, "--threads", 1, "--reverse")
    return folder


def test_evaluation_and_scores(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = [folder / name for name in ("de", "en", "links")]
    run("joint", "evaluate", folder / "joint.bin", *texts, "--json")
    found = json.loads(capsys.readouterr().out)
    assert found["words"] == 3 * 160
    assert found["perplexity"] < 2
    run("joint", "evaluate", folder / "back.bin", *texts, "--reverse")
    assert "perplexity 1." in capsys.readouterr().out
    run("joint", "score", folder / "joint.bin", *texts, "--normalized")
    printed = [float(line) for line in capsys.readouterr().out.split()]
    model = JointModel.open(folder / "joint.bin")
    assert printed == pytest.approx(model.score(GERMAN, ENGLISH, LINKS, normalized=True).tolist(), abs=1e-6)


def test_lists_get_scores_of_both_directions(folder: Path) -> None:
    (folder / "lists").write_text(LISTS, "utf-8")
    (folder / "source").write_text("das buch\n", "utf-8")
    (folder / "weights").write_text("lm 0.1\njoint 1\nreverse_joint 1\n", "utf-8")
    models = "--joint", folder / "joint.bin", "--reverse-joint", folder / "back.bin", "--source", folder / "source"
    run("rescore", folder / "lists", *models, "-o", folder / "more")
    written = (folder / "more").read_text("utf-8")
    assert written.count("joint= ") == 4
    assert written.count("||| 0-0 1-1") == 2, "links stay"
    run("rescore", folder / "more", "--weights", folder / "weights", "--best", "-o", folder / "best")
    assert (folder / "best").read_text("utf-8") == "the book\n"


def test_what_cannot_be_scored_is_refused(folder: Path) -> None:
    model = JointModel.open(folder / "joint.bin")
    with pytest.raises(InputError, match="has no word links"):
        with_joint_scores([RankedText(0, "a book", {}, 0.0)], ["ein buch"], model)
    with pytest.raises(InputError, match="of 2 source words it knows 0"):
        with_joint_scores([RankedText(0, "a book", {}, 0.0, "0-0")], ["un livre"], model)
    with pytest.raises(InputError, match="a source text of 1 lines"):
        with_joint_scores([RankedText(1, "a book", {}, 0.0, "0-0")], ["ein buch"], model)
    with pytest.raises(InputError, match="already"):
        with_joint_scores([RankedText(0, "a book", {"joint": 1.0}, 0.0, "0-0")], ["ein buch"], model)
