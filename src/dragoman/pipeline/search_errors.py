"""Search errors of a model: its searches beside the best derivation, sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dragoman.errors import SettingError
from dragoman.evaluation.search_errors import AppliedRule, KnownOptimum, Output, SearchErrors, count_errors
from dragoman.metrics import get_metric
from dragoman.pipeline.model import Model
from dragoman.pipeline.translation import Translation
from dragoman.progress import Progress, ProgressCallback
from dragoman.search.settings import SearchSettings
from dragoman.search.synchronous_tree import is_hierarchical, synchronous_trees
from dragoman.search.translation import SentenceTranslation
from dragoman.settings import read_texts

__all__ = ["find_search_errors", "named_searches", "settings_to_compare"]


def named_searches(specs: Sequence[str], kind: type[SearchSettings]) -> dict[str, dict[str, Any]]:
    """Settings of a kind of search, by name, from texts: `cube:10,100` with beams, or any, `pop_limit=50,beam=200`."""
    found: dict[str, dict[str, Any]] = {}
    for spec in specs:
        name, separator, beams = spec.partition(":")
        if "=" in spec:
            found[spec] = read_texts(kind, map(_underscored, spec.split(",")))
        elif separator and all(beam.isdecimal() for beam in beams.split(",")):
            for beam in beams.split(","):
                found[f"{name}:{beam}"] = read_texts(kind, [f"search={name}", f"pop_limit={beam}", f"beam={beam}"])
        else:
            raise SettingError(f"no search: {spec!r}", remedy="write cube:10,100,1000 or pop_limit=50,beam=200")
    return found


def settings_to_compare(spec: str, kind: type[SearchSettings]) -> dict[str, dict[str, Any]]:
    """Settings of a kind of search, by name, from a text like `distortion_limit=2,4`; nothing if it is empty."""
    if not spec:
        return {"": {}}
    key, separator, values = _underscored(spec).partition("=")
    if not separator or not key or not values:
        raise SettingError(f"no setting with values: {spec!r}", remedy="write distortion-limit=2,4,6")
    return {f"{key} {value.strip()}": read_texts(kind, [f"{key}={value}"]) for value in values.split(",")}


def _underscored(text: str) -> str:
    """A setting by its name in Python, which the command line spells with hyphens."""
    name, equals, value = text.partition("=")
    return name.strip().replace("-", "_") + equals + value


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


def _steps(found: SentenceTranslation) -> Iterator[AppliedRule]:
    if not is_hierarchical(found):
        for phrase in found.phrases:
            yield AppliedRule(" ".join(phrase.source), " ".join(phrase.target), phrase.source_span)
        return
    for tree in synchronous_trees(found):
        for depth, each in tree.walk():
            yield AppliedRule(*each.rule, each.phrase.within, depth)
