"""Why a translation came about, for people: the phrases, what each concern added to the score, what else was possible.

An explanation shows itself: in a terminal of 80 columns or more, as text when it is printed, in a notebook, and as a
page that stands alone (`save`). The numbers are the model's own: weight times value of each feature, gathered by
concern; they add up to the score.
"""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from dragoman.errors import SettingError
from dragoman.files import writing
from dragoman.search.explanation_page import fragment, page
from dragoman.search.picture import translation_svg
from dragoman.search.sentence_explanation import ExplainedText
from dragoman.search.source_tree import LEGEND, has_source_tree, rule_spans, source_tree_lines
from dragoman.search.synchronous_tree import is_hierarchical, tree_lines
from dragoman.search.told_sentence import ToldSentence, shown

if TYPE_CHECKING:
    from rich.console import Group, RenderableType

__all__ = ["Explanation"]

WIDTH = 80
"""Columns of a printed explanation."""


def beside_source_tree(sentence: ToldSentence, derived: str) -> RenderableType:
    """The phrases of the source, and beside them the rules of a derivation."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    assert sentence.annotation is not None, "there is a tree"
    both = Table.grid(padding=(0, 4, 0, 0))
    for _ in range(2):
        both.add_column(overflow="fold")
    rules = derived or "\n".join(
        f"{' '.join(shown(sentence.protected, each.source))} → {' '.join(shown(sentence.protected, each.target))}"
        for each in sentence.phrases
    )
    both.add_row(Text("\n".join(source_tree_lines(sentence.annotation, rule_spans(sentence)))), Text(rules))
    return Group(Text(LEGEND, style="dim"), both)


class Explanation(ExplainedText):
    """How a text was translated: raw text, phrases with their scores by concern, and the next best translations."""

    def __rich__(self) -> Group:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        texts = Table.grid(padding=(0, 2, 0, 0))
        texts.add_column(style="dim")
        texts.add_column(overflow="fold")
        texts.add_row("source", Text(self.source))
        texts.add_row("translation", Text(self.text, style="bold"))
        parts: list[RenderableType] = [texts]
        for each in self.sentences:
            derived = "\n".join(tree_lines(each.sentence)) if is_hierarchical(each.sentence) else ""
            if has_source_tree(each.sentence):
                parts += [Text(), beside_source_tree(each.sentence, derived)]
            elif derived:
                parts += [Text(), Text(derived)]
            parts += [Text(), each.table()]
        if self.confidence:
            sure = "  ".join(f"{word} {chance:.2f}" for word, chance in zip(self.words, self.confidence, strict=True))
            parts.append(Text(f"\nconfidence {fmean(self.confidence):.2f}: {sure}"))
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
        # A console that knew of a notebook would show the text there and give none back.
        plain = Console(file=page, width=WIDTH, color_system=None, legacy_windows=False, force_jupyter=False)
        plain.print(self)
        return "\n".join(line.rstrip() for line in page.getvalue().splitlines())

    def __repr__(self) -> str:
        return f"Explanation({self.text!r}, score={self.score:.3f})"

    def _repr_html_(self) -> str:
        return fragment(self)

    def save(self, path: Path | str) -> None:
        """Write a picture: `.svg` (of one sentence), or an `.html` page with all of it."""
        path = Path(path)
        if path.suffix not in (".svg", ".html"):
            raise SettingError(f"a picture called {path.name}", remedy="name it .svg or .html")
        if path.suffix == ".svg" and len(self.sentences) != 1:
            raise SettingError(
                f"{len(self.sentences)} sentences in one SVG picture", remedy="name it .html, or give one"
            )
        with writing(path) as file:
            file.write(translation_svg(self.sentences[0].sentence) if path.suffix == ".svg" else page(self))
