"""Features: what a derivation is scored by, and the weights that multiply them."""

from dragoman.features.template_sets import PRESETS, preset
from dragoman.features.template_specs import TEMPLATES, template

__all__ = ["PRESETS", "TEMPLATES", "preset", "template"]
