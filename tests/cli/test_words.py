"""One word for one thing on the command line: the rules of CONTRIBUTING.md, held against every command."""

from __future__ import annotations

import ast
import inspect
import io
import re
import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dragoman.align.symmetrize import USUAL
from dragoman.cli import COMMANDS as MODULES
from dragoman.cli import output, program
from dragoman.cli.overview import SECTIONS
from dragoman.grammar import LIMITS
from dragoman.grammar.scoring import Scoring, reordering_for
from dragoman.pipeline.recipe import Recipe
from tests.commands import Run
from tests.json_shape import require_shape

FORBIDDEN = {
    "--heuristic": "--symmetrize",
    "--method": "--tuner, --aligner, --selector: say of what",
    "--model": "a model is an argument; --aligner, --lm, --reordering-model",
    "--template": "--templates",
    "--feature": "--features",
    "--max-length": "--max-phrase",
    "--reference": "--ref",
    "--refs": "--ref",
    "--lp": "--languages",
    "--pair": "--languages",
    "--out": "--output",
    "--svg": "--output",
    "--dot": "--output",
    "--tune-source": "--dev-source",
    "--tune-target": "--dev-target",
}

ONE_MEANING = {"-o": "--output", "-m": "--metric", "-r": "--ref", "-j": "--threads", "-q": "--quiet"}

BESIDE = {
    "a3",
    "cache",
    "certificate",
    "graph",
    "lexicon",
    "lines",
    "log",
    "plot",
    "rejected",
    "reordering_table",
    "report",
    "seeds",
    "save",
    "save_as",
    "segment_scores",
}
"""What commands write beside their product, each by a name of its own."""

WRITES = re.compile(
    r"(write|writing|save|export(?!_text)|require_(writable|svg|place_for_bundle|new_bundle|own_folder)|create|draw)(_|$)"
)


def commands(command: Any = None, name: str = "") -> Iterator[tuple[str, Any]]:
    """All commands by what people type for them."""
    command = command or program()
    if not hasattr(command, "commands"):
        yield name, command
        return
    for word, each in command.commands.items():
        yield from commands(each, f"{name} {word}".strip())


def options(command: Any) -> Iterator[Any]:
    return (each for each in command.params if any(word.startswith("-") for word in each.opts))


COMMANDS = dict(commands())


@pytest.mark.parametrize("name", COMMANDS)
def test_old_words_are_gone(name: str) -> None:
    for each in options(COMMANDS[name]):
        for word in each.opts:
            assert word not in FORBIDDEN, f"{name} {word}: use {FORBIDDEN[word]}"
            assert ONE_MEANING.get(word, each.opts[0]) in each.opts, f"{name} {word} is {ONE_MEANING[word]}"
        assert sum(word.startswith("--") for word in each.opts) <= 1, f"{name}: {each.opts} is one thing with two names"


def test_an_option_is_written_the_same_everywhere() -> None:
    shapes: dict[str, dict[tuple[tuple[str, ...], bool], list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, command in COMMANDS.items():
        for each in options(command):
            shapes[each.opts[0]][tuple(each.opts[1:]), bool(each.is_flag)].append(name)
    assert {word: dict(found) for word, found in shapes.items() if len(found) > 1} == {}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_programs_own_options_stand_behind_commands_too(name: str) -> None:
    assert {"--quiet", "--debug"} <= {each.opts[0] for each in COMMANDS[name].params}


@pytest.mark.parametrize("words", ["-q text tokenize", "text -q tokenize", "text tokenize -q", "text tokenize --quiet"])
def test_quiet_is_quiet_wherever_it_stands(
    words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x\n"), "utf-8"))
    program().main(words.split(), standalone_mode=False)
    output.note("nobody wants to know")
    assert "nobody" not in capsys.readouterr().err
    program().main(["list", "metrics"], standalone_mode=False)
    output.note("somebody does")
    assert "somebody does" in capsys.readouterr().err


def test_the_first_word_behind_options_is_the_command(run: Run, tmp_path: Path) -> None:
    """`align` runs when no command of its own is named, whatever stands before."""
    for name, text in (("a", "the house\n"), ("b", "das Haus\n"), ("links", "0-0 1-1\n")):
        (tmp_path / name).write_text(text, "utf-8")
    assert "aer" in run("align", "-q", "score", "links", "links")
    assert run("align", "-q", "a", "b", "--aligner", "ibm1", "--debug").startswith("0-0")


@pytest.mark.parametrize("name", COMMANDS)
def test_dev_sets_and_references_are_options(name: str) -> None:
    words = {word for each in COMMANDS[name].params for word in each.opts}
    assert ("--dev-source" in words) == ("--dev-target" in words)
    assert not words & {"ref", "refs", "reference", "references", "dev", "dev_source", "dev_target"}


@pytest.mark.parametrize("name", COMMANDS)
def test_arguments_are_read_and_never_written(name: str) -> None:
    for each in COMMANDS[name].params:
        if not each.opts[0].startswith("-"):
            assert each.name not in ("output", "out"), f"{name}: give {each.name} as -o/--output"
            assert not re.match(r"Where to|Write|.* to write\b", each.help or ""), f"{name}: {each.help}"


@pytest.mark.parametrize("name", COMMANDS)
def test_what_a_command_writes_is_its_output(name: str) -> None:
    """Whatever a command hands to a function that writes is `output`, or one of the few things beside it."""
    code = textwrap.dedent(inspect.getsource(inspect.unwrap(COMMANDS[name].callback)))
    given = {each.name for each in COMMANDS[name].params}
    for call in ast.walk(ast.parse(code)):
        if isinstance(call, ast.Call) and WRITES.match(ast.unparse(call.func).rpartition(".")[2]):
            written = {each.id for each in call.args if isinstance(each, ast.Name)} & given
            assert written <= BESIDE | {"output"}, f"{name}: {ast.unparse(call)}"


def test_help_has_each_command_in_one_section() -> None:
    told = [name for names in SECTIONS.values() for name in names]
    assert sorted(told) == sorted(program().commands)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_calls_values_by_words(name: str) -> None:
    """FILE, NUMBER, NAME=VALUE: no type of Python's."""
    for each in COMMANDS[name].params:
        if not each.opts[0].startswith("-"):
            assert re.fullmatch(r"[A-Z0-9.-]+", each.metavar or ""), f"{name}: {each.name} is called {each.metavar}"
        elif not each.is_flag and each.metavar is None:
            assert not each.display_type(None).startswith("<"), f"{name} {each.opts[0]}"


def test_parts_and_recipe_have_the_same_defaults() -> None:
    """Who goes step by step gets what `train` would have made."""
    usual = Recipe()
    default = {name: {each.opts[0]: each.default for each in command.params} for name, command in COMMANDS.items()}
    assert default["align run"]["--aligner"] == usual.aligner
    assert default["align run"]["--symmetrize"] == usual.symmetrize == USUAL
    assert default["align symmetrize"]["--symmetrize"] == usual.symmetrize
    assert default["extract"]["--smoothing"] == usual.smoothing == Scoring().smoothing
    assert default["extract"]["--lexical"] == usual.lexical == Scoring().lexical
    assert default["extract"]["--reordering"] == usual.reordering
    for kind in LIMITS:
        taken = reordering_for(default["extract"]["--reordering"], LIMITS.get(kind))
        assert taken == Recipe(kind=kind).scoring.reordering
    assert default["extract"]["--min-probability"] == usual.min_probability == Scoring().min_probability
    assert default["lm estimate"]["--order"] == usual.order
    assert default["extract"]["--kind"] == usual.kind
    tuning = default["tune"]
    assert (tuning["--tuner"], tuning["--metric"]) == (usual.tuner, usual.metric)
    assert (tuning["--iterations"], tuning["--nbest"], tuning["--seed"]) == (usual.iterations, usual.nbest, usual.seed)


STANDARD_INPUT = [
    name
    for name, command in COMMANDS.items()
    if any("standard input" in (each.help or "") for each in command.params if not each.opts[0].startswith("-"))
]
"""Commands that text flows through."""


@pytest.mark.parametrize("name", STANDARD_INPUT)
def test_text_flows_from_standard_input_by_default(name: str) -> None:
    for each in COMMANDS[name].params:
        if not each.opts[0].startswith("-") and "standard input" in (each.help or ""):
            default = each.default[0] if isinstance(each.default, list | tuple) else each.default
            assert (each.required, str(default)) == (False, "-"), f"{name} {each.name}"


@pytest.mark.parametrize("module", sorted(Path(output.__file__).parent.glob("*.py")), ids=lambda path: path.stem)
def test_json_is_printed_in_one_way(module: Path) -> None:
    """One object, by `show_json`, or one a line; `tests/json_shape.py` looks at their names in tests."""
    for call in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "show_json":
            assert not isinstance(call.args[0], ast.List | ast.ListComp), f"{module.stem}: {ast.unparse(call)}"
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "json.dumps":
            assert module.stem == "output", f"{module.stem}, line {call.lineno}: use show_json or show_json_lines"


def test_the_shape_of_json_is_looked_at() -> None:
    require_shape({"words": {"Ku h": {"score": 1.0}}, "dev_bleu": None})
    for wrong in ([1], {"dev bleu": 1}, {"rules": [{"Source": 1}]}, {"words": {"cow": {"a b": 1}}}):
        with pytest.raises(AssertionError):
            require_shape(wrong)


def test_a_command_line_loads_the_module_of_its_command() -> None:
    """What a module registers is what the table of modules says, and one start of the program needs no other."""
    whole = program()
    assert {name for names in MODULES.values() for name in names} == set(whole.commands)
    for names in MODULES.values():
        for name in names:
            assert set(program(["-q", name, "--help"]).commands) == set(names)
    assert set(program(["no-such-command"]).commands) == set(whole.commands)
