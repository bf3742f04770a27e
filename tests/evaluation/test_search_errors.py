from __future__ import annotations

import pytest
from rich.console import Console

from dragoman.errors import InputError
from dragoman.evaluation.search_errors import KnownOptimum, Output, count_errors, plot_errors


def output(text: str, score: float) -> Output:
    return Output(text, score, 0.1)


OPTIMA = [
    KnownOptimum(output("a b", -1.0), -1.0, True),
    KnownOptimum(output("c", -2.0), -1.5, False),
    KnownOptimum(output("d", -3.0), -3.0, True),
]


def test_errors_are_counted_where_they_are_known() -> None:
    outputs = {
        "cube:10": [output("b a", -1.5), output("c", -2.0), output("d", -3.0)],
        "cube:100": [output("a b", -1.0), output("x", -2.5), output("d", -3.0005)],
        "stack:10": [output("a b", -1.0), output("y", -1.7), output("d", -3.0)],
    }
    found = count_errors(["s", "t", "u"], OPTIMA, outputs, metric=lambda texts: float(len(" ".join(texts))))
    small, large, other = found.systems
    assert (found.sentences, found.proved) == (3, 2)
    assert [(len(each.errors), each.decided) for each in found.systems] == [(1, 2), (1, 3), (0, 2)]
    assert small.share == 0.5
    assert small.mean_gap == pytest.approx(0.5)
    assert other.largest_gap == 0
    assert large.errors[0].sentence == 1
    assert large.errors[0].best.text == "c"
    assert small.metric == len("b a c d")
    plain = found.to_dict()
    assert plain["systems"][0]["lines"][0]["gap"] == pytest.approx(0.5)
    drawn = plot_errors({"order 3": found, "order 4": found}).svg()
    assert drawn.count("<circle") >= 6
    assert "cube, order 4" in drawn
    console = Console(width=80)
    with console.capture() as shown:
        console.print(large.errors[0])
    assert "2: t" in shown.get()
    assert "found, -2.500" in shown.get()
    assert "best, -2.000" in shown.get()


def test_outputs_of_another_model_are_refused() -> None:
    above = [output("z", -0.5), output("c", -2.0), output("d", -3.0)]
    with pytest.raises(InputError, match="above the bound"):
        count_errors(["s", "t", "u"], OPTIMA, {"cube": above})
    with pytest.raises(InputError, match="2 outputs for 3"):
        count_errors(["s", "t", "u"], OPTIMA, {"cube": above[:2]})
    fine = [each.best for each in OPTIMA]
    with pytest.raises(InputError, match="no search to draw"):
        plot_errors({"": count_errors(["s", "t", "u"], OPTIMA, {"cube": fine})})
