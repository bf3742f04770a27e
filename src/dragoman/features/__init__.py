"""Features: what a derivation is scored by, and the weights that multiply them."""

from dragoman.features.templates import PRESETS, TEMPLATES, preset, template

__all__ = ["PRESETS", "TEMPLATES", "preset", "template"]
