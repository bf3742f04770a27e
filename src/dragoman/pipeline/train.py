"""Training: raw text to a tuned model bundle, stage by stage.

Everything is checked first (`preflight`), then text is prepared, language models, word alignment and table are learned,
weights are tuned on the dev set, and the bundle is written aside and renamed. Each finished stage is kept under a key
of its inputs and settings: a job that was killed starts again with the stage it was in, and one with other settings
repeats only what they change.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dragoman.align.mwe import read_expressions
from dragoman.annotations import Sentence, annotator_chain
from dragoman.annotations.annotator import Annotator
from dragoman.annotations.corpus import read_annotations
from dragoman.bundle import Provenance, require_new_bundle, require_place_for_bundle, writing_bundle
from dragoman.cache import StageCache, StageResult
from dragoman.errors import InputError, SettingError
from dragoman.executors import Executor
from dragoman.features.resources import missing_resources
from dragoman.features.template import Template
from dragoman.files import take_file
from dragoman.lm.estimate import parse_memory
from dragoman.pipeline import enrichment, stages
from dragoman.pipeline.base import Facts, Stage, Work
from dragoman.pipeline.evidence import EVIDENCE_FILES
from dragoman.pipeline.executors import working_on
from dragoman.pipeline.kept_annotators import keep_annotators, keeps
from dragoman.pipeline.memory_bounds import asked_order, require_memory, stage_memory
from dragoman.pipeline.model import BUNDLE_KIND, POSTPROCESSING_FOLDER, TUNING_OF_ALL, Model, bundle_settings
from dragoman.pipeline.named_recipes import open_recipe
from dragoman.pipeline.postprocessing import AGREEMENT_FILE, require_postprocessing
from dragoman.pipeline.preflight import Preflight, inspect_bitext, inspect_corpus, preflight
from dragoman.pipeline.recipe import Recipe
from dragoman.pipeline.stored_templates import features_settings, given_files, require_trust
from dragoman.plain_data import parse_json
from dragoman.progress import Progress, ProgressCallback
from dragoman.progress_view import shows_progress
from dragoman.remote_files import with_urls
from dragoman.text.corpus import Bitext, Corpus
from dragoman.text.formats import language_pair
from dragoman.text.inflections import InflectionLexicon

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["TrainingReport", "TrainingStopped", "report_table", "train"]

Text = Path | str | Sequence[str]
"""A file name, or the segments themselves."""


class TrainingStopped(KeyboardInterrupt):
    """Training was interrupted: in which stage, what is kept, and how to go on."""

    def __init__(self, stage: str, kept: tuple[str, ...], folder: Path) -> None:
        self.stage, self.kept, self.folder = stage, kept, folder
        what = f"finished stages are kept in {folder} ({', '.join(kept)})" if kept else "no stage was finished"
        super().__init__(f"stopped in the stage {stage!r}; {what}; the same call or command goes on from there")


@dataclass(slots=True)
class TrainingReport:
    """What training read, made and took; it is kept in the bundle."""

    preflight: Preflight
    stages: dict[str, Facts] = field(default_factory=dict)
    seconds: float = 0.0
    remarks: list[str] = field(default_factory=list)
    """What was to be said of the whole."""

    @property
    def notes(self) -> list[str]:
        """What a person should know."""
        notes = [*self.preflight.notes, *self.remarks]
        prepared = self.stages.get("prepare", {})
        if removed := prepared.get("removed"):
            reasons = ", ".join(f"{name} {count:,}" for name, count in removed.items())
            notes.append(f"cleaning removed {sum(removed.values()):,} pairs ({reasons})")
        if whole := prepared.get("selected_of"):
            notes.append(f"{prepared['pairs']:,} of {whole:,} pairs were chosen for the domain")
        if held := prepared.get("dev_held_out"):
            notes.append(f"no dev set was given: {held:,} pairs were held out for tuning")
        for facts in self.stages.values():
            notes += facts.get("notes", [])
        if self.gain is not None:
            notes.append(f"rules for unknown words and phrases change BLEU of the dev set by {self.gain:+.2f}")
        return notes

    @property
    def gain(self) -> float | None:
        """BLEU of the dev set, tuned with rules for unknown words, less that without them; None if there are none."""
        try:
            return float(self.stages["tuning"]["dev_bleu"] - self.stages["plain tuning"]["dev_bleu"])
        except KeyError:
            return None

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "preflight": self.preflight.to_dict(),
            "stages": self.stages,
            "seconds": round(self.seconds, 2),
            "notes": self.notes,
        }


def report_table(report: Mapping[str, Any]) -> Table:
    """The stages of a report as a table for the terminal."""
    from rich.table import Table

    table = Table("stage", "seconds", "what", box=None, pad_edge=False)
    table.columns[1].justify = "right"
    for name, facts in report["stages"].items():
        table.add_row(name, "kept" if facts.get("kept") else f"{facts['seconds']:.1f}", _summary(facts))
    table.add_row("all", f"{report['seconds']:.1f}", "")
    return table


def _summary(facts: Facts) -> str:
    parts = []
    for key, value in facts.items():
        if isinstance(value, bool) or not value or key in ("seconds", "processor_seconds"):
            continue
        name = key.replace("_", " ")
        if isinstance(value, float):
            parts.append(f"{name} {value:.2f}")
        elif isinstance(value, int):
            parts.append(f"{name} {value:,}")
        elif isinstance(value, str):
            parts.append(f"{name} {value}")
    return ", ".join(parts)


@shows_progress("training")
@with_urls(
    *("source", "target", "annotations", "dev_annotations"),
    several=("dev", "heldout", "lm_text", "source_text", "domain_text"),
    output="output",
)
def train(
    source: Text | Bitext,
    target: Text | None = None,
    *,
    output: Path | str,
    dev: Bitext | tuple[Text, Text] | None = None,
    heldout: Bitext | tuple[Text, Text] | None = None,
    languages: str | tuple[str, str] | None = None,
    recipe: Recipe | Mapping[str, Any] | Path | str | None = None,
    lm_text: Sequence[Path | str] = (),
    source_text: Sequence[Path | str] = (),
    domain_text: Sequence[Path | str] = (),
    cache: Path | str | None = None,
    domains: Mapping[str, Sequence[int]] | None = None,
    dev_domains: Mapping[str, Sequence[int]] | None = None,
    annotations: Path | str | Sequence[Sentence] | None = None,
    dev_annotations: Path | str | Sequence[Sentence] | None = None,
    annotator: Annotator | None = None,
    target_annotator: Annotator | None = None,
    threads: int = 0,
    on: str | Executor | None = None,
    memory: int | str = 0,
    trust_features: bool = False,
    force: bool = False,
    strict: bool = False,
    command: str | None = None,
    progress: ProgressCallback | bool | None = None,
    started: Callable[[Preflight], None] | None = None,
) -> Model:
    """Train a model on a bitext and write its bundle to `output`.

    `source` and `target` are files (plain or compressed), or segments in memory; `source` alone is a file of pairs
    (`.tsv`, `.tmx`, `.jsonl`) or a `Bitext`. Files and `output` may be URLs (`s3://bucket/corpus.de`). `recipe` is one,
    the name or file of one, or settings that differ from the usual. Without `dev`, a part of the text is held out for
    tuning. Of all iterations of tuning the one is kept that translates `heldout` best, if there is such a set.
    `lm_text` is further text of the target language, and `source_text` of the source language, for recipes that learn
    translations of unknown words from it; `domain_text` is text of the source language like that which is to be
    translated, for recipes that choose training text by it. Finished stages are kept in `cache`; without one, they lie
    beside the output until the model is finished. `started` is told the sizes before the long work begins. `on` says
    where the work is done, `local` or `ray://HOST:PORT` (see `dragoman.pipeline.executors`), and stands before what the
    recipe says; neither it nor threads change anything in the result. `memory`, such as `4G`, is what no stage may
    exceed: one that would is refused at once. `domains` lists pairs (from 0) by the domains of the recipe, which mark
    their rules, and `dev_domains` those of the dev set; a fact `domain` of the pairs themselves (in `.jsonl`, say) does
    the same. `annotations` and `dev_annotations` have a sentence, tokenised as the model does it, for each source
    segment that is not blank (CoNLL-U, or sentences in memory): for templates that look at tags or phrases; an
    `annotator`, by default the one that the recipe names, does that for the dev and held-out sets, and for training
    text whose trees the rules must fit or be labelled by, or whose tags templates learn from (`target_annotator` for
    those of the target side). What is handed in so is no part of the model; what the recipe names is kept in it. A
    recipe may name features in Python modules: `trust_features` imports them. A model that is there already is replaced
    with `force` only. `strict` makes errors of what looks wrong with the text. `progress` is told how far it has come;
    without one, a bar says it on a terminal and in a notebook; True says it in a log too, False nowhere.
    """
    told = progress if callable(progress) else None
    languages = language_pair(languages) if isinstance(languages, str) else languages
    output = Path(output)
    begun = time.perf_counter()
    if isinstance(recipe, (str, Path)):
        recipe = open_recipe(recipe)
    if not isinstance(recipe, Recipe):
        recipe = Recipe.from_dict(recipe or {})
    require_trust([*recipe.imported, *recipe.imported_in_extraction], trusted=trust_features, where="recipe")
    for feature in recipe.imported:
        feature.load()
    for looking in recipe.imported_in_extraction:
        looking.load()
    given_files(recipe.template_specs(0))
    require_place_for_bundle(output, BUNDLE_KIND)
    replaced = require_new_bundle(output, force=force)
    bitext = _bitext(source, target, languages)
    dev_text = _bitext(*dev, languages) if isinstance(dev, tuple) else dev
    if (domains or dev_domains) and not recipe.domains:
        raise SettingError("lines of domains, and a recipe that names none", remedy="set domains=DEFAULT,OTHER")
    if domains:
        bitext = bitext.labelled("domain", domains)
    if dev_domains:
        if dev_text is None:
            raise SettingError("domains of a dev set, and no dev set", remedy="give one, or leave them out")
        dev_text = dev_text.labelled("domain", dev_domains)
    if annotator is None and recipe.annotate:
        annotator = annotator_chain.load(recipe.annotate)
    if target_annotator is None and recipe.annotate_target:
        target_annotator = annotator_chain.load(recipe.annotate_target)
    chosen_by = _bitext(*heldout, languages) if isinstance(heldout, tuple) else heldout
    if annotations is not None:
        bitext = _annotated(bitext, annotations)
    if dev_annotations is not None:
        if dev_text is None:
            raise SettingError("annotations of a dev set, and no dev set", remedy="give one, or leave them out")
        dev_text = _annotated(dev_text, dev_annotations)
    bound = parse_memory(memory) if memory else 0
    extra, further_source, domain = _corpora(lm_text), _corpora(source_text), _corpora(domain_text)
    if domain is not None and not recipe.select_pairs:
        raise SettingError(
            "text of the domain, and a recipe that chooses nothing by it", remedy="set select_pairs, or leave it out"
        )
    if further_source is not None and not recipe.enriched:
        raise SettingError(
            "text of the source language, and a recipe that does not use it",
            remedy="set oov=graph, or paraphrase=true",
        )
    if recipe.anchors:
        read_expressions(recipe.anchors)
    require_postprocessing(recipe.postprocess)
    if recipe.agreement:
        InflectionLexicon.open(recipe.agreement)
        if not keeps(recipe.annotate_target):
            raise SettingError(
                f"agreement by {recipe.annotate_target}, which a model cannot keep", remedy="name a model folder"
            )
    checked = preflight(
        bitext,
        languages=languages,
        output=output,
        dev=dev_text,
        extra=extra,
        source_text=further_source,
        table_size=recipe.limits.relative_size,
        folds=lambda pairs: recipe.folds(pairs)[0],
        tokenized=recipe.tokenized,
        strict=strict,
        order=asked_order(recipe) if bound else 0,
        progress=told,
    )
    if replaced:
        note = f"the model that is there, made {replaced}, stays until this one is finished, which then replaces it"
        checked = replace(checked, notes=(*checked.notes, note))
    if recipe.tuner != "none" and dev_text is None and checked.train.segments < 100:
        raise InputError(
            f"{checked.train.segments} pairs are too few to hold a dev set out",
            remedy="give a dev set, or train without tuning (tuner=none)",
        )
    left = require_memory(stage_memory(recipe, checked), bound) if bound else {}
    if started is not None:
        started(checked)
    report = TrainingReport(checked)
    folder = Path(cache) if cache is not None else output.with_name(f".{output.name}.stages")
    kept = StageCache(folder)
    with kept.locked(), working_on(on or recipe.on, threads=threads) as executor:
        work = Work(recipe, checked.languages, threads, told, executor, bound)
        run = _Stages(kept, report, work, left)
        try:
            texts = _Texts(bitext, dev_text, chosen_by, extra, further_source, domain)
            made = run.all(texts, checked, annotator, target_annotator)
        except KeyboardInterrupt:
            raise TrainingStopped(run.at_work, tuple(report.stages), folder) from None
        report.seconds = time.perf_counter() - begun
        files = [
            Path(name)
            for text in (bitext, dev_text, chosen_by, extra, further_source, domain)
            if text is not None
            for name in text.name.split(" and ")
            if Path(name).is_file()
        ]
        said = command if command is not None else shlex.join(["dragoman", *sys.argv[1:]]) if _is_program() else ""
        # Where it was made changes nothing in a model, and does not belong to it.
        wanted = replace(recipe, on="local").to_dict()
        provenance = Provenance.of_files(files, command=said, seed=recipe.seed, recipe=wanted)
        _bundle(output, recipe, checked.languages, made, provenance, report)
    if cache is None:
        shutil.rmtree(folder, ignore_errors=True)
    return Model.open(output, trust_features=trust_features)


def _is_program() -> bool:
    return Path(sys.argv[0]).name in {"dragoman", "__main__.py"}


def _bitext(source: Text | Bitext, target: Text | None, languages: tuple[str, str] | None) -> Bitext:
    if isinstance(source, Bitext):
        if target is not None:
            raise SettingError("a bitext and a target side", remedy="give one or the other")
        return source
    if isinstance(source, (str, Path)):
        if target is not None and not isinstance(target, (str, Path)):
            raise SettingError("a file on one side and segments on the other", remedy="give two of a kind")
        return Bitext.open(source, target, languages=languages)
    if target is None or isinstance(target, (str, Path)):
        raise SettingError("segments on one side only", remedy="give a list of segments for each side")
    if len(source) != len(target):
        from dragoman.errors import LengthMismatch

        raise LengthMismatch(
            f"{len(source)} source segments, {len(target)} target segments",
            remedy="segment n of one side must translate segment n of the other",
        )
    return Bitext.of(zip(source, target, strict=True), languages=languages)


def _annotated(bitext: Bitext, annotations: Path | str | Sequence[Sentence]) -> Bitext:
    if isinstance(annotations, (str, Path)):
        return bitext.annotated(partial(read_annotations, annotations), name=str(annotations))
    return bitext.annotated(lambda: annotations)


def _corpora(paths: Sequence[Path | str]) -> Corpus | None:
    corpora = [Corpus.open(path) for path in paths]
    if not corpora:
        return None

    def read() -> Any:
        for corpus in corpora:
            yield from corpus

    return Corpus(read, name=" and ".join(str(path) for path in paths))


@dataclass(frozen=True, slots=True)
class _Parts:
    """Where the stages left what a bundle is made of."""

    prepared: StageResult
    models: StageResult
    aligned: StageResult
    table: StageResult
    weights: StageResult
    templates: Sequence[Template]
    bilingual: Mapping[str, StageResult]
    postprocessing: StageResult | None


@dataclass(frozen=True, slots=True)
class _Texts:
    """All that is learned from."""

    train: Bitext
    dev: Bitext | None
    heldout: Bitext | None
    extra: Corpus | None
    source_text: Corpus | None
    domain: Corpus | None


class _Stages:
    """The stages in order, each kept; their facts go to the report."""

    def __init__(self, cache: StageCache, report: TrainingReport, work: Work, left: Mapping[str, int]) -> None:
        self.cache, self.report, self.work, self.left = cache, report, work, left
        self.done, self.total = 0, 5
        self.at_work = ""

    def all(
        self,
        texts: _Texts,
        checked: Preflight,
        annotator: Annotator | None = None,
        target_annotator: Annotator | None = None,
    ) -> _Parts:
        recipe = self.work.recipe
        bitext, dev, extra, source_text = texts.train, texts.dev, texts.extra, texts.source_text
        expected = checked.train.segments
        self.total += len({*recipe.annotated_sides, *recipe.model_sides.values()}) + (recipe.postprocess != "rules")
        self.total += bool(annotator is not None and recipe.learned_pairs(expected))
        self.total += (extra is not None) + bool(missing_resources(recipe.template_specs(expected)))
        self.total += 2 * bool(recipe.learned_pairs(expected)) + 2 * recipe.enriched + (source_text is not None)
        wanted_models = recipe.bilingual_models
        self.total += len(wanted_models) + bool(wanted_models and recipe.learned_pairs(expected))
        mixes = extra is not None and recipe.extra_text == "interpolate"
        needs_dev = dev is None and (recipe.tuner != "none" or recipe.dev_size > 0 or mixes)
        prepared = self.run(
            stages.prepare,
            given={
                "train": bitext,
                "dev": dev,
                "needs_dev": needs_dev,
                "heldout": texts.heldout,
                "domain_text": texts.domain,
                "annotator": annotator,
            },
            known={
                "train": checked.train.digest,
                "dev": checked.dev.digest if checked.dev is not None else None,
                "languages": list(self.work.languages),
                "needs_dev": needs_dev,
                **({"heldout": inspect_bitext(texts.heldout).digest} if texts.heldout is not None else {}),
                **({"domain_text": inspect_corpus(texts.domain).digest} if texts.domain is not None else {}),
                **({"annotator": annotator.identity} if annotator is not None else {}),
            },
        )
        further: StageResult | None = None
        if extra is not None and checked.extra is not None:
            known = {"extra": checked.extra.digest}
            further = self.run(stages.prepare_extra, {"prepared": prepared}, given={"extra": extra}, known=known)
        post: StageResult | None = None
        if recipe.postprocess != "rules":
            post = self.run(stages.post_processing, {"prepared": prepared})
        models = self.run(stages.language_model, {"prepared": prepared, "extra": further})
        listed = {"anchors": Path(recipe.anchors)} if recipe.anchors else {}
        aligned = self.run(stages.align, {"prepared": prepared}, files=listed)
        annotators = {"source": annotator, "target": target_annotator}
        trees = self.annotated(recipe.annotated_sides, prepared, annotators)
        looking = {"features": [feature.fingerprint() for feature in recipe.imported_in_extraction]}
        aligned_pairs = {"prepared": prepared, "alignment": aligned, "trees": trees}
        plain = table = self.run(stages.table, aligned_pairs, known=looking)
        if recipe.enriched:
            read: StageResult | None = None
            if source_text is not None and checked.source_text is not None:
                known = {"text": checked.source_text.digest}
                own = {"prepared": prepared}
                read = self.run(enrichment.prepare_source_text, own, given={"text": source_text}, known=known)
            given_parts = {"prepared": prepared, "alignment": aligned, "table": plain, "text": read}
            table = self.run(enrichment.enrich, given_parts, known={"languages": list(self.work.languages)})
        sides = recipe.model_sides
        read_by = {side: self.annotated((side,), prepared, annotators) for side in dict.fromkeys(sides.values())}
        links = {"prepared": prepared, "alignment": aligned}
        bilingual = {
            name: self.run(
                stages.BILINGUAL_STAGES[name], {**links, "trees": read_by[sides[name]]} if name in sides else links
            )
            for name in wanted_models
        }
        pairs = self.report.stages["prepare"]["pairs"]
        planned = [each.filled({"languages": self.work.languages}) for each in recipe.template_specs(pairs)]
        resources: StageResult | None = None
        if wanted := missing_resources(planned):
            given = {"wanted": wanted}
            resources = self.run(stages.template_resources, links, given=given, known=given)
        templates = stages.open_templates(planned, resources.path if resources is not None else None)
        parts = {"prepared": prepared, "table": table, "models": models}
        files: dict[str, StageResult | Path | None] = {**given_files(planned), "templates": resources}
        described = {
            "templates": [[spec.name, repr(spec.options)] for spec in planned],
            "features": [feature.fingerprint() for feature in recipe.imported],
        }
        folded = recipe.learned_pairs(pairs) > 0
        with_all: dict[str, Any] = {
            "given": {
                "templates": templates,
                "tuner": recipe.tuning(pairs),
                "bilingual": {name: each.path for name, each in bilingual.items()},
            },
            "known": described,
            "files": {**files, **bilingual},
        }
        # Few features, such as those of phrases, go with the dense ones: training text need not be annotated.
        few = {spec.name for spec in recipe.syntax_specs}
        of_phrases = [each for each in templates if each.needs_phrases or each.name in few]
        plain_features: dict[str, Any] = {
            "given": {"templates": of_phrases, "tuner": recipe.tuning(pairs)},
            "known": {**described, "templates": [str(each) for each in of_phrases]},
        }
        tuning = plain_features if folded else with_all
        tuned = self.run(stages.tuning, parts, **tuning)
        if table is not plain and recipe.tuner != "none":
            # What the rules for unknown words are worth: the same without them.
            self.run(stages.tuning, {**parts, "table": plain}, name="plain tuning", **tuning)
        if not folded:
            return _Parts(prepared, models, aligned, table, tuned, templates, bilingual, post)
        if any(each.needs_tags for each in templates):
            trees = self.annotated({"source", *recipe.annotated_sides}, prepared, annotators)
        cut = {"prepared": prepared, "alignment": aligned, "models": models, "extra": further, "trees": trees}
        learned = self.run(
            stages.learning,
            {**parts, "folds": self.run(stages.folds, cut, known=looking), "tuned": tuned},
            given={"templates": templates},
            known=described,
            files=files,
        )
        if bilingual:
            # They know the sentences of all folds by heart, so that only the dev set can say what they are worth.
            learned = self.run(stages.tuning, {**parts, "learned": learned}, name=TUNING_OF_ALL, **with_all)
        return _Parts(prepared, models, aligned, table, learned, templates, bilingual, post)

    def annotated(
        self, sides: Iterable[str], prepared: StageResult, annotators: Mapping[str, Annotator | None]
    ) -> StageResult | None:
        """What annotators say of sides of the training text, for rules and models, unless the text came with it."""
        wanted = {
            side: annotator
            for side in sides
            if (annotator := annotators.get(side)) is not None and not (prepared.path / stages.TREES[side]).is_file()
        }
        if not wanted:
            return None
        known = {"annotators": {side: annotator.identity for side, annotator in wanted.items()}}
        return self.run(stages.annotation, {"prepared": prepared}, given={"annotators": wanted}, known=known)

    def run(
        self,
        stage: Stage,
        inputs: Mapping[str, StageResult | None] | None = None,
        *,
        given: Mapping[str, Any] | None = None,
        known: Mapping[str, Any] | None = None,
        files: Mapping[str, StageResult | Path | None] | None = None,
        name: str = "",
    ) -> StageResult:
        """The result of a stage, from the cache if it is there.

        `inputs` are results of other stages, which it gets as folders, and `given` other arguments; `known` and `files`
        stand for what these depend on. The report has it under its own name unless `name` is another.
        """
        self.at_work = stage.name
        self.say(stage.name)
        folders = {name: result.path if result is not None else None for name, result in (inputs or {}).items()}
        fresh = False

        def work(out: Path) -> None:
            nonlocal fresh
            fresh = True
            started, spent = time.perf_counter(), sum(os.times()[:4])  # ours and those of processes that have ended
            left = replace(self.work, memory=self.left.get(stage.name, self.work.memory))
            facts = stage(left, out, **folders, **(given or {}))
            facts["seconds"] = round(time.perf_counter() - started, 3)
            facts["processor_seconds"] = round(sum(os.times()[:4]) - spent, 3)
            (out / "facts.json").write_text(json.dumps(facts, ensure_ascii=False), "utf-8")

        result = self.cache.run(
            stage.name.replace(" ", "-"),
            work=work,
            inputs={name: each for name, each in {**(inputs or {}), **(files or {})}.items() if each is not None},
            settings={**stage.settings(self.work.recipe), **(known or {})},
            version=stage.version,
            rooms=stage.rooms,
        )
        written = result.file("facts.json")
        facts: Facts = parse_json(written.read_bytes(), where=str(written), remedy="remove it, and run it again")
        self.report.stages[name or stage.name] = facts if fresh else {**facts, "kept": True}
        self.done += 1
        if self.done == self.total:
            self.say("")
        return result

    def say(self, note: str) -> None:
        """How many stages are done, and which one begins."""
        if self.work.progress is not None:
            self.work.progress(Progress("training", self.done, self.total, note))


def _bundle(
    output: Path,
    recipe: Recipe,
    languages: tuple[str, str],
    made: _Parts,
    provenance: Provenance,
    report: TrainingReport,
) -> None:
    names = stages.language_model_names(made.models.path)
    settings = bundle_settings(recipe.kind, recipe.search_settings, names, bilingual=list(made.bilingual))
    settings["postprocess"] = recipe.postprocess
    kept = recipe.annotate if keeps(recipe.annotate) else ""
    if recipe.annotate and not kept:
        report.remarks.append(f"the model does not keep what annotates its sources: name it again, {recipe.annotate}")
    with writing_bundle(
        output, kind=BUNDLE_KIND, languages=languages, settings=settings, provenance=provenance
    ) as files:
        take_file(made.table.file("table.rules"), files / "table.rules")
        if kept:
            settings["annotators"] = keep_annotators(kept, files)
        if recipe.agreement:
            InflectionLexicon.open(recipe.agreement).save(files / AGREEMENT_FILE)
            settings["target_annotators"] = keep_annotators(recipe.annotate_target, files, target=True)
        if recipe.keep_aligner:
            shutil.copytree(made.aligned.file("aligner"), files / "aligner")
        if made.table.file(enrichment.INDUCED).is_file():
            take_file(made.table.file(enrichment.INDUCED), files / enrichment.INDUCED)
        for name in names:
            take_file(made.models.file(f"{name}.bin"), files / f"{name}.bin")
        for name, result in made.bilingual.items():
            take_file(result.file(f"{name}.bin"), files / f"{name}.bin")
        if recipe.evidence:
            for part, name in zip(("train.source", "train.target"), EVIDENCE_FILES, strict=True):
                take_file(made.prepared.file(part), files / name)
        if made.models.file("classes.tsv").is_file():
            take_file(made.models.file("classes.tsv"), files / "classes.tsv")
        for side in ("source", "target"):
            (files / side).mkdir()
            for file in made.prepared.file(side).iterdir():
                take_file(file, files / side / file.name)
        if made.postprocessing is not None:
            folder = files / POSTPROCESSING_FOLDER
            shutil.copytree(made.postprocessing.path, folder, ignore=shutil.ignore_patterns("facts.json"))
        settings |= features_settings(made.templates, recipe.imported, files)
        shutil.copyfile(made.weights.file("weights.txt"), files / settings["weights"])
        (files / "report.json").write_text(json.dumps(report.to_dict(), indent=1, ensure_ascii=False) + "\n", "utf-8")
