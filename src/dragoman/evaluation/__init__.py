"""Evaluation: statements about systems — is one better, does a metric follow people — with honest uncertainty.

Everything here works on numbers (statistics matrices of metrics, scores of segments and systems), never on text, so
that a score made elsewhere is treated like one of ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.evaluation.compare import compare_measures
    from dragoman.evaluation.compare_report import Comparison, MetricComparison
    from dragoman.evaluation.correction import CORRECTIONS, adjusted
    from dragoman.evaluation.correlation import CORRELATIONS, Correlation, correlate, kendall, pearson, spearman
    from dragoman.evaluation.longitudinal import Gain, longitudinal_gain
    from dragoman.evaluation.metric_report import MetricStudy, StudySettings
    from dragoman.evaluation.metric_study import studies, study_metrics
    from dragoman.evaluation.resampling import Difference, SignificanceTest, compare_statistics
    from dragoman.evaluation.score_files import read_metrics_task, read_segment_scores
    from dragoman.evaluation.williams import Williams, steiger

__all__ = [
    "CORRECTIONS",
    "CORRELATIONS",
    "Comparison",
    "Correlation",
    "Difference",
    "Gain",
    "MetricComparison",
    "MetricStudy",
    "SignificanceTest",
    "StudySettings",
    "Williams",
    "adjusted",
    "compare_measures",
    "compare_statistics",
    "correlate",
    "kendall",
    "longitudinal_gain",
    "pearson",
    "read_metrics_task",
    "read_segment_scores",
    "spearman",
    "steiger",
    "studies",
    "study_metrics",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "CORRECTIONS": "dragoman.evaluation.correction",
        "CORRELATIONS": "dragoman.evaluation.correlation",
        "Comparison": "dragoman.evaluation.compare_report",
        "Correlation": "dragoman.evaluation.correlation",
        "Difference": "dragoman.evaluation.resampling",
        "Gain": "dragoman.evaluation.longitudinal",
        "MetricComparison": "dragoman.evaluation.compare_report",
        "MetricStudy": "dragoman.evaluation.metric_report",
        "SignificanceTest": "dragoman.evaluation.resampling",
        "StudySettings": "dragoman.evaluation.metric_report",
        "Williams": "dragoman.evaluation.williams",
        "adjusted": "dragoman.evaluation.correction",
        "compare_measures": "dragoman.evaluation.compare",
        "compare_statistics": "dragoman.evaluation.resampling",
        "correlate": "dragoman.evaluation.correlation",
        "kendall": "dragoman.evaluation.correlation",
        "longitudinal_gain": "dragoman.evaluation.longitudinal",
        "pearson": "dragoman.evaluation.correlation",
        "read_metrics_task": "dragoman.evaluation.score_files",
        "read_segment_scores": "dragoman.evaluation.score_files",
        "spearman": "dragoman.evaluation.correlation",
        "steiger": "dragoman.evaluation.williams",
        "studies": "dragoman.evaluation.metric_study",
        "study_metrics": "dragoman.evaluation.metric_study",
    },
)
