"""Templates that measure a rule: its dimensions, shares of punctuation and function words, rarity, deleted content.

(Green, Cer et al. 2013; Green, Cer and Manning 2014.)
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar

from dragoman.features.frequencies import InverseFrequencies, is_punctuation
from dragoman.features.template import Template, TemplateBuilder, Words, read_words, words_option
from dragoman.settings import setting

__all__ = ["FunctionWords", "HeadDeletions", "Idf", "Punctuation", "Shape", "TaggedDeletions"]

_PARTS = ("source", "target", "both")
CONTENT_TAGS = ("NN", "NE", "NOUN", "PROPN", "J", "ADJ", "V", "RB", "ADV")
"""Beginnings of the tags of content words: Penn, Stuttgart and universal ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape(Template):
    """How many words the rule has on each side."""

    parts: tuple[str, ...] = setting(
        _PARTS, "What is counted.", choices=_PARTS, valid=bool, wanted=f"one or more of {', '.join(_PARTS)}"
    )
    name: ClassVar[str] = "shape"
    fires: ClassVar[str] = "`shape:source.2`, `shape:target.3` and `shape:2x3` for each rule"

    def add_to(self, builder: TemplateBuilder) -> None:
        builder.native.add_shape(
            self.prefix, source="source" in self.parts, target="target" in self.parts, both="both" in self.parts
        )


_LAST_MARK = 0x1FFFF  # Unicode has no punctuation beyond its second plane


@cache
def _punctuation_marks() -> tuple[str, ...]:
    return tuple(c for c in map(chr, range(_LAST_MARK + 1)) if unicodedata.category(c).startswith("P"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Punctuation(Template):
    """Target punctuation of the rule, as a share of the source punctuation of the sentence."""

    name: ClassVar[str] = "punctuation"
    fires: ClassVar[str] = "`punctuation`: target marks in the rule / source marks in the sentence; absent without any"
    needs_sentence: ClassVar[bool] = True

    def add_to(self, builder: TemplateBuilder) -> None:
        table = builder.table.native
        single = list(_punctuation_marks())
        source = [w for w in map(table.source_word, range(table.source_size)) if len(w) > 1 and is_punctuation(w)]
        target = [w for w in map(table.target_word, range(table.target_size)) if len(w) > 1 and is_punctuation(w)]
        builder.native.add_ratio(self.prefix, source_words=single + source, target_words=single + target)


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionWords(Template):
    """Target function words of the rule, as a share of the source function words of the sentence."""

    source_words: Words = words_option("Function words of the source language.")
    target_words: Words = words_option("Function words of the target language.")
    name: ClassVar[str] = "function_words"
    fires: ClassVar[str] = "`function_words`: those of the rule's target / those of the sentence; absent without any"
    needs_sentence: ClassVar[bool] = True

    def add_to(self, builder: TemplateBuilder) -> None:
        builder.native.add_ratio(
            self.prefix, source_words=read_words(self.source_words), target_words=read_words(self.target_words)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Idf(Template):
    """How much rarer the words are on one side of the rule: differences of summed inverse document frequencies."""

    source: InverseFrequencies | Path | str = setting(
        help="Inverse document frequencies of source words.", parse=Path, wanted="frequencies, or the file of them"
    )
    target: InverseFrequencies | Path | str = setting(
        help="Inverse document frequencies of target words.", parse=Path, wanted="frequencies, or the file of them"
    )
    squared: bool = setting(False, "Square the differences.")
    name: ClassVar[str] = "idf"
    fires: ClassVar[str] = "`idf:target` or `idf:source`: by how much that side is the rarer one"

    def add_to(self, builder: TemplateBuilder) -> None:
        source, target = (
            given if isinstance(given, InverseFrequencies) else InverseFrequencies.read(given)
            for given in (self.source, self.target)
        )
        builder.native.add_frequencies(
            self.prefix,
            source=dict(source.items()),
            source_unseen=source.unseen,
            target=dict(target.items()),
            target_unseen=target.unseen,
            squared=self.squared,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggedDeletions(Template):
    """Content words of the source that the rule leaves unaligned, or aligns to a very frequent target word."""

    frequent: Words = words_option("Target words that are too frequent to translate a content word.")
    tags: tuple[str, ...] = setting(CONTENT_TAGS, "How tags of content words begin.")
    name: ClassVar[str] = "delete_pos"
    fires: ClassVar[str] = "`delete_pos:NN` and `delete_pos:any` for each content word without a content translation"
    needs_tags: ClassVar[bool] = True
    heads_only: ClassVar[bool] = False

    def add_to(self, builder: TemplateBuilder) -> None:
        builder.require_links(self)
        builder.native.add_deletion(
            self.prefix, tags=list(self.tags), frequent=read_words(self.frequent), heads_only=self.heads_only
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadDeletions(TaggedDeletions):
    """As `delete_pos`, for words that govern another one in the dependency tree of the source."""

    name: ClassVar[str] = "delete_head"
    fires: ClassVar[str] = "`delete_head:NN` and `delete_head:any`, for heads of the source tree only"
    heads_only: ClassVar[bool] = True
