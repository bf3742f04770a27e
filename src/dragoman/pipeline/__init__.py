"""Pipeline: from raw text to a model bundle, and what comes out of one.

`dragoman.train` and `dragoman.tune` are the functions of the modules `train` and `tune` here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.pipeline.control import Control
    from dragoman.pipeline.documents import translate_document
    from dragoman.pipeline.model import Model, load
    from dragoman.pipeline.parts import decoder_from_moses, decoder_from_parts
    from dragoman.pipeline.preflight import Preflight
    from dragoman.pipeline.recipe import Recipe
    from dragoman.pipeline.train import TrainingReport, TrainingStopped
    from dragoman.pipeline.translation import Translation
    from dragoman.pipeline.tune import tune_model

__all__ = [
    "Control",
    "Model",
    "Preflight",
    "Recipe",
    "TrainingReport",
    "TrainingStopped",
    "Translation",
    "decoder_from_moses",
    "decoder_from_parts",
    "load",
    "translate_document",
    "tune_model",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Control": "dragoman.pipeline.control",
        "Model": "dragoman.pipeline.model",
        "Preflight": "dragoman.pipeline.preflight",
        "Recipe": "dragoman.pipeline.recipe",
        "TrainingReport": "dragoman.pipeline.train",
        "TrainingStopped": "dragoman.pipeline.train",
        "Translation": "dragoman.pipeline.translation",
        "decoder_from_moses": "dragoman.pipeline.parts",
        "decoder_from_parts": "dragoman.pipeline.parts",
        "load": "dragoman.pipeline.model",
        "translate_document": "dragoman.pipeline.documents",
        "tune_model": "dragoman.pipeline.tune",
    },
)
