from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dragoman
from dragoman.cli import app
from dragoman.errors import SettingError, UnknownName
from dragoman.pipeline.model import Model
from dragoman.pipeline.search_errors import find_search_errors, named_searches, settings_to_compare
from dragoman.search.settings import HieroSettings, PhraseSettings
from tests.pipeline.conftest import SMALL, Sides

run = CliRunner()


@pytest.fixture(scope="module")
def plain(bitext: Sides, tmp_path_factory: pytest.TempPathFactory) -> Model:
    """A model whose only states are those of its language model."""
    output = tmp_path_factory.mktemp("plain") / "en-de"
    recipe = SMALL.changed(["reordering=", "templates=", "classes=0", "search.distortion_limit=3"])
    return dragoman.train(*bitext, output=output, languages=("en", "de"), recipe=recipe)


def test_names_of_searches() -> None:
    found = named_searches(["cube:10,100", "pop-limit=5, beam=7", "final-jump=on"], PhraseSettings)
    assert found == {
        "cube:10": {"search": "cube", "pop_limit": 10, "beam": 10},
        "cube:100": {"search": "cube", "pop_limit": 100, "beam": 100},
        "pop-limit=5, beam=7": {"pop_limit": 5, "beam": 7},
        "final-jump=on": {"final_jump": True},
    }
    with pytest.raises(SettingError, match="no search"):
        named_searches(["cube"], PhraseSettings)
    with pytest.raises(SettingError, match="beam is 'many'; it must be a whole number"):
        named_searches(["beam=many"], PhraseSettings)
    with pytest.raises(UnknownName, match="did you mean 'beam'"):
        named_searches(["baem=7"], HieroSettings)


def test_values_of_a_setting() -> None:
    assert settings_to_compare("distortion-limit=2, 4", PhraseSettings) == {
        "distortion_limit 2": {"distortion_limit": 2},
        "distortion_limit 4": {"distortion_limit": 4},
    }
    assert settings_to_compare("", PhraseSettings) == {"": {}}
    with pytest.raises(SettingError, match="no setting with values"):
        settings_to_compare("distortion-limit", PhraseSettings)
    with pytest.raises(UnknownName, match="no setting 'distortion_limit'"):
        settings_to_compare("distortion-limit=2,4", HieroSettings)


def test_errors_of_small_beams(plain: Model, heldout: Sides) -> None:
    searches = named_searches(["cube:1,1000", "stack:1"], PhraseSettings)
    found = find_search_errors(plain.with_settings(option_limit=5), heldout[0], searches, references=[heldout[1]])
    small, large, stack = found.systems
    assert found.proved == found.sentences == len(heldout[0])
    assert len(small.errors) >= len(stack.errors) > 0
    assert len(large.errors) <= len(small.errors)
    assert found.metric is not None
    assert small.metric is not None


@pytest.mark.parametrize("kind", ["hiero", "lr-hiero"])
def test_errors_of_hierarchical_search(kind: str, bitext: Sides, heldout: Sides, tmp_path: Path) -> None:
    recipe = SMALL.changed([f"kind={kind}", "templates=", "classes=0", "search.option_limit=5"])
    model = dragoman.train(*bitext, output=tmp_path / kind, languages=("en", "de"), recipe=recipe)
    lines = [line for line in heldout[0] if len(line.split()) <= 8]
    diverse = "pop_limit=2,beam=2" + (",queue_diversity=5" if kind == "lr-hiero" else "")
    searches = named_searches(["cube:1,1000", diverse], type(model.decoder.settings))
    found = find_search_errors(model, lines, searches)
    small, large, _ = found.systems
    assert found.proved == found.sentences == len(lines)
    assert len(large.errors) <= len(small.errors)
    assert small.errors
    for error in small.errors:
        assert error.gap > 0
        for output in (error.found, error.best):
            covered = [at for step in output.derivation for at in range(*step.span) if step.depth == 0]
            assert sorted(covered) == list(range(len(covered))), "rules that no other holds cover each word once"
    steps = [step for error in small.errors for step in error.best.derivation]
    assert any("[1]" in step.source and "[1]" in step.target for step in steps), "rules keep their nonterminals"

    text, told = tmp_path / "text", tmp_path / "lines"
    text.write_text("\n".join(lines) + "\n")
    command = ["search-errors", str(model.path), str(text), "--system", "cube:1", "--side-by-side", "30"]
    done = run.invoke(app, [*command, "--lines", str(told)])
    assert done.exit_code == 0, done.output
    assert "\n  " in done.stdout, "what stands in a rule is indented"
    first = json.loads(told.read_text().splitlines()[0])
    assert set(first["best"]["derivation"][0]) == {"source", "target", "span", "depth"}


def test_a_model_with_all_features_is_proved(model: Model, heldout: Sides) -> None:
    """Reordering, classes and templates as a recipe has them."""
    found = model.translate(list(heldout[0][:5]), search="exact", option_limit=4, distortion_limit=3, time_limit=30)
    for each in found:
        for sentence in each.sentences:
            assert sentence.proof is not None
            assert sentence.rescore() == pytest.approx(sentence.score, abs=1e-6)
            assert sentence.proof.bound >= sentence.score - 1e-6


def test_commands(plain: Model, heldout: Sides, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("\n".join(heldout[0][:4]) + "\n")
    folder, proofs = str(plain.path), tmp_path / "proofs"
    command = ["translate", folder, str(text), "--search", "exact", "--certificate", str(proofs), "--json"]
    done = run.invoke(app, command)
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert rows[0]["sentences"][0]["proof"]["status"] == "OPTIMAL"
    assert "exact search: 4 of 4 sentences proved" in done.stderr
    done = run.invoke(app, ["translate", folder, str(text), "--search", "exact", "--memory", "0.1K"])
    assert "exact search: 0 of 4 sentences proved to be the best; the others score at most" in done.stderr
    done = run.invoke(app, ["translate", folder, str(text), "--memory", "lots"])
    assert "memory is 'lots'; it must be a size such as 512M or 4G" in str(done.exception)
    files = sorted(map(str, proofs.iterdir()))
    done = run.invoke(app, ["verify-certificate", folder, *files, "--json"])
    assert done.exit_code == 0, done.output
    assert all(row["valid"] for row in json.loads(done.stdout)["certificates"])
    broken = json.loads(Path(files[0]).read_text())
    broken["bound"] -= 1
    Path(files[0]).write_text(json.dumps(broken))
    done = run.invoke(app, ["verify-certificate", folder, *files])
    assert done.exit_code == 1
    assert "INVALID" in done.stdout

    lines = tmp_path / "lines"
    other = run.invoke(app, ["verify-certificate", folder, *files, "--distortion-limit", "2"])
    assert other.exit_code == 1
    assert "distortion limit" in other.stdout

    command = [
        "search-errors",
        folder,
        str(text),
        "--system",
        "cube:1,100",
        "--system",
        "beam=3,pop_limit=3",
        "--plot",
        str(tmp_path / "p.svg"),
    ]
    done = run.invoke(app, [*command, "--lines", str(lines), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["proved"] == 4
    assert (tmp_path / "p.svg").read_text().startswith("<svg")
    shown = run.invoke(app, [*command, "--side-by-side", "1", "--by", "distortion-limit=1,3"]).stdout
    assert "exact" in shown
    assert "distortion_limit 1" in shown

    done = run.invoke(app, ["translate", folder, str(text), "--sample", "20", "--temperature", "3"])
    assert done.exit_code == 0, done.output
    counts = [int(line.split(" ||| ")[-1]) for line in done.stdout.splitlines() if line.startswith("0 |||")]
    assert sum(counts) == 20
    done = run.invoke(app, ["translate", folder, str(text), "--sample", "20", "--consensus", "1", "--json"])
    drawn = json.loads(done.stdout.splitlines()[0])
    assert drawn["consensus"] in [each["text"] for each in drawn["samples"]]
    assert drawn["rounds"][-1]["accepted"] / drawn["rounds"][-1]["drawn"] == drawn["acceptance"]
    assert drawn["expected_features"]["phrase_penalty"] != 0


def test_samples_within_limits_and_over_threads(plain: Model, heldout: Sides, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("\n".join(heldout[0][:6]) + "\n")
    command = ["translate", str(plain.path), str(text), "--sample", "5"]
    one, three = (run.invoke(app, [*command, "--threads", threads]) for threads in ("1", "3"))
    assert one.exit_code == 0, one.output
    assert one.stdout == three.stdout
    numbers = [int(line.split(" ||| ")[0]) for line in one.stdout.splitlines()]
    assert numbers == sorted(numbers)
    assert set(numbers) == set(range(6))

    small = [*command, "--memory", "0.1K"]
    done = run.invoke(app, small)
    assert done.exit_code == 0, done.output
    assert done.stdout == ""
    assert "line 6: no samples: sentence 1 has more steps than the limit of memory allows" in done.stderr
    rows = [json.loads(line) for line in run.invoke(app, [*small, "--json", "--consensus", "1"]).stdout.splitlines()]
    assert [(row["id"], row["samples"], row["entropy"], row["consensus"]) for row in rows] == [
        (number, [], None, "") for number in range(6)
    ]
    assert run.invoke(app, [*small, "--consensus", "1"]).stdout == "\n" * 6, "a line for each line"

    many = ["translate", str(plain.path), str(text), "--sample", "10000000", "--time-limit", "0.05", "--json"]
    done = run.invoke(app, many)
    assert done.exit_code == 0, done.output
    counts = [sum(each["count"] for each in json.loads(line)["samples"]) for line in done.stdout.splitlines()]
    assert all(count < 10_000_000 for count in counts)
    assert f"line 1: {counts[0]:,} of 10,000,000 samples within --time-limit" in done.stderr


def test_certificates_of_another_problem(plain: Model, heldout: Sides, tmp_path: Path) -> None:
    """An option that is made cheaper in the file is not that of the table, whatever the proof says."""
    text, proofs = tmp_path / "text", tmp_path / "proofs"
    text.write_text(heldout[0][0] + "\n")
    folder = str(plain.path)
    run.invoke(app, ["translate", folder, str(text), "--search", "exact", "--certificate", str(proofs)])
    [file] = proofs.iterdir()
    given = json.loads(file.read_text())
    unused = next(at for at in range(len(given["options"])) if at not in given["derivation"])
    given["options"][unused]["score"] -= 1
    file.write_text(json.dumps(given))
    done = run.invoke(app, ["verify-certificate", folder, str(file), "--json"])
    assert done.exit_code == 1
    [row] = json.loads(done.stdout)["certificates"]
    assert not row["valid"]
    assert any("in the model, not" in problem for problem in row["problems"])
    assert any("by the table, not" in problem for problem in row["problems"])
