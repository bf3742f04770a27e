"""Rules made for a beginning that the table does not write: aligned word by word, with lexical weights."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from dragoman.features.language_model import LanguageModel
from dragoman.grammar.limits import LeftToRightLimits
from dragoman.grammar.rule import Rule
from dragoman.grammar.writing import write_table
from dragoman.search import DECODERS
from dragoman.search.base import Decoder
from dragoman.search.constraints import Constraints
from dragoman.search.left_to_right import LeftToRightDecoder
from dragoman.search.phrase import PhraseDecoder
from dragoman.search.translation import SentenceTranslation
from tests.search.setting import Setting

COLUMNS = ("phrase.st", "lex.st", "phrase.ts", "lex.ts")
FLOOR = math.log(1e-5)


def rule(source: str, target: str, inverse: float, direct: float) -> Rule:
    values = dict(zip(COLUMNS, (inverse, inverse, direct, direct), strict=True))
    return Rule(tuple(source.split()), tuple(target.split()), values, links=((0, 0),), label="X")


@pytest.fixture(scope="module", params=["phrase", "lr-hiero"])
def decoder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Decoder:
    """Each of three words has a translation; one of them has two."""
    rules = [rule("a", "A", -0.1, -0.2), rule("b", "B", -0.3, -0.4), rule("b", "A", -5, -6), rule("c", "C", -0.5, -0.6)]
    path = tmp_path_factory.mktemp("prefix") / "table"
    table = write_table(rules, path, columns=COLUMNS, metadata={"kind": request.param})
    kind = {"phrase": PhraseDecoder, "lr-hiero": LeftToRightDecoder}[request.param]
    weights = {"phrase.st": 0.1, "lex.st": 0.2, "phrase.ts": 0.3, "lex.ts": 0.4, "unknown": 100.0}
    made: Decoder = kind(table, [], weights)
    return made


def begun(decoder: Decoder, sentence: str, prefix: str) -> SentenceTranslation:
    [found] = decoder.translate([sentence], constraints=[Constraints(prefix=tuple(prefix.split()))], forests=True)
    assert found.text.startswith(prefix)
    assert found.rescore() == pytest.approx(found.score, abs=1e-6)
    for each in found.nbest(10):
        assert each.text.startswith(prefix)
        assert each.rescore(decoder.weights) == pytest.approx(each.score, abs=1e-6)
    return found


def test_a_missing_word_goes_with_its_neighbour(decoder: Decoder) -> None:
    found = begun(decoder, "a b c", "A Z B")
    assert found.text == "A Z B C"
    assert found.unknown_words == ()
    made = [phrase for phrase in found.phrases if "Z" in phrase.target]
    assert len(made) == 1
    [pair] = made
    # the missing word stands with the one before it or with the one behind it: the scores are the same
    partner = {"A Z": ("a", -0.1, -0.2), "Z B": ("b", -0.3, -0.4)}[" ".join(pair.target)]
    assert pair.source == (partner[0],)
    assert pair.features["lex.st"] == pytest.approx(partner[1])
    assert pair.features["lex.ts"] == pytest.approx(partner[2] + FLOOR)
    assert pair.features["phrase.ts"] == pytest.approx(pair.features["lex.ts"])
    assert len(pair.links) == 1
    assert found.alignment == ((0, 0), (1, 2), (2, 3))


def test_both_directions_must_agree(decoder: Decoder) -> None:
    # b could write A, but A prefers a: with a in the sentence, A is linked to a and B to b
    found = begun(decoder, "b a", "A Z B")
    assert sorted(found.alignment) == [(0, 2), (1, 0)]


def test_what_cannot_be_aligned_is_still_written(decoder: Decoder) -> None:
    for prefix in ("Z", "Z Y X W", "Z A", "C C C C C", "A Z Z Z Z Z Z Z Z Z Z Z Z Z B"):
        begun(decoder, "a b c", prefix)
        begun(decoder, "q", prefix)


def test_what_rules_write_is_left_to_rules(decoder: Decoder) -> None:
    free = decoder.translate(["a b c"])[0]
    found = begun(decoder, "a b c", "A B")
    assert found.score == pytest.approx(free.score)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["phrase", "lr-hiero"])
def test_random_beginnings_are_written(name: str, tmp_path: Path) -> None:
    setting = Setting(tmp_path, "")
    table = setting.table if name == "phrase" else setting.rules(LeftToRightLimits())
    kind: type[Decoder] = DECODERS.get(name)
    made = kind.open(lambda _: table.path, [LanguageModel("lm", setting.model)], {"pop_limit": 30, "beam": 30})
    choose = random.Random(7)
    outputs = [each.text.split() for each in made.translate(setting.sentences)]
    linked = 0
    for sentence in setting.sentences:
        words = list(choose.choice(outputs))
        words[choose.randrange(len(words))] = choose.choice(["Unwort", *choose.choice(outputs)])
        found = begun(made, sentence, " ".join(words[: choose.randint(1, len(words))]))
        linked += any(phrase.links for phrase in found.phrases)
    assert linked > 10
