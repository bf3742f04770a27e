"""Pairs written for this project: each feature with both answers, and problems for the prover.

`phenomena` has pairs for every group of features; `logic` has problems in the manner of FraCaS (Cooper et al. 1996).
Their trees were made by a parser trained on English-EWT and mended by hand where they were wrong, so that what is
measured on them is the reasoning, not the parser.
"""

from __future__ import annotations

from importlib import resources

from dragoman.annotations import conllu
from dragoman.entailment.pairs import AnnotatedPair, group_annotated
from dragoman.errors import UnknownName

__all__ = ["SUITES", "load_suite"]

SUITES = ("phenomena", "logic")


def load_suite(name: str) -> list[AnnotatedPair]:
    """The pairs of a suite, annotated, `task` saying what each tries."""
    if name not in SUITES:
        raise UnknownName(f"no suite is called {name!r}", remedy=f"choose from {', '.join(SUITES)}")
    file = resources.files("dragoman.entailment") / "suite" / f"{name}.conllu"
    return group_annotated(conllu.parse(file.read_text("utf-8").splitlines()), where=file.name)
