"""Search errors of a model: its searches beside the best derivation, sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dragoman.errors import SettingError
from dragoman.evaluation.search_errors import KnownOptimum, Output, SearchErrors, Step, count_errors
from dragoman.metrics import get_metric
from dragoman.pipeline.model import Model
from dragoman.pipeline.translation import Translation
from dragoman.progress import Progress, ProgressCallback
from dragoman.search.synchronous_tree import is_hierarchical, synchronous_trees
from dragoman.search.translation import SentenceTranslation
from dragoman.settings import read_value

__all__ = ["find_search_errors", "named_searches", "settings_to_compare"]


def named_searches(specs: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Settings by name from texts: a search with beams, `cube:10,100`, or any settings, `pop_limit=50,beam=200`."""
    found: dict[str, dict[str, Any]] = {}
    for spec in specs:
        name, separator, beams = spec.partition(":")
        if "=" in spec:
            pairs = [pair.partition("=") for pair in spec.split(",")]
            found[spec] = {key.strip().replace("-", "_"): read_value(value.strip()) for key, _, value in pairs}
        elif separator and all(beam.isdecimal() for beam in beams.split(",")):
            for beam in beams.split(","):
                found[f"{name}:{beam}"] = {"search": name, "pop_limit": int(beam), "beam": int(beam)}
        else:
            raise SettingError(f"no search: {spec!r}", remedy="write cube:10,100,1000 or pop_limit=50,beam=200")
    return found


def settings_to_compare(spec: str) -> dict[str, dict[str, Any]]:
    """Settings by name from a text like `distortion_limit=2,4`; nothing changed, without a name, if it is empty."""
    if not spec:
        return {"": {}}
    name, separator, values = spec.partition("=")
    key = name.strip().replace("-", "_")
    if not separator or not key or not values:
        raise SettingError(f"no setting with values: {spec!r}", remedy="write distortion-limit=2,4,6")
    return {f"{key} {value.strip()}": {key: read_value(value.strip())} for value in values.split(",")}


def find_search_errors(
    model: Model,
    texts: Sequence[str],
    searches: Mapping[str, Mapping[str, Any]],
    *,
    references: Sequence[Sequence[str]] = (),
    metric: str = "bleu",
    threads: int = 0,
    progress: ProgressCallback | None = None,
    **exact: Any,
) -> SearchErrors:
    """Run exact search, with settings such as `time_limit`, and the given ones; `references` are lists of texts."""
    measured = None
    if references:
        measure = get_metric(metric)
        prepared = measure.prepare([list(each) for each in references], threads=threads)

        def measured(hypotheses: Sequence[str]) -> float:
            return measure.corpus_score(hypotheses, prepared, threads=threads) * measure.scale

    optima, outputs = [], {}
    for number, found in enumerate(model.translate(list(texts), threads=threads, search="exact", **exact)):
        proofs = [sentence.proof for sentence in found.sentences]
        bound = sum(proof.bound for proof in proofs if proof is not None)
        optima.append(KnownOptimum(_output(found), bound, all(proof is not None and proof.optimal for proof in proofs)))
        if progress:
            progress(Progress("exact search", number + 1, len(texts)))
    for name, settings in searches.items():
        outputs[name] = [_output(each) for each in model.translate(list(texts), threads=threads, **settings)]
    return count_errors(texts, optima, outputs, metric=measured)


def _output(found: Translation) -> Output:
    return Output(
        found.text,
        found.score,
        sum(sentence.seconds for sentence in found.sentences),
        tuple(step for sentence in found.sentences for step in _steps(sentence)),
    )


def _steps(found: SentenceTranslation) -> Iterator[Step]:
    if not is_hierarchical(found):
        for phrase in found.phrases:
            yield Step(" ".join(phrase.source), " ".join(phrase.target), phrase.source_span)
        return
    for tree in synchronous_trees(found):
        for depth, each in tree.walk():
            yield Step(*each.rule, each.phrase.within, depth)
