"""TINE: adequacy from predicates and their arguments, beside the overlap of words.

Rios, Aziz and Specia (2011). N-grams do not see whether "who did what to whom" survived. TINE adds to the cosine of the
bags of words (L) an adequacy term (A): verbs of hypothesis and reference are aligned if an ontology relates them (see
`dragoman.semantics.verbs`), arguments with the same role are compared, and where their words differ both sides are
widened by words that occur in the same contexts. A segment scores (alpha L + beta A) / (alpha + beta), the best over
its references; a system scores the mean over segments.

Adequacy looks at the reference only: what a hypothesis says beyond it costs nothing. A reference without predicates, or
a predicate without arguments, has an adequacy of 0, unless `no_predicate` says that words alone decide then. An empty
hypothesis scores 0 against a reference that is not empty.

    >>> from dragoman.metrics import get_metric
    >>> words = get_metric("tine:beta=0")
    >>> round(words.corpus_score(["the cat sat"], ["the cat sat down"]), 4)
    0.866
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from dragoman.align.word_rows import RowLink, draw_word_rows
from dragoman.annotations import annotator_chain
from dragoman.annotations.annotator import Annotator, reason
from dragoman.annotations.corpus import annotate_lines
from dragoman.annotations.sentence import Sentence
from dragoman.drawing import Drawing
from dragoman.errors import InputError, SettingError
from dragoman.metrics.base import Floats, PreparedReferences
from dragoman.metrics.bleu import BleuPlusOne
from dragoman.metrics.genetic import Evolution, evolve
from dragoman.metrics.lexical import STEMMERS, prepare_lines, stem
from dragoman.metrics.references import Numbers, References
from dragoman.metrics.role_matching import (
    Neighbors,
    PredicateRoles,
    RoleMatch,
    argument_score,
    assignment,
    predicates,
    verb_score,
)
from dragoman.metrics.segment_means import SegmentMeans
from dragoman.metrics.tokenize import TOKENIZERS, tokenizer_signature
from dragoman.semantics.profiles import Profiles
from dragoman.semantics.verbs import VerbOntology, open_ontology
from dragoman.settings import check_argument, setting

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["Tine", "TineReasons", "tune_weights"]


class _Analysed(NamedTuple):
    """A line as the metric sees it: its words, and predicates where roles count, with the tokens that they stand in."""

    words: tuple[str, ...]
    predicates: tuple[PredicateRoles, ...]
    tokens: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _TineReferences:
    lines: list[_Analysed]

    def take(self, segments: Numbers, lines: Numbers) -> _TineReferences:
        return _TineReferences([self.lines[line] for line in lines.tolist()])


@dataclass(frozen=True)
class TineReasons:
    """Why a segment scores: both parts, the predicates that were aligned, and what became of each role."""

    score: float
    lexical: float
    adequacy: float
    reference: int
    """Which of the references was the best."""
    roles: tuple[RoleMatch, ...]
    lost: tuple[str, ...]
    """Predicates of the reference that nothing in the hypothesis stands for."""
    tokens: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    """The words of hypothesis and reference."""
    links: tuple[RowLink, ...] = ()
    """Equal words, predicates that were aligned, and the arguments that share a role."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "score": self.score,
            "lexical": self.lexical,
            "adequacy": self.adequacy,
            "reference": self.reference,
            "roles": [role.to_dict() for role in self.roles],
            "lost": list(self.lost),
            "tokens": [list(side) for side in self.tokens],
            "links": [
                {"hypothesis": list(link.first), "reference": list(link.second), "reason": link.reason}
                for link in self.links
            ],
        }

    def drawing(self) -> Drawing:
        """The hypothesis above the reference, with lines between predicates and between arguments of the same role."""
        return draw_word_rows(*self.tokens, self.links)

    def _repr_html_(self) -> str:
        return self.html_part()

    def html_part(self) -> str:
        """A section of a page."""
        head = f"tine: {self.score:.4f} (words {self.lexical:.4f}, adequacy {self.adequacy:.4f})"
        rows = "".join(
            f"<tr><td>{escape(each.first_predicate)} = {escape(each.second_predicate)} ({escape(each.reason)})</td>"
            f"<td>{escape(each.role)}</td><td>{escape(each.first)}</td><td>{escape(each.second)}</td>"
            f"<td>{each.score:.2f}</td></tr>"
            for each in self.roles
        )
        names = "<tr><th>predicates</th><th>role</th><th>hypothesis</th><th>reference</th><th>score</th></tr>"
        lost = f"<p><small>lost: {escape(', '.join(self.lost))}</small></p>" if self.lost else ""
        table = f"<table>{names}{rows}</table>" if rows else ""
        figure = f'<figure class="wide">{self.drawing().svg()}</figure>'
        return f"<section><h2>{head}</h2>{figure}{table}{lost}</section>"

    def __rich__(self) -> RenderableType:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        head = f"tine {self.score:.4f}: words {self.lexical:.4f}, adequacy {self.adequacy:.4f}"
        table = Table("predicates", "role", "hypothesis", "reference", "score", box=None, pad_edge=False)
        for role in self.roles:
            verbs = f"{role.first_predicate} = {role.second_predicate} ({role.reason})"
            table.add_row(Text(verbs), role.role, Text(role.first), Text(role.second), f"{role.score:.2f}")
        lost = [Text(f"lost: {', '.join(self.lost)}", style="dim")] if self.lost else []
        sides = [Text(" ".join(side)) for side in self.tokens if side]
        return Group(Text(head, style="bold"), *sides, table, *lost)


@dataclass(frozen=True, kw_only=True)
class Tine(SegmentMeans):
    """TINE: words, and predicates with their arguments (Rios, Aziz and Specia 2011)."""

    name: ClassVar[str] = "tine"
    columns: ClassVar[tuple[str, ...]] = (
        "score", "lexical", "adequacy", "predicates", "aligned", "roles", "shared roles", "no predicate",
        "none aligned", "segments",
    )  # fmt: skip

    alpha: float = setting(1.0, "Weight of the words.", least=0, most=1e6)
    beta: float = setting(
        0.25, "Weight of the adequacy of predicates and arguments; 0 needs no annotator.", least=0, most=1e6
    )
    lexical: str = setting(
        "words", "What words are compared as; bleu is sentence BLEU (TINE-B).", choices=("words", "stems", "bleu")
    )
    counts: bool = setting(False, "Count how often a word is there, instead of whether.")
    syntax: str = setting("", "The folder of a model that divides, tags and parses text (`dragoman annotate train`).")
    roles: str = setting("role-rules", "What finds predicates and arguments: role-rules, or the folder of a model.")
    ontology: str = setting(
        "wordnet",
        "Which verbs are related: wordnet, verbnet:PATH, verbocean:PATH, or none but equal ones.",
        valid=lambda spec: spec in ("wordnet", "none") or spec.partition(":")[0] in ("verbnet", "verbocean"),
        wanted="wordnet, none, verbnet:PATH or verbocean:PATH",
    )
    neighbors: str = setting("", "Profiles (`dragoman profiles build`) whose nearest words widen arguments.")
    k: int = setting(20, "So many neighbours of each word that differs.", least=0, most=1000)
    expand: str = setting(
        "always", "Widened arguments count always, or only where that is better.", choices=("always", "max")
    )
    alignment: str = setting(
        "one-to-one",
        "Verbs are aligned one to one for the best sum, every related pair (A may exceed 1), or from left to right.",
        choices=("one-to-one", "all", "first"),
    )
    no_predicate: str = setting(
        "zero", "References without predicates have no adequacy, or words alone decide.", choices=("zero", "words")
    )
    language: str = setting("en", "Of stems; WordNet is English.")
    tokenize: str = setting("13a", "How text is cut into words for the lexical part.", choices=TOKENIZERS)
    compose: bool = setting(False, "Compose accented letters (NFC) first.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.alpha + self.beta == 0:
            raise SettingError("tine: alpha and beta are both 0", remedy="one of them must count")
        if self.lexical == "stems":
            check_argument("language", self.language, label="stems", choices=STEMMERS)
        if self.beta > 0 and self.ontology == "wordnet" and self.language != "en":
            raise SettingError(
                f"WordNet is English, not {self.language!r}", remedy="choose another ontology, or beta=0"
            )

    def details(self, total: Floats) -> dict[str, float]:
        zero = {"segments without a predicate": float(total[7]), "segments without an aligned one": float(total[8])}
        return {**super().details(total), **zero}

    def signature_parts(self) -> dict[str, str]:
        said = {
            "alpha": f"{self.alpha:g}",
            "beta": f"{self.beta:g}",
            "lexical": self.lexical,
            "tok": tokenizer_signature(self.tokenize),
        }
        if self.lexical == "stems":
            said["lang"] = self.language
        if self.counts:
            said["counts"] = "yes"
        if self.beta > 0:
            said |= {
                "annotator": _chain(self.syntax, self.roles).identity if self.syntax else "none",
                "ontology": self.ontology.partition(":")[0],
                "neighbors": str(self.k) if self.neighbors else "no",
                "alignment": self.alignment,
                "empty": self.no_predicate,
            }
        return said

    def _prepare(self, references: References, threads: int) -> _TineReferences:
        return _TineReferences(self._analyse(references.lines, threads))

    def _analyse(self, lines: Sequence[str], threads: int) -> list[_Analysed]:
        lines = self._normalize(list(lines))
        tokens = prepare_lines(lines, self.tokenize, keep_punctuation=True, threads=threads)
        words = [tuple(line.split()) for line in tokens]
        if self.lexical == "stems":
            words = [tuple(stem(word, self.language) for word in line) for line in words]
        if self.beta == 0:
            return [_Analysed(line, (), tuple(text.split())) for line, text in zip(words, tokens, strict=True)]
        if not self.syntax:
            raise SettingError("tine needs a model that parses", remedy="give syntax=FOLDER, or beta=0 for words alone")
        sentences = annotate_lines(_chain(self.syntax, self.roles), lines, threads=threads)
        return [_Analysed(own, _predicates(found), found.words) for own, found in zip(words, sentences, strict=True)]

    def _statistics(self, hypotheses: list[str], prepared: PreparedReferences, threads: int) -> Floats:
        ours = self._analyse(hypotheses, threads)
        theirs: list[_Analysed] = prepared.state.lines
        rows = np.zeros((len(ours), self.width))
        starts = np.concatenate([[0], prepared.groups[:-1]])
        for at, (start, end) in enumerate(zip(starts.tolist(), prepared.groups.tolist(), strict=True)):
            candidates = [self._row(ours[at], theirs[line]) for line in range(start, end)]
            rows[at] = max(candidates, key=lambda row: row[0])
        return rows

    def parts(self, hypotheses: Sequence[str], references: Sequence[str], *, threads: int = 0) -> tuple[Floats, Floats]:
        """Lexical and adequacy values of each segment against one reference, which `tune_weights` combines."""
        ours, theirs = self._analyse(hypotheses, threads), self._analyse(references, threads)
        rows = np.array([self._row(h, r) for h, r in zip(ours, theirs, strict=True)]).reshape(-1, self.width)
        return rows[:, 1], rows[:, 2]

    def explain(self, hypothesis: str, references: Sequence[str]) -> TineReasons:
        """What was kept and what was lost, against the best of the references."""
        if not references:
            raise InputError("no reference to compare with")
        ours = self._analyse([hypothesis], 1)[0]
        theirs = self._analyse(list(references), 1)
        rows = [self._row(ours, reference) for reference in theirs]
        best = max(range(len(rows)), key=lambda at: rows[at][0])
        reference = theirs[best]
        pairs = self._aligned(ours.predicates, reference.predicates)
        near = self._neighbors()
        roles = []
        links = _equal_words(ours.tokens, reference.tokens)
        for i, j, why in pairs:
            one, other = ours.predicates[i], reference.predicates[j]
            here, there = one.position, other.position
            note = f"{one.lemma} = {other.lemma} ({why})"
            links.append(RowLink((here, here + 1), (there, there + 1), "predicate", note=note))
            for role in other.roles:
                said, meant = one.roles.get(role, frozenset()), other.roles[role]
                score = argument_score(said, meant, near, expand=self.expand) if role in one.roles else 0.0
                sides = (" ".join(sorted(said)), " ".join(sorted(meant)))
                roles.append(RoleMatch(one.lemma, other.lemma, why, role, *sides, score))
                if one.places.get(role) and other.places.get(role):
                    links.append(RowLink(_span(one.places[role]), _span(other.places[role]), role, score))
        kept = {j for _, j, _ in pairs}
        lost = tuple(one.lemma for j, one in enumerate(reference.predicates) if j not in kept)
        tokens = ours.tokens, reference.tokens
        score, words, adequacy = rows[best][:3]
        return TineReasons(score, words, adequacy, best, tuple(roles), lost, tokens, tuple(links))

    def _row(self, hypothesis: _Analysed, reference: _Analysed) -> list[float]:
        lexical = self._lexical(hypothesis.words, reference.words)
        wanted = reference.predicates
        pairs = self._aligned(hypothesis.predicates, wanted) if self.beta > 0 else []
        near = self._neighbors()
        total = sum(verb_score(hypothesis.predicates[i], wanted[j], near, expand=self.expand) for i, j, _ in pairs)
        adequacy = total / len(wanted) if wanted else 0.0
        shared = sum(len(hypothesis.predicates[i].roles.keys() & wanted[j].roles.keys()) for i, j, _ in pairs)
        beta = 0.0 if not wanted and self.no_predicate == "words" else self.beta
        score = (self.alpha * lexical + beta * adequacy) / (self.alpha + beta) if self.alpha + beta > 0 else 0.0
        counted = self.beta > 0
        return [
            score,
            lexical,
            adequacy,
            len(wanted),
            len(pairs),
            sum(len(one.roles) for one in wanted),
            shared,
            float(counted and not wanted),
            float(counted and bool(wanted) and not pairs),
            1.0,
        ]

    def _lexical(self, hypothesis: tuple[str, ...], reference: tuple[str, ...]) -> float:
        if not hypothesis or not reference:
            return float(hypothesis == reference)
        if self.lexical == "bleu":
            metric = BleuPlusOne(tokenize="none")
            return float(metric.sentence_scores([" ".join(hypothesis)], [" ".join(reference)], threads=1)[0])
        ours, theirs = Counter(hypothesis), Counter(reference)
        if not self.counts:
            ours, theirs = Counter(ours.keys()), Counter(theirs.keys())
        return (ours & theirs).total() / math.sqrt(ours.total() * theirs.total())

    def _aligned(self, ours: Sequence[PredicateRoles], theirs: Sequence[PredicateRoles]) -> list[tuple[int, int, str]]:
        """Predicates that correspond, and why."""
        if not ours or not theirs:
            return []
        ontology = _ontology(self.ontology)
        related = {
            (i, j): why
            for i, one in enumerate(ours)
            for j, other in enumerate(theirs)
            if (why := ontology.related(one.lemma, other.lemma)) is not None
        }
        if self.alignment == "all":
            return [(i, j, why) for (i, j), why in related.items()]
        if self.alignment == "first":
            taken: list[tuple[int, int, str]] = []
            for (i, j), why in related.items():
                if all(i != a and j != b for a, b, _ in taken):
                    taken.append((i, j, why))
            return taken
        near = self._neighbors()
        weights = [
            # a related pair is worth a little even where no role is shared, so that it is reported
            [
                verb_score(one, other, near, expand=self.expand) + 1e-6 if (i, j) in related else 0.0
                for j, other in enumerate(theirs)
            ]
            for i, one in enumerate(ours)
        ]
        distances = [[abs(one.position - other.position) for other in theirs] for one in ours]
        return [(i, j, related[i, j]) for i, j in assignment(weights, distances) if (i, j) in related]

    def _neighbors(self) -> Neighbors | None:
        return _nearest(self.neighbors, self.k) if self.neighbors and self.k else None


def _span(places: Sequence[int]) -> tuple[int, int]:
    return min(places), max(places) + 1


def _equal_words(first: Sequence[str], second: Sequence[str]) -> list[RowLink]:
    """Equal words, each used once, from left to right."""
    places: dict[str, list[int]] = {}
    for at, word in enumerate(second):
        places.setdefault(word, []).append(at)
    pairs = [(at, places[word].pop(0)) for at, word in enumerate(first) if places.get(word)]
    return [RowLink((i, i + 1), (j, j + 1), "same word", 0.0) for i, j in pairs]


def _predicates(sentence: Sentence) -> tuple[PredicateRoles, ...]:
    """Those of a sentence that could be annotated; an empty or unreadable line has none."""
    return () if reason(sentence) is not None else predicates(sentence, needed_by="tine")


@lru_cache(maxsize=2)
def _chain(syntax: str, roles: str) -> Annotator:
    return annotator_chain.load("+".join(part for part in (syntax, roles) if part))


@lru_cache(maxsize=4)
def _ontology(spec: str) -> VerbOntology:
    return open_ontology(spec)


@lru_cache(maxsize=2)
def _nearest(path: str, k: int) -> Neighbors:
    if not Path(path).is_dir():
        raise SettingError(f"{path!r} is no folder of profiles", remedy="make one with `dragoman profiles build`")
    profiles = Profiles.open(path)
    known = lru_cache(maxsize=2**16)(lambda word: [near.phrase for near in profiles.nearest(word, k=k)])
    return lambda word: known(word) if word in profiles else []


def tune_weights(
    lexical: Floats,
    adequacy: Floats,
    fitness: Callable[[Floats], float],
    *,
    population: int = 80,
    generations: int = 100,
    seed: int = 1,
) -> Evolution:
    """Weights (alpha, beta) for which the scores of segments please `fitness` most, by a genetic algorithm.

    `fitness` takes the scores, in the order of the parts that `Tine.parts` gave, and says how well they follow people
    (Kendall's tau, say). Only the ratio of the weights matters.
    """

    def value(weights: Sequence[float]) -> float:
        alpha, beta = weights
        total = alpha + beta
        return fitness((alpha * lexical + beta * adequacy) / total) if total > 0 else -math.inf

    return evolve(value, [(0.0, 1.0), (0.0, 1.0)], population=population, generations=generations, seed=seed)
