"""TERp: TER with costs of its own, and matches by stem, synonym and paraphrase.

Snover et al. (2009). `terp` is the tool's default in which every edit costs one: TER with TERp's normalisation (lower
case, no punctuation), no resources needed. `terpa` has the costs fitted to human adequacy, matches stems and WordNet
synonyms for nothing, shifts whatever matches in that sense (but no span of function words only), caps a segment at 1
and, given a table, substitutes paraphrases at a cost that grows with their edits and falls with their probability.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from dragoman._native import metrics as native
from dragoman._native.common import Vocabulary
from dragoman.errors import SettingError
from dragoman.metrics.base import Floats, Metric, PreparedReferences
from dragoman.metrics.lexical import (
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
from dragoman.settings import setting

__all__ = ["FUNCTION_WORDS", "Terp", "Terpa"]

FUNCTION_WORDS = frozenset(
    re.findall(
        r"\S+",
        """a about above after again against all also although am among an and another any are around as at be because
        been before being below between both but by can cannot could did do does doing done down during each either else
        ever every few for from further had has have having he her here hers herself him himself his how however i if in
        into is it its itself just least less may me might mine more most much must my myself neither no none nor not
        nothing of off on once one only onto or other others our ours ourselves out over own per rather same shall she
        should since so some such than that the their theirs them themselves then there therefore these they this those
        though through thus to too toward towards under until up upon us very was we were what whatever when whenever
        where whether which while who whom whose why will with within without would yet you your yours yourself
        yourselves 's 't n't""",
    )
)
"""English words that TERpA does not shift by themselves."""


@dataclass(frozen=True, kw_only=True)
class Terp(Metric):
    """TERp with its default costs: TER on lower-cased text without punctuation (Snover et al. 2009)."""

    name: ClassVar[str] = "terp"
    higher_is_better: ClassVar[bool] = False

    deletion: float = setting(1.0, "Cost of a missing word.", least=0)
    insertion: float = setting(1.0, "Cost of an extra word.", least=0)
    substitution: float = setting(1.0, "Cost of another word.", least=0)
    shift: float = setting(1.0, "Cost of moving a block.", least=0)
    stem: float | None = setting(None, "Cost of a word with the same stem; none: that of another word.", least=0)
    synonym: float | None = setting(None, "Cost of a synonym; none: that of another word.", least=0)
    phrase: tuple[float, float, float, float] = setting(
        (0.0, 0.0, 0.0, 0.0),
        "Costs of a paraphrase, p1 to p4.",
        valid=lambda costs: len(costs) == 4,
        wanted="four numbers",
    )
    paraphrases: str = setting("", "A file of paraphrases with probabilities.")
    relaxed: bool = setting(False, "Shift whatever matches in a wider sense, but no span of function words only.")
    capped: bool = setting(False, "A segment has a rate of at most 1.")
    beam: int = setting(20, "Half-width of the edit matrix around its diagonal.", least=1, most=10000)
    language: str = setting("en", "Of stems and function words; synonyms are English.")
    function_words: str = setting("", "A file of words that are not shifted by themselves, instead of those we know.")
    tokenize: str = setting("13a", "How text is cut into tokens.", choices=TOKENIZERS)
    keep_punctuation: bool = setting(False, "Leave punctuation in.")
    compose: bool = setting(False, "Compose accented letters (NFC) first.")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._lexicon()

    @property
    def width(self) -> int:
        return 2

    def _functions(self) -> frozenset[str]:
        if self.function_words:
            return read_words(self.function_words)
        return FUNCTION_WORDS if self.language == "en" else frozenset()

    def _lexicon(self) -> Lexicon:
        return Lexicon(
            language=self.language,
            stems=self.stem is not None,
            synonyms=self.synonym is not None,
            function_words=self._functions() if self.relaxed else frozenset(),
        )

    def _options(self) -> native.TerpOptions:
        return native.TerpOptions(
            deletion=self.deletion,
            insertion=self.insertion,
            substitution=self.substitution,
            shift=self.shift,
            stem=self.substitution if self.stem is None else self.stem,
            synonym=self.substitution if self.synonym is None else self.synonym,
            phrase=list(self.phrase),
            relaxed=self.relaxed,
            beam=self.beam,
            capped=self.capped,
        )

    def for_tokens(self) -> Self:
        return replace(self, tokenize="none")

    def _lines(self, lines: list[str], threads: int) -> list[str]:
        return prepare_lines(lines, self.tokenize, keep_punctuation=self.keep_punctuation, threads=threads)

    def _prepare(self, references: References, threads: int) -> LexicalReferences:
        if self.synonym is not None:
            WordNet.find()  # before any work
        return LexicalReferences(self._lines(self._normalize(references.lines), threads))

    def _table(self) -> list[tuple[str, str, float]]:
        table = read_paraphrases(self.paraphrases) if self.paraphrases else ()
        for row in table:
            if row.probability is None:
                raise SettingError(
                    f"{self.name}: the paraphrase {row.phrase!r} has no probability in {self.paraphrases}",
                    remedy="write: phrase ||| other phrase ||| probability",
                )
        return [(row.other, row.phrase, row.probability or 0.0) for row in table]

    def _statistics(self, hypotheses: list[str], prepared: PreparedReferences, threads: int) -> Floats:
        words = Vocabulary()
        references = encode(prepared.state.lines, words, threads=threads)
        encoded = encode(self._lines(hypotheses, threads), words, threads=threads)
        relations = self._lexicon().relations(words)
        pairs = phrase_pairs(self._table(), words, threads=threads)
        options = self._options()
        native.set_phrase_costs(pairs, relations, options)
        return native.terp_statistics(encoded, references, prepared.groups, relations, pairs, options, threads=threads)

    def scores(self, statistics: Floats) -> Floats:
        return native.edit_rates(statistics)

    def details(self, total: Floats) -> dict[str, float]:
        return {"cost": float(total[0]), "reference_length": float(total[1])}

    def signature_parts(self) -> dict[str, str]:
        said = {
            "case": "lc",
            "tok": tokenizer_signature(self.tokenize),
            "punct": "yes" if self.keep_punctuation else "no",
            "costs": f"del={self.deletion:g},ins={self.insertion:g},sub={self.substitution:g},shift={self.shift:g}",
        }
        if self.stem is not None:
            said["stem"] = f"{self.stem:g}[{self.language}]"
        if self.synonym is not None:
            said["synonym"] = f"{self.synonym:g}[wordnet-{WordNet.find().version}]"
        if self.paraphrases:
            said["phrase"] = f"{'/'.join(f'{p:g}' for p in self.phrase)}[{len(read_paraphrases(self.paraphrases))}]"
        if self.relaxed:
            said["shifts"] = f"relaxed[{len(self._functions())}]"
        return {**said, "cap": "yes" if self.capped else "no", "beam": str(self.beam)}


@dataclass(frozen=True, kw_only=True)
class Terpa(Terp):
    """TERp with costs fitted to human adequacy, stems, synonyms and paraphrases (Snover et al. 2009)."""

    name: ClassVar[str] = "terpa"

    deletion: float = 1.4269
    insertion: float = 0.2589
    substitution: float = 1.5565
    shift: float = 0.5621
    stem: float | None = 0.0
    synonym: float | None = 0.0
    phrase: tuple[float, float, float, float] = (-0.2307, -0.1469, -0.0784, 0.1771)
    relaxed: bool = True
    capped: bool = True
    beam: int = 35
