"""Case and spacing after decoding: rules, a language model, and a conditional random field.

    python experiments/p24_postprocess/run.py --out docs/experiments/p24-text

Green, Cer and Manning (2014) restore case by a language model (Lita, Ittycheriah, Roukos and Kambhatla 2003) or case
and spacing by a conditional random field that learns to undo the pre-processor. Here each is trained on the English
side of package descriptions of Debian and undoes, on other lines of it, a pre-processor that tokenises and writes
everything in lower case. `rules` is what a model of dragoman does without being taught: the most frequent case of a
word, capitals at the beginnings of sentences, and the detokenizer. `tokens` is the share of tokens in their right case,
`lines` the share of lines that come back letter by letter (for the language model after the same detokenizer), `p` that
of a sign test of it against `rules`, `seconds` those of applying it.

Then each is a step after decoding, in a model that translates German descriptions into English (`--pairs` to learn
from, the usual recipe but for `aligner=fast` and weights that are not tuned; `--translated` segments). `truecased,
rules` is the usual recipe; the others train and decode lower-cased text and share all but what restores it. BLEU is
cased; `p` against the usual recipe by approximate randomisation (two-sided, 10,000 samples).

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

import dragoman
from dragoman.evaluation.contingency import mcnemar
from dragoman.evaluation.resampling import SignificanceTest, compare_statistics
from dragoman.files import read_lines
from dragoman.metrics import get_metric
from dragoman.pipeline.model import Model, Preprocessors
from dragoman.pipeline.postprocessing import learn_postprocessing, with_postprocessing
from dragoman.pipeline.recipe import Recipe
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


WAYS = {
    "truecased, rules": ("truecase", "rules"),
    "lower-cased, rules": ("lowercase", "rules"),
    "lower-cased, language model": ("lowercase", "language-model"),
    "lower-cased, random field": ("lowercase", "random-field"),
}
"""What becomes of capitals before decoding, and what restores them."""
USUAL = next(iter(WAYS))


def pairs(options: Any) -> tuple[list[str], list[str], list[str], list[str]]:
    """German and English to learn from, and to translate."""
    if options.small:
        items = synthetic.pair("en-de").splits(train=200, dev=1, test=30, seed=2)
        sides = [[(item.target.text, item.source.text) for item in part] for part in (items.train, items.test)]
    else:
        folder = DATA / "debian" / "en-de"
        files = ("train.{}.gz", options.pairs), ("test.{}", options.translated)
        sides = [
            list(zip(*(list(read_lines(folder / name.format(side)))[:size] for side in ("de", "en")), strict=True))
            for name, size in files
        ]
    (source, target), (test, references) = (map(list, zip(*part, strict=True)) for part in sides)
    return source, target, test, references


def translations(options: Any, folder: Path) -> Table:
    """Two models, and the ways from their tokens to text."""
    source, target, test, references = pairs(options)
    scorer = get_metric("bleu")
    prepared = scorer.prepare(references)
    models: dict[str, Model] = {}
    rows: list[dict[str, Any]] = []
    usual: Any = None
    for name, (case, way) in WAYS.items():
        if case not in models:
            wanted = [f"case={case}", "aligner=fast", "tuner=none", "templates=", "classes=0"]
            recipe, output = Recipe().changed(wanted), folder / f"model-{case}"
            models[case] = dragoman.train(source, target, languages=("de", "en"), recipe=recipe, output=output)
        before, after = models[case].preprocessors
        place = folder / f"{case}-{way}"
        place.mkdir()
        if way != "rules":
            learn_postprocessing(way, after, target, place, lines=options.train, iterations=options.iterations)
        model = models[case].with_preprocessors(Preprocessors(before, with_postprocessing(way, after, place)))
        found = scorer.statistics([each.text for each in model.translate(test)], prepared)
        score, p = 100 * float(scorer.scores(found.sum(axis=0)[None, :])[0]), float("nan")
        if usual is None:
            usual = found
        else:
            chance = SignificanceTest(samples=1000 if options.small else 10_000)
            p = compare_statistics(found, usual, scorer.scores, chance).p
        rows.append({"way": name, "BLEU": score, "p": p})
        print(rows[-1], flush=True)
    return Table(("way",), tuple(rows))


def main() -> None:
    sizes = {"train": 4000, "test": 1000, "iterations": 40, "pairs": 8000, "translated": 500}
    options = arguments(__doc__, out="docs/experiments/p24-text", small=False, **sizes)
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
        translated = translations(options, Path(folder))
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

    def beats(way: str) -> Callable[[Table], bool]:
        def holds(found: Table) -> bool:
            return found.mean("BLEU", way=way) > found.mean("BLEU", way=USUAL) and found.mean("p", way=way) < 0.05

        return holds

    in_translation = [
        Claim(f"{way} translates better than {USUAL}", beats(way)) for way in WAYS if not way.endswith("rules")
    ]
    publish(
        "Case and spacing after decoding",
        __doc__,
        {"Lines restored": (table, claims), "In translation": (translated, in_translation)},
        pictures={"plot": dot_plot(table, label=lambda row: row["way"], figure="tokens")},
        out=options.out,
        settings={name: value for name, value in vars(options).items() if name != "out"},
    )


if __name__ == "__main__":
    main()
