"""`dragoman demo`: the whole tool on a corpus that it makes itself, in a minute."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.output import Json, On, Seed, Threads, bar, note, show, show_json, stdout
from dragoman.files import require_own_folder

if TYPE_CHECKING:
    from dragoman.pipeline.model import Model
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

_WRITTEN = ("corpus", "clean.en", "clean.de", "en-de", ".en-de.stages", "explained.html", "test.out.de")


class Demo:
    """The demonstration, step by step; each step shows what it did and adds to the report."""

    model: Model
    """The trained model, from the step that trains it on."""

    def __init__(self, folder: Path, *, size: int, seed: int, threads: int, on: str, quiet: bool) -> None:
        self.folder, self.size, self.seed, self.threads, self.on, self.quiet = folder, size, seed, threads, on, quiet
        self.report: dict[str, Any] = {}

    def run(self) -> None:
        require_own_folder(self.folder, _own_files)
        bitext = self.step("A bitext with known word alignment", self.generate)
        bitext = self.step("Cleaning", lambda: self.clean(bitext))
        self.step("From raw text to tokens and back", lambda: self.preprocess(bitext))
        self.step("Word alignment, compared with the truth", self.align)
        self.step("A translation model, tuned on the dev set", lambda: self.train(bitext))
        self.step("What it has learned", self.look_inside)
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
        from dragoman.text.checks import CleaningLimits
        from dragoman.text.cleaning import clean
        from dragoman.text.corpus import Bitext

        paths = [self.folder / "clean.en", self.folder / "clean.de"]
        account = clean(bitext, paths, limits=CleaningLimits(languages=("en", "de")))
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

    def align(self) -> None:
        """Train an aligner, and measure it against the gold alignment that the generator knows."""
        from rich.text import Text

        from dragoman.align import Alignment, GoldAlignment, alignment_scores, get_aligner
        from dragoman.files import read_lines

        source, target = self.tokens("train", "en"), self.tokens("train", "de")
        gold = [Alignment.parse(line) for line in read_lines(self.folder / "corpus" / "train.align")]
        aligner = get_aligner("bayes")
        aligner.train(source, target, threads=self.threads)
        found = aligner.align(source, target, symmetrize="posterior", threads=self.threads)
        scores = alignment_scores(found, [GoldAlignment(sure) for sure in gold])
        example = min(range(100), key=lambda line: abs(len(source[line].split()) - 9))
        self.show(found[example].picture(source[example].split(), target[example].split()))
        self.show(
            Text(f"precision {scores.precision:.3f}, recall {scores.recall:.3f}, alignment error rate {scores.aer:.3f}")
        )
        self.report["alignment"] = scores.to_dict()

    def train(self, bitext: Bitext) -> None:
        """From the clean text to a tuned model, in one call."""
        from dragoman.pipeline.recipe import Recipe
        from dragoman.pipeline.train import report_table, train

        dev = (self.folder / "corpus" / "dev.en", self.folder / "corpus" / "dev.de")
        with bar("training") as progress:
            self.model = train(
                bitext,
                output=self.folder / "en-de",
                force=True,
                dev=dev,
                languages=("en", "de"),
                recipe=Recipe(evidence=True, keep_aligner=True),
                threads=self.threads,
                on=self.on,
                progress=progress,
            )
        self.show(report_table(self.model.report))
        self.report["training"] = self.model.report

    def look_inside(self) -> None:
        """What the model has learned: which sentences it likes, and how it translates phrases."""
        from rich.text import Text

        from dragoman.grammar.table import RuleTable

        model = self.model.decoder.language_models[0].model
        table = RuleTable.open(self.model.bundle.file("table.rules"))
        best = self.prepared("test", 1)[0]
        for text in (best, " ".join(sorted(best.split()))):
            self.show(Text(f"{model.score([text])[0]:9.2f}  {text}"))
        perplexity = model.perplexity(self.prepared("test", 1))
        unseen = f"perplexity of unseen text {perplexity.perplexity:.1f}"
        self.show(Text(f"{unseen}, {perplexity.unknown} unknown words left out"))
        for phrase in ("the old house", "a house", "kicked the bucket"):
            for rule in table.lookup(phrase)[:2]:
                probability = math.exp(rule.values["phrase.ts"])
                self.show(Text(f"{probability:9.2f}  {phrase} → {' '.join(map(str, rule.target))}"))
        self.show(Text(f"{len(table):,} phrase pairs"))
        self.report["language_model"] = {"perplexity": perplexity.perplexity, "ngrams": list(model.counts)}
        self.report["phrase_pairs"] = len(table)

    def raw(self, part: str, language: str) -> list[str]:
        """The raw lines of a part of the corpus."""
        from dragoman.files import read_lines

        return list(read_lines(self.folder / "corpus" / f"{part}.{language}"))

    def prepared(self, part: str, side: int) -> list[str]:
        """The lines of a part as the model sees them."""
        preprocessor = self.model.preprocessors[side]
        texts = preprocessor.prepare_all(self.raw(part, ("en", "de")[side]))
        return [" ".join(token for sentence in text.tokens for token in sentence) for text in texts]

    def translate(self) -> None:
        """Translate the unseen test set, explain one translation, and score them all."""
        from rich.text import Text

        from dragoman.files import writing
        from dragoman.metrics.report import score

        source, references = self.raw("test", "en"), self.raw("test", "de")
        found = self.model.translate(source, threads=self.threads)
        example = min(range(len(found)), key=lambda line: abs(len(source[line].split()) - 8))
        self.show(Text(f"source       {source[example]}"))
        self.show(Text(f"translation  {found[example].text}"))
        self.show(Text(f"reference    {references[example]}"))
        why = found[example].explain()
        self.show(why)
        picture = self.folder / "explained.html"
        why.save(picture)
        self.show(Text(f"as a picture: {picture}"))
        scores = score([translation.text for translation in found], [references], ["bleu", "chrf", "ter"])
        self.show(scores)
        self.report["translation"] = scores.to_dict()
        with writing(self.folder / "test.out.de") as file:
            file.writelines(f"{translation.text}\n" for translation in found)


def _own_files(folder: Path) -> list[str]:
    """What an earlier demonstration has written; corpus and model look after their own folders."""
    names = [file.relative_to(folder) for file in folder.rglob("*")]
    return [each.as_posix() for each in names if each.parts[0] in _WRITTEN]


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write.")] = Path("demo"),
    size: Annotated[int, typer.Option("--size", "-n", help="Sentence pairs to train on.", min=100)] = 2000,
    open_page: Annotated[
        bool,
        typer.Option("--serve", help="Serve the model at the end, and open its page; a model that is there is used."),
    ] = False,
    port: Annotated[int, typer.Option(help="For --serve: the port to listen at.", min=0, max=65535)] = 5000,
    on: On = "local",
    seed: Seed = 1,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Make a corpus, clean and prepare it, train and tune a model on it, translate, explain and score."""
    model = output / "en-de"
    if not (open_page and (model / "model.toml").is_file()):
        shown = Demo(output, size=size, seed=seed, threads=threads, on=on, quiet=as_json)
        shown.run()
        if as_json:
            show_json(shown.report)
    if open_page:
        _serve(model, port, threads)
    elif not as_json:
        note(f"to see it in a browser: dragoman demo --serve -o {output}, or: dragoman serve {model} --learn")


def _serve(model: Path, port: int, threads: int) -> None:
    """Serve the model of the demonstration, and open its page."""
    from dragoman.server.app import serve
    from dragoman.server.served_models import ServingOptions

    def ready(address: str, _: object) -> None:
        import webbrowser

        note(f"the page is {address}; Ctrl-C stops")
        webbrowser.open(address)

    serve([model], port=port, threads=threads, options=ServingOptions(learn=True), ready=ready)


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command("demo", epilog="Examples: dragoman demo --size 5000 -o my-demo; dragoman demo --on ray")(demo)
