"""Features: what a derivation is scored by, and the weights that multiply them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.features.template_sets import PRESETS, preset
from dragoman.features.template_specs import TEMPLATES, template
from dragoman.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.features.base import Option, RuleFeature, SourceSentence, StateFeature
    from dragoman.features.language_model import LanguageModel
    from dragoman.features.template import Domains, Template
    from dragoman.features.weights import Weights

__all__ = [
    "PRESETS",
    "TEMPLATES",
    "Domains",
    "LanguageModel",
    "Option",
    "RuleFeature",
    "SourceSentence",
    "StateFeature",
    "Template",
    "Weights",
    "preset",
    "template",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Domains": "dragoman.features.template",
        "LanguageModel": "dragoman.features.language_model",
        "Option": "dragoman.features.base",
        "RuleFeature": "dragoman.features.base",
        "SourceSentence": "dragoman.features.base",
        "StateFeature": "dragoman.features.base",
        "Template": "dragoman.features.template",
        "Weights": "dragoman.features.weights",
    },
)
