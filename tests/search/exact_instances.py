"""Tiny translation problems whose derivations can all be written down, for tests of exact search."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from math import log
from pathlib import Path

from dragoman.grammar.rule import Rule
from dragoman.grammar.writing import write_table
from dragoman.lm import NgramModel
from dragoman.search.phrase import LanguageModel, PhraseDecoder, PhraseSettings
from tests.lm.arpa_texts import EXAMPLE, Table, random_table

__all__ = ["Choice", "Instance", "one_option_each", "random_instance", "worked_example"]


@dataclass(frozen=True)
class Choice:
    """A phrase pair in its place; scores of rules alone."""

    start: int
    end: int
    target: tuple[str, ...]
    score: float


@dataclass(frozen=True)
class Instance:
    """A decoder, a sentence, and what the problem is made of."""

    decoder: PhraseDecoder
    source: str
    choices: tuple[Choice, ...]

    def derivations(self) -> Iterator[tuple[tuple[Choice, ...], float]]:
        """All of them, with their scores, step by step as the definition says."""
        settings, weights = self.decoder.settings, self.decoder.weights
        length, limit, price = len(self.source.split()), settings.distortion_limit, weights["distortion"]

        def language_models(words: tuple[str, ...]) -> float:
            total = 0.0
            for use in self.decoder.language_models:
                said = words if use.classes is None else tuple(use.classes.get(w, use.classes["<unk>"]) for w in words)
                total += weights[use.name] * float(use.model.score([" ".join(said)])[0])
            return total

        def extend(done: tuple[Choice, ...], covered: frozenset[int], end: int, score: float) -> Iterator:  # type: ignore[type-arg]
            if len(covered) == length:
                score -= price * abs(length - end) * settings.final_jump
                yield done, score + language_models(tuple(word for each in done for word in each.target))
                return
            gap = min(set(range(length)) - covered)
            for each in self.choices:
                inside = frozenset(range(each.start, each.end))
                if inside & covered:
                    continue
                if limit >= 0 and each.start != gap and (abs(each.start - end) > limit or each.end - gap > limit):
                    continue
                jump = price * abs(each.start - end)
                yield from extend((*done, each), covered | inside, each.end, score + each.score - jump)

        yield from extend((), frozenset(), 0, 0.0)


def _model(table: Table, folder: Path, name: str) -> NgramModel:
    path = folder / f"{name}.arpa"
    path.write_text(table.arpa())
    return NgramModel.read_arpa(path)


def make(
    folder: Path,
    source: str,
    choices: list[Choice],
    models: list[tuple[LanguageModel, float]],
    *,
    distortion: float,
    limit: int,
    final_jump: bool,
) -> Instance:
    words = source.split()
    rules = [Rule(tuple(words[each.start : each.end]), each.target, values={"tm": each.score}) for each in choices]
    table = write_table(rules, folder / "table.rules", columns=["tm"])
    weights = {"tm": 1.0, "distortion": distortion, **{use.name: weight for use, weight in models}}
    settings = PhraseSettings(distortion_limit=limit, final_jump=final_jump, pop_limit=3, beam=3)
    decoder = PhraseDecoder(table, [use for use, _ in models], weights, settings)
    return Instance(decoder, source, tuple(choices))


def worked_example(folder: Path) -> Instance:
    """Two source words, each translated as a or b, under the worked table of max-ARPA values."""
    choices = [
        Choice(0, 1, ("a",), log(0.1)),
        Choice(0, 1, ("b",), log(0.9)),
        Choice(1, 2, ("b",), log(0.7)),
        Choice(1, 2, ("a",), log(0.3)),
    ]
    model = LanguageModel("lm", _model(EXAMPLE, folder, "lm"))
    return make(folder, "x y", choices, [(model, 1.0)], distortion=-log(0.8), limit=2, final_jump=True)


def one_option_each(folder: Path, length: int, limit: int) -> Instance:
    """A sentence whose words have one translation each: only their order is free."""
    choices = [Choice(at, at + 1, ("a",), -0.5) for at in range(length)]
    model = LanguageModel("lm", _model(EXAMPLE, folder, "lm"))
    source = " ".join(f"s{at}" for at in range(length))
    return make(folder, source, choices, [(model, 1.0)], distortion=0.1, limit=limit, final_jump=True)


def random_instance(seed: int, folder: Path) -> Instance:
    """Up to four source words, one to three options a span, one or two language models, any switch."""
    rng = random.Random(seed)
    length = rng.randint(1, 4)
    source = " ".join(f"s{i}" for i in range(length))
    models = []
    vocabulary: list[str] = []
    for number in range(rng.choice([1, 1, 1, 2])):
        table = random_table(rng.randrange(10**6), order=rng.randint(1, 4), closed=rng.random() < 0.6)
        vocabulary = [ngram[0] for ngram in table.p if len(ngram) == 1 and not ngram[0].startswith("<")]
        model = _model(table, folder, f"lm{number}")
        classes = None
        if number == 1 and rng.random() < 0.5:
            classes = {word: rng.choice(vocabulary) for word in [*vocabulary, "<unk>"]}
        weight = rng.choice([0.3, 1.0, 1.7]) * rng.choice([1, 1, 1, -1])
        models.append((LanguageModel(f"lm{number}", model, classes), weight))
    choices: dict[tuple[int, int, tuple[str, ...]], Choice] = {}
    for start in range(length):
        for end in range(start + 1, min(length, start + 3) + 1):
            if end > start + 1 and rng.random() < 0.5:
                continue
            for _ in range(rng.randint(1, 3)):
                target = tuple(rng.choice([*vocabulary, "oov"]) for _ in range(rng.choice([1, 1, 2, 3])))
                choices[start, end, target] = Choice(start, end, target, round(rng.uniform(-2, 0), 3))
    return make(
        folder,
        source,
        list(choices.values()),
        models,
        distortion=rng.choice([0.0, 0.2, 0.7]),
        limit=rng.choice([-1, 0, 1, 2, 3, 4]),
        final_jump=rng.random() < 0.5,
    )
