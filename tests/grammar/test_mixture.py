"""Mixtures: arithmetic, provenance, and fitted weights."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from dragoman.errors import InputError, SettingError
from dragoman.grammar.mixture import fit_weights, mix
from dragoman.grammar.orientation import ReorderingModel
from dragoman.grammar.phrases import extract
from dragoman.grammar.scoring import Scoring
from dragoman.grammar.table import RuleTable
from tests.grammar import brute_force
from tests.grammar.conftest import Bitext, lines


@pytest.fixture(scope="module")
def two(bitext: Bitext, tmp_path_factory: pytest.TempPathFactory) -> tuple[RuleTable, RuleTable]:
    folder = tmp_path_factory.mktemp("mix")
    scoring = Scoring(min_probability=0, smoothing="none", reordering=ReorderingModel.parse("msd-bidirectional-fe"))
    first = extract(*lines(bitext[:40]), folder / "first", scoring=scoring).table
    second = extract(*lines(bitext[100:300]), folder / "second", scoring=scoring).table
    return first, second


def pairs(table: RuleTable) -> dict[tuple[str, str], dict[str, float]]:
    return {(rule.source_text, rule.target_text): dict(rule.values) for rule in table}


def test_linear_mixture(two: tuple[RuleTable, RuleTable], tmp_path: Path) -> None:
    mixed = mix(two, tmp_path / "t", weights=[0.7, 0.3])
    first, second, found = pairs(two[0]), pairs(two[1]), pairs(mixed)
    assert set(found) == set(first) | set(second)
    sources = [{pair[0] for pair in side} for side in (first, second)]
    for pair, values in list(found.items())[::9]:
        both = (first.get(pair), second.get(pair))
        for name, value in values.items():
            parts = [(w, math.exp(v[name])) for w, v in zip((0.7, 0.3), both, strict=True) if v is not None]
            total = sum(w for w, _ in parts)
            if name == "phrase.ts":
                total = sum(w for w, known in zip((0.7, 0.3), sources, strict=True) if pair[0] in known)
            if name == "phrase.st":
                continue
            assert math.exp(value) == pytest.approx(sum(w * p for w, p in parts) / total, rel=1e-5)
    for source in list(sources[0])[::7]:
        assert sum(math.exp(rule.values["phrase.ts"]) for rule in mixed.lookup(source)) == pytest.approx(1, abs=1e-5)
    target = mixed.rule(0).target
    assert sum(math.exp(r.values["phrase.st"]) for r in mixed if r.target == target) == pytest.approx(1, abs=1e-5)


def test_fill_up_takes_the_first_and_says_so(two: tuple[RuleTable, RuleTable], tmp_path: Path) -> None:
    mixed = mix(two, tmp_path / "t", mode="fill-up")
    first, second, found = pairs(two[0]), pairs(two[1]), pairs(mixed)
    assert mixed.columns == (*two[0].columns, "from.first", "from.second")
    for pair, values in found.items():
        giver = first if pair in first else second
        assert {k: v for k, v in values.items() if not k.startswith("from.")} == giver[pair]
        assert (values["from.first"], values["from.second"]) == ((1, 0) if pair in first else (0, 1))


def test_indicators_say_who_knows_a_rule(two: tuple[RuleTable, RuleTable], tmp_path: Path) -> None:
    found = pairs(mix(two, tmp_path / "t", mode="indicators", names=["in", "out"]))
    first, second = pairs(two[0]), pairs(two[1])
    for pair, values in found.items():
        assert (values["in.in"], values["in.out"]) == (float(pair in first), float(pair in second))


def test_mixing_a_table_with_itself_changes_nothing(two: tuple[RuleTable, RuleTable], tmp_path: Path) -> None:
    found = pairs(mix([two[0], two[0]], tmp_path / "t", names=["a", "b"]))
    for pair, values in pairs(two[0]).items():
        assert found[pair] == pytest.approx(values, abs=1e-5)


def test_fitted_weights_find_the_nearer_table(tmp_path: Path) -> None:
    """One table was taught by a cousin of the dev text, the other by noise over the same words."""
    rng = random.Random(8)
    words = [(f"s{i}", f"t{i}") for i in range(30)]

    def sample(noise: float) -> Bitext:
        made: Bitext = []
        for _ in range(200):
            chosen = [rng.choice(words) for _ in range(3)]
            target = [rng.choice(words)[1] if rng.random() < noise else t for _, t in chosen]
            made.append(([s for s, _ in chosen], target, frozenset((i, i) for i in range(3))))
        return made

    near = extract(*lines(sample(0.1)), tmp_path / "near").table
    far = extract(*lines(sample(0.9)), tmp_path / "far").table
    dev = extract(*lines(sample(0.1)), tmp_path / "dev").table
    fitted = fit_weights([near, far], dev)
    for name in ("phrase.ts", "phrase.st"):
        assert fitted.weights[name][0] > 0.8
        assert sum(fitted.weights[name]) == pytest.approx(1)
        assert fitted.after[name] <= fitted.before[name] + 1e-9
    mixed = mix([near, far], tmp_path / "mixed", weights=fitted)
    assert math.exp(mixed.lookup("s1")[0].values["phrase.ts"]) > 0.5


def test_bad_settings(two: tuple[RuleTable, RuleTable], german: RuleTable, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="two or more"):
        mix(two[:1], tmp_path / "t")
    with pytest.raises(SettingError, match="mode is 'blend'"):
        mix(two, tmp_path / "t", mode="blend")
    with pytest.raises(SettingError, match="weights"):
        mix(two, tmp_path / "t", weights=[1.0, -1.0])
    with pytest.raises(InputError, match="different columns"):
        mix([two[0], german], tmp_path / "t")
    with pytest.raises(InputError, match="no phrase pair"):
        fit_weights([german, german], two[0])


def test_evidence_stays_with_its_corpus(german: RuleTable, tmp_path: Path) -> None:
    mixed = mix([german, german], tmp_path / "t", names=["a", "b"])
    assert not mixed.has_evidence
    assert brute_force.pharaoh(mixed.lookup("das haus")[0].links) == "0-0 1-1"
