"""The analysis of a campaign: which assessors were careful, and which systems are better."""

from __future__ import annotations

from dragoman.assessment.analysis.campaign_analysis import Analysis, analyse
from dragoman.assessment.analysis.report import analysis_document

__all__ = ["Analysis", "analyse", "analysis_document"]
