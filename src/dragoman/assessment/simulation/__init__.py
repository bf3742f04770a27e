"""Simulation: invented people judge a campaign, to try its design and analysis before anybody is asked or paid."""

from __future__ import annotations

from dragoman.assessment.simulation.assessors import Population, SimulatedAssessor, rehearsal, simulate

__all__ = ["Population", "SimulatedAssessor", "rehearsal", "simulate"]
