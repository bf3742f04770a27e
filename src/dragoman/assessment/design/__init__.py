"""The design of a campaign: what is judged, who sees what with which hidden controls, and how much work it is."""

from __future__ import annotations

from dragoman.assessment.design.campaign_recipe import CampaignRecipe, build_campaign, read_campaign_recipe
from dragoman.assessment.design.pool import Gold, SystemOutput
from dragoman.assessment.design.tasks import Design, build_tasks
from dragoman.assessment.design.workload import Workload, workload

__all__ = [
    "CampaignRecipe",
    "Design",
    "Gold",
    "SystemOutput",
    "Workload",
    "build_campaign",
    "build_tasks",
    "read_campaign_recipe",
    "workload",
]
