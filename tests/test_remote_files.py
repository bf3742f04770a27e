"""Inputs and outputs by URL: fetched, sent, and refused in words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import dragoman
from dragoman.errors import DragomanError, FileError
from dragoman.pipeline.batch_translation import translate_batches
from dragoman.pipeline.recipe import Recipe
from dragoman.remote_files import fetched_bundle, url_of, with_urls
from dragoman.text import synthetic
from dragoman.text.source_text import SourceText

fsspec = pytest.importorskip("fsspec")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    """A file system that is not this machine's."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    system = fsspec.filesystem("memory")
    yield system
    system.store.clear()


def test_what_is_a_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for given, meant in (
        ("s3://bucket/a.de", "s3://bucket/a.de"),
        ("hdfs:/cluster/a", "hdfs://cluster/a"),
        ("file:///tmp/a", "file:///tmp/a"),
        ("file:/tmp/a", "file:///tmp/a"),
    ):
        assert url_of(given) == url_of(Path(given)) == meant
    for path in ("a.de", "/a:/b", "C:/a", "-", "./s3:/a"):
        assert url_of(path) == ""
    Path("odd:").mkdir()
    Path("odd:/file").touch()
    assert url_of("odd:/file") == ""


@pytest.mark.slow
def test_a_model_is_trained_and_used_by_url(store: object, tmp_path: Path) -> None:
    items = list(synthetic.pair("en-de").generate(120, seed=4))
    for name, lines in (
        ("en", [item.source.text for item in items]),
        ("de", [item.target.text for item in items]),
    ):
        with fsspec.open(f"memory://texts/corpus.{name}", "w") as file:
            file.write("".join(f"{line}\n" for line in lines))
    recipe = Recipe(order=2, aligner="fast", tuner="none", dev_size=10)
    made = dragoman.train(
        "memory://texts/corpus.en", Path("memory://texts/corpus.de"), output="memory://models/en-de", recipe=recipe
    )
    assert made.languages == ("en", "de")
    first, again = fetched_bundle("memory://models/en-de"), dragoman.load("memory://models/en-de")
    assert first == again.path
    text = items[0].source.text
    assert again.translate(text).text == made.translate(text).text
    done = translate_batches("memory://models/en-de", lambda _: [SourceText(text)], "memory://out/text.de")
    assert done.lines == 1
    with fsspec.open("memory://out/text.de") as file:
        assert file.read().decode() == made.translate(text).text + "\n"


def test_a_wrong_address_is_told_in_words(store: object) -> None:
    @with_urls("given", several=["many"])
    def read(given: object, many: object = ()) -> object:
        return given, many

    assert read(3, ["a", 3]) == (3, ["a", 3])
    segments = ["memory://nowhere/text"]
    assert read(segments, (segments, segments)) == (segments, (segments, segments))  # text in memory is no address
    with pytest.raises(FileError, match="memory://nowhere/text: no such file"):
        read("", ["memory://nowhere/text"])
    with pytest.raises(DragomanError, match="unheard://of/it"):
        read("unheard://of/it")
    with pytest.raises(FileError, match="memory://nowhere/model: no such file"):
        dragoman.load("memory://nowhere/model")
