from __future__ import annotations

import json
import shutil
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dragoman
from dragoman.bundle import Bundle, verify_when_opened, writing_bundle
from dragoman.errors import BundleError, InputError, SettingError, UnknownName
from dragoman.forest.mbr import consensus
from dragoman.grammar.table import RuleTable
from dragoman.pipeline.model import Model
from tests.pipeline.conftest import SMALL, Sides


def test_raw_text_in_raw_text_out(model: Model, heldout: Sides) -> None:
    found = model.translate(heldout.source)
    assert [each.source for each in found] == heldout.source
    scores = dragoman.score([each.text for each in found], heldout.target, ["bleu", "chrf"], confidence=None)
    assert scores["system", "bleu"].value > 20
    assert found[0].text[0].isupper()
    assert model.translate(heldout.source[0]) == found[0]


def walk(work: Callable[[], object]) -> tuple[int, int]:
    """Calls of our own functions, and the modules that they are in, while something is done."""
    home, calls, modules = str(Path(dragoman.__file__).parent), 0, set()

    def watch(frame: FrameType, event: str, _: object) -> None:
        nonlocal calls
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(home) and not code.co_name.startswith("<"):
            calls += 1
            modules.add(code.co_filename)

    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    print(f"{calls} calls in {len(modules)} modules")
    return calls, len(modules)


def test_a_sentence_takes_a_short_way(model: Model) -> None:
    """What asks for nothing costs a question, not a walk. Whoever needs more calls says so here and in
    `docs/architecture.md`."""
    text = "The house is old."
    model.translate(text, threads=1)  # what is made once is made
    calls, modules = walk(lambda: model.translate(text, threads=1))
    assert calls <= 48
    assert modules <= 17


@pytest.mark.slow
def test_a_training_run_takes_a_short_way(model: Model, bitext: Sides, tmp_path: Path) -> None:
    """The same for 400 pairs, from raw text to a model that is not tuned."""
    assert model.path.is_dir()  # what is made once is made
    work = partial(dragoman.train, *bitext, output=tmp_path / "m", languages=("en", "de"), recipe=SMALL, threads=1)
    calls, modules = walk(work)
    assert calls <= 34_200
    assert modules <= 79


def test_protected_spans_come_back_exactly_once(model: Model) -> None:
    found = model.translate("The old <b>house</b> costs %d euros, see https://example.org/x.")
    for kept in ("<b>", "</b>", "%d", "https://example.org/x"):
        assert found.text.count(kept) == 1
    assert found.text.index("<b>") < found.text.index("</b>")


@pytest.mark.parametrize("blank", ["", " ", "\t\n", "\u00a0"])
def test_blank_text_stays_as_it_is(model: Model, blank: str) -> None:
    assert model.translate(blank).text == blank


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_text_that_is_not_blank_never_becomes_blank(model: Model, text: str) -> None:
    for policy in ("copy", "drop", "mark"):
        found = model.translate(text, unknown=policy, pop_limit=5, beam=5).text
        assert bool(found.strip()) == bool(text.strip())


def test_many_lines_keep_their_breaks(model: Model, heldout: Sides) -> None:
    text = "\n\n".join(heldout.source[:3]) + "\n"
    found = model.translate(text)
    assert len(found.sentences) == 3
    alone = [each.text for each in model.translate(heldout.source[:3])]
    assert found.text == "\n\n".join(alone) + "\n"


def test_sentences_of_a_line_are_translated_one_by_one(model: Model) -> None:
    found = model.translate("The house is old.  The cats sleep.")
    assert [sentence.source[-1] for sentence in found.sentences] == [".", "."]
    assert ".  " in found.text


def test_threads_change_nothing(model: Model, heldout: Sides) -> None:
    once = model.translate(heldout.source, threads=1)
    again = model.translate(heldout.source, threads=3)
    assert once == again


def test_nbest_texts_differ_and_descend(model: Model, heldout: Sides) -> None:
    for found in model.translate(heldout.source[:5], forests=True):
        texts = [candidate.text for candidate in found.nbest(8)]
        scores = [candidate.score for candidate in found.nbest(8)]
        assert texts[0] == found.text
        assert len(set(texts)) == len(texts)
        assert scores == sorted(scores, reverse=True)
        for candidate in found.nbest(8):
            rescored = sum(model.weights[name] * value for name, value in candidate.features.items())
            assert rescored == pytest.approx(candidate.score, abs=1e-6)


def test_nbest_of_several_sentences_combines_them(model: Model, heldout: Sides) -> None:
    text = "\n".join(heldout.source[:2])
    first, second = (model.translate(line).nbest(10) for line in heldout.source[:2])
    best = sorted((a.score + b.score for a in first for b in second), reverse=True)[:10]
    assert [c.score for c in model.translate(text).nbest(10)] == pytest.approx(best)


def test_alternatives_are_searched_for_when_they_are_asked_for(model: Model, heldout: Sides) -> None:
    text = heldout.source[0]
    kept, lazy = (model.translate(text, forests=forests, pop_limit=20, beam=20) for forests in (True, False))
    assert lazy.sentences[0].kept_forest is None
    assert lazy.nbest(5) == kept.nbest(5)
    assert lazy.alignment.links == kept.derivation.links == lazy.derivation.links
    assert "<svg" in lazy.alignment._repr_html_()
    assert lazy.forest.nodes == kept.forest.nodes
    with pytest.raises(SettingError, match="nbest is 0"):
        lazy.nbest(0)
    two = model.translate("\n".join(heldout.source[:2]))
    with pytest.raises(SettingError, match="a text of 2 sentences"):
        _ = two.forest
    assert max(i for i, _ in two.alignment) >= len(two.sentences[0].source)


def test_what_is_best_on_average(model: Model, heldout: Sides) -> None:
    text = [*heldout.source, "\n".join(heldout.source[:2]), "", "The <b>flurbish</b> house."]
    plain = model.translate(text, forests=True)
    found = model.translate(text, consensus=30, scale=0.1, threads=1)
    assert [each.text for each in found] != [each.text for each in plain]
    for ours, theirs in zip(found, plain, strict=True):
        for chosen, best in zip(ours.sentences, theirs.sentences, strict=True):
            expected = consensus(best.forest, k=30, scale=0.1).derivation
            assert (chosen.target, chosen.alignment) == (expected.target, expected.links)
            assert chosen.rescore() == pytest.approx(chosen.score, abs=1e-6)
            assert chosen.kept_forest is None
        if ours.sentences:
            first = ours.nbest(4)[0]
            assert first.text == ours.text
            assert first.score == pytest.approx(ours.score)
        alternatives = [candidate.text for candidate in ours.nbest(4)]
        assert len(set(alternatives)) == len(alternatives)
        assert ours.score <= theirs.score + 1e-9
    assert found[-1].text.count("<b>") == found[-1].text.count("</b>") == 1
    assert found == model.translate(text, consensus=30, scale=0.1, threads=3)
    kept = model.translate(text[0], consensus=30, scale=0.1, forests=True).sentences[0]
    assert kept.nbest(3)[0].target == kept.target
    assert model.translate(text[0], consensus=1) == model.translate(text[0])
    for wrong in ({"consensus": -1}, {"consensus": 5, "scale": 0.0}, {"consensus": 5, "scale": float("nan")}):
        with pytest.raises(SettingError):
            model.translate(text[0], **wrong)


def test_ten_thousand_tokens_are_cut_and_translated(model: Model) -> None:
    text = "the house is old , " * 2000
    started = time.perf_counter()
    found = model.translate(text.strip(), pop_limit=10, beam=10)
    assert time.perf_counter() - started < 30
    assert len(found.sentences[0].source) == 10_000
    covered = sorted(p for phrase in found.sentences[0].phrases for p in range(*phrase.source_span))
    assert covered == list(range(10_000))
    assert [w for phrase in found.sentences[0].phrases for w in phrase.target] == list(found.sentences[0].target)
    assert found.sentences[0].rescore() == pytest.approx(found.score, abs=1e-3)
    shorter = " ".join(text.split()[:600])
    assert model.translate(shorter, consensus=5, scale=0.1) == model.translate(shorter)
    with pytest.raises(InputError, match="250"):
        model.translate(text, long_sentences="refuse")


def test_search_can_be_changed_for_one_call(model: Model, heldout: Sides) -> None:
    monotone = model.translate(heldout.source, distortion_limit=0)
    for found in monotone:
        for sentence in found.sentences:
            starts = [phrase.source_span[0] for phrase in sentence.phrases]
            assert starts == sorted(starts)
    assert model.decoder.settings.differences() == {"beam": 50, "pop_limit": 50}
    with pytest.raises(SettingError):
        model.translate("x", search="guess")


def test_unknown_words_are_named(model: Model) -> None:
    found = model.translate("The flurbish house.")
    assert found.unknown_words == ("flurbish",)
    assert "flurbish" in found.text
    assert "flurbish" not in model.translate("The flurbish house.", unknown="drop").text


def test_a_translation_shows_itself(model: Model) -> None:
    found = model.translate("The old house.\n\nA cat & a <dog>.")
    assert len(found.explain().sentences) == len(found.sentences) == 2
    page = found._repr_html_()
    assert page.count("<svg") == page.count("<table>") == 2
    assert "&amp;" in page


def test_loading_is_quick(model: Model) -> None:
    started = time.perf_counter()
    dragoman.load(model.path)
    assert time.perf_counter() - started < 0.2


def test_new_weights_replace_the_old_and_history_stays(model: Model, tmp_path: Path) -> None:
    shutil.copytree(model.path, tmp_path / "m")
    mine = dragoman.load(tmp_path / "m")
    heavier = mine.weights | {"lm": 0.9}
    saved = mine.save_weights(heavier, change="by hand")
    again = dragoman.load(tmp_path / "m")
    assert dict(again.weights) == dict(heavier) == dict(saved.weights)
    again.bundle.verify()
    assert again.bundle.provenance["recipe"] == model.bundle.provenance["recipe"]
    assert again.bundle.provenance["changes"][0]["change"] == "by hand"
    assert len(list((tmp_path / "m").glob("weights*"))) == 1
    assert dict(again.save_weights().weights) == dict(heavier)
    again.save_weights(model.weights)
    with pytest.raises(BundleError, match="meanwhile"):
        mine.save_weights({"lm": 1.0})
    assert dict(dragoman.load(tmp_path / "m").weights) == dict(model.weights)


def test_weights_of_unknown_features_are_refused_by_name(model: Model, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean 'lm'"):
        model.with_weights({"lmm": 1.0})
    with pytest.raises(SettingError, match="distortion"):
        model.with_weights({"distortion": float("nan")})
    shutil.copytree(model.path, tmp_path / "m")
    file = next((tmp_path / "m").glob("weights*"))
    text = file.read_text().replace("distortion", "distortiom")
    file.write_text(text)
    with pytest.raises(BundleError, match="checksum"):
        dragoman.load(tmp_path / "m")
    verify_when_opened(False)
    try:
        with pytest.raises(UnknownName, match="distortiom"):
            dragoman.load(tmp_path / "m")
    finally:
        verify_when_opened(True)


def test_other_bundles_and_damage_are_refused(model: Model, tmp_path: Path) -> None:
    with writing_bundle(tmp_path / "other", kind="aligner") as files:
        (files / "x").write_text("x")
    with pytest.raises(BundleError, match="'aligner' where 'translation' is needed"):
        dragoman.load(tmp_path / "other")
    with pytest.raises(BundleError, match="no such bundle"):
        dragoman.load(tmp_path / "nowhere")
    with writing_bundle(tmp_path / "empty", kind="translation", settings={"decoder": "phrase"}) as files:
        (files / "x").write_text("x")
    with pytest.raises(BundleError, match="settings"):
        dragoman.load(tmp_path / "empty")
    with writing_bundle(tmp_path / "later", kind="translation", settings={"decoder": "syntax"}) as files:
        (files / "x").write_text("x")
    with pytest.raises(BundleError, match="syntax"):
        dragoman.load(tmp_path / "later")


def test_the_bundle_says_where_it_came_from(model: Model) -> None:
    bundle = Bundle.open(model.path)
    bundle.verify()
    assert bundle.languages == ("en", "de")
    assert bundle.provenance["recipe"]["order"] == 3
    assert json.dumps(model.report)
    assert model.report["stages"]["table"]["rules"] == len(RuleTable.open(model.bundle.file("table.rules")))
