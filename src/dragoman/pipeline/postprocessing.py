"""What happens to tokens after decoding: who gives them their case, and who puts them together.

By `rules`, a word has its usual case, a sentence begins with a capital, and the detokenizer knows where blanks belong.
A model may learn that instead from the text it is trained on: a `language-model` of cased text chooses the case of
words (Lita, Ittycheriah, Roukos and Kambhatla 2003), or a conditional `random-field` learns to undo the preprocessor,
letter by letter (Green, Cer and Manning 2014). Before that, words may be made to agree, by a lexicon and a parser of
the target language (`dragoman.text.agreement`). Placeholders and tags are put in as ever: to all of them they are
words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from dragoman.annotations.annotator import Annotator
from dragoman.annotations.crfsuite import crfsuite
from dragoman.search.recaser import Recaser
from dragoman.text.agreement import AgreementCorrector, revise
from dragoman.text.inflections import InflectionLexicon
from dragoman.text.postprocessor import LearnedPostprocessor
from dragoman.text.prepared import Prepared, is_mask
from dragoman.text.preprocessor import STAND_IN, Preprocessor

__all__ = ["AGREEMENT_FILE", "learn_postprocessing", "require_postprocessing", "with_agreement", "with_postprocessing"]

AGREEMENT_FILE = "inflections.tsv"
"""Where a bundle keeps the lexicon by which words are made to agree."""

_RECASER, _FIELD = "recaser", "letters.crfsuite"


def require_postprocessing(way: str) -> None:
    """Tells what a way needs that is not installed."""
    if way == "random-field":
        crfsuite("a learned post-processor")


def learn_postprocessing(
    way: str, preprocessor: Preprocessor, raw: Sequence[str], folder: Path, *, lines: int, iterations: int
) -> int:
    """Learn a way from raw text of the target side into a folder; a random field sees so many lines, spread over it.

    Gives the number of lines that were learned from.
    """
    if way == "language-model":
        plain = Preprocessor(replace(preprocessor.settings, case="keep", pieces="words"))
        found = plain.prepare_all(raw)
        texts = [sentence.words for text in found for sentence in text.sentences]
        Recaser.train(([word for word in words if not is_mask(word)] for words in texts), folder / _RECASER)
        return len(raw)
    step = max(1, len(raw) // lines)
    chosen = raw[::step][:lines]
    pairs = (pair for text in preprocessor.prepare_all(chosen) for pair in _pairs(text))
    LearnedPostprocessor.train_on(pairs, iterations=iterations).save(folder / _FIELD)
    return len(chosen)


def _pairs(text: Prepared) -> Iterator[tuple[str, str]]:
    """Raw sentences and the words of them, with what is protected as one letter in both."""
    for sentence in text.sentences:
        raw, at = "", sentence.span[0]
        for kept in sorted(sentence.protected.values(), key=lambda each: each.span):
            raw += text.raw[at : kept.span[0]] + STAND_IN
            at = kept.span[1]
        raw += text.raw[at : sentence.span[1]]
        yield raw, " ".join(STAND_IN if is_mask(word) else word for word in sentence.words)


def with_postprocessing(way: str, preprocessor: Preprocessor, folder: Path) -> Preprocessor:
    """The preprocessor of the target side, which restores text in a way that was learned into a folder."""
    if way == "language-model":
        return preprocessor.restoring_by(recase=Recaser.open(folder / _RECASER).apply)
    if way == "random-field":
        return preprocessor.restoring_by(joins=LearnedPostprocessor.open(folder / _FIELD))
    return preprocessor


def with_agreement(preprocessor: Preprocessor, lexicon: Path, annotator: Annotator | None) -> Preprocessor:
    """The preprocessor of the target side, which makes words agree before it restores text."""
    if annotator is None:
        return preprocessor
    corrector = AgreementCorrector(InflectionLexicon.open(lexicon))
    return preprocessor.revising_by(partial(revise, corrector, annotator))
