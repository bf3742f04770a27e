"""`dragoman tune` on a small bundle."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dragoman
from dragoman.annotations.conllu import parse as parse_conllu
from dragoman.cli import app, output
from dragoman.cli.tuning_view import tuning_view
from dragoman.errors import (
    DragomanError,
    FileError,
    InputError,
    LengthMismatch,
    MissingDependency,
    SettingError,
    UnknownName,
)
from dragoman.features.weights import Weights
from dragoman.pipeline.recipe import Recipe
from dragoman.text import synthetic
from dragoman.text.source_text import SourceText
from dragoman.tuning.families import family
from dragoman.tuning.result import Iteration

RUN = CliRunner()
SMALL = Recipe(order=3, aligner="fast", tuner="none", dev_size=20, search={"pop_limit": 30, "beam": 30})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tune")
    pair = synthetic.pair("en-de")
    train = list(pair.generate(300, seed=4))
    texts = [[item.source.text for item in train], [item.target.text for item in train]]
    dragoman.train(*texts, output=path / "model", languages=("en", "de"), recipe=SMALL)
    dev = list(pair.generate(25, seed=4, start=5000))
    for name, items in (("train", train), ("dev", dev)):
        for side in ("source", "target"):
            (path / f"{name}.{side}").write_text("".join(f"{getattr(item, side).text}\n" for item in items), "utf-8")
    return path


@pytest.fixture
def model(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder / "model", tmp_path / "model"))


def arguments(folder: Path, model: Path, *more: str) -> list[str]:
    dev = ["--dev-source", str(folder / "dev.source"), "--dev-target", str(folder / "dev.target")]
    return ["tune", str(model), *dev, "--iterations", "2", "--nbest", "20", "--threads", "1", "--force", *more]


def test_weights_go_into_the_bundle(folder: Path, model: Path, tmp_path: Path) -> None:
    before = dragoman.load(model).weights
    log, plot = tmp_path / "tune.jsonl", tmp_path / "curve.svg"
    result = RUN.invoke(app, arguments(folder, model, "--log", str(log), "--plot", str(plot)))
    assert result.exit_code == 0, result.output
    assert "before" in result.stdout
    assert json.loads(log.read_text("utf-8").splitlines()[0])["tuner"] == "mira"
    after = dragoman.load(model)
    assert after.weights != before
    after.bundle.verify()
    assert after.translate("the house").text
    assert plot.read_text("utf-8").startswith("<svg")
    assert len(log.read_text("utf-8").splitlines()) >= 3
    again = RUN.invoke(
        app, [*arguments(folder, folder / "model", "--log", str(log), "--resume"), "-o", str(tmp_path / "w")]
    )
    assert again.exit_code == 0, again.output
    assert Weights.load(tmp_path / "w") == after.weights


def test_a_run_that_put_its_weights_into_the_model_can_be_made_longer(
    folder: Path, model: Path, tmp_path: Path
) -> None:
    shutil.copytree(model, tmp_path / "other")
    log = ["--log", str(tmp_path / "tune.jsonl"), "--resume"]
    short = RUN.invoke(app, arguments(folder, model, *log))
    assert short.exit_code == 0, short.output
    longer = RUN.invoke(app, [*arguments(folder, model, *log), "--iterations", "3"])
    assert longer.exit_code == 0, longer.output
    whole = RUN.invoke(app, [*arguments(folder, tmp_path / "other"), "--iterations", "3"])
    assert whole.exit_code == 0, whole.output
    assert dragoman.load(model).weights == dragoman.load(tmp_path / "other").weights


def test_json_and_weights_to_a_file(folder: Path, model: Path, tmp_path: Path) -> None:
    output = tmp_path / "weights.txt"
    result = RUN.invoke(
        app,
        [
            *arguments(folder, model, "--tuner", "mert", "--set", "restarts=1", "--set", "patience=3", "--json"),
            "--metric",
            "bleu - ter",
            "--fixed",
            "lm",
            "--output",
            str(output),
            "--heldout-source",
            str(folder / "dev.source"),
            "--heldout-target",
            str(folder / "dev.target"),
        ],
    )
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["tuner"], found["metric"]) == ("mert", "bleu - ter")
    assert Weights.load(output) == found["weights"]
    before = dragoman.load(model).weights
    assert found["weights"]["lm"] == before["lm"]
    assert before == dragoman.load(folder / "model").weights


@pytest.mark.parametrize(
    ("more", "error"),
    [
        (["--tuner", "magic"], UnknownName),
        (["--set", "colour=red"], UnknownName),
        (["--templates", "jump", "--set", "step=1"], UnknownName),
        (["--resume"], SettingError),
        (["--fixed", "nonsense"], UnknownName),
        (["--heldout-source", "x"], SettingError),
        (["--metric", "blue"], UnknownName),
        (["--templates", "extended"], SettingError),
        (["--templates", "nonsense"], SettingError),
        (["--templates", "jump", "-o", "weights.txt"], SettingError),
        (["--tuner", "online", "--set", "l1_families=3"], SettingError),
        (["--tuner", "online", "--set", "l1.rule=3"], UnknownName),
        (["--tuner", "online", "--set", "l1_families.rule=3"], SettingError),
        (["--fixed", "rule:a>b"], UnknownName),
        (["--features", "not_there_at_all:Feature"], MissingDependency),
        (["--dev-domain", "web=1-100"], InputError),
        (["--dev-domain", "web=1-5"], SettingError),
        (["--output", "/proc/none/weights"], FileError),
        (["--plot", "/proc/none/curve.svg"], FileError),
        (["--plot", "curve.png"], SettingError),
        (["--save-as", "/proc/none/model"], FileError),
        (["--log", "/proc/none/log"], FileError),
    ],
)
def test_mistakes(folder: Path, model: Path, more: list[str], error: type[DragomanError]) -> None:
    result = RUN.invoke(app, arguments(folder, model, *more))
    assert isinstance(result.exception, error)


def test_files_that_do_not_go_together_are_named(folder: Path, model: Path, tmp_path: Path) -> None:
    short, empty = tmp_path / "short", tmp_path / "empty"
    short.write_text("one\n")
    empty.touch()
    for more in (short, empty):
        result = RUN.invoke(
            app, arguments(folder, model, "--heldout-source", str(folder / "dev.source"), "--heldout-target", str(more))
        )
        assert isinstance(result.exception, LengthMismatch)
        assert result.exception.where == str(more)
        assert str(folder / "dev.source") in str(result.exception)
    result = RUN.invoke(app, ["tune", str(model), "--dev-source", str(empty), "--dev-target", str(empty), "--force"])
    assert isinstance(result.exception, InputError)
    assert result.exception.where == str(empty)


@pytest.mark.parametrize("quiet", [False, True])
def test_who_wants_quiet_gets_no_view(
    folder: Path, model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], quiet: bool
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    output.stderr.cache_clear()
    output.set_output(debug=False, quiet=quiet)
    try:
        with tuning_view("bleu") as (watch, _):
            watch(Iteration(0, Weights({"lm": 1.0}), 0.5, warnings=("too short",)))
    finally:
        output.stderr.cache_clear()
        output.set_output(debug=False, quiet=False)
    said = capsys.readouterr().err
    assert ("warning: iteration 0: too short" in said) is ("seconds" in said) is not quiet


def test_templates_are_added_and_a_new_model_is_written(folder: Path, model: Path, tmp_path: Path) -> None:
    before = dragoman.load(model).weights
    more = [
        "--tuner",
        "online",
        "--templates",
        "extended,rule:min_count=2",
        "--template-text",
        str(folder / "train.source"),
        str(folder / "train.target"),
        "--set",
        "l1_families.rule=0.01",
        "--set",
        "l1=0.05",
        "--save-as",
        str(tmp_path / "rich"),
    ]
    result = RUN.invoke(app, arguments(folder, model, *more))
    assert result.exit_code == 0, result.output
    assert "largest weights" in result.stdout
    rich = dragoman.load(tmp_path / "rich")
    rich.bundle.verify()
    assert {"rule", "rule_class", "jump"} <= {each.prefix for each in rich.decoder.templates}
    assert dragoman.load(model).weights == before
    assert not dragoman.load(model).decoder.templates
    chosen = json.loads(RUN.invoke(app, ["info", str(tmp_path / "rich"), "--only-weights", "--json"]).stdout)
    assert chosen["kept"]["rule_class"] > 1
    top = [abs(value) for _, value in chosen["top"]["rule_class"]]
    assert top == sorted(top, reverse=True)
    assert "rule:min_count=2" in RUN.invoke(app, ["info", str(tmp_path / "rich")]).stdout.replace("\n", "")
    few = Weights({name: value for name, value in rich.weights.items() if name.startswith(("rule:", "lm"))})
    (few | {"rule:not>there": 1.0, "link:a>b": 1.0}).save(tmp_path / "few")
    shared = RUN.invoke(app, ["info", str(tmp_path / "rich"), "--against", str(tmp_path / "few"), "--json"])
    counted = json.loads(shared.stdout)["templates"]
    rules = chosen["kept"]["rule"]
    assert counted["rule"] == {"first": rules, "second": rules + 1, "both": rules}
    assert counted["link"] == {"first": 0, "second": 1, "both": 0}
    assert counted["all"]["both"] == rules
    assert "dense" not in counted
    assert "both" in RUN.invoke(app, ["info", str(tmp_path / "few"), "--against", str(tmp_path / "few")]).stdout
    again = RUN.invoke(app, [*arguments(folder, tmp_path / "rich", "--json")])
    found = json.loads(again.stdout)
    assert found["tuner"] == "online"  # as in training: there are templates
    assert found["selection"]["kept"]["dense"] > 10
    assert dragoman.load(tmp_path / "rich").weights == {k: v for k, v in found["weights"].items() if v or ":" not in k}


def conllu(tokens: Sequence[str]) -> str:
    rows = [
        f"{n}\t{token}\t_\t_\t{'NN' if len(token) > 4 else 'DT'}\t_\t{n - 1}\t_\t_\t_"
        for n, token in enumerate(tokens, 1)
    ]
    return "\n".join([*rows, "", ""])


def test_templates_over_annotations_fire_in_a_model(folder: Path, model: Path, tmp_path: Path) -> None:
    dev = list(synthetic.pair("en-de").generate(25, seed=4, start=5000))
    layers = tmp_path / "dev.conllu"
    layers.write_text("".join(conllu(item.source.tokens) for item in dev), "utf-8")
    text = ["--template-text", str(folder / "train.source"), str(folder / "train.target")]
    command = arguments(folder, model, "--tuner", "online", *text, "--save-as", str(tmp_path / "tagged"))
    command += ["--templates", "pos_order,delete_pos,delete_head", "--set", "l1=0"]
    result = RUN.invoke(app, [*command, "--dev-annotations", str(layers), "--json"])
    assert result.exit_code == 0, result.output
    learned = json.loads(result.stdout)["history"][-1]["weights"]
    assert {"pos_order", "delete_pos", "delete_head"} <= {family(name) for name in learned}
    command = ["translate", str(tmp_path / "tagged"), str(folder / "dev.source"), "--nbest", "1", "--check-features"]
    with_layers = RUN.invoke(app, [*command, "--annotations", str(layers)])
    assert with_layers.exit_code == 0, with_layers.output
    assert "pos_order:" in with_layers.stdout
    with pytest.warns(UserWarning, match="no tags"):
        assert "pos_order:" not in RUN.invoke(app, command).stdout
    sentence = next(iter(parse_conllu(conllu(dev[0].source.tokens).splitlines())))
    found = dragoman.load(tmp_path / "tagged").translate(SourceText(dev[0].source.text, annotation=sentence))
    assert any(name.startswith("pos_order:") for name in found.sentences[0].features)


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        (lambda blocks: blocks[:-1], LengthMismatch, "no annotation for line 25"),
        (lambda blocks: [*blocks, blocks[0]], LengthMismatch, "more annotations than the 25 lines"),
        (lambda blocks: [conllu(["one"]), *blocks[1:]], InputError, "line 1 of the text: 1 annotated words for"),
    ],
)
def test_annotations_that_do_not_fit_are_refused(
    folder: Path,
    model: Path,
    tmp_path: Path,
    change: Callable[[list[str]], list[str]],
    error: type[DragomanError],
    said: str,
) -> None:
    dev = synthetic.pair("en-de").generate(25, seed=4, start=5000)
    layers = tmp_path / "dev.conllu"
    layers.write_text("".join(change([conllu(item.source.tokens) for item in dev])), "utf-8")
    result = RUN.invoke(app, arguments(folder, model, "--dev-annotations", str(layers)))
    assert isinstance(result.exception, error)
    assert said in str(result.exception)


def test_templates_into_the_model_itself(folder: Path, model: Path) -> None:
    result = RUN.invoke(app, arguments(folder, model, "--templates", "jump", "--templates", "rule"))
    assert result.exit_code == 0, result.output
    after = dragoman.load(model)
    after.bundle.verify()
    assert [each.prefix for each in after.decoder.templates] == ["jump", "rule"]
    change = after.bundle.provenance["changes"][-1]["change"]
    assert change == "tuned by online to bleu, with the templates jump, rule"


def test_log_of_other_templates_is_not_gone_on_with(folder: Path, model: Path, tmp_path: Path) -> None:
    log = ["--tuner", "online", "--log", str(tmp_path / "log"), "--save-as", str(tmp_path / "m")]
    assert RUN.invoke(app, arguments(folder, model, *log, "--templates", "jump")).exit_code == 0
    other = RUN.invoke(app, arguments(folder, model, *log, "--templates", "rule", "--resume"))
    assert isinstance(other.exception, SettingError)
    assert "features was" in str(other.exception)
