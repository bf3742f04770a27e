"""Features that a model names and that live in somebody's Python module.

A model can be tuned with features of its owner's own (`dragoman.features.base`). The bundle keeps their names and
options, and opening it imports the module if whoever opens it says so.
"""

from __future__ import annotations

from dragoman.features.base import RuleFeature, StateFeature
from dragoman.imported import Imported

__all__ = ["ImportedFeature"]


class ImportedFeature(Imported):
    """A feature in a module, and the options it is made with."""

    __slots__ = ()

    def load(self) -> RuleFeature | StateFeature:
        """Import the module and make the feature."""
        made: RuleFeature | StateFeature = self.make(RuleFeature, StateFeature)
        return made
