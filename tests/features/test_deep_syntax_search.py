"""The deep-syntax model inside search: what it adds up to is the score of the tree that the source's tree becomes."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.annotations.predicates import PredicateTree
from dragoman.errors import SettingError
from dragoman.features.deep_syntax_search import DeepSyntaxSearch, carried_tree
from dragoman.features.imported import ImportedFeature
from dragoman.lm import write_arpa
from dragoman.lm.deep_syntax import DeepSyntaxModel
from dragoman.lm.tree_events import TreeEvents
from dragoman.text import synthetic
from dragoman.text.source_text import SourceText
from tests.search.setting import Setting

pytestmark = pytest.mark.slow


class World:
    def __init__(self, folder: Path) -> None:
        self.setting = Setting(folder, "")
        items = list(synthetic.pair("en-de").generate(300, seed=4))
        trees = [
            carried_tree(
                item.target.tokens,
                [tuple(map(int, link.split("-"))) for link in item.pharaoh.split()],  # type: ignore[misc]
                item.source.annotated.dependencies.heads,
            )
            for item in items
        ]
        self.models = {order: DeepSyntaxModel.train(trees, TreeEvents(order, ends=False)) for order in (2, 3)}
        held = synthetic.pair("en-de").generate(25, seed=4, start=1000)
        self.held = [SourceText.annotated(item.source.annotated) for item in held]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("dslm"))


@pytest.mark.parametrize("order", [2, 3])
def test_it_adds_up_to_the_score_of_the_carried_tree(world: World, order: int) -> None:
    model = world.models[order]
    decoder = world.setting.decoder(DeepSyntaxSearch(model), pop_limit=15, beam=15, check_features=True)
    decoder = decoder.with_weights(decoder.weights | {"dslm": 0.4})
    texts = [text for text in world.held if len(text.text.split()) < 9][:3]
    for text, found in zip(texts, decoder.translate(texts, forests=True), strict=True):
        tree = carried_tree(found.target, found.alignment, text.heads)
        assert found.features["dslm"] == pytest.approx(model.score(tree).logprob, abs=1e-6)
        assert found.score == pytest.approx(sum(decoder.weights[n] * v for n, v in found.features.items()), abs=1e-6)


def test_words_without_links_and_heads_without_words_are_passed_over() -> None:
    """Of four source words the second hangs on the third, which nothing stands for, and that on the root."""
    tree = carried_tree(["Der", "Hund", "ja", "bellt"], [(0, 0), (1, 1), (3, 3)], [1, 2, 3, -1])
    assert tree == PredicateTree(("der", "hund", "bellt"), (1, 2, -1))
    both = carried_tree(["zum"], [(0, 0), (1, 0)], [1, -1])
    assert both == PredicateTree(("zum",), (-1,)), "a word that is linked to two stands for the upper one"


def test_without_a_tree_nothing_fires(world: World) -> None:
    decoder = world.setting.decoder(DeepSyntaxSearch(world.models[2]), pop_limit=10, beam=10)
    assert "dslm" not in decoder.translate([world.held[0].text])[0].features


def test_recipes_name_it_with_its_model(world: World, tmp_path: Path) -> None:
    write_arpa(world.models[2].ngrams.list_ngrams(), tmp_path / "deep.arpa")
    name = "dragoman.features.deep_syntax_search:DeepSyntaxSearch"
    made = ImportedFeature.parse(f"{name}:model={tmp_path / 'deep.arpa'}").load()
    assert str(made) == "dslm"
    sides = DeepSyntaxModel.train([PredicateTree(("a", "b"), (-1, 0), (0, 1))] * 3, TreeEvents(2, kind="sides"))
    with pytest.raises(SettingError, match="of the kind sides"):
        DeepSyntaxSearch(sides)
