"""Tuning: weights that make a decoder's output score well on a dev set.

`tune` runs a tuner by name with any decoder, on any metric or blend of metrics, and gives back the weights with the
whole history. The batch tuners share n-best lists that grow from iteration to iteration; they differ in what they make
of them: an exact line search over the metric itself (MERT), ranking (PRO), margins (MIRA), expectations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.tuning.base import Tuner
    from dragoman.tuning.combination import CombinationDecoder, tune_combination
    from dragoman.tuning.dev import DevSet
    from dragoman.tuning.diversity import tune_diverse
    from dragoman.tuning.domains import domain_scores
    from dragoman.tuning.families import Selection
    from dragoman.tuning.given_lists import tune_lists
    from dragoman.tuning.loop import tune
    from dragoman.tuning.matrix import TuningMatrix, tuning_matrix
    from dragoman.tuning.online import Online
    from dragoman.tuning.rescoring import RankedText, with_joint_scores
    from dragoman.tuning.result import Iteration, TuningResult
    from dragoman.tuning.tuners import TUNERS, get_tuner, usual_tuner

__all__ = [
    "TUNERS",
    "CombinationDecoder",
    "DevSet",
    "Iteration",
    "Online",
    "RankedText",
    "Selection",
    "Tuner",
    "TuningMatrix",
    "TuningResult",
    "domain_scores",
    "get_tuner",
    "tune",
    "tune_combination",
    "tune_diverse",
    "tune_lists",
    "tuning_matrix",
    "usual_tuner",
    "with_joint_scores",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "CombinationDecoder": "dragoman.tuning.combination",
        "DevSet": "dragoman.tuning.dev",
        "Iteration": "dragoman.tuning.result",
        "Online": "dragoman.tuning.online",
        "RankedText": "dragoman.tuning.rescoring",
        "Selection": "dragoman.tuning.families",
        "TUNERS": "dragoman.tuning.tuners",
        "Tuner": "dragoman.tuning.base",
        "TuningMatrix": "dragoman.tuning.matrix",
        "TuningResult": "dragoman.tuning.result",
        "domain_scores": "dragoman.tuning.domains",
        "get_tuner": "dragoman.tuning.tuners",
        "tune": "dragoman.tuning.loop",
        "tune_combination": "dragoman.tuning.combination",
        "tune_diverse": "dragoman.tuning.diversity",
        "tune_lists": "dragoman.tuning.given_lists",
        "tuning_matrix": "dragoman.tuning.matrix",
        "usual_tuner": "dragoman.tuning.tuners",
        "with_joint_scores": "dragoman.tuning.rescoring",
    },
)
