"""Features: what a derivation is scored by, and the weights that multiply them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.features.template_sets import PRESETS, preset
from dragoman.features.template_specs import TEMPLATES, template
from dragoman.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.features.base import Option, RuleFeature, SourceSentence, StateFeature
    from dragoman.features.bilingual import paired_words
    from dragoman.features.deep_syntax_search import DeepSyntaxSearch, carried_tree
    from dragoman.features.extension import ExtensionFeature
    from dragoman.features.extra_rules import translated_number
    from dragoman.features.frequencies import function_words
    from dragoman.features.language_model import LanguageModel
    from dragoman.features.order_models import ChoiceTraining, JumpFeature
    from dragoman.features.template import Domains, Template
    from dragoman.features.weights import Weights

__all__ = [
    "PRESETS",
    "TEMPLATES",
    "ChoiceTraining",
    "DeepSyntaxSearch",
    "Domains",
    "ExtensionFeature",
    "JumpFeature",
    "LanguageModel",
    "Option",
    "RuleFeature",
    "SourceSentence",
    "StateFeature",
    "Template",
    "Weights",
    "carried_tree",
    "function_words",
    "paired_words",
    "preset",
    "template",
    "translated_number",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "ChoiceTraining": "dragoman.features.order_models",
        "DeepSyntaxSearch": "dragoman.features.deep_syntax_search",
        "Domains": "dragoman.features.template",
        "ExtensionFeature": "dragoman.features.extension",
        "JumpFeature": "dragoman.features.order_models",
        "LanguageModel": "dragoman.features.language_model",
        "Option": "dragoman.features.base",
        "RuleFeature": "dragoman.features.base",
        "SourceSentence": "dragoman.features.base",
        "StateFeature": "dragoman.features.base",
        "Template": "dragoman.features.template",
        "Weights": "dragoman.features.weights",
        "carried_tree": "dragoman.features.deep_syntax_search",
        "function_words": "dragoman.features.frequencies",
        "paired_words": "dragoman.features.bilingual",
        "translated_number": "dragoman.features.extra_rules",
    },
)
