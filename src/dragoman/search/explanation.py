"""Why a translation came about, for people: the phrases, what each concern added to the score, what else was possible.

An explanation shows itself: in a terminal of 80 columns or more, as text when it is printed, in a notebook, and as a
page that stands alone (`save`). The numbers are the model's own: weight times value of each feature, gathered by
concern; they add up to the score.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from dragoman.errors import SettingError
from dragoman.files import writing
from dragoman.search.concerns import Concern, concern_of, met_concerns
from dragoman.search.synchronous_tree import is_hierarchical, tree_lines
from dragoman.search.translation import Phrase, SentenceTranslation

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

    from dragoman.search.candidate import Candidate

__all__ = ["Explanation", "PhraseRow", "SentenceExplanation"]

_SEARCHED = 100
"""Of so many best translations of a sentence, alternatives to each phrase are taken."""
_PER_PHRASE = 5
"""So many alternatives to a phrase, at most."""
WIDTH = 80
"""Columns of a printed explanation."""


@dataclass(frozen=True, slots=True)
class PhraseRow:
    """A phrase, or the end of the sentence, with what each concern added to the score."""

    source: str
    target: str
    values: tuple[float, ...]
    phrase: Phrase | None = None
    alternatives: tuple[tuple[str, float], ...] = ()
    """What else stood there in other good translations, and how much less their scores are."""

    @property
    def total(self) -> float:
        return sum(self.values)


class SentenceExplanation:
    """How one sentence came about."""

    def __init__(self, sentence: SentenceTranslation) -> None:
        self.sentence = sentence
        weights = sentence.weights
        self.concerns: dict[Concern, list[str]] = met_concerns(name for name in sentence.features if weights[name])

    @cached_property
    def rows(self) -> list[PhraseRow]:
        """The phrases in target order, and the end of the sentence."""
        others = self._alternatives()
        rows = [
            PhraseRow(
                " ".join(phrase.source),
                " ".join(phrase.target) or "(nothing)",
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
                if not step.positions or any(isinstance(each, int) for each in step.target):
                    continue
                span = (step.positions[0], step.positions[-1] + 1)
                if span in own and step.target != own[span]:
                    text = " ".join(map(str, step.target)) or "(nothing)"
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


class Explanation:
    """How a text was translated: raw text, phrases with their scores by concern, and the next best translations."""

    def __init__(
        self,
        sentences: Sequence[SentenceTranslation],
        *,
        source: str = "",
        text: str = "",
        nbest: Sequence[Candidate] = (),
        legend: bool = True,
    ) -> None:
        self.source = source or " ".join(" ".join(each.source) for each in sentences)
        self.text = text or " ".join(each.text for each in sentences)
        self.sentences = [SentenceExplanation(each) for each in sentences]
        self.nbest, self.legend = list(nbest), legend

    @property
    def score(self) -> float:
        """Model score of the whole text."""
        return sum(each.sentence.score for each in self.sentences)

    @cached_property
    def concerns(self) -> dict[Concern, list[str]]:
        """All concerns that were met, each with its families of features."""
        return met_concerns(
            name
            for each in self.sentences
            for name in each.sentence.features
            if each.sentence.weights[name]
        )

    def __rich__(self) -> Group:
        from rich.console import Group
        from rich.padding import Padding
        from rich.table import Table
        from rich.text import Text

        texts = Table.grid(padding=(0, 2, 0, 0))
        texts.add_column(style="dim")
        texts.add_column(overflow="fold")
        texts.add_row("source", Text(self.source))
        texts.add_row("translation", Text(self.text, style="bold"))
        parts: list[Group | Table | Text | Padding] = [texts]
        for each in self.sentences:
            if is_hierarchical(each.sentence):
                parts += [Text(), Text("\n".join(tree_lines(each.sentence)))]
            parts += [Text(), each.table()]
        if len(self.nbest) > 1:
            others = Table.grid(padding=(0, 2, 0, 0))
            others.add_column(justify="right", no_wrap=True)
            others.add_column(overflow="fold")
            for candidate in self.nbest[1:]:
                others.add_row(f"{candidate.score - self.nbest[0].score:.2f}", Text(candidate.text))
            parts += [Text("\nnext best, and how much less they score", style="dim"), others]
        if self.legend:
            keys = Table.grid(padding=(0, 2, 0, 0))
            keys.add_column(no_wrap=True)
            keys.add_column(overflow="fold")
            for concern, families in self.concerns.items():
                keys.add_row(concern.name, f"{concern.question} ({', '.join(families)})")
            parts += [
                Text("\nnumbers are weight times value; they add up to the score, and more is better", style="dim"),
                keys,
            ]
        return Group(*parts)

    def __str__(self) -> str:
        from io import StringIO

        from rich.console import Console

        page = StringIO()
        Console(file=page, width=WIDTH, color_system=None, legacy_windows=False).print(self)
        return "\n".join(line.rstrip() for line in page.getvalue().splitlines())

    def __repr__(self) -> str:
        return f"Explanation({self.text!r}, score={self.score:.3f})"

    def _repr_html_(self) -> str:
        from dragoman.search.explanation_page import fragment

        return fragment(self)

    def save(self, path: Path | str) -> None:
        """Write a picture: `.svg` (of one sentence), or an `.html` page with all of it."""
        from dragoman.search.explanation_page import page
        from dragoman.search.picture import translation_svg

        path = Path(path)
        if path.suffix not in (".svg", ".html"):
            raise SettingError(f"a picture called {path.name}", remedy="name it .svg or .html")
        if path.suffix == ".svg" and len(self.sentences) != 1:
            raise SettingError(
                f"{len(self.sentences)} sentences in one SVG picture", remedy="name it .html, or give one"
            )
        with writing(path) as file:
            file.write(translation_svg(self.sentences[0].sentence) if path.suffix == ".svg" else page(self))
