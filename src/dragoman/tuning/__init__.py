"""Tuning: weights that make a decoder's output score well on a dev set.

`tune` runs a tuner by name with any decoder, on any metric or blend of metrics, and gives back the weights with the
whole history. The batch tuners share n-best lists that grow from iteration to iteration; they differ in what they make
of them: an exact line search over the metric itself (MERT), ranking (PRO), margins (MIRA), expectations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dragoman.registry import Registry

if TYPE_CHECKING:
    from dragoman.tuning.base import Tuner
    from dragoman.tuning.loop import tune
    from dragoman.tuning.result import TuningResult

__all__ = ["TUNERS", "TuningResult", "tune"]

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


def __getattr__(name: str) -> Any:
    if name == "tune":
        from dragoman.tuning.loop import tune

        return tune
    if name == "TuningResult":
        from dragoman.tuning.result import TuningResult

        return TuningResult
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
