"""An explanation as HTML: something to show to a colleague.

A page is complete in itself, without scripts, and readable on light and dark screens; what else a phrase might have
been appears when the pointer, or the keyboard, rests on it. All words are escaped.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from html import escape
from statistics import fmean

from dragoman.search.concerns import meaning_of
from dragoman.search.picture import phrase_colour, translation_svg
from dragoman.search.sentence_explanation import ExplainedText, PhraseRow, SentenceExplanation
from dragoman.search.source_tree import LEGEND, has_source_tree, rule_spans, source_tree_lines, source_tree_svg

__all__ = ["fragment", "page"]

STYLE = """
.dm{--ink:#1d2433;--soft:#5b6577;--line:#dfe3ea;--back:#fff;--card:#f6f7f9;--good:31,139,87;--bad:200,70,50;
color:var(--ink);background:var(--back);font:15px/1.5 system-ui,sans-serif;padding:1rem;border-radius:8px;
max-width:64rem;color-scheme:light dark}
@media(prefers-color-scheme:dark){.dm{--ink:#e8eaee;--soft:#9aa5b5;--line:#313947;--back:#14181f;--card:#1c222c;
--good:70,190,130;--bad:235,110,90}}
.dm h3{font-size:.8rem;font-weight:600;letter-spacing:.04em;text-transform:uppercase;color:var(--soft);
margin:1.6rem 0 .5rem}
.dm .texts{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;background:var(--card);
padding:.8rem 1rem;border-radius:6px}
.dm .texts dt{color:var(--soft)}.dm .texts dd{margin:0}.dm .texts dd:last-of-type{font-weight:600}
.dm .wide{overflow-x:auto;overflow-y:hidden}
.dm details{color:var(--soft);font-size:.85rem}.dm pre.tree{color:var(--ink);white-space:pre-wrap}
.dm svg{display:block;margin:.5rem auto;max-width:none}
.dm .chips{display:flex;flex-wrap:wrap;gap:.4rem;margin:.5rem 0;position:relative}
.dm .hint{color:var(--soft);font-size:.85rem;margin:.2rem 0 1rem}
.dm .chip{position:relative;border:1px solid var(--c);border-radius:5px;padding:.1rem .5rem;cursor:default}
.dm .chip small{display:block;color:var(--soft);font-size:.75rem}
.dm .chip.more{border-bottom-width:3px;cursor:help}
.dm .tip{display:none;position:absolute;left:0;top:100%;z-index:5;min-width:15rem;background:var(--back);
border:1px solid var(--line);border-radius:6px;box-shadow:0 6px 18px #0003;padding:.6rem .8rem;font-size:.85rem}
.dm .chip:hover .tip,.dm .chip:focus .tip{display:block}
@media(max-width:40rem){.dm .chip{position:static}.dm .tip{right:0}}
.dm .tip div{display:flex;justify-content:space-between;gap:1rem}.dm .tip i{color:var(--soft);font-style:normal}
.dm table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9rem}
.dm td,.dm th{padding:.2rem .6rem;text-align:right;border-bottom:1px solid var(--line);color:var(--ink)}
.dm tr{background:none}
.dm th{font-weight:600;color:var(--soft)}.dm th[title]{text-decoration:underline dotted;cursor:help}
.dm td:nth-child(-n+2),.dm th:nth-child(-n+2){text-align:left}
.dm tr.sum td{font-weight:600;border-bottom:none}
.dm .sure{display:flex;flex-wrap:wrap;gap:.3rem;margin:.5rem 0}.dm .sure span{border-radius:3px;padding:0 .3rem}
.dm .sure small{display:block;color:var(--soft);font-size:.75rem}
.dm ol{list-style:none;padding:0;margin:0}.dm ol li{display:grid;grid-template-columns:4rem 1fr;gap:.8rem}
.dm ol i{font-style:normal;color:var(--soft);text-align:right}
.dm mark{background:rgba(var(--bad),.18);color:inherit;border-radius:3px;padding:0 .15rem}
.dm .legend dt{font-weight:600;margin-top:.5rem}.dm .legend dd{margin:0;color:var(--soft)}
.dm .legend dd b{font-weight:500;color:var(--ink)}
"""


def page(explanation: ExplainedText) -> str:
    """A page that stands alone."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(explanation.text)}</title><style>html{{color-scheme:light dark}}body{{margin:0 auto;"
        "max-width:66rem}@media(prefers-color-scheme:dark){body{background:#14181f}}</style></head><body>"
        f"{fragment(explanation)}</body></html>\n"
    )


def fragment(explanation: ExplainedText) -> str:
    """The part of a page, for notebooks and other pages; it brings its own colours."""
    parts = [
        f'<style>{STYLE}</style><div class="dm"><dl class="texts"><dt>source</dt><dd>{escape(explanation.source)}</dd>'
        f"<dt>translation</dt><dd>{escape(explanation.text)}</dd></dl>"
    ]
    for number, sentence in enumerate(explanation.sentences, 1):
        if len(explanation.sentences) > 1:
            parts.append(f"<h3>Sentence {number}</h3>")
        parts += [_source_tree(sentence), _picture(sentence), _chips(sentence.rows), _table(sentence)]
        parts += [f'<div class="wide">{each}</div>' for each in explanation.further[number - 1 : number]]
    if explanation.confidence:
        parts.append(_confidence(explanation))
    if len(explanation.nbest) > 1:
        best = explanation.nbest[0]
        lines = "".join(
            f"<li><i>{each.score - best.score:.2f}</i><span>{_changes(best.text, each.text)}</span></li>"
            for each in explanation.nbest[1:]
        )
        parts.append(f"<h3>Next best, and how much less they score</h3><ol>{lines}</ol>")
    if explanation.legend:
        parts.append(_legend(explanation))
    return "".join([*parts, "</div>"])


def _source_tree(sentence: SentenceExplanation) -> str:
    """The tree of the source above the picture of the derivation, and what rules did to its phrases."""
    told = sentence.sentence
    if told.annotation is None or not has_source_tree(told):
        return ""
    lines = escape("\n".join(source_tree_lines(told.annotation, rule_spans(told))))
    return (
        f'<div class="wide">{source_tree_svg(told.annotation)}</div>'
        f'<details><summary>{escape(LEGEND)}</summary><pre class="tree">{lines}</pre></details>'
    )


def _picture(sentence: SentenceExplanation) -> str:
    return f'<div class="wide">{translation_svg(sentence.sentence)}</div>'


def _chips(rows: Sequence[PhraseRow]) -> str:
    """The phrases in target order; those with alternatives show them when looked at."""
    chips = []
    for number, row in enumerate(row for row in rows if row.phrase is not None):
        tip = ""
        if row.alternatives:
            others = "".join(
                f"<div><span>{escape(text)}</span><i>{-gap:+.2f}</i></div>" for text, gap in row.alternatives
            )
            tip = f'<span class="tip" role="tooltip"><i>other good translations have</i>{others}</span>'
        kind = ' class="chip more" tabindex="0"' if tip else ' class="chip"'
        chips.append(
            f'<span{kind} style="--c:{phrase_colour(number)}">{escape(row.target)}'
            f"<small>{escape(row.source)}</small>{tip}</span>"
        )
    hint = "Rest on a phrase with a thick line: what other good translations have in its place, and what they lose."
    shown = f'<p class="hint">{hint}</p>' if any(row.alternatives for row in rows) else ""
    return f'<div class="chips">{"".join(chips)}</div>{shown}'


def _table(sentence: SentenceExplanation) -> str:
    heads = "".join(f'<th title="{escape(concern.question)}">{concern.name}</th>' for concern in sentence.concerns)
    most = max((abs(value) for row in sentence.rows for value in row.values), default=1.0) or 1.0

    def cell(value: float) -> str:
        colour = "good" if value > 0 else "bad"
        shade = f' style="background:rgba(var(--{colour}),{0.35 * abs(value) / most:.2f})"' if abs(value) > 5e-3 else ""
        return f"<td{shade}>{value:.2f}</td>"

    lines = [
        f"<tr><td>{escape(row.source)}</td><td>{escape(row.target)}</td>{''.join(map(cell, row.values))}"
        f"<td>{row.total:.2f}</td></tr>"
        for row in sentence.rows
    ]
    sums = "".join(f"<td>{value:.2f}</td>" for value in (*sentence.totals, sum(sentence.totals)))
    return (
        f'<div class="wide"><table><tr><th>source</th><th>target</th>{heads}<th>total</th></tr>{"".join(lines)}'
        f'<tr class="sum"><td></td><td>total</td>{sums}</tr></table></div>'
    )


def _confidence(explanation: ExplainedText) -> str:
    """Each word with how likely it is right; the less, the darker."""
    words = " ".join(
        f'<span style="background:rgba(var(--bad),{0.5 * (1 - chance):.2f})">{escape(word)}<small>{chance:.2f}</small>'
        "</span>"
        for word, chance in zip(explanation.words, explanation.confidence, strict=True)
    )
    return f'<h3>How sure it is: {fmean(explanation.confidence):.2f}</h3><p class="sure">{words}</p>'


def _changes(best: str, other: str) -> str:
    """A text with the words marked that are not those of the best one."""
    old, new = best.split(), other.split()
    parts = []
    for kind, _, _, start, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        words = escape(" ".join(new[start:end]))
        if words:
            parts.append(words if kind == "equal" else f"<mark>{words}</mark>")
    return " ".join(parts)


def _legend(explanation: ExplainedText) -> str:
    terms = []
    for concern, families in explanation.concerns.items():
        meanings = "".join(f"<dd><b>{escape(each)}</b>: {escape(meaning_of(each))}</dd>" for each in families)
        terms.append(f"<dt>{concern.name} – {escape(concern.question)}</dt>{meanings}")
    return (
        "<h3>What the numbers mean</h3><p>Each is the value of some features times what tuning learned that they are "
        "worth. They add up to the score of the translation, and the translation with the highest score won.</p>"
        f'<dl class="legend">{"".join(terms)}</dl>'
    )
