"""What `--help` says of commands: whole sentences, and in the program's own help by what people want to do."""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperGroup

__all__ = ["SECTIONS", "Overview", "tell_in_whole"]

SECTIONS = {
    "Begin": ("demo", "corpus", "synth", "train", "translate", "explain", "score", "info", "list"),
    "Use a model": ("serve", "translate-file", "learn", "rules", "compact", "confidence", "simulate-interactive"),
    "Measure": ("compare", "gains", "correlate", "assess", "search-errors", "verify-certificate"),
    "Tune and combine": ("tune", "tune-lists", "rescore", "combine"),
    "Work on parts": ("text", "align", "lm", "extract", "table", "decode", "export-moses", "joint", "forest"),
    "Meaning and syntax": (
        *("paraphrase", "oov", "substitute", "profiles", "vectors", "similarity", "entail", "annotate", "functions"),
    ),
}
"""All commands, by what somebody wants who does not know their names."""


class Overview(TyperGroup):
    """The program, whose help shows commands in sections."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        width = max(len(name) for name in self.commands)
        for title, names in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [
                        (name.ljust(width), self.commands[name].get_short_help_str())
                        for name in names
                        if name in self.commands
                    ]
                )


def tell_in_whole(command: Any) -> None:
    """Let lists of commands show the first sentence of each, folded where it is long instead of cut off."""
    for each in getattr(command, "commands", {}).values():
        paragraph = " ".join((each.help or "").partition("\n\n")[0].split())
        each.short_help = re.split(r"(?<=\.)\s", paragraph)[0].removesuffix(".")
        tell_in_whole(each)
