"""Sentences that are too long to be searched at once."""

from __future__ import annotations

import itertools
import resource

import pytest

from dragoman.errors import InputError, SettingError
from dragoman.forest import KBestLists
from dragoman.search.constraints import Constraints, ExtraOption
from dragoman.search.phrase import PhraseSettings
from tests.conformance import candidates
from tests.search.setting import Setting


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    return Setting(tmp_path_factory.mktemp("lengths"), "hier-mslr-bidirectional-fe")


@pytest.mark.slow
def test_pieces_are_translated_in_order_and_joined(setting: Setting) -> None:
    decoder = setting.decoder(max_sentence_length=20)
    parts = [sentence for sentence in setting.sentences if 11 <= len(sentence.split()) <= 20][:4]
    assert len(parts) == 4
    assert all(part.endswith((".", "?", "!")) for part in parts)
    [whole] = decoder.translate([" ".join(parts)])
    single = decoder.translate(parts)
    assert whole.statistics["pieces"] == len(parts)
    assert whole.text == " ".join(translation.text for translation in single)
    assert whole.score == pytest.approx(sum(translation.score for translation in single))
    assert whole.rescore() == pytest.approx(whole.score, abs=1e-6)
    covered = sorted(itertools.chain.from_iterable(range(*phrase.source_span) for phrase in whole.phrases))
    assert covered == list(range(len(whole.source)))


def test_the_forest_of_pieces_is_one_forest(setting: Setting) -> None:
    decoder = setting.decoder(max_sentence_length=12)
    line = " ".join(setting.sentences[:4])
    [whole] = decoder.translate([line], forests=True)
    assert whole.statistics["pieces"] > 1
    nbest = whole.nbest(30)
    assert nbest[0].text == whole.text
    assert len(nbest) == 30
    for derivation in nbest:
        assert derivation.rescore(decoder.weights) == pytest.approx(derivation.score, abs=1e-6)
        positions = sorted(itertools.chain.from_iterable(step.positions for step in derivation.steps))
        assert positions == list(range(len(whole.source)))


def test_lists_of_pieces_are_those_of_the_forest(setting: Setting) -> None:
    decoder = setting.decoder(max_sentence_length=12)
    lines = [" ".join(setting.sentences[:4]), setting.sentences[5]]
    lists = decoder.kbest_lists(lines, nbest=30)
    assert candidates(lists) == candidates(KBestLists.of_forests(decoder.forests(lines), nbest=30))
    assert lists.best == [found.text for found in decoder.translate(lines)]


def test_no_piece_ends_inside_an_extra_option(setting: Setting) -> None:
    line = " ".join(["a"] * 25)
    terms = (ExtraOption(8, 12, "one thing", policy="exclusive"), ExtraOption(24, 25, "last", policy="exclusive"))
    [translation] = setting.decoder(max_sentence_length=10).translate([line], constraints=[Constraints(terms)])
    assert "one thing" in translation.text
    assert translation.target[-1] == "last"
    [phrase] = [phrase for phrase in translation.phrases if phrase.source_span == (8, 12)]
    assert phrase.target == ("one", "thing")
    with pytest.raises(InputError, match="an extra option or zone of more than 3 words"):
        setting.decoder(max_sentence_length=3).translate([line], constraints=[Constraints(terms)])


def test_unlimited_reordering_takes_64_words_at_a_time(setting: Setting) -> None:
    decoder = setting.decoder(distortion_limit=-1, pop_limit=3, beam=3)
    assert decoder.translate([" ".join(["a"] * 65)])[0].statistics["pieces"] == 2
    assert decoder.translate([" ".join(["a"] * 64)])[0].statistics["pieces"] == 1


def test_long_sentences_may_be_refused(setting: Setting) -> None:
    decoder = setting.decoder(max_sentence_length=10, long_sentences="refuse")
    good, bad = decoder.try_translate([" ".join(["a"] * 10), " ".join(["a"] * 11)])
    assert not isinstance(good, Exception)
    assert isinstance(bad, InputError)
    assert "sentence 2: a sentence of 11 tokens where at most 10 are translated" in str(bad)
    with pytest.raises(InputError, match="alternatives for a sentence of 2001 tokens"):
        setting.decoder().translate([" ".join(["a"] * 2001)], forests=True)
    with pytest.raises(SettingError, match="max_sentence_length is 0"):
        PhraseSettings(max_sentence_length=0)


@pytest.mark.slow
def test_ten_thousand_tokens_take_bounded_memory(setting: Setting) -> None:
    words = itertools.cycle(" ".join(setting.sentences).split())
    line = " ".join(itertools.islice(words, 10_000))
    decoder = setting.decoder(pop_limit=50, beam=50)
    decoder.translate([line[:2000]], threads=1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    [translation] = decoder.translate([line], threads=1)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert len(translation.source) == 10_000
    assert translation.statistics["pieces"] >= 40
    assert translation.rescore() == pytest.approx(translation.score, rel=1e-9)
    assert grown < 60_000, f"{grown} KiB"


def test_setting_of_a_long_line_is_the_same_for_any_number_of_threads(setting: Setting) -> None:
    lines = [" ".join(setting.sentences[start : start + 5]) for start in range(0, 20, 5)]
    decoder = setting.decoder(max_sentence_length=15)
    texts = [[t.to_dict() | {"seconds": 0} for t in decoder.translate(lines, threads=n)] for n in (1, 2, 7)]
    assert texts[0] == texts[1] == texts[2]
