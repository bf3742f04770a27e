from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from dragoman._native import common
from dragoman._native import lm as native
from dragoman.errors import FormatError, InputError, SettingError
from dragoman.lm import ClassMap, NgramModel, estimate, train_classes

EXAMPLE = ["the dog runs", "the cat runs", "a dog sleeps"]


def test_worked_example() -> None:
    """F and its change, by hand: {the, a}, {dog, cat}, {runs, sleeps}, then `cat` among the verbs."""
    trainer = native.ClassTrainer(1)
    trainer.add_sentences(EXAMPLE)
    trainer.start(3, 1)
    for word, number in {"the": 0, "a": 0, "dog": 1, "cat": 1, "runs": 2, "sleeps": 2}.items():
        trainer.assign(trainer.id(word), number)
    assert trainer.objective() == pytest.approx(-3.819085, abs=1e-6)
    assert trainer.gain(trainer.id("cat"), 2) == pytest.approx(-1.726092, abs=1e-6)
    trainer.assign(trainer.id("cat"), 2)
    assert trainer.objective() == pytest.approx(-4 * math.log(4), abs=1e-6)


def text(seed: int = 1) -> list[str]:
    chance = random.Random(seed)
    kinds = [["the", "a", "every"], ["dog", "cat", "bird", "cow"], ["runs", "sleeps", "eats"]]
    return [" ".join(chance.choice(kind) for kind in kinds) for _ in range(300)]


@pytest.mark.parametrize("seed", range(5))
def test_the_objective_never_falls_and_gains_are_true(seed: int) -> None:
    trainer = native.ClassTrainer(1)
    chance = random.Random(seed)
    trainer.add_sentences([" ".join(f"w{chance.randrange(40)}" for _ in range(8)) for _ in range(60)])
    trainer.start(5, seed)
    for _ in range(30):
        before = trainer.objective()
        word, number = trainer.id(f"w{chance.randrange(40)}"), chance.randrange(5)
        expected = trainer.gain(word, number)
        trainer.assign(word, number)
        assert trainer.objective() - before == pytest.approx(expected, abs=1e-8)
    for _ in range(6):
        before = trainer.objective()
        trainer.iterate(1)
        assert trainer.objective() >= before - 1e-9


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_classes_are_found_whatever_the_threads(threads: int) -> None:
    found = train_classes(text(), classes=3, threads=threads, seed=2)
    assert found == train_classes(text(), classes=3, threads=1, seed=2)
    for kind in ("the a every", "dog cat bird cow", "runs sleeps eats"):
        assert len(set(found.apply(kind).split())) == 1
    assert len({found.of(word) for word in ("the", "dog", "runs")}) == 3


def test_look_up_folds_digits_and_knows_unknowns() -> None:
    classes = ClassMap({"<unk>": "9", "00": "1", "dog": "2"})
    assert [classes.of(word) for word in ("dog", "47", "cat", "007")] == ["2", "1", "9", "9"]
    rare = train_classes(["a a a a a b b b b b c", "d 12 34 56 78 90"], classes=2)
    assert rare.of("c") == rare.of("d") == rare.of("<unk>")
    assert "00" in rare.classes
    assert "12" not in rare.classes


def test_files(tmp_path: Path) -> None:
    classes = train_classes(text(), classes=3)
    classes.write(tmp_path / "classes.gz")
    assert ClassMap.read(tmp_path / "classes.gz") == classes
    for content, what in [
        ("a\t1\n", "no class for <unk>"),
        ("a 1\n", "not `word"),
        ("<unk>\t1\n<unk>\t2\n", "already"),
    ]:
        (tmp_path / "bad").write_text(content)
        with pytest.raises(FormatError, match=what):
            ClassMap.read(tmp_path / "bad")


def test_class_models_need_no_mapping_at_query_time() -> None:
    """The array from a decoder's words to class ids gives the scores of the mapped text."""
    import numpy as np

    classes = train_classes(text(), classes=3)
    model: NgramModel = estimate(classes.apply_all(text()), order=3).build()
    words = common.Vocabulary()
    ids, ends = words.intern_all(["the cat eats", "a zebra runs"])
    mapped = classes.map_words(words, model)[ids]
    direct = model.score_ids(mapped.astype(np.uint32), ends)
    assert direct == pytest.approx(
        model.score([classes.apply("the cat eats"), classes.apply("a zebra runs")]), abs=1e-9
    )


def test_impossible_requests() -> None:
    with pytest.raises(SettingError, match="9 classes for 6"):
        train_classes(EXAMPLE, classes=9, min_count=1)
    with pytest.raises(SettingError, match="classes is 0"):
        train_classes(EXAMPLE, classes=0)
    with pytest.raises(InputError, match="no words"):
        train_classes([""])
