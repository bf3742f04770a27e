"""Truecasing by a language model: lower-cased tokens get the case in which they read best together.

Every word may be written as it was seen in training, in lower case, capitalised, or, if it is short, in capitals; a
language model of cased text chooses. This is translation without reordering from lower case to case, so the decoder of
phrases does it. Words that were never seen stay as they are, and forms that stand only at the beginnings of sentences
teach nothing unless the word has no other. (Lita, Ittycheriah, Roukos and Kambhatla 2003; Green, Cer and Manning 2014.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from dragoman.errors import InputError
from dragoman.features.language_model import LanguageModel
from dragoman.files import require_own_folder, writing_directory
from dragoman.grammar.rule import Rule
from dragoman.grammar.table import RuleTable
from dragoman.grammar.writing import write_table
from dragoman.lm import NgramModel, estimate
from dragoman.search.phrase import PhraseDecoder
from dragoman.search.settings import PhraseSettings
from dragoman.search.translation import SentenceTranslation
from dragoman.text.truecaser import Truecaser, detruecase

__all__ = ["Recaser"]

_FILES = ("case.table", "case.lm")
_SHORT = 7
"""Longest word, in letters, that may become all capitals without having been seen so."""


class Recaser:
    """A table of cased forms and a language model of cased text."""

    def __init__(self, table: RuleTable, model: NgramModel) -> None:
        settings = PhraseSettings(distortion_limit=0, option_limit=100, pop_limit=200, beam=200, max_phrase_length=1)
        self._decoder = PhraseDecoder(table, [LanguageModel("lm", model)], {"lm": 1.0}, settings, reordering=None)

    @classmethod
    def train(cls, sentences: Iterable[Sequence[str]], folder: Path | str, *, order: int = 3) -> Recaser:
        """Learn from tokenised sentences in their true case, and write what was learned into a folder."""
        require_own_folder(folder, lambda there: _FILES)
        texts = [list(tokens) for tokens in sentences]
        counted = Truecaser.train(texts)
        forms: dict[str, set[str]] = {word: set(counts) for word, counts in counted.forms.items()}
        for tokens in texts:
            for token in tokens:
                forms.setdefault(token.lower(), set()).update([token] if token.lower() not in counted.forms else [])
        if not forms:
            raise InputError("nothing to learn the case of words from", remedy="give tokenised text")
        rules = []
        for word, seen in sorted(forms.items()):
            short = {word.upper()} if len(word) <= _SHORT else set()
            forms_of = sorted(seen | short | {word, word[:1].upper() + word[1:]})
            rules += [Rule((word,), (form,), {"case": 0.0}, links=((0, 0),)) for form in forms_of]
        model = estimate([" ".join(counted.apply(tokens)) for tokens in texts], order=order).build()
        with writing_directory(folder, own=lambda there: _FILES) as aside:
            write_table(rules, aside / _FILES[0], columns=["case"])
            model.save(aside / _FILES[1])
        return cls.open(folder)

    @classmethod
    def open(cls, folder: Path | str) -> Recaser:
        """What `train` wrote."""
        return cls(RuleTable.open(Path(folder) / _FILES[0]), NgramModel.open(Path(folder) / _FILES[1]))

    def apply(self, sentences: Sequence[Sequence[str]], *, threads: int = 0) -> list[list[str]]:
        """Tokens in their case, whatever case they had; the first of each sentence is capitalised.

        A token that was never seen stays as it is.
        """
        lines = [" ".join(token.lower() for token in tokens) for tokens in sentences]
        found = self._decoder.translate(lines, threads=threads)
        return [
            detruecase(_with_unknown(each, tokens)) if len(each.target) == len(tokens) else list(tokens)
            for each, tokens in zip(found, sentences, strict=True)
        ]


def _with_unknown(found: SentenceTranslation, tokens: Sequence[str]) -> list[str]:
    """What was found, with unknown tokens as they were given."""
    cased = list(found.target)
    for phrase in found.phrases:
        if phrase.unknown:
            cased[phrase.target_span[0]] = tokens[phrase.source_span[0]]
    return cased
