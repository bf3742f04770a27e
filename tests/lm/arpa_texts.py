"""Small ARPA files, and slow, obvious versions of what models do with them."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


@dataclass
class Table:
    """Probabilities and back-off weights by n-gram (words oldest first), as numbers, not logarithms."""

    order: int
    p: dict[tuple[str, ...], float] = field(default_factory=dict)
    b: dict[tuple[str, ...], float] = field(default_factory=dict)

    def arpa(self) -> str:
        lines = ["\\data\\"]
        levels = [sorted(ngram for ngram in self.p if len(ngram) == n) for n in range(1, self.order + 1)]
        lines += [f"ngram {n}={len(level)}" for n, level in enumerate(levels, 1)]
        for n, level in enumerate(levels, 1):
            lines += ["", f"\\{n}-grams:"]
            for ngram in level:
                backoff = f"\t{math.log10(self.b[ngram]):.9g}" if ngram in self.b and n < self.order else ""
                lines.append(f"{math.log10(self.p[ngram]):.9g}\t{' '.join(ngram)}{backoff}")
        return "\n".join([*lines, "", "\\end\\", ""])

    def logprob(self, context: Sequence[str], word: str) -> float:
        """The definition: the longest listed n-gram, after paying for the contexts that are listed and do not help."""
        known = {ngram[0] for ngram in self.p if len(ngram) == 1}
        word = word if word in known else "<unk>"
        history = tuple(token if token in known else "<unk>" for token in context)[-(self.order - 1) or len(context) :]
        if self.order == 1:
            history = ()
        paid = 0.0
        while True:
            if (*history, word) in self.p:
                return paid + math.log(self.p[(*history, word)])
            paid += math.log(self.b.get(history, 1.0)) if history in self.p else 0.0
            history = history[1:]


def random_table(seed: int, *, order: int = 3, closed: bool = True, large_backoffs: bool = True) -> Table:
    """A table over a few words, with holes if it need not be closed under taking parts; not normalised."""
    chance = random.Random(seed)
    words = ["<s>", "</s>", "<unk>", "a", "b", "c"][: 4 + chance.randrange(3)]
    table = Table(order)
    top = 1.5 if large_backoffs else 1.0

    def add(ngram: tuple[str, ...]) -> None:
        table.p[ngram] = chance.uniform(0.01, 0.4)
        if len(ngram) < order and chance.random() < 0.8:
            table.b[ngram] = chance.uniform(0.3, top)

    for word in words:
        add((word,))
    for n in range(2, order + 1):
        for ngram in itertools.product(words, repeat=n):
            if "<s>" in ngram[1:] or "</s>" in ngram[:-1] or chance.random() > 0.35:
                continue
            if not closed or (ngram[1:] in table.p and ngram[:-1] in table.p):
                add(ngram)
    return table


def histories(words: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    """All histories up to a length."""
    for n in range(length + 1):
        yield from itertools.product(words, repeat=n)


EXAMPLE = Table(
    3,
    p={
        ("<s>",): 1.0, ("a",): 0.4, ("b",): 0.3, ("</s>",): 0.2, ("<unk>",): 0.1,
        ("<s>", "a"): 0.6, ("a", "b"): 0.5, ("b", "a"): 0.45, ("<s>", "a", "b"): 0.8, ("b", "a", "b"): 0.35,
    },
    b={("<s>",): 0.5, ("a",): 0.8, ("b",): 1.2, ("<s>", "a"): 0.9, ("a", "b"): 0.7, ("b", "a"): 1.5},
)  # fmt: skip
"""The worked example of max-ARPA bounds."""
