"""Folders of others are left alone: by every command that writes a folder, and before it works for hours."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from dragoman.bundle import Bundle, writing_bundle
from dragoman.pipeline.train import train
from dragoman.text import synthetic
from tests.cli.test_words import COMMANDS
from tests.commands import Run

WRITERS: dict[str, tuple[str, ...]] = {
    "demo": ("-o", "FOLDER"),
    "train": ("pairs.en", "pairs.de", "--tuner", "none", "-o", "FOLDER"),
    "tune": ("model", "--dev-source", "pairs.en", "--dev-target", "pairs.de", "--save-as", "FOLDER"),
    "confidence": ("model", "--dev-source", "pairs.en", "--dev-target", "pairs.de", "-o", "FOLDER"),
    "translate": ("model", "pairs.en", "--search", "exact", "--certificate", "FOLDER"),
    "export-moses": ("model", "-o", "FOLDER"),
    "synth": ("en-de", "-n", "3", "-o", "FOLDER"),
    "corpus get": ("debian", "en-ja", "-o", "FOLDER"),
    "text recase train": ("pairs.de", "-o", "FOLDER"),
    "align run": ("pairs.en", "pairs.de", "-o", "links", "--save", "FOLDER"),
    "annotate train": ("trees.conllu", "-o", "FOLDER"),
    "combine tune": ("pairs.en", "pairs.en", "--ref", "pairs.en", "-o", "FOLDER"),
    "combine diversify": ("model", "--dev-source", "pairs.en", "--dev-target", "pairs.de", "-o", "FOLDER"),
    "profiles build": ("pairs.en", "-o", "FOLDER"),
    "similarity fit": ("pairs.tsv", "--with", "takelab", "-o", "FOLDER"),
    "similarity records fit": ("records.jsonl", "pairs.tsv", "--gold", "gold.tsv", "-o", "FOLDER"),
    "entail fit": ("pairs.conllu", "-o", "FOLDER"),
    "entail across fit": (
        "pairs.xml", "--aligner", "aligner", "--source", "pairs.en", "--target", "pairs.de", "-o", "FOLDER",
    ),
    "assess new": ("campaign.toml", "-o", "FOLDER"),
    "assess demo": ("--only-make", "--items", "10", "-o", "FOLDER"),
}  # fmt: skip
"""How each command is asked to write a folder. What it reads need not exist where the folder is looked at first."""

IN_PLACE = {
    "demo",
    "translate",
    "export-moses",
    "synth",
    "corpus get",
    "text recase train",
    "combine diversify",
    "assess new",
    "assess demo",
}
"""Those that write plain files; the others write bundles, each of a kind of its own."""

CAMPAIGN = """\
name = "news"
protocol = "adequacy"
[[testsets]]
pair = "en-de"
reference = "pairs.de"
systems = { A = "pairs.de", B = "pairs.en" }
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    items = list(synthetic.pair("en-de").generate(60, seed=3))
    folder = tmp_path_factory.mktemp("made")
    for side, texts in (("en", [item.source.text for item in items]), ("de", [item.target.text for item in items])):
        (folder / f"pairs.{side}").write_text("".join(f"{text}\n" for text in texts), "utf-8")
    recipe = {"aligner": "fast", "tuner": "none"}
    train(folder / "pairs.en", folder / "pairs.de", output=folder / "model", languages="en-de", recipe=recipe)
    return folder


@pytest.fixture
def here(tmp_path: Path, model: Path) -> Path:
    """A folder to work in, with a text, a model and a recipe of a campaign."""
    for name in ("pairs.en", "pairs.de", "model"):
        (tmp_path / name).symlink_to(model / name)
    (tmp_path / "campaign.toml").write_text(CAMPAIGN, "utf-8")
    return tmp_path


def _call(name: str, folder: str) -> list[str]:
    return [*name.split(), *(folder if word == "FOLDER" else word for word in WRITERS[name])]


def test_the_list_is_complete() -> None:
    """Whatever option a command writes to is called FOLDER in help if it is one, and is in the list."""
    written = {"--output", "--save", "--save-as", "--certificate"}
    shown = {
        name
        for name, command in COMMANDS.items()
        for each in command.params
        if each.opts[0] in written and re.search(r"\bfolder\b", each.help or "", re.I)
    }
    assert shown == set(WRITERS)
    for name in WRITERS:
        option = next(word for word, value in zip(WRITERS[name], WRITERS[name][1:], strict=False) if value == "FOLDER")
        found = next(each for each in COMMANDS[name].params if option in each.opts)
        assert found.metavar == "FOLDER", name
    for name, command in COMMANDS.items():
        code = inspect.getsource(inspect.unwrap(command.callback))
        if re.search(r"place_for_bundle|own_folder|writing_directory|certificate_folder|campaign_folder\(", code):
            assert name in WRITERS


@pytest.mark.parametrize("name", WRITERS)
def test_files_of_others_stay(name: str, here: Path, run: Run) -> None:
    theirs = here / "theirs"
    (theirs / "drafts").mkdir(parents=True)
    (theirs / "drafts" / "letter.txt").write_text("mine", "utf-8")
    said = run(*_call(name, "theirs"), code=2)
    assert "theirs" in said
    assert "choose another name" in said
    assert [file.read_text("utf-8") for file in theirs.rglob("*") if file.is_file()] == ["mine"]
    assert not list(here.glob(".theirs*")), "nothing was begun"


@pytest.mark.parametrize("name", WRITERS)
def test_the_folder_you_are_in_is_not_replaced(name: str, here: Path, run: Run) -> None:
    before = sorted(file.name for file in here.iterdir())
    assert run(*_call(name, "."), code=2)
    assert sorted(file.name for file in here.iterdir()) == before


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_a_bundle_of_another_kind_stays(name: str, here: Path, run: Run) -> None:
    with writing_bundle(here / "theirs", kind="something else") as files:
        (files / "content").write_text("mine", "utf-8")
    said = run(*_call(name, "theirs"), code=2)
    assert "theirs" in said
    if name not in IN_PLACE:
        assert "holds a bundle of kind 'something else', which was not made by this command" in said
    Bundle.open(here / "theirs").verify()


def test_a_model_is_replaced_by_force_alone(here: Path, run: Run) -> None:
    run("train", "pairs.en", "pairs.de", "--tuner", "none", "--set", "aligner=fast", "-o", "other")
    made = Bundle.open(here / "other").created
    for name in ("train", "tune", "confidence"):
        said = run(*_call(name, "other"), code=2)
        assert "there is one already" in said
        assert "--force" in said
    assert Bundle.open(here / "other").created == made


def test_certificates_replace_older_ones_and_nothing_else(here: Path, run: Run) -> None:
    (here / "text").write_text("the house\nthe house\n", "utf-8")
    exact = ("-q", "translate", "model", "text", "--search", "exact", "--certificate", "proofs")
    run(*exact)
    assert sorted(file.name for file in (here / "proofs").iterdir()) == ["000001.json", "000002.json"]
    (here / "text").write_text("the house\n", "utf-8")
    run(*exact)
    assert [file.name for file in (here / "proofs").iterdir()] == ["000001.json"]
    run("verify-certificate", "model", "proofs/000001.json")
    (here / "proofs" / "000007.json").write_text('{"note": "mine"}', "utf-8")
    assert "has 000007.json in it" in run(*exact, code=2)
    assert sorted(file.name for file in (here / "proofs").iterdir()) == ["000001.json", "000007.json"]
