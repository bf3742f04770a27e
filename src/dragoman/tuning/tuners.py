"""All tuners by name, and the one for those who name none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dragoman.registry import Registry
from dragoman.tuning.base import Tuner

__all__ = ["TUNERS", "get_tuner", "usual_tuner"]

TUNERS = Registry[Tuner](
    "tuner",
    {
        "expected": "dragoman.tuning.expected:Expected",
        "forest-mira": "dragoman.tuning.forest_mira:ForestMira",
        "mert": "dragoman.tuning.mert:Mert",
        "mira": "dragoman.tuning.mira:Mira",
        "online": "dragoman.tuning.online:Online",
        "online-expected": "dragoman.tuning.online:OnlineExpected",
        "perceptron": "dragoman.tuning.mira:Perceptron",
        "pro": "dragoman.tuning.pro:Pro",
        "ramp": "dragoman.tuning.mira:Ramp",
    },
)


def usual_tuner(*, sparse: bool) -> str:
    """The tuner for those who name none: MIRA, or `online` if it is to learn the weights of sparse templates.

    Lists of a hundred thousand rare features would fill the memory and be learnt by heart; online tuning keeps no lists
    and takes back to 0 what does not pay.
    """
    return "online" if sparse else "mira"


def get_tuner(name: str = "auto", *, sparse: bool = False, settings: Iterable[str] = (), **changes: Any) -> Tuner:
    """A tuner with settings written as `name=value` or given as arguments; `auto` is the usual one.

    `sparse` says whether there are templates to learn.

    >>> get_tuner("auto", sparse=True, settings=["l1=0.01"]).name
    'online'
    """
    return TUNERS.get(usual_tuner(sparse=sparse) if name == "auto" else name).configured(settings, **changes)
