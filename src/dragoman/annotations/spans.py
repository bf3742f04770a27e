"""Spans by a conditional random field: chunks (CoNLL-2000) and named entities, from words, tags and their letters.

Both are labels on stretches of tokens that do not overlap; a linear-chain field over B-, I- and O labels sees the whole
sentence at once (Lafferty, McCallum and Pereira 2001; Sha and Pereira 2003). The field is that of CRFsuite, through
python-crfsuite: one small wheel without dependencies, kept by the scrapinghub project.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from dragoman.annotations.crfsuite import crfsuite
from dragoman.annotations.layers import Span
from dragoman.annotations.model import ModelAnnotator
from dragoman.annotations.sentence import Sentence
from dragoman.errors import FormatError, InputError
from dragoman.progress import Progress, ProgressCallback

__all__ = ["Chunker", "EntityRecognizer", "from_labels", "to_labels"]

_FILE = "model.crfsuite"
_OUTSIDE = "O"


def to_labels(spans: Iterable[Span], size: int) -> list[str]:
    """B-X, I-X and O for each token; spans must not overlap.

    >>> to_labels([Span("NP", 0, 2)], 3)
    ['B-NP', 'I-NP', 'O']
    """
    labels = [_OUTSIDE] * size
    for span in spans:
        if any(label != _OUTSIDE for label in labels[span.start : span.end]):
            raise InputError(f"span {span.label} at {span.start} overlaps another", remedy="keep the outer ones only")
        labels[span.start : span.end] = [f"I-{span.label}"] * (span.end - span.start)
        labels[span.start] = f"B-{span.label}"
    return labels


def from_labels(labels: Sequence[str]) -> tuple[Span, ...]:
    """The spans; an I-X that continues nothing starts a span, as the shared tasks' scorers have it.

    >>> from_labels(["B-NP", "I-NP", "O", "I-VP"])
    (Span(label='NP', start=0, end=2), Span(label='VP', start=3, end=4))
    """
    spans: list[Span] = []
    start, open_label = 0, ""
    for at, label in enumerate([*labels, _OUTSIDE]):
        kind, _, name = label.partition("-")
        if open_label and (kind != "I" or name != open_label):
            spans.append(Span(open_label, start, at))
            open_label = ""
        if kind != _OUTSIDE and not open_label:
            start, open_label = at, name
    return tuple(spans)


def _crfsuite() -> Any:
    return crfsuite("a model of chunks or entities")


class _SpanTagger(ModelAnnotator):
    """What the two have in common: they differ in their layer and in what they look at."""

    layer: ClassVar[str]
    needs = ("tags",)

    def __init__(self, model: bytes) -> None:
        super().__init__()
        self._model = model
        self._field = _crfsuite().Tagger()
        try:
            self._field.open_inmemory(model)
        except ValueError as error:
            raise FormatError(f"not a model of CRFsuite: {error}", remedy="train the model again") from None

    @classmethod
    def train(
        cls, sentences: Sequence[Sentence], *, epochs: int = 60, progress: ProgressCallback | None = None
    ) -> _SpanTagger:
        """Learn from sentences with tags and the layer."""
        import tempfile

        trainer = _crfsuite().Trainer(algorithm="lbfgs", verbose=False)
        trainer.set_params({"c1": 0.05, "c2": 0.05, "max_iterations": epochs, "feature.possible_transitions": True})
        for sentence in sentences:
            sentence.require(*cls.needs, cls.layer, needed_by="training")
            trainer.append(cls.features(sentence), to_labels(getattr(sentence, cls.layer), len(sentence)))
        if not sentences:
            raise InputError("nothing to learn from")
        if progress is not None:
            progress(Progress(cls.layer, 0, None))
        with tempfile.TemporaryDirectory() as folder:
            trainer.train(str(Path(folder) / _FILE))
            return cls((Path(folder) / _FILE).read_bytes())

    @staticmethod
    def features(sentence: Sentence) -> list[list[str]]:
        """What the field sees of each token."""
        raise NotImplementedError

    def add_layers(self, sentences: Sequence[Sentence], *, threads: int = 0) -> list[Sentence]:
        return [
            sentence.with_layers(**{self.layer: from_labels(self._field.tag(self.features(sentence)))})
            for sentence in sentences
        ]

    def write_parts(self, folder: Path) -> None:
        (folder / _FILE).write_bytes(self._model)

    @classmethod
    def read_parts(cls, folder: Path, settings: Mapping[str, Any]) -> _SpanTagger:
        return cls((folder / _FILE).read_bytes())


class Chunker(_SpanTagger):
    """Base phrases (NP, VP, PP, ...), trained on columns of words, tags and chunks as CoNLL-2000 has them."""

    name = "chunks"
    layer = "chunks"
    gives = ("chunks",)

    @staticmethod
    def features(sentence: Sentence) -> list[list[str]]:
        words = ["<", "<", *(word.lower() for word in sentence.words), ">", ">"]
        tags = ["<", "<", *sentence.tags, ">", ">"]
        found = []
        for at in range(2, len(words) - 2):
            w, t = words, tags
            found.append(
                [
                    f"w-2={w[at - 2]}", f"w-1={w[at - 1]}", f"w={w[at]}", f"w+1={w[at + 1]}", f"w+2={w[at + 2]}",
                    f"w-1w={w[at - 1]} {w[at]}", f"ww+1={w[at]} {w[at + 1]}",
                    f"t-2={t[at - 2]}", f"t-1={t[at - 1]}", f"t={t[at]}", f"t+1={t[at + 1]}", f"t+2={t[at + 2]}",
                    f"t-2t-1={t[at - 2]} {t[at - 1]}", f"t-1t={t[at - 1]} {t[at]}", f"tt+1={t[at]} {t[at + 1]}",
                    f"t+1t+2={t[at + 1]} {t[at + 2]}", f"t-2t={t[at - 2]} {t[at - 1]} {t[at]}",
                    f"t-1t+1={t[at - 1]} {t[at]} {t[at + 1]}", f"tt+2={t[at]} {t[at + 1]} {t[at + 2]}",
                    f"wt={w[at]} {t[at]}", f"t-1w={t[at - 1]} {w[at]}",
                ]
            )  # fmt: skip
        return found


class EntityRecognizer(_SpanTagger):
    """Names of persons, places, organisations, ..., trained on columns of words, tags and entities."""

    name = "entities"
    layer = "entities"
    gives = ("entities",)

    @staticmethod
    def features(sentence: Sentence) -> list[list[str]]:
        found = []
        size = len(sentence)
        for at in range(size):
            features = ["bias"]
            for step in (-2, -1, 0, 1, 2):
                if not 0 <= at + step < size:
                    features.append(f"edge{step}")
                    continue
                word, tag = sentence.words[at + step], sentence.tags[at + step]
                features += [f"w{step}={word.lower()}", f"t{step}={tag}", f"shape{step}={_outline(word)}"]
            word = sentence.words[at]
            features += [f"form={word}", f"first={at == 0}"]
            features += [f"pre{size}={word[:size]}" for size in (2, 3, 4)]
            features += [f"suf{size}={word[-size:]}" for size in (2, 3, 4)]
            found.append(features)
        return found


def _outline(word: str) -> str:
    """The word's letters as X, x, 0 and others as they are, repeats left out.

    >>> _outline("McDonald's-2")
    "XxXx'x-0"
    """
    out = ""
    for letter in word:
        mark = "X" if letter.isupper() else "x" if letter.isalpha() else "0" if letter.isdigit() else letter
        if not out.endswith(mark):
            out += mark
    return out
