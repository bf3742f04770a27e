"""Human assessment: campaigns designed, collected in a browser, checked for careful work, and analysed.

Here stand the values that all parts share: protocols, campaigns with their tasks and items, judgements, ratings. The
parts are folders: `design` makes a campaign, `web` shows it to assessors and keeps what they answer, `analysis` finds
out what the answers say, `exchange` reads and writes the files of other platforms, and `simulation` lets invented
people judge, to try all this before anybody is asked or paid.
"""

from __future__ import annotations

from dragoman.assessment.access_keys import AccessKeys, Assessor
from dragoman.assessment.campaign import Campaign, CampaignTask, ErrorSpan, Item, Judgement, Passage
from dragoman.assessment.gold_gate import GoldGate
from dragoman.assessment.protocol import PROTOCOLS, Protocol, Scale, get_protocol
from dragoman.assessment.ratings import Preference, Rating, Ratings, join

__all__ = [
    "PROTOCOLS",
    "AccessKeys",
    "Assessor",
    "Campaign",
    "CampaignTask",
    "ErrorSpan",
    "GoldGate",
    "Item",
    "Judgement",
    "Passage",
    "Preference",
    "Protocol",
    "Rating",
    "Ratings",
    "Scale",
    "get_protocol",
    "join",
]
