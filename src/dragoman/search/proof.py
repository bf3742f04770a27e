"""A proof: how far from the best of all derivations a translation can be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from dragoman._native import search as native
from dragoman.search.certificate import Certificate
from dragoman.search.forest_certificate import ForestCertificate

__all__ = ["Proof", "Refinement", "proof_of", "unfinished"]


@dataclass(frozen=True, slots=True)
class Refinement:
    """One round of refinement: what the bound promised, what its derivation scores, the best so far, and sizes."""

    bound: float
    score: float
    best: float
    nodes: int
    edges: int
    refined: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Proof:
    """How far from the optimum a translation can be, and how that was found out.

    `stop` says why search ended: `proved`, a limit (`time`, `iterations`, `memory`), or that nothing better was met for
    long (`stalled`). `seeded` is the score of the decoder's own search, which begins the proof.
    """

    score: float
    bound: float
    optimal: bool
    stop: str
    seeded: float | None
    trace: tuple[Refinement, ...] = field(repr=False)
    sizes: Mapping[str, int] = field(repr=False)
    """Nodes and edges of the first bound, and how many different texts promised most in some iteration."""
    levels: tuple[int, ...] = field(repr=False)
    """Nodes at the end by the number of target words that they know."""
    certify: Callable[[], Certificate | ForestCertificate | None] = field(repr=False, compare=False)
    missing: str = field(default="", repr=False)
    """Why there is no certificate, if there is none."""

    @property
    def certificate(self) -> Certificate | ForestCertificate | None:
        """What a verifier needs, unless something is `missing`."""
        return self.certify()

    @property
    def gap(self) -> float:
        """The optimum is at most so much better."""
        return self.bound - self.score

    @property
    def status(self) -> str:
        return "OPTIMAL" if self.optimal else "BOUNDED"

    def to_dict(self) -> dict[str, Any]:
        """All but the certificate, as plain values."""
        return {
            "status": self.status,
            "score": self.score,
            "bound": self.bound,
            "gap": self.gap,
            "stop": self.stop,
            "seeded": self.seeded,
            "iterations": len(self.trace),
            "sizes": dict(self.sizes),
            "levels": list(self.levels),
            "trace": [asdict(each) for each in self.trace],
        }


def proof_of(
    found: native.Proof,
    score: float,
    certify: Callable[[], Certificate | ForestCertificate | None],
    *,
    seeded: float | None = None,
    missing: str = "",
) -> Proof:
    """What native search proved of a derivation of this score."""
    return Proof(
        score,
        found.bound,
        found.optimal,
        found.stop,
        found.seeded if seeded is None else seeded,
        tuple(Refinement(*row) for row in found.trace),
        {name: getattr(found, name) for name in ("nodes_at_first", "edges_at_first", "distinct")},
        tuple(found.levels),
        certify,
        missing or found.missing,
    )


def unfinished(score: float, bound: float, stop: str) -> Proof:
    """Of a translation whose search was ended by a limit before all derivations were found; `bound` holds for all."""
    missing = f"a limit of {stop} came before all derivations were found"
    bound = max(bound, score)
    first = Refinement(bound, score, score, 0, 0, 0, 0.0)
    sizes = {"nodes_at_first": 0, "edges_at_first": 0, "distinct": 0}
    return Proof(score, bound, False, stop, score, (first,), sizes, (), lambda: None, missing)
