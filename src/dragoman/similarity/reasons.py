"""Why two texts got a score: the words that match, the roles that were kept, and the features that decided.

A number alone cannot be argued with. Every scorer gives reasons in this one form, whatever it looked at; what it did
not look at stays empty. Reasons show themselves in a terminal, as JSON, and as a page that is complete in itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from dragoman.align.monolingual import MonolingualAlignment
from dragoman.align.word_rows import RowLink, draw_word_rows
from dragoman.drawing import Drawing
from dragoman.metrics.base import SegmentReasons
from dragoman.metrics.role_matching import RoleMatch

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["Contribution", "PairReasons", "reasons_page"]


@dataclass(frozen=True, slots=True)
class Contribution:
    """A feature of the pair, its value, and how much of the score is due to it, where that can be said."""

    name: str
    value: float
    share: float | None = None


@dataclass(frozen=True)
class PairReasons:
    """Why a scorer gave a pair its score."""

    scorer: str
    score: float
    first: tuple[str, ...]
    second: tuple[str, ...]
    alignment: MonolingualAlignment | None = None
    features: tuple[Contribution, ...] = ()
    roles: tuple[RoleMatch, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.alignment is not None:
            self.alignment.check(len(self.first), len(self.second))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        plain: dict[str, Any] = {
            "scorer": self.scorer,
            "score": self.score,
            "first": list(self.first),
            "second": list(self.second),
        }
        if self.alignment is not None:
            plain["alignment"] = self.alignment.to_dict()
        if self.features:
            plain["features"] = [
                {"name": each.name, "value": each.value, **({} if each.share is None else {"share": each.share})}
                for each in self.features
            ]
        if self.roles:
            plain["roles"] = [each.to_dict() for each in self.roles]
        return plain if not self.notes else {**plain, "notes": list(self.notes)}

    def strongest(self, limit: int = 12) -> list[Contribution]:
        """The features that moved the score most; in their own order where no shares are known."""
        if all(each.share is None for each in self.features):
            return list(self.features[:limit])
        return sorted(self.features, key=lambda each: -abs(each.share or 0.0))[:limit]

    def drawing(self) -> Drawing:
        """The two texts, one above the other, with a line for each match, coloured by its reason."""
        return draw_word_rows(
            self.first,
            self.second,
            [
                RowLink((match.first, match.first + 1), (match.second, match.second + 1), match.reason, match.score)
                for match in self.alignment or ()
            ],
        )

    def __rich__(self) -> RenderableType:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        parts: list[RenderableType] = [Text(f"{self.scorer}: {self.score:.4f}", style="bold")]
        parts += [Text(" ".join(words)) for words in (self.first, self.second)]
        if self.alignment is not None:
            table = Table("first", "second", "score", "because", box=None, pad_edge=False)
            for match in self.alignment:
                words = Text(self.first[match.first]), Text(self.second[match.second])
                table.add_row(*words, f"{match.score:.2f}", Text(match.reason))
            lonely = [
                f"{side}: " + " ".join(word for at, word in enumerate(words) if at not in self.alignment.positions(k))
                for k, (side, words) in enumerate(
                    (("only in the first", self.first), ("only in the second", self.second))
                )
            ]
            parts += [table, *(Text(each, style="dim") for each in lonely)]
        if self.roles:
            table = Table("predicates", "role", "first", "second", "score", box=None, pad_edge=False)
            for role in self.roles:
                cells = (f"{role.first_predicate} = {role.second_predicate} ({role.reason})", role.role)
                table.add_row(*map(Text, cells), Text(role.first), Text(role.second), f"{role.score:.2f}")
            parts.append(table)
        if self.features:
            table = Table("feature", "value", "share of the score", box=None, pad_edge=False)
            for each in self.strongest():
                table.add_row(Text(each.name), f"{each.value:.4f}", "" if each.share is None else f"{each.share:+.4f}")
            parts.append(table)
        parts += [Text(note, style="dim") for note in self.notes]
        return Group(*parts)

    def _repr_html_(self) -> str:
        return self.html_part()

    def html_part(self) -> str:
        """A section of a page."""
        out = [f"<section><h2>{escape(self.scorer)}: {self.score:.4f}</h2>"]
        if self.alignment is not None:
            out.append(f'<figure class="wide">{self.drawing().svg()}</figure>')
        else:
            out += [f"<p>{escape(' '.join(words))}</p>" for words in (self.first, self.second)]
        if self.roles:
            rows = "".join(
                f"<tr><td>{escape(each.first_predicate)} = {escape(each.second_predicate)} ({escape(each.reason)})</td>"
                f"<td>{escape(each.role)}</td><td>{escape(each.first)}</td><td>{escape(each.second)}</td>"
                f"<td>{each.score:.2f}</td></tr>"
                for each in self.roles
            )
            head = "<tr><th>predicates</th><th>role</th><th>first</th><th>second</th><th>score</th></tr>"
            out.append(f"<table>{head}{rows}</table>")
        if self.features:
            rows = "".join(
                f"<tr><td>{escape(each.name)}</td><td>{each.value:.4f}</td>"
                f"<td>{'' if each.share is None else f'{each.share:+.4f}'}</td></tr>"
                for each in self.strongest()
            )
            out.append(f"<table><tr><th>feature</th><th>value</th><th>share of the score</th></tr>{rows}</table>")
        out += [f"<p><small>{escape(note)}</small></p>" for note in self.notes]
        return "".join([*out, "</section>"])


def reasons_page(reasons: Sequence[SegmentReasons], *, title: str = "Similarity with reasons") -> str:
    """A page that stands alone: no scripts, nothing loaded, all words escaped."""
    style = (
        "body{font:15px/1.5 system-ui,sans-serif;max-width:66rem;margin:1rem auto;padding:0 1rem;color:#1d2433;"
        "background:#fff}table{border-collapse:collapse;margin:.5rem 0}td,th{padding:.2rem .6rem;text-align:left;"
        "border-bottom:1px solid #dfe3ea}.wide{overflow-x:auto;margin:0}section{margin-bottom:2rem}"
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body><h1>{escape(title)}</h1>"
        f"{''.join(each.html_part() for each in reasons)}</body></html>\n"
    )
