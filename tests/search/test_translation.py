"""A translation that is retold by another derivation of its forest, and one that is chosen by consensus."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from dragoman.errors import SettingError
from dragoman.forest.mbr import consensus
from dragoman.search.translation import SentenceTranslation
from tests.search.setting import Setting


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    return Setting(tmp_path_factory.mktemp("translation"), "hier-mslr-bidirectional-fe")


@pytest.fixture(scope="module", params=[250, 9], ids=["whole", "pieces"])
def translations(setting: Setting, request: pytest.FixtureRequest) -> list[SentenceTranslation]:
    lines = [*setting.sentences[:6], "the flurbish house , zzz", "flurbish", ""]
    return setting.decoder(max_sentence_length=request.param).translate(lines, forests=True)


@pytest.mark.slow
def test_the_best_derivation_tells_what_the_decoder_told(translations: list[SentenceTranslation]) -> None:
    for translation in translations:
        again = translation.with_derivation(translation.nbest(1)[0])
        assert (again.source, again.target, again.alignment) == (
            translation.source,
            translation.target,
            translation.alignment,
        )
        assert again.unknown_words == translation.unknown_words
        assert again.score == pytest.approx(translation.score)
        assert again.final_features == pytest.approx(translation.final_features)
        assert len(again.phrases) == len(translation.phrases)
        for ours, theirs in zip(again.phrases, translation.phrases, strict=True):
            *where, score, features, links, unknown, within, positions = astuple(ours)
            assert (where, links, unknown) == (list(astuple(theirs))[:4], theirs.links, theirs.unknown)
            assert within == theirs.within == ours.source_span
            assert positions == theirs.positions
            assert score == pytest.approx(theirs.score, abs=1e-9)
            assert features == pytest.approx(dict(theirs.features))


def test_other_derivations_tell_their_own_story(translations: list[SentenceTranslation]) -> None:
    for translation in translations:
        for derivation in translation.nbest(40)[1::7]:
            other = translation.with_derivation(derivation)
            assert (other.target, other.alignment) == (derivation.target, derivation.links)
            assert other.rescore() == pytest.approx(other.score, abs=1e-6)
            assert other.score == pytest.approx(derivation.score)
            assert [word for phrase in other.phrases for word in phrase.target] == list(other.target)
            covered = sorted(place for phrase in other.phrases for place in range(*phrase.source_span))
            assert covered == list(range(len(other.source)))
            listed = other.nbest(5)
            assert listed[0] == derivation
            assert len({each.edges.tobytes() for each in listed}) == len(listed) == 5
            apart = other.nbest(5, distinct=True)
            assert apart[0] == derivation
            assert len({each.target for each in apart}) == len(apart)
            assert other.nbest(0) == []


def test_consensus_chooses_from_the_forest(translations: list[SentenceTranslation]) -> None:
    changed = 0
    for translation in translations:
        if translation.statistics["pieces"] > 1:
            assert translation.by_consensus(20, scale=0.1) is translation
            continue
        for scale in (0.1, 1.0):
            found = translation.by_consensus(20, scale=scale)
            choice = consensus(translation.forest, k=20, scale=scale)
            assert found.target == choice.derivation.target
            assert found.score == pytest.approx(choice.derivation.score)
            changed += found.target != translation.target
        assert translation.by_consensus(1) is translation
        bare = found.without_forest()
        assert bare == found
        with pytest.raises(SettingError, match="not kept"):
            bare.nbest(1)
    assert changed or any(translation.statistics["pieces"] > 1 for translation in translations)
