"""`dragoman combine` from files to files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dragoman
from dragoman.cli import app
from dragoman.errors import DragomanError, FileError, FormatError, LengthMismatch, SettingError, UntrustedCode
from dragoman.features.weights import Weights
from dragoman.lm import estimate
from dragoman.metrics import get_metric
from dragoman.pipeline.recipe import Recipe
from dragoman.text import synthetic
from dragoman.tuning.combination import CombinationDecoder
from dragoman.tuning.diversity import diversity

REFERENCE = ["the cat sat on the mat", "a dog ran home", "we saw the old house"]
OUTPUTS = [
    ["the cat sat on a mat", "a dog ran house", "we saw the old house"],
    ["a cat sits on the mat", "a dog ran home", "we see an old house"],
]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, lines in (("ref", REFERENCE), ("a", OUTPUTS[0]), ("b", OUTPUTS[1])):
        Path(name).write_text("".join(f"{line}\n" for line in lines))
    estimate(REFERENCE, order=2).build().save("lm")
    return tmp_path


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["--quiet", "combine", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_tuned_combination_beats_its_systems(files: Path) -> None:
    options = ("--ref", "ref", "--lm", "lm", "--stages", "exact", "--iterations", "3", "--nbest", "50", "--json")
    report = json.loads(run("tune", "a", "b", *options, "-o", "made"))
    bleu = get_metric("bleu:tokenize=none")
    assert max(report["scores"]) > 100 * max(bleu.corpus_score(output, REFERENCE) for output in OUTPUTS)
    combined = run("decode", "made", "a", "b").splitlines()
    assert 100 * bleu.corpus_score(combined, REFERENCE) == pytest.approx(max(report["scores"]))
    run("align", "a", "b", "--stages", "exact", "-o", "links")
    assert Path("links").read_text() == run("align", "a", "b", "--stages", "exact")
    assert run("decode", "made", "--matched", "links").splitlines() == combined
    again = json.loads(run("tune", "--matched", "links", *options, "-o", "again"))
    assert again == report
    listed = run("decode", "made", "a", "b", "--nbest", "3").splitlines()
    assert listed[0].split(" ||| ")[1].strip() == combined[0]
    assert len(set(listed)) == len(listed) > 3
    explained = [json.loads(line) for line in run("decode", "made", "a", "b", "--json").splitlines()]
    assert [entry["text"] for entry in explained] == combined
    assert "cat" in run("decode", "made", "a", "b", "--explain")
    assert CombinationDecoder.load("made").systems == 2


def test_choosing_and_voting(files: Path) -> None:
    assert set(run("select", "a", "a", "b").splitlines()) == set(OUTPUTS[0])
    run("vote", "a", "b", "-w", "1", "-w", "0", "-o", "out")
    assert Path("out").read_text().splitlines() == OUTPUTS[0]
    found = json.loads(run("diversity", "a", "a", "b", "--json"))
    assert found["useful"] == 1
    assert found["pairwise"][0][1] == pytest.approx(0)
    assert "percent" in run("diversity", "a", "b")


def test_choosing_from_lists(files: Path) -> None:
    Path("x").write_text("0 ||| a b c x ||| f= 1 ||| -1.0\n0 ||| a b c d ||| f= 1 ||| -1.1\n1 ||| e ||| f= 1 ||| 0\n")
    Path("y").write_text("0 ||| y b c d ||| f= 1 ||| -1.0\n0 ||| a b c d ||| f= 1 ||| -1.1\n")
    assert run("select", "x", "y", "--nbest", "2").splitlines() == ["a b c d", "e"]
    assert run("select", "x", "y", "--nbest", "2", "-w", "0", "-w", "1").splitlines() == ["y b c d", ""]
    assert run("select", "x", "y", "--nbest", "1").splitlines() == ["a b c x", "e"]
    assert run("select", "x", "y", "--nbest", "2", "--scale", "100", "--metric", "chrf").splitlines()[0] == "a b c x"
    said = CliRunner().invoke(app, ["combine", "select", "x", "y", "--nbest", "2"]).stderr
    assert "y has no candidates for 1 of 2 sentences" in said
    assert isinstance(refused("select", "a", "--nbest", "2"), FormatError)


def test_tuning_a_combination_is_logged_and_gone_on_with(files: Path) -> None:
    options = ("tune", "a", "b", "--ref", "ref", "--stages", "exact", "--nbest", "20", "--horizon", "alignment")
    more = ("--stay-threshold", "0.5", "--json", "-o", "made")
    run(*options, *more, "--log", "log", "--iterations", "1")
    longer = run(*options, *more, "--log", "log", "--resume", "--iterations", "3", "--plot", "curve.svg")
    assert longer == run(*options, *more, "--iterations", "3")
    assert CombinationDecoder.load("made").settings.stay_threshold == 0.5
    assert Path("curve.svg").read_text("utf-8").startswith("<svg")
    assert isinstance(refused(*options, "-o", "made", "--resume"), SettingError)
    assert isinstance(refused(*options, "-o", "made", "--stay-threshold", "2"), SettingError)
    shown = CliRunner().invoke(app, ["combine", *options, "-o", "made", "--iterations", "1"])
    assert "iteration 1: bleu" in shown.stderr


def refused(*arguments: str) -> DragomanError:
    result = CliRunner().invoke(app, ["combine", *arguments])
    assert isinstance(result.exception, DragomanError), result.output
    return result.exception


def test_bad_input_is_refused(files: Path) -> None:
    Path("short").write_text("one line\n")
    Path("mixed").write_text("1\na\n2\na\nb\n\n")
    assert "short: 1 lines, but a has 3" in str(refused("align", "a", "short"))
    assert isinstance(refused("tune", "a", "short", "--ref", "ref", "-o", "made"), LengthMismatch)
    assert str(refused("tune", "a", "b", "--ref", "short", "-o", "made")).startswith("short: 1 lines, but a has 3")
    assert isinstance(refused("tune", "a", "b", "--ref", "ref", "-o", "a"), FileError)
    assert isinstance(refused("tune", "--ref", "ref", "-o", "made"), SettingError)
    assert isinstance(refused("tune", "--matched", "mixed", "--ref", "ref", "-o", "made"), FormatError)
    assert not Path("made").exists()


def test_few_and_many_systems_are_worth_a_warning(files: Path) -> None:
    for systems, said in ((1, "fewer than two"), (11, "11 systems")):
        result = CliRunner().invoke(app, ["combine", "select", *["a"] * systems])
        assert result.stdout.splitlines() == OUTPUTS[0]
        assert said in result.stderr


def test_empty_outputs_take_no_part(files: Path) -> None:
    Path("a").write_text("\n\nwe saw the old house\n")
    Path("b").write_text("\nzzz yyy\n\n")
    run("tune", "a", "b", "--ref", "ref", "--lm", "lm", "--iterations", "1", "-o", "made")
    expected = ["", "zzz yyy", "we saw the old house"]
    assert run("decode", "made", "a", "b").splitlines() == expected
    assert run("select", "a", "b").splitlines()[0] == run("vote", "a", "b").splitlines()[0] == ""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    train = list(synthetic.pair("en-de").generate(200, seed=4))
    recipe = Recipe(order=3, aligner="fast", tuner="none", dev_size=20, search={"pop_limit": 30, "beam": 30})
    sides = [[item.source.text for item in train], [item.target.text for item in train]]
    path = tmp_path_factory.mktemp("models") / "model"
    dragoman.train(*sides, output=path, languages=("en", "de"), recipe=recipe)
    return path


@pytest.fixture
def dev(tmp_path: Path) -> list[str]:
    """Options that name the two sides of a dev set."""
    items = list(synthetic.pair("en-de").generate(20, seed=4, start=5000))
    for side in ("source", "target"):
        (tmp_path / side).write_text("".join(f"{getattr(item, side).text}\n" for item in items), "utf-8")
    return ["--dev-source", str(tmp_path / "source"), "--dev-target", str(tmp_path / "target")]


def test_copies_that_differ(model: Path, dev: list[str], tmp_path: Path) -> None:
    before = dragoman.load(model).weights
    place = [str(model), *dev]
    options = ("--copies", "2", "--iterations", "1", "--nbest", "20", "--threads", "1", "-o", str(tmp_path / "copies"))
    report = json.loads(run("diversify", *place, *options, "--alpha", "0.5", "--json"))
    assert len(report["scores"]) == len(report["new"]) == 2
    first, second = (Weights.load(tmp_path / "copies" / f"{number}.weights") for number in (1, 2))
    assert first != second
    assert dragoman.load(model).weights == before
    outputs = [(tmp_path / "copies" / f"{number}.tokens").read_text("utf-8").splitlines() for number in (1, 2)]
    assert report["new"][1] == pytest.approx(diversity(outputs).from_earlier[1])
    assert isinstance(refused("diversify", *place, *options, "--alpha", "1.5"), SettingError)
    (tmp_path / "short").write_text("eins\n")
    wrong = refused("diversify", str(model), *dev[:3], str(tmp_path / "short"), *options)
    assert isinstance(wrong, LengthMismatch)
    assert str(tmp_path / "short") in str(wrong)


def test_copies_of_a_model_with_features_in_python(
    model: Path, dev: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "copied_features.py").write_text(
        "from dragoman.features.base import RuleFeature\n\n"
        "class Words(RuleFeature):\n"
        "    def rule(self, sentence, option, fire):\n"
        "        fire('words', len(option.target))\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    dragoman.load(model).with_features(["copied_features:Words"]).save(tmp_path / "own")
    options = ("--copies", "1", "--iterations", "1", "--nbest", "5", "-o", str(tmp_path / "copies"))
    asked = ("diversify", str(tmp_path / "own"), *dev, *options)
    assert isinstance(refused(*asked), UntrustedCode)
    assert "bleu" in run(*asked, "--trust-features")
    assert (tmp_path / "copies" / "1.weights").is_file()
