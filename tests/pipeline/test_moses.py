from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dragoman
from dragoman.cache import StageCache
from dragoman.errors import DragomanError, FileError, FormatError, SettingError, UnknownName
from dragoman.pipeline.model import Model
from dragoman.pipeline.parts import decoder_from_moses, decoder_from_parts, open_table, read_weights
from dragoman.search.moses_ini import read_moses_ini
from dragoman.search.settings import PhraseSettings
from tests.pipeline.conftest import Sides


@pytest.fixture(scope="module")
def exported(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("moses") / "en-de"
    varied = model.with_weights({name: value + 0.01 * i for i, (name, value) in enumerate(model.weights.items())})
    written = varied.with_settings(distortion_limit=4, pop_limit=80, beam=80).export_moses(folder)
    assert [path.name for path in written] == ["phrase-table.gz", "reordering-table.gz", "lm.arpa", "moses.ini"]
    return folder


def test_an_exported_model_decodes_to_the_same_translations_and_scores(
    model: Model, exported: Path, heldout: Sides, tmp_path: Path
) -> None:
    weights = {name: value + 0.01 * i for i, (name, value) in enumerate(model.weights.items())}
    ours = model.with_weights(weights).with_settings(distortion_limit=4, pop_limit=80, beam=80).decoder
    theirs = decoder_from_moses(exported / "moses.ini", cache=StageCache(tmp_path))
    assert theirs.settings == ours.settings
    assert {name: pytest.approx(value) for name, value in ours.weights.items()} == dict(theirs.weights)
    sentences = [
        " ".join(text.tokens[0])
        for text in model.preprocessors.source.prepare_all([*heldout.source, "a flurbish ||| b"])
    ]
    for mine, other in zip(
        ours.translate(sentences, forests=True), theirs.translate(sentences, forests=True), strict=True
    ):
        assert other.text == mine.text
        assert other.score == pytest.approx(mine.score, abs=1e-4)
        assert [d.score for d in other.nbest(20)] == pytest.approx([d.score for d in mine.nbest(20)], abs=1e-4)


def test_parts_one_by_one(model: Model, exported: Path, heldout: Sides, tmp_path: Path) -> None:
    cache = StageCache(tmp_path / "cache")
    table = open_table(
        exported / "phrase-table.gz",
        cache=cache,
        reordering=exported / "reordering-table.gz",
        reordering_model="hier-mslr-bidirectional-fe",
    )
    again = open_table(
        exported / "phrase-table.gz",
        cache=cache,
        reordering=exported / "reordering-table.gz",
        reordering_model="hier-mslr-bidirectional-fe",
    )
    assert again.path == table.path  # turned into ours once
    lines = "".join(f'"{name}" = {value!r}\n' for name, value in model.weights.items())
    (tmp_path / "w.toml").write_text(f"[weights]\n{lines}")
    weights = read_weights(tmp_path / "w.toml")
    decoder = decoder_from_parts(
        table,
        [("lm", model.decoder.language_models[0].model)],
        weights,
        PhraseSettings.from_dict(model.decoder.settings.to_dict()),
    )
    sentence = " ".join(model.preprocessors.source.prepare(heldout.source[0]).tokens[0])
    assert decoder.translate([sentence])[0].text == model.decoder.translate([sentence])[0].text
    with pytest.raises(SettingError, match="reordering themselves"):
        open_table(model.bundle.file("table.rules"), cache=cache, reordering=exported / "reordering-table.gz")
    with pytest.raises(UnknownName, match="did you mean 'lm'"):
        decoder_from_parts(table, [("lm", model.decoder.language_models[0].model)], weights | {"lmm": 1.0})


def test_the_weights_of_an_ini_alone(model: Model, exported: Path, tmp_path: Path) -> None:
    columns = model.decoder.rule_columns
    whole = read_moses_ini(exported / "moses.ini").weights
    assert dict(read_weights(exported / "moses.ini", columns=columns)) == pytest.approx(dict(whole))
    for old, new, message in (
        ("LM0=", "OSM0=", "weights for OSM0"),
        ("LM0= ", "LM0= 1 ", "2 weights for LM0"),
        ("[weight]", "[wait]", "no section"),
    ):
        path = tmp_path / "moses.ini"
        path.write_text((exported / "moses.ini").read_text().replace(old, new))
        with pytest.raises(FormatError, match=message):
            read_weights(path, columns=columns)


def test_weights_in_toml(tmp_path: Path) -> None:
    path = tmp_path / "w.toml"
    path.write_text("lm = 0.5\nphrase.ts = 1\n[orientation.previous]\nmonotone = 0.25\n")
    assert dict(read_weights(path)) == {"lm": 0.5, "phrase.ts": 1.0, "orientation.previous.monotone": 0.25}
    for text, message in (("lm = nan", "'lm' is nan"), ("lm = 'x'", "'lm' is 'x'"), ("lm = ", "not TOML")):
        path.write_text(text)
        with pytest.raises(FormatError, match=message):
            read_weights(path)
    with pytest.raises(FileError):
        read_weights(tmp_path / "none.toml")


def edited(exported: Path, folder: Path, change: Callable[[str], str]) -> Path:
    path = folder / "moses.ini"
    path.write_text(change((exported / "moses.ini").read_text()))
    return path


def test_files_are_found_beside_the_ini_and_with_gz(exported: Path, tmp_path: Path) -> None:
    path = exported / "other.ini"
    text = (exported / "moses.ini").read_text().replace(f"{exported}/", "").replace("phrase-table.gz", "phrase-table")
    path.write_text("# a comment\n" + text)
    found = read_moses_ini(path)
    assert found.table == exported / "phrase-table.gz"
    assert found.reordering_model == "hier-mslr-bidirectional-fe"
    assert found.weights["unknown"] == pytest.approx(read_moses_ini(exported / "moses.ini").weights["unknown"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[feature]", "[feature]\nOpSequenceModel name=OSM0", "OpSequenceModel"),
        ("[feature]", "[feature]\nWordPenalty name", "no option"),
        ("PhraseDictionaryMemory", "PhraseDictionaryCompact", "text table"),
        ("input-factor=0", "input-factor=0,1", "factor 0"),
        ("LM0= ", "LM0= nan ", "not finite"),
        ("LM0= ", "LM0= 1 ", "2 weights for LM0"),
        ("LM0= ", "LM1= ", "no weights for LM0"),
        ("[weight]", "[weight]\nOSM0= 1", "OSM0, which is no feature"),
        ("[weight]", "[weight]\nLM0= 1", "a second line"),
        ("[weight]", "[weight]\nLM0 1", "not a weight"),
        ("[distortion-limit]\n4", "[distortion-limit]\nfour", "must be a number"),
        ("num-features=4", "num-features=x", "must be a number"),
        ("-allff", "-collapseff", "collapseff"),
        ("[mapping]", "[ttable-file]\n0 0 0 5 x\n[mapping]", "old moses.ini"),
        ("[weight]", "[weights]", r"no section \[weight\]"),
        ("KENLM", "#KENLM", "no language model"),
        ("[input-factors]", "words\n[input-factors]", "before the first"),
    ],
)
def test_what_cannot_be_read_is_named(exported: Path, tmp_path: Path, old: str, new: str, message: str) -> None:
    path = edited(exported, tmp_path, lambda text: text.replace(old, new))
    with pytest.raises(FormatError, match=message):
        read_moses_ini(path)


def test_a_missing_file_is_named(exported: Path, tmp_path: Path) -> None:
    path = edited(exported, tmp_path, lambda text: text.replace("lm.arpa", "none.arpa"))
    with pytest.raises(FileError, match=r"none\.arpa"):
        read_moses_ini(path)


@given(st.data())
def test_mutated_files_give_our_errors_or_a_model(
    exported: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    text = (exported / "moses.ini").read_text()
    at = data.draw(st.integers(0, len(text) - 1))
    length = data.draw(st.integers(0, 20))
    put = data.draw(st.text("[]= \n0x-.#", max_size=5))
    path = tmp_path_factory.getbasetemp() / "mutated.ini"
    path.write_text(text[:at] + put + text[at + length :])
    with contextlib.suppress(DragomanError):
        read_moses_ini(path)


def test_class_models_cannot_be_exported(bitext: Sides, tmp_path: Path) -> None:
    from dataclasses import replace

    from tests.pipeline.conftest import SMALL

    model = dragoman.train(
        *bitext, output=tmp_path / "m", languages=("en", "de"), recipe=replace(SMALL, classes=10, class_order=3)
    )
    with pytest.raises(SettingError, match="classes"):
        model.export_moses(tmp_path / "moses")


def test_a_kenlm_binary_is_told(tmp_path: Path) -> None:
    from dragoman.pipeline.parts import open_language_model

    (tmp_path / "lm").write_bytes(b"mmap lm http://kheafield.com/code format version 5\n")
    with pytest.raises(FormatError, match="KenLM"):
        open_language_model(tmp_path / "lm", cache=StageCache(tmp_path / "cache"))
