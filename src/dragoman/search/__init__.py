"""Search: decoders, and the translations they find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dragoman.lazy_names import lazy_names
from dragoman.registry import Registry

if TYPE_CHECKING:
    from dragoman.features.language_model import LanguageModel
    from dragoman.grammar.dynamic import DynamicTable
    from dragoman.grammar.table import RuleTable
    from dragoman.search.base import Decoder
    from dragoman.search.candidate import Candidate
    from dragoman.search.explanation import Explanation
    from dragoman.search.hiero import HieroDecoder
    from dragoman.search.left_to_right import LeftToRightDecoder
    from dragoman.search.phrase import PhraseDecoder
    from dragoman.search.translation import Phrase, SentenceTranslation

__all__ = [
    "DECODERS",
    "Candidate",
    "Decoder",
    "Explanation",
    "HieroDecoder",
    "LeftToRightDecoder",
    "Phrase",
    "PhraseDecoder",
    "SentenceTranslation",
    "get_decoder",
]

DECODERS: Registry[Decoder] = Registry(
    "decoder",
    {
        "phrase": "dragoman.search.phrase:PhraseDecoder",
        "gappy": "dragoman.search.gappy:GappyDecoder",
        "hiero": "dragoman.search.hiero:HieroDecoder",
        "lr-hiero": "dragoman.search.left_to_right:LeftToRightDecoder",
    },
)
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
        "Candidate": "dragoman.search.candidate",
        "Decoder": "dragoman.search.base",
        "Explanation": "dragoman.search.explanation",
        "HieroDecoder": "dragoman.search.hiero",
        "LeftToRightDecoder": "dragoman.search.left_to_right",
        "Phrase": "dragoman.search.translation",
        "PhraseDecoder": "dragoman.search.phrase",
        "SentenceTranslation": "dragoman.search.translation",
    },
)
