"""Word graphs through a model: their words are prepared as text is, and the text of the best path is restored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise

from dragoman.forest import Derivation
from dragoman.pipeline.choosing import Choose, chosen
from dragoman.pipeline.evidence import Evidence
from dragoman.pipeline.translation import Translation
from dragoman.search.base import Decoder
from dragoman.search.confidence import Confidence
from dragoman.search.lattice import Lattice
from dragoman.search.translation import SentenceTranslation
from dragoman.text.casing import untouchable
from dragoman.text.prepared import Prepared, PreparedSentence
from dragoman.text.preprocessor import Preprocessor

__all__ = ["LatticeTranslator"]


@dataclass(frozen=True)
class LatticeTranslator:
    """What translates word graphs: a decoder, and what prepares and restores text."""

    decoder: Decoder
    before: Preprocessor
    after: Preprocessor
    confidence: Confidence | None = None
    evidence: Evidence | None = None

    def translate(
        self,
        lattices: Sequence[Lattice],
        *,
        threads: int,
        forests: bool,
        monotone: bool,
        choose: Choose | None,
    ) -> list[Translation]:
        """The best translation of the best path of each, as raw text."""
        words = sorted({arc.word for lattice in lattices for arc in lattice.arcs})
        pieces = dict(zip(words, map(_tokens, self.before.prepare_all(words, threads=threads)), strict=True))
        ready = [lattice.map_words(pieces.__getitem__) for lattice in lattices]

        def search(some: Sequence[Lattice], kept: bool) -> list[SentenceTranslation]:
            found = self.decoder.translate_lattices(
                some, threads=threads, forests=kept or choose is not None, monotone=monotone
            )
            return found if choose is None else chosen(choose, found, threads=threads, forests=kept)

        return [
            self._translation(sentence, _first_words(raw, pieces), partial(_searched, search, lattice))
            for sentence, raw, lattice in zip(search(ready, forests), lattices, ready, strict=True)
        ]

    def _translation(
        self,
        sentence: SentenceTranslation,
        firsts: Mapping[str, str],
        search: Callable[[], tuple[SentenceTranslation, ...]],
    ) -> Translation:
        def restore(chosen: Sequence[Sequence[Derivation]]) -> list[str]:
            [kept] = translation.searched
            return self._texts([kept.with_derivation(each) for [each] in chosen], firsts)

        translation = Translation(
            " ".join(sentence.source),
            self._texts([sentence], firsts)[0],
            (sentence,),
            search=search,
            restore=restore,
            confidence=self.confidence,
            evidence=self.evidence,
        )
        return translation

    def _texts(self, sentences: Sequence[SentenceTranslation], firsts: Mapping[str, str]) -> list[str]:
        language = self.before.settings.language
        return self.after.restore_all(
            [[each.target] for each in sentences],
            [_prepared(each.source, firsts.get(each.source[0], ""), language) for each in sentences],
            [[each.alignment] for each in sentences],
        )


def _searched(
    search: Callable[[Sequence[Lattice], bool], list[SentenceTranslation]], lattice: Lattice
) -> tuple[SentenceTranslation, ...]:
    return tuple(search([lattice], True))


def _first_words(lattice: Lattice, pieces: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Tokens that a path may begin with, as they stood in the lattice: by that the case of a translation goes."""
    return {
        pieces[arc.word][0]: arc.word[: len(pieces[arc.word][0])]
        for arc in lattice.arcs
        if arc.start == 0 and pieces[arc.word]
    }


def _tokens(word: Prepared) -> tuple[str, ...]:
    """Tokens of the word of an arc; what is protected stays as it is, for masks would be the same for many words."""
    if any(sentence.protected for sentence in word.sentences):
        return (word.raw,)
    return tuple(token for sentence in word.sentences for token in sentence.tokens)


def _prepared(tokens: Sequence[str], first: str, language: str) -> Prepared:
    """The words of a path as a text that was prepared; `first` is how its first word was written."""
    words = tuple(tokens)
    shown = [first, *words[1:]] if first.lower() == words[0].lower() else list(words)
    starts = [0, *accumulate(len(word) + 1 for word in shown)]
    spans = tuple((start, end - 1) for start, end in pairwise(starts))
    raw = " ".join(shown)
    code = untouchable(raw, spans)
    sentence = PreparedSentence((0, len(raw)), words, spans, words, spans, tuple(range(len(words))), {}, code)
    return Prepared(raw, language, (sentence,))
