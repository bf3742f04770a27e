"""From files and texts to what a study of metrics needs: rows of scores at one level, or statistics for hybrids."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from dragoman.errors import InputError, SettingError
from dragoman.evaluation.hybrids import HYBRIDS, study_hybrids
from dragoman.evaluation.measures import Measure, measure_scores
from dragoman.evaluation.metric_study import MetricStudy, StudySettings, studies
from dragoman.evaluation.score_files import ScoreRow
from dragoman.settings import check_argument

__all__ = [
    "LEVELS",
    "chosen_rows",
    "human_segments",
    "rows_of_measures",
    "scores_of_segments",
    "segment_measures",
    "study_level",
    "system_means",
]

LEVELS = ("system", "segment", "hybrid")


def study_level(
    level: str | None,
    people: Sequence[ScoreRow],
    metrics: Sequence[ScoreRow],
    measures: Sequence[Measure] = (),
    settings: StudySettings | None = None,
    *,
    pair: str | None = None,
    test_set: str | None = None,
    first_segment: int = 1,
    hybrids: int = HYBRIDS,
    seed: int = 1,
    threads: int = 0,
) -> list[MetricStudy]:
    """Studies at a level, of metrics' scores from files and of measures over texts; without a level, that of people.

    At system level, people's scores of segments are averaged. `first_segment` is how people number the first segment
    of the texts.
    """
    if level is not None:
        check_argument("level", level, choices=LEVELS)
    settings = settings or StudySettings()
    if measures or level == "hybrid":
        people = chosen_rows(people, pair=pair, test_set=test_set)
        metrics = [row for row in metrics if (row.pair, row.test_set) == (people[0].pair, people[0].test_set)]
    directions = {**settings.higher_is_better, **{one.label: one.higher_is_better for one in measures}}
    settings = replace(settings, higher_is_better=directions)
    if level == "hybrid":
        segments = [str(first_segment + at) for at in range(measures[0].segments)] if measures else []
        seen = list(measures)
        if metrics:
            read, names = segment_measures(metrics, segments, directions)
            seen, segments = [*seen, *read], names
        if not seen:
            raise SettingError("no metric to correlate")
        human = human_segments(people, list(seen[0].statistics), segments)
        kind = {"pair": people[0].pair, "test_set": people[0].test_set}
        return [study_hybrids(seen, human, settings, hybrids=hybrids, seed=seed, threads=threads, **kind)]
    level = level or ("segment" if any(row.segment is not None for row in people) else "system")
    rows = list(metrics)
    if measures:
        rows += rows_of_measures(
            measures, level=level, pair=people[0].pair, test_set=people[0].test_set, first_segment=first_segment
        )
        if level == "segment":  # people seldom judge every output
            judged = {(row.system, row.segment) for row in people}
            rows = [row for row in rows if (row.system, row.segment) in judged]
    if level == "system":
        people, rows = system_means(people), system_means(rows)
    return studies(people, rows, settings, pair=pair, test_set=test_set)


def chosen_rows(rows: Iterable[ScoreRow], *, pair: str | None, test_set: str | None) -> list[ScoreRow]:
    """Rows of one language pair and test set; without a choice there must be only one of each."""
    kept = [row for row in rows if pair in (None, row.pair) and test_set in (None, row.test_set)]
    kinds = sorted({(row.pair, row.test_set) for row in kept})
    if len(kinds) != 1:
        found = "; ".join(f"{a}, {b}" for a, b in kinds) or "none"
        raise InputError(f"one language pair and test set is needed, and there are: {found}", remedy="name them")
    return kept


def system_means(rows: Iterable[ScoreRow]) -> list[ScoreRow]:
    """Scores of systems: the means of their segments' scores; scores of systems stay as they are."""
    groups: dict[tuple[str, str, str, str], list[ScoreRow]] = defaultdict(list)
    for row in rows:
        groups[row.metric, row.pair, row.test_set, row.system].append(row)
    found = []
    for (metric, pair, test_set, system), members in groups.items():
        if any(row.segment is None for row in members):
            found += members
        else:
            mean = math.fsum(row.score for row in members) / len(members)
            found.append(ScoreRow(metric, pair, test_set, system, None, mean, members[0].line))
    return found


def rows_of_measures(
    measures: Sequence[Measure], *, level: str, pair: str, test_set: str, first_segment: int = 1
) -> list[ScoreRow]:
    """Scores of systems or of segments, as rows; segments are numbered from the first."""
    found = []
    for measure in measures:
        if level == "segment":
            for system, values in measure.segment_scores().items():
                found += [
                    ScoreRow(measure.label, pair, test_set, system, str(first_segment + at), float(value))
                    for at, value in enumerate(values)
                ]
        else:
            found += [
                ScoreRow(measure.label, pair, test_set, system, None, score)
                for system, score in measure.corpus_scores().items()
            ]
    return found


def human_segments(rows: Iterable[ScoreRow], systems: Sequence[str], segments: Sequence[str]) -> dict[str, list[float]]:
    """People's scores of each system's segments, NaN where there is none; of an output judged often, the mean."""
    place = {segment: at for at, segment in enumerate(segments)}
    sums: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        if row.segment is None:
            raise InputError("people scored systems, not segments", where=row.system, remedy="hybrids need segments")
        if row.system in systems:
            if row.segment not in place:
                raise InputError(
                    f"people scored segment {row.segment}, which does not exist",
                    where=row.system,
                    remedy="say by what number segments start",
                )
            sums[row.system, row.segment].append(row.score)
    found = {system: [math.nan] * len(segments) for system in systems}
    for (system, segment), scores in sums.items():
        found[system][place[segment]] = math.fsum(scores) / len(scores)
    return found


def scores_of_segments(rows: Iterable[ScoreRow]) -> dict[str, dict[tuple[str, str], float]]:
    """Scores by metric, of (system, segment)."""
    found: dict[str, dict[tuple[str, str], float]] = {}
    for row in rows:
        if row.segment is None:
            raise InputError(f"{row.metric} scored systems, not segments", where=row.system)
        scores = found.setdefault(row.metric, {})
        if (row.system, row.segment) in scores:
            raise InputError(
                f"{row.metric} scores segment {row.segment} of {row.system} twice", where=f"line {row.line}"
            )
        scores[row.system, row.segment] = row.score
    return found


def segment_measures(
    rows: Iterable[ScoreRow], segments: Sequence[str], higher_is_better: Mapping[str, bool] | None = None
) -> tuple[list[Measure], list[str]]:
    """Metrics' scores of segments as measures, and the segments' names in order; every segment must be scored.

    `segments` are known beforehand, or empty: then they are those that were scored.
    """
    tables: dict[str, dict[str, dict[str, float]]] = {}
    for metric, scored_things in scores_of_segments(rows).items():
        for (system, segment), score in scored_things.items():
            tables.setdefault(metric, {}).setdefault(system, {})[segment] = score
    scored = dict.fromkeys(name for table in tables.values() for scores in table.values() for name in scores)
    names = list(segments or scored)
    found = []
    for metric, table in tables.items():
        for system, scores in table.items():
            missing = next((name for name in names if name not in scores), None)
            if missing is not None:
                raise InputError(f"{metric} has no score of segment {missing} of {system}")
        values = {system: [scores[name] for name in names] for system, scores in table.items()}
        found.append(measure_scores(metric, values, higher_is_better=(higher_is_better or {}).get(metric)))
    return found, names
