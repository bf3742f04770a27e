"""Runner-ups against all derivations of a forest, and what people see of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from dragoman.grammar.provenance import Witness
from dragoman.search.reasons import explain_sentence
from dragoman.search.translation import Phrase, SentenceTranslation, phrase_steps
from tests.search.phrasal import Tiny


def written(phrase: Phrase, place: int) -> list[str]:
    """What a phrase writes for a word of its source; words without links go with the one to their left."""
    linked = sorted({j for _, j in phrase.links})
    found = []
    for j, word in enumerate(phrase.target, phrase.target_span[0]):
        anchor = max([k for k in linked if k <= j], default=linked[0] if linked else None)
        if anchor is None or (place, anchor) in phrase.links:
            found.append(word)
    return found


def without(translation: SentenceTranslation, phrase: Phrase) -> float | None:
    """The best score of those that read differently, of the best translations through each step that writes something
    else for a word of the phrase."""
    own = {place: written(each, place) for each in translation.phrases for place in each.positions}
    best: dict[int, SentenceTranslation] = {}
    for derivation in translation.forest.derivations():
        whole = translation.with_derivation(derivation)
        for step, each in zip(phrase_steps(derivation), whole.phrases, strict=True):
            edge = derivation.steps[step.number].edge
            places = set(phrase.positions) & set(each.positions)
            other = any(written(each, place) != own[place] for place in places)
            if other and (edge not in best or best[edge].score < whole.score):
                best[edge] = whole
    return max((each.score for each in best.values() if each.target != translation.target), default=None)


@pytest.mark.parametrize("seed", range(3))
def test_runners_up_are_the_best_that_read_differently(seed: int, tmp_path: Path) -> None:
    tiny = Tiny(tmp_path, seed)
    decoder = tiny.decoder.with_settings(beam=12, pop_limit=12)
    for found in decoder.translate([" ".join(tiny.sentence(4)) for _ in range(6)], forests=True):
        reasons = explain_sentence(found)
        assert reasons.derivations == sum(1 for _ in found.forest.derivations())
        for phrase, reason in zip(found.phrases, reasons.phrases, strict=True):
            best = without(found, phrase)
            if best is None:
                assert reason.runner_up is None
                continue
            runner = reason.runner_up
            assert runner is not None
            assert runner.score == pytest.approx(best, abs=1e-6)
            assert runner.text != found.text
            assert runner.lost_by == pytest.approx(found.score - best, abs=1e-6)
            lost = sum(value for _, value in runner.against) - sum(value for _, value in runner.favour)
            assert lost == pytest.approx(runner.lost_by, abs=0.05)
            assert all(0 <= chance <= 1 for chance in reason.posteriors)


def test_reasons_are_shown(tmp_path: Path) -> None:
    tiny = Tiny(tmp_path, 5)
    [found] = tiny.decoder.translate(["a b c d"], forests=True)
    reasons = explain_sentence(
        found, taught_by=lambda phrase: [Witness(3, "a <b>", "x")], times=lambda phrase: 2.0, scale=0.5
    )
    console = Console(width=200, record=True)
    console.print(reasons)
    text = console.export_text()
    assert "runner-up" in text
    assert "line 3: a <b> ||| x" in text
    assert "2 times" in text
    page = reasons._repr_html_()
    assert "a &lt;b&gt;" in page
    assert page.count("<details>") == len(found.phrases)
    plain = reasons.to_dict()
    assert plain["graph"]["edges"] == found.forest.edges
    assert [each["target"] for each in plain["phrases"]] == [list(phrase.target) for phrase in found.phrases]


def test_another_derivation_has_reasons_of_its_own(tmp_path: Path) -> None:
    tiny = Tiny(tmp_path, 6)
    [found] = tiny.decoder.translate(["a b c"], forests=True)
    mine = {(phrase.source_span, phrase.target) for phrase in found.phrases}
    others = map(found.with_derivation, found.nbest(50))
    other = next(each for each in others if {(p.source_span, p.target) for p in each.phrases} != mine)
    assert any(each.runner_up is not None and each.runner_up.lost_by < 0 for each in explain_sentence(other).phrases)
