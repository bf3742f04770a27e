"""Exact hierarchical decoding against enumeration: thousands of small grammars, any language models, all switches."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from dragoman.features.language_model import LanguageModel
from dragoman.lm import NgramModel
from dragoman.search.hiero import HieroDecoder
from dragoman.search.left_to_right import LeftToRightDecoder
from dragoman.search.settings import ExactSettings, HieroSettings
from tests.lm.arpa_texts import Table, random_table
from tests.search.hierarchical import Grammar
from tests.search.hiero_setting import UNLIMITED, WEIGHTS, derivations, grammar, random_grammar
from tests.search.test_left_to_right import UNLIMITED as KEEP_ALL
from tests.search.test_left_to_right import decoder as left_to_right
from tests.search.test_left_to_right import features_of, random_rules

MOST = 20_000
"""Derivations that are written down."""


def random_models(chance: random.Random, folder: Path) -> tuple[list[LanguageModel], dict[str, float]]:
    """One or two, pruned or not, back-offs above 1, over words or classes; weights of either sign."""
    uses, weights = [], {}
    for number in range(chance.choice([1, 1, 1, 2])):
        table = random_table(chance.randrange(10**6), order=chance.randint(1, 4), closed=chance.random() < 0.6)
        upper = Table(
            table.order,
            {tuple(word if word[0] == "<" else word.upper() for word in ngram): p for ngram, p in table.p.items()},
            {tuple(word if word[0] == "<" else word.upper() for word in ngram): b for ngram, b in table.b.items()},
        )
        words = [ngram[0] for ngram in upper.p if len(ngram) == 1 and ngram[0][0] != "<"]
        path = folder / f"lm{number}.arpa"
        path.write_text(upper.arpa())
        mapped = number == 1 and chance.random() < 0.5
        classes = {word: chance.choice(words) for word in [*words, "<unk>"]} if mapped else None
        uses.append(LanguageModel(f"lm{number}", NgramModel.read_arpa(path), classes))
        weights[uses[-1].name] = chance.choice([0.3, 1.0, 1.7]) * chance.choice([1, 1, 1, -1])
    return uses, weights


def random_settings(chance: random.Random) -> ExactSettings:
    return ExactSettings(
        epsilon=1e-9,
        prune_every=chance.choice([0, 1, 3]),
        seed_search=chance.random() < 0.5,
        contexts=chance.choice([0, 1, 2]),
        in_rule=chance.random() < 0.5,
    )


def said_by(uses: Sequence[LanguageModel], weights: Mapping[str, float], target: Sequence[str]) -> float:
    return sum(weights[use.name] * use.score(tuple(target)) for use in uses)


def check(
    decoder: HieroDecoder | LeftToRightDecoder, line: str, best: float, settings: ExactSettings, *, verify: bool
) -> None:
    """The optimum, however it is looked for; a bound that never rises; and no search that finds more."""
    found = decoder.optimize([line], settings, threads=1)[0]
    proof = found.proof
    assert proof is not None
    assert proof.optimal
    assert found.score == pytest.approx(best, abs=2e-4)
    assert proof.bound == pytest.approx(best, abs=2e-4)
    assert found.rescore() == pytest.approx(found.score, abs=1e-6)
    for before, after in pairwise(proof.trace):
        assert after.bound <= before.bound
        assert after.best >= before.best
    assert decoder.translate([line], threads=1)[0].score <= best + 2e-4
    stopped = decoder.optimize([line], ExactSettings(memory=1), threads=1)[0].proof
    assert stopped is not None
    assert best - 2e-4 <= stopped.bound < math.inf
    assert stopped.score <= best + 2e-4
    if verify and settings.epsilon == 1e-9:
        certificate = proof.certificate
        assert certificate is not None
        assert certificate.verify(decoder.language_models).valid


@pytest.mark.slow
@pytest.mark.parametrize("block", range(8))
def test_charts_equal_enumeration(block: int, tmp_path: Path) -> None:
    tried = 0
    for seed in range(250 * block, 250 * block + 250):
        chance = random.Random(seed)
        rules, words = random_grammar(seed)
        uses, weights = random_models(chance, tmp_path)
        weights |= {name: value for name, value in WEIGHTS.items() if name != "lm"}
        span = chance.choice([0, 0, 2, 3])
        everything = derivations(rules, words, max_span=span)
        if not 0 < len(everything) <= MOST:
            continue
        tried += 1
        best = max(
            sum(weights[name] * value for name, value in each.features.items()) + said_by(uses, weights, each.target)
            for each in everything
        )
        small = HieroSettings(
            beam=1, pop_limit=1, option_limit=2**31, max_span=span, cube=chance.choice(["pruning", "growing"])
        )
        decoder = HieroDecoder(grammar(rules, tmp_path / "table"), uses, weights, small)
        check(decoder, " ".join(words), best, random_settings(chance), verify=seed % 10 == 0)
    assert tried > 200


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_charts_with_features_of_reordering(block: int, tmp_path: Path) -> None:
    """Equal to chart search that keeps everything, which other tests hold to enumeration."""
    for seed in range(50 * block, 50 * block + 50):
        chance = random.Random(seed)
        rules, words = random_grammar(seed)
        uses, weights = random_models(chance, tmp_path)
        weights |= {name: value for name, value in WEIGHTS.items() if name != "lm"}
        weights |= {name: chance.uniform(-0.5, 0.5) for name in ("distortion.rule", "reordered", "width", "height")}
        table = grammar(rules, tmp_path / "table")
        whole = HieroDecoder(table, uses, weights, UNLIMITED).with_settings(reordering_features=True)
        small = whole.with_settings(beam=1, pop_limit=1)
        line = " ".join(words)
        check(small, line, whole.translate([line])[0].score, random_settings(chance), verify=seed % 10 == 0)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(8))
def test_left_to_right_equals_enumeration(block: int, tmp_path: Path) -> None:
    tried = 0
    for seed in range(250 * block, 250 * block + 250):
        chance = random.Random(seed)
        rules = random_rules(chance, "abc")
        words = [chance.choice("abc") for _ in range(chance.randint(1, 4))]
        uses, weights = random_models(chance, tmp_path)
        boundary = chance.choice(("none", "a", "ab", "abc"))
        split_b, when = chance.random() < 0.5, chance.choice(("always", "no_regular"))
        span, reordering = chance.choice((2, 3, 10)), chance.random() < 0.5
        made = Grammar(rules, right_boundary=boundary, split_b=split_b, max_span=span, glue_when=when)
        everything = made.derivations(" ".join(words))
        if not 0 < len(everything) <= MOST:
            continue
        tried += 1
        zero = _Zero()
        rows = [(features_of(each, zero), each.text.split()) for each in everything]
        weights |= {name: round(chance.uniform(-1, 1), 3) for name in rows[0][0] if name != "lm"}
        own = {name for name in weights if name[:2] != "lm"}
        if not reordering:
            own -= {"distortion.rule", "distortion.glue", "reordered", "height", "width"}
        best = max(
            sum(weights[name] * values[name] for name in own) + said_by(uses, weights, target)
            for values, target in rows
        )
        one = left_to_right(
            tmp_path / "t.rules",
            rules,
            None,
            {},
            **{**KEEP_ALL, "beam": 1, "pop_limit": 1},
            right_boundary=boundary,
            split_b=split_b,
            glue_when=when,
            max_span=span,
            reordering_features=reordering,
            h_exact=True,
            boundary_feature=True,
            search=chance.choice(("cube", "stack")),
        )
        decoder = LeftToRightDecoder(one.table, uses, weights, one.settings)
        check(decoder, " ".join(words), best, random_settings(chance), verify=seed % 10 == 0)
    assert tried > 200


class _Zero(dict[tuple[str, str], float]):
    """Language models are asked elsewhere."""

    def __missing__(self, pair: tuple[str, str]) -> float:
        return 0.0


@pytest.mark.slow
def test_bounds_with_features_that_have_states(tmp_path: Path) -> None:
    """Where the space does not fit: still a number that the optimum does not pass."""
    for seed in range(40):
        chance = random.Random(seed)
        rules, words = random_grammar(seed)
        uses, weights = random_models(chance, tmp_path)
        weights |= {name: value for name, value in WEIGHTS.items() if name != "lm"}
        weights |= {f"target_ngram:{a}_{b}": chance.uniform(-1, 1) for a in "ABCD" for b in "ABCD"}
        table, line = grammar(rules, tmp_path / "table"), " ".join(words)
        whole = HieroDecoder(table, uses, weights, UNLIMITED, features=["target_ngram:order=2"])
        best = whole.translate([line])[0]
        assert any(name.startswith("target_ngram") for name in best.features) or len(best.target) < 2
        small = whole.with_settings(beam=1, pop_limit=1)
        proof = small.optimize([line], ExactSettings(epsilon=1e-9))[0].proof
        assert proof is not None
        assert proof.score == pytest.approx(best.score, abs=1e-5)
        stopped = small.optimize([line], ExactSettings(memory=1))[0].proof
        assert stopped is not None
        assert stopped.stop == "memory"
        assert best.score - 1e-5 <= stopped.bound < math.inf
        rest = random_rules(chance, "abc")
        text = " ".join(chance.choice("abc") for _ in range(3))
        named = {"score": 1.0, "glue": -0.1} | weights
        plain = left_to_right(tmp_path / "t.rules", rest, None, {}, **KEEP_ALL, search="stack")
        large = LeftToRightDecoder(plain.table, uses, named, plain.settings, features=["target_ngram:order=2"])
        best = large.translate([text])[0]
        stopped = large.with_settings(search="cube", beam=1).optimize([text], ExactSettings(memory=1))[0].proof
        assert stopped is not None
        assert best.score - 1e-5 <= stopped.bound < math.inf
