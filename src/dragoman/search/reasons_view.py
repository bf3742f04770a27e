"""Reasons for people: as text for the terminal, and as a piece of a page."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from dragoman.grammar.provenance import Witness

if TYPE_CHECKING:
    from rich.console import RenderableType

    from dragoman.search.reasons import Reason, Reasons

__all__ = ["reasons_html", "reasons_text"]


def _head(reason: Reason) -> str:
    return f"{' '.join(reason.phrase.source)} → {' '.join(reason.phrase.target) or '(nothing)'}"


def _chances(reason: Reason) -> str:
    return " ".join(
        f"{word} {chance:.2f}" for word, chance in zip(reason.phrase.target, reason.posteriors, strict=False)
    )


def _runner_up(reason: Reason) -> str:
    found = reason.runner_up
    if found is None:
        return "nothing else was left in the search"
    return f"{' '.join(found.source)} → {' '.join(found.target) or '(nothing)'}, {found.why}"


def _searched(reasons: Reasons) -> str:
    count = reasons.derivations
    shown = f"{count:,}" if count < 10**9 else f"about 10^{len(str(count)) - 1}"
    return f"search kept {reasons.nodes:,} nodes, {reasons.edges:,} edges, {shown} derivations"


def _taught(witness: Witness) -> str:
    return f"line {witness.line}: {witness.source} ||| {witness.target}"


def reasons_text(reasons: Reasons) -> RenderableType:
    """Phrase by phrase, one fact a line."""
    from rich.console import Group
    from rich.text import Text

    lines = []
    for reason in reasons.phrases:
        lines.append(Text(_head(reason), style="bold"))
        facts = [("found in", _chances(reason)), ("runner-up", _runner_up(reason))]
        if reason.times:
            facts.append(("seen", f"{reason.times:g} times"))
        facts += [("taught by", _taught(witness)) for witness in reason.taught_by]
        for name, fact in facts:
            if fact:
                lines.append(Text.assemble("  ", (f"{name:10}", "dim"), fact))
    lines.append(Text(_searched(reasons), style="dim"))
    return Group(*lines)


def reasons_html(reasons: Reasons) -> str:
    """The same as a list; a click opens what lies behind a phrase."""

    def item(name: str, fact: str) -> str:
        return f"<dt>{html.escape(name)}</dt><dd>{html.escape(fact)}</dd>"

    parts = []
    for reason in reasons.phrases:
        facts = [item("found in", _chances(reason)), item("runner-up", _runner_up(reason))]
        if reason.runner_up is not None:
            facts.append(item("the whole of it", f"{reason.runner_up.text} ({reason.runner_up.score:.3f})"))
        facts.append(
            item("features", ", ".join(f"{name} {value:.3g}" for name, value in sorted(reason.phrase.features.items())))
        )
        if reason.times:
            facts.append(item("seen", f"{reason.times:g} times"))
        facts += [item("taught by", _taught(witness)) for witness in reason.taught_by]
        parts.append(
            f"<details><summary>{html.escape(_head(reason))} ({reason.phrase.score:.2f})</summary>"
            f"<dl>{''.join(facts)}</dl></details>"
        )
    return f'<div class="reasons">{"".join(parts)}<p>{html.escape(_searched(reasons))}</p></div>'
