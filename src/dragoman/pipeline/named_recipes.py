"""Recipes that have a name: systems as papers describe them, each a starting point for one of your own.

    >>> open_recipe("wmt13").tuner
    'online'

`wmt13` is the feature-rich phrase-based system of Green, Cer, Reschke, Voigt, Bauer, Wang, Silveira, Neidert and
Manning (2013): phrases of up to eight words with counts and hierarchical reordering, two language models (further text
is one of its own), lexicalised, tagged and frequency features, AdaGrad with an L1 of its own for each family on lists
of 200, a sentence metric smoothed for one reference, and the epoch that a held-out set likes best. What annotates the
source (`annotate`), how much text to choose (`select_pairs`) and, into French, what makes words agree (`agreement`,
`annotate_target`) is for you to say. Two things are not theirs: words keep their usual case, which was measured to be
better than restoring it (`case=lowercase` with `postprocess=language-model` is theirs), and the usual aligner stands
for the one they had.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dragoman.errors import FileError
from dragoman.pipeline.recipe import Recipe
from dragoman.registry import Registry

__all__ = ["RECIPES", "open_recipe"]

RECIPES: Registry[Recipe] = Registry(
    "recipe",
    {
        "wmt13": "dragoman.pipeline.named_recipes:wmt13",
        "wmt13-from-german": "dragoman.pipeline.named_recipes:wmt13_from_german",
        "wmt13-into-german": "dragoman.pipeline.named_recipes:wmt13_into_german",
    },
)
"""What makes each recipe, by name."""

_UNTAGGED_ORDER = ("rule", "link:unit=clique", "orient:classes=2", "delete_pos", "delete_head", "idf")


def open_recipe(name: Path | str) -> Recipe:
    """The recipe of a TOML file, or the one of a name; a file goes before a name."""
    path = Path(name)
    if path.is_file() or str(name) not in RECIPES:
        if not path.exists() and path.suffix != ".toml":
            remedy = f"give a TOML file, or choose from {', '.join(RECIPES)}"
            raise FileError("no such file, and no recipe of that name", where=str(name), remedy=remedy)
        return Recipe.load(path)
    return RECIPES.get(str(name))()


def wmt13(**more: Any) -> Recipe:
    """Feature-rich phrases tuned online on one reference: Stanford at the WMT of 2013."""
    settings: dict[str, Any] = {
        "max_phrase": 8,
        "rule_counts": True,
        "reordering": "hier-msd2-bidirectional-fe",
        "extra_text": "separate",
        "classes": 0,
        "templates": ("wmt13",),
        "fold_pairs": 0,
        "tuner": "online",
        "tuner_settings": ("rate=0.03", "batch=20", "l1=0.1", "l1_families.orient=10", "sentence_metric=bleu-nakov"),
        "iterations": 10,
        "nbest": 200,
        "heldout_size": 200,
        "search": {"distortion_limit": 5},
    }
    return Recipe(**(settings | more))


def wmt13_into_german() -> Recipe:
    """The same into German: compounds are split and put together, gaps are charged at once, no order of tags."""
    search = {"distortion_limit": 6, "future_distortion": True}
    return wmt13(target_pieces="compounds", templates=_UNTAGGED_ORDER, search=search)


def wmt13_from_german() -> Recipe:
    """The same from German: compounds of the source are split."""
    return wmt13(source_pieces="compounds", search={"distortion_limit": 6, "future_distortion": True})
