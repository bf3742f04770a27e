from __future__ import annotations

import json

import pytest

from dragoman.search.candidate import Candidate
from dragoman.search.nbest import moses_nbest, segmentation
from tests.search.setting import Setting


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    return Setting(tmp_path_factory.mktemp("nbest"), "hier-mslr-bidirectional-fe")


def test_lines_can_be_read_back(setting: Setting) -> None:
    decoder = setting.decoder()
    for number, translation in enumerate(decoder.translate(setting.sentences[:5], forests=True)):
        lines = list(moses_nbest(translation, number, 20, names=decoder.feature_names, segments=True, alignment=True))
        assert len(lines) == 20
        scores = []
        for line in lines:
            identity, text, values, score, segments, alignment = line.split(" ||| ")
            assert int(identity) == number
            assert text.endswith(" ")
            pairs = values.split()
            features = dict(zip((name.removesuffix("=") for name in pairs[::2]), map(float, pairs[1::2]), strict=True))
            assert list(features)[: len(decoder.feature_names)] == list(decoder.feature_names)
            total = sum(decoder.weights[name] * value for name, value in features.items())
            assert total == pytest.approx(float(score), abs=1e-6)
            scores.append(float(score))
            covered = [int(part) for pair in segments.split() for part in pair.split("=")[0].split("-")]
            assert {0, len(translation.source) - 1} <= set(covered)
            assert all(int(pair.split("-")[1]) < len(text.split()) for pair in alignment.split())
        assert scores == sorted(scores, reverse=True)
        assert lines[0].split(" ||| ")[1].rstrip() == translation.text


def test_the_segmentation_is_that_of_the_translation(setting: Setting) -> None:
    for translation in setting.decoder(max_sentence_length=9).translate(setting.sentences[:8], forests=True):
        phrases = [(phrase.source_span, phrase.target_span) for phrase in translation.phrases]
        assert segmentation(translation.nbest(1)[0]) == phrases


def test_bars_in_tokens_are_escaped(setting: Setting) -> None:
    [translation] = setting.decoder().translate(["|||"], forests=True)
    assert translation.text == "|||"
    [line] = moses_nbest(translation, 0, 1)
    assert line.split(" ||| ")[1] == "&#124;&#124;&#124; "


def test_the_list_as_json(setting: Setting) -> None:
    [translation] = setting.decoder().translate(setting.sentences[:1], forests=True)
    entries = json.loads(json.dumps([Candidate.of(each).to_dict() for each in translation.nbest(5, distinct=True)]))
    assert len({entry["text"] for entry in entries}) == 5
    assert entries[0]["score"] == pytest.approx(translation.score)
    assert entries[0].keys() == {"text", "score", "features", "alignment"}
    assert entries[0]["alignment"] == [list(link) for link in translation.alignment]
    assert {"built", "recombined", "pruned", "kept", "queued", "language_model_queries"} <= set(translation.statistics)
    assert translation.seconds > 0
