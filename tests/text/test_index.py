from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest

from dragoman.errors import DragomanError, FormatError, InputError, SettingError
from dragoman.text.index import CorpusIndex


def random_text(seed: int, *, lines: int = 60, words: int = 6) -> list[str]:
    random = Random(seed)
    return [" ".join(random.choice("abcdefgh"[:words]) for _ in range(random.randint(0, 9))) for _ in range(lines)]


@pytest.mark.parametrize("seed", range(5))
def test_counts_and_places_equal_a_scan(seed: int) -> None:
    text = random_text(seed)
    index = CorpusIndex.build(text)
    seen: dict[str, list[tuple[int, int]]] = {}
    for number, line in enumerate(text):
        tokens = line.split()
        for start in range(len(tokens)):
            for end in range(start + 1, min(len(tokens), start + 5) + 1):
                seen.setdefault(" ".join(tokens[start:end]), []).append((number, start))
    for phrase, places in seen.items():
        assert index.count(phrase) == len(places)
        assert index.occurrences(phrase) == places
    assert index.tokens == sum(len(line.split()) for line in text)
    assert [index.sentence(number) for number in range(index.sentences)] == [" ".join(line.split()) for line in text]
    for absent in ("z", "a z", "z a", "", " ".join("abcdefgh" * 3)):
        assert index.count(absent) == 0
        assert absent not in index


@pytest.mark.parametrize("seed", range(5))
def test_what_stands_between_equals_a_scan(seed: int) -> None:
    text = random_text(seed, words=4)
    index = CorpusIndex.build(text)
    for left in ("a", "b", "a b"):
        for right in ("c", "d", "c d", "a"):
            first, last = left.split(), right.split()
            expected = []
            for line in text:
                tokens = line.split()
                for start in range(len(tokens)):
                    for length in range(1, 4):
                        end = start + length
                        before = tokens[max(0, start - len(first)) : start]
                        if end <= len(tokens) and before == first and tokens[end : end + len(last)] == last:
                            expected.append(" ".join(tokens[start:end]))
            assert index.between(left, right, longest=3) == sorted(expected)


def test_a_sample_is_taken_at_a_uniform_stride() -> None:
    index = CorpusIndex.build(["a b"] * 30 + ["a c"] * 30)
    sampled = index.native.occurrences(index.ids("a"), 20)
    everything = index.native.occurrences(index.ids("a"), 0)
    assert sampled.tolist() == everything[::3].tolist()
    assert Counter(index.sentence(o.sentence) for o in index.occurrences("a", limit=20)) == {"a b": 10, "a c": 10}


def test_a_saved_index_is_the_same_and_threads_do_not_matter(tmp_path: Path) -> None:
    text = random_text(7, lines=3000)
    for threads in (1, 2, 7):
        CorpusIndex.build(text, threads=threads).save(tmp_path / f"{threads}.index")
    files = [(tmp_path / f"{threads}.index").read_bytes() for threads in (1, 2, 7)]
    assert files[0] == files[1] == files[2]
    opened, built = CorpusIndex.open(tmp_path / "1.index"), CorpusIndex.build(text)
    assert opened.words() == built.words()
    assert opened.occurrences("a b c") == built.occurrences("a b c")
    assert np.array_equal(opened.native.text, built.native.text)
    assert not opened.native.text.flags.writeable


def test_a_long_line_of_one_word() -> None:
    index = CorpusIndex.build([" ".join(["a"] * 20_000)])
    assert index.count("a " * 64) == 20_000 - 63
    with pytest.raises(InputError, match="65 tokens"):
        index.count("a " * 65)


def test_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="<unk>"):
        CorpusIndex.build(["a <unk> b"])
    index = CorpusIndex.build(["a b c"])
    with pytest.raises(SettingError):
        index.between("a", "c", longest=0)
    with pytest.raises(SettingError):
        index.occurrences("a", limit=-1)
    assert CorpusIndex.build([]).count("a") == 0
    (tmp_path / "no.index").write_text("hello")
    with pytest.raises(FormatError):
        CorpusIndex.open(tmp_path / "no.index")


@pytest.mark.slow
def test_damaged_files_are_refused_or_harmless(tmp_path: Path) -> None:
    index = CorpusIndex.build(random_text(1))
    index.save(tmp_path / "good.index")
    good = (tmp_path / "good.index").read_bytes()
    random = Random(3)
    for _ in range(300):
        bad = bytearray(good)
        for _ in range(random.randint(1, 4)):
            bad[random.randrange(len(bad))] = random.randrange(256)
        (tmp_path / "bad.index").write_bytes(bad)
        try:
            opened = CorpusIndex.open(tmp_path / "bad.index")
            opened.occurrences("a b")
            opened.between("a", "b")
        except (DragomanError, UnicodeDecodeError):
            continue
