"""What preparing a text gives: tokens for the model, and all that is needed to come back.

A prepared text keeps the raw text, the range of each sentence in it, the range of each token, and the protected spans,
each of which is one token, its mask. A mask names its kind and counts within its sentence (`⟦url:0⟧`), so that masks
are few, recur across a corpus like words, and can be told apart when they change places.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dragoman.text.composing import CharacterRange
from dragoman.text.placeholders import MASK, TAG_KINDS

__all__ = ["Prepared", "PreparedSentence", "Protected", "is_mask"]


def is_mask(token: str) -> bool:
    """Whether a token stands for a protected span."""
    return token.startswith("⟦") and MASK.fullmatch(token) is not None


@dataclass(frozen=True, slots=True)
class Protected:
    """A protected span: its mask, its kind, its raw range and its text."""

    mask: str
    kind: str
    span: CharacterRange
    text: str


@dataclass(frozen=True, slots=True)
class PreparedSentence:
    """One sentence: raw range, tokens with raw ranges, and the words that tokens are pieces of.

    Without subwords, tokens and words are the same. `word_of[i]` is the index of the word that token i belongs to;
    `protected` maps the index of a word to the span it stands for. `untouchable` says of each word whether it keeps its
    case in every language (see `dragoman.text.casing`).
    """

    span: CharacterRange
    tokens: tuple[str, ...]
    spans: tuple[CharacterRange, ...]
    words: tuple[str, ...]
    word_spans: tuple[CharacterRange, ...]
    word_of: tuple[int, ...]
    protected: Mapping[int, Protected]
    untouchable: Sequence[bool]

    def renamed(self, masks: Mapping[str, str]) -> PreparedSentence:
        """The same sentence with other names for its masks."""

        def rename(tokens: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(masks.get(token, token) for token in tokens)

        return replace(
            self,
            tokens=rename(self.tokens),
            words=rename(self.words),
            protected={
                index: replace(kept, mask=masks.get(kept.mask, kept.mask)) for index, kept in self.protected.items()
            },
        )


@dataclass(frozen=True, slots=True)
class Prepared:
    """A prepared text; what lies between its sentences is white space, kept as it is."""

    raw: str
    language: str
    sentences: tuple[PreparedSentence, ...]

    @property
    def tokens(self) -> tuple[tuple[str, ...], ...]:
        """The tokens of each sentence."""
        return tuple(sentence.tokens for sentence in self.sentences)

    def matched_to(self, source: Prepared) -> Prepared:
        """The same text with masks named as in its source, wherever they protect the same text.

        This is for training: a link between equal masks is what teaches a model to copy them, even where two of a
        kind change places. Sentences are matched one to one, so both sides need the same number of them.
        """
        if len(self.sentences) != len(source.sentences) or not any(each.protected for each in self.sentences):
            return self
        pairs = zip(self.sentences, source.sentences, strict=True)
        return replace(self, sentences=tuple(_matched(sentence, theirs) for sentence, theirs in pairs))

    def parted_from(self, target: Prepared) -> Prepared:
        """The same text with the masks of what its translation does not have named `⟦lone:0⟧` and so on.

        This is for training, too: where people translated what is protected, a phrase would be learned that puts their
        words for this one span in the place of any other. No text that is to be translated has masks of this name.
        """
        if not any(each.protected for each in self.sentences):
            return self
        if len(self.sentences) == len(target.sentences):
            free = [_spans([each]) for each in target.sentences]
        else:
            free = [_spans(target.sentences)] * len(self.sentences)
        pairs = zip(self.sentences, free, strict=True)
        return replace(self, sentences=tuple(_parted(sentence, theirs) for sentence, theirs in pairs))


def _matched(sentence: PreparedSentence, source: PreparedSentence) -> PreparedSentence:
    if not sentence.protected:
        return sentence
    free: dict[tuple[str, str], list[str]] = defaultdict(list)
    for theirs in source.protected.values():
        free[theirs.kind, theirs.text].append(theirs.mask)
    taken = {theirs.mask for theirs in source.protected.values()}
    names: dict[str, str] = {}
    for kept in sentence.protected.values():
        candidates = free[kept.kind, kept.text]
        if candidates:
            names[kept.mask] = candidates.pop(0)
            continue
        number = 0
        while (name := f"⟦{kept.kind}:{number}⟧") in taken:
            number += 1
        taken.add(name)
        names[kept.mask] = name
    return sentence.renamed(names)


def _parted(sentence: PreparedSentence, free: Counter[tuple[str, str]]) -> PreparedSentence:
    """With spans that are not among those of the other side, which are used up one by one."""
    names: dict[str, str] = {}
    for kept in sentence.protected.values():
        if kept.kind in TAG_KINDS:
            continue
        if free[kept.kind, kept.text]:
            free[kept.kind, kept.text] -= 1
        else:
            names[kept.mask] = f"⟦lone:{len(names)}⟧"
    return sentence.renamed(names) if names else sentence


def _spans(sentences: Sequence[PreparedSentence]) -> Counter[tuple[str, str]]:
    return Counter((kept.kind, kept.text) for each in sentences for kept in each.protected.values())
