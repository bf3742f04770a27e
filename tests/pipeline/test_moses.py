from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dragoman
from dragoman.cache import StageCache
from dragoman.errors import DragomanError, FileError, FormatError, SettingError, UnknownName
from dragoman.features.language_model import LanguageModel
from dragoman.files import read_lines
from dragoman.grammar.scoring import BASIC_COLUMNS
from dragoman.pipeline.model import Model
from dragoman.pipeline.parts import (
    decoder_from_moses,
    decoder_from_parts,
    open_language_model,
    open_table,
    read_weights,
)
from dragoman.search.moses_ini import read_moses_ini
from dragoman.search.phrase import PhraseDecoder
from dragoman.search.settings import PhraseSettings
from tests.pipeline.conftest import SMALL, Sides

LMS = ("lm", "lm_classes")


@pytest.fixture(scope="module")
def exported(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("moses") / "en-de"
    varied = model.with_weights({name: value + 0.01 * i for i, (name, value) in enumerate(model.weights.items())})
    written = varied.with_settings(distortion_limit=4, pop_limit=80, beam=80).export_moses(folder)
    assert not written.left_out
    assert [path.name for path in written.files] == ["phrase-table.gz", "reordering-table.gz", "lm.arpa", "moses.ini"]
    return folder


def test_an_exported_model_decodes_to_the_same_translations_and_scores(
    model: Model, exported: Path, heldout: Sides, tmp_path: Path
) -> None:
    weights = {name: value + 0.01 * i for i, (name, value) in enumerate(model.weights.items())}
    ours = model.with_weights(weights).with_settings(distortion_limit=4, pop_limit=80, beam=80).decoder
    theirs = decoder_from_moses(exported / "moses.ini", cache=StageCache(tmp_path))
    assert theirs.settings == ours.settings
    scale = sum(map(abs, theirs.weights.values())) / sum(map(abs, ours.weights.values()))
    assert {name: pytest.approx(value * scale) for name, value in ours.weights.items()} == dict(theirs.weights)
    sentences = [
        " ".join(text.tokens[0])
        for text in model.preprocessors.source.prepare_all([*heldout.source, "a flurbish ||| b"])
    ]
    for mine, other in zip(
        ours.translate(sentences, forests=True), theirs.translate(sentences, forests=True), strict=True
    ):
        assert other.text == mine.text
        assert other.score == pytest.approx(mine.score * scale, abs=1e-4)
        assert [d.score for d in other.nbest(20)] == pytest.approx([d.score * scale for d in mine.nbest(20)], abs=1e-4)


def test_weights_are_scaled_so_that_moses_searches_well(exported: Path) -> None:
    """Its beam threshold is a ratio of scores: with larger weights it would drop almost everything."""
    text = (exported / "moses.ini").read_text()
    rows = [line.split()[1:] for line in text.partition("[weight]\n")[2].splitlines() if line]
    assert sum(abs(float(value)) for row in rows for value in row) == pytest.approx(1)


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
        model.decoder.settings.differences(),
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


def test_classes_and_templates_reach_moses(bitext: Sides, heldout: Sides, tmp_path: Path) -> None:
    """A model over classes is one over the second factor, templates over rules are a column; `orient` is left out."""
    recipe = replace(
        SMALL,
        classes=10,
        class_order=3,
        tuner="auto",
        templates=("rule", "link", "orient", "shape"),
        iterations=2,
        nbest=20,
        dev_size=30,
    )
    model = dragoman.train(*bitext, output=tmp_path / "m", languages=("en", "de"), recipe=recipe)
    written = model.export_moses(tmp_path / "moses")
    assert model.export_moses(tmp_path / "moses") == written, "what it has written itself may be written again"
    (tmp_path / "moses" / "mine").write_text("precious", "utf-8")
    with pytest.raises(FileError, match="has mine in it, which was not made by this command"):
        model.export_moses(tmp_path / "moses")
    assert written.left_out == ("orient",)
    worth = model.worth_unknown_to_moses
    assert worth is not None
    assert worth[0] == model.report["stages"]["tuning"]["dev_bleu"]

    # what Moses would read, with its factors taken apart again
    ini = (tmp_path / "moses" / "moses.ini").read_text()
    assert "output-factor=0,1 " in ini
    assert "KENLM name=LM1 factor=1 " in ini
    classes: dict[str, str] = {}
    lines = []
    for line in read_lines(tmp_path / "moses" / "phrase-table.gz"):
        source, target, *rest = line.split(" ||| ")
        factored = [(word, name) for word, name in (token.split("|") for token in target.split())]
        classes |= dict(factored)
        lines.append(" ||| ".join([source, " ".join(word for word, _ in factored), *rest]))
    (tmp_path / "words").write_text("\n".join(lines) + "\n")
    known = next(use.classes for use in model.decoder.language_models if use.classes is not None)
    assert all(known.get(word, known["<unk>"]) == name for word, name in classes.items())

    cache = StageCache(tmp_path / "cache")
    columns = [*BASIC_COLUMNS, "templates"]
    table = open_table(
        tmp_path / "words",
        cache=cache,
        columns=columns,
        reordering=tmp_path / "moses" / "reordering-table.gz",
        reordering_model=str(recipe.scoring.reordering),
    )
    words, over_classes = (open_language_model(tmp_path / "moses" / f"{name}.arpa", cache=cache) for name in LMS)
    dense = {name: model.weights[name] for name in model.decoder.feature_names}
    theirs = PhraseDecoder(
        table,
        [LanguageModel(LMS[0], words), LanguageModel(LMS[1], over_classes, classes=known)],
        dense | {"templates": 1.0},
        PhraseSettings.from_dict(model.decoder.settings.differences()),
    )
    portable = [each for each in model.decoder.features if str(each) != "orient"]
    ours = model.decoder.with_features(portable, model.weights)
    sentences = [" ".join(text.tokens[0]) for text in model.preprocessors.source.prepare_all(heldout.source)]
    assert any(model.weights[name] for name in model.weights if name.startswith(("rule:", "shape:")))
    found = list(zip(ours.translate(sentences), theirs.translate(sentences), strict=True))
    known_words = [pair for pair in found if not any(phrase.unknown for phrase in pair[0].phrases)]
    assert len(known_words) > 5  # `shape` fires for unknown words, too, which are in no table
    for mine, other in known_words:
        assert other.text == mine.text
        assert other.score == pytest.approx(mine.score, abs=1e-3)


def test_a_kenlm_binary_is_told(tmp_path: Path) -> None:
    (tmp_path / "lm").write_bytes(b"mmap lm http://kheafield.com/code format version 5\n")
    with pytest.raises(FormatError, match="KenLM"):
        open_language_model(tmp_path / "lm", cache=StageCache(tmp_path / "cache"))
