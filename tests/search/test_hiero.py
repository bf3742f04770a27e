"""The chart decoder against brute force, worked examples, and bad input."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.search.hiero_setting import (
    WEIGHTS,
    decoder,
    derivations,
    grammar,
    language_model,
    model_score,
    random_grammar,
)


@pytest.mark.parametrize("seed", range(60))
def test_all_derivations_are_those_of_brute_force(seed: int, tmp_path: Path) -> None:
    rules, words = random_grammar(seed)
    if not rules:
        pytest.skip("no rules came out")
    model = language_model(seed)
    max_span = seed % 3 * 2
    table = grammar(rules, tmp_path / "t", max_span=str(max_span))
    trees = derivations(rules, words, max_span=max_span)
    wanted = sorted((model_score(tree, model, WEIGHTS) for tree in trees), reverse=True)
    [found] = decoder(table, model).translate([" ".join(words)], forests=True)
    assert found.score == pytest.approx(wanted[0], abs=1e-6)
    assert found.rescore() == pytest.approx(found.score, abs=1e-6)
    listed = found.nbest(len(wanted) + 10)
    assert len(listed) == len(wanted)
    assert [each.score for each in listed] == pytest.approx(wanted, abs=1e-6)
    for each in listed:
        assert each.rescore(WEIGHTS) == pytest.approx(each.score, abs=1e-6)
