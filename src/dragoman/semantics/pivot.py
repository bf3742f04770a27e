"""Paraphrases through other languages: to a translation and back.

`ccb`: p(e2 | e1) is the sum over pivot phrases f of p(f | e1) p(e2 | f), averaged over pivot languages (Bannard and
Callison-Burch 2005). That mixes the senses of e1. A *sense tag*, the translation q of this occurrence of e1 into one
more language, keeps to one sense: `ccb-wsd` has q itself as the only pivot, `multi` counts each pivot phrase by
p(q | f) too, so that many languages together decide what e1 and q mean (Aziz and Specia 2013). Probabilities are
relative frequencies of extracted phrase pairs. The identity e2 = e1 takes part in the sums and is left out of
proposals. A tag that no pivot phrase supports gives no paraphrases: there is no silent way back to the untagged model.

    >>> model = PivotModel({"fr": PhraseCounts({("forma", "forme"): 10, ("figura", "forme"): 5})})
    >>> [(found.phrase, round(found.probability, 4)) for found in model.paraphrases("forma").found]
    [('figura', 0.3333)]
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from dragoman.errors import InputError, SettingError
from dragoman.files import writing
from dragoman.grammar.limits import PhraseLimits
from dragoman.grammar.phrases import extract
from dragoman.grammar.scoring import Scoring
from dragoman.grammar.table import RuleTable
from dragoman.settings import check_argument

__all__ = ["PIVOT_MODELS", "PhraseCounts", "PivotModel", "PivotParaphrase", "PivotResult", "Support", "phrase_pairs"]

PIVOT_MODELS = ("ccb", "ccb-wsd", "multi")


class PhraseCounts:
    """How often phrases of two languages were extracted as a pair, as relative frequencies both ways.

    `min_probability` and `top` leave out what is less probable, or not among the best of its condition; what is left is
    not made to sum to one again.
    """

    def __init__(
        self, counts: Mapping[tuple[str, str], float], *, min_probability: float = 0.0, top: int | None = None
    ) -> None:
        firsts: dict[str, float] = {}
        seconds: dict[str, float] = {}
        for (first, second), count in counts.items():
            if not count > 0:
                raise InputError(f"{first!r} and {second!r} were seen {count} times", remedy="counts are positive")
            firsts[first] = firsts.get(first, 0.0) + count
            seconds[second] = seconds.get(second, 0.0) + count
        self.forward: dict[str, dict[str, float]] = {}
        """p(second | first), by first."""
        self.backward: dict[str, dict[str, float]] = {}
        """p(first | second), by second."""
        for (first, second), count in counts.items():
            self.forward.setdefault(first, {})[second] = count / firsts[first]
            self.backward.setdefault(second, {})[first] = count / seconds[second]
        for table in (self.forward, self.backward):
            for given, row in table.items():
                best = sorted(row.items(), key=lambda entry: (-entry[1], entry[0]))[:top]
                table[given] = {name: value for name, value in best if value >= min_probability}

    @classmethod
    def of_table(
        cls, table: RuleTable, *, max_length: int = 7, min_probability: float = 0.0, top: int | None = None
    ) -> PhraseCounts:
        """From the joint counts of an extracted table (source first)."""
        counts = {
            (rule.source_text, rule.target_text): rule.counts.joint
            for rule in table
            if rule.counts.joint > 0 and max(len(rule.source), len(rule.target)) <= max_length
        }
        if not counts:
            raise InputError("a table without counts", where=str(table.path), remedy="extract it from a bitext")
        return cls(counts, min_probability=min_probability, top=top)

    @classmethod
    def of_bitext(
        cls, source: Sequence[str], target: Sequence[str], alignment: Sequence[str], *, max_length: int = 7
    ) -> PhraseCounts:
        """From a word-aligned bitext."""
        return cls(phrase_pairs(source, target, alignment, max_length=max_length))


def phrase_pairs(
    source: Sequence[str], target: Sequence[str], alignment: Sequence[str], *, max_length: int = 7
) -> dict[tuple[str, str], float]:
    """How often phrases were extracted as a pair from a word-aligned bitext."""
    limits = PhraseLimits(max_source=max_length, max_target=max_length)
    with tempfile.TemporaryDirectory() as folder:
        scoring = Scoring(min_probability=0)
        path = Path(folder) / "pairs.table"
        table = extract(list(source), list(target), list(alignment), path, limits=limits, scoring=scoring).table
        return {(rule.source_text, rule.target_text): rule.counts.joint for rule in table}


class Support(NamedTuple):
    """A pivot phrase that speaks for a paraphrase, and how much it adds to its sum."""

    language: str
    pivot: str
    share: float


Sums = dict[str, float]
Reasons = dict[str, list[Support]]


@dataclass(frozen=True, slots=True)
class PivotParaphrase:
    """A paraphrase, its probability, and what it rests on."""

    phrase: str
    probability: float
    support: tuple[Support, ...] = ()

    @property
    def languages(self) -> int:
        """How many pivot languages support it."""
        return len({entry.language for entry in self.support})

    def to_dict(self) -> dict[str, Any]:
        return {
            "phrase": self.phrase,
            "probability": self.probability,
            "languages": self.languages,
            "support": [entry._asdict() for entry in self.support],
        }


@dataclass(frozen=True, slots=True)
class PivotResult:
    """Paraphrases, best first, and why there are none."""

    found: tuple[PivotParaphrase, ...]
    reason: str = ""
    """`unknown_phrase` or `no_shared_pivot` when nothing was found."""


@dataclass(frozen=True, slots=True)
class PivotModel:
    """Pivot languages with their phrase pairs: input to pivot, pivot to tag, and input to tag."""

    pivots: Mapping[str, PhraseCounts]
    tags: Mapping[str, PhraseCounts] = field(default_factory=dict)
    """Pivot phrases (first) and tags (second) of each pivot language, for `multi`."""
    tag_pairs: PhraseCounts | None = None
    """Input phrases (first) and tags (second), for `ccb-wsd`."""
    tag_language: str = ""
    combine: str = "pooled"

    def __post_init__(self) -> None:
        check_argument("combine", self.combine, choices=("pooled", "per-language"))
        if self.tag_language and self.tag_language in self.pivots:
            raise SettingError(
                f"{self.tag_language} is both a pivot and the language of the tags", remedy="leave it out of the pivots"
            )
        if self.tags:
            lonely = sorted(set(self.pivots) ^ set(self.tags))
            if lonely:
                raise InputError(f"pivot {lonely[0]} has only one of its two bitexts", remedy="give both or neither")
        if not self.pivots:
            raise SettingError("no pivot language", remedy="give at least one")

    def paraphrases(
        self,
        phrase: str,
        *,
        tag: str | None = None,
        model: str | None = None,
        top: int | None = None,
        include_identity: bool = False,
    ) -> PivotResult:
        """Paraphrases of a phrase; with a tag those of one sense (`multi` unless told otherwise)."""
        model = model or ("ccb" if tag is None else "multi")
        check_argument("model", model, choices=PIVOT_MODELS)
        if (tag is None) != (model == "ccb"):
            raise SettingError(f"model {model} {'has no' if tag else 'needs a'} tag", remedy="use multi or ccb-wsd")
        sums, support = self._sums(phrase, tag, model)
        if not sums:
            known = any(phrase in pairs.forward for pairs in self.pivots.values())
            return PivotResult((), "no_shared_pivot" if known and tag is not None else "unknown_phrase")
        return PivotResult(tuple(_ranked(phrase, sums, support, model, include_identity)[:top]))

    def _sums(self, phrase: str, tag: str | None, model: str) -> tuple[Sums, Reasons]:
        if model == "ccb-wsd":
            return self._through_tag(phrase, tag)
        if model == "multi" and not self.tags:
            raise SettingError("multi needs pairs of pivot phrases and tags", remedy="give tags")
        found = self._by_tag(phrase, tagged=tag is not None, only=tag)
        return found.get(tag, ({}, {}))

    def _through_tag(self, phrase: str, tag: str | None) -> tuple[Sums, Reasons]:
        if self.tag_pairs is None:
            raise SettingError("ccb-wsd needs pairs of phrases and tags", remedy="give tag_pairs")
        assert tag is not None
        constant = self.tag_pairs.forward.get(phrase, {}).get(tag, 0.0)
        given = self.tag_pairs.backward.get(tag, {}) if constant else {}
        sums = {name: value * constant for name, value in given.items()}
        return sums, {name: [Support(self.tag_language or "tag", tag, share)] for name, share in sums.items()}

    def _by_tag(self, phrase: str, *, tagged: bool, only: str | None = None) -> dict[str | None, tuple[Sums, Reasons]]:
        """Sums and reasons under every tag of a phrase at once, or under one; under None without tags."""
        found: dict[str | None, tuple[Sums, Reasons]] = {}
        for language, pairs in self.pivots.items():
            own: dict[str | None, Sums] = {}
            for pivot, there in pairs.forward.get(phrase, {}).items():
                known = self.tags[language].forward.get(pivot, {}) if tagged else {}
                fits: list[tuple[str | None, float]] = [*known.items()] if tagged else [(None, 1.0)]
                if only is not None:
                    fits = [(only, known[only])] if only in known else []
                for tag, fit in fits:
                    sums = own.setdefault(tag, {})
                    _, reasons = found.setdefault(tag, ({}, {}))
                    for name, back in pairs.backward[pivot].items():
                        share = there * fit * back / len(self.pivots)
                        sums[name] = sums.get(name, 0.0) + share
                        reasons.setdefault(name, []).append(Support(language, pivot, share))
            for tag, sums in own.items():
                scale = 1.0
                if self.combine == "per-language" and tag is not None:
                    scale = 1 / (len(self.pivots) * sum(sums.values()))
                pooled = found[tag][0]
                for name, value in sums.items():
                    pooled[name] = pooled.get(name, 0.0) + value * scale
        return found

    def table(
        self, *, tagged: bool = True, min_probability: float = 0.0, top: int | None = None
    ) -> Iterator[tuple[str, str, PivotParaphrase]]:
        """All phrases of the vocabulary with their tags (empty without) and paraphrases."""
        phrases = sorted(set().union(*(pairs.forward for pairs in self.pivots.values())))
        if tagged and not self.tags:
            raise SettingError("multi needs pairs of pivot phrases and tags", remedy="give tags")
        for phrase in phrases:
            by_tag = self._by_tag(phrase, tagged=tagged)
            for tag in sorted(by_tag, key=lambda name: name or ""):
                ranked = _ranked(phrase, *by_tag[tag], "ccb" if tag is None else "multi", False)
                for found in ranked[:top]:
                    if found.probability >= min_probability:
                        yield phrase, tag or "", found

    def write_table(
        self, path: Path | str, *, tagged: bool = True, min_probability: float = 1e-4, top: int | None = 50
    ) -> int:
        """Write `phrase ||| tag ||| paraphrase ||| probability ||| lang:pivot=share ...`; gives the lines written."""
        count = 0
        with writing(path) as file:
            for phrase, tag, found in self.table(tagged=tagged, min_probability=min_probability, top=top):
                reasons = " ".join(f"{s.language}:{s.pivot.replace(' ', '_')}={s.share:.6g}" for s in found.support)
                file.write(f"{phrase} ||| {tag} ||| {found.phrase} ||| {found.probability:.6g} ||| {reasons}\n")
                count += 1
        return count


def _ranked(phrase: str, sums: Sums, support: Reasons, model: str, include_identity: bool) -> list[PivotParaphrase]:
    total = sum(sums.values()) if model != "ccb" else 1.0
    ranked = sorted(sums.items(), key=lambda entry: (-entry[1], len(entry[0].split()), entry[0]))
    return [
        PivotParaphrase(name, value / total, tuple(sorted(support[name], key=lambda s: (-s.share, s[:2]))))
        for name, value in ranked
        if include_identity or name != phrase
    ]
