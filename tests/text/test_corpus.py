"""Streams: read again and again, sliced, split and written without holding the text."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.errors import DragomanError, EncodingError, FileError, InputError, SettingError
from dragoman.text.corpus import Bitext, Corpus, SegmentPair
from dragoman.text.formats import FORMATS, resolve

PAIRS = [(f"Satz {i}", f"sentence {i}") for i in range(20)]


def test_a_pair_unpacks_into_its_sides() -> None:
    source, target = SegmentPair("ein", "one", ("single",), {"document": "a"})
    assert (source, target) == ("ein", "one")


def test_streams_read_again() -> None:
    corpus = Corpus.of(["a", "b"])
    assert list(corpus) == list(corpus) == ["a", "b"]
    bitext = Bitext.of(PAIRS)
    assert [tuple(pair) for pair in bitext] == [tuple(pair) for pair in bitext] == PAIRS


def test_sides_keep_their_language() -> None:
    bitext = Bitext.of(PAIRS, languages=("de", "en"))
    assert list(bitext.source) == [source for source, _ in PAIRS]
    assert (bitext.source.language, bitext.target.language) == ("de", "en")
    assert [tuple(pair) for pair in bitext.swapped()] == [(target, source) for source, target in PAIRS]
    assert bitext.swapped().languages == ("en", "de")
    assert bitext[:3].languages == ("de", "en")


@given(
    st.lists(st.text(max_size=3), max_size=12),
    st.none() | st.integers(-15, 15),
    st.none() | st.integers(-15, 15),
    st.none() | st.integers(1, 4),
)
def test_slices_are_those_of_lists(items: list[str], start: int | None, stop: int | None, step: int | None) -> None:
    assert list(Corpus.of(items)[start:stop:step]) == items[start:stop:step]


def test_backward_slices_are_refused() -> None:
    with pytest.raises(SettingError, match="forwards"):
        Corpus.of(["a"])[::-1]


@pytest.mark.slow
@given(st.lists(st.text(max_size=3), max_size=12), st.integers(1, 5))
def test_shards_and_batches_are_the_whole(items: list[str], count: int) -> None:
    corpus = Corpus.of(items)
    sharded = [item for index in range(count) for item in corpus.shard(index, count)]
    assert sorted(sharded) == sorted(items)
    assert [item for batch in corpus.batches(count) for item in batch] == items
    assert all(len(batch) <= count for batch in corpus.batches(count))


def test_concatenation_filter_and_map() -> None:
    both = Corpus.of(["a", "b"]) + Corpus.of(["c"])
    assert list(both.filter(lambda segment: segment != "b").map(str.upper)) == ["A", "C"]
    assert both.count() == 3


@given(st.integers(0, 10), st.integers(0, 10), st.integers(0, 3))
def test_a_split_is_a_partition_of_the_wanted_sizes(dev: int, test: int, seed: int) -> None:
    bitext = Bitext.of(PAIRS)
    parts = bitext.split(dev=dev, test=test, seed=seed)
    assert (parts.dev.count(), parts.test.count()) == (dev, test)
    together = [pair for part in parts for pair in part]
    assert sorted(map(tuple, together)) == sorted(PAIRS)
    assert [tuple(pair) for pair in parts.dev] == [tuple(p) for p in bitext.split(dev=dev, test=test, seed=seed).dev]
    assert [PAIRS.index((pair.source, pair.target)) for pair in parts.train] == sorted(
        PAIRS.index((pair.source, pair.target)) for pair in parts.train
    ), "the order of the file is kept"


def test_shares_and_seeds() -> None:
    bitext = Bitext.of(PAIRS)
    parts = bitext.split(dev=0.1, test=0.25)
    assert (parts.train.count(), parts.dev.count(), parts.test.count()) == (13, 2, 5)
    tests = {tuple(tuple(pair) for pair in bitext.split(test=5, seed=seed).test) for seed in range(5)}
    assert len(tests) > 1


@given(st.lists(st.sampled_from("abcdefgh"), max_size=40), st.integers(0, 8), st.integers(0, 8), st.integers(0, 2))
def test_groups_stay_together(documents: list[str], dev: int, test: int, seed: int) -> None:
    bitext = Bitext.of(SegmentPair(str(i), str(i), (), {"document": name}) for i, name in enumerate(documents))
    if dev + test > len(documents):
        with pytest.raises(SettingError, match="do not fit"):
            bitext.split_by("document", dev=dev, test=test, seed=seed)
        return
    parts = bitext.split_by("document", dev=dev, test=test, seed=seed)
    names = [{pair.metadata["document"] for pair in part} for part in parts]
    assert names[0] & names[1] == names[0] & names[2] == names[1] & names[2] == set()
    assert parts.dev.count() <= dev
    assert parts.test.count() <= test
    assert sum(part.count() for part in parts) == len(documents)


def test_a_group_keeps_its_place_when_others_come_and_go() -> None:
    def held_out(names: str) -> set[str]:
        bitext = Bitext.of(SegmentPair(name, name, (), {"document": name}) for name in names)
        return {pair.source for pair in bitext.split_by("document", test=len(names) // 2, seed=1).test}

    few, many = held_out("abcdefgh"), held_out("abcdefghijklmnop")
    assert few & many, "the order of groups follows from their names, not from how many there are"


def test_a_missing_group_is_named() -> None:
    with pytest.raises(InputError, match="without 'package'"):
        Bitext.of(PAIRS).split_by("package", dev=1)


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
@pytest.mark.parametrize("names", [("a.de", "a.en"), ("a.tsv",), ("a.jsonl",), ("a.tmx",)])
def test_every_format_gives_back_what_it_was_given(tmp_path: Path, names: tuple[str, ...], suffix: str) -> None:
    pairs = [*PAIRS, ("", "empty source"), ("größer < & > \u2028 als", "quotes \" ' and \\u"), ("source", "target")]
    paths = [tmp_path / f"{name}{suffix}" for name in names]
    assert Bitext.of(pairs, languages=("de", "en")).write(*paths) == len(pairs)
    again = Bitext.open(*paths, languages=("de", "en"))
    assert [tuple(pair) for pair in again] == pairs
    assert again.count() == len(pairs)


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=12)
XML_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=12)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(ANY_TEXT, ANY_TEXT), max_size=5), st.lists(st.tuples(XML_TEXT, XML_TEXT), min_size=1, max_size=5)
)
def test_any_text_survives(tmp_path: Path, pairs: list[tuple[str, str]], legal: list[tuple[str, str]]) -> None:
    Bitext.of(pairs).write(tmp_path / "x.jsonl")
    assert [tuple(pair) for pair in Bitext.open(tmp_path / "x.jsonl")] == pairs
    legal = [(f"{source}\r\n", f"\t{target}\n") for source, target in legal]
    Bitext.of(legal, languages=("de", "en")).write(tmp_path / "x.tmx")
    assert [tuple(pair) for pair in Bitext.open(tmp_path / "x.tmx")] == legal
    lines = [(source.replace("\n", "").replace("\r", ""), target) for source, target in pairs]
    lines = [(source, target.replace("\n", "").replace("\r", "")) for source, target in lines]
    Bitext.of(lines).write(tmp_path / "x.de", tmp_path / "x.en")
    first = [(source.removeprefix("\ufeff") if i == 0 else source, target) for i, (source, target) in enumerate(lines)]
    first = [(source, target.removeprefix("\ufeff") if i == 0 else target) for i, (source, target) in enumerate(first)]
    assert [tuple(pair) for pair in Bitext.open(tmp_path / "x", languages=("de", "en"))] == first
    cells = [(source.replace("\t", ""), target.replace("\t", "")) for source, target in first]
    Bitext.of(cells).write(tmp_path / "x.tsv")
    assert [tuple(pair) for pair in Bitext.open(tmp_path / "x.tsv")] == cells


@pytest.mark.parametrize("name", ["a.tsv", "a.jsonl"])
def test_metadata_and_references_survive(tmp_path: Path, name: str) -> None:
    pairs = [
        SegmentPair("x", "y", ("y2", "y3"), {"package": "one"}),
        SegmentPair("z", "w", ("w2", ""), {"package": "b"}),
    ]
    Bitext.of(pairs).write(tmp_path / name)
    assert list(Bitext.open(tmp_path / name)) == pairs


def test_references_and_metadata_beside_plain_files(tmp_path: Path) -> None:
    for name, text in {"s": "a\nb\n", "t": "A\nB\n", "r": "Aa\nBb\n", "p": "one\ntwo\n"}.items():
        (tmp_path / name).write_text(text)
    bitext = Bitext.open(
        tmp_path / "s", tmp_path / "t", references=[tmp_path / "r"], metadata={"package": tmp_path / "p"}
    )
    assert list(bitext)[1] == SegmentPair("b", "B", ("Bb",), {"package": "two"})


def test_the_common_beginning_of_two_files(tmp_path: Path) -> None:
    Bitext.of(PAIRS).write(tmp_path / "corpus.de", tmp_path / "corpus.en.gz")
    assert [tuple(pair) for pair in Bitext.open(tmp_path / "corpus", languages=("de", "en"))] == PAIRS


def test_formats_are_found_by_suffix(tmp_path: Path) -> None:
    assert [resolve([name])[1] for name in ("a.tsv", "A.TMX", "b.jsonl.xz", "c.en.tsv.gz")] == [
        "tsv",
        "tmx",
        "jsonl",
        "tsv",
    ]
    assert resolve(["a.tsv", "b.tsv"])[1] == "plain"
    with pytest.raises(SettingError, match="one side only"):
        Bitext.open(__file__)
    with pytest.raises(DragomanError, match="did you mean 'tsv'"):
        Bitext.open(__file__, format="tvs")
    assert all(FORMATS.describe(name) for name in FORMATS)


def test_wrong_names_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        Bitext.open(tmp_path / "a.de", tmp_path / "a.en")
    with pytest.raises(FileError, match="a folder"):
        Bitext.open(tmp_path, tmp_path)


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"one\ntwo\n")))
    corpus = Corpus.open("-")
    assert list(corpus) == ["one", "two"]
    with pytest.raises(FileError, match="only once"):
        list(corpus)


def test_line_ends_in_a_segment_become_blanks(tmp_path: Path) -> None:
    Bitext.of([("a\nb\r\n c", "d\te")]).write(tmp_path / "x.de", tmp_path / "x.en")
    assert [tuple(pair) for pair in Bitext.open(tmp_path / "x", languages=("de", "en"))] == [("a b c", "d\te")]
    Bitext.of([("a\nb", "d\te")]).write(tmp_path / "x.tsv")
    assert [tuple(pair) for pair in Bitext.open(tmp_path / "x.tsv")] == [("a b", "d e")]


@pytest.mark.parametrize("names", [("a.de", "a.en"), ("a.tsv",), ("a.jsonl",), ("a.tmx",)])
@pytest.mark.parametrize("bad", ["nul \x00", "surrogate \ud800"])
def test_what_no_reader_takes_is_not_written(tmp_path: Path, names: tuple[str, ...], bad: str) -> None:
    with pytest.raises(EncodingError):
        Bitext.of([("fine", "fine"), ("x", bad)], languages=("de", "en")).write(*(tmp_path / name for name in names))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_corpus_of_any_size_takes_constant_memory(tmp_path: Path) -> None:
    import tracemalloc

    line = "wort " * 20
    with (tmp_path / "big").open("w") as file:
        file.writelines(f"{line}{i}\n" for i in range(40_000))  # four megabytes
    bitext = Bitext.open(tmp_path / "big", tmp_path / "big")
    tracemalloc.start()
    assert bitext[5:].filter(lambda pair: pair.source.endswith("7")).count() == 4000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 400_000
