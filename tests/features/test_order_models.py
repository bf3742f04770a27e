"""Models of source order and of target dependencies, against their definitions and against brute force in search."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

import numpy as np
import pytest

from dragoman._native.features import jump_class
from dragoman.annotations import Sentence
from dragoman.annotations.predicates import PredicateTree
from dragoman.errors import DragomanError, FormatError, InputError, SettingError
from dragoman.features.bilingual import BILINGUAL, BilingualModel
from dragoman.features.language_model import LanguageModel
from dragoman.features.order_models import ChoiceTraining, DependencyFeature, JumpFeature, RelationFeature
from dragoman.grammar.limits import HieroLimits
from dragoman.search import DECODERS
from dragoman.search.phrase import PhraseDecoder, PhraseSettings
from dragoman.text import synthetic
from dragoman.text.source_text import SourceText
from tests.search.setting import Setting

pytestmark = pytest.mark.slow
MANY = ChoiceTraining(passes=8, min_count=1)


class World:
    """A small model of phrases, and annotated text of both sides."""

    def __init__(self, folder: Path) -> None:
        self.setting = Setting(folder, "")
        items = list(synthetic.pair("en-de").generate(300, seed=4))
        self.source = [item.source.annotated for item in items]
        self.target = [item.target.annotated for item in items]
        self.links = [item.pharaoh for item in items]
        held = synthetic.pair("en-de").generate(25, seed=4, start=1000)
        self.held = [SourceText.annotated(item.source.annotated) for item in held]
        self.jumps = JumpFeature.train(self.source, self.links, MANY)
        self.relations = RelationFeature.train(self.source, self.links, MANY)
        self.dependencies = DependencyFeature.train(self.target, MANY, window=3)

    def decoder(self, model: BilingualModel, weight: float = 0.7, **settings: object) -> PhraseDecoder:
        chosen = PhraseSettings(**{"pop_limit": 60, "beam": 60, **settings})  # type: ignore[arg-type]
        made = PhraseDecoder(
            self.setting.table, [LanguageModel("lm", self.setting.model)], None, chosen, features=[model]
        )
        return made.with_weights(made.weights | {model.name: weight})


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("orders"))


def walked(model: JumpFeature | RelationFeature, text: SourceText, spans: list[tuple[int, int]]) -> float:
    """What a model says of the phrases of a translation in target order, straight from its definition."""
    assert text.annotation is not None
    values = model.values(text.annotation)
    last, total = -1, 0.0
    for start, end in spans:
        total += values[last + 1, start]
        last = end - 1
    return float(total)


@pytest.mark.parametrize("name", ["jumps", "relations"])
def test_search_adds_up_what_the_model_says(world: World, name: str) -> None:
    model = getattr(world, name)
    decoder = world.decoder(model, 1.5, check_features=True)
    plain = world.decoder(model, 0.0)
    texts = world.held[:8]
    moved = 0
    for text, found, bare in zip(texts, decoder.translate(texts, forests=True), plain.translate(texts), strict=True):
        total = walked(model, text, [phrase.source_span for phrase in found.phrases])
        assert found.features.get(model.name, 0) == pytest.approx(total, abs=1e-6)
        assert found.score == pytest.approx(sum(decoder.weights[n] * v for n, v in found.features.items()), abs=1e-6)
        for other in found.nbest(20):
            spans = [step.span for step in other.steps if step.positions]
            assert other.score == pytest.approx(
                sum(decoder.weights[n] * v for n, v in other.features.items()), abs=1e-6
            )
            assert len(spans) == len(other.steps) or spans
        moved += found.text != bare.text
    assert moved, "a model with such a weight changes translations"


@pytest.mark.parametrize("future", [False, True])
def test_the_future_changes_search_and_no_score(world: World, future: bool) -> None:
    """With everything kept both ways find the same best translation, which brute force over the forest confirms."""
    model = JumpFeature.train(world.source, world.links, MANY, future=future)
    assert model.model.future is future
    wide = world.decoder(model, 1.0, pop_limit=4000, beam=4000, option_limit=2, distortion_limit=3)
    other = JumpFeature.train(world.source, world.links, MANY, future=not future)
    texts = [text for text in world.held if len(text.text.split()) <= 6][:3]
    again = world.decoder(other, 1.0, pop_limit=4000, beam=4000, option_limit=2, distortion_limit=3)
    for text, found, same in zip(texts, wide.translate(texts, forests=True), again.translate(texts), strict=True):
        assert found.score == pytest.approx(same.score, abs=1e-6)
        best = -math.inf
        for derivation in found.nbest(3000):
            best = max(best, derivation.score)
        assert found.score == pytest.approx(best, abs=1e-6)
        assert text.annotation is not None


def test_two_orders_of_two_words_are_one_whole(world: World) -> None:
    for sentence in world.source[:10]:
        values = world.relations.values(sentence)
        for i in range(len(sentence)):
            for j in range(i):
                assert math.exp(values[i + 1, j]) + math.exp(values[j + 1, i]) == pytest.approx(1)
        assert not values[0].any(), "the first word has no order"


def test_jumps_learn_what_text_does() -> None:
    """Two kinds of words: after `x` one goes on, after `y` one goes back."""
    straight, turned = Sentence.of(["x", "a", "b"]), Sentence.of(["y", "a", "b"])
    text = [straight, turned] * 30
    links = ["0-0 1-1 2-2", "0-0 2-1 1-2"] * 30
    model = JumpFeature.train(text, links, ChoiceTraining(passes=20, min_count=1))
    assert not model.model.uses_tags
    ahead, back = model.values(straight), model.values(turned)
    assert ahead[1, 1] > ahead[1, 2]
    assert back[1, 2] > back[1, 1]
    assert np.isfinite(ahead).all()


def test_classes_of_jumps() -> None:
    jumps = (-9, -8, -7, -4, -3, -2, -1, 0, 1, 2, 3, 4, 7, 8, 20)
    assert [jump_class(each) for each in jumps] == [0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 6, 7, 7, 8, 8]


def test_dependencies_find_the_best_heads_within_the_window(world: World) -> None:
    for model, window in ((world.dependencies, 3), (DependencyFeature.train(world.target, MANY, window=0), 99)):
        for sentence in world.target[:6]:
            line = " ".join(sentence.words)
            size = len(sentence)
            wanted, heads = 0.0, []
            for word in range(size):
                near = [at for at in range(size) if at != word and abs(at - word) <= window]
                scores = {head: model.model.arc_score(line, head, word) for head in (-1, *near)}
                wanted += max(scores.values())
                heads.append(max(scores.values()) - scores[model.heads(line)[word]])
            assert model.score(line) == pytest.approx(wanted, abs=1e-4)
            assert max(heads) == pytest.approx(0, abs=1e-5)


def test_dependencies_learn_heads(world: World) -> None:
    right = total = 0
    model = DependencyFeature.train(world.target[:250], ChoiceTraining(passes=8), window=0)
    for sentence in world.target[250:]:
        found = model.heads(" ".join(sentence.words))
        right += sum(a == b for a, b in zip(found, sentence.dependencies.heads, strict=True))
        total += len(sentence)
    assert right / total > 0.7


def test_whole_sentences_become_trees(world: World) -> None:
    for sentence in world.target[:4]:
        line = " ".join(sentence.words)
        heads = world.dependencies.tree(line)
        PredicateTree(tuple(sentence.words), tuple(heads))  # which refuses circles
        total = sum(world.dependencies.model.arc_score(line, head, word) for word, head in enumerate(heads))
        wide = sum(
            max(world.dependencies.model.arc_score(line, head, word) for head in range(-1, len(heads)) if head != word)
            for word in range(len(heads))
        )
        assert total <= wide + 1e-6


def test_search_asks_the_dependency_model(world: World) -> None:
    decoder = world.decoder(world.dependencies, 0.3, check_features=True)
    texts = world.held[:6]
    for found in decoder.translate(texts, forests=True):
        assert found.features["dependency_lm"] == pytest.approx(world.dependencies.score(found.text), abs=1e-4)
        assert found.score == pytest.approx(sum(decoder.weights[n] * v for n, v in found.features.items()), abs=1e-6)
        for other in found.nbest(10):
            assert other.features["dependency_lm"] == pytest.approx(world.dependencies.score(other.text), abs=1e-4)


def test_threads_change_nothing(world: World) -> None:
    for model in (world.jumps, world.relations, world.dependencies):
        decoder = world.decoder(model)
        assert [each.score for each in decoder.translate(world.held, threads=1)] == [
            each.score for each in decoder.translate(world.held, threads=3)
        ]


def test_files_are_read_again_and_broken_ones_refused(world: World, tmp_path: Path) -> None:
    for model in (world.jumps, world.relations, world.dependencies):
        path = tmp_path / f"{model.name}.bin"
        model.save(path)
        again = BILINGUAL.get(model.name).open(path)
        texts = world.held[:3]
        assert [each.score for each in world.decoder(again).translate(texts)] == [
            each.score for each in world.decoder(model).translate(texts)
        ]
        again.save(tmp_path / "again.bin")
        assert path.read_bytes() == (tmp_path / "again.bin").read_bytes()
        data = bytearray(path.read_bytes())
        random = Random(1)
        for _ in range(5):
            broken = bytearray(data)
            broken[random.randrange(len(broken))] ^= 0xFF
            (tmp_path / "broken.bin").write_bytes(broken)
            with pytest.raises(DragomanError):
                BILINGUAL.get(model.name).open(tmp_path / "broken.bin")
    with pytest.raises(InputError, match="another kind"):
        JumpFeature.open(tmp_path / "relation_order.bin")
    with pytest.raises(FormatError):
        DependencyFeature.open(tmp_path / "relation_order.bin")


def test_missing_layers_are_told(world: World) -> None:
    bare = [Sentence.of(each.words) for each in world.source]
    with pytest.raises(InputError, match="learned from dependency trees of the source"):
        RelationFeature.train(bare, world.links)
    with pytest.raises(InputError, match="learned from dependency trees of the target"):
        DependencyFeature.train(bare)
    with pytest.raises(InputError, match="some sentences have tags") as error:
        JumpFeature.train([*world.source[:2], *bare[2:]], world.links)
    assert "sentence 3" in str(error.value)
    with pytest.raises(InputError, match="points outside"):
        JumpFeature.train([Sentence.of(["a"])], ["5-0"])
    decoder = world.decoder(world.relations)
    with pytest.warns(UserWarning, match="1 of 1 sentences have no (tags|dependencies): relation_order cannot fire"):
        found = decoder.translate([world.held[0].text])[0]
    assert "relation_order" not in found.features


def test_decoders_that_do_not_write_phrases_refuse_them(world: World) -> None:
    table = world.setting.rules(HieroLimits())
    with pytest.raises(SettingError, match="cannot ask the model relation_order"):
        DECODERS.get("hiero").open(
            lambda _: table.path, [LanguageModel("lm", world.setting.model)], {}, features=[world.relations]
        )
