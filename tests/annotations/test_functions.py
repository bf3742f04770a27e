"""Guessing functions: the worked examples, brute force, an established classifier, and what may not matter."""

from __future__ import annotations

import itertools
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dragoman.annotations import conllu, fstructure_files
from dragoman.annotations.fstructure import Attribute, FStructure, of_sentence
from dragoman.annotations.function_guesser import VARIANTS, FunctionGuesser, joint_choice, one_by_one
from dragoman.annotations.function_scoring import evaluate_functions, paired_t_test
from dragoman.annotations.functions import (
    UNKNOWN,
    Description,
    broken_at,
    broken_at_random,
    by_parent,
    cases,
    described,
)
from dragoman.cli import program
from dragoman.errors import FormatError, InputError, LengthMismatch, SettingError


def parent(*dependents: tuple[str, dict[str, str]], name: str = "") -> FStructure:
    """A predicate with dependents that have a function and atoms."""
    nodes: list[list[Any]] = [[["PRED", {"pred": "go"}]]]
    by_function: dict[str, list[int]] = {}
    for function, atoms in dependents:
        by_function.setdefault(function, []).append(len(nodes))
        nodes.append([["PRED", {"pred": f"w{len(nodes)}"}], *([key, value] for key, value in atoms.items())])
    nodes[0] += [[key, {"node": at[0]} if len(at) == 1 else {"set": at}] for key, at in by_function.items()]
    return FStructure.from_dict({"nodes": nodes, "name": name})


NOM, ACC = {"CASE": "nom", "NUM": "sg"}, {"CASE": "acc", "NUM": "sg"}
ADVERB = {"ATYPE": "adv"}
TRAINING = [
    parent(("SUBJ", NOM), ("OBJ", ACC)),
    parent(("SUBJ", {"CASE": "nom", "NUM": "pl"}), ("OBJ", ACC), ("ADJUNCT", ADVERB)),
    parent(("SUBJ", NOM), ("ADJUNCT", ADVERB), ("ADJUNCT", ADVERB)),
    parent(("SUBJ", ACC), ("OBJ", NOM)),
]


def query(**atoms: str) -> Description:
    return Description(frozenset(["PRED", *atoms]), atoms)


def rounded(found: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in found.items()}


def test_the_worked_example() -> None:
    guesser = FunctionGuesser.train(TRAINING)
    assert guesser.functions == ("SUBJ", "ADJUNCT", "OBJ")
    asked = query(**ACC)
    assert rounded(guesser.posterior(asked)) == {"OBJ": 0.5764, "SUBJ": 0.4189, "ADJUNCT": 0.0047}
    assert rounded(guesser.posterior(asked, ["SUBJ"])) == {"OBJ": 0.8855, "SUBJ": 0.1073, "ADJUNCT": 0.0072}
    assert rounded(guesser.posterior(query(**NOM))) == {"SUBJ": 0.6829, "OBJ": 0.3132, "ADJUNCT": 0.0038}
    assert rounded(guesser.posterior(query(**ADVERB))) == {"ADJUNCT": 0.9726, "OBJ": 0.0152, "SUBJ": 0.0122}
    worth = np.exp(guesser.log_worth(asked))
    assert worth == pytest.approx([0.042867, 0.000480, 0.058982], abs=1e-6)
    names = guesser.with_settings(features="names")
    assert np.exp(names.log_worth(asked)) == pytest.approx([0.192901, 0.001920, 0.122880], abs=1e-6)
    case = guesser.with_settings(features="case")
    assert np.exp(case.log_worth(asked)) == pytest.approx([0.4 / 3, 0.15, 0.18], abs=1e-9)
    assert case.guess_parent([asked]) == ["OBJ"]
    assert case.guess_parent([query()]) == ["SUBJ"]  # without a case: the most frequent
    most_frequent = guesser.with_settings(features="none")
    assert most_frequent.guess_parent([asked], ["SUBJ"]) == ["ADJUNCT"]  # .0667, .3, .3: a tie goes by the alphabet


def test_several_gaps_one_by_one_and_jointly() -> None:
    worth = np.log([[0.50, 0.45], [0.60, 0.10]])
    present, repeated = np.array([False, False]), np.log([0.1, 0.1])
    assert one_by_one(worth, present, repeated) == [0, 1]
    assert joint_choice(worth, present, repeated) == [1, 0]
    assert one_by_one(worth[::-1], present, repeated) == [0, 1]  # the other order finds the optimum


def total(worth: Any, present: Any, repeated: Any, chosen: Any) -> float:
    there = set(np.flatnonzero(present))
    value = 0.0
    for row, label in zip(worth, chosen, strict=True):
        value += row[label] + (repeated[label] if label in there else 0)
        there.add(label)
    return float(value)


def test_the_joint_choice_is_the_best_of_all() -> None:
    rng = np.random.default_rng(1)
    worse = 0
    for _ in range(300):
        rows, columns = int(rng.integers(1, 5)), int(rng.integers(1, 5))
        worth, repeated = np.log(rng.random((rows, columns))), np.log(rng.random(columns))
        present = rng.random(columns) < 0.3
        best = max(total(worth, present, repeated, chosen) for chosen in itertools.product(range(columns), repeat=rows))
        found = joint_choice(worth, present, repeated)
        assert total(worth, present, repeated, found) == pytest.approx(best)
        order = rng.permutation(rows)
        moved = joint_choice(worth[order], present, repeated)
        assert [found[at] for at in order] == moved  # whatever the order
        worse += total(worth, present, repeated, one_by_one(worth, present, repeated)) < best - 1e-9
        if rows == 1:
            assert found == one_by_one(worth, present, repeated)
        free = joint_choice(worth, present, np.zeros(columns))
        assert free == [int(np.argmax(row)) for row in worth]
    assert worse > 10


def random_corpus(seed: int, size: int = 60) -> list[FStructure]:
    rng = random.Random(seed)
    made = []
    for _ in range(size):
        dependents = []
        for function, case in (("SUBJ", "nom"), ("OBJ", "acc"), ("ADJUNCT", None), ("ADJUNCT", None)):
            if rng.random() < 0.7:
                atoms = {"NUM": rng.choice(["sg", "pl"])} if rng.random() < 0.8 else {}
                if case and rng.random() < 0.8:
                    atoms["CASE"] = case if rng.random() < 0.8 else rng.choice(["nom", "acc", "dat"])
                dependents.append((function, atoms))
        if dependents:
            made.append(parent(*dependents))
    return made


@pytest.mark.parametrize("values", ["categorical", "binary"])
@pytest.mark.parametrize("features", VARIANTS)
def test_posteriors_sum_to_one(features: str, values: str) -> None:
    guesser = FunctionGuesser.train(random_corpus(1), features=features, values=values)
    for atoms in ({}, {"CASE": "nom"}, {"CASE": "never", "NUM": "sg"}, {"NEVER": "x"}):
        for present in ((), ("SUBJ",), ("SUBJ", "ADJUNCT")):
            assert sum(guesser.posterior(query(**atoms), present).values()) == pytest.approx(1)
    nothing = Description(frozenset())
    if features in ("none", "case") and values == "categorical":
        assert guesser.posterior(nothing) == guesser.with_settings(features="none").posterior(nothing)


def test_names_agree_with_an_established_classifier() -> None:
    bayes = pytest.importorskip("sklearn.naive_bayes")
    corpus = random_corpus(2)
    guesser = FunctionGuesser.train(corpus, features="names")
    found = [(described(each, case.dependent), case.function) for each in corpus for case in cases(each)]
    names = sorted({name for seen, _ in found for name in seen.names})
    matrix = np.array([[name in seen.names for name in names] for seen, _ in found])
    peer = bayes.BernoulliNB(alpha=1).fit(matrix, [function for _, function in found])
    for row, (seen, _) in zip(peer.predict_proba(matrix), found, strict=True):
        ours = guesser.posterior(seen)
        assert [ours[name] for name in peer.classes_] == pytest.approx(row)


def test_what_may_not_matter() -> None:
    corpus = random_corpus(3)
    guesser = FunctionGuesser.train(corpus)
    gold = evaluate_functions(guesser, corpus)

    def changed(structure: FStructure, name: str, value: str) -> FStructure:
        plain = structure.to_dict()
        plain["nodes"] = [
            [
                [f"{name}{key}" if key in ("CASE", "NUM") else key, {"pred": value} if key == "PRED" else what]
                for key, what in each
            ]
            for each in plain["nodes"]
        ]
        return FStructure.from_dict(plain)

    other = [changed(each, "X", "word") for each in corpus]
    assert evaluate_functions(FunctionGuesser.train(other), other).right == gold.right
    twice = FunctionGuesser.train([*corpus, *corpus], alpha=0)
    once = FunctionGuesser.train(corpus, alpha=0)
    assert twice.posterior(query(NUM="sg")) == pytest.approx(once.posterior(query(NUM="sg")))
    relabelled = FStructure(
        tuple(
            tuple(Attribute({"SUBJ": "OBJ", "OBJ": "SUBJ"}.get(name, name), value) for name, value in node)
            for node in corpus[0].nodes
        )
    )
    for case in cases(corpus[0]):  # the label is not among the features
        assert described(corpus[0], case.dependent) == described(relabelled, case.dependent)


def test_nothing_is_repeated_that_never_was() -> None:
    corpus = [parent(("SUBJ", NOM), ("OBJ", ACC)), parent(("OBJ", ACC), ("OBJ", ACC))]
    guesser = FunctionGuesser.train(corpus, alpha=0)
    assert guesser.guess_parent([query(**NOM), query(**NOM)]).count("SUBJ") == 1


def test_filling() -> None:
    guesser = FunctionGuesser.train(TRAINING)
    for structure in TRAINING[:3]:
        assert guesser.fill(structure) == structure  # nothing is missing
        broken = broken_at(structure, cases(structure))
        assert all(case.function == UNKNOWN for case in cases(broken))
        whole = guesser.fill(broken)
        assert sorted((case.function, case.dependent) for case in cases(whole)) == sorted(
            (case.function, case.dependent) for case in cases(structure)
        )
        assert guesser.guess_all(broken)[0].probability > 0.3


def test_guesses_below_are_seen_above() -> None:
    """A clause is told by its own subject, once that is guessed."""
    plain = {
        "nodes": [
            [["PRED", {"pred": "say"}], ["COMP", {"node": 1}], ["OBJ", {"node": 3}]],
            [["PRED", {"pred": "go"}], ["SUBJ", {"node": 2}]],
            [["PRED", {"pred": "dog"}], ["CASE", "nom"]],
            [["PRED", {"pred": "it"}]],
        ]
    }
    structure = FStructure.from_dict(plain)
    guesser = FunctionGuesser.train([structure] * 3)
    broken = broken_at(structure, cases(structure))
    assert [found.function for found in guesser.guess_all(broken)] == ["COMP", "OBJ", "SUBJ"]
    unsure = guesser.guess_all(broken, use_guessed_children=False)
    assert unsure[0].probability < guesser.guess_all(broken)[0].probability


def test_breaking_at_random() -> None:
    corpus = random_corpus(4)
    broken, gone = broken_at_random(corpus, 0.5, seed=3)
    share = sum(map(len, gone)) / sum(len(cases(each)) for each in corpus)
    assert 0.35 < share < 0.65
    assert broken_at_random(corpus, 0.5, seed=3)[0] == broken
    for structure, each, some in zip(corpus, broken, gone, strict=True):
        assert len(cases(each)) == len(cases(structure))
        assert sum(case.function == UNKNOWN for case in cases(each)) == len(some)


def test_evaluation() -> None:
    corpus = random_corpus(5, 200)
    guesser = FunctionGuesser.train(random_corpus(6, 200))
    scores = {name: evaluate_functions(guesser.with_settings(features=name), corpus) for name in VARIANTS}
    accuracy = {name: found.accuracy for name, found in scores.items()}
    assert accuracy["none"] < accuracy["case"] < accuracy["names+values"]
    assert len(scores["none"].by_subset) == 10
    assert max(scores["none"].asked) - min(scores["none"].asked) <= 5
    assert paired_t_test(scores["none"].by_subset, scores["names+values"].by_subset) < 0.005
    joint = evaluate_functions(guesser, corpus, missing="all")
    turns = evaluate_functions(guesser, corpus, missing="all", joint=False)
    assert sum(joint.asked) == sum(turns.asked) == sum(scores["none"].asked)
    strange = evaluate_functions(guesser, [*corpus, parent(("COMP", {}))])
    assert strange.unseen == {"COMP": 1}


def test_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no functions"):
        FunctionGuesser.train([])
    with pytest.warns(UserWarning, match="single function"):
        assert FunctionGuesser.train([parent(("SUBJ", {}))]).guess_parent([query()]) == ["SUBJ"]
    with pytest.raises(SettingError, match="features"):
        FunctionGuesser.train(TRAINING, features="hope")
    with pytest.raises(SettingError, match="train again"):
        FunctionGuesser.train(TRAINING).with_settings(flat=False)
    with pytest.raises(LengthMismatch):
        paired_t_test([1.0], [])
    with pytest.raises(InputError, match="subsets"):
        evaluate_functions(FunctionGuesser.train(TRAINING), TRAINING[:1])
    (tmp_path / "model").write_text('{"format": "other"}', "utf-8")
    with pytest.raises(FormatError, match="not a model of functions"):
        FunctionGuesser.load(tmp_path / "model")
    (tmp_path / "model").write_text('{"format": "dragoman functions 1"}', "utf-8")
    with pytest.raises(FormatError, match="damaged"):
        FunctionGuesser.load(tmp_path / "model")


def test_a_saved_model_is_the_same(tmp_path: Path) -> None:
    guesser = FunctionGuesser.train(random_corpus(7), alpha=0.5, values="binary")
    guesser.save(tmp_path / "model")
    again = FunctionGuesser.load(tmp_path / "model")
    assert again == guesser
    assert again.posterior(query(CASE="nom")) == guesser.posterior(query(CASE="nom"))


@pytest.mark.slow
def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from dragoman.text import synthetic

    sentences = [item.source.annotated for item in synthetic.pair("en-de").generate(120, seed=1)]
    conllu.write(sentences, tmp_path / "all.conllu")
    fstructure_files.write(map(of_sentence, sentences), tmp_path / "all.jsonl")
    command = program()

    def run(*words: str | Path) -> None:
        command.main(["functions", *map(str, words)], standalone_mode=False)

    run("train", tmp_path / "all.conllu", "-o", tmp_path / "model")
    for end in ("conllu", "jsonl"):
        run("break", tmp_path / f"all.{end}", "--rate", "0.4", "-o", tmp_path / f"broken.{end}")
        run("guess", tmp_path / "model", tmp_path / f"broken.{end}", "-o", tmp_path / f"whole.{end}")
    broken, whole = (list(conllu.read(tmp_path / f"{name}.conllu")) for name in ("broken", "whole"))
    missing = sum(label == "_" for each in broken for label in each.dependencies.labels)
    assert missing > 50
    pairs = [
        (ours, gold)
        for was, ours_, gold_ in zip(broken, whole, sentences, strict=True)
        for label, ours, gold in zip(
            was.dependencies.labels, ours_.dependencies.labels, gold_.dependencies.labels, strict=True
        )
        if label == "_"
    ]
    assert sum(ours == gold for ours, gold in pairs) / len(pairs) > 0.7
    assert not any(
        case.function == UNKNOWN for each in fstructure_files.read(tmp_path / "whole.jsonl") for case in cases(each)
    )
    capsys.readouterr()
    run("evaluate", tmp_path / "model", tmp_path / "all.conllu", "--missing", "all", "--json")
    assert '"accuracy"' in capsys.readouterr().out
    run("evaluate", tmp_path / "model", tmp_path / "all.conllu", "--features", "none", "--one-by-one")


def test_parents_stay_together() -> None:
    found = by_parent(cases(TRAINING[1]))
    assert [len(group) for group in found.values()] == [3]
    assert math.isclose(sum(FunctionGuesser.train(TRAINING).posterior(query()).values()), 1)
