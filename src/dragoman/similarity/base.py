"""What every pair scorer does: pairs in, scores and reasons out; some learn from what people gave.

A score says how much two texts mean the same, from 0 (nothing in common) to 1 (equivalent); a fitted scorer may go a
little beyond, because it predicts what people would say and is not told to stop. A pair with one empty side scores 0,
one with two empty sides 1, whatever the scorer. A score is a function of the scorer and the pair alone: it does not
depend on the other pairs, on the number of threads, or on whether the scorer was saved in between.

A scorer is constructed with settings only. One that `learns` must be fitted before it scores; gold scores are given on
the same scale from 0 to 1 (`PairSet` converts), and who knows which set each pair is of may say so, because a scorer
may want to work on other kinds of text than it learned from. Settings named in `resources` are paths of files or
folders: a saved scorer takes a copy of each with it.
"""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman.annotations.annotator import Annotator, reason
from dragoman.annotations.corpus import annotate_lines, annotate_sentences
from dragoman.annotations.sentence import Sentence
from dragoman.bundle import Bundle, Provenance, writing_bundle
from dragoman.errors import BundleError, InputError, LengthMismatch, SettingError
from dragoman.progress import Progress, ProgressCallback
from dragoman.registry import Registry
from dragoman.settings import Settings
from dragoman.similarity.pairs import TextPair
from dragoman.similarity.reasons import PairReasons
from dragoman.similarity.words import with_tokens

__all__ = ["KIND", "SCORERS", "PairScorer", "annotate_pairs", "get_scorer", "open_scorer"]

KIND = "pair-scorer"
BATCH = 1000
"""Pairs that are scored together; results do not depend on it."""

Scores = NDArray[np.float64]
SetNames = NDArray[np.str_]


@dataclass(kw_only=True, eq=False)
class PairScorer(Settings, ABC):
    """Settings of a scorer, and after fitting, what it learned."""

    name: ClassVar[str]
    resources: ClassVar[tuple[str, ...]] = ()
    """Settings that are paths, or several of them, empty where there is none; a name that is no path stays a name."""

    @property
    def learns(self) -> bool:
        """Whether it must be fitted before it scores."""
        return False

    @property
    def needs(self) -> tuple[str, ...]:
        """Layers that both sentences must carry, as the settings ask for."""
        return ()

    @property
    def fitted(self) -> bool:
        """Whether it can score."""
        return not self.learns

    def score(self, pairs: Iterable[TextPair], *, threads: int = 0, progress: ProgressCallback | None = None) -> Scores:
        """How similar the texts of each pair are."""
        self._require_fitted()
        given = list(pairs)
        found = np.zeros(len(given))
        full = []
        for at, pair in enumerate(given):
            blank = [not text.strip() for text in pair.texts]
            if any(blank):
                found[at] = float(all(blank))
            else:
                self._require_layers(pair, at)
                full.append(at)
        for start in range(0, len(full), BATCH):
            some = full[start : start + BATCH]
            found[some] = self._scores([given[at] for at in some], threads)
            if progress is not None:
                progress(Progress("scoring", start + len(some), len(full)))
        return found

    def explain(self, pair: TextPair) -> PairReasons:
        """Why a pair gets its score."""
        self._require_fitted()
        empty = [not text.strip() for text in pair.texts]
        if any(empty):
            words = [with_tokens(side).words for side in (pair.first, pair.second)]
            note = "both texts are empty" if all(empty) else "one text is empty"
            return PairReasons(self.name, float(all(empty)), words[0], words[1], notes=(note,))
        self._require_layers(pair, 0)
        return self._explain(pair)

    def fit(
        self,
        pairs: Sequence[TextPair],
        gold: ArrayLike,
        *,
        sets: Sequence[str] | None = None,
        seed: int = 1,
        threads: int = 0,
        progress: ProgressCallback | None = None,
    ) -> Self:
        """Learn from pairs and what people gave them (0 to 1); what was learned before is forgotten.

        `sets` names the set that each pair is of, where there are several.
        """
        if not self.learns:
            raise SettingError(f"{self.name} has nothing to learn", remedy="use it as it is")
        scores = np.asarray(gold, np.float64)
        if len(pairs) != len(scores):
            raise LengthMismatch(f"{len(pairs)} pairs but {len(scores)} gold scores")
        if sets is not None and len(sets) != len(pairs):
            raise LengthMismatch(f"{len(pairs)} pairs but {len(sets)} names of sets")
        if not np.isfinite(scores).all():
            raise InputError("a gold score is no number", remedy="leave out pairs that nobody scored")
        full = [at for at, pair in enumerate(pairs) if all(text.strip() for text in pair.texts)]
        if len(full) < 2 or np.ptp(scores[full]) == 0:
            raise InputError(
                "gold scores that are all equal, or too few, teach nothing", remedy="give at least two different scores"
            )
        for at in full:
            self._require_layers(pairs[at], at)
        names = np.array([""] * len(pairs) if sets is None else list(sets), np.str_)
        self._fit([pairs[at] for at in full], scores[full], names[full], seed, threads, progress)
        return self

    def held_out(
        self, pairs: Sequence[TextPair], gold: Scores, fold_of: NDArray[np.int64], *, seed: int = 1, threads: int = 0
    ) -> Scores:
        """Scores of pairs by what was fitted to the other folds; afterwards it is fitted to all of them.

        One that learns nothing just scores.
        """
        if not self.learns:
            return self.score(pairs, threads=threads)
        found = np.zeros(len(pairs))
        for fold in np.unique(fold_of).tolist():
            rest, own = (np.flatnonzero(chosen).tolist() for chosen in (fold_of != fold, fold_of == fold))
            self.fit([pairs[at] for at in rest], gold[rest], seed=seed, threads=threads)
            found[own] = self.score([pairs[at] for at in own], threads=threads)
        self.fit(pairs, gold, seed=seed, threads=threads)
        return found

    def save(self, path: Path | str, *, provenance: Provenance | None = None) -> None:
        """Write a bundle, with copies of the files that the settings name."""
        self._require_fitted()
        settings: dict[str, Any] = {"scorer": self.name}
        with writing_bundle(path, kind=KIND, settings=settings, provenance=provenance) as folder:
            settings["settings"] = {**self.to_dict(), **{each: self._kept(each, folder) for each in self.resources}}
            self._write(folder)

    def _kept(self, setting: str, folder: Path) -> str | list[str]:
        """What a saved scorer says of a setting that is a path or several: where in its folder the copies are."""
        given = getattr(self, setting)
        kept = []
        for number, path in enumerate([given] if isinstance(given, str) else given):
            if path and Path(path).exists():
                place = folder / "resources" / f"{setting}{number or ''}{Path(path).suffix}"
                place.parent.mkdir(exist_ok=True)
                (shutil.copytree if Path(path).is_dir() else shutil.copyfile)(path, place)
                kept.append(f"resources/{place.name}")
            else:
                kept.append(path)
        return kept[0] if isinstance(given, str) else kept

    @abstractmethod
    def _scores(self, pairs: list[TextPair], threads: int) -> Scores:
        """Scores of pairs that have two texts and all layers."""

    @abstractmethod
    def _explain(self, pair: TextPair) -> PairReasons:
        """The reasons of such a pair."""

    def _fit(
        self,
        pairs: list[TextPair],
        gold: Scores,
        sets: SetNames,
        seed: int,
        threads: int,
        progress: ProgressCallback | None,
    ) -> None:
        """Learn; `sets` names the sets that pairs are of, all empty where nobody said."""
        raise NotImplementedError  # only where `learns`

    def _write(self, folder: Path) -> None:
        """Put what was learned into a folder."""

    def _read(self, folder: Path) -> None:
        """Take what was learned from a folder."""

    def _require_fitted(self) -> None:
        if not self.fitted:
            raise SettingError(
                f"{self.name} must be fitted first", remedy=f"use `dragoman similarity fit PAIRS --with {self.name}`"
            )

    def _require_layers(self, pair: TextPair, at: int) -> None:
        if not self.needs:
            return
        for side in (pair.first, pair.second):
            if (why := reason(side)) is not None:
                raise InputError(
                    f"a sentence of pair {at + 1} could not be annotated: {why}",
                    where=side.text[:60],
                    remedy="leave the pair out",
                )
            side.require(*self.needs, needed_by=self.name)


SCORERS: Registry[PairScorer] = Registry(
    "scorer",
    {
        "token-cosine": "dragoman.similarity.overlap:TokenCosine",
        "string": "dragoman.similarity.overlap:StringSimilarity",
        "ngrams": "dragoman.similarity.overlap:NgramOverlap",
        "soft-cardinality": "dragoman.similarity.soft_cardinality:SoftCardinality",
        "matching": "dragoman.similarity.matching:BestMatch",
        "lsa": "dragoman.similarity.matching:LatentSemantics",
        "pairing-words": "dragoman.similarity.matching:PairingWords",
        "dls": "dragoman.similarity.dls:Dls",
        "takelab": "dragoman.similarity.learned:Takelab",
        "ukp": "dragoman.similarity.learned:Ukp",
        "uow": "dragoman.similarity.uow:Uow",
        "entailment": "dragoman.similarity.entailment_features:EntailmentFeatures",
        "pfsm": "dragoman.similarity.edit_distance:EditModel",
        "ppda": "dragoman.similarity.edit_distance:PushDownEdits",
        "word-translations": "dragoman.similarity.cross_lingual:WordTranslations",
        "translated": "dragoman.pipeline.translated_similarity:TranslatedSimilarity",
        "records": "dragoman.similarity.record_scorers:RecordCosine",
        "typed": "dragoman.similarity.record_scorers:TypedRecords",
        "metrics": "dragoman.similarity.metric_features:MetricFeatures",
        "ensemble": "dragoman.similarity.ensemble:Ensemble",
    },
)
"""All pair scorers by name."""


def get_scorer(spec: str, options: Sequence[str] = ()) -> PairScorer:
    """The scorer of a name with `name=value` settings, or the one in a bundle.

    >>> get_scorer("token-cosine", ["lowercase=true"]).name
    'token-cosine'
    """
    if spec not in SCORERS and Path(spec).is_dir():
        opened = open_scorer(spec)
        if options:
            raise SettingError("a saved scorer has its settings", where=spec, remedy="fit another with these")
        return opened
    return SCORERS.get(spec).configured(options)


def open_scorer(path: Path | str) -> PairScorer:
    """The scorer in a bundle."""
    bundle = Bundle.open(path, kind=KIND)
    name = str(bundle.settings.get("scorer", ""))
    if name not in SCORERS:
        raise BundleError(f"it names the scorer {name!r}, which nobody knows", where=str(path))
    kind = SCORERS.get(name)
    given: Mapping[str, Any] = bundle.settings.get("settings", {})
    places = {setting: _places(given[setting], bundle.path) for setting in kind.resources if given.get(setting)}
    scorer = kind.from_dict({**given, **places}, where=str(path))
    scorer._read(bundle.path)
    return scorer


def _places(kept: Any, folder: Path) -> Any:
    if isinstance(kept, list):
        return [_places(one, folder) for one in kept]
    return str(folder / kept) if str(kept).startswith("resources/") else kept


def annotate_pairs(
    pairs: Sequence[TextPair],
    annotator: Annotator,
    *,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> list[TextPair]:
    """The pairs with the annotator's layers; text without tokens is divided by the annotator, or as all else here."""
    sides = [side for pair in pairs for side in (pair.first, pair.second)]
    done: list[Sentence]
    if annotator.tokenizes and not any(side.tokens for side in sides):
        lines = [side.text for side in sides]
        done = list(annotate_lines(annotator, lines, threads=threads, progress=progress))
    else:
        done = list(annotate_sentences(annotator, map(with_tokens, sides), threads=threads, progress=progress))
    return [TextPair(done[at], done[at + 1]) for at in range(0, len(done), 2)]
