"""Entailment in both directions: does the second follow from the first, the first from the second, both, or neither?

Two texts that entail each other say the same; if only one does, it says more. So both directions together are a
measure of similarity, of adequacy (what a translation lost, what it added), and of which of two versions says more.
A text of several sentences follows if each of its sentences does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from dragoman.annotations.sentence import Sentence
from dragoman.entailment.entailer import Entailer
from dragoman.entailment.judgement import EntailmentJudgement
from dragoman.entailment.pairs import AnnotatedPair
from dragoman.entailment.picture import draw_alignment

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["LABELS", "BothDirections", "judge_both", "label_of"]

LABELS = ("bidirectional", "forward", "backward", "no_entailment")
"""What two decisions make, as the shared tasks on entailment across languages call it."""


def label_of(forward: bool, backward: bool) -> str:
    """The label that two decisions make."""
    if forward:
        return "bidirectional" if backward else "forward"
    return "backward" if backward else "no_entailment"


@dataclass(frozen=True)
class BothDirections:
    """The judgement of each sentence of the second text by the first, and of each of the first by the second."""

    forward: tuple[EntailmentJudgement, ...]
    backward: tuple[EntailmentJudgement, ...]

    @property
    def probabilities(self) -> tuple[float, float]:
        """How probable it is that all of the second follows from the first, and the other way round."""
        return min(each.probability for each in self.forward), min(each.probability for each in self.backward)

    @property
    def label(self) -> str:
        """One of `LABELS`."""
        return label_of(all(each.answer for each in self.forward), all(each.answer for each in self.backward))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        forward, backward = self.probabilities
        return {
            "label": self.label,
            "probabilities": {"forward": forward, "backward": backward},
            "forward": [each.to_dict() for each in self.forward],
            "backward": [each.to_dict() for each in self.backward],
        }

    def __rich__(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        parts: list[RenderableType] = [Text(self.label, style="bold")]
        for name, judged in (("forward", self.forward), ("backward", self.backward)):
            parts += [Text(f"\n{name}", style="bold"), *judged]
        return Group(*parts)

    def html_part(self) -> str:
        """A section of a page: both alignments, drawn, and the features that spoke."""
        forward, backward = self.probabilities
        out = [f"<section><h2>{self.label}: forward {forward:.4f}, backward {backward:.4f}</h2>"]
        for name, judged in (("forward", self.forward), ("backward", self.backward)):
            for each in judged:
                out.append(f'<h3>{name}</h3><figure class="wide">{draw_alignment(each.alignment).svg()}</figure>')
                rows = "".join(
                    f"<tr><td>{escape(feature)}</td><td>{adds:+.2f}</td>"
                    f"<td>{escape(each.features.reasons.get(feature, ''))}</td></tr>"
                    for feature, adds in sorted(each.contributions.items(), key=lambda found: -abs(found[1]))
                    if abs(adds) >= 0.005
                )
                out.append(f"<table><tr><th>feature</th><th>adds</th><th>seen</th></tr>{rows}</table>")
        return "".join([*out, "</section>"])


def judge_both(
    entailer: Entailer, first: Sequence[Sentence], second: Sequence[Sentence], *, name: str = "1"
) -> BothDirections:
    """Judge annotated texts in both directions."""
    found = [
        tuple(entailer.judge(AnnotatedPair(name, tuple(text), sentence)) for sentence in hypotheses)
        for text, hypotheses in ((first, second), (second, first))
    ]
    return BothDirections(found[0], found[1])
