"""Semantic roles by a trained labeller: which words are predicates, and which of their relatives fill which role.

Trained on propositions in the manner of PropBank: spans of arguments, given here over dependency trees. An argument is
learnt on its head (the token whose own head lies outside of the span) and given back as the subtree of that token
without the predicate (Surdeanu et al. 2008). Three classifiers: is this token a predicate, what is its sense, and what
is the role of this candidate. Candidates are the dependents of the predicate and of its governors, with their
dependents, which is where nearly all arguments stand (Xue and Palmer 2004, on dependencies). Core roles are given once
a predicate: the best candidate keeps them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dragoman.annotations.layers import Argument, Frame
from dragoman.annotations.learners import LabelClassifier
from dragoman.annotations.model import ModelAnnotator
from dragoman.annotations.role_rules import spans_of
from dragoman.annotations.sentence import Sentence
from dragoman.errors import InputError
from dragoman.progress import ProgressCallback

__all__ = ["RoleLabeler", "head_of"]

_NO = "_"
_STOPS = frozenset(".,;:!?")
"""Punctuation that ends no argument; brackets and quotation marks may."""
_CLAUSAL = frozenset(("nsubj", "csubj", "expl", "aux", "cop", "mark", "case", "cc", "advcl", "parataxis", "punct"))
"""Dependents of a governor that are said of its clause, or join it to another, not of the thing it names."""
_PATH = 6
"""A longer way through the tree is not described."""


class RoleLabeler(ModelAnnotator):
    """Predicates, their senses and their arguments, trained on propositions over dependency trees."""

    name = "roles"
    needs = ("pos", "lemmas", "dependencies")
    gives = ("frames",)

    def __init__(
        self, predicates: LabelClassifier, senses: LabelClassifier, arguments: LabelClassifier, known: Mapping[str, str]
    ) -> None:
        super().__init__()
        self._predicates, self._senses, self._arguments, self._known = predicates, senses, arguments, dict(known)
        self.settings = {"senses": self._known}

    @classmethod
    def train(
        cls,
        sentences: Sequence[Sentence],
        *,
        epochs: int = 8,
        seed: int = 1,
        least: float = 0.0,
        progress: ProgressCallback | None = None,
    ) -> RoleLabeler:
        """Learn from sentences with dependencies, tags, lemmas and frames."""
        is_predicate: tuple[list[list[str]], list[str]] = ([], [])
        which_sense: tuple[list[list[str]], list[str]] = ([], [])
        which_role: tuple[list[list[str]], list[str]] = ([], [])
        counts: dict[str, dict[str, int]] = {}
        for at, sentence in enumerate(sentences):
            try:
                sentence.require(*cls.needs, "frames", needed_by="training")
            except InputError as error:
                raise InputError(error.what, where=f"sentence {at + 1}", remedy=error.remedy) from None
            view = _View(sentence)
            frames = {frame.predicate: frame for frame in sentence.frames}
            for token in range(len(sentence)):
                is_predicate[0].append(view.token_features(token))
                is_predicate[1].append("P" if token in frames else _NO)
            for predicate, frame in frames.items():
                number = frame.sense.rpartition(".")[2]
                which_sense[0].append(view.sense_features(predicate))
                which_sense[1].append(number)
                lemma_counts = counts.setdefault(view.lemmas[predicate], {})
                lemma_counts[frame.sense] = lemma_counts.get(frame.sense, 0) + 1
                truth: dict[int, str] = {}
                for argument in frame.arguments:
                    if not argument.role.startswith("C-"):
                        truth.setdefault(head_of(sentence, argument), argument.role)
                for candidate in view.candidates(predicate):
                    which_role[0].append(view.argument_features(predicate, candidate))
                    which_role[1].append(truth.get(candidate, _NO))
        known = {lemma: max(found, key=lambda sense: (found[sense], sense)) for lemma, found in counts.items()}
        settings: dict[str, Any] = {"epochs": epochs, "seed": seed, "least": least, "progress": progress}
        return cls(
            LabelClassifier.train(*is_predicate, stage="predicates", **settings),
            LabelClassifier.train(*which_sense, stage="senses", **settings),
            LabelClassifier.train(*which_role, stage="roles", **settings),
            known,
        )

    def add_layers(self, sentences: Sequence[Sentence], *, threads: int = 0) -> list[Sentence]:
        views = [_View(sentence) for sentence in sentences]
        flags = self._predicates.best(
            [view.token_features(token) for view in views for token in range(len(view.lemmas))], threads=threads
        )
        places: list[tuple[_View, int]] = []
        flag = iter(flags)
        for view in views:
            places += [(view, token) for token in range(len(view.lemmas)) if next(flag) != _NO]
        senses = self._senses.best([view.sense_features(token) for view, token in places], threads=threads)
        candidates = [view.candidates(token) for view, token in places]
        items = [
            view.argument_features(token, candidate)
            for (view, token), some in zip(places, candidates, strict=True)
            for candidate in some
        ]
        rows = self._arguments.scores(items, threads=threads).tolist() if items else []
        frames: dict[int, list[Frame]] = {id(view): [] for view in views}
        at = 0
        for (view, token), some, number in zip(places, candidates, senses, strict=True):
            roles = _choose(self._arguments.labels.names, rows[at : at + len(some)], some)
            at += len(some)
            frames[id(view)].append(view.frame(token, self._sense(view.lemmas[token], number), roles))
        return [
            sentence.with_layers(frames=tuple(frames[id(view)]))
            for sentence, view in zip(sentences, views, strict=True)
        ]

    def _sense(self, lemma: str, number: str) -> str:
        """Of a lemma that training knew, its most frequent sense unless the classifier has another of its senses."""
        known = self._known.get(lemma)
        stem = known.rpartition(".")[0] if known else lemma
        return f"{stem}.{number}"

    def write_parts(self, folder: Path) -> None:
        self._predicates.save(folder, "predicates")
        self._senses.save(folder, "senses")
        self._arguments.save(folder, "arguments")

    @classmethod
    def read_parts(cls, folder: Path, settings: Mapping[str, Any]) -> RoleLabeler:
        predicates, senses, arguments = (
            LabelClassifier.load(folder, name) for name in ("predicates", "senses", "arguments")
        )
        return cls(predicates, senses, arguments, settings.get("senses", {}))


def head_of(sentence: Sentence, argument: Argument) -> int:
    """The token of a span whose head lies outside of it (the first, if there are several)."""
    heads = sentence.dependencies.heads
    inside = range(argument.start, argument.end)
    return next((token for token in inside if not argument.start <= heads[token] < argument.end), argument.start)


def _choose(names: Sequence[str], rows: Sequence[Sequence[float]], candidates: Sequence[int]) -> list[tuple[str, int]]:
    """The role of each candidate; a core role goes to the candidate that wants it most."""
    chosen: dict[int, tuple[str, float]] = {}
    for candidate, row in zip(candidates, rows, strict=True):
        best = max(range(len(row)), key=row.__getitem__)
        if names[best] != _NO:
            chosen[candidate] = (names[best], row[best])
    owners: dict[str, int] = {}
    for candidate, (role, score) in chosen.items():
        if _core(role) and (role not in owners or score > chosen[owners[role]][1]):
            owners[role] = candidate
    return [(role, at) for at, (role, _) in chosen.items() if not _core(role) or owners[role] == at]


def _core(role: str) -> bool:
    """A0 to A5, in either spelling."""
    return role.removeprefix("ARG").removeprefix("A")[:1].isdigit()


class _View:
    """A sentence with what the features ask about it, worked out once."""

    def __init__(self, sentence: Sentence) -> None:
        self.lemmas = [lemma.lower() for lemma in sentence.lemmas]
        self.words = [word.lower() for word in sentence.words]
        self.pos = sentence.pos
        self.tags = sentence.layers.tags or sentence.pos
        self.heads = sentence.dependencies.heads
        self.labels = sentence.dependencies.labels
        self.children: list[list[int]] = [[] for _ in self.heads]
        for token, head in enumerate(self.heads):
            if head >= 0:
                self.children[head].append(token)

    def token_features(self, token: int) -> list[str]:
        head = self.heads[token]
        label, above = self.labels[token], self.lemmas[head] if head >= 0 else "<root>"
        lemma, tag = self.lemmas[token], self.tags[token]
        down = ",".join(sorted(self.labels[child] for child in self.children[token]))
        return [
            f"l={lemma}", f"t={tag}", f"p={self.pos[token]}", f"lt={lemma} {tag}", f"d={label}", f"ld={lemma} {label}",
            f"td={tag} {label}", f"h={above} {label}", f"c={down}", f"lc={lemma} {down}", f"tc={tag} {down}",
            f"s={self.words[token][-3:]} {self.pos[token]}",
        ]  # fmt: skip

    def sense_features(self, token: int) -> list[str]:
        lemma = self.lemmas[token]
        below = [f"{lemma} c={self.labels[c]} {self.lemmas[c]}" for c in self.children[token]]
        labels = [f"{lemma} d={self.labels[c]}" for c in self.children[token]]
        return ["bias", f"l={lemma}", f"lt={lemma} {self.tags[token]}", *below, *labels]

    def candidates(self, predicate: int) -> list[int]:
        """Dependents of the predicate and, going up, of its governors; one level further below each."""
        found: list[int] = []
        seen = {predicate}

        def take(token: int) -> None:
            if token not in seen:
                seen.add(token)
                found.append(token)

        for child in self.children[predicate]:
            take(child)
            for below in self.children[child]:
                take(below)
        node = predicate
        while self.heads[node] >= 0:
            node = self.heads[node]
            take(node)
            for child in self.children[node]:
                take(child)
        return sorted(found)

    def _path(self, start: int, end: int) -> str:
        """Labels up from one token and down to the other."""
        up: list[int] = [start]
        while self.heads[up[-1]] >= 0:
            up.append(self.heads[up[-1]])
        down: list[int] = [end]
        while down[-1] not in up:
            down.append(self.heads[down[-1]])
        meeting = up.index(down[-1])
        steps = [f"^{self.labels[node]}" for node in up[:meeting]]
        steps += [f"v{self.labels[node]}" for node in reversed(down[:-1])]
        return "".join(steps[:_PATH]) + ("..." if len(steps) > _PATH else "")

    def argument_features(self, predicate: int, token: int) -> list[str]:
        lemma, tag, label = self.lemmas[predicate], self.tags[predicate], self.labels[token]
        path = self._path(predicate, token)
        side = "<" if token < predicate else ">"
        passive = any(":pass" in self.labels[child] for child in self.children[predicate])
        voice = "pass" if passive else "act"
        case = next((self.words[c] for c in self.children[token] if self.labels[c] in ("case", "mark")), "")
        frame = ",".join(sorted({self.labels[c] for c in self.children[predicate] if self.labels[c] != "punct"}))
        own, own_tag = self.lemmas[token], self.tags[token]
        near = min(abs(token - predicate), 5)
        return [
            "bias", f"p={path}", f"ps={path} {side}", f"pv={path} {voice} {side}", f"pl={path} {lemma}",
            f"plv={path} {lemma} {voice}", f"pt={path} {tag}", f"pc={path} {case}", f"plc={path} {lemma} {case}",
            f"d={label}", f"dl={label} {lemma}", f"dlv={label} {lemma} {voice} {side}", f"dc={label} {case}",
            f"o={own}", f"ot={own_tag}", f"od={own} {label}", f"ol={own} {lemma}", f"op={own} {path}",
            f"oc={own} {case}", f"tp={own_tag} {path}", f"td={own_tag} {label} {side}", f"f={frame} {path}",
            f"fl={frame} {path} {lemma}", f"n={near} {side} {label}", f"dv={label} {voice} {tag}", f"cl={case} {lemma}",
            f"ow={self.words[token]} {side}", f"pp={self.pos[token]} {path} {voice}",
        ]  # fmt: skip

    def _below(self, token: int, without: int) -> Iterator[int]:
        agenda = [token]
        while agenda:
            node = agenda.pop()
            yield node
            agenda += [child for child in self.children[node] if child != without]

    def frame(self, predicate: int, sense: str, roles: Sequence[tuple[str, int]]) -> Frame:
        """Roles on heads as spans: subtrees without the predicate, without full stops and commas at their ends."""
        arguments: list[Argument] = []
        taken = {token for _, token in roles}
        chain = {predicate}
        node = predicate
        while self.heads[node] >= 0:
            node = self.heads[node]
            chain.add(node)
        for role, token in roles:
            if token in chain:  # it governs the predicate: its own words are not said of the predicate again
                inside = sorted(self._governor_words(token, chain))
            else:
                inside = sorted(node for node in self._below(token, predicate) if node == token or node not in taken)
            while len(inside) > 1 and self.words[inside[-1]] in _STOPS:
                inside.pop()
            while len(inside) > 1 and self.words[inside[0]] in _STOPS:
                inside.pop(0)
            arguments += spans_of(role, inside)
        arguments.sort(key=lambda argument: (argument.start, argument.end))
        return Frame(predicate, sense, tuple(arguments))

    def _governor_words(self, token: int, chain: set[int]) -> Iterator[int]:
        """A governor with its dependents, without the branch of the predicate and what belongs to its clause."""
        yield token
        for child in self.children[token]:
            if child not in chain and self.labels[child].partition(":")[0] not in _CLAUSAL:
                yield from self._below(child, -1)
