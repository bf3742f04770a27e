"""METEOR: harmonic mean of matched words, less a penalty for scattered matches.

Banerjee and Lavie (2005), Lavie and Agarwal (2007). Words match in stages: the same word, the same stem, a synonym in
WordNet, a paraphrase of a table; each stage sees what earlier ones left and takes the largest matching with the fewest
crossings. `meteor` and `meteor-rank` are the two parameter sets of the 0.8 releases; with `alpha=0.5` (`meteor:0.5`)
precision and recall weigh the same, which keeps tuned systems from growing long (Cer, Manning and Jurafsky 2010).
`meteor-1.5` weights stages and function words by the language (Denkowski and Lavie 2014).

A stage whose resource is missing is an error, never skipped: ask for fewer `stages` instead.

    >>> from dragoman.metrics import get_metric
    >>> meteor = get_metric("meteor:stages=exact+stem")
    >>> round(meteor.corpus_score(["the cat sat on mat"], ["the cat sat on the mat"]), 6)
    0.827175
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from dragoman._native import metrics as native
from dragoman._native.common import Vocabulary
from dragoman.align.monolingual import MonolingualAlignment, WordMatch
from dragoman.errors import MissingDependency, SettingError
from dragoman.metrics.base import Floats, Metric, PreparedReferences
from dragoman.metrics.lexical import (
    STEMMERS,
    LexicalReferences,
    Lexicon,
    encode,
    phrase_pairs,
    prepare_lines,
    read_paraphrases,
    read_words,
)
from dragoman.metrics.references import References
from dragoman.metrics.tokenize import TOKENIZERS, tokenizer_signature
from dragoman.semantics.wordnet import WordNet
from dragoman.settings import Settings, setting
from dragoman.text.languages import primary

__all__ = ["PARAMETERS", "STAGES", "Match", "Meteor", "Meteor15", "MeteorRank"]

STAGES = ("exact", "stem", "synonym", "paraphrase")
"""In the order in which they are tried."""


class _Parameters(NamedTuple):
    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: dict[str, float]


PARAMETERS = {
    "en": _Parameters(0.85, 0.2, 0.6, 0.75, {"exact": 1.0, "stem": 0.6, "synonym": 0.8, "paraphrase": 0.6}),
    "cs": _Parameters(0.95, 0.2, 0.6, 0.8, {"exact": 1.0, "paraphrase": 0.4}),
    "de": _Parameters(0.95, 1.0, 0.55, 0.55, {"exact": 1.0, "stem": 0.8, "paraphrase": 0.2}),
    "es": _Parameters(0.65, 1.3, 0.5, 0.8, {"exact": 1.0, "stem": 0.8, "paraphrase": 0.6}),
    "fr": _Parameters(0.9, 1.4, 0.6, 0.65, {"exact": 1.0, "stem": 0.2, "paraphrase": 0.4}),
    "ru": _Parameters(0.75, 1.4, 0.7, 0.5, {"exact": 1.0, "stem": 0.5, "paraphrase": 0.5}),
    "other": _Parameters(0.7, 1.4, 0.3, 0.7, {"exact": 1.0, "paraphrase": 0.6}),
}
"""Parameters of METEOR 1.5 by language, fitted to human rankings; `other` is the universal set."""


class Match(NamedTuple):
    """Words of the hypothesis [start, end) that match words of the reference, and in which stage."""

    hypothesis: tuple[int, int]
    reference: tuple[int, int]
    stage: str


@dataclass(frozen=True, kw_only=True)
class Meteor(Metric):
    """METEOR: matched words by stages, less a penalty for scattered matches (Banerjee and Lavie 2005)."""

    name: ClassVar[str] = "meteor"
    positional: ClassVar[str] = "alpha"

    alpha: float = setting(0.8, "How much more recall weighs than precision, of 1.", least=0, most=1)
    beta: float = setting(2.5, "How fast the penalty grows with chunks.", least=1e-6, most=100)
    gamma: float = setting(0.4, "The largest penalty.", least=0, most=1)
    delta: float = setting(0.5, "Weight of content words against function words, of 1.", least=0, most=1)
    language: str = setting("en", "Of stems; synonyms are English.")
    stages: tuple[str, ...] = setting(
        (),
        "How words match; empty for exact, stem and synonym as far as the language has them. A stage whose resource is "
        "missing is an error, never skipped.",
        choices=STAGES,
    )
    weights: tuple[float, float, float, float] = setting(
        (1.0, 1.0, 1.0, 1.0),
        "What a match of each stage counts.",
        valid=lambda weights: len(weights) == 4,
        wanted="four numbers",
    )
    paraphrases: str = setting("", "A file of paraphrases, for their stage.")
    function_words: str = setting("", "A file of words that `delta` discounts.")
    tokenize: str = setting("13a", "How text is cut into tokens.", choices=TOKENIZERS)
    keep_punctuation: bool = setting(False, "Leave punctuation in.")
    compose: bool = setting(False, "Compose accented letters (NFC) first.")
    strict_formula: bool = setting(False, "Penalise a segment that matches whole and in one chunk, too.")
    beam: int = setting(40, "Partial alignments kept by the search for the fewest crossings.", least=1, most=10000)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.stages:
            has = {"exact": True, "stem": self.language in STEMMERS, "synonym": self.language == "en"}
            usual = [stage for stage in STAGES if has.get(stage, False)]
            object.__setattr__(self, "stages", tuple(usual))
        if ("paraphrase" in self.stages) != bool(self.paraphrases):
            raise SettingError(
                f"{self.name}: the paraphrase stage and a paraphrase table need each other",
                remedy="set stages=...+paraphrase and paraphrases=FILE",
            )
        self._lexicon()

    @classmethod
    def fitting(cls, language: str, tokenize: str) -> dict[str, Any]:
        return {**super().fitting(language, tokenize), **({"language": primary(language)} if language else {})}

    @property
    def stemmed_language(self) -> str:
        return self.language

    @property
    def width(self) -> int:
        return 21

    def _lexicon(self) -> Lexicon:
        return Lexicon(
            language=self.language,
            stems="stem" in self.stages,
            synonyms="synonym" in self.stages,
            function_words=read_words(self.function_words) if self.function_words else frozenset(),
        )

    def _options(self) -> native.MeteorOptions:
        alpha, beta, gamma, delta, weights = self._parameters()
        return native.MeteorOptions(
            alpha=alpha,
            beta=beta,
            gamma=gamma,
            delta=delta,
            weights=list(weights),
            strict=self.strict_formula,
            stages=[stage in self.stages for stage in STAGES],
            beam=self.beam,
        )

    def _parameters(self) -> tuple[float, float, float, float, tuple[float, ...]]:
        return self.alpha, self.beta, self.gamma, self.delta, self.weights

    def for_tokens(self) -> Self:
        return replace(self, tokenize="none")

    def _lines(self, lines: list[str], threads: int) -> list[str]:
        return prepare_lines(lines, self.tokenize, keep_punctuation=self.keep_punctuation, threads=threads)

    def _prepare(self, references: References, threads: int) -> LexicalReferences:
        if "synonym" in self.stages:  # before any work
            try:
                WordNet.find()
            except MissingDependency as error:
                others = "+".join(stage for stage in self.stages if stage != "synonym")
                remedy = f"{error.remedy}; or leave synonyms out: `{self.name}:stages={others}`"
                remedy += "; if the text is not English, give its language"
                raise MissingDependency(error.what, remedy=remedy) from None
        return LexicalReferences(self._lines(self._normalize(references.lines), threads))

    def _knowledge(self, words: Vocabulary, threads: int) -> tuple[native.WordRelations, native.PhrasePairs]:
        table = read_paraphrases(self.paraphrases) if self.paraphrases else ()
        both = [(a, b, 1.0) for row in table for a, b in ((row.phrase, row.other), (row.other, row.phrase))]
        return self._lexicon().relations(words), phrase_pairs(both, words, threads=threads)

    def _statistics(self, hypotheses: list[str], prepared: PreparedReferences, threads: int) -> Floats:
        words = Vocabulary()
        references = encode(prepared.state.lines, words, threads=threads)
        encoded = encode(self._lines(hypotheses, threads), words, threads=threads)
        relations, pairs = self._knowledge(words, threads)
        return native.meteor_statistics(
            encoded, references, prepared.groups, relations, pairs, self._options(), threads=threads
        )

    def align(self, hypothesis: str, reference: str) -> MonolingualAlignment:
        """The matched words that the score counts; positions are of lower-cased tokens.

        A match is as sure as its stage weighs, at most 1; all words of two phrases that paraphrase each other match.
        """
        return self.align_all([hypothesis], [reference])[0]

    def align_all(
        self, hypotheses: list[str], references: list[str], *, threads: int = 0
    ) -> list[MonolingualAlignment]:
        """The matched words of each line."""
        weights = dict(zip(STAGES, self._parameters()[-1], strict=True))
        return [
            MonolingualAlignment.of(
                WordMatch(h, r, min(1.0, weights[match.stage]), match.stage)
                for match in found
                for h in range(*match.hypothesis)
                for r in range(*match.reference)
            )
            for found in self.matches(hypotheses, references, threads=threads)
        ]

    def matches(self, hypotheses: list[str], references: list[str], *, threads: int = 0) -> list[list[Match]]:
        """The same as words and phrases of each line, as the search found them, in the order of the hypothesis."""
        words = Vocabulary()
        sides = (self._normalize(hypotheses), self._normalize(references))
        lines = [encode(self._lines(texts, threads), words, threads=threads) for texts in sides]
        relations, pairs = self._knowledge(words, threads)
        return [
            [Match((h, h + hn), (r, r + rn), STAGES[stage]) for h, hn, r, rn, stage in found]
            for found in native.match_words(lines[0], lines[1], relations, pairs, self._options())
        ]

    def scores(self, statistics: Floats) -> Floats:
        return native.meteor_scores(statistics, self._options())

    def details(self, total: Floats) -> dict[str, float]:
        precision, recall, penalty = native.meteor_parts(np.ascontiguousarray(total), self._options())
        return {"precision": precision, "recall": recall, "penalty": penalty, "chunks": float(total[-1])}

    def signature_parts(self) -> dict[str, str]:
        alpha, beta, gamma, delta, weights = self._parameters()
        said = {
            "lang": self.language,
            "case": "lc",
            "tok": tokenizer_signature(self.tokenize),
            "punct": "yes" if self.keep_punctuation else "no",
            "stages": "+".join(stage for stage in STAGES if stage in self.stages),
            "alpha": f"{alpha:g}",
            "beta": f"{beta:g}",
            "gamma": f"{gamma:g}",
        }
        if self.function_words:
            said |= {"delta": f"{delta:g}", "function": str(len(read_words(self.function_words)))}
        if any(weight != 1 for weight in weights):
            said["weights"] = "/".join(
                f"{w:g}" for w, stage in zip(weights, STAGES, strict=True) if stage in self.stages
            )
        if "synonym" in self.stages:
            said["wordnet"] = WordNet.find().version
        if self.paraphrases:
            said["paraphrases"] = str(len(read_paraphrases(self.paraphrases)))
        return said if not self.strict_formula else {**said, "strict": "yes"}


@dataclass(frozen=True, kw_only=True)
class MeteorRank(Meteor):
    """METEOR with the parameters fitted to human rankings of the 0.8 releases (Agarwal and Lavie 2008)."""

    name: ClassVar[str] = "meteor-rank"
    alpha: float = 0.95
    beta: float = 0.5
    gamma: float = 0.5


@dataclass(frozen=True, kw_only=True)
class Meteor15(Meteor):
    """METEOR 1.5: stages and function words weighted by language (Denkowski and Lavie 2014)."""

    name: ClassVar[str] = "meteor-1.5"
    positional: ClassVar[str] = "language"

    language: str = setting("en", "Of parameters and stems; synonyms are English.", choices=PARAMETERS)
    stages: tuple[str, ...] = setting((), "How words match; empty for all that the language has.", choices=STAGES)

    def __post_init__(self) -> None:
        Settings.__post_init__(self)
        if not self.stages:
            known = PARAMETERS[self.language].weights
            usual = [stage for stage in STAGES if stage in known and (stage != "paraphrase" or self.paraphrases)]
            object.__setattr__(self, "stages", tuple(usual))
        unusable = [stage for stage in self.stages if stage not in PARAMETERS[self.language].weights]
        if unusable:
            raise SettingError(
                f"{self.name} has no {unusable[0]} stage for language {self.language!r}",
                remedy=f"choose from {', '.join(PARAMETERS[self.language].weights)}",
            )
        super().__post_init__()

    @classmethod
    def fitting(cls, language: str, tokenize: str) -> dict[str, Any]:
        found = super().fitting(language, tokenize)
        return found | ({"language": "other"} if found.get("language", "en") not in PARAMETERS else {})

    def _parameters(self) -> tuple[float, float, float, float, tuple[float, ...]]:
        alpha, beta, gamma, delta, weights = PARAMETERS[self.language]
        return alpha, beta, gamma, delta, tuple(weights.get(stage, 1.0) for stage in STAGES)
