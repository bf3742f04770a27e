"""Search with gaps: equal to brute force on tiny tables, and a real system on a bitext."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest

from dragoman.annotations import Sentence
from dragoman.errors import InputError, SettingError
from dragoman.features import template
from dragoman.features.language_model import LanguageModel
from dragoman.grammar.limits import GappyLimits, PhraseLimits
from dragoman.grammar.orientation import CLASSES, ReorderingModel
from dragoman.grammar.rule import Nonterminal, Rule, Symbol
from dragoman.grammar.writing import write_table
from dragoman.lm import estimate
from dragoman.lm.classes import train_classes
from dragoman.search.constraints import Constraints, ExtraOption
from dragoman.search.gappy import GappyDecoder, GappySettings
from dragoman.search.hiero import HieroDecoder
from dragoman.search.left_to_right import LeftToRightDecoder
from dragoman.search.phrase import PhraseDecoder
from dragoman.search.picture import translation_svg
from dragoman.search.reasons import explain_sentence
from dragoman.search.synchronous_tree import is_hierarchical
from dragoman.search.table_decoder import TableDecoder
from dragoman.search.translation import SentenceTranslation
from dragoman.text.source_text import SourceText
from tests.conformance import LongWords, Repeats
from tests.search.hierarchical import bigram_model
from tests.search.phrasal import Tiny
from tests.search.setting import Setting

WEIGHTS = {
    "score": 1.0,
    "lm": 0.7,
    "distortion": 0.3,
    "word_penalty": 0.1,
    "phrase_penalty": -0.2,
    "unknown": 2.0,
    "gap.source": -0.15,
    "gap.source_words": 0.07,
    "gap.target": -0.11,
    "gap.target_words": 0.05,
    "gap.source_2": -0.23,
    "gap.source_crossing": 0.31,
    "gap.target_crossing": 0.37,
    "gap.contained": 0.41,
    "gap.source_sizes": 0.5,
    "gap.target_sizes": 0.6,
    **{f"orientation.previous.{name}": 0.3 for name in CLASSES["mslrc"]},
    **{f"orientation.next.{name}": 0.2 for name in CLASSES["mslrc"]},
}
SIZES = ("1-2", "3-4", "5-8", "9+")

Runs = tuple[tuple[str, ...], ...]


def symbols(runs: Runs) -> tuple[Symbol, ...]:
    made: list[Symbol] = []
    for number, run in enumerate(runs):
        made += [Nonterminal("", number - 1)] if number else []
        made += run
    return tuple(made)


@dataclass(frozen=True)
class Unit:
    """A rule where it stands: positions of its words, the runs that it writes, and what it scores."""

    positions: tuple[int, ...]
    runs: Runs
    score: float
    values: Mapping[str, float] = field(default_factory=dict, hash=False)

    @property
    def first_end(self) -> int:
        end = self.positions[0] + 1
        while end in self.positions:
            end += 1
        return end


@dataclass(frozen=True)
class Open:
    unit: Unit
    next: int
    began: int
    gap: int


class TinyGaps:
    """A random table with gaps on either side, and every derivation by brute force."""

    def __init__(
        self, folder: Path, seed: int, *, sizes: bool = False, reordering: str = "", **settings: object
    ) -> None:
        self.random = choose = random.Random(seed)
        self.words = "uvwxyz"

        def side(letters: str, gaps: int) -> Runs:
            return tuple(
                tuple(choose.choice(letters) for _ in range(choose.choice((1, 1, 2)))) for _ in range(gaps + 1)
            )

        self.rules: dict[tuple[Runs, Runs], float] = {}
        for source_gaps, target_gaps, count in ((0, 0, 5), (1, 0, 3), (0, 1, 3), (1, 1, 2), (2, 0, 1), (0, 2, 1)):
            for _ in range(count):
                rule = side("ab", source_gaps), side(self.words, target_gaps)
                self.rules[rule] = round(choose.uniform(-4, 0), 2)
        self.reordering = ReorderingModel.parse(reordering) if reordering else None
        columns = [f"gap_size.{side}.{size}" for side in ("source", "target") for size in SIZES] if sizes else []
        columns += self.reordering.columns if self.reordering is not None else ()
        self.values = {rule: {name: round(choose.uniform(-2, 0), 2) for name in columns} for rule in self.rules}
        made = [
            Rule(symbols(s), symbols(t), {"score": score, **self.values[s, t]}, links=((0, 0),))
            for (s, t), score in self.rules.items()
        ]
        table = write_table(
            made,
            folder / f"gaps{seed}.table",
            columns=["score", *columns],
            metadata={"gaps": "true", **({"reordering": reordering} if reordering else {})},
        )
        pairs = {(a, b): round(choose.uniform(-3, 0), 2) for a in self.words for b in self.words}
        self.pairs = {pair: value for pair, value in pairs.items() if choose.random() < 0.7}
        many = 10**6
        self.settings = GappySettings(
            beam=many,
            pop_limit=many,
            option_limit=many,
            **{"distortion_limit": 3, "max_target_span": 5, **settings},  # type: ignore[arg-type]
        )
        model: LanguageModel = bigram_model(folder / f"gaps{seed}.arpa", self.pairs)
        self.decoder = GappyDecoder(table, [model], WEIGHTS, self.settings)

    def units(self, sentence: str, options: Sequence[ExtraOption] = ()) -> list[Unit]:
        """All rules where they stand, and what a user gave."""
        found = []
        for (source, runs), score in self.rules.items():
            for positions in self._placed(sentence, source, 0, ()):
                if positions[-1] - positions[0] >= self.settings.max_source_span:
                    continue
                between = positions[-1] - positions[0] + 1 - len(positions)
                total = score + WEIGHTS["phrase_penalty"] - WEIGHTS["word_penalty"] * sum(map(len, runs))
                if between:
                    total += WEIGHTS["gap.source"] - WEIGHTS["gap.source_words"] * between
                if len(runs) > 1:
                    total += WEIGHTS["gap.target"]
                if len(source) > 2 and self.settings.order_features:
                    total += WEIGHTS["gap.source_2"]
                values = self.values[source, runs]
                for one, other in pairwise(positions):
                    if other > one + 1:
                        total += WEIGHTS["gap.source_sizes"] * self._size(values, "source", other - one - 1)
                found.append(Unit(positions, runs, total, values))
        alone = {unit.positions[0] for unit in found if len(unit.positions) == 1}
        alone |= {each.start for each in options if each.end == each.start + 1}
        for at, word in enumerate(sentence):
            if at not in alone:
                penalties = WEIGHTS["phrase_penalty"] - WEIGHTS["word_penalty"] - WEIGHTS["unknown"]
                found.append(Unit((at,), ((word,),), penalties))
        taken = {at for each in options if each.policy == "exclusive" for at in range(each.start, each.end)}
        found = [unit for unit in found if not taken & set(unit.positions)]
        for each in options:
            words = tuple(each.target.split())
            penalties = WEIGHTS["phrase_penalty"] - WEIGHTS["word_penalty"] * len(words)
            found.append(Unit(tuple(range(each.start, each.end)), (words,), penalties))
        return found

    def _placed(self, sentence: str, runs: Runs, at: int, so_far: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if not runs:
            yield so_far
            return
        starts = range(so_far[-1] + 2, len(sentence)) if so_far else range(len(sentence))
        for start in starts:
            if tuple(sentence[start : start + len(runs[0])]) == runs[0]:
                own = tuple(range(start, start + len(runs[0])))
                yield from self._placed(sentence, runs[1:], at, so_far + own)

    def best(self, sentence: str, options: Sequence[ExtraOption] = ()) -> dict[tuple[str, ...], float]:
        """The best score of each text."""
        found: dict[tuple[str, ...], float] = {}
        for target, score in self._grow(sentence, self.units(sentence, options), frozenset(), (), (), (), 0.0):
            padded = ("<s>", *target, "</s>")
            total = score + WEIGHTS["lm"] * sum(self.pairs.get(pair, -20.0) for pair in pairwise(padded))
            found[target] = max(found.get(target, total), total)
        return found

    @staticmethod
    def _size(values: Mapping[str, float], side: str, words: int) -> float:
        size = SIZES[0 if words <= 2 else 1 if words <= 4 else 2 if words <= 8 else 3]
        return values.get(f"gap_size.{side}.{size}", 0.0)

    def _oriented(self, used: tuple[Unit, ...], unit: Unit) -> float:
        """What the order of a unit and the one before it scores, by definition."""
        if self.reordering is None:
            return 0.0
        start, end = unit.positions[0], unit.positions[-1] + 1
        hierarchical = self.reordering.model == "hier"
        if not used:
            order = "monotone" if start == 0 else "right"
            return self._weighed(unit, "previous", order)
        first, last = used[-1].positions[0], used[-1].positions[-1] + 1
        away = "left" if start < first else "right"
        # Blocks: the last units, however many, if their words stand together.
        blocks = [
            sorted(at for each in used[-count:] for at in each.positions)
            for count in range(1, len(used) + 1 if hierarchical else 2)
        ]
        blocks = [block for block in blocks if not hierarchical or block[-1] - block[0] + 1 == len(block)]
        before = (
            "contained"
            if first < start and end < last
            else "monotone"
            if any(block[-1] + 1 == start for block in blocks)
            else "swap"
            if any(block[0] == end for block in blocks)
            else away
        )
        covered = {at for each in used for at in each.positions}
        between = covered if hierarchical else set(range(100))
        after = (
            "contained"
            if start < first and last < end
            else "monotone"
            if start >= last and not between & set(range(last, start))
            else "swap"
            if end <= first and not between & set(range(end, first))
            else away
        )
        return self._weighed(unit, "previous", before) + self._weighed(used[-1], "next", after)

    @staticmethod
    def _weighed(unit: Unit, side: str, order: str) -> float:
        name = f"orientation.{side}.{order}"
        return WEIGHTS[name] * unit.values.get(name, 0.0)

    def _jump(self, ends: tuple[int, int], start: int) -> float:
        first, last = abs(start - ends[0]), abs(start - ends[1])
        return {"first": first, "last": last, "nearest": min(first, last), "average": (first + last) / 2}[
            self.settings.gap_jump
        ]

    @staticmethod
    def _order(used: tuple[Unit, ...], unit: Unit) -> float:
        """What words on both sides of others cost: those of this unit, and those of the one before it."""
        crossed = sum(
            0 < sum(other.positions[0] < at < other.positions[-1] for at in unit.positions) < len(unit.positions)
            for other in used
        )
        before = used[-1].positions if used else ()
        contained = any(at < unit.positions[0] for at in before) and any(at > unit.positions[-1] for at in before)
        return contained * WEIGHTS["gap.contained"] - crossed * WEIGHTS["gap.source_crossing"]

    def _grow(
        self,
        sentence: str,
        units: list[Unit],
        covered: frozenset[int],
        used: tuple[Unit, ...],
        target: tuple[str, ...],
        pending: tuple[Open, ...],
        score: float,
    ) -> Iterator[tuple[tuple[str, ...], float]]:
        if len(covered) == len(sentence) and not pending:
            yield target, score
        for number, each in enumerate(pending):
            if not each.gap:
                continue
            run = each.unit.runs[each.next]
            longer = target + run
            if len(longer) - each.began > self.settings.max_target_span:
                continue
            others = tuple(
                Open(o.unit, o.next, o.began, o.gap + len(run)) for n, o in enumerate(pending) if n != number
            )
            own = (Open(each.unit, each.next + 1, each.began, 0),) if each.next + 1 < len(each.unit.runs) else ()
            more = -WEIGHTS["gap.target_words"] * len(run) * len(others)
            more += WEIGHTS["gap.target_sizes"] * self._size(each.unit.values, "target", each.gap)
            if self.settings.order_features:
                more -= WEIGHTS["gap.target_crossing"] * sum(other.began > each.began for other in others)
            yield from self._grow(sentence, units, covered, used, longer, others + own, score + more)
        free = [at for at in range(len(sentence)) if at not in covered]
        ends = (used[-1].first_end, used[-1].positions[-1] + 1) if used else (0, 0)
        for unit in units if free else ():
            if covered & set(unit.positions) or (len(unit.runs) > 1 and len(pending) >= self.settings.max_pending):
                continue
            start, end, limit = unit.positions[0], unit.positions[-1] + 1, self.settings.distortion_limit
            if start != free[0] and (abs(start - ends[1]) > limit or end - free[0] > limit):
                continue
            run = unit.runs[0]
            passed = tuple(Open(o.unit, o.next, o.began, o.gap + len(run)) for o in pending)
            own = (Open(unit, 1, len(target), 0),) if len(unit.runs) > 1 else ()
            more = unit.score - WEIGHTS["distortion"] * self._jump(ends, start)
            more -= WEIGHTS["gap.target_words"] * len(run) * len(pending)
            more += self._order(used, unit) if self.settings.order_features else 0.0
            more += self._oriented(used, unit)
            yield from self._grow(
                sentence,
                units,
                covered | set(unit.positions),
                (*used, unit),
                target + run,
                passed + own,
                score + more,
            )


@pytest.mark.parametrize("seed", range(12))
def test_equal_to_brute_force(tmp_path: Path, seed: int) -> None:
    jump = ("last", "first", "nearest", "average")[seed % 4]
    tiny = TinyGaps(
        tmp_path,
        seed,
        sizes=seed % 3 > 0,
        reordering=("", "hier-mslrc-bidirectional-fe", "wbe-mslrc-bidirectional-fe")[seed // 2 % 3],
        gap_jump=jump,
        max_pending=1 + seed % 3,
        order_features=seed % 2 == 1,
    )
    for _ in range(8):
        sentence = "".join(tiny.random.choice("aabbc") for _ in range(tiny.random.choice((3, 4, 5))))
        best = tiny.best(sentence)
        [found] = tiny.decoder.translate([" ".join(sentence)], forests=True)
        assert found.score == pytest.approx(max(best.values()), abs=1e-4), sentence
        assert best[found.target] == pytest.approx(found.score, abs=1e-4)
        assert found.rescore() == pytest.approx(found.score, abs=1e-6)
        for each in found.nbest(len(best) + 5, distinct=True):
            assert best[each.target] == pytest.approx(each.score, abs=1e-4), (sentence, each.text)
            assert each.rescore(tiny.decoder.weights) == pytest.approx(each.score, abs=1e-6)
        covered = sorted(position for phrase in found.phrases for position in phrase.positions)
        assert covered == list(range(len(sentence)))
        assert sorted(word for phrase in found.phrases for word in phrase.target) == sorted(found.target)


@pytest.mark.parametrize("seed", range(12))
def test_given_options_are_heeded_and_the_best_of_them_is_found(tmp_path: Path, seed: int) -> None:
    tiny = TinyGaps(tmp_path, seed, max_pending=1 + seed % 3)
    choose, refused = tiny.random, 0
    for _ in range(12):
        sentence = "".join(choose.choice("aabbc") for _ in range(choose.choice((3, 4, 5))))
        options: list[ExtraOption] = []
        for start in sorted(choose.sample(range(len(sentence)), choose.choice((1, 2)))):
            end = start + 1 if options or choose.random() < 0.5 else min(len(sentence), start + 2)
            if options and options[-1].end > start:
                continue
            policy = choose.choice(("exclusive", "inclusive"))
            options.append(ExtraOption(start, end, choose.choice(("u", "q q", "w x")), policy=policy))
        best = tiny.best(sentence, options)
        constraints = [Constraints(tuple(options))]
        [found] = tiny.decoder.try_translate([" ".join(sentence)], constraints=constraints, forests=True)
        if not best:
            assert isinstance(found, InputError)
            refused += 1
            continue
        assert isinstance(found, SentenceTranslation)
        assert found.score == pytest.approx(max(best.values()), abs=1e-4), (sentence, options)
        assert found.rescore() == pytest.approx(found.score, abs=1e-6)
        for each in found.nbest(10, distinct=True):
            assert best[each.target] == pytest.approx(each.score, abs=1e-4), (sentence, options, each.text)
        for option in options:
            if option.policy == "exclusive":
                [given] = [each for each in found.phrases if option.start in each.positions]
                assert (given.positions, given.target) == (
                    tuple(range(option.start, option.end)),
                    tuple(option.target.split()),
                )
    assert refused <= 2  # what is asked for seldom goes with the limits of jumps


@pytest.mark.parametrize("seed", range(12))
def test_recombination_by_number_keeps_derivations_true(tmp_path: Path, seed: int) -> None:
    tiny = TinyGaps(tmp_path, seed, max_pending=1 + seed % 3, order_features=seed % 2 == 1)
    by_number = tiny.decoder.with_settings(recombination="number")
    more = 0.0
    for _ in range(8):
        sentence = "".join(tiny.random.choice("aabbc") for _ in range(tiny.random.choice((3, 4, 5))))
        best = tiny.best(sentence)
        [exact] = tiny.decoder.translate([" ".join(sentence)])
        [found] = by_number.translate([" ".join(sentence)], forests=True)
        assert found.score <= exact.score + 1e-6
        for each in found.nbest(20):
            assert each.score <= best[each.target] + 1e-4, (sentence, each.text)
            assert each.rescore(tiny.decoder.weights) == pytest.approx(each.score, abs=1e-6)
        covered = sorted(position for phrase in found.phrases for position in phrase.positions)
        assert covered == list(range(len(sentence)))
        more += exact.statistics["kept"] - found.statistics["kept"]
    assert more >= 0


def test_recombination_by_number_may_lose_the_best(tmp_path: Path) -> None:
    """Two phrases with as much pending: the better beginning has the worse end."""
    rules = [
        Rule(("a",), symbols((("u",), ("v",))), {"score": 0.0}),
        Rule(("a",), symbols((("u",), ("w",))), {"score": -1.0}),
        Rule(("b",), ("x",), {"score": 0.0}),
    ]
    table = write_table(rules, tmp_path / "t", columns=["score"], metadata={"kind": "gappy"})
    model = bigram_model(tmp_path / "lm", {("x", "v"): -9.0, ("x", "w"): -0.1, ("u", "x"): 0.0, ("<s>", "u"): 0.0})
    made = GappyDecoder(table, [model], {"score": 1.0, "lm": 1.0}, GappySettings())
    [exact], [by_number] = (made.with_settings(recombination=name).translate(["a b"]) for name in ("exact", "number"))
    assert (exact.text, by_number.text) == ("u x w", "u x v")
    assert by_number.statistics["recombined"] > exact.statistics["recombined"]


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    return Setting(tmp_path_factory.mktemp("gaps"), "")


@pytest.mark.slow
def test_a_table_with_gaps_is_a_system(setting: Setting) -> None:
    table = setting.rules(GappyLimits())
    assert table.kind == "gappy"
    decoder = GappyDecoder(table, [LanguageModel("lm", setting.model)])
    decoder = decoder.with_weights(decoder.start_weights())
    found = decoder.translate(setting.sentences, forests=True)
    gapped = [
        phrase
        for each in found
        for phrase in each.phrases
        if len(phrase.positions) < phrase.source_span[1] - phrase.source_span[0]
        or len(phrase.target) < phrase.target_span[1] - phrase.target_span[0]
    ]
    assert gapped
    for each in found:
        assert each.rescore() == pytest.approx(each.score, abs=1e-6)
        for derivation in each.nbest(20):
            assert derivation.rescore(decoder.weights) == pytest.approx(derivation.score, abs=1e-6)
        assert all(0 <= i < len(each.source) and 0 <= j < len(each.target) for i, j in each.alignment)
        runners = [reason.runner_up for reason in explain_sentence(each).phrases]
        assert all(runner is None or (runner.text != each.text and runner.lost_by > -1e-6) for runner in runners)
    again = decoder.translate(setting.sentences, threads=3)
    assert [each.target for each in again] == [each.target for each in found]
    with pytest.raises(SettingError, match="kind gappy"):
        PhraseDecoder(table, [LanguageModel("lm", setting.model)])


def test_features_in_python_see_runs_of_words(setting: Setting) -> None:
    decoder = GappyDecoder(setting.rules(GappyLimits()), [LanguageModel("lm", setting.model)])
    weights = {**decoder.start_weights(), "long_words": 0.4, "repeats": -0.3}
    chosen = decoder.with_features([LongWords(), Repeats()], weights)
    for each in chosen.translate(setting.sentences[:6], forests=True):
        assert each.rescore() == pytest.approx(each.score, abs=1e-6)
        for derivation in each.nbest(20):
            assert derivation.rescore(chosen.weights) == pytest.approx(derivation.score, abs=1e-6)


def test_sizes_and_orientations_come_from_the_bitext(setting: Setting) -> None:
    table = setting.rules(GappyLimits(), "hier-mslrc-bidirectional-fe", ["gap_size"])
    decoder = GappyDecoder(table, [LanguageModel("lm", setting.model)])
    assert {"gap.source_sizes", "gap.target_sizes", "orientation.next.contained"} <= set(decoder.feature_names)
    found = decoder.with_weights(decoder.start_weights()).translate(setting.sentences, forests=True)
    fired = {name for each in found for name in each.features}
    assert {"gap.source_sizes", "orientation.previous.contained"} & fired
    for each in found:
        assert each.rescore() == pytest.approx(each.score, abs=1e-6)
        for derivation in each.nbest(10):
            assert derivation.rescore(decoder.start_weights()) == pytest.approx(derivation.score, abs=1e-6)


def test_scores_recompute_with_any_set_of_features(setting: Setting) -> None:
    """Sparse templates, features in Python, sizes, orientation, order, and a second language model over classes."""
    table = setting.rules(GappyLimits(), "hier-mslrc-bidirectional-fe", ["gap_size"])
    text = setting.aligned[1]
    classes = train_classes(text, classes=8, min_count=1, digits=False)
    coarse = estimate(classes.apply_all(text), order=2).build()
    templates = [template("rule"), template("link"), template("jump")]
    models = [
        LanguageModel("lm", setting.model),
        LanguageModel("lm_again", estimate(text, order=2).build()),
        LanguageModel("lm_classes", coarse, classes.classes),
    ]
    decoder = GappyDecoder(table, models, features=[*templates, LongWords(), Repeats()])
    decoder = decoder.with_settings(order_features=True, pop_limit=60, beam=60)
    first = decoder.with_weights(decoder.start_weights()).translate(setting.sentences[:12])
    choose = random.Random(7)
    fired = sorted({name for each in first for name in each.features})
    weights = {**decoder.start_weights(), **{name: choose.uniform(-0.5, 0.5) for name in fired}}
    decoder = decoder.with_weights(weights)
    seen: set[str] = set()
    for each in decoder.translate(setting.sentences[:12], forests=True):
        assert each.rescore() == pytest.approx(each.score, abs=1e-6)
        for derivation in each.nbest(20):
            assert derivation.rescore(decoder.weights) == pytest.approx(derivation.score, abs=1e-6)
        seen |= set(each.features)
    assert {"lm", "lm_again", "lm_classes", "long_words", "repeats"} <= seen
    assert len(seen - set(decoder.feature_names)) > 20


@pytest.mark.parametrize("seed", range(8))
def test_without_gaps_it_is_the_phrase_decoder_with_nothing_pruned(tmp_path: Path, seed: int) -> None:
    """The same best translation, and the same alternatives, on every sentence."""
    tiny = Tiny(tmp_path, seed, limit=2 + seed % 3)
    phrase = tiny.decoder
    settings = GappySettings(
        beam=10**6, pop_limit=10**6, option_limit=10**6, distortion_limit=phrase.settings.distortion_limit
    )
    gappy = GappyDecoder(phrase.table, phrase.language_models, tiny.weights, settings)
    for _ in range(20):
        line = " ".join(tiny.sentence(4))
        [theirs], [ours] = (each.translate([line], forests=True) for each in (phrase, gappy))
        assert ours.score == pytest.approx(theirs.score, abs=1e-9)
        lists = [{each.text: each.score for each in found.nbest(500, distinct=True)} for found in (theirs, ours)]
        assert lists[1] == pytest.approx(lists[0], abs=1e-6)


@pytest.mark.parametrize("reordering", ["", "hier-mslr-bidirectional-fe"])
def test_without_gaps_it_is_the_phrase_decoder(setting: Setting, reordering: str) -> None:
    models = [LanguageModel("lm", setting.model)]
    table = setting.rules(PhraseLimits(), reordering)
    phrase = PhraseDecoder(table, models)
    weights = phrase.start_weights()
    many = {"pop_limit": 300, "beam": 300}
    other = GappyDecoder(table, models, weights).with_settings(**many)
    ours = other.translate(setting.sentences)
    theirs = phrase.with_weights(weights).with_settings(**many).translate(setting.sentences)
    same = sum(a.score == pytest.approx(b.score, abs=1e-4) for a, b in zip(ours, theirs, strict=True))
    assert same >= 0.9 * len(ours)


def test_phrases_that_cross_are_drawn_as_phrases_and_others_as_trees(tmp_path: Path) -> None:
    gap = Nonterminal("", 0)
    pairs = [(("n", gap, "p"), ("no",)), (("v", gap, "d"), ("vd",)), (("v",), ("V",)), (("d",), ("D",))]
    rules = [Rule(source, target, {"score": 0.0}, links=((0, 0),)) for source, target in pairs]
    table = write_table(rules, tmp_path / "t", columns=["score"], metadata={"gaps": "true"})
    model = bigram_model(tmp_path / "lm.arpa", {("<s>", "no"): -0.1, ("no", "vd"): -0.1, ("vd", "</s>"): -0.1})
    made = GappyDecoder(table, [model], {"lm": 1.0})
    [crossed] = made.translate(["n v p d"])
    assert crossed.target == ("no", "vd")
    drawn = translation_svg(crossed)
    assert drawn.count("<rect") == 1 + 4 + 2  # the background, two boxes for each source side, one for each target
    [nested] = made.translate(["n v p"])
    assert is_hierarchical(nested)
    assert not is_hierarchical(crossed)


@pytest.mark.parametrize(
    ("decoder", "kind", "target"),
    [
        (GappyDecoder, "gappy", ("no",)),
        (HieroDecoder, "hiero", ("no", Nonterminal("X", 0))),
        (LeftToRightDecoder, "lr-hiero", ("no", Nonterminal("X", 0))),
    ],
)
def test_tags_are_those_of_a_rules_own_words(
    tmp_path: Path, decoder: type[TableDecoder], kind: str, target: tuple[Symbol, ...]
) -> None:
    """Of `n X p` the last word has no link; the word between belongs to another rule."""
    gap = Nonterminal("" if kind == "gappy" else "X", 0)
    label = "" if kind == "gappy" else "X"
    rules = [
        Rule(("n", gap, "p"), target, {"score": 0.0}, links=((0, 0),), label=label),
        Rule(("v",), ("V",), {"score": 0.0}, links=((0, 0),), label=label),
    ]
    metadata = {"kind": kind, "gaps": "true"} if kind == "gappy" else {"kind": kind, "max_span": "10"}
    table = write_table(rules, tmp_path / "t", columns=["score"], metadata=metadata)
    model = bigram_model(tmp_path / "lm.arpa", {("<s>", "no"): -0.1, ("no", "V"): -0.1, ("V", "</s>"): -0.1})
    deleted = template("delete_pos", frequent=["the"], tags=("N",))
    made = decoder(table, [model], {"lm": 1.0, "delete_pos:NE": -0.5}, features=[deleted])
    marked = SourceText.annotated(Sentence.of(["n", "v", "p"], tags=["NN", "VV", "NE"]))
    [found] = made.translate([marked], forests=True)
    assert found.target == ("no", "V")
    assert {name: value for name, value in found.features.items() if name.startswith("delete")} == {
        "delete_pos:NE": 1.0,
        "delete_pos:any": 1.0,
    }
    assert found.rescore() == pytest.approx(found.score, abs=1e-6)
