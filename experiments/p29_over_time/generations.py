"""Two generations of this toolkit on two test sets, since outputs of the years of the study are not at hand.

All systems translate German into English and are trained on captions (Multi30k) and package descriptions (Debian)
mixed. The old one has a quarter of the text, single words and a bigram model; the new one phrases of up to seven words;
the present-day one hierarchical rules. Captions are the old test set, descriptions, which are harder, the new one. As
all systems translate both, the gain on each test set is known, and the estimate can be held against it.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import cache
from itertools import chain
from typing import Any

import numpy as np

from dragoman.assessment.analysis.assessor_quality import assess_quality
from dragoman.assessment.analysis.gains import human_gains
from dragoman.assessment.analysis.standardize import standardize
from dragoman.assessment.campaign import Campaign
from dragoman.assessment.design.pool import SystemOutput
from dragoman.assessment.design.tasks import Design, build_tasks
from dragoman.assessment.protocol import get_protocol
from dragoman.assessment.ratings import join
from dragoman.assessment.simulation.assessors import simulate
from dragoman.evaluation.longitudinal import fit, longitudinal_gain, sampled_cells
from dragoman.metrics import get_metric
from experiments.recipes import Systems, texts

SETS = {"captions": "multi30k de-en", "packages": "debian de-en"}
OLD, NEW = ("OLD", "captions"), ("NEW", "packages")
SYSTEMS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "OLD": ("debian+multi30k-quarter de-en", ("max_phrase=1", "order=2", "reordering=")),
    "NEW": ("debian+multi30k de-en", ()),
    "NOW": ("debian+multi30k de-en", ("kind=hiero",)),
}
METRICS = ("bleu", "meteor:stages=exact+stem", "chrf", "ter")
REFERENCE = 97.0
"""Quality of references in the eyes of simulated assessors."""


class Generations(Systems):
    """Systems of mixed text, so many pairs of each kind."""

    def texts(self, name: str) -> dict[str, tuple[list[str], list[str]]]:
        sizes = {"train": self.options.train // 2, "dev": self.options.dev // 2, "test": self.options.test // 2}
        if "quarter" in name:
            sizes["train"] //= 4
        kinds = [texts(each, self.small) for each in SETS.values()]
        found = {}
        for part, size in sizes.items():
            mixed = [list(zip(*kind[part], strict=True))[:size] for kind in kinds]
            pairs = list(chain(*zip(*mixed, strict=True))) if part != "test" else list(chain(*mixed))
            found[part] = [one for one, _ in pairs], [other for _, other in pairs]
        return found


@cache
def outputs(systems: Generations) -> dict[tuple[str, str], tuple[list[str], list[str]]]:
    """Outputs and references of every system on every test set."""
    found = {}
    for system, (name, recipe) in SYSTEMS.items():
        fast = ("search.pop_limit=20", "search.beam=20") if systems.small else ("search.pop_limit=100",)
        lines = systems.translations(name, [*recipe, *fast], {})["outputs"][0]
        references = systems.texts(name)["test"][1]
        half = len(references) // 2
        for test_set, part in zip(SETS, (slice(half), slice(half, None)), strict=True):
            found[system, test_set] = lines[part], references[part]
    return found


def measured(systems: Generations, metric: str) -> Mapping[str, Any]:
    """The estimated gain in a metric, beside the gains on each test set."""
    scorer = get_metric(metric)
    rows = {cell: scorer.statistics(*texts) for cell, texts in outputs(systems).items()}
    whole, drawn = sampled_cells(rows, scores=scorer.scores, samples=1000)
    whole = {cell: 100 * value for cell, value in whole.items()}
    four = [cell for cell in rows if cell[0] == "NOW" or cell in (OLD, NEW)]
    found = longitudinal_gain(
        {cell: whole[cell] for cell in four}, old=OLD, new=NEW, samples={cell: 100 * drawn[cell] for cell in four}
    )
    assert found.interval is not None
    direct = [whole["NEW", name] - whole["OLD", name] for name in SETS]
    return {
        "old on captions": whole[OLD],
        "new on packages": whole[NEW],
        "naive": found.naive,
        "difficulty": found.difficulty,
        "gain": found.gain,
        "low": found.interval[0],
        "high": found.interval[1],
        "gain on captions": direct[0],
        "gain on packages": direct[1],
    }


def judged_by_crowd(systems: Generations, scores: str) -> Mapping[str, Any]:
    """The gain as a simulated crowd sees it, for whom an output is as good as its chrF."""
    scorer = get_metric("chrf")
    texts = {cell: each for cell, each in outputs(systems).items() if cell[0] == "NOW" or cell in (OLD, NEW)}
    quality = {
        (test_set, system, at): 100 * float(value)
        for (system, test_set), (lines, references) in texts.items()
        for at, value in enumerate(scorer.sentence_scores(lines, references))
    }
    means = {
        (system, test_set): float(np.mean([quality[test_set, system, at] for at in range(len(lines))]))
        for (system, test_set), (lines, _) in texts.items()
    }
    planted = fit(means).gain("OLD", "NEW")
    pool = [
        SystemOutput(system, line, "", reference, "de", "en", test_set, at)
        for (system, test_set), (lines, references) in texts.items()
        for at, (line, reference) in enumerate(zip(lines, references, strict=True))
    ]
    protocol = get_protocol("adequacy")
    made = Campaign(
        "generations",
        tuple(build_tasks(pool, protocol, Design(tasks=max(4, len(pool) // 70), sampling="pool"), seed=1)),
        {protocol.name: protocol},
    )
    ratings = join(made, simulate(made, {}, outputs=quality, seed=1)[0]).ratings
    keep = {one.assessor_key for one in assess_quality(ratings) if one.kept}
    scored = standardize([one for one in ratings if one.assessor_key in keep])
    found = human_gains(scored, old=OLD, new=NEW, benchmark="NOW")[0]
    gain = getattr(found, scores)
    true = {"raw": planted, "share": planted / (REFERENCE - means[OLD])}.get(scores, float("nan"))
    return {
        "judgements": sum(found.judgements.values()),
        "assessors": found.assessors,
        "naive": gain.naive,
        "difficulty": gain.difficulty,
        "gain": gain.gain,
        "low": gain.interval[0],
        "high": gain.interval[1],
        "true gain": true,
    }


def options(args: argparse.Namespace) -> argparse.Namespace:
    """What `Systems` wants to know."""
    sizes = {"train": 400, "dev": 20, "test": 80, "iterations": 1} if args.small else {}
    return argparse.Namespace(**{**vars(args), "aligner": "fast", "seeds": 1, **sizes})
