"""Exchange with other platforms: campaigns and results of Appraise, Pearmut and Mechanical Turk, in and out."""

from __future__ import annotations

from dragoman.assessment.exchange.exporting import export_text
from dragoman.assessment.exchange.importing import import_judgements, open_campaign, read_results

__all__ = ["export_text", "import_judgements", "open_campaign", "read_results"]
