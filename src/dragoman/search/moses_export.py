"""A phrase-based model in the formats of Moses.

Moses has phrase tables, lexicalised reordering, language models over words and over other factors of them, and
penalties. What templates say of a rule alone becomes one more column of the phrase table, already weighted; a model
over word classes becomes one over a second factor, which the phrase table then has for each target word. What looks
beyond the rule (orientation templates, features in Python) has no counterpart there and is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from dragoman.features.language_model import LanguageModel
from dragoman.features.template import Template
from dragoman.features.weights import Weights
from dragoman.grammar.moses import export_moses as export_table
from dragoman.grammar.moses import export_reordering
from dragoman.grammar.orientation import ReorderingModel
from dragoman.grammar.table import RuleTable
from dragoman.lm import write_arpa
from dragoman.progress import ProgressCallback
from dragoman.search.base import Feature
from dragoman.search.moses_ini import MosesLanguageModel, moses_folder, write_moses_ini
from dragoman.search.settings import PhraseSettings

__all__ = ["export_phrase_model", "unknown_to_moses"]

_TEMPLATES = "templates"
"""The further column: what templates say of a rule, weighted."""


def unknown_to_moses(features: Sequence[Feature]) -> tuple[str, ...]:
    """Features without a counterpart in Moses, by name."""
    return tuple(str(each) for each in features if not (isinstance(each, Template) and each.looks_at_rules_only))


def export_phrase_model(
    folder: Path,
    table: RuleTable,
    language_models: Sequence[LanguageModel],
    weights: Weights,
    settings: PhraseSettings,
    *,
    columns: Sequence[str],
    reordering: ReorderingModel | None,
    rule_scores: Callable[[int, int], Sequence[float]] | None,
    progress: ProgressCallback | None = None,
) -> tuple[Path, ...]:
    """Write phrase table, reordering table, ARPA files, and `moses.ini`, which names them by full paths.

    `columns` of the table are features; `rule_scores(begin, end)` is what templates say of a range of rules.
    """
    folder = moses_folder(folder)
    maps: list[Mapping[str, str]] = []
    models = []
    for use in language_models:
        path = folder / f"{use.name}.arpa"
        write_arpa(use.model.list_ngrams(), path)
        if use.classes is not None:
            maps.append(use.classes)
        models.append(MosesLanguageModel(use.name, path, use.model.order, 0 if use.classes is None else len(maps)))
    phrases = folder / "phrase-table.gz"
    export_table(table, phrases, columns=columns, further=rule_scores, classes=maps, progress=progress)
    written = [phrases]
    orientations = folder / "reordering-table.gz" if reordering is not None else None
    if orientations is not None:
        export_reordering(table, orientations, progress=progress)
        written.append(orientations)
    ini = folder / "moses.ini"
    write_moses_ini(
        ini,
        table=phrases,
        columns=[*columns, *([_TEMPLATES] if rule_scores is not None else [])],
        language_models=models,
        reordering=orientations,
        reordering_model=reordering,
        weights=weights | {_TEMPLATES: 1.0},
        settings=settings,
    )
    return (*written, *(model.path for model in models), ini)
