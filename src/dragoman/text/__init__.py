"""Text: corpora and bitexts, cleaning, reversible preprocessing, and the synthetic language pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.text.agreement import AgreementCorrector
    from dragoman.text.catalog import get_corpus
    from dragoman.text.checks import CleaningLimits
    from dragoman.text.cleaning import Cleaning, CleaningReport
    from dragoman.text.compounds import CompoundModel
    from dragoman.text.corpus import Bitext, Corpus
    from dragoman.text.formats import SegmentPair, language_pair
    from dragoman.text.index import CorpusIndex
    from dragoman.text.inflections import InflectionLexicon
    from dragoman.text.languages import Identifier
    from dragoman.text.prepared import Prepared
    from dragoman.text.preprocessing import Preprocessing
    from dragoman.text.preprocessor import Preprocessor
    from dragoman.text.selection import select_lines
    from dragoman.text.source_text import SourceText
    from dragoman.text.subword import Subwords
    from dragoman.text.tokenizer import Detokenizer, Tokenizer
    from dragoman.text.truecaser import Truecaser

__all__ = [
    "AgreementCorrector",
    "Bitext",
    "Cleaning",
    "CleaningLimits",
    "CleaningReport",
    "CompoundModel",
    "Corpus",
    "CorpusIndex",
    "Detokenizer",
    "Identifier",
    "InflectionLexicon",
    "Prepared",
    "Preprocessing",
    "Preprocessor",
    "SegmentPair",
    "SourceText",
    "Subwords",
    "Tokenizer",
    "Truecaser",
    "get_corpus",
    "language_pair",
    "select_lines",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "AgreementCorrector": "dragoman.text.agreement",
        "Bitext": "dragoman.text.corpus",
        "Cleaning": "dragoman.text.cleaning",
        "CleaningLimits": "dragoman.text.checks",
        "CleaningReport": "dragoman.text.cleaning",
        "CompoundModel": "dragoman.text.compounds",
        "Corpus": "dragoman.text.corpus",
        "CorpusIndex": "dragoman.text.index",
        "Detokenizer": "dragoman.text.tokenizer",
        "Identifier": "dragoman.text.languages",
        "InflectionLexicon": "dragoman.text.inflections",
        "Prepared": "dragoman.text.prepared",
        "Preprocessing": "dragoman.text.preprocessing",
        "Preprocessor": "dragoman.text.preprocessor",
        "SegmentPair": "dragoman.text.formats",
        "SourceText": "dragoman.text.source_text",
        "Subwords": "dragoman.text.subword",
        "Tokenizer": "dragoman.text.tokenizer",
        "Truecaser": "dragoman.text.truecaser",
        "get_corpus": "dragoman.text.catalog",
        "language_pair": "dragoman.text.formats",
        "select_lines": "dragoman.text.selection",
    },
)
