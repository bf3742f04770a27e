"""Reasons for a judgement, as people read them: the answer, the links, the features that spoke, the proof."""

from __future__ import annotations

from rich.console import Group
from rich.table import Table
from rich.text import Text

from dragoman.entailment.entailer import EntailmentJudgement

__all__ = ["explain"]


def explain(judgement: EntailmentJudgement) -> Group:
    """Everything that a judgement rests on, for a terminal."""
    answer = "yes" if judgement.answer else "no"
    head = Text.assemble(
        (answer, "bold"),
        f", the hypothesis {'follows' if judgement.answer else 'does not follow'} ",
        f"(confidence {judgement.confidence:.2f})",
    )
    return Group(head, _links(judgement), _features(judgement), _proof(judgement))


def _links(judgement: EntailmentJudgement) -> Table:
    table = Table(title=f"alignment, mean score {judgement.alignment.mean:.3f}", title_justify="left", box=None)
    for name in ("hypothesis", "text", "because", "alike"):
        table.add_column(name, justify="right" if name == "alike" else "left")
    alignment = judgement.alignment
    for node in alignment.hypothesis:
        place = alignment.place(node.index)
        relation = alignment.relation(node.index)
        if place is None:
            table.add_row(node.word, "-", "nothing stands for it", "")
        else:
            table.add_row(node.word, alignment.text.nodes[place].word, relation.kind, f"{relation.similarity:.2f}")
    return table


def _features(judgement: EntailmentJudgement) -> Table:
    table = Table(title="what speaks for and against", title_justify="left", box=None)
    table.add_column("adds", justify="right")
    table.add_column("feature")
    table.add_column("seen")
    shown = sorted(judgement.contributions.items(), key=lambda each: -abs(each[1]))
    for name, adds in shown:
        if abs(adds) >= 0.005:
            table.add_row(f"{adds:+.2f}", name, judgement.features.reasons.get(name, ""))
    return table


def _proof(judgement: EntailmentJudgement) -> Table:
    proof = judgement.proof
    table = Table(title=f"natural logic: {'yes' if proof.answer else 'no'}", title_justify="left", box=None)
    for name in ("edit", "relation", "so far", "why"):
        table.add_column(name)
    for edit, joined in proof.trace():
        words = {"DEL": edit.text, "INS": edit.hypothesis}.get(edit.kind, f"{edit.text} -> {edit.hypothesis}")
        context = {1: "", -1: ", downward context", 0: ", context of neither kind"}[edit.context]
        table.add_row(f"{edit.kind} {words}", edit.relation, joined, edit.why + context)
    if not proof.edits:
        table.add_row("nothing is changed", "=", "=", "")
    return table
