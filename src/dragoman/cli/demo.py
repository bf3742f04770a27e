"""`dragoman demo`: the whole tool on a corpus that it makes itself, in a minute."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.output import Json, Seed, Threads, show, show_json, stdout

if TYPE_CHECKING:
    from dragoman.text.corpus import Bitext
    from dragoman.text.preprocessor import Preprocessor

DIRT = (
    ("", "Das fehlt auf der anderen Seite."),
    ("Page 17 of 90", "Page 17 of 90"),
    ("*** ---- ***", "#### !!!!"),
    ("The house is old.", "Дом старый."),
    ("A short line.", "Eine Zeile, die " + "sehr " * 40 + "lang ist."),
)
"""What real bitexts have between their good lines."""


class Demo:
    """The demonstration, step by step; each step shows what it did and adds to the report."""

    def __init__(self, folder: Path, *, size: int, seed: int, threads: int, quiet: bool) -> None:
        self.folder, self.size, self.seed, self.threads, self.quiet = folder, size, seed, threads, quiet
        self.report: dict[str, Any] = {}

    def run(self) -> None:
        bitext = self.step("A bitext with known word alignment", self.generate)
        bitext = self.step("Cleaning", lambda: self.clean(bitext))
        self.step("From raw text to tokens and back", lambda: self.preprocess(bitext))
        self.step("A language model of the German side", self.language_model)
        self.step("Word alignment, compared with the truth", self.align)
        self.step("A table of phrase pairs", self.extract)
        self.step("Translations of unseen sentences", self.translate)

    def step(self, title: str, work: Callable[[], Any]) -> Any:
        if not self.quiet:
            stdout().rule(title, align="left", style="dim")
        started = time.perf_counter()
        result = work()
        self.report.setdefault("seconds", {})[title] = round(time.perf_counter() - started, 2)
        return result

    def show(self, renderable: Any) -> None:
        if not self.quiet:
            show(renderable)

    def generate(self) -> Bitext:
        """Write a synthetic corpus, show some of it, and spoil it a little."""
        from dragoman.text import synthetic
        from dragoman.text.corpus import Bitext
        from dragoman.text.synthetic.export import write

        pair = synthetic.pair("en-de")
        parts = pair.splits(train=self.size, dev=self.size // 20, test=self.size // 20, seed=self.seed)
        sizes = write(pair, {"train": parts.train, "dev": parts.dev, "test": parts.test}, self.folder / "corpus")
        for item in pair.generate(2, seed=self.seed, start=self.size * 2):
            self.show(item)
        self.report["corpus"] = sizes
        clean = Bitext.open(self.folder / "corpus" / "train.en", self.folder / "corpus" / "train.de")
        return clean + Bitext.of(DIRT, languages=("en", "de"))

    def clean(self, bitext: Bitext) -> Bitext:
        """Remove what does not belong, and say why."""
        from dragoman.text.checks import Limits
        from dragoman.text.cleaning import clean
        from dragoman.text.corpus import Bitext

        paths = [self.folder / "clean.en", self.folder / "clean.de"]
        account = clean(bitext, paths, limits=Limits(languages=("en", "de")))
        self.show(account)
        self.report["cleaning"] = account.to_dict()
        return Bitext.open(*paths)

    def preprocess(self, bitext: Bitext) -> tuple[Preprocessor, Preprocessor]:
        """Learn both preprocessors, and check that what they do can be undone."""
        from rich.text import Text

        from dragoman.text.preprocessor import Preprocessing, Preprocessor

        sides = [[pair.source for pair in bitext], [pair.target for pair in bitext]]
        made = [
            Preprocessor.train(Preprocessing(language=language), texts, threads=self.threads)
            for language, texts in zip(("en", "de"), sides, strict=True)
        ]
        raw = "The old house costs <b>%d</b> euros; see https://example.org/houses."
        prepared = made[0].prepare(raw)
        self.show(Text(f"raw       {raw}"))
        self.show(Text(f"tokens    {' '.join(prepared.tokens[0])}"))
        self.show(Text(f"restored  {made[0].restore(prepared.tokens, prepared)}"))
        same = total = 0
        for preprocessor, texts in zip(made, sides, strict=True):
            for text, found in zip(texts, preprocessor.prepare_all(texts, threads=self.threads), strict=True):
                same += preprocessor.restore(found.tokens, found) == text
                total += 1
        self.show(Text(f"{same:,} of {total:,} lines restored exactly"))
        self.report["restored"] = {"lines": total, "exactly": same}
        return made[0], made[1]

    def tokens(self, part: str, language: str) -> list[str]:
        """The tokenised lines of a part of the corpus."""
        from dragoman.files import read_lines

        return list(read_lines(self.folder / "corpus" / f"{part}.tok.{language}"))

    def language_model(self) -> None:
        """Estimate a trigram model and ask it what it thinks of word order."""
        from rich.text import Text

        from dragoman.lm import estimate

        model = estimate(self.tokens("train", "de"), order=3).build()
        model.save(self.folder / "de.lm")
        perplexity = model.perplexity(self.tokens("test", "de"))
        best = self.tokens("test", "de")[0]
        shuffled = " ".join(sorted(best.split()))
        for text, score in zip((best, shuffled), model.score([best, shuffled]), strict=True):
            self.show(Text(f"{score:9.2f}  {text}"))
        unseen = f"perplexity of unseen text {perplexity.perplexity:.1f}"
        self.show(Text(f"{unseen}, {perplexity.unknown} unknown words left out"))
        self.report["language model"] = {"perplexity": perplexity.perplexity, "ngrams": list(model.counts)}

    def align(self) -> None:
        """Train an aligner, and measure it against the gold alignment that the generator knows."""
        from rich.text import Text

        from dragoman.align import ALIGNERS, Alignment, GoldAlignment, alignment_scores
        from dragoman.files import read_lines, writing

        source, target = self.tokens("train", "en"), self.tokens("train", "de")
        gold = [Alignment.parse(line) for line in read_lines(self.folder / "corpus" / "train.align")]
        aligner = ALIGNERS.get("bayes")()
        aligner.train(source, target, threads=self.threads)
        found = aligner.align(source, target, threads=self.threads)
        with writing(self.folder / "train.align") as file:
            file.writelines(f"{alignment}\n" for alignment in found)
        scores = alignment_scores(found, [GoldAlignment(sure) for sure in gold])
        example = min(range(100), key=lambda line: abs(len(source[line].split()) - 9))
        self.show(found[example].picture(source[example].split(), target[example].split()))
        self.show(
            Text(f"precision {scores.precision:.3f}, recall {scores.recall:.3f}, alignment error rate {scores.aer:.3f}")
        )
        self.report["alignment"] = scores.to_dict()

    def extract(self) -> None:
        """Extract phrase pairs from the aligned text, and look some up."""
        from rich.text import Text

        from dragoman.grammar.orientation import ReorderingModel
        from dragoman.grammar.phrases import extract
        from dragoman.grammar.scoring import Scoring

        result = extract(
            self.folder / "corpus" / "train.tok.en",
            self.folder / "corpus" / "train.tok.de",
            self.folder / "train.align",
            self.folder / "en-de.table",
            scoring=Scoring(reordering=ReorderingModel()),
            threads=self.threads,
        )
        for phrase in ("the old house", "a house", "kicked the bucket"):
            for rule in result.table.lookup(phrase)[:2]:
                probability = math.exp(rule.values["phrase.ts"])
                self.show(Text(f"{probability:9.2f}  {phrase} → {' '.join(map(str, rule.target))}"))
        self.show(Text(f"{len(result.table):,} phrase pairs"))
        self.report["phrase pairs"] = len(result.table)

    def translate(self) -> None:
        """Translate the test set with untuned weights, explain one translation, and score them all."""
        from rich.text import Text

        import dragoman
        from dragoman.grammar.table import RuleTable
        from dragoman.lm import NgramModel
        from dragoman.search.phrase import LanguageModel, PhraseDecoder, start_weights

        table, model = RuleTable.open(self.folder / "en-de.table"), NgramModel.open(self.folder / "de.lm")
        decoder = PhraseDecoder(table, [LanguageModel("lm", model)], {})
        decoder = decoder.with_weights(start_weights(decoder.feature_names))
        found = decoder.translate(self.tokens("test", "en"), threads=self.threads)
        references = self.tokens("test", "de")
        example = min(range(len(found)), key=lambda line: abs(len(found[line].source) - 8))
        self.show(Text(f"source     {' '.join(found[example].source)}"))
        self.show(Text(f"reference  {references[example]}"))
        self.show(found[example].explain())
        metrics = ["bleu:tokenize=none", "chrf", "ter"]
        scores = dragoman.score([translation.text for translation in found], [references], metrics)
        self.show(scores)
        self.report["translation"] = scores.to_dict()


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write.")] = Path("demo"),
    size: Annotated[int, typer.Option("--size", help="Sentence pairs to train on.", min=100)] = 2000,
    seed: Seed = 1,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Make a corpus, clean and prepare it, learn a language model, an alignment and a phrase table from it."""
    shown = Demo(output, size=size, seed=seed, threads=threads, quiet=as_json)
    shown.run()
    if as_json:
        show_json(shown.report)


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command("demo", epilog="Example: dragoman demo --size 5000 -o my-demo")(demo)
