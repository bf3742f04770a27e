"""What an explanation says of a sentence: its phrases, what each concern added to the score, what else was possible."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dragoman.search.concerns import Concern, concern_of, met_concerns
from dragoman.search.told_sentence import ToldPhrase, ToldSentence, shown

if TYPE_CHECKING:
    from rich.table import Table

    from dragoman.search.candidate import Candidate

__all__ = ["ExplainedText", "PhraseRow", "SentenceExplanation"]

_SEARCHED = 100
"""Of so many best translations of a sentence, alternatives to each phrase are taken."""
_PER_PHRASE = 5
"""So many alternatives to a phrase, at most."""


@dataclass(frozen=True, slots=True)
class PhraseRow:
    """A phrase, or the end of the sentence, with what each concern added to the score."""

    source: str
    target: str
    values: tuple[float, ...]
    phrase: ToldPhrase | None = None
    alternatives: tuple[tuple[str, float], ...] = ()
    """What else stood there in other good translations, and how much less their scores are."""

    @property
    def total(self) -> float:
        return sum(self.values)


class SentenceExplanation:
    """How one sentence came about."""

    def __init__(self, sentence: ToldSentence) -> None:
        self.sentence = sentence
        weights = sentence.weights
        self.concerns: dict[Concern, list[str]] = met_concerns(name for name in sentence.features if weights[name])

    @cached_property
    def rows(self) -> list[PhraseRow]:
        """The phrases in target order, and the end of the sentence."""
        others = self._alternatives()
        rows = [
            PhraseRow(
                " ".join(shown(self.sentence.protected, phrase.source)),
                " ".join(shown(self.sentence.protected, phrase.target)) or "(nothing)",
                self._values(phrase.features),
                phrase,
                tuple(others.get(phrase.source_span, ())),
            )
            for phrase in self.sentence.phrases
        ]
        return [*rows, PhraseRow("", "(end)", self._values(self.sentence.final_features))]

    @property
    def totals(self) -> tuple[float, ...]:
        """What each concern added, over all rows."""
        return tuple(sum(column) for column in zip(*(row.values for row in self.rows), strict=True))

    def _values(self, features: Mapping[str, float]) -> tuple[float, ...]:
        sums: defaultdict[str, float] = defaultdict(float)
        for name, value in features.items():
            sums[concern_of(name).name] += self.sentence.weights[name] * value
        return tuple(float(sums[concern.name]) for concern in self.concerns)

    def _alternatives(self) -> dict[tuple[int, int], list[tuple[str, float]]]:
        """By source span, other translations of it among the best of the sentence, if its forest was kept."""
        if self.sentence.kept_forest is None:
            return {}
        own = {phrase.source_span: phrase.target for phrase in self.sentence.phrases}
        found: defaultdict[tuple[int, int], dict[str, float]] = defaultdict(dict)
        for derivation in self.sentence.nbest(_SEARCHED, distinct=True)[1:]:
            for step in derivation.steps:
                words = tuple(each for each in step.target if isinstance(each, str))
                if not step.positions or any(isinstance(each, int) for each in step.target[1:]):
                    continue  # a rule with parts inside says little without them
                span = (step.positions[0], step.positions[-1] + 1)
                if span in own and words != own[span]:
                    text = " ".join(shown(self.sentence.protected, words)) or "(nothing)"
                    found[span].setdefault(text, self.sentence.score - derivation.score)
        return {span: list(texts.items())[:_PER_PHRASE] for span, texts in found.items()}

    def table(self) -> Table:
        """For the terminal; numbers never wrap, words do."""
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_footer=False)
        for header in ("source", "target"):
            table.add_column(header, overflow="fold", min_width=8)
        for header in (*(concern.name for concern in self.concerns), "total"):
            table.add_column(header, justify="right", no_wrap=True)
        for row in self.rows:
            cells = [f"{value:.2f}" if abs(value) >= 0.005 else "" for value in row.values]
            table.add_row(Text(row.source), Text(row.target), *cells, f"{row.total:.2f}")
        table.add_row("", "total", *(f"{value:.2f}" for value in self.totals), f"{sum(self.totals):.2f}", style="bold")
        return table


class ExplainedText:
    """A text with its translation, the explanations of its sentences, and the next best translations."""

    def __init__(
        self,
        sentences: Sequence[ToldSentence],
        *,
        source: str = "",
        text: str = "",
        nbest: Sequence[Candidate] = (),
        legend: bool = True,
        further: Sequence[str] = (),
        confidence: Sequence[Sequence[float]] = (),
    ) -> None:
        self.source = source or " ".join(word for each in sentences for word in shown(each.protected, each.source))
        self.text = text or " ".join(word for each in sentences for word in shown(each.protected, each.target))
        self.sentences = [SentenceExplanation(each) for each in sentences]
        self.nbest, self.legend = list(nbest), legend
        self.further = tuple(further)
        """What else a page says of each sentence, as HTML."""
        self.confidence = [float(chance) for sentence in confidence for chance in sentence]
        """How likely each word is right, of a model that knows how sure it is."""

    @property
    def words(self) -> list[str]:
        """What was written, word by word, as confidence sees it."""
        told = (each.sentence for each in self.sentences)
        return [word for sentence in told for word in shown(sentence.protected, sentence.target)]

    @property
    def score(self) -> float:
        """Model score of the whole text."""
        return sum(each.sentence.score for each in self.sentences)

    @cached_property
    def concerns(self) -> dict[Concern, list[str]]:
        """All concerns that were met, each with its families of features."""
        weighty = (name for each in self.sentences for name in each.sentence.features if each.sentence.weights[name])
        return met_concerns(weighty)
