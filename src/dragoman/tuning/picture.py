"""Learning curves: how the dev score went over the iterations, as a picture."""

from __future__ import annotations

from dragoman.charts import line_plot
from dragoman.drawing import Drawing
from dragoman.tuning.result import TuningResult

__all__ = ["learning_curve"]


def learning_curve(result: TuningResult) -> Drawing:
    """Dev score, held-out score and what the tuner believed, by iteration; the chosen iteration is ringed."""
    scale, history = result.scale, result.history
    curves = {
        "dev": [(entry.number, scale * entry.score) for entry in history],
        "held out": [(entry.number, scale * entry.heldout) for entry in history if entry.heldout is not None],
        "lists": [
            (entry.number + 1, scale * entry.objective)
            for entry in history
            if entry.objective is not None and entry.objective_is_metric
        ],
    }
    chosen = result.best
    return line_plot(
        {name: curve for name, curve in curves.items() if curve},
        title=f"{result.tuner}: {result.metric} by iteration",
        x_name="iteration",
        y_name=result.metric,
        zero=False,
        ring=(chosen.number, scale * (chosen.score if chosen.heldout is None else chosen.heldout)),
    )
