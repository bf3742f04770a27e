"""A judgement with its reasons, as data and as people read them: the answer, links, features that spoke, the proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dragoman.entailment.decision_features import DecisionFeatures
from dragoman.entailment.graph_alignment import GraphAlignment
from dragoman.entailment.natural_logic import LogicProof

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

__all__ = ["EntailmentJudgement"]


@dataclass(frozen=True)
class EntailmentJudgement:
    """An answer with everything it rests on."""

    id: str
    answer: bool
    probability: float
    """Of yes."""
    score: float
    alignment: GraphAlignment
    features: DecisionFeatures
    contributions: dict[str, float]
    """What each feature, the bias and the prover added to the score."""
    proof: LogicProof

    @property
    def confidence(self) -> float:
        """How sure the answer is, from 0.5 to 1."""
        return max(self.probability, 1 - self.probability)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        nodes, places = self.alignment.hypothesis.nodes, self.alignment.text.nodes
        return {
            "id": self.id,
            "answer": "yes" if self.answer else "no",
            "probability": self.probability,
            "score": self.score,
            "alignment": {
                "score": self.alignment.score,
                "mean": self.alignment.mean,
                "links": [
                    {
                        "hypothesis": nodes[node].word,
                        "text": places[place].word,
                        "relation": self.alignment.relation(node).kind,
                        "similarity": self.alignment.relation(node).similarity,
                    }
                    for node, place in sorted(self.alignment.links)
                ],
            },
            "features": [
                {"feature": name, "value": value, "adds": self.contributions.get(name, 0.0), "reason": reason}
                for name, value, reason in self.features.fired()
            ],
            "proof": {
                "answer": "yes" if self.proof.answer else "no",
                "relation": self.proof.relation,
                "edits": [
                    {
                        "edit": edit.kind, "text": edit.text, "hypothesis": edit.hypothesis, "context": edit.context,
                        "relation": edit.relation, "joined": joined, "reason": edit.why,
                    }
                    for edit, joined in self.proof.trace()
                ],
            },
        }  # fmt: skip

    def __rich__(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        head = Text.assemble(
            ("yes" if self.answer else "no", "bold"),
            f", the hypothesis {'follows' if self.answer else 'does not follow'} ",
            f"(confidence {self.confidence:.2f})",
        )
        return Group(head, self._links(), self._speaking(), self._proved())

    def _links(self) -> Table:
        from rich.table import Table

        alignment = self.alignment
        table = Table(title=f"alignment, mean score {alignment.mean:.3f}", title_justify="left", box=None)
        for name in ("hypothesis", "text", "because", "alike"):
            table.add_column(name, justify="right" if name == "alike" else "left")
        for node in alignment.hypothesis:
            place = alignment.place(node.index)
            relation = alignment.relation(node.index)
            if place is None:
                table.add_row(node.word, "-", "nothing stands for it", "")
            else:
                table.add_row(node.word, alignment.text.nodes[place].word, relation.kind, f"{relation.similarity:.2f}")
        return table

    def _speaking(self) -> Table:
        from rich.table import Table

        table = Table(title="what speaks for and against", title_justify="left", box=None)
        table.add_column("adds", justify="right")
        table.add_column("feature")
        table.add_column("seen")
        for name, adds in sorted(self.contributions.items(), key=lambda each: -abs(each[1])):
            if abs(adds) >= 0.005:
                table.add_row(f"{adds:+.2f}", name, self.features.reasons.get(name, ""))
        return table

    def _proved(self) -> Table:
        from rich.table import Table

        table = Table(title=f"natural logic: {'yes' if self.proof.answer else 'no'}", title_justify="left", box=None)
        for name in ("edit", "relation", "so far", "why"):
            table.add_column(name)
        for edit, joined in self.proof.trace():
            words = {"DEL": edit.text, "INS": edit.hypothesis}.get(edit.kind, f"{edit.text} -> {edit.hypothesis}")
            context = {1: "", -1: ", downward context", 0: ", context of neither kind"}[edit.context]
            table.add_row(f"{edit.kind} {words}", edit.relation, joined, edit.why + context)
        if not self.proof.edits:
            table.add_row("nothing is changed", "=", "=", "")
        return table
