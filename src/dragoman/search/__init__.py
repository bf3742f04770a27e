"""Search: decoders, and the translations they find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dragoman.lazy_names import lazy_names
from dragoman.registry import Registry
from dragoman.search import decoders

if TYPE_CHECKING:
    from dragoman.features.language_model import LanguageModel
    from dragoman.grammar.dynamic import DynamicTable
    from dragoman.grammar.table import RuleTable
    from dragoman.search.base import Decoder
    from dragoman.search.candidate import Candidate
    from dragoman.search.constraints import Constraints, ExtraOption
    from dragoman.search.explanation import Explanation
    from dragoman.search.glossary import Glossary, Term
    from dragoman.search.hiero import HieroDecoder
    from dragoman.search.lattice import Arc, Lattice
    from dragoman.search.left_to_right import LeftToRightDecoder
    from dragoman.search.letters import LearnedLetters, LetterTable
    from dragoman.search.nbest import moses_nbest
    from dragoman.search.phrase import PhraseDecoder
    from dragoman.search.settings import ExactSettings, HieroSettings, PhraseSettings, SampleSettings
    from dragoman.search.stated_problem import verified
    from dragoman.search.synchronous_tree import tree_lines, tree_svg
    from dragoman.search.translation import Phrase, SentenceTranslation

__all__ = [
    "DECODERS",
    "Arc",
    "Candidate",
    "Constraints",
    "Decoder",
    "ExactSettings",
    "Explanation",
    "ExtraOption",
    "Glossary",
    "HieroDecoder",
    "HieroSettings",
    "Lattice",
    "LearnedLetters",
    "LeftToRightDecoder",
    "LetterTable",
    "Phrase",
    "PhraseDecoder",
    "PhraseSettings",
    "SampleSettings",
    "SentenceTranslation",
    "Term",
    "get_decoder",
    "moses_nbest",
    "tree_lines",
    "tree_svg",
    "verified",
]

DECODERS: Registry[Decoder] = decoders.DECODERS
"""All decoders by name: the kinds of model that there are."""


def get_decoder(
    name: str,
    table: RuleTable | DynamicTable,
    language_models: Sequence[LanguageModel],
    weights: Mapping[str, float] | None = None,
    *,
    features: Sequence[Any] = (),
    **settings: Any,
) -> Decoder:
    """A decoder by name, of a table, language models and weights; settings of its search are given by name.

    Without weights it has those from which tuning starts. A trained model has its decoder already: `model.decoder`.
    """
    kind: Any = DECODERS.get(name)
    made: Decoder = kind(table, language_models, weights, kind.settings_type.from_dict(settings), features=features)
    return made


__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Arc": "dragoman.search.lattice",
        "Candidate": "dragoman.search.candidate",
        "Constraints": "dragoman.search.constraints",
        "Decoder": "dragoman.search.base",
        "ExactSettings": "dragoman.search.settings",
        "Explanation": "dragoman.search.explanation",
        "ExtraOption": "dragoman.search.constraints",
        "Glossary": "dragoman.search.glossary",
        "HieroDecoder": "dragoman.search.hiero",
        "HieroSettings": "dragoman.search.settings",
        "Lattice": "dragoman.search.lattice",
        "LearnedLetters": "dragoman.search.letters",
        "LeftToRightDecoder": "dragoman.search.left_to_right",
        "LetterTable": "dragoman.search.letters",
        "Phrase": "dragoman.search.translation",
        "PhraseDecoder": "dragoman.search.phrase",
        "PhraseSettings": "dragoman.search.settings",
        "SampleSettings": "dragoman.search.settings",
        "SentenceTranslation": "dragoman.search.translation",
        "Term": "dragoman.search.glossary",
        "moses_nbest": "dragoman.search.nbest",
        "tree_lines": "dragoman.search.synchronous_tree",
        "tree_svg": "dragoman.search.synchronous_tree",
        "verified": "dragoman.search.stated_problem",
    },
)
