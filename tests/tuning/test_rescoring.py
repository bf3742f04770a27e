"""Features of finished translations: added to lists, tuned, and the best chosen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from dragoman.annotations import Sentence
from dragoman.annotations.annotator import Annotator
from dragoman.annotations.predicate_trees import predicate_tree
from dragoman.annotations.syntax import Syntax, SyntaxSettings
from dragoman.cli import program
from dragoman.errors import FormatError, InputError, UnknownName
from dragoman.features.deep_syntax import FEATURES, DeepSyntaxFeatures
from dragoman.features.weights import Weights
from dragoman.lm.deep_syntax import DeepSyntaxModel, estimate_trees
from dragoman.text import synthetic
from dragoman.tuning.given_lists import tune_lists
from dragoman.tuning.nbest import NBestPool
from dragoman.tuning.rescoring import best_texts, read_ranked, scored_by, with_features, write_ranked

LIST = "0 ||| a dog runs  ||| lm= -1 tm= -2 ||| -3\n0 ||| dog a runs  ||| lm= -2 tm= -0.5 ||| -2.5\n"


@pytest.fixture(scope="module")
def treebank() -> list[Sentence]:
    return [item.source.annotated for item in synthetic.pair("en-de").generate(120, seed=1)]


@pytest.fixture(scope="module")
def features(treebank: list[Sentence]) -> DeepSyntaxFeatures:
    model = DeepSyntaxModel.train(predicate_tree(sentence) for sentence in treebank)
    return DeepSyntaxFeatures(model, Syntax.train(treebank, SyntaxSettings(epochs=2, folds=1)))


def test_a_list_gets_features_and_a_new_order(
    tmp_path: Path, treebank: list[Sentence], features: DeepSyntaxFeatures
) -> None:
    good = " ".join(treebank[0].words)
    bad = " ".join(reversed(treebank[0].words))
    path = tmp_path / "lists"
    path.write_text(f"0 ||| {bad} ||| tm= -1 ||| -1\n0 ||| {good} ||| tm= -1.2 ||| -1.2\n", "utf-8")
    found = with_features(read_ranked(path), [features])
    assert set(found[0].features) == {"tm", *FEATURES}
    [first, second] = (each.features for each in found)
    assert first["dslm_fail"] == second["dslm_fail"] == 0
    assert second["dslm"] > first["dslm"]
    assert second["dslm_norm"] == pytest.approx(second["dslm"] / second["dslm_events"])
    write_ranked(found, tmp_path / "more")
    again = read_ranked(tmp_path / "more")
    assert [each.features for each in again] == [pytest.approx(each.features, rel=1e-6) for each in found]
    pool = NBestPool.of_moses([tmp_path / "more"], [good])
    tuned = tune_lists(pool).weights
    assert best_texts(again, tuned) == [good]
    with pytest.raises(InputError, match="'dslm' already"):
        with_features(again, [features])


class Silent(Annotator):
    """A parser that never has an answer."""

    name = "silent"
    gives = ("lemmas", "pos", "dependencies")

    @classmethod
    def from_argument(cls, argument: str) -> Annotator:
        return cls()

    def add_layers(self, sentences: Sequence[Sentence], *, threads: int = 0) -> list[Sentence]:
        return list(sentences)


def test_without_a_tree_all_words_are_unknown(features: DeepSyntaxFeatures) -> None:
    [found] = DeepSyntaxFeatures(features.model, Silent()).values(["a b c"])
    assert found["dslm_fail"] == 1
    assert found["dslm_events"] == found["dslm_oov"] == 3
    assert found["dslm"] == pytest.approx(3 * features.model.unknown_logprob)


def test_scores_and_errors(tmp_path: Path) -> None:
    path = tmp_path / "lists"
    path.write_text(LIST, "utf-8")
    listed = read_ranked(path)
    assert [each.text for each in scored_by(listed, {"lm": 1.0})] == ["a dog runs", "dog a runs"]
    assert best_texts(listed, {"lm": 1.0, "tm": 2.0, "shape:1": 3.0}) == ["dog a runs"]
    with pytest.raises(UnknownName, match="no feature 'ln'"):
        scored_by(listed, {"ln": 1.0})
    path.write_text("0 ||| a ||| lm= x ||| 1\n", "utf-8")
    with pytest.raises(FormatError, match="line 1"):
        read_ranked(path)


def test_the_command(tmp_path: Path, treebank: list[Sentence], features: DeepSyntaxFeatures) -> None:
    estimate_trees(predicate_tree(sentence) for sentence in treebank).write_arpa(tmp_path / "deep.arpa")
    features.parser.save(tmp_path / "parser")  # type: ignore[attr-defined]
    lists, weights, out = tmp_path / "lists", tmp_path / "weights", tmp_path / "out"
    lists.write_text(LIST, "utf-8")
    Weights({"lm": 1.0, "dslm": 0.1}).save(weights)
    flags = ["--deep-lm", str(tmp_path / "deep.arpa"), "--with", str(tmp_path / "parser")]
    command = program()
    run = command.main(["rescore", str(lists), *flags, "-o", str(out)], standalone_mode=False)
    assert not run
    assert "dslm_oov=" in out.read_text("utf-8")
    command.main(
        ["rescore", str(out), "--weights", str(weights), "--best", "-o", str(tmp_path / "best")], standalone_mode=False
    )
    assert (tmp_path / "best").read_text("utf-8").splitlines() in (["a dog runs"], ["dog a runs"])
