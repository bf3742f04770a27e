"""Stages: what training does, step by step, each from files to files.

A stage reads files, writes files into the folder it is given and knows nothing of the others, so that the cache can
keep its result and a killed job starts again where it was. Each declares the settings that it reads, and gives facts
about what it did, which end in the report.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from dragoman.align.base import ALIGNERS, SLOT_MEMORY
from dragoman.annotations import Sentence
from dragoman.annotations.annotator import Annotator
from dragoman.annotations.corpus import annotate_lines, as_json
from dragoman.annotations.phrase_spans import phrase_spans
from dragoman.errors import InputError
from dragoman.executors import Shard, ShardPlace, ShardStep, Shared
from dragoman.features.bilingual import (
    BilingualModel,
    JointFeature,
    SequenceFeature,
    paired_words,
    read_bilingual_models,
)
from dragoman.features.order_models import (
    ChoiceTraining,
    DependencyFeature,
    JumpFeature,
    RelationFeature,
    SourceOrderFeature,
)
from dragoman.features.resources import RESOURCES, ResourceOptions, make_resources, missing_resources
from dragoman.features.template import Template
from dragoman.features.template_specs import TemplateSpec
from dragoman.features.weights import Weights
from dragoman.features.word_meaning import ContextFeature, VectorFeature
from dragoman.files import read_lines, take_file, writing
from dragoman.grammar.phrases import extract
from dragoman.lm import ClassMap, estimate, fit_weights, interpolate, train_classes
from dragoman.lm.estimate import DEFAULT_MEMORY
from dragoman.lm.model import Ngrams
from dragoman.metrics import get_metric
from dragoman.metrics.report import score
from dragoman.neural.joint_training import fit_joint_model
from dragoman.pipeline import steps
from dragoman.pipeline.anchoring import AnchoredText, anchored_text
from dragoman.pipeline.base import Facts, Work, stage
from dragoman.pipeline.model import LM_CLASSES, read_language_models
from dragoman.pipeline.postprocessing import learn_postprocessing
from dragoman.pipeline.recipe import Recipe
from dragoman.pipeline.selecting import selected_pairs
from dragoman.pipeline.spread_decoder import SpreadDecoder
from dragoman.pipeline.stored_templates import made_templates
from dragoman.pipeline.tags import positions_without_tags, token_line
from dragoman.plain_data import parse_json
from dragoman.search.base import Decoder, Feature, Tunable
from dragoman.semantics.embeddings import train_vectors
from dragoman.semantics.mutual_information import MutualInformation
from dragoman.semantics.phrase_similarity import PhraseVectors
from dragoman.semantics.translation_counts import TranslationCounts
from dragoman.text.checks import CleaningLimits
from dragoman.text.cleaning import Cleaning
from dragoman.text.corpus import Bitext, Corpus, SegmentPair
from dragoman.text.heldout import cut_folds, hold_out, leak_key, usual_size
from dragoman.text.pieces import Pieces, seen_once, usual_pieces
from dragoman.text.prepared import Prepared
from dragoman.text.preprocessor import Preprocessor
from dragoman.text.segmenting import Segmentation, segmentation_of
from dragoman.text.source_text import Source, SourceText
from dragoman.tuning.base import Tuner
from dragoman.tuning.families import Selection
from dragoman.tuning.folds import Fold, learn_on_folds

__all__ = [
    "BILINGUAL_STAGES",
    "TREES",
    "align",
    "annotation",
    "folds",
    "joint_model",
    "language_model",
    "language_model_names",
    "learning",
    "open_bilingual_models",
    "open_decoder",
    "open_templates",
    "post_processing",
    "prepare",
    "prepare_extra",
    "sequence_model",
    "table",
    "template_resources",
    "tuning",
    "write_further",
    "write_tokens",
]

TREES = {"source": "train.annotations", "target": "train.target.annotations"}
"""Files that hold what is known of the sides of the training text."""

LM, LM_EXTRA = "lm", "lm_extra"
"""Language models by the names of their features; each is a file NAME.bin."""

_FIXES = ("nfc", "whitespace")

_RAW_TARGET = "train.target.raw"
"""The target side as it was given, where something is learned from that."""

_FIELD_ITERATIONS = 40
"""Of training a random field."""


# Text


@stage(
    "prepare",
    reads=(
        *("tokenized", "split", "case", "segment", "source_pieces", "target_pieces", "subwords"),
        *("protect", "terms", "patterns"),
        *("clean", "max_words", "dev_size", "heldout_size", "select_pairs", "select_order", "domains", "postprocess"),
        "seed",
    ),
    rooms=("text", "pipeline"),
)
def prepare(
    work: Work,
    out: Path,
    *,
    train: Bitext,
    dev: Bitext | None,
    needs_dev: bool,
    heldout: Bitext | None = None,
    domain_text: Corpus | None = None,
    annotator: Annotator | None = None,
) -> Facts:
    """Clean, hold out a dev set if one is needed, learn preprocessors, and write tokens, one segment a line.

    An annotator looks at the source tokens of the dev and held-out sets, if nobody has annotated them.
    """
    recipe = work.recipe
    cleaning = Cleaning(
        train,
        checks=recipe.clean,
        fixes=() if recipe.tokenized else _FIXES,
        limits=CleaningLimits(max_words=recipe.max_words),
        examples=0,
    )
    pairs = list(cleaning.apart(work.executor, size=steps.SLICE_LINES))
    removed = {name: removal.count for name, removal in cleaning.report.removed.items() if removal.count}
    if not pairs:
        raise InputError("cleaning removed every pair", where=train.name, remedy="see `dragoman text clean`")
    facts: Facts = {"removed": removed, "dev_held_out": 0, "notes": []}
    tuned_on = list(dev) if dev is not None else []
    if dev is None and needs_dev:
        pairs, tuned_on = _held_out(pairs, recipe)
        facts["dev_held_out"] = len(tuned_on)
    chosen_on = list(heldout) if heldout is not None else []
    if heldout is None and recipe.heldout_size and tuned_on:
        tuned_on, chosen_on = _cut_off(tuned_on, recipe.heldout_size)
    if recipe.select_pairs:
        domain = [*(pair.source for pair in (*tuned_on, *chosen_on)), *(domain_text or ())]
        settings = recipe.preprocessing(work.languages[0], side=0)
        size, order = recipe.select_pairs, recipe.select_order
        pairs, chosen = selected_pairs(pairs, domain, settings, size=size, order=order, threads=work.threads)
        facts |= chosen
    sides = [[pair.source for pair in pairs], [pair.target for pair in pairs]]
    annotated = any("annotation" in pair.metadata for pair in pairs)
    usual: tuple[Pieces, Pieces] = ("words", "words")  # annotators look at words, and word breakers make them
    unspaced = any(segmentation_of(each, cast(Segmentation, recipe.segment)) != "none" for each in work.languages)
    if not (annotated or annotator or unspaced or any("annotation" in pair.metadata for pair in tuned_on)):
        usual = usual_pieces(*sides)
    made = []
    for number, (side, texts, language) in enumerate(zip(("source", "target"), sides, work.languages, strict=True)):
        settings = recipe.preprocessing(language, side=number, usual=usual[number])
        if settings.pieces != "words":
            facts[f"{side}_pieces"] = settings.pieces
            if (recipe.source_pieces, recipe.target_pieces)[number] == "auto":
                facts["notes"].append(
                    f"words of the {side} are cut into {settings.pieces}, as {100 * seen_once(texts):.1f} % of them "
                    f"occur only once ({side}_pieces=words keeps them whole)"
                )
        preprocessor = Preprocessor.train(settings, texts, threads=work.threads, executor=work.executor)
        (out / side).mkdir()
        preprocessor.save(out / side)
        made.append(preprocessor)
    known = [pair.metadata.get("annotation") for pair in pairs]
    with ExitStack() as files:
        lines = {
            name: files.enter_context(writing(out / f"train.{name}"))
            for name in ("source", "target", *(("annotations",) if annotated else ()))
        }
        shared = steps.shared_preprocessors(made[0], made[1])
        for found in work.executor.run(steps.TOKENS, steps.cut(*sides, known), shared=shared):
            for name, file in lines.items():
                file.write(found[name])
    if recipe.postprocess != "rules":
        with writing(out / _RAW_TARGET) as file:
            file.writelines(" ".join(text.splitlines()) + "\n" for text in sides[1])
    if recipe.domains:
        _write_domains(out / "train.domains", pairs, recipe.domains, train.name)
    for part, these, given in (("dev", tuned_on, dev), ("heldout", chosen_on, heldout)):
        if part == "dev" or these:
            where = given.name if given is not None else train.name
            _write_part(out, part, these, made, work, annotator, where)
    references = max((1 + len(pair.references) for pair in tuned_on), default=1)
    if chosen_on:
        facts["heldout_pairs"] = len(chosen_on)
    return {**facts, "pairs": len(pairs), "dev_pairs": len(tuned_on), "dev_references": references}


def _write_part(
    out: Path,
    part: str,
    pairs: Sequence[SegmentPair],
    made: Sequence[Preprocessor],
    work: Work,
    annotator: Annotator | None,
    where: str,
) -> None:
    """A set to tune on or to choose by: tokens of its source and of each reference, domains, annotations."""
    if work.recipe.domains:
        _write_domains(out / f"{part}.domains", pairs, work.recipe.domains, where)
    sources = made[0].prepare_all([pair.source for pair in pairs], threads=work.threads)
    write_tokens(out / f"{part}.source", sources)
    _write_annotations(out / f"{part}.annotations", pairs, sources)
    for number in range(max((1 + len(pair.references) for pair in pairs), default=1)):
        texts = [(pair.target, *pair.references)[min(number, len(pair.references))] for pair in pairs]
        prepared = made[1].prepare_all(texts, threads=work.threads)
        write_tokens(
            out / f"{part}.target.{number}",
            (theirs.matched_to(ours) for theirs, ours in zip(prepared, sources, strict=True)),
        )
    if annotator is not None and not (out / f"{part}.annotations").is_file():
        _annotate(out / f"{part}.source", out / f"{part}.annotations", annotator, work)


@stage(
    "post-processing",
    reads=("postprocess", "postprocess_lines"),
    rooms=("text", "lm", "search", "pipeline"),
)
def post_processing(work: Work, out: Path, *, prepared: Path) -> Facts:
    """What restores text from tokens, learned from the target side."""
    lines = learn_postprocessing(
        work.recipe.postprocess,
        Preprocessor.load(prepared / "target"),
        list(read_lines(prepared / _RAW_TARGET)),
        out,
        lines=work.recipe.postprocess_lines,
        iterations=_FIELD_ITERATIONS,
    )
    return {"lines": lines}


def _annotate(text: Path, path: Path, annotator: Annotator, work: Work) -> None:
    """What an annotator says of tokens, as JSON, a line each, empty where there are none."""
    with writing(path) as file:
        for sentence in annotate_lines(annotator, read_lines(text), tokenized=True, threads=work.threads):
            file.write(as_json(sentence) if len(sentence) else "\n")


@stage("annotation", rooms=("annotations", "pipeline"))
def annotation(work: Work, out: Path, *, prepared: Path, annotators: Mapping[str, Annotator]) -> Facts:
    """What annotators say of sides of the training text, for rules that must fit its trees or have their labels."""
    for side, annotator in annotators.items():
        _annotate(prepared / f"train.{side}", out / TREES[side], annotator, work)
    return {"sides": list(annotators)}


def _write_domains(path: Path, pairs: Sequence[SegmentPair], known: Sequence[str], where: str) -> None:
    """The labels of each pair, joined by `+`; a line is empty where there is none."""
    with writing(path) as file:
        for pair in pairs:
            labels = str(pair.metadata.get("domain", "")).split("+")
            if unknown := [label for label in labels if label and label not in known]:
                raise InputError(
                    f"a pair of the domain {unknown[0]!r}",
                    where=where,
                    remedy=f"choose from {', '.join(known)}, or add it to `domains`",
                )
            file.write("+".join(labels) + "\n")


def _write_annotations(path: Path, pairs: Sequence[SegmentPair], sources: Sequence[Prepared]) -> None:
    """What is known of each source, as JSON, a line each, empty where nothing is; no file if that is so for all."""
    if not any("annotation" in pair.metadata for pair in pairs):
        return
    with writing(path) as file:
        for pair, source in zip(pairs, sources, strict=True):
            file.write(steps.annotation_line(pair.source, pair.metadata.get("annotation"), source))


def _held_out(pairs: Sequence[SegmentPair], recipe: Recipe) -> tuple[list[SegmentPair], list[SegmentPair]]:
    """Train and dev without a common source; what is like a dev segment leaves train."""
    size = (recipe.dev_size or min(usual_size(len(pairs)), len(pairs) // 10)) + recipe.heldout_size
    texts = [pair.source for pair in pairs]
    keys = [leak_key(text) for text in texts]
    dev = hold_out(keys, texts, size=size, seed=recipe.seed).dev
    if not dev:  # all segments short or alike: take what there is
        dev = hold_out(keys, texts, size=size, seed=recipe.seed, min_words=1, max_words=recipe.max_words).dev
    if not dev:
        raise InputError(
            "no dev set can be held out of so few different segments", remedy="give one, or tune nothing (tuner=none)"
        )
    taken = {keys[row] for row in dev}
    return [pair for pair, key in zip(pairs, keys, strict=True) if key not in taken], [pairs[row] for row in dev]


def _cut_off(pairs: Sequence[SegmentPair], size: int) -> tuple[list[SegmentPair], list[SegmentPair]]:
    """Pairs to tune on, and so many to choose by, spread over all of them."""
    if 2 * size > len(pairs):
        raise InputError(
            f"{size} of {len(pairs)} pairs of the dev set are to be held out",
            remedy="give a larger dev set or a held-out set, or a smaller heldout_size",
        )
    rows = {number * len(pairs) // size for number in range(size)}
    parts: tuple[list[SegmentPair], list[SegmentPair]] = [], []
    for row, pair in enumerate(pairs):
        parts[row in rows].append(pair)
    return parts


def write_tokens(path: Path, texts: Iterable[Prepared]) -> None:
    """One segment a line, without tags; sentences of one segment are joined."""
    with writing(path) as file:
        file.writelines(f"{token_line(text)}\n" for text in texts)


@stage("prepare extra", rooms=("text", "pipeline"))
def prepare_extra(work: Work, out: Path, *, prepared: Path, extra: Corpus) -> Facts:
    """Tokens of further text of the target side."""
    return {"segments": write_further(work, prepared / "target", extra, out / "extra.target")}


def write_further(work: Work, side: Path, text: Corpus, path: Path) -> int:
    """Tokens of further text, a sentence a line, by the preprocessor of a side; gives the lines written."""
    preprocessor = Preprocessor.load(side)
    lines = 0
    with writing(path) as file:
        for batch in text.batches(20_000):
            for segment in preprocessor.prepare_all(batch, threads=work.threads):
                for part in segment.sentences:
                    if words := [part.tokens[position] for position in positions_without_tags(part)]:
                        file.write(" ".join(words) + "\n")
                        lines += 1
    return lines


# Models

CLASSES_FROM = 10_000
"""Lines of text from which on a model over word classes is made unless the recipe says otherwise."""


@stage(
    "language model",
    reads=("order", "lm_prune", "extra_text", "classes", "class_order", "seed"),
    rooms=("lm", "pipeline"),
)
def language_model(work: Work, out: Path, *, prepared: Path, extra: Path | None, like: Path | None = None) -> Facts:
    """Models of the target side: its own text, further text mixed in or apart, and classes of its words.

    If they are to be `like` those in another folder, they have its classes, and none if it has none.
    """
    more = extra / "extra.target" if extra is not None else None
    recipe = work.recipe
    facts: Facts = {"notes": [], "order": recipe.order}

    def estimated(name: str, text: Path | Iterable[str], order: int) -> Ngrams:
        made = estimate(
            text,
            order=order,
            prune=recipe.lm_prune,
            skip_special=True,
            memory=work.memory or DEFAULT_MEMORY,
            threads=work.threads,
            scratch=out,
            executor=work.executor,
            progress=work.progress,
        )
        facts["notes"] += [f"language model {name!r}: {note}" for note in made.notes]
        return made.ngrams

    def keep(name: str, ngrams: Ngrams) -> None:
        model = ngrams.build()
        model.save(out / f"{name}.bin")
        facts[name] = {"order": model.order, "ngrams": list(model.counts), "bytes": model.bytes}

    own = estimated(LM, prepared / "train.target", recipe.order)
    further = estimated(LM_EXTRA, more, recipe.order) if more is not None else None
    if further is not None and recipe.extra_text == "interpolate":
        dev = list(read_lines(prepared / "dev.target.0"))
        mixture = fit_weights([own.build(), further.build()], dev)
        facts["mixture"] = mixture.to_dict()
        own = interpolate([own, further], mixture.weights)
    keep(LM, own)
    facts["ngrams"] = sum(own.counts)
    if further is not None and recipe.extra_text == "separate":
        keep(LM_EXTRA, further)
    texts = [prepared / "train.target", *([more] if more is not None else [])]
    lines = [line for text in texts for line in read_lines(text)] if recipe.classes else []
    if (classes := _classes(work, lines, like)) is not None:
        classes.write(out / "classes.tsv")
        keep(LM_CLASSES, estimated(LM_CLASSES, classes.apply_all(lines), recipe.class_order))
    return facts


def _classes(work: Work, lines: Sequence[str], like: Path | None) -> ClassMap | None:
    """Classes of the words in these lines, or those that a folder has; None for none."""
    if like is not None:
        known = like / "classes.tsv"
        return ClassMap.read(known) if known.is_file() else None
    recipe = work.recipe
    if recipe.classes <= 0 and len(lines) < CLASSES_FROM:
        return None
    wanted = None if recipe.classes < 0 else recipe.classes
    classes = train_classes(lines, classes=wanted, threads=work.threads, seed=recipe.seed, progress=work.progress)
    # Numbers share a class with all of their shape; a decoder looks words up as they are.
    words = {word for line in lines for word in line.split()}
    return ClassMap({**classes.classes, **{word: classes.of(word) for word in sorted(words)}})


@stage(
    "alignment",
    reads=("aligner", "aligner_settings", "symmetrize", "anchors", "anchor_links", "keep_aligner", "max_words", "seed"),
    rooms=("align", "pipeline"),
)
def align(work: Work, out: Path, *, prepared: Path) -> Facts:
    """Links of the training pairs."""
    source, target = (list(read_lines(prepared / f"train.{side}")) for side in ("source", "target"))
    seeded = {"seed": work.recipe.seed} if work.recipe.aligner == "bayes" else {}
    usual = {"max_length": max(200, 2 * work.recipe.max_words), **seeded}
    aligner = ALIGNERS.get(work.recipe.aligner).configured(work.recipe.aligner_settings, **usual)
    anchored: AnchoredText | None = None
    if work.recipe.anchors:
        sides = Preprocessor.load(prepared / "source"), Preprocessor.load(prepared / "target")
        anchored = anchored_text(work.recipe.anchors, source, target, sides, links=work.recipe.anchor_links)
    report = aligner.train(
        anchored.glued.source if anchored is not None else source,
        anchored.glued.target if anchored is not None else target,
        anchors=anchored.known if anchored is not None else None,
        languages=work.languages,
        threads=work.threads,
        executor=work.executor,
        memory=work.memory or SLOT_MEMORY,
        progress=work.progress,
    )
    if work.recipe.keep_aligner:
        aligner.save(out / "aligner")
    if anchored is not None:
        found = anchored.links(aligner, work.recipe.symmetrize, threads=work.threads)
        with writing(out / "links") as file:
            file.writelines(f"{links}\n" for links in found)
        facts = {"pairs": report.used, "links": sum(map(len, found)), "anchors": anchored.anchors}
        return facts | ({"ignored_anchors": report.ignored_anchors} if report.ignored_anchors else {})
    links = 0
    shared = steps.shared_aligner(aligner, work.recipe.symmetrize)
    with writing(out / "links") as file:
        for lines, count in work.executor.run(steps.LINKS, steps.cut(source, target), shared=shared):
            file.write(lines)
            links += count
    return {"pairs": report.used, "links": links}


@stage(
    "table",
    reads=(
        *("kind", "rules", "max_phrase", "system", "smoothing", "lexical", "min_probability", "count_bins"),
        *("rule_counts", "rule_classes", "reordering", "evidence", "domains", "extraction_features"),
    ),
    rooms=("grammar", "pipeline"),
)
def table(work: Work, out: Path, *, prepared: Path, alignment: Path, trees: Path | None = None) -> Facts:
    """Rules of the kind, their scores and their reordering; trees that they must fit are in a folder of their own."""
    labels = list(read_lines(prepared / "train.domains")) if work.recipe.domains else []
    sides = work.recipe.annotated_sides
    domains = {
        name: [line for line, label in enumerate(labels) if name in label.split("+")] for name in work.recipe.domains
    }
    # Lines instead of files: a table names the files it came from, and these are ours and will be gone.
    made = extract(
        read_lines(prepared / "train.source"),
        read_lines(prepared / "train.target"),
        read_lines(alignment / "links"),
        out / "table.rules",
        domains={name: lines for name, lines in domains.items() if lines},
        limits=work.recipe.limits,
        scoring=work.recipe.scoring,
        evidence=work.recipe.evidence,
        features=work.recipe.extraction_features,
        annotations=_annotations(prepared, trees, "source")
        if work.recipe.extraction_features or "source" in sides
        else (),
        target_annotations=_annotations(prepared, trees, "target") if "target" in sides else (),
        memory=work.memory or 2**30,
        threads=work.threads,
        executor=work.executor,
        scratch=out,
        progress=work.progress,
    )
    notes = [*made.notes]
    return {"rules": len(made.table), "bytes": made.table.native.bytes, "links": made.links, "notes": notes}


def _annotations(folder: Path, trees: Path | None, side: str) -> list[Sentence]:
    """What is known of a side of the training text, if it is annotated."""
    places = [place / TREES[side] for place in (trees, folder) if place is not None]
    path = next(filter(Path.is_file, places), None)
    if path is None:
        return []
    lines = zip(read_lines(folder / f"train.{side}"), read_lines(path), strict=True)
    return [
        Sentence.from_dict(parse_json(layers, where=str(path))) if layers else Sentence.of(text.split())
        for text, layers in lines
    ]


@stage("joint model", reads=("joint_settings", "seed"), rooms=("neural", "lm", "text", "pipeline"))
def joint_model(work: Work, out: Path, *, prepared: Path, alignment: Path) -> Facts:
    """A joint model of the training pairs and their links.

    A pass may last minutes: what training goes on from lies beside the folders of stages, so that a killed job loses
    one pass.
    """
    source, target = (list(read_lines(prepared / f"train.{side}")) for side in ("source", "target"))
    made = fit_joint_model(
        source,
        target,
        list(read_lines(alignment / "links")),
        out / _file_of(JointFeature.name),
        work.recipe.joint_training,
        state=out.parent / "joint-model.state",
        threads=work.threads,
        progress=work.progress,
    )
    passes = [[round(each.perplexity, 3) for each in network.history] for network in made.networks]
    facts: Facts = {
        "passes": passes,
        "best_passes": [each.best + 1 for each in made.networks],
        **made.quality.to_dict(),
    }
    return facts


@stage("sequence model", reads=("sequence_order",), rooms=("features", "lm", "pipeline"))
def sequence_model(work: Work, out: Path, *, prepared: Path, alignment: Path) -> Facts:
    """A bilingual n-gram model of the training pairs and their links."""
    source, target = (list(read_lines(prepared / f"train.{side}")) for side in ("source", "target"))
    made = estimate(
        paired_words(source, target, list(read_lines(alignment / "links"))),
        order=work.recipe.sequence_order,
        skip_special=True,
        threads=work.threads,
        scratch=out,
        executor=work.executor,
        progress=work.progress,
    )
    model = made.ngrams.build()
    model.save(out / _file_of(SequenceFeature.name))
    facts: Facts = {"ngrams": list(model.counts), "bytes": model.bytes, "notes": list(made.notes)}
    return facts


@stage("vectors", reads=("vectors_settings", "seed"), rooms=("semantics", "align", "pipeline"))
def vectors(work: Work, out: Path, *, prepared: Path, alignment: Path) -> Facts:
    """Word vectors of both sides: those of the target from its text, those of the source in their space.

    What training goes on from lies beside the folders of stages, so that a killed job loses one pass.
    """
    source, target = (list(read_lines(prepared / f"train.{side}")) for side in ("source", "target"))
    settings = work.recipe.vector_training
    given = train_vectors(
        target, settings, state=out.parent / "vectors.state", threads=work.threads, progress=work.progress
    )
    links = TranslationCounts.of(source, target, read_lines(alignment / "links"))
    made = train_vectors(
        source,
        settings,
        given=given.vectors,
        counts=links,
        state=out.parent / "vectors.state",
        threads=work.threads,
        progress=work.progress,
    )
    PhraseVectors.of(made.vectors, given.vectors).save(out / _file_of(VectorFeature.name))
    facts: Facts = {
        "source_words": len(made.vectors),
        "target_words": len(given.vectors),
        "dimensions": made.vectors.dimensions,
        "loss": [round(each.context, 4) for each in made.history],
        "distance": [round(each, 4) for each in (made.start, *(step.translation for step in made.history))],
    }
    return facts


@stage("context", rooms=("semantics", "align", "pipeline"))
def context(work: Work, out: Path, *, prepared: Path, alignment: Path) -> Facts:
    """Mutual information of the words of the training pairs."""
    made = MutualInformation.train(
        read_lines(prepared / "train.source"),
        read_lines(prepared / "train.target"),
        links=read_lines(alignment / "links"),
        threads=work.threads,
    )
    made.save(out / _file_of(ContextFeature.name))
    return {"pairs": made.native.size}


def _source_order(
    kind: type[SourceOrderFeature], work: Work, out: Path, known: Sequence[Sentence], links: Path
) -> Facts:
    made = kind.train(
        known, list(read_lines(links)), ChoiceTraining(seed=work.recipe.seed), future=work.recipe.future_order
    )
    made.save(out / _file_of(kind.name))
    return {"tags": made.model.uses_tags}


@stage("distortion model", reads=("future_order", "seed"), rooms=("features", "annotations", "pipeline"))
def distortion_model(work: Work, out: Path, *, prepared: Path, alignment: Path, trees: Path | None = None) -> Facts:
    """How far to jump in the source, learned from links, and from tags of the source side if it has some."""
    known = _annotations(prepared, trees, "source") or [
        Sentence.of(line.split()) for line in read_lines(prepared / "train.source")
    ]
    return _source_order(JumpFeature, work, out, known, alignment / "links")


@stage("relation order", reads=("future_order", "seed"), rooms=("features", "annotations", "pipeline"))
def relation_order(work: Work, out: Path, *, prepared: Path, alignment: Path, trees: Path | None = None) -> Facts:
    """Whether words keep their order, learned from links and from trees of the source side."""
    return _source_order(RelationFeature, work, out, _annotations(prepared, trees, "source"), alignment / "links")


@stage("dependency model", reads=("dependency_window", "seed"), rooms=("features", "annotations", "pipeline"))
def dependency_model(work: Work, out: Path, *, prepared: Path, alignment: Path, trees: Path | None = None) -> Facts:
    """How well target words find heads, learned from trees of the target side; it needs no links."""
    made = DependencyFeature.train(
        _annotations(prepared, trees, "target"),
        ChoiceTraining(seed=work.recipe.seed),
        window=work.recipe.dependency_window,
    )
    made.save(out / _file_of(DependencyFeature.name))
    return {"tags": len(made.model.tags)}


BILINGUAL_STAGES = {
    JointFeature.name: joint_model,
    SequenceFeature.name: sequence_model,
    JumpFeature.name: distortion_model,
    RelationFeature.name: relation_order,
    DependencyFeature.name: dependency_model,
    VectorFeature.name: vectors,
    ContextFeature.name: context,
}
"""What makes trained models, by the names of their features."""


def _file_of(name: str) -> str:
    return f"{name}.bin"


def open_bilingual_models(folders: Mapping[str, Path]) -> list[BilingualModel]:
    """Models of both sides by name, from the folders that the stages above left."""
    return [model for name, folder in folders.items() for model in read_bilingual_models(folder.joinpath, [name])]


# Features and weights


@stage(
    "folds",
    reads=("fold_pairs", "templates", "tuner", *table.reads, *language_model.reads),
    rooms=(*table.rooms, *language_model.rooms, "text"),
)
def folds(
    work: Work,
    out: Path,
    *,
    prepared: Path,
    alignment: Path,
    models: Path,
    extra: Path | None,
    trees: Path | None = None,
) -> Facts:
    """For each fold, in a folder of its own: its sentences, and models of all others."""
    recipe = work.recipe
    files = [prepared / f"train.{part}" for part in ("source", "target", "domains", "annotations")]
    files += [trees / name for name in TREES.values()] if trees is not None else []
    texts = {path.name: list(read_lines(path)) for path in (*files, alignment / "links") if path.is_file()}
    count, size = recipe.folds(len(texts["train.source"]))
    cut = cut_folds(texts["train.source"], folds=count, size=size, seed=recipe.seed)
    files = [*files, alignment / "links", prepared / "dev.target.0"]
    shared = _shared_texts(work, [path for path in files if path.is_file()], models, extra)
    made = work.executor.run(
        ShardStep("folds", _fold, wide=True),
        [Shard((number, rows)) for number, rows in enumerate(cut)],
        shared=shared,
        folder=out,
        total=len(cut),
        progress=work.progress,
    )
    assert sum(1 for _ in made) == len(cut)
    return {"folds": len(cut), "pairs": sum(map(len, cut))}


@dataclass(frozen=True, slots=True)
class _Texts:
    """What all folds are cut from: the recipe, files of the whole text, further text, and models to be like."""

    recipe: Recipe
    languages: tuple[str, str]
    memory: int
    files: tuple[Path, ...]
    models: Path
    extra: Path | None


def _shared_texts(work: Work, files: Sequence[Path], models: Path, extra: Path | None) -> Shared[_Texts]:
    also = [models / "classes.tsv", *([extra / "extra.target"] if extra is not None else [])]

    def save(folder: Path) -> None:
        for path in (*files, *(each for each in also if each.is_file())):
            take_file(path, folder / path.name)

    texts = _Texts(work.recipe, work.languages, work.memory, tuple(files), models, extra)
    return Shared(texts, texts, save, _load_texts)


def _load_texts(texts: _Texts, folder: Path) -> _Texts:
    files = tuple(folder / path.name for path in texts.files)
    return replace(texts, files=files, models=folder, extra=folder if texts.extra is not None else None)


def _fold(shard: Shard[tuple[int, list[int]]], texts: _Texts, place: ShardPlace) -> None:
    """One fold in a folder named by its number: its sentences, and models of the rest."""
    number, rows = shard.value
    folder, held = place.folder / str(number), set(rows)
    rest = folder / "rest"
    rest.mkdir(parents=True)
    for path in texts.files:
        if path.name.startswith("dev."):
            take_file(path, rest / path.name)
            continue
        with writing(folder / path.name) as inside, writing(rest / path.name) as outside:
            for row, line in enumerate(read_lines(path)):
                (inside if row in held else outside).write(f"{line}\n")
    work = Work(texts.recipe, texts.languages, place.threads, place.progress, memory=texts.memory)
    table(work, folder, prepared=rest, alignment=rest)
    language_model(work, folder, prepared=rest, extra=texts.extra, like=texts.models)
    shutil.rmtree(rest)


_DECODING = ("kind", "search", "rules", "max_phrase", "system", "features", "domains")
_SEARCHING = ("grammar", "features", "search", "metrics", "tuning", "pipeline")


@stage(
    "learning",
    reads=(*_DECODING, "fold_passes", "fold_settings", "metric", "nbest", "seed"),
    rooms=_SEARCHING,
)
def learning(
    work: Work,
    out: Path,
    *,
    prepared: Path,
    table: Path,
    models: Path,
    folds: Path,
    tuned: Path,
    templates: Sequence[Template],
) -> Facts:
    """Weights of all features, learned on folds of the text from those that the dev set gave the dense ones."""
    recipe = work.recipe
    quick = {name: min(getattr(recipe.search_settings, name), 100) for name in ("pop_limit", "beam")}
    parts: list[Fold] = []
    for folder in sorted(folds.glob("[0-9]*"), key=lambda path: int(path.name)):
        first = parts[0].decoder if parts else None
        decoder = open_decoder(recipe, folder, folder, templates, like=first, **quick)
        source = _marked(decoder, folder, "train")
        parts.append(Fold(decoder, source, list(read_lines(folder / "train.target"))))
    start = Weights.load(tuned / "weights.txt")
    learned = learn_on_folds(
        parts,
        start,
        tuner=recipe.learner,
        metric=get_metric(recipe.metric, language=work.languages[1]).for_tokens(),
        passes=recipe.fold_passes,
        nbest=recipe.nbest,
        seed=recipe.seed,
        threads=work.threads,
        progress=work.progress,
    )
    decoder = open_decoder(recipe, table, models, templates)
    # Tables of folds have no rules for unknown words: what these weigh is as the dev set has it.
    absent = set(decoder.feature_names) - set(parts[0].decoder.feature_names)
    # The same of features of phrases: the training text is not annotated.
    absent |= {name for each in templates if each.needs_phrases for name in start if name.startswith(f"{each}:")}
    weights = Weights({**learned.weights, **{name: start[name] for name in sorted(absent) if name in start}})
    weights.save(out / "weights.txt")
    dev = _Dev.read(prepared, decoder)
    decoder = decoder.with_weights(weights)
    facts = {"scores": list(learned.scores), "notes": list(learned.warnings), **_weight_facts(weights)}
    return facts | dev.facts(decoder, work.threads)


@stage("templates", reads=("template_classes", "seed"), rooms=("lm", "features", "pipeline"))
def template_resources(work: Work, out: Path, *, prepared: Path, alignment: Path, wanted: Sequence[str]) -> Facts:
    """Classes, word lists and the like that templates need, from the training text and its links."""
    options = ResourceOptions(
        classes=work.recipe.template_classes, seed=work.recipe.seed, threads=work.threads, progress=work.progress
    )
    files = (prepared / "train.source", prepared / "train.target", alignment / "links")
    made = make_resources(wanted, lambda side: list(read_lines(files[side])), options)
    for option, value in made.items():
        RESOURCES[option].write(value, out / RESOURCES[option].file)
    return {"made": ", ".join(RESOURCES[option].file for option in made)}


def open_templates(planned: Sequence[TemplateSpec], folder: Path | None) -> list[Template]:
    """Templates with the resources that the stage above left in a folder."""
    resources = {
        option: RESOURCES[option].read(folder / RESOURCES[option].file)
        for option in missing_resources(planned)
        if folder is not None
    }
    return made_templates(planned, known=resources)


def language_model_names(folder: Path) -> list[str]:
    """Which language models a folder has, in the order of their use."""
    return [name for name in (LM, LM_EXTRA, LM_CLASSES) if (folder / f"{name}.bin").is_file()]


def open_decoder(
    recipe: Recipe,
    table: Path,
    models: Path,
    given: Sequence[Feature],
    *,
    like: Decoder | None = None,
    **search: Any,
) -> Decoder:
    """A decoder with start weights; `search` are settings in place of the recipe's."""
    language_models = read_language_models(models.joinpath, language_model_names(models))
    features = [*(each.load() for each in recipe.imported), *given]
    settings = {**recipe.search_settings.differences(), **search}
    return recipe.decoder.open(table.joinpath, language_models, settings, features=features, like=like)


def _spread(work: Work, decoder: Decoder, table: Path, models: Path) -> Tunable:
    """The decoder as tuning gets it: its lists are made by all workers, if they can and number features alike."""
    if not work.executor.keeps or decoder.features:
        return decoder
    files = [*table.iterdir(), *models.iterdir()]

    def save(folder: Path) -> None:
        for path in files:
            if path.suffix in (".rules", ".bin", ".tsv"):
                take_file(path, folder / path.name)

    return SpreadDecoder(decoder, work.executor, Shared(decoder, work.recipe, save, _load_decoder))


def _load_decoder(recipe: Recipe, folder: Path) -> Decoder:
    return open_decoder(recipe, folder, folder, [])


def _marked(decoder: Decoder, folder: Path, part: str) -> list[Source]:
    """Sentences with what a decoder asks for: domains, annotations. Of several labels, the first is the domain."""
    lines = list(read_lines(folder / f"{part}.source"))

    def known(name: str, *, wanted: bool) -> list[str]:
        path = folder / f"{part}.{name}"
        return list(read_lines(path)) if wanted and path.is_file() else [""] * len(lines)

    labels = known("domains", wanted=any(each.declared_domains for each in decoder.templates))
    annotations = known("annotations", wanted=decoder.reads_annotation)
    where = f"{folder}, {part}.annotations"
    return [
        SourceText(
            line,
            label.partition("+")[0],
            Sentence.from_dict(parse_json(layers, where=where)) if layers else None,
        )
        for line, label, layers in zip(lines, labels, annotations, strict=True)
    ]


def _check_labels(templates: Sequence[Template], sources: Sequence[Source]) -> None:
    """Constraints on phrases that no sentence of the dev set has are told before they are tuned in vain."""
    for template in (each for each in templates if each.needs_phrases):
        known = [found for each in sources if (found := SourceText.of(each).annotation) is not None]
        labels = {label for each in known for label, _, _ in phrase_spans(each, template.phrase_layer)}
        template.check_labels(labels)


def _weight_facts(weights: Weights) -> Facts:
    return {"weights": sum(map(bool, weights.values())), "families": dict(Selection.of(weights).kept)}


@dataclass(frozen=True, slots=True)
class _Dev:
    """The dev set as tokens."""

    source: list[Source]
    references: list[list[str]]

    @staticmethod
    def read(prepared: Path, decoder: Decoder, part: str = "dev") -> _Dev:
        files = sorted(prepared.glob(f"{part}.target.*"), key=lambda path: int(path.suffix[1:]))
        return _Dev(_marked(decoder, prepared, part), [list(read_lines(path)) for path in files])

    def facts(self, decoder: Decoder, threads: int, *, bleu: float | None = None) -> Facts:
        """BLEU of a decoder, if it is not known, and without features that Moses has not, if there are sentences."""
        if not self.source:
            return {}
        facts: Facts = {"dev_bleu": self.bleu(decoder, threads) if bleu is None else bleu}
        if missing := decoder.unknown_to_moses:
            features = [each for each in decoder.features if str(each) not in missing]
            facts["dev_bleu_in_moses"] = self.bleu(decoder.with_features(features, decoder.weights), threads)
        return facts

    def bleu(self, decoder: Decoder, threads: int) -> float:
        found = [each.text for each in decoder.translate(self.source, threads=threads)]
        scores = score(found, self.references, ["bleu:tokenize=none"], confidence=None)
        return next(iter(scores)).value


@stage(
    "tuning",
    reads=(*_DECODING, "tuner", "tuner_settings", "metric", "iterations", "nbest", "seed"),
    rooms=_SEARCHING,
)
def tuning(
    work: Work,
    out: Path,
    *,
    prepared: Path,
    table: Path,
    models: Path,
    templates: Sequence[Template],
    tuner: Tuner | None,
    bilingual: Mapping[str, Path] | None = None,
    learned: Path | None = None,
) -> Facts:
    """Weights that make the dev set come out best.

    Sparse weights that folds of the text have `learned` stay as they are.
    """
    recipe = work.recipe
    decoder = open_decoder(recipe, table, models, [*open_bilingual_models(bilingual or {}), *templates])
    if learned is not None:
        decoder = decoder.with_weights({**decoder.weights, **Weights.load(learned / "weights.txt")})
    dev = _Dev.read(prepared, decoder)
    _check_labels(templates, dev.source)
    heldout = _Dev.read(prepared, decoder, "heldout") if (prepared / "heldout.source").is_file() else None
    facts: Facts = {"tuner": tuner.name if tuner is not None else "none"}
    bleu: float | None = None
    if tuner is not None:
        from dragoman.tuning import tune

        result = tune(
            _spread(work, decoder, table, models),
            dev.source,
            dev.references,
            tuner=tuner,
            metric=get_metric(recipe.metric, language=work.languages[1]).for_tokens(),
            iterations=recipe.iterations,
            nbest=recipe.nbest,
            seed=recipe.seed,
            threads=work.threads,
            fixed=[each.prefix for each in templates] if learned is not None else (),
            heldout=(heldout.source, heldout.references) if heldout is not None else None,
            progress=work.progress,
        )
        decoder = decoder.with_weights(result.weights)
        facts |= {"iterations": len(result.history) - 1, "best_iteration": result.best_iteration}
        facts |= _weight_facts(result.weights)
        if heldout is not None:
            facts["heldout_scores"] = [round(result.scale * (each.heldout or 0.0), 2) for each in result.history]
        if recipe.metric == "bleu":
            bleu = 100 * result.score  # as tuning saw it: nothing is translated again
    decoder.weights.save(out / "weights.txt")
    return facts | dev.facts(decoder, work.threads, bleu=bleu)
