"""Structural distortion: gaps by size and order, against their definition in plain Python."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from dragoman.errors import FormatError, SettingError
from dragoman.features.language_model import LanguageModel
from dragoman.features.structural_distortion import SIZES, GapOrders, StructuralProbability
from dragoman.features.template import Template
from dragoman.features.template_specs import template
from dragoman.grammar.limits import HieroLimits, LeftToRightLimits
from dragoman.grammar.table import RuleTable
from dragoman.search import DECODERS
from dragoman.search.base import Decoder
from dragoman.search.synchronous_tree import synchronous_trees
from tests.search.setting import Setting

LIMITS = {"hiero": HieroLimits(), "lr-hiero": LeftToRightLimits()}


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    return Setting(tmp_path_factory.mktemp("structure"), "")


@cache
def rules(setting: Setting, name: str) -> RuleTable:
    return setting.rules(LIMITS[name])


def made(name: str, setting: Setting, *features: Template) -> Decoder:
    table = rules(setting, name)
    models = [LanguageModel("lm", setting.model)]
    chosen: dict[str, object] = {"pop_limit": 40, "beam": 40}
    if name == "lr-hiero":
        chosen["right_boundary"] = "none"
    return DECODERS.get(name).open(lambda _: table.path, models, chosen, features=features)


def bucket(words: int) -> str:
    return str(words) if words <= 10 else "more"


@pytest.mark.parametrize("name", ["hiero", "lr-hiero"])
def test_every_gap_fires_by_its_size_and_order(name: str, setting: Setting) -> None:
    decoder = made(name, setting, template("structure"))
    random = Random(4)
    names = [f"structure:{order}.{size}" for order in ("straight", "reordered") for size in SIZES]
    decoder = decoder.with_weights(decoder.weights | {each: random.uniform(-1, 1) for each in names})
    met: Counter[str] = Counter()
    for found in decoder.translate(setting.sentences[:12], forests=True):
        assert found.score == pytest.approx(sum(decoder.weights[n] * v for n, v in found.features.items()), abs=1e-6)
        assert found.nbest(1)[0].score == pytest.approx(found.score, abs=1e-6)
        for tree in synchronous_trees(found):
            for _, each in tree.walk():
                phrase = each.phrase
                if "glue" in phrase.features:
                    continue
                wanted: Counter[str] = Counter()
                for part in each.parts:
                    start, end = part.phrase.within
                    others = [
                        (other.phrase.within[0], other.target_span[0]) for other in each.parts if other is not part
                    ]
                    others += [(source, target) for source, target in phrase.links]
                    place = part.target_span[0]
                    moved = any(
                        (source < start and target > place) or (source > start and target < place)
                        for source, target in others
                    )
                    wanted[f"structure:{'reordered' if moved else 'straight'}.{bucket(end - start)}"] += 1
                fired = {n: v for n, v in phrase.features.items() if n.startswith("structure:")}
                assert fired == dict(wanted)
                met.update(wanted)
    assert any("straight" in each for each in met)
    assert any("reordered" in each for each in met)


def counted(links: list[tuple[int, int]], longest: int) -> tuple[list[int], list[int]]:
    """All tight pairs of phrases within all others, by brute force."""
    size = max((max(link) for link in links), default=-1) + 1
    blocks = []
    for start, end in combinations(range(size + 1), 2):
        inside = [(i, j) for i, j in links if start <= i < end]
        if not inside or not {start, end - 1} <= {i for i, _ in inside}:
            continue
        low, high = min(j for _, j in inside), max(j for _, j in inside)
        if end - start > longest or high - low >= longest:
            continue
        if all(start <= i < end for i, j in links if low <= j <= high):
            blocks.append((start, end, low, high))
    rows = [0] * len(SIZES), [0] * len(SIZES)
    for a, b, _, _ in blocks:
        for start, end, low, high in blocks:
            if not (a <= start and end <= b) or (a, b) == (start, end):
                continue
            moved = any((a <= i < start and j > high) or (end <= i < b and j < low) for i, j in links)
            rows[moved][min(end - start, 11) - 1] += 1
    return rows


@pytest.mark.parametrize("seed", range(25))
def test_counts_equal_brute_force(seed: int) -> None:
    random = Random(seed)
    size = random.randint(1, 9)
    links = sorted({(random.randrange(size), random.randrange(size)) for _ in range(random.randint(1, 12))})
    longest = random.choice((3, 5, 10))
    line = " ".join(f"{i}-{j}" for i, j in links)
    found = GapOrders.of([line], longest=longest)
    assert (list(found.straight), list(found.reordered)) == counted(links, longest)


def test_the_coarse_form_is_a_log_probability(setting: Setting, tmp_path: Path) -> None:
    orders = GapOrders.of(setting.aligned[2])
    orders.write(tmp_path / "gaps.tsv")
    assert GapOrders.read(tmp_path / "gaps.tsv") == orders
    for size in range(len(SIZES)):
        total = sum(math.exp(orders.log_probability(order, size)) for order in ("straight", "reordered"))
        assert total == pytest.approx(1)
    both = made("hiero", setting, template("structure"), StructuralProbability(gap_orders=tmp_path / "gaps.tsv"))
    both = both.with_weights(both.weights | {"structure_probability:log": 0.5})
    for found in both.translate(setting.sentences[:6]):
        wanted = sum(
            value * orders.log_probability(name.split(":")[1].split(".")[0], SIZES.index(name.rpartition(".")[2]))
            for name, value in found.features.items()
            if name.startswith("structure:")
        )
        assert found.features.get("structure_probability:log", 0) == pytest.approx(wanted)


def test_broken_counts_are_refused_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "gaps.tsv").write_text("1\t2\t3\n2\tx\t3\n", "utf-8")
    with pytest.raises(FormatError, match=r"gaps.tsv:2"):
        GapOrders.read(tmp_path / "gaps.tsv")
    (tmp_path / "gaps.tsv").write_text("1\t2\t3\n", "utf-8")
    with pytest.raises(FormatError, match="1 lines for 11 sizes"):
        GapOrders.read(tmp_path / "gaps.tsv")


def test_decoders_without_gaps_refuse_it(setting: Setting) -> None:
    with pytest.raises(SettingError, match="looks at gaps of rules"):
        DECODERS.get("phrase").open(
            lambda _: setting.table.path, [LanguageModel("lm", setting.model)], {}, features=[template("structure")]
        )
