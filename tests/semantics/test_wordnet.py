from __future__ import annotations

import os
from pathlib import Path

import pytest

from dragoman.errors import DragomanError, FileError, FormatError, MissingDependency
from dragoman.semantics import wordnet as module
from dragoman.semantics.wordnet import WordNet
from tests.tiny_wordnet import write_wordnet


@pytest.fixture
def tiny(tmp_path: Path) -> WordNet:
    return WordNet(write_wordnet(tmp_path))


def test_synsets(tiny: WordNet) -> None:
    (house,) = tiny.synsets("houses")
    assert house.lemmas == ("house", "home", "dwelling")
    assert (house.part_of_speech, house.gloss) == ("n", "a place to live")
    hypernym = next(pointer for pointer in house.pointers if pointer.relation == "@")
    assert tiny.synset(hypernym.part_of_speech, hypernym.offset).lemmas == ("cat", "true cat")
    assert tiny.hypernyms(*house.id) == ((hypernym.part_of_speech, hypernym.offset),)
    assert tiny.synset_ids("home") == [house.id]
    assert tiny.synsets("run", "n") == []
    assert tiny.synsets("unknownword") == []
    assert tiny.version == "3.0"


@pytest.mark.parametrize(
    ("form", "part_of_speech", "lemmas"),
    [
        ("children", "n", ["child"]), ("men", "n", ["man"]), ("Cats", "n", ["cat"]), ("true cats", "n", ["true_cat"]),
        ("bought", "v", ["buy"]), ("buying", "v", ["buy"]), ("purchased", "v", ["purchase"]), ("running", "v", []),
        ("ran", "v", ["run"]), ("larger", "a", ["large"]), ("quickly", "r", ["quickly"]), ("quicklys", "r", []),
    ],
)  # fmt: skip
def test_morphy(tiny: WordNet, form: str, part_of_speech: str, lemmas: list[str]) -> None:
    assert tiny.morphy(form, part_of_speech) == lemmas


def test_places(tiny: WordNet, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "_FOLDERS", ())
    monkeypatch.delenv("WNHOME", raising=False)
    monkeypatch.setenv("WNSEARCHDIR", str(tiny.folder))
    assert WordNet.find().synsets("cat")
    assert WordNet.find() is WordNet.find()
    monkeypatch.setenv("WNSEARCHDIR", str(tmp_path / "nowhere"))
    with pytest.raises(MissingDependency, match="apt-get install wordnet-base"):
        WordNet.find()
    with pytest.raises(FileError, match=r"index\.noun is missing"):
        WordNet(tmp_path / "nowhere")


def test_damaged_files(tiny: WordNet) -> None:
    with pytest.raises(FormatError, match=r"data\.noun, byte 5"):
        tiny.synset("n", 5)
    with pytest.raises(FormatError, match="no synonym set there"):
        tiny.synset("n", 10**9)
    with pytest.raises(FormatError, match=r"data\.noun, byte 5"):
        tiny.hypernyms("n", 5)
    with pytest.raises(FormatError, match="no synonym set there"):
        tiny.hypernyms("n", 10**9)
    (tiny.folder / "index.verb").write_text("buy v x\n", "utf-8")
    with pytest.raises(FormatError, match=r"index\.verb: not a WordNet index"):
        tiny.offsets("buy", "v")
    (tiny.folder / "index.adj").write_bytes(b"\xff\xfe")
    with pytest.raises(FileError, match=r"index\.adj"):
        tiny.offsets("big", "a")


@pytest.mark.slow
def test_mutated_data(tiny: WordNet) -> None:
    raw = (tiny.folder / "data.noun").read_bytes()
    offset = tiny.offsets("house", "n")[0]
    for at in range(offset, offset + 60):
        for byte in (b"x", b"9", b" "):
            changed = raw[:at] + byte + raw[at + 1 :]
            (tiny.folder / "data.noun").write_bytes(changed)
            try:
                WordNet(tiny.folder).synset("n", offset)
                WordNet(tiny.folder).hypernyms("n", offset)
            except DragomanError:
                continue


REAL = next(
    (p for p in (os.environ.get("WNSEARCHDIR"), "/usr/share/wordnet") if p and Path(p, "data.noun").is_file()), None
)


@pytest.mark.slow
@pytest.mark.skipif(REAL is None, reason="WordNet is not installed (apt-get install wordnet-base)")
def test_the_real_one() -> None:
    found = WordNet(str(REAL))
    assert found.version.startswith("3")
    assert len(found.synsets("dog")) == 8
    assert {"automobile", "car"} <= set(found.synsets("cars", "n")[0].lemmas)
    assert found.morphy("geese", "n") == ["goose"]
    assert set(found.synset_ids("purchase", "v")) & set(found.synset_ids("bought", "v"))
