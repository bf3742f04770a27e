"""Syntax in models: constraints that are tuned on a parsed dev set, rules that fit the trees of the training text."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from dragoman.annotations import annotator_chain
from dragoman.annotations.annotator import Annotator
from dragoman.annotations.training import train_annotator
from dragoman.errors import DragomanError, InputError, SettingError
from dragoman.pipeline.model import Model
from dragoman.pipeline.train import train
from dragoman.text import synthetic

QUICK = {
    "kind": "hiero", "tokenized": True, "aligner": "fast", "order": 3, "classes": 0, "iterations": 1, "tuner": "mira",
    "templates": [], "search": {"pop_limit": 20, "beam": 20},
}  # fmt: skip


class World:
    """A synthetic bitext, parsers of both sides, and where models lie."""

    def __init__(self, folder: Path) -> None:
        items = list(synthetic.pair("en-de").generate(220, seed=5))
        self.folder = folder
        self.source = [" ".join(item.source.tokens) for item in items]
        self.target = [" ".join(item.target.tokens) for item in items]
        gold = [[getattr(item, side).annotated for item in items[:60]] for side in ("source", "target")]
        self.parsers: list[Annotator] = []
        for name, trees in zip(("en", "de"), gold, strict=True):
            train_annotator("syntax", trees, epochs=1).save(folder / name, language=name)
            self.parsers.append(annotator_chain.load(str(folder / name)))

    def model(self, name: str, **more: object) -> Model:
        return train(
            self.source[:180],
            self.target[:180],
            output=self.folder / name,
            dev=(self.source[180:200], self.target[180:200]),
            languages="en-de",
            recipe={**QUICK, **more},
            annotator=self.parsers[0],
            target_annotator=self.parsers[1],
            cache=self.folder / "stages",
            progress=False,
        )


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("syntax"))


def test_constraints_are_tuned_and_work_where_text_is_parsed(world: World) -> None:
    model = world.model("soft", syntax="NP2.VP=")
    assert {name for name in model.weights if name.startswith("syntax:")} <= {
        "syntax:NP.match",
        "syntax:NP.cross",
        "syntax:VP.match",
    }
    assert any(name.startswith("syntax:") for name in model.weights)
    again = Model.open(world.folder / "soft")
    assert [str(each) for each in again.decoder.templates] == ["syntax"]
    texts = world.source[200:210]
    parsed = again.with_annotator(world.parsers[0])
    fired = [each.sentences[0].features for each in parsed.translate(texts)]
    assert any("syntax:NP.match" in features for features in fired)
    with pytest.warns(UserWarning, match="10 of 10 sentences have no phrases"):
        bare = again.translate(texts)
    assert not any(name.startswith("syntax:") for each in bare for name in each.sentences[0].features)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again.translate(texts)


def test_trees_of_another_tokenisation_are_refused_with_their_line(world: World) -> None:
    from dragoman.annotations import Sentence
    from dragoman.text.source_text import with_annotations

    model = Model.open(world.folder / "soft")
    lines = with_annotations(["one two three"], [Sentence.of(["one", "two-three"])], name="trees.conllu")
    with pytest.raises(InputError, match=r"2 annotated words for 3 tokens") as error:
        model.translate(list(lines))
    assert "trees.conllu, line 1" in str(error.value)


def test_trees_of_another_tokenisation_are_laid_over_the_tokens(world: World) -> None:
    from dragoman.annotations import Sentence
    from dragoman.text.source_text import SourceText

    parsed = Sentence.of(
        ["he", "doesn't", "sleep"],
        pos=["PRON", "AUX", "VERB"],
        dependencies=([2, 2, -1], ["nsubj", "aux", "root"]),
    )
    found = SourceText("He doesn't sleep", annotation=parsed).tokenized("he does n&apos;t sleep")
    assert found.tags == ("PRON", "AUX", "AUX", "VERB")
    assert found.heads == (3, 3, 3, -1)
    joined = SourceText("in the", annotation=Sentence.of(["in", "the"], pos=["ADP", "DET"])).tokenized("inthe")
    assert joined.tags == ("ADP",)


def test_trained_models_of_order_are_tuned_and_saved(world: World) -> None:
    names = ("distortion_model", "relation_order", "dependency_lm")
    model = world.model("orders", kind="phrase", **dict.fromkeys(names, True), dependency_window=2)
    assert set(names) <= set(model.weights)
    again = Model.open(world.folder / "orders")
    assert [each.name for each in again.decoder.bilingual_models] == list(names)
    parsed = again.with_annotator(world.parsers[0])
    for found in parsed.translate(world.source[200:204]):
        assert {"distortion_model", "dependency_lm"} <= set(found.sentences[0].features)
    with pytest.warns(UserWarning, match="have no (tags|dependencies)"):
        again.translate(world.source[200:202])
    with pytest.raises(SettingError, match="kind is hiero, which cannot ask that model"):
        world.model("wrong", relation_order=True)


def test_models_of_trees_need_trees(world: World) -> None:
    for name, side in (("relation_order", "source"), ("dependency_lm", "target")):
        with pytest.raises(InputError, match=f"learned from dependency trees of the {side}"):
            train(
                world.source[:50],
                world.target[:50],
                output=world.folder / "treeless",
                languages="en-de",
                recipe={**QUICK, "kind": "phrase", "tuner": "none", name: True},
                progress=False,
            )


@pytest.mark.parametrize("structure", ["fine", "coarse"])
def test_structural_distortion_by_recipe(world: World, structure: str) -> None:
    model = world.model(structure, structure=structure)
    again = Model.open(world.folder / structure)
    assert [each.text for each in again.translate(world.source[200:204])] == [
        each.text for each in model.translate(world.source[200:204])
    ]
    assert any(name.startswith("structure") for name in again.weights)


def test_extra_rules_and_hard_constraints_by_recipe(world: World) -> None:
    search = {"pop_limit": 20, "beam": 20, "hard_syntax": "no_cross"}
    model = world.model("hard", extra_rules=["numbers", "identity"], search=search)
    assert model.decoder.settings.hard_syntax == "no_cross"
    [found] = model.with_annotator(world.parsers[0]).translate([f"{world.source[200]} 1,234.5"])
    assert found.text.split()[-1] in ("1.234,5", "1,234.5")
    assert Model.open(world.folder / "hard").decoder.templates[0].prefix == "extra"


def test_explanations_show_the_source_tree(world: World, tmp_path: Path) -> None:
    parsed = Model.open(world.folder / "soft").with_annotator(world.parsers[0])
    [found] = parsed.translate(world.source[200:201])
    shown = str(found.explain())
    assert "phrases of the source" in shown
    sentence = found.sentences[0]
    assert sentence.annotation is not None
    assert any(line.strip().startswith("NP") for line in shown.splitlines())
    found.explain().save(tmp_path / "why.html")
    page = (tmp_path / "why.html").read_text("utf-8")
    assert "phrases of the source" in page
    assert page.count("<svg") == 2
    with pytest.warns(UserWarning, match="have no phrases"):
        [bare] = Model.open(world.folder / "soft").translate(["?"])
    assert "phrases of the source" not in str(bare.explain())


def test_named_systems_have_rules_of_trees(world: World) -> None:
    sizes, used = {}, 0
    for system in ("hpb-orig", "dc-sl-npr", "dc-tl-npr"):
        model = world.model(system, system=system, tuner="none", smoothing="good-turing")
        assert model.decoder.table is not None
        sizes[system] = model.decoder.table.with_gaps
        found = model.translate(world.source[200:206], forests=True)
        assert all(each.text for each in found)
        for sentence in (part for each in found for part in each.sentences):
            steps = sentence.forest.best().steps
            with_gaps = [step for step in steps if step.parts and step.positions]
            assert sentence.rules_with_gaps == sentence.to_dict()["rules_with_gaps"] == len(with_gaps)
            used += len(with_gaps)
    assert used
    assert sizes["dc-sl-npr"] < sizes["hpb-orig"]
    assert sizes["dc-tl-npr"] < sizes["hpb-orig"]
    table = Model.open(world.folder / "dc-sl-npr").decoder.table
    assert table is not None
    assert table.metadata["max_span"] == "0"


def test_systems_without_trees_are_told(world: World) -> None:
    with pytest.raises(DragomanError, match="no dependency trees of the source side"):
        train(
            world.source[:30],
            world.target[:30],
            output=world.folder / "none",
            languages="en-de",
            recipe={**QUICK, "system": "dc-sl-npr", "tuner": "none"},
            progress=False,
        )
    with pytest.raises(SettingError):
        world.model("wrong", system="dc-sl")
