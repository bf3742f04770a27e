"""Soft syntactic constraints in hierarchical translation: which kinds of phrases help?

    python experiments/p26_syntax/run.py --out docs/experiments/p26-syntax --seeds 2

Marton and Resnik (2008) give a chart decoder one feature for each kind of phrase of a source tree: the span of a rule
matches such a phrase (`=`), crosses one (`+`), both with one weight (`_`) or with two (`2`). Their claims: the single
feature of Chiang (2005), all phrases alike, does not help; features of some kinds of phrases do. Chiang, Marton and
Resnik (2008) tune many of them at once by MIRA and gain more. Here all systems of a set share text, word alignment,
language model, rules (at most `--pops` nodes in a cell) and tuner (batch MIRA on the first `--dev` segments of the dev
set for `--iterations` rounds, several seeds), and differ in their constraints only. Sets: Multi30k German to English
(29,000 captions, `val`, `test_2016_flickr`), and package descriptions of Debian between English and German, both ways
(31,902 pairs). Trees are those of our own parsers, which see the tokens of the translation system: of German from 1,799
sentences of Universal Dependencies, in lower case for the captions, of English from `--trees` of EWT; phrases are
subtrees, called after their heads. All labels of such phrases are among those of XP: so `chiang-05` is `XP=` as well,
and `all-labels` is `XP` with any kind; and no phrase is called PRN, PRT or WHNP, so that 6 of the 22 features of `fine`
never fire. Beside the soft constraints stand their hard counterparts (`no_cross`: no rule may cut a phrase;
`match_only`: a rule covers a phrase or a word), structural distortion, and rules for numbers and names. Phrase-based
systems (`phrases`) have the same text, and three trained models of order in turn: discriminative distortion, order by
grammatical relation, a dependency language model (defaults; trees of both sides of the training text by the same
parsers). On Debian's text fewer systems run. Figures of a row are of the test set: BLEU (mean of the seeds), its
`deviation` between seeds, `difference` from `plain`, or from `phrases`, the `p` of that (approximate randomisation over
all seeds at once, two-sided, 10,000 samples), `Holm`, which is p corrected for the number of soft constraints, of other
systems, or of models of order that stand beside it in the set; and seconds of processor time for the test set without
those of parsing, on a machine that others use. Another table has the weights that tuning found (mean of the seeds,
scaled so that the language model weighs 1).

With `--train` and `--test` only the first so many pairs of a set are taken (the settings are in the record). With
`--small` a synthetic bitext stands in; `--sets` and `--systems` name some, separated by semicolons; with `--cache`
finished stages and rows are kept there, so that sets may be run one by one and joined by a last run.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np

from experiments.common import Claim, Row, Table, dot_plot, grid, publish
from experiments.comparison import holm
from experiments.parsers import RememberingAnnotator, parser
from experiments.recipes import Systems, names_of, others, system_arguments

SETS = ("multi30k de-en", "debian en-de", "debian de-en")
SOFT = {
    "chiang-05": ["syntax=chiang-05"],
    **{
        each: [f"syntax={each}"]
        for each in (
            *("XP+", "XP_", "XP2", "NP=", "NP+", "NP_", "VP=", "VP+", "VP_", "VP2", "IP=", "IP2", "PP+"),
            "fine",
        )
    },
}
OTHERS = {
    "no_cross": ["search.hard_syntax=no_cross"],
    "match_only": ["search.hard_syntax=match_only"],
    "structure coarse": ["structure=coarse"],
    "structure fine": ["structure=fine"],
    "fine + structure fine": ["syntax=fine", "structure=fine"],
    "extra rules": ["extra_rules=numbers,names,identity"],
}
PHRASES = {
    "distortion_model": ["distortion_model=true"],
    "relation_order": ["relation_order=true"],
    "dependency_lm": ["dependency_lm=true"],
    "all three": ["distortion_model=true", "relation_order=true", "dependency_lm=true"],
}
SYSTEMS: dict[str, list[str]] = {
    "plain": [],
    **SOFT,
    **OTHERS,
    "phrases": [],
    **{f"phrases, {name}": chosen for name, chosen in PHRASES.items()},
}
SINGLE = tuple(each for each in SOFT if each[:2] in ("NP", "VP", "IP", "PP"))
BASELINES = ("plain", "phrases")
ON_DEBIAN = (
    *("plain", "chiang-05", "XP_", "XP2", "NP_", "VP2", "IP2", "fine", "no_cross", "match_only"),
    *("structure fine", "fine + structure fine", "phrases", *(f"phrases, {name}" for name in PHRASES)),
)


class SyntaxSystems(Systems):
    """Systems whose source is parsed, and their target if a model learns from its trees."""

    def annotators(self, name: str) -> tuple[RememberingAnnotator, RememberingAnnotator]:
        return self.parsed(name, 0)[0], self.parsed(name, 1)[0]

    def spent_aside(self, name: str) -> float:
        return self.parsed(name)[0].seconds

    @cache  # noqa: B019 - one object lives as long as the program
    def parsed(self, name: str, side: int = 0) -> tuple[RememberingAnnotator, dict[str, Any]]:
        folder, languages = name.split()
        language = languages.split("-")[side]
        small = ("source", "target")[side] if self.small else ""
        cased = folder == "debian" and language == "de"
        model, figures = parser(language, self.stages, small=small, sentences=self.options.trees, cased=cased)
        return RememberingAnnotator(model), figures


def systems_of(name: str, chosen: Sequence[str]) -> list[str]:
    """Those of the chosen systems that run on a set."""
    return [each for each in chosen if each in ON_DEBIAN or not name.startswith("debian")]


def family(system: str) -> str:
    """Systems that are corrected for each other."""
    return "soft" if system in SOFT else baseline(system)


def corrected(table: Table) -> Table:
    """With p-values that know how many other systems of the family were tried on the set."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in table.rows:
        if row["system"] not in BASELINES:
            groups.setdefault((row["name"], family(row["system"])), []).append(row)
    found = {
        id(row): p for rows in groups.values() for row, p in zip(rows, holm([row["p"] for row in rows]), strict=True)
    }
    rows = []
    for row in table.rows:
        figures = {name: value for name, value in row.items() if name not in ("changed %", "seconds")}
        rest = {name: row[name] for name in ("changed %", "seconds")}
        rows.append({**figures, "Holm": found.get(id(row), float("nan")), **rest})
    return replace(table, rows=tuple(rows))


def baseline(system: str) -> str:
    return "phrases" if system.startswith("phrases") else "plain"


def recipe(systems: Systems, name: str, system: str) -> list[str]:
    kind = "phrase" if baseline(system) == "phrases" else "hiero"
    pops = systems.options.pops
    return [f"kind={kind}", f"search.pop_limit={pops}", f"search.beam={pops}", *SYSTEMS[system]]


def row(systems: SyntaxSystems, name: str, system: str) -> Mapping[str, Any]:
    found = systems.translations(name, recipe(systems, name, system), {})
    plain = []
    if system not in BASELINES:
        plain = systems.translations(name, recipe(systems, name, baseline(system)), {})["outputs"]
    changed = float("nan")
    if plain:
        pairs = [
            (a, b)
            for ours, theirs in zip(found["outputs"], plain, strict=True)
            for a, b in zip(ours, theirs, strict=True)
        ]
        changed = round(100 * sum(a != b for a, b in pairs) / len(pairs), 1)
    compared = systems.compared(name, found["outputs"], plain)
    return {**compared, "changed %": changed, "seconds": found["seconds"]}


def learned(systems: SyntaxSystems, name: str, system: str) -> dict[str, float]:
    """Weights of what a system has beyond its baseline, where the language model weighs 1: the mean of the seeds."""
    families = ("syntax:", "structure", "extra:", *PHRASES)

    def work() -> dict[str, float]:
        runs = [
            systems.weights(name, tuple(recipe(systems, name, system)), seed)
            for seed in range(1, systems.options.seeds + 1)
        ]
        names = sorted({each for run in runs for each in run if each.startswith(families)})
        return {
            each.removeprefix("syntax:"): float(np.mean([run.get(each, 0.0) / run["lm"] for run in runs]))
            for each in names
        }

    settings = {"set": name, "recipe": recipe(systems, name, system)}
    found: dict[str, float] = systems.remember("weights", settings, work)
    return found


def weights(systems: SyntaxSystems, sets: list[str], chosen: list[str]) -> Table:
    rows = [
        {"set": name, "system": system, "feature": feature, "weight": value}
        for name in sets
        for system in systems_of(name, chosen)
        if system not in BASELINES
        for feature, value in learned(systems, name, system).items()
    ]
    return Table(("set", "system", "feature"), tuple(rows))


def better(table: Table, name: str, system: str) -> bool:
    """Whether a system is better than its baseline, and that is no accident, though others were tried."""
    return any(each["difference"] > 0 and each["Holm"] < 0.05 for each in table.where(name=name, system=system))


def difference(table: Table, name: str, system: str) -> float:
    """From the baseline; of a system that was not run, nothing."""
    return next((each["difference"] for each in table.where(name=name, system=system)), float("nan"))


def worse(table: Table, name: str, system: str) -> bool:
    """Whether it is worse; a warning needs no correction."""
    return any(each["difference"] < 0 and each["p"] < 0.05 for each in table.where(name=name, system=system))


def main() -> None:
    sizes = {"dev": 300, "iterations": 5, "pops": 100, "trees": 6000}
    options = system_arguments(__doc__, out="docs/experiments/p26-syntax", systems="", **sizes)
    if options.small:
        options.pops, options.iterations, options.seeds = 8, 1, 1
    sets = names_of(options.sets, SETS[:1] if options.small else SETS)
    chosen = names_of(
        options.systems,
        ["plain", "NP=", "no_cross", "structure coarse", "phrases", "phrases, all three"]
        if options.small
        else list(SYSTEMS),
    )
    with SyntaxSystems(options) as systems:
        table = corrected(
            grid(
                lambda name, system: row(systems, name, system) if system in systems_of(name, chosen) else {},
                name=sets,
                system=chosen,
            )
        )
        tuned = weights(systems, sets, chosen)
        parsers = Table(("set",), tuple({"set": name, **systems.parsed(name)[1]} for name in sets))

    def claims_of(name: str) -> Sequence[tuple[Sequence[str], Claim]]:
        """Claims, each with the systems that it is about."""
        return (
            (
                ["chiang-05"],
                Claim(
                    f"{name}: the single feature of Chiang (2005) makes no difference that is certain",
                    lambda t: not better(t, name, "chiang-05") and not worse(t, name, "chiang-05"),
                ),
            ),
            (
                SINGLE,
                Claim(
                    f"{name}: a feature of one kind of phrase is better than none (p < 0.05 by Holm)",
                    lambda t: any(better(t, name, each) for each in SINGLE),
                ),
            ),
            (
                list(SOFT),
                Claim(
                    f"{name}: no soft constraint makes it worse (p < 0.05)",
                    lambda t: not any(worse(t, name, each) for each in SOFT),
                ),
            ),
            (
                ["match_only", "XP2"],
                Claim(
                    f"{name}: rules for phrases only (`match_only`) have a lower BLEU than soft `XP2` (a tendency)",
                    lambda t: difference(t, name, "match_only") < difference(t, name, "XP2"),
                ),
            ),
            (
                ["structure coarse", "structure fine"],
                Claim(
                    f"{name}: structural distortion is better than none (p < 0.05 by Holm)",
                    lambda t: better(t, name, "structure coarse") or better(t, name, "structure fine"),
                ),
            ),
            (
                [f"phrases, {each}" for each in PHRASES],
                Claim(
                    f"{name}: a trained model of order makes phrases better (p < 0.05 by Holm)",
                    lambda t: any(better(t, name, f"phrases, {each}") for each in PHRASES),
                ),
            ),
        )

    claims = [
        claim
        for name in sets
        for about, claim in claims_of(name)
        if {each for each in about if each in systems_of(name, list(SYSTEMS))} <= set(chosen)
    ]
    missing = [
        name if name not in sets else f"{name}: {', '.join(left)}"
        for name in (() if options.small else SETS)
        if name not in sets or (left := others(systems_of(name, list(SYSTEMS)), chosen))
    ]
    signs = [
        Claim(
            "tuning punishes crossing more often than it rewards it",
            lambda t: sum(np.sign(each["weight"]) for each in t.rows if each["feature"].endswith(".cross")) <= 0,
        )
    ]
    publish(
        "Soft syntactic constraints",
        __doc__,
        {"Translation": (table, claims), "Weights": (tuned, signs), "Parsers": (parsers, [])},
        pictures={"bleu": dot_plot(table, label=lambda r: f"{r['name']}: {r['system']}", figure="BLEU")},
        out=options.out,
        settings=vars(options),
        not_run=missing,
    )


if __name__ == "__main__":
    main()
