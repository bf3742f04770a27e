"""Records of a catalogue, and in which respect two of them are alike.

The typed task of 2013 (Agirre et al. 2013) asks of two records of museums and libraries not only how similar they are
but in what: author, people involved, time, place, event, subject, description. A record is a few fields of text. What
each type compares:

| type | text |
|---|---|
| general | all fields |
| author | the creators |
| people, location | names of people and of places in all fields (layer of entities) |
| time | years, decades and centuries in all fields |
| event | verbs in all fields (layer of parts of speech) |
| subject, description | these fields |

The baseline is the cosine of counts weighted by ln(N / number of records with the word), 0 where one side has nothing.

    >>> vases = [Record(str(at), title=text) for at, text in enumerate(["red vase", "blue vase", "map", "red map"])]
    >>> round(TermWeights.of(vases).cosine(["red", "vase"], ["blue", "vase"]), 5)
    0.31623
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.annotations.annotator import Annotator, reason
from dragoman.annotations.corpus import annotate_lines
from dragoman.errors import FormatError, InputError
from dragoman.files import display_name, read_lines
from dragoman.metrics.lexical import is_punctuation
from dragoman.plain_data import parse_json
from dragoman.similarity.words import cut

__all__ = [
    "TYPES",
    "Record",
    "RecordNames",
    "TermWeights",
    "annotate_records",
    "applicable_mean",
    "baseline_scores",
    "parse_record",
    "read_record_gold",
    "read_record_pairs",
    "read_records",
    "walk_pairs",
    "years_of",
]

TYPES = ("general", "author", "people", "time", "location", "event", "subject", "description")
FIELDS = {
    "dcTitle": "title",
    "dcSubject": "subject",
    "dcDescription": "description",
    "dcCreator": "creator",
    "dcDate": "date",
    "dcSource": "source",
}
"""Names of fields in files, and here."""
_PEOPLE, _PLACES = frozenset(["PER", "PERSON"]), frozenset(["LOC", "LOCATION", "GPE"])
_CENTURY = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\s+century\b", re.IGNORECASE)
_DECADE = re.compile(r"\b(1\d{2}0|20\d0)s\b")
_YEAR = re.compile(r"\b(1\d{3}|20\d{2})(?!\d|s\b)")
Number = NDArray[np.float64]


@dataclass(frozen=True)
class RecordNames:
    """What annotation adds to a record: names of people, of places, and verbs, lower-cased."""

    people: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Record:
    """An item of a catalogue; a field that it does not have is empty."""

    id: str
    title: str = ""
    subject: tuple[str, ...] = ()
    description: str = ""
    creator: tuple[str, ...] = ()
    date: tuple[str, ...] = ()
    source: str = ""
    names: RecordNames = RecordNames()

    @property
    def lines(self) -> tuple[str, ...]:
        """All fields that are not empty."""
        return tuple(
            filter(None, (self.title, *self.subject, self.description, *self.creator, *self.date, self.source))
        )

    @cached_property
    def years(self) -> tuple[int, ...]:
        """All times that are mentioned."""
        return years_of(" . ".join(self.lines))

    def words(self, kind: str) -> tuple[str, ...]:
        """What one of the `TYPES` compares."""
        if kind in ("people", "location", "event"):
            return {"people": self.names.people, "location": self.names.places, "event": self.names.verbs}[kind]
        if kind == "time":
            return tuple(map(str, self.years))
        lines = {"author": self.creator, "subject": self.subject, "description": (self.description,)}
        return tuple(_words(lines.get(kind, self.lines)))


def _words(lines: Iterable[str]) -> list[str]:
    return [word.lower() for line in lines for word in cut(line) if not is_punctuation(word)]


def years_of(text: str) -> tuple[int, ...]:
    """Years of a text; a decade is its middle, and so is a century.

    >>> years_of("painted in 1889, in the 1890s; frame 18th century")
    (1889, 1895, 1750)
    """
    found = [(each.start(), int(each.group(1))) for each in _YEAR.finditer(text)]
    found += [(each.start(), int(each.group(1)) + 5) for each in _DECADE.finditer(text)]
    found += [(each.start(), 100 * int(each.group(1)) - 50) for each in _CENTURY.finditer(text)]
    return tuple(dict.fromkeys(year for _, year in sorted(found)))


def annotate_records(records: Sequence[Record], annotator: Annotator, *, threads: int = 0) -> list[Record]:
    """The records with people, places and verbs, by an annotator that gives entities and parts of speech."""
    from dataclasses import replace

    lines = [line for record in records for line in record.lines]
    done = iter(list(annotate_lines(annotator, lines, threads=threads)))
    found = []
    for record in records:
        people: list[str] = []
        places: list[str] = []
        verbs: list[str] = []
        for _ in record.lines:
            sentence = next(done)
            if reason(sentence) is not None:
                continue
            for span in sentence.entities if sentence.layers.entities is not None else ():
                words = [word.lower() for word in sentence.words[span.start : span.end]]
                (people if span.label in _PEOPLE else places if span.label in _PLACES else []).extend(words)
            sentence.require("pos", needed_by="records")
            verbs += [word.lower() for word, kind in zip(sentence.words, sentence.pos, strict=True) if kind == "VERB"]
        found.append(replace(record, names=RecordNames(tuple(people), tuple(places), tuple(verbs))))
    return found


def read_records(path: Path | str) -> dict[str, Record]:
    """Records by id, one JSON object a line: `id`, `dcTitle`, `dcSubject` (a list), `dcDescription` and so on."""
    found: dict[str, Record] = {}
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        where = f"{display_name(path)}, line {number}"
        record = parse_record(line, where=where)
        if not record.id:
            raise FormatError("a record needs an id", where=where)
        if record.id in found:
            raise FormatError(f"two records have the id {record.id!r}", where=where)
        found[record.id] = record
    if not found:
        raise InputError("no records", where=str(path))
    return found


def parse_record(text: str, *, where: str) -> Record:
    """The record of a JSON object; the id may be missing."""
    plain = parse_json(text, where=where, remedy="write one object a line")
    if not isinstance(plain, dict) or not isinstance(plain.get("id", ""), (str, int)):
        raise FormatError("a record needs an id", where=where)
    unknown = sorted(set(plain) - {"id", *FIELDS})
    if unknown:
        raise FormatError(f"no field is called {unknown[0]!r}", where=where, remedy=f"id, {', '.join(FIELDS)}")
    values = {FIELDS[key]: _field(FIELDS[key], value, where) for key, value in plain.items() if key != "id"}
    return Record(str(plain.get("id", "")), **values)


def _field(name: str, value: Any, where: str) -> Any:
    parts = value if isinstance(value, list) else [] if value is None else [value]
    if not all(isinstance(part, (str, int)) for part in parts):
        raise FormatError(f"{name} is neither text nor a list of texts", where=where)
    texts = tuple(str(part).strip() for part in parts if str(part).strip())
    return texts if name in ("subject", "creator", "date") else " ".join(texts)


def read_record_pairs(path: Path | str, records: Mapping[str, Record]) -> list[tuple[Record, Record]]:
    """Pairs of ids, a tab between."""
    found = []
    for number, line in enumerate(read_lines(path), 1):
        where = f"{display_name(path)}, line {number}"
        ids = line.split("\t")
        if len(ids) != 2:
            raise FormatError(f"{len(ids)} fields", where=where, remedy="write two ids with a tab between them")
        for each in ids:
            if each not in records:
                raise FormatError(f"no record has the id {each!r}", where=where)
        found.append((records[ids[0]], records[ids[1]]))
    return found


def read_record_gold(path: Path | str) -> Number:
    """A row of eight numbers for each pair, in the order of `TYPES`."""
    rows = []
    for number, line in enumerate(read_lines(path), 1):
        where = f"{display_name(path)}, line {number}"
        cells = line.split("\t")
        if len(cells) != len(TYPES):
            raise FormatError(f"{len(cells)} columns", where=where, remedy=f"{len(TYPES)}: {', '.join(TYPES)}")
        try:
            row = [float(cell) for cell in cells]
        except ValueError:
            raise FormatError("a score is no number", where=where) from None
        if not all(map(math.isfinite, row)):
            raise FormatError("a score is no number", where=where)
        rows.append(row)
    return np.array(rows, np.float64).reshape(-1, len(TYPES))


@dataclass(frozen=True)
class TermWeights:
    """How many records have each word; words that none has count as in one."""

    records: int
    counts: Mapping[str, int]

    @classmethod
    def of(cls, records: Iterable[Record]) -> TermWeights:
        """Count in a collection."""
        counts: Counter[str] = Counter()
        total = 0
        for record in records:
            total += 1
            counts.update({word for kind in TYPES for word in record.words(kind)})
        if not total:
            raise InputError("no records to count words in")
        return cls(total, counts)

    def weight(self, word: str) -> float:
        """ln(N / records that have it)."""
        return math.log(self.records / self.counts.get(word, 1))

    def cosine(self, first: Sequence[str], second: Sequence[str]) -> float:
        """Of weighted counts; 0 if one side is empty; equal texts are 1 even if every record has their words."""
        ours, theirs = Counter(first), Counter(second)
        if not ours or not theirs:
            return 0.0
        if ours == theirs:
            return 1.0
        return min(1.0, sum(self.shares(first, second).values()))

    def shares(self, first: Sequence[str], second: Sequence[str]) -> dict[str, float]:
        """What each word that both sides have adds to the cosine."""
        sides = [{word: n * self.weight(word) for word, n in Counter(side).items()} for side in (first, second)]
        lengths = [math.sqrt(sum(value * value for value in side.values())) for side in sides]
        if not all(lengths):
            return {}
        common = sorted(sides[0].keys() & sides[1].keys())  # so that sums are the same from either side
        return {word: sides[0][word] * sides[1][word] / (lengths[0] * lengths[1]) for word in common}

    def save(self, folder: Path) -> None:
        """Write a file."""
        counted = {"records": self.records, "counts": dict(self.counts)}
        (folder / "words.json").write_text(json.dumps(counted, ensure_ascii=False) + "\n", "utf-8")

    @classmethod
    def open(cls, folder: Path) -> TermWeights:
        """Read it again."""
        file = folder / "words.json"
        plain = parse_json(file.read_bytes(), where=str(file))
        try:
            return cls(int(plain["records"]), {str(word): int(count) for word, count in plain["counts"].items()})
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise FormatError(f"damaged model: {error}", where=str(file), remedy="fit it again") from None


def baseline_scores(first: Record, second: Record, weights: TermWeights) -> dict[str, float]:
    """The cosine of what each type compares, 0 to 1."""
    return {kind: weights.cosine(first.words(kind), second.words(kind)) for kind in TYPES}


def walk_pairs(
    seeds: Iterable[str], similar: Callable[[str], Sequence[str]], *, steps: int = 5
) -> list[tuple[str, str, int]]:
    """Pairs at distance 1 and 2 on a walk from seeds to similar records, none of which is visited twice.

    >>> near = {"a": ["b", "c"], "b": ["a", "d"], "c": [], "d": ["b"]}
    >>> walk_pairs(["a"], near.__getitem__, steps=1)
    [('a', 'b', 1), ('a', 'c', 1), ('a', 'd', 2)]
    """
    found: dict[frozenset[str], tuple[str, str, int]] = {}

    def emit(one: str, other: str, distance: int) -> None:
        if one != other:
            found.setdefault(frozenset((one, other)), (one, other, distance))

    for seed in seeds:
        visited, frontier = {seed}, [seed]
        for _ in range(steps):
            following: list[str] = []
            for place in frontier:
                fresh = [each for each in similar(place) if each not in visited]
                for each in fresh:
                    emit(place, each, 1)
                for each in fresh:
                    for beyond in similar(each):
                        if beyond not in visited and beyond not in fresh:
                            emit(place, beyond, 2)
                visited.update(fresh)
                following += fresh
            frontier = following
    return list(found.values())


def applicable_mean(ratings: Sequence[float | None]) -> float:
    """The mean of those who found that a type applies; 0 if nobody did.

    >>> applicable_mean([4, None, 5, None, 3])
    4.0
    """
    given = [rating for rating in ratings if rating is not None]
    return sum(given) / len(given) if given else 0.0
