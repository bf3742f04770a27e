"""Tuning: weights that make a decoder's output score well on a dev set.

`tune` runs a tuner by name with any decoder, on any metric or blend of metrics, and gives back the weights with the
whole history. The batch tuners share n-best lists that grow from iteration to iteration; they differ in what they make
of them: an exact line search over the metric itself (MERT), ranking (PRO), margins (MIRA), expectations.
"""

from __future__ import annotations

from dragoman.tuning.loop import tune
from dragoman.tuning.result import TuningResult
from dragoman.tuning.tuners import TUNERS, tuner_named, usual_tuner

__all__ = ["TUNERS", "TuningResult", "tune", "tuner_named", "usual_tuner"]
