"""Constraints: what is asked of a sentence is never violated, and nothing better than what was found heeds it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from dragoman.errors import InputError, SettingError
from dragoman.search.constraints import Constraints, ExtraOption
from dragoman.search.translation import SentenceTranslation
from tests.search.phrasal import Derived, Step, Tiny, heeded

SEEDS = range(12)


def read(found: SentenceTranslation) -> Derived:
    """A translation as the brute force writes it; all words of a phrase count as linked if none is."""
    steps = []
    for phrase in found.phrases:
        start, end = phrase.source_span
        linked = {source - start for source, _ in phrase.links} or set(range(end - start))
        steps.append(Step(start, end, phrase.target, frozenset(linked), given=True))
    return Derived(tuple(steps), found.score)


def random_constraints(tiny: Tiny, sentence: tuple[str, ...], choose: random.Random) -> Constraints:
    """Some of everything."""
    length = len(sentence)
    options = []
    if choose.random() < 0.6:
        start = choose.randrange(length)
        end = min(length, start + choose.choice((1, 1, 2)))
        policy = choose.choice(("inclusive", "constraint", "exclusive"))
        for _ in range(choose.choice((1, 2))):
            target = " ".join(choose.choice(tiny.words) for _ in range(choose.choice((1, 1, 2))))
            options.append(ExtraOption(start, end, target, policy=policy))
    zones = []
    if choose.random() < 0.5:
        start = choose.randrange(length - 1)
        zones.append((start, choose.randrange(start + 1, length) + 1))
    walls = tuple(sorted({choose.randrange(1, length) for _ in range(choose.choice((0, 0, 1, 2)))}))
    return Constraints(
        tuple(options), walls=walls, zones=tuple(zones), monotone=choose.random() < 0.2, no_drop=choose.random() < 0.3
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_that_heeds_them_is_found(tmp_path: Path, seed: int) -> None:
    tiny = Tiny(tmp_path, seed, limit=2 + seed % 3)
    choose = random.Random(seed)
    for _ in range(25):
        sentence = tiny.sentence()
        constraints = random_constraints(tiny, sentence, choose)
        everything = sorted(tiny.derivations(sentence, constraints), key=lambda each: -each.score)
        [found] = tiny.decoder.try_translate([" ".join(sentence)], constraints=[constraints], forests=True)
        if isinstance(found, InputError):
            assert not everything, (sentence, constraints)
            assert "crosses a wall" in str(found) or "no sequence of options" in str(found)
            continue
        assert isinstance(found, SentenceTranslation)
        assert heeded(read(found), sentence, constraints), (sentence, constraints)
        assert found.score == pytest.approx(everything[0].score, abs=1e-4), (sentence, constraints)
        assert found.rescore() == pytest.approx(found.score, abs=1e-6)
        assert {each.text for each in found.nbest(3)} <= {" ".join(each.target) for each in everything}


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_a_prefix_is_always_written(tmp_path: Path, seed: int) -> None:
    tiny = Tiny(tmp_path, seed, limit=2 + seed % 3)
    choose = random.Random(seed)
    for _ in range(25):
        sentence = tiny.sentence()
        free = sorted(tiny.derivations(sentence), key=lambda each: -each.score)
        if choose.random() < 0.6:
            target = choose.choice(free).target
            prefix = target[: choose.randrange(1, len(target) + 1)]
        else:
            prefix = tuple(choose.choice("uvwxyz?!") for _ in range(choose.randrange(1, 7)))
        constraints = Constraints(prefix=prefix)
        [found] = tiny.decoder.translate([" ".join(sentence)], constraints=[constraints], forests=True)
        assert found.target[: len(prefix)] == prefix
        assert found.rescore() == pytest.approx(found.score, abs=1e-6)
        for each in found.nbest(10):
            assert each.target[: len(prefix)] == prefix
            assert each.rescore(tiny.decoder.weights) == pytest.approx(each.score, abs=1e-6)
        covered = sorted(p for phrase in found.phrases for p in range(*phrase.source_span))
        assert covered == list(range(len(sentence)))
        fitting = [each for each in free if each.target[: len(prefix)] == prefix]
        if fitting:
            assert found.score == pytest.approx(fitting[0].score, abs=1e-4), (sentence, prefix)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_prefix_with_other_constraints(tmp_path: Path, seed: int) -> None:
    tiny = Tiny(tmp_path, seed, limit=2 + seed % 3)
    choose = random.Random(seed)
    for _ in range(40):
        sentence = tiny.sentence()
        others = random_constraints(tiny, sentence, choose)
        prefix = tuple(choose.choice("uvwxyz?") for _ in range(choose.randrange(1, 5)))
        constraints = Constraints(
            others.options, prefix, walls=others.walls, zones=others.zones, monotone=others.monotone
        )
        [found] = tiny.decoder.try_translate([" ".join(sentence)], constraints=[constraints])
        if isinstance(found, InputError):
            assert "crosses a wall" in str(found)
            continue
        assert isinstance(found, SentenceTranslation)
        derived = read(found)
        assert found.target[: len(prefix)] == prefix
        inside = Constraints(
            tuple(
                ExtraOption(each.start, each.end, each.target, policy="constraint")
                for each in constraints.options
                if each.policy != "inclusive"
            ),
            walls=constraints.walls,
            zones=constraints.zones,
        )
        assert heeded(derived, sentence, inside), (sentence, constraints, derived)


@pytest.mark.parametrize("seed", SEEDS)
def test_forced_decoding_reaches_what_can_be_reached(tmp_path: Path, seed: int) -> None:
    tiny = Tiny(tmp_path, seed, limit=2 + seed % 3)
    sentence = tiny.sentence(4)
    best: dict[str, float] = {}
    for each in tiny.derivations(sentence):
        text = " ".join(each.target)
        best[text] = max(best.get(text, each.score), each.score)
    texts = sorted(best)[:30]
    results = tiny.decoder.force([" ".join(sentence)] * len(texts), texts, forests=True)
    for text, found in zip(texts, results, strict=True):
        assert found is not None
        assert found.text == text
        assert found.score == pytest.approx(best[text], abs=1e-4)
        assert {each.text for each in found.nbest(5)} == {text}
    assert tiny.decoder.force([" ".join(sentence)], ["no such text"]) == [None]
    [several] = tiny.decoder.force([" ".join(sentence)], [texts])
    assert several is not None
    assert several.score == pytest.approx(max(best[text] for text in texts), abs=1e-4)


def test_threads_change_nothing(tmp_path: Path) -> None:
    tiny = Tiny(tmp_path, 3)
    choose = random.Random(3)
    sentences = [tiny.sentence() for _ in range(30)]
    limits = [Constraints(prefix=tuple(choose.choice("uvwx") for _ in range(2)), no_drop=True) for _ in sentences]
    lines = [" ".join(each) for each in sentences]
    once = [each.to_dict() | {"seconds": 0} for each in tiny.decoder.translate(lines, constraints=limits, threads=1)]
    for threads in (2, 5):
        again = tiny.decoder.translate(lines, constraints=limits, threads=threads)
        assert [each.to_dict() | {"seconds": 0} for each in again] == once


def test_what_cannot_be_met_is_told(tmp_path: Path) -> None:
    tiny = Tiny(tmp_path, 1)
    with pytest.raises(InputError, match="zone of words 3 to 9 of 4"):
        tiny.decoder.translate(["a b c d"], constraints=[Constraints(zones=((3, 9),))])
    with pytest.raises(InputError, match="crosses the one"):
        tiny.decoder.translate(["a b c d"], constraints=[Constraints(zones=((0, 2), (1, 3)))])
    with pytest.raises(InputError, match="a wall in front of word 9"):
        tiny.decoder.translate(["a b c d"], constraints=[Constraints(walls=(9,))])
    both = (ExtraOption(0, 2, "u", policy="exclusive"), ExtraOption(1, 3, "v", policy="exclusive"))
    with pytest.raises(InputError, match="overlap"):
        Constraints(both)
    with pytest.raises(InputError, match="crosses a wall"):
        tiny.decoder.translate(["a b c d"], constraints=[Constraints(both[:1], walls=(1,))])
    with pytest.raises(SettingError, match="policy"):
        ExtraOption(0, 1, "u", policy="sometimes")
    with pytest.raises(InputError, match="become nothing"):
        ExtraOption(0, 1, " ", policy="exclusive")
    with pytest.raises(InputError, match="no sequence of options"):
        tiny.decoder.translate([""], constraints=[Constraints(prefix=("u",))])
