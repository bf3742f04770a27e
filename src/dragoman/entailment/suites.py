"""Pairs written for this project: each feature with both answers, and problems for the prover.

`phenomena` has pairs for every group of features; `exceptions` has, for every feature, a pair with the answer that it
usually speaks against, so that both suites together have each feature with both answers; `logic` has problems in the
manner of FraCaS (Cooper et al. 1996); `edits` has problems of one edit each with their relation, kinds of edits by
contexts by kinds of words, from which a classifier of edits is learned. Trees were made by a parser trained on
English-EWT and mended by hand where they were wrong (`edits`: written by hand), so that what is measured on them is the
reasoning, not the parser.
"""

from __future__ import annotations

from importlib import resources

from dragoman.annotations import conllu
from dragoman.entailment.pairs import AnnotatedPair, group_annotated
from dragoman.errors import UnknownName

__all__ = ["SUITES", "load_links", "load_suite"]

SUITES = ("phenomena", "exceptions", "logic", "edits")


def load_links() -> dict[str, str]:
    """Gold links of pairs of `phenomena` by id, made without seeing what an aligner says.

    The links that other pairs carry (`AnnotatedPair.gold`) were made by correcting those of the hand-set scores.
    """
    file = resources.files("dragoman.entailment") / "suite" / "links.tsv"
    rows = (line.split("\t") for line in file.read_text("utf-8").splitlines())
    return dict(rows)


def load_suite(name: str) -> list[AnnotatedPair]:
    """The pairs of a suite, annotated, `task` saying what each tries."""
    if name not in SUITES:
        raise UnknownName(f"no suite is called {name!r}", remedy=f"choose from {', '.join(SUITES)}")
    file = resources.files("dragoman.entailment") / "suite" / f"{name}.conllu"
    return group_annotated(conllu.parse(file.read_text("utf-8").splitlines()), where=file.name)
