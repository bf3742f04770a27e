"""Exact inference for forests under language models, and the hierarchical decoders that use it."""

from __future__ import annotations

import math
import random
import time
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from dragoman.errors import FormatError, LimitReached
from dragoman.features.language_model import LanguageModel
from dragoman.forest import Forest, ForestBuilder
from dragoman.lm import NgramModel
from dragoman.search import proven
from dragoman.search.certificate_files import read_certificate, write_certificate
from dragoman.search.exact import bounded_models, optimize_forest, sample_forest
from dragoman.search.forest_certificate import ForestCertificate
from dragoman.search.hiero import HieroDecoder
from dragoman.search.left_to_right import LeftToRightDecoder
from dragoman.search.settings import ExactSettings, HieroSettings, SampleSettings
from tests.lm.arpa_texts import EXAMPLE, Table, random_table
from tests.search.hiero_setting import UNLIMITED, WEIGHTS, grammar, language_model, random_grammar
from tests.search.test_left_to_right import SMALL
from tests.search.test_left_to_right import decoder as left_to_right

LITERAL = ExactSettings(epsilon=1e-9, prune_every=0, contexts=1, in_rule=False)


def model(table: Table, folder: Path, name: str = "lm") -> LanguageModel:
    path = folder / f"{name}.arpa"
    path.write_text(table.arpa())
    return LanguageModel(name, NgramModel.read_arpa(path))


def worked_example() -> Forest:
    """Two source words; the first has two rules with a gap, the second two words (by hand, for Aziz et al. 2013)."""
    build = ForestBuilder("f1 f2")
    inner, outer = build.add_node(1, 2), build.add_node(0, 2)
    build.add_edge(inner, "b", score=math.log(0.6), span=(1, 2))
    build.add_edge(inner, "a", score=math.log(0.4), span=(1, 2))
    build.add_edge(outer, ["a", 0], [inner], score=math.log(0.45), span=(0, 2))
    build.add_edge(outer, [0, "a"], [inner], score=math.log(0.55), span=(0, 2))
    return build.finish(outer)


def test_optimisation_of_the_worked_example(tmp_path: Path) -> None:
    use = model(EXAMPLE, tmp_path)
    found = optimize_forest(worked_example(), bounded_models([use], {"lm": 1.0}), LITERAL)
    assert found.derivation is not None
    assert found.derivation.text == "a b"
    rows = [(math.exp(row[0]), math.exp(row[1]), math.exp(row[2]), row[4]) for row in found.proof.trace]
    wanted = [
        (0.038016, 0.005346, 0.005346, 5),
        (0.031104, 0.0217728, 0.0217728, 7),
        (0.031104, 0.0217728, 0.0217728, 10),
        (0.031104, 0.0217728, 0.0217728, 10),
        (0.031104, 0.0217728, 0.0217728, 10),
        (0.0217728, 0.0217728, 0.0217728, 10),
    ]
    for row, expected in zip(rows, wanted, strict=True):
        assert row == pytest.approx(expected, abs=1e-7)
    assert found.contexts == (("<s>",), ("a",), ("<s>", "a"), ("b",), ("a", "b"))


def test_sampling_of_the_worked_example(tmp_path: Path) -> None:
    use = model(EXAMPLE, tmp_path)
    settings = SampleSettings(samples=5000, acceptance=0.8, in_rule=False, refine=1)
    drawn = sample_forest(worked_example(), bounded_models([use], {"lm": 1.0}), settings)
    assert math.exp(drawn.rounds[0].log_norm) == pytest.approx(0.10368, abs=1e-7)
    assert drawn.rounds[0].mean_ratio == pytest.approx(0.368229, abs=0.05)
    assert math.exp(drawn.log_partition) == pytest.approx(0.038178, rel=0.1)
    assert all(after.log_norm <= before.log_norm + 1e-12 for before, after in pairwise(drawn.rounds))
    wanted = {"a b": 0.570297, "a a": 0.289675, "b a": 0.140028}
    for text, share in drawn.texts().items():
        assert share == pytest.approx(wanted[text], abs=0.03)
    whole = sample_forest(
        worked_example(), bounded_models([use], {"lm": 1.0}), SampleSettings(samples=20000, acceptance=1.0, refine=9)
    )
    assert whole.rounds[-1].accepted == whole.rounds[-1].drawn
    assert math.exp(whole.rounds[-1].log_norm) == pytest.approx(0.038178, abs=1e-8)


def random_forest(chance: random.Random, words: list[str]) -> Forest:
    """A few nodes, edges of arity up to three, and nodes that are the tail twice."""
    build = ForestBuilder("s")
    nodes = [build.add_node(0, 1) for _ in range(chance.randint(1, 4))]
    for at, node in enumerate(nodes):
        for _ in range(chance.randint(1, 3)):
            arity = chance.randint(0, min(3, at)) if at else 0
            tails = [chance.choice(nodes[:at]) for _ in range(arity)]
            target: list[str | int] = [*range(arity), *chance.choices(words, k=chance.randint(0 if arity else 1, 3))]
            chance.shuffle(target)
            build.add_edge(node, target, tails, score=round(chance.uniform(-2, 0), 3))
    return build.finish(nodes[-1])


def scored(forest: Forest, uses: list[tuple[LanguageModel, float]]) -> dict[tuple[int, ...], float]:
    return {
        tuple(each.edges.tolist()): each.score + sum(weight * use.score(each.target) for use, weight in uses)
        for each in forest.derivations()
    }


def random_problem(seed: int, folder: Path) -> tuple[Forest, list[tuple[LanguageModel, float]]]:
    chance = random.Random(seed)
    uses = []
    for number in range(chance.choice([1, 1, 2])):
        table = random_table(chance.randrange(10**6), order=chance.randint(1, 4), closed=chance.random() < 0.6)
        use = model(table, folder, f"lm{number}")
        words = [ngram[0] for ngram in table.p if len(ngram) == 1 and not ngram[0].startswith("<")]
        if number and chance.random() < 0.5:
            use = LanguageModel(use.name, use.model, {word: chance.choice(words) for word in [*words, "<unk>"]})
        uses.append((use, chance.choice([0.3, 1.0, 1.7]) * chance.choice([1, 1, -1])))
    forest = random_forest(chance, ["a", "b", "c", "oov"])
    return forest, uses


@pytest.mark.parametrize("block", range(6))
def test_equals_enumeration(block: int, tmp_path: Path) -> None:
    """Any arity, several models, negative weights, all switches; and the bound and the best move one way only."""
    for seed in range(60 * block, 60 * block + 60):
        forest, uses = random_problem(seed, tmp_path)
        if forest.count() > 3000:
            continue
        chance = random.Random(seed)
        everything = scored(forest, uses)
        best = max(everything.values())
        settings = ExactSettings(
            epsilon=1e-9,
            prune_every=chance.choice([0, 1, 3]),
            contexts=chance.choice([0, 1, 2]),
            in_rule=chance.random() < 0.5,
        )
        models = bounded_models([use for use, _ in uses], {use.name: weight for use, weight in uses})
        found = optimize_forest(forest, models, settings)
        assert found.derivation is not None
        assert found.proof.optimal
        assert found.score == pytest.approx(best, abs=1e-5)
        assert everything[tuple(found.derivation.edges.tolist())] == pytest.approx(best, abs=1e-5)
        for before, after in pairwise(found.proof.trace):
            assert after[0] <= before[0]
            assert after[2] >= before[2]
        again = optimize_forest(forest, models, settings, known=best + 1e-7)
        assert again.derivation is None
        assert again.proof.optimal


def test_samples_follow_the_model(tmp_path: Path) -> None:
    tested = 0
    for seed in range(40):
        forest, uses = random_problem(seed, tmp_path)
        if not 3 <= forest.count() <= 200:
            continue
        scale = 0.6
        weights = {edges: math.exp(scale * score) for edges, score in scored(forest, uses).items()}
        total = sum(weights.values())
        models = bounded_models([use for use, _ in uses], {use.name: weight for use, weight in uses})
        settings = SampleSettings(samples=2000, scale=scale, acceptance=0.6, batch=200, refine=1, seed=seed)
        drawn = sample_forest(forest, models, settings)
        counts = Counter(tuple(drawn.derivations[draw].edges.tolist()) for draw in drawn.draws)
        observed, expected = defaultdict[str, float](float), defaultdict[str, float](float)
        for edges, weight in weights.items():
            key = str(edges) if weight / total * 2000 >= 8 else "rest"
            observed[key] += counts[edges]
            expected[key] += weight / total * 2000
        if expected.get("rest", 9) < 8:
            last = max(key for key in expected if key != "rest")
            observed[last] += observed.pop("rest")
            expected[last] += expected.pop("rest")
        if len(expected) < 2:
            continue
        tested += 1
        assert stats.chisquare(list(observed.values()), list(expected.values())).pvalue > 1e-4, seed
    assert tested > 10


@pytest.mark.slow
def test_a_memory_that_does_not_suffice_gives_a_bounded_answer(tmp_path: Path) -> None:
    for seed in range(200):
        forest, uses = random_problem(seed, tmp_path)
        if forest.count() > 3000 or len(forest.best().target) < 6:
            continue
        models = bounded_models([use for use, _ in uses], {use.name: weight for use, weight in uses})
        found = optimize_forest(forest, models, ExactSettings(epsilon=1e-9, memory=6000, prune_every=0))
        best = max(scored(forest, uses).values())
        assert found.score - 1e-6 <= best <= found.proof.bound + 1e-5
        if not found.proof.optimal:
            assert found.proof.stop == "memory"
            return
    pytest.fail("no problem was large enough")


def certified(forest: Forest, uses: list[tuple[LanguageModel, float]], settings: ExactSettings) -> ForestCertificate:
    models = bounded_models([use for use, _ in uses], {use.name: weight for use, weight in uses})
    found = optimize_forest(forest, models, settings)
    assert found.derivation is not None
    return ForestCertificate.of(
        forest, uses, found.derivation, score=found.score, bound=found.proof.bound, contexts=found.contexts
    )


class TestCertificates:
    """What a verifier must notice."""

    def test_of_random_forests(self, tmp_path: Path) -> None:
        for seed in range(80):
            forest, uses = random_problem(seed, tmp_path)
            if forest.count() > 3000:
                continue
            chance = random.Random(seed)
            settings = ExactSettings(
                epsilon=1e-9,
                prune_every=chance.choice([0, 1]),
                contexts=chance.choice([0, 1]),
                in_rule=chance.random() < 0.7,
            )
            given = certified(forest, uses, settings)
            models = [use for use, _ in uses]
            verdict = given.verify(models)
            assert verdict.valid, (seed, verdict)
            assert verdict.gap <= 1e-5
            assert not replace(given, bound=given.bound - 1e-3).verify(models).valid

    @pytest.mark.parametrize("limits", [{"iterations": 2}, {"patience": 1}, {"memory": 6000}])
    def test_of_bounded_answers(self, limits: dict[str, Any], tmp_path: Path) -> None:
        """The verifier finds the bound that was promised or a lower one, and none below that."""
        bounded = 0
        for seed in range(80):
            forest, uses = random_problem(seed, tmp_path)
            if forest.count() > 3000:
                continue
            given = certified(forest, uses, replace(LITERAL, **limits))
            models = [use for use, _ in uses]
            verdict = given.verify(models)
            assert verdict.valid, (seed, verdict)
            assert given.score - 1e-6 <= max(scored(forest, uses).values()) <= verdict.bound + 1e-5
            assert verdict.gap <= given.bound - given.score + 1e-5
            if verdict.gap <= 0.01:
                continue
            bounded += 1
            lower = replace(given, bound=verdict.bound - 0.005).verify(models)
            assert "prove a bound" in " ".join(lower.problems)
        assert bounded > 5

    def test_planted_errors(self, tmp_path: Path) -> None:
        use = model(EXAMPLE, tmp_path)
        good = certified(worked_example(), [(use, 1.0)], LITERAL)
        write_certificate(good, tmp_path / "proof.json")
        assert read_certificate(tmp_path / "proof.json") == good
        assert good.verify([use]).valid
        assert good.target == ("a", "b")
        cheaper = replace(good.edges[0], score=good.edges[0].score - 1)
        planted = {
            "scores": replace(good, edges=(cheaper, *good.edges[1:])),
            "prove a bound": replace(good, contexts=()),
            "built from what comes after": replace(good, edges=(*good.edges, replace(good.edges[2], tails=(1,)))),
            "each of its tails once": replace(good, edges=(*good.edges, replace(good.edges[2], target=("a",)))),
            "none of the forest": replace(good, derivation=good.derivation[:1]),
            "without its shorter": replace(good, contexts=tuple(c for c in good.contexts if len(c) != 1)),
            "no context": replace(good, contexts=(*good.contexts, ("a", "<s>"), ("<s>",))),
            "no language model": replace(good, language_models=(replace(good.language_models[0], name="other"),)),
            "no score": replace(good, edges=(replace(cheaper, score=math.nan), *good.edges[1:])),
        }
        for message, certificate in planted.items():
            assert message in " ".join(certificate.verify([use]).problems), message
        (tmp_path / "proof.json").write_text('{"format": "x", "version": 1}')
        with pytest.raises(FormatError, match="another format"):
            read_certificate(tmp_path / "proof.json")


@pytest.mark.slow
def test_hierarchical_decoders(tmp_path: Path) -> None:
    """Chart decoding that keeps everything finds the same score as the proof, and never a higher one."""
    for seed in range(30):
        rules, words = random_grammar(seed)
        line = " ".join(words)
        use = LanguageModel("lm", language_model(seed))
        table = grammar(rules, tmp_path / f"{seed}")
        whole = HieroDecoder(table, [use], WEIGHTS, UNLIMITED).translate([line])[0]
        small = HieroDecoder(table, [use], WEIGHTS, HieroSettings(beam=1, pop_limit=1, option_limit=2**31))
        for settings in (ExactSettings(epsilon=1e-9), ExactSettings(epsilon=1e-9, seed_search=False)):
            found = small.optimize([line], settings)[0]
            assert found.proof is not None
            assert found.proof.optimal
            assert found.score == pytest.approx(whole.score, abs=1e-5)
            assert found.rescore() == pytest.approx(found.score, abs=1e-6)
            assert found.proof.certificate is not None
            assert found.proof.certificate.verify([use]).valid
        exact = small.with_settings(search="exact").translate([line])[0]
        assert exact.score == pytest.approx(whole.score, abs=2e-3)
        stopped = small.optimize([line], ExactSettings(memory=1))[0]
        assert stopped.proof is not None
        assert stopped.proof.stop == "memory"
        assert whole.score - 1e-5 <= stopped.proof.bound < math.inf
        drawn = small.sample([line], SampleSettings(samples=5))[0]
        assert all(each.score <= whole.score + 1e-5 for each in drawn.derivations)
        assert all(each.rescore() == pytest.approx(each.score, abs=1e-6) for each in drawn.derivations)


@pytest.mark.parametrize("kind", ["hiero", "lr-hiero"])
def test_the_rules_that_are_tried_are_those_of_search(kind: str, tmp_path: Path) -> None:
    """Where the option limit cuts, language models have a say in what is best, also of the exact space."""
    from tests.search.hierarchical import bigram_model, rule_table

    chance = random.Random(3)
    words = ["A", "B", "C", "D", "<s>", "</s>"]
    pairs = {(a, b): -chance.uniform(0.1, 6) for a in words for b in words if a != "</s>" and b != "<s>"}
    use = bigram_model(tmp_path / "lm.arpa", pairs)
    rules = {
        f"{source} | {target}": -chance.uniform(0, 3) for source in "abc" for target in ["A", "B", "C", "D", "A B"]
    }
    rules |= {f"{source} X1 | {target} X1": -chance.uniform(0, 3) for source in "ab" for target in "ABCD"}
    for limit in (1, 2, 3):
        decoder: HieroDecoder | LeftToRightDecoder
        if kind == "hiero":
            table = rule_table(tmp_path / f"chart{limit}", rules, kind="hiero")
            decoder = HieroDecoder(table, [use], SMALL, replace(UNLIMITED, option_limit=limit))
        else:
            chosen: dict[str, Any] = {"search": "stack", "option_limit": limit, "beam": 2**31, "pop_limit": 2**31}
            decoder = left_to_right(tmp_path / f"left{limit}", rules, use, SMALL, **chosen)
        for line in ("a b c", "b a a", "c b a b"):
            whole, exact = decoder.translate([line])[0], decoder.optimize([line], ExactSettings(seed_search=False))[0]
            assert exact.proof is not None
            assert exact.proof.optimal
            assert exact.score == pytest.approx(whole.score, abs=2e-3)


def chart(seed: int, folder: Path) -> tuple[HieroDecoder, str]:
    rules, words = random_grammar(seed)
    use = LanguageModel("lm", language_model(seed))
    return HieroDecoder(grammar(rules, folder / f"{seed}"), [use], WEIGHTS, UNLIMITED), " ".join(words)


def test_a_space_that_does_not_fit_without_search_before(tmp_path: Path) -> None:
    """The answer is bounded all the same: search is asked then."""
    for limits in ({"memory": 1}, {"time_limit": 1e-9}):
        decoder, line = chart(3, tmp_path)
        found = decoder.optimize([line], ExactSettings(seed_search=False, **limits))[0]
        whole = decoder.translate([line])[0]
        assert found.proof is not None
        assert (found.proof.status, found.proof.stop) == ("BOUNDED", "memory" if "memory" in limits else "time")
        assert found.score == whole.score <= found.proof.bound < math.inf


def test_one_time_limit_for_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What search and the forest take is not there for the proof, or for samples, any more."""
    decoder, line = chart(3, tmp_path)
    left = []

    def slow(self: HieroDecoder, *given: Any, **named: Any) -> Any:
        time.sleep(0.05)
        return HieroDecoder.__base__.try_translate(self, *given, **named)  # type: ignore[union-attr]

    def noted(inner: Any) -> Any:
        def call(forest: Forest, models: Any, settings: Any, **named: Any) -> Any:
            left.append(settings.time_limit)
            return inner(forest, models, settings, **named)

        return call

    monkeypatch.setattr(HieroDecoder, "try_translate", slow)
    monkeypatch.setattr(proven, "optimize_forest", noted(optimize_forest))
    monkeypatch.setattr(proven, "sample_forest", noted(sample_forest))
    decoder.optimize([line], ExactSettings(time_limit=5))
    decoder.sample([line], SampleSettings(samples=2, time_limit=5))
    decoder.optimize([line], ExactSettings(time_limit=0))
    assert 0 < left[0] <= 4.9
    assert 0 < left[1] <= 4.95
    assert left[2] == 0, "no limit"


def test_left_to_right_decoders(tmp_path: Path) -> None:
    from tests.search.hierarchical import bigram_model

    chance = random.Random(5)
    words = ["A", "B", "C", "<s>", "</s>"]
    pairs = {(a, b): -chance.uniform(0.1, 3) for a in words for b in words if a != "</s>" and b != "<s>"}
    use = bigram_model(tmp_path / "lm.arpa", pairs)
    rules = {"a | A": -0.2, "b | B": -0.3, "c | C": -0.1, "X1 b | B X1": -0.4, "a X1 c | C A X1": -0.2, "b c | A": -0.7}
    unlimited = {"beam": 2**31, "pop_limit": 2**31}
    for number, line in enumerate(["a b c", "a b b c", "c b a", "a a b c"]):
        whole = left_to_right(tmp_path / f"t{number}", rules, use, SMALL, search="stack", **unlimited)
        small = whole.with_settings(search="cube", beam=1, pop_limit=1)
        found = small.with_settings(search="exact", epsilon=1e-9).translate([line])[0]
        assert found.proof is not None
        assert found.proof.optimal
        assert found.score == pytest.approx(whole.translate([line])[0].score, abs=1e-5)
        assert found.proof.certificate is not None
        assert found.proof.certificate.verify([use]).valid
    # A space that does not fit leaves what search found, and a bound of rules each in its best place.
    bounded = small.optimize(["a a b c"], ExactSettings(memory=1024))[0]
    assert bounded.proof is not None
    assert (bounded.proof.status, bounded.proof.stop) == ("BOUNDED", "memory")
    assert found.score <= bounded.proof.bound < math.inf
    assert bounded.score == small.translate(["a a b c"])[0].score
    assert bounded.proof.certificate is None
    with pytest.raises(LimitReached, match=r"sentence 1: more derivations than the limit of memory allows"):
        small.sample(["a a b c"], SampleSettings(memory=1024))
