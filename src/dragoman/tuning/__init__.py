"""Tuning: weights that make a decoder's output score well on a dev set.

`tune` runs a tuner by name with any decoder, on any metric or blend of metrics, and gives back the weights with the
whole history. The batch tuners share n-best lists that grow from iteration to iteration; they differ in what they make
of them: an exact line search over the metric itself (MERT), ranking (PRO), margins (MIRA), expectations.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dragoman.registry import Registry

if TYPE_CHECKING:
    from dragoman.tuning.base import Tuner
    from dragoman.tuning.loop import tune
    from dragoman.tuning.result import TuningResult

__all__ = ["TUNERS", "TuningResult", "tune", "tuner_named", "usual_tuner"]

TUNERS: Registry[Tuner] = Registry(
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
"""All tuners by name."""


def usual_tuner(*, sparse: bool) -> str:
    """The tuner for those who name none: MIRA, or `online` if it is to learn the weights of sparse templates.

    Lists of a hundred thousand rare features would fill the memory and be learnt by heart; online tuning keeps no lists
    and takes back to 0 what does not pay.
    """
    return "online" if sparse else "mira"


def tuner_named(name: str, *, sparse: bool, settings: Iterable[str] = ()) -> Tuner:
    """A tuner with settings written as `name=value`; `auto` is the usual one with or without templates to learn.

    >>> tuner_named("auto", sparse=True, settings=["l1=0.01"]).name
    'online'
    """
    return TUNERS.get(usual_tuner(sparse=sparse) if name == "auto" else name).configured(settings)


def __getattr__(name: str) -> Any:
    if name == "tune":
        from dragoman.tuning.loop import tune

        return tune
    if name == "TuningResult":
        from dragoman.tuning.result import TuningResult

        return TuningResult
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
