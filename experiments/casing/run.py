"""Are there capitals inside of sentences that neither the source nor the language asks for?

    python experiments/casing/run.py --before ../old/.venv/bin/python

Package descriptions of Debian, which are full of options, paths, names and acronyms, are translated from English by the
default recipe trained on 10,000 of them, without tuning, as case has nothing to do with weights: by the code of 15
November 2026 (commit d27068eb) and by this one. A word of a translation is *inside* if another stands before it in its
sentence; it is *asked for* as it is written if the source segment has it in that form, or the training text of the
target language has it so inside of a sentence. Counted are words inside with a capital, those of them not asked for,
words whose capitals differ from those of the same word in the source though nothing asks for them (`changed`), and
segments with a word of either kind (`bad segments`). `p` is that of McNemar's test over segments.

`--before` is the Python of a virtual environment in which the old code was built; `--cache` keeps what it and this one
gave. With `--small` a synthetic bitext stands in.
"""

from __future__ import annotations

import math
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.cache import StageCache
from dragoman.evaluation.contingency import mcnemar
from experiments.before_after.run import OLD, trained
from experiments.common import TRAINING_ROOMS, Claim, Table, arguments, dot_plot, grid, publish, remembered
from experiments.recipes import texts

WORD = re.compile(r"[^\W\d_]+")
RECIPE = {"aligner": "fast", "tuner": "none", "templates": []}


def words(segment: str) -> Iterator[tuple[str, bool]]:
    """Words of letters, and whether each is inside of a sentence."""
    end = 0
    for number, found in enumerate(WORD.finditer(segment)):
        between = segment[end : found.start()]
        yield found.group(), number > 0 and not re.search(r"[.:?!…]\s|[\"'“„«(\[*•-]", between)
        end = found.end()


def forms_inside(segments: Sequence[str]) -> frozenset[str]:
    """The forms that a language has inside of sentences."""
    return frozenset(word for segment in segments for word, inside in words(segment) if inside)


def unasked(source: str, output: str, known: frozenset[str]) -> tuple[int, int, int]:
    """Words inside with a capital, those that nothing asks for, and words of the source whose capitals changed."""
    theirs = {word for word, _ in words(source)}
    lower = {word.lower() for word in theirs}
    capitals = wrong = changed = 0
    for word, inside in words(output):
        if inside:
            asked = word in theirs or word in known
            capitals += word != word.lower()
            wrong += word != word.lower() and not asked
            changed += not asked and word.lower() in lower
    return capitals, wrong, changed


def main() -> None:
    options = arguments(
        __doc__,
        out="docs/experiments/casing",
        small=False,
        before="",
        pairs=10_000,
        sets="debian en-de;debian en-fr",
        cache="",
    )
    pythons = {"before": options.before or sys.executable, "now": sys.executable}
    bad: dict[tuple[str, str], list[bool]] = {}
    with tempfile.TemporaryDirectory() as place:
        cache = StageCache(options.cache or Path(place) / "cache")

        def cell(set: str, code: str) -> Mapping[str, Any]:  # noqa: A002 - as the column is called
            parts = {
                name: (a[: options.pairs], b[: options.pairs]) for name, (a, b) in texts(set, options.small).items()
            }

            def work() -> dict[str, Any]:
                return trained(pythons[code], parts, set.split()[1].split("-"), RECIPE)

            settings = {"set": set, "small": options.small, "pairs": options.pairs, "recipe": RECIPE}
            rooms = TRAINING_ROOMS if code == "now" or not options.before else ()
            settings["code"] = OLD if code == "before" else "this"
            outputs = remembered(cache, "casing", settings, work, rooms=rooms)["outputs"]
            known = forms_inside(parts["train"][1])
            counts = [unasked(source, output, known) for source, output in zip(parts["test"][0], outputs, strict=True)]
            bad[set, code] = [bool(wrong or changed) for _, wrong, changed in counts]
            capitals, wrong, changed = map(sum, zip(*counts, strict=True))
            return {
                "segments": len(counts),
                "capitals inside": capitals,
                "not asked for": wrong,
                "per 1,000": round(1000 * wrong / max(1, capitals), 2),
                "changed": changed,
                "bad segments": sum(bad[set, code]),
                "p": mcnemar(bad[set, code], bad[set, "before"]) if code == "now" else math.nan,
            }

        names = [name.strip() for name in options.sets.split(";")]
        table = grid(cell, set=names, code=list(pythons))
    claims = [claim for name in names for claim in claims_about(name)]
    plot = dot_plot(table, label=lambda row: f"{row['set']}, {row['code']}", figure="per 1,000")
    settings = {name: value for name, value in vars(options).items() if name != "before"}
    publish(
        "Capitals inside", __doc__, {"": (table, claims)}, pictures={"plot": plot}, out=options.out, settings=settings
    )


def claims_about(name: str) -> list[Claim]:
    def none(table: Table) -> bool:
        return bool(table.where(set=name, code="now")[0]["not asked for"] == 0)

    def fewer(table: Table) -> bool:
        before, now = (table.where(set=name, code=code)[0] for code in ("before", "now"))
        return bool(now["bad segments"] < before["bad segments"] and now["p"] < 0.05)

    return [
        Claim(f"{name}: no capital inside of a sentence that neither source nor language asks for", none),
        Claim(f"{name}: significantly fewer segments are wrong than before", fewer),
    ]


if __name__ == "__main__":
    main()
