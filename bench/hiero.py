"""Hierarchical decoders: sentences per second and language model queries per source word, by pop limit.

The models are trained on Multi30k de-en: our own alignment, hierarchical rules within the usual limits, kept if the
test set can use them, a 5-gram model, weights from before tuning, 20 options per source side, beam = pop limit. Times
are processor time of one thread without loading.

Where Moses was not run beside it, its figures are quoted: seconds of its chart decoder were measured on the same kind
of machine and the same test set, with its own table, filtered likewise, and its default weights; those of its
extraction on two cores of it. Model scores of different tables do not compare, so what more pops find stands beside
both: by how much the mean score rises from one limit to the next; and BLEU, as both texts are in the same tokens. A job
of its own decodes as `train-model.perl --hierarchical` of Moses sets things up: its limits of extraction, its weights,
and rules that may cover 20 words, not 10.

Moses itself is run if `DRAGOMAN_MOSES_CHART` names its program `moses_chart`: with the exported model of the first job,
hence with the same rules, language model and weights. What it says is then scored on our side: the best derivation of
its text under our model, found by forced decoding, beside that of ours.

The decoder that Siahbani, Sankaran and Sarkar (2013) have published, lrhiero, is written in Python 2. It is run beside
ours if `DRAGOMAN_LRHIERO` names a folder with its modules, ported to Python 3 and to the package kenlm: same rules,
language model, weights and limits. Ours then does without what it lacks: glue where the table has a rule of the same
source side, rules that leave the end of a span, height and width. It counts reordered rules in another way, so they
weigh nothing. Three differences stay: of several matches of a rule in a span it takes one; it translates the parts of a
rule in source order, whatever their order in the target; its pop limit counts hypotheses as they are made, not as they
are taken. What it spends on a text without sentences is loading and taken off. Rules are scored then; ours scores them
when it first meets them, so the best of several passes over the same text counts, and the first stands beside it.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from bench.contest import DATA, NotRun, bench, measured
from dragoman.align import ALIGNERS
from dragoman.annotations import Dependencies, Sentence
from dragoman.annotations.corpus import annotate_lines
from dragoman.cache import StageCache
from dragoman.features import template
from dragoman.features.language_model import LanguageModel
from dragoman.files import read_lines
from dragoman.grammar.limits import HieroLimits, LeftToRightLimits
from dragoman.grammar.phrases import extract
from dragoman.grammar.rule_text import export_rules
from dragoman.grammar.table import RuleTable
from dragoman.lm import NgramModel, estimate
from dragoman.metrics import get_metric
from dragoman.search.hiero import HieroDecoder, HieroSettings
from dragoman.search.left_to_right import LeftToRightDecoder, LeftToRightSettings
from dragoman.search.phrase import PhraseDecoder, PhraseSettings
from dragoman.search.table_decoder import TableDecoder
from dragoman.text.source_text import SourceText
from experiments.parsers import parser

CACHE = Path(tempfile.gettempdir()) / "hiero-of-dragoman"
POP_LIMITS = (100, 400, 1000)
MOSES_SECONDS = {100: 26.6, 400: 87.7, 1000: 251.0}
MOSES_SCORE = {100: -36.859, 400: -36.837, 1000: -36.832}
MOSES_BLEU = {100: 38.9, 400: 39.0, 1000: 39.0}
MOSES_EXTRACTION = 265.0
TARGET = 3.0
MOSES_CHART = os.environ.get("DRAGOMAN_MOSES_CHART", "")
PUBLISHED = os.environ.get("DRAGOMAN_LRHIERO", "")
PUBLISHED_SENTENCES = 30
PUBLISHED_LIMITS = (100, 500)  # the latter in their paper
PUBLISHED_TARGET = 100.0


@cache
def bitext() -> tuple[list[str], list[str], list[str]]:
    """The training text and its links."""

    def work(folder: Path) -> None:
        aligner = ALIGNERS.get("fast")()
        aligner.train(source, target)
        links = [str(link) for link in aligner.align(source, target, symmetrize="posterior")]
        (folder / "links").write_text("\n".join(links) + "\n", "utf-8")

    source, target = (list(read_lines(DATA / "multi30k" / f"train.{side}.gz")) for side in ("de", "en"))
    made = StageCache(CACHE).run("links", work=work, rooms=("align",))
    return source, target, list(read_lines(made.file("links")))


@cache
def models() -> tuple[RuleTable, RuleTable, NgramModel]:
    """Tables for the chart and for decoding from left to right, and the language model."""

    def work(folder: Path) -> None:
        for name, limits in (("chart.rules", HieroLimits()), ("left.rules", LeftToRightLimits())):
            extract(*bitext(), folder / name, limits=limits, only_for=list(sentences()))
        estimate(bitext()[1], order=5).build().save(folder / "lm")

    made = StageCache(CACHE).run("models", work=work, rooms=("align", "grammar", "lm"))
    chart_table, left_table = (RuleTable.open(made.file(name)) for name in ("chart.rules", "left.rules"))
    return chart_table, left_table, NgramModel.open(made.file("lm"))


@cache
def sentences() -> tuple[str, ...]:
    return tuple(read_lines(DATA / "multi30k" / "test_2016_flickr.de"))


@cache
def references() -> tuple[str, ...]:
    return tuple(read_lines(DATA / "multi30k" / "test_2016_flickr.en"))


@cache
def chart(limit: int) -> HieroDecoder:
    table, _, model = models()
    settings = HieroSettings(pop_limit=limit, beam=limit)
    made = HieroDecoder(table, [LanguageModel("lm", model)], settings=settings)
    return made.with_weights(made.start_weights())


@cache
def left_to_right(limit: int) -> LeftToRightDecoder:
    _, table, model = models()
    settings = LeftToRightSettings(pop_limit=limit, beam=limit, reordering_features=True)
    made = LeftToRightDecoder(table, [LanguageModel("lm", model)], settings=settings)
    return made.with_weights(made.start_weights())


@cache
def rules_like_moses() -> RuleTable:
    """Rules within the limits that Moses has by default: unaligned words at edges, no holes of a single word."""

    def work(folder: Path) -> None:
        limits = HieroLimits(tight=False, min_hole=2)
        extract(*bitext(), folder / "rules", limits=limits, only_for=list(sentences()))

    return RuleTable.open(StageCache(CACHE).run("like moses", work=work, rooms=("align", "grammar")).file("rules"))


@cache
def chart_like_moses(limit: int) -> HieroDecoder:
    """With the weights that its training writes: there glue counts as a rule, too, and an unknown word 100."""
    settings = HieroSettings(pop_limit=limit, beam=limit, max_span=20)
    made = HieroDecoder(rules_like_moses(), [LanguageModel("lm", models()[2])], settings=settings)
    return made.with_weights({**made.start_weights(), "glue": 1.2, "unknown": 100.0})


class Run(NamedTuple):
    """Of the test set: processor seconds, queries per source word, the score of each sentence, BLEU."""

    seconds: float
    queries: float
    scores: tuple[float, ...]
    bleu: float

    @property
    def score(self) -> float:
        return sum(self.scores) / len(self.scores)

    def figures(self, limit: int) -> dict[str, str]:
        return {
            f"pop limit {limit}: sentences/s": f"{len(self.scores) / self.seconds:,.0f}",
            f"pop limit {limit}: queries/word": f"{self.queries:,.0f}",
            f"pop limit {limit}: mean score": f"{self.score:.4f}",
            f"pop limit {limit}: BLEU": f"{self.bleu:.1f}",
        }

    def beside_moses(self, limit: int) -> dict[str, str]:
        ratio = MOSES_SECONDS[limit] / self.seconds
        verdict = "ok" if ratio >= TARGET else "SHORT"
        return {
            f"pop limit {limit}: seconds, Moses' (quoted)": f"{self.seconds:.1f}, {MOSES_SECONDS[limit]:g}",
            f"pop limit {limit}: Moses' seconds (quoted) / ours": f"{ratio:.1f} (target {TARGET:g} {verdict})",
            f"pop limit {limit}: BLEU of Moses (quoted)": f"{MOSES_BLEU[limit]:.1f}",
        }


@cache
def decoded(make: Callable[[int], HieroDecoder | LeftToRightDecoder], limit: int) -> Run:
    """The test set, translated after a few sentences of it."""
    decoder = make(limit)
    words = sum(len(line.split()) for line in sentences())
    decoder.translate(sentences()[:20], threads=1)
    start = time.process_time()
    results = decoder.translate(sentences(), threads=1)
    seconds = time.process_time() - start
    queries = sum(result.statistics["language_model_queries"] for result in results) / words
    texts = [result.text for result in results]
    metric = get_metric("bleu:tokenize=none")
    bleu = metric.scale * metric.corpus_score(texts, [list(references())])
    return Run(seconds, queries, tuple(result.score for result in results), bleu)


@bench("chart decoding of Multi30k test 2016, one thread")
def decoding() -> dict[str, str]:
    found: dict[str, str] = {}
    best = decoded(chart, POP_LIMITS[-1])
    for limit in POP_LIMITS:
        ours = decoded(chart, limit)
        found |= ours.figures(limit) | ours.beside_moses(limit)
        same = sum(one >= other - 1e-6 for one, other in zip(ours.scores, best.scores, strict=True))
        found[f"pop limit {limit}: sentences that score as with {POP_LIMITS[-1]}"] = f"{same / len(best.scores):.3f}"
    for low, high in pairwise(POP_LIMITS):
        gain = decoded(chart, high).score - decoded(chart, low).score
        moses = MOSES_SCORE[high] - MOSES_SCORE[low]
        found[f"mean score, from {low} to {high} pops: ours, Moses' (quoted)"] = f"+{gain:.4f}, +{moses:.4f}"
    return found


@bench("chart decoding of the same by the defaults of Moses: rules, weights, spans of 20 words")
def decoding_like_moses() -> dict[str, str]:
    found: dict[str, str] = {}
    for limit in POP_LIMITS[:2]:
        ours = decoded(chart_like_moses, limit)
        found |= ours.figures(limit) | ours.beside_moses(limit)
    return found


def run_moses(folder: Path, limit: int, lines: Sequence[str]) -> tuple[float, list[str]]:
    """Its processor seconds, with loading, and what it says."""
    command = [MOSES_CHART, "-f", str(folder / "moses.ini"), "-cube-pruning-pop-limit", str(limit), "-threads", "1"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, input="".join(f"{line}\n" for line in lines), text=True, check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, [" ".join(line.split()) for line in done.stdout.splitlines()]


@bench("chart decoding of the exported model, one thread", peer="moses_chart")
def decoding_beside_moses() -> dict[str, str]:
    if not MOSES_CHART:
        raise NotRun("DRAGOMAN_MOSES_CHART names no moses_chart")
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        chart(POP_LIMITS[0]).export_moses(folder)
        loading, _ = run_moses(folder, POP_LIMITS[0], [])
        for limit in POP_LIMITS:
            ours = decoded(chart, limit)
            seconds, texts = run_moses(folder, limit, sentences())
            forced = chart(limit).force(list(sentences()), texts, threads=0)
            reached = [(one, theirs.score) for one, theirs in zip(ours.scores, forced, strict=True) if theirs]
            ratio = (seconds - loading) / ours.seconds
            verdict = "ok" if ratio >= TARGET else "SHORT"
            one, other = (sum(side) / max(1, len(reached)) for side in list(zip(*reached, strict=True)) or ((), ()))
            found |= {
                f"pop limit {limit}: seconds, Moses'": f"{ours.seconds:.1f}, {seconds - loading:.1f}",
                f"pop limit {limit}: Moses' seconds / ours": f"{ratio:.1f} (target {TARGET:g} {verdict})",
                f"pop limit {limit}: texts of Moses that our model derives": f"{len(reached)} of {len(texts)}",
                f"pop limit {limit}: their mean score, ours and Moses'": f"{one:.4f}, {other:.4f}",
            }
    return found


@bench("left-to-right decoding of Multi30k test 2016, one thread")
def decoding_from_left() -> dict[str, str]:
    found: dict[str, str] = {}
    for limit in POP_LIMITS:
        ours = decoded(left_to_right, limit)
        found |= ours.figures(limit)
        share = ours.queries / decoded(chart, limit).queries
        found[f"pop limit {limit}: queries of those of the chart"] = f"{share:.2f} (target at most 0.25)"
    return found


@cache
def models_for_some() -> Path:
    """A folder with rules for the first sentences and a language model, in our format and in text."""

    def work(folder: Path) -> None:
        some = list(sentences()[:PUBLISHED_SENTENCES])
        made = extract(*bitext(), folder / "rules", limits=LeftToRightLimits(), only_for=some)
        export_rules(made.table, folder / "rules.txt", format="lr-hiero")
        (folder / "some").write_text("\n".join(some) + "\n", "utf-8")
        (folder / "none").write_text("", "utf-8")
        ngrams = estimate(bitext()[1], order=5)
        ngrams.write_arpa(folder / "lm.arpa")
        ngrams.build().save(folder / "lm")

    settings = {"sentences": PUBLISHED_SENTENCES}
    return StageCache(CACHE).run("some", work=work, settings=settings, rooms=("align", "grammar", "lm")).path


def like_published(limit: int) -> LeftToRightDecoder:
    """Our decoder, restricted to what the published one does."""
    folder = models_for_some()
    settings = LeftToRightSettings(
        pop_limit=limit, beam=limit, reordering_features=True, right_boundary="none", glue_when="no_regular"
    )
    models = [LanguageModel("lm", NgramModel.open(folder / "lm"))]
    made = LeftToRightDecoder(RuleTable.open(folder / "rules"), models, settings=settings)
    # An unknown word has four probabilities of 1e-6 there.
    unknown = 13.8155 * sum(made.start_weights()[name] for name in made.table.columns)
    return made.with_weights(
        {**made.start_weights(), "reordered": 0.0, "height": 0.0, "width": 0.0, "unknown": unknown}
    )


def published_settings(limit: int, weights: Mapping[str, float]) -> str:
    """The file of settings that the published decoder reads."""
    folder = models_for_some()
    columns = [weights[name] for name in ("phrase.st", "lex.st", "phrase.ts", "lex.ts", "rule_penalty")]
    sections = {
        "hiero-options": f"cbp={limit}",
        "ttable-file": f"{len(columns)} {folder / 'rules.txt'}",
        "lmodel-file": f"5 {folder / 'lm.arpa'}",
        "weight_tm": "\n".join(map(str, columns)),
        "weight_wp": weights["word_penalty"],
        "weight_lm": weights["lm"],
        "weight_glue": weights["glue"],
        "weight_d": weights["distortion.rule"],
        "weight_dg": weights["distortion.glue"],
        "n-best-list": "nbest-size=1",
    }
    return "".join(f"[{name}]\n{text}\n\n" for name, text in sections.items())


class Side(NamedTuple):
    """Of the first sentences: processor seconds, and each translation with its score."""

    seconds: float
    translations: list[tuple[str, float]]

    @property
    def score(self) -> float:
        return sum(score for _, score in self.translations) / len(self.translations)


def run_ours(decoder: LeftToRightDecoder) -> Side:
    start = time.process_time()
    results = decoder.translate(sentences()[:PUBLISHED_SENTENCES], threads=1)
    return Side(time.process_time() - start, [(result.text, result.score) for result in results])


def run_published(limit: int, weights: Mapping[str, float], text: str) -> Side:
    """The published decoder in a process of its own, with loading."""
    with tempfile.TemporaryDirectory() as place:
        settings, output = Path(place) / "settings", Path(place) / "output"
        settings.write_text(published_settings(limit, weights), "utf-8")
        output.touch()
        command = [sys.executable, str(Path(PUBLISHED) / "decoder_cp.py"), "--config", str(settings)]
        command += ["--inputfile", str(models_for_some() / text), "--outputfile", str(output)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = [line.split("|||") for line in read_lines(output)]
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Side(spent, [(parts[1].strip(), float(parts[-1])) for parts in found])


def beside_published(limit: int) -> tuple[Side, Side, Side]:
    """A first pass of ours, later ones, and theirs: run in turn, the best times of each."""
    first, ours, theirs, loading = [], [], [], []
    for _ in range(3):
        decoder = like_published(limit)
        first.append(run_ours(decoder))
        ours += [run_ours(decoder) for _ in range(3)]
        theirs.append(run_published(limit, decoder.weights, "some"))
        loading.append(run_published(limit, decoder.weights, "none").seconds)
    return min(first), min(ours), min(theirs)._replace(seconds=min(theirs).seconds - min(loading))


@bench("left-to-right, published decoder", peer="lrhiero")
def published_decoder() -> dict[str, str]:
    if not PUBLISHED or not (Path(PUBLISHED) / "decoder_cp.py").is_file():
        raise NotRun("DRAGOMAN_LRHIERO names no folder with the modules of lrhiero, ported to Python 3")
    found: dict[str, str] = {}
    runs = {limit: beside_published(limit) for limit in PUBLISHED_LIMITS}
    for limit, (first, ours, theirs) in runs.items():
        ratio = theirs.seconds / ours.seconds
        verdict = "ok" if ratio >= PUBLISHED_TARGET else "SHORT"
        pairs = zip(ours.translations, theirs.translations, strict=True)
        same = sum(one == other for (one, _), (other, _) in pairs)
        found |= {
            f"pop limit {limit}: its seconds per sentence": f"{theirs.seconds / PUBLISHED_SENTENCES:.4f}",
            f"pop limit {limit}: ours, and in a first pass": (
                f"{ours.seconds / PUBLISHED_SENTENCES:.5f}, {first.seconds / PUBLISHED_SENTENCES:.5f}"
            ),
            f"pop limit {limit}: its seconds / ours": f"{ratio:.0f} (target {PUBLISHED_TARGET:g} {verdict})",
            f"pop limit {limit}: mean score, its and ours": f"{theirs.score:.3f}, {ours.score:.3f}",
            f"pop limit {limit}: same translations": f"{same} of {PUBLISHED_SENTENCES}",
        }
    low, high = PUBLISHED_LIMITS
    found[f"its seconds with {high} pops / ours with {low}"] = f"{runs[high][2].seconds / runs[low][1].seconds:.0f}"
    return found


@bench("extraction of all hierarchical rules of 29,000 pairs, two threads")
def extraction() -> dict[str, str]:
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / "source", Path(folder) / "target", Path(folder) / "links"
        for file, lines in zip(files, bitext(), strict=True):
            file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        kinds: dict[str, dict[str, Any]] = {
            "all rules": {},
            "memory=256 MiB": {"memory": 2**28},
            "for the test set": {"only_for": list(sentences())},
        }
        for name, settings in kinds.items():
            out = Path(folder) / "rules"
            cost = measured(partial(extract, *files, out, limits=HieroLimits(), threads=2, **settings))
            found[name] = f"{cost}, {len(RuleTable.open(out)):,} rules"
            if "memory" in settings:
                verdict = "ok" if cost.private <= settings["memory"] else "SHORT"
                found["peak memory under a bound of 256 MiB"] = f"{cost.private / 2**20:,.0f} MiB {verdict}"
            if not settings:
                verdict = "ok" if cost.spent <= 240 else "SHORT"  # two minutes of two cores
                found["processor seconds (target at most 240)"] = f"{cost.spent:.0f} {verdict}"
                found["Moses' seconds on two cores (quoted) / our processor seconds"] = (
                    f"{MOSES_EXTRACTION / cost.spent:.1f}"
                )
    return found


def chain(size: int) -> Dependencies:
    """A projective tree of pairs: every second word hangs on the one before it, that on the one two words before."""
    heads = [place - 1 if place % 2 else place - 2 for place in range(size)]
    return Dependencies((-1, *heads[1:]), ("x",) * size)


@cache
def parsed() -> list[SourceText]:
    """The test set with trees of the parser of German that experiments on constraints use."""
    annotator, _ = parser("de", CACHE)
    return [SourceText.annotated(each) for each in annotate_lines(annotator, sentences(), tokenized=True)]


@cache
def phrases(limit: int) -> PhraseDecoder:
    """A decoder of phrases beside those of hierarchical rules, with the same language model."""

    def work(folder: Path) -> None:
        extract(*bitext(), folder / "rules", only_for=list(sentences()))

    table = RuleTable.open(StageCache(CACHE).run("phrases", work=work, rooms=("align", "grammar")).file("rules"))
    settings = PhraseSettings(pop_limit=limit, beam=limit)
    made = PhraseDecoder(table, [LanguageModel("lm", models()[2])], settings=settings)
    return made.with_weights(made.start_weights())


@bench("soft syntactic constraints: what 22 features cost, with weights and without")
def soft_constraints() -> dict[str, str]:
    """Without weights translations stay the same; with weights search also has other translations to look at.

    Matches and crossings of a label weigh half as much as the language model, with signs that alternate: more than
    tuning gives most of them.
    """
    found: dict[str, str] = {}
    kinds: tuple[tuple[str, Callable[[int], TableDecoder], int], ...] = (
        ("chart", chart, 100),
        ("chart", chart, 400),
        ("left to right", left_to_right, 100),
        ("phrases", phrases, 100),
    )
    for name, make, limit in kinds:
        plain = make(limit)
        silent = plain.with_features([template("syntax:constraints=fine")], plain.weights)
        fired = sorted(each for each in silent.feature_names if each.startswith("syntax:"))
        half = plain.weights["lm"] / 2
        heard = silent.with_weights({**plain.weights, **{each: half * (-1) ** at for at, each in enumerate(fired)}})
        best: dict[str, float] = {}
        outputs: dict[str, list[str]] = {}
        for _ in range(3):
            for kind, decoder in (("plain", plain), ("no weights", silent), ("weights", heard)):
                start = time.process_time()
                outputs[kind] = [each.text for each in decoder.translate(parsed(), threads=1)]
                best[kind] = min(best.get(kind, float("inf")), time.process_time() - start)
        assert outputs["plain"] == outputs["no weights"]
        changed = sum(one != other for one, other in zip(outputs["plain"], outputs["weights"], strict=True))
        for kind in ("no weights", "weights"):
            more = 100 * (best[kind] / best["plain"] - 1)
            verdict = "ok" if more <= 15 else "SHORT"
            place = f"{name}, pop limit {limit}, {kind}"
            found[f"{place}: more processor time"] = f"{more:.1f} % (target at most 15 % {verdict})"
        found[f"{name}, pop limit {limit}: seconds without constraints"] = f"{best['plain']:.1f}"
        found[f"{name}, pop limit {limit}: translations that weights change"] = f"{changed} of {len(parsed())}"
    return found


@bench("extraction of rules that fit dependency trees, of the time of all hierarchical rules")
def constrained_extraction() -> dict[str, str]:
    source, target, links = (lines[:10_000] for lines in bitext())
    trees = [Sentence.of(line.split(), dependencies=chain(len(line.split()))) for line in source]
    best: dict[str, float] = {}
    sizes: dict[str, int] = {}
    for _ in range(2):
        for name, limits in (
            ("all", HieroLimits()),
            ("ghkm", HieroLimits(dependencies="source")),
            ("filter", HieroLimits(dependencies="source", constraint="filter")),
        ):
            with tempfile.TemporaryDirectory() as folder:
                start = time.process_time()
                made = extract(source, target, links, Path(folder) / "t", limits=limits, annotations=trees, threads=1)
                best[name] = min(best.get(name, float("inf")), time.process_time() - start)
                sizes[name] = made.table.with_gaps
    return {
        f"{name}: of the time of all rules": f"{best[name] / best['all']:.2f} (target at most 2), "
        f"{sizes[name]:,} rules with nonterminals of {sizes['all']:,}"
        for name in ("ghkm", "filter")
    }
