"""The learned classifier of edits: learning, files, the shipped tree, and a prover that uses it."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.entailment.edit_tree import DEPTH, EditTree, learn_tree
from dragoman.entailment.entailer import Entailer, EntailerSettings
from dragoman.entailment.natural_logic import RELATIONS, prove
from dragoman.entailment.pairs import AnnotatedPair, read_annotated, write_annotated
from dragoman.entailment.suites import load_suite
from dragoman.entailment.word_relations import WordRelations
from dragoman.errors import FormatError, InputError
from dragoman.seeds import stream


@pytest.fixture(scope="module")
def problems() -> list[AnnotatedPair]:
    return load_suite("edits")


def depth(tree: EditTree) -> int:
    return 1 + max(map(depth, tree.branches.values())) if tree.attribute else 0


def test_a_tree_asks_for_what_tells_most_and_says_nothing_of_what_is_new() -> None:
    examples = [
        ({"edit": edit, "context": context, "day": day}, relation)
        for day in ("monday", "tuesday")
        for edit, context, relation in [
            ("DEL", "up", "<"),
            ("DEL", "down", ">"),
            ("INS", "up", ">"),
            ("INS", "down", "<"),
        ]
    ]
    examples += [({"edit": "SUB", "context": context, "day": "monday"}, "=") for context in ("up", "down")]
    tree = learn_tree(examples)
    assert all(tree.decide(known) == relation for known, relation in examples)
    assert tree.decide({"edit": "DEL", "context": "sideways"}) is None
    assert "day" not in json.dumps(tree.to_dict()), "what tells nothing is not asked"
    assert tree.path({"edit": "SUB", "context": "up"}) == ["edit SUB"]
    assert EditTree.from_dict(tree.to_dict()) == tree
    assert learn_tree(examples, depth=0).decide({}) in ("<", ">")
    with pytest.raises(InputError, match="no edits"):
        learn_tree([])
    with pytest.raises(FormatError, match="no relation"):
        EditTree.from_dict({"relation": "?", "edits": 1})


@pytest.mark.slow
def test_problems_have_one_edit_and_cover_kinds_and_contexts(entailer: Entailer, problems: list[AnnotatedPair]) -> None:
    assert len(problems) >= 100
    seen = set()
    for pair in problems:
        [edit] = prove(entailer.align(pair), entailer.relations, entailer.markers).edits
        assert pair.label == (pair.relation in "=<")
        seen.add((edit.known["edit"], edit.known.get("context", "")))
    assert {(kind, context) for kind in ("SUB", "DEL", "INS") for context in ("upward", "downward", "neither")} <= seen
    assert {pair.relation for pair in problems} == set(RELATIONS)


@pytest.mark.slow
def test_the_shipped_tree_is_learned_from_the_problems(entailer: Entailer, problems: list[AnnotatedPair]) -> None:
    learned = entailer.with_learned_edits(problems)
    assert learned.tree == EditTree.load()
    assert learned.settings.prover == "learned"
    assert depth(learned.tree) <= DEPTH
    right = [learned.judge(pair).proof.relation == pair.relation for pair in problems]
    assert sum(right) >= 0.98 * len(problems)
    file = resources.files("dragoman.entailment") / "markers" / "edit-tree.json"
    assert json.loads(file.read_bytes()) == learned.tree.to_dict()


@pytest.mark.slow
def test_unseen_problems_are_decided_as_well(entailer: Entailer, problems: list[AnnotatedPair]) -> None:
    """Each third by a tree learned from the others."""
    right = 0
    shuffled = [problems[at] for at in stream(1, "parts").permutation(len(problems))]
    for part in range(3):
        learned = entailer.with_learned_edits([pair for at, pair in enumerate(shuffled) if at % 3 != part])
        own = shuffled[part::3]
        right += sum(learned.judge(pair).proof.relation == pair.relation for pair in own)
    assert right >= 0.9 * len(problems)


def test_the_learned_prover_forgives_where_rules_do_not(entailer: Entailer, phenomena: list[AnnotatedPair]) -> None:
    """It does not look at where arguments hang, so that it proves all that rules prove of one edit, and more."""
    learned = Entailer(entailer.relations, settings=EntailerSettings(prover="learned"))
    by_rules = [pair for pair in phenomena if entailer.judge(pair).proof.answer]
    assert sum(learned.judge(pair).proof.answer for pair in by_rules) >= 0.9 * len(by_rules)
    [swapped] = [pair for pair in phenomena if pair.raw.hypothesis == "Spain defeated France."]
    assert not entailer.judge(swapped).proof.answer
    assert learned.judge(swapped).proof.answer


def test_problems_are_files_and_trees_travel_with_models(
    entailer: Entailer,
    words: WordRelations,
    phenomena: list[AnnotatedPair],
    problems: list[AnnotatedPair],
    tmp_path: Path,
) -> None:
    write_annotated(problems[:30], tmp_path / "edits.conllu")
    again = read_annotated(tmp_path / "edits.conllu")
    assert [pair.relation for pair in again] == [pair.relation for pair in problems[:30]]
    learned = entailer.with_learned_edits(again).fitted(phenomena[:60], prior=0.1, hybrid=True)
    learned.save(tmp_path / "model")
    opened = Entailer.open(tmp_path / "model", words)
    assert opened.tree == learned.tree != EditTree.load()
    assert [opened.judge(pair).score for pair in phenomena[60:70]] == [learned.judge(p).score for p in phenomena[60:70]]
    with pytest.raises(InputError, match="without a relation"):
        entailer.with_learned_edits([replace(again[0], relation="")])


@pytest.mark.slow
@pytest.mark.usefixtures("words")
def test_from_the_command_line(phenomena: list[AnnotatedPair], problems: list[AnnotatedPair], tmp_path: Path) -> None:
    write_annotated(phenomena[:40], tmp_path / "learn.conllu")
    write_annotated(phenomena[40:60], tmp_path / "test.conllu")
    write_annotated(problems[:40], tmp_path / "edits.conllu")
    rules = tmp_path / "relations.toml"
    rules.write_text("[[relations]]\nname = 'fan'\nclass = 'work'\nnouns = ['fan']\n", "utf-8")
    folder, run = str(tmp_path / "model"), CliRunner().invoke
    learn = ["entail", "fit", str(tmp_path / "learn.conllu"), "--relations", str(rules), "--hybrid", "-o", folder]
    result = run(app, [*learn, "--edits", str(tmp_path / "edits.conllu")])
    assert result.exit_code == 0, result.output
    assert json.loads((tmp_path / "model" / "model.json").read_text("utf-8"))["edits"]["attribute"]
    result = run(app, ["entail", "evaluate", str(tmp_path / "test.conllu"), "--entailer", folder, "--json"])
    assert json.loads(result.output)["pairs"] == 20
    rules.write_text("[[relations]]\nname = 'fan'\nclass = 'sport'\n", "utf-8")
    result = run(app, ["entail", "suite", "logic", "--relations", str(rules)])
    assert isinstance(result.exception, FormatError)
