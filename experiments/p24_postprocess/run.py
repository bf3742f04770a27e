"""Case and spacing after decoding: rules, a language model, and a conditional random field.

    python experiments/p24_postprocess/run.py --out docs/experiments/p24-text

Green, Cer and Manning (2014) restore case by a language model (Lita, Ittycheriah, Roukos and Kambhatla 2003) or case
and spacing by a conditional random field that learns to undo the pre-processor. Here each is trained on the English
side of package descriptions of Debian and undoes, on other lines of it, a pre-processor that tokenises and writes
everything in lower case. `rules` is what a model of dragoman does without being taught: the most frequent case of a
word, capitals at the beginnings of sentences, and the detokenizer. `tokens` is the share of tokens in their right case,
`lines` the share of lines that come back letter by letter (for the language model after the same detokenizer), `p` that
of a sign test of it against `rules`, `seconds` those of applying it.

With `--small` a synthetic text stands in.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.evaluation.contingency import mcnemar
from dragoman.files import read_lines
from dragoman.search.recaser import Recaser
from dragoman.text import synthetic
from dragoman.text.postprocessor import LearnedPostprocessor
from dragoman.text.tokenizer import Detokenizer, Tokenizer
from dragoman.text.truecaser import Truecaser, detruecase
from experiments.common import Claim, Table, arguments, dot_plot, publish

DATA = Path(os.environ.get("DRAGOMAN_DATA", Path(__file__).parent.parent.parent.parent / "shared" / "data"))


def texts(options: Any) -> tuple[list[str], list[str]]:
    """Lines to learn from, and lines to restore."""
    if options.small:
        items = synthetic.pair("en-de").splits(train=300, dev=1, test=60, seed=1)
        return [item.source.text for item in items.train], [item.source.text for item in items.test]
    lines = list(read_lines(DATA / "debian" / "en-de" / "train.en.gz"))
    return lines[: options.train], list(read_lines(DATA / "debian" / "en-de" / "test.en"))[: options.test]


def main() -> None:
    options = arguments(__doc__, out="docs/experiments/p24-text", small=False, train=4000, test=1000, iterations=40)
    train, test = texts(options)
    tokenizer, detokenizer = Tokenizer("en"), Detokenizer("en")

    def tokens(lines: list[str]) -> list[list[str]]:
        return [list(each) for each in tokenizer.tokenize(lines)]

    def prepare(lines: Any) -> list[str]:
        return [" ".join(each).lower() for each in tokens(list(lines))]

    cased = tokens(train)
    rows = []
    right: dict[str, list[bool]] = {}
    with tempfile.TemporaryDirectory() as folder:
        counts = Truecaser.train(cased)
        recaser = Recaser.train(cased, Path(folder) / "case")
        learned = LearnedPostprocessor.train(train, prepare, iterations=options.iterations)
        lowered = [line.split() for line in prepare(test)]

        def best(each: list[str]) -> list[str]:
            known = (counts.forms.get(word, {word: 1}) for word in each)
            return detruecase([max(forms, key=forms.__getitem__) for forms in known])

        def spaced(each: list[list[str]]) -> list[str]:
            return list(detokenizer.detokenize(each))

        ways: dict[str, Callable[[], list[str]]] = {
            "rules": lambda: spaced([best(each) for each in lowered]),
            "language model": lambda: spaced(recaser.apply(lowered)),
            "random field": lambda: learned.apply(" ".join(each) for each in lowered),
        }
        for name, way in ways.items():
            started = time.process_time()
            restored = way()
            seconds = time.process_time() - started
            right[name] = [one == other for one, other in zip(restored, test, strict=True)]
            pairs = [
                (one, other)
                for ours, theirs in zip(tokens(restored), tokens(test), strict=True)
                if len(ours) == len(theirs)
                for one, other in zip(ours, theirs, strict=True)
                if one.lower() == other.lower() and other.lower() != other.upper()
            ]
            rows.append(
                {
                    "way": name,
                    "tokens": sum(one == other for one, other in pairs) / len(pairs),
                    "lines": sum(right[name]) / len(test),
                    "p": mcnemar(right[name], right["rules"]),
                    "seconds": seconds,
                }
            )
            print(rows[-1], flush=True)
    table = Table(("way",), tuple(rows))

    def better(way: str) -> Callable[[Table], bool]:
        def holds(found: Table) -> bool:
            return found.mean("lines", way=way) > found.mean("lines", way="rules") and found.mean("p", way=way) < 0.05

        return holds

    claims = [
        Claim("a language model restores more lines than counts of forms", better("language model")),
        Claim("a random field restores more lines than rules", better("random field")),
        Claim("some way restores 98 % of lines", lambda t: max(row["lines"] for row in t.rows) >= 0.98),
    ]
    publish(
        "Case and spacing after decoding",
        __doc__,
        {"": (table, claims)},
        pictures={"plot": dot_plot(table, label=lambda row: row["way"], figure="tokens")},
        out=options.out,
        settings={name: value for name, value in vars(options).items() if name != "out"},
    )


if __name__ == "__main__":
    main()
