"""Stages that add rules for words and phrases that the bitext does not have, before tuning.

Text of the source language, the training text and the dev set among it, says which words are used alike. Unknown words
get translations along a graph of these (Razmara, Siahbani, Haffari and Sarkar 2013), by their form, or both; unknown
phrases those of their paraphrases (Marton, Callison-Burch and Resnik 2009). Every kind of evidence has columns of its
own in the table, 0 for rules that the bitext taught, and tuning sets what they weigh. Which words a model will meet is
not known: those of the dev set are cared for, then the most frequent ones of the text that was given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from dragoman.files import read_lines, writing
from dragoman.grammar.augment import (
    FORM_COLUMN,
    InducedRule,
    augment_table,
    copy_rules,
    join_rules,
    rules_by_paraphrase,
    rules_by_translation,
)
from dragoman.grammar.table import RuleTable
from dragoman.pipeline.base import Facts, Work, stage
from dragoman.pipeline.stages import write_further
from dragoman.progress import tracked
from dragoman.semantics.cooccurrence import ContextSpace
from dragoman.semantics.distributional import Paraphraser
from dragoman.semantics.forms import FormTranslations
from dragoman.semantics.oov import find_unknown_words, graph_translations, known_phrases, unknown_phrases
from dragoman.semantics.transliteration import Transliterator, name_pairs
from dragoman.text.compounds import CompoundModel
from dragoman.text.corpus import Corpus
from dragoman.text.index import CorpusIndex
from dragoman.text.morphs import Morphs
from dragoman.text.scripts import scripts_of

__all__ = ["INDUCED", "enrich", "prepare_source_text"]

INDUCED = "induced.tsv"
"""Every rule that was added, and what it rests on."""

_CAPITAL_NOUNS = frozenset(["de", "lb"])
"""Languages in which a capital within a sentence does not tell a name."""
_PHRASE_WINDOW = 6
_LONGEST = 6
_LEAST_SEEN = 2
"""A phrase that was seen once says too little about itself."""


@stage("prepare source text", rooms=("text", "pipeline"))
def prepare_source_text(work: Work, out: Path, *, prepared: Path, text: Corpus) -> Facts:
    """Tokens of further text of the source side."""
    return {"segments": write_further(work, prepared / "source", text, out / "text.source")}


@stage(
    "unknown words",
    reads=(
        *("oov", "oov_graph", "oov_window", "oov_words", "case", "seed"),
        *("paraphrase", "paraphrase_phrases", "paraphrase_policy", "paraphrase_split", "paraphrase_score"),
    ),
    rooms=("text", "align", "grammar", "semantics", "pipeline"),
)
def enrich(work: Work, out: Path, *, prepared: Path, alignment: Path, table: Path, text: Path | None) -> Facts:
    """The table with rules for unknown words and phrases, and a list of these with reasons."""
    plain = RuleTable.open(table / "table.rules")
    dev = list(read_lines(prepared / "dev.source"))
    further = list(read_lines(text / "text.source")) if text is not None else []
    lines = [*read_lines(prepared / "train.source"), *dev, *further]
    index = CorpusIndex.build(lines, threads=work.threads)
    facts: Facts = {"notes": [], "tokens": index.tokens}
    rules: list[InducedRule] = []
    if work.recipe.oov != "none":
        words, of_dev = _unknown_words(work, plain, dev, further)
        facts |= {"unknown": len(words), "unknown_in_dev": of_dev}
        if "graph" in work.recipe.oov:
            rules += _by_graph(work, plain, index, words)
        if "forms" in work.recipe.oov:
            rules += _by_forms(work, plain, lines, words, prepared, alignment, facts)
        translated = {entry.rule.source[0] for entry in rules}
        facts["translated"] = len(translated)
        facts["translated_in_dev"] = sum(word in translated for word in words[:of_dev])
        rules += copy_rules(plain, [word for word in words if word in translated])
    if work.recipe.paraphrase:
        rules += _by_paraphrase(work, plain, index, dev, further, facts)
    joined = join_rules(rules)
    made = augment_table(plain, joined, out / "table.rules", threads=work.threads)
    with writing(out / INDUCED) as file:
        for entry in joined:
            reasons = ", ".join(f"{name} {score:.3f}" for name, score in entry.paths)
            file.write(f"{entry.rule.source_text}\t{entry.rule.target_text}\t{reasons}\n")
    if not joined:
        facts["notes"].append("nothing was found for unknown words: give more text of the source language")
    return {**facts, "new_rules": len(joined), "rules": len(made)}


def _unknown_words(work: Work, table: RuleTable, dev: Sequence[str], further: Sequence[str]) -> tuple[list[str], int]:
    """Unknown words, those of the dev set first, whose number is told, then the most frequent ones."""
    recipe = work.recipe
    names_told = recipe.case != "lowercase" and work.languages[0] not in _CAPITAL_NOUNS

    def unknown(lines: Sequence[str]) -> dict[str, int]:
        return find_unknown_words(lines, table, cased=lines if names_told else None).words

    first, second = unknown(dev), unknown(further)
    of_dev = list(first)[: recipe.oov_words]
    others = sorted((word for word in second if word not in first), key=lambda word: (-second[word], word))
    return [*of_dev, *others[: recipe.oov_words - len(of_dev)]], len(of_dev)


def _by_graph(work: Work, table: RuleTable, index: CorpusIndex, words: Sequence[str]) -> list[InducedRule]:
    space = ContextSpace(index, window=work.recipe.oov_window, threads=work.threads)
    made = graph_translations(space, table, words, kind=work.recipe.oov_graph)

    def because(word: str, target: str) -> list[tuple[str, float]]:
        return [(reason["neighbor"], reason["similarity"]) for reason in made.explain(word, target, limit=3)]

    return rules_by_translation(table, made.lexicon, because=because)


def _by_forms(
    work: Work,
    table: RuleTable,
    lines: Sequence[str],
    words: Sequence[str],
    prepared: Path,
    alignment: Path,
    facts: Facts,
) -> list[InducedRule]:
    transliterator: Transliterator | None = None
    if not set(scripts_of(work.languages[0])) & set(scripts_of(work.languages[1])):
        source, target = (read_lines(prepared / f"train.{side}") for side in ("source", "target"))
        if pairs := name_pairs(source, target, read_lines(alignment / "links")):
            transliterator = Transliterator.train(pairs)
    forms = FormTranslations(
        table,
        compounds=CompoundModel.train(lines, preset="wmt13"),
        morphs=Morphs.train(lines),
        transliterator=transliterator,
    )
    analyses = {word: forms.analyses(word) for word in words}
    reasons = {(word, each.target): f"{each.kind}: {each.reason}" for word in words for each in analyses[word]}
    lexicon = {
        word: [(each.target, min(1.0, each.score)) for each in found] for word, found in analyses.items() if found
    }
    scores = {(word, target): score for word, found in lexicon.items() for target, score in found}
    return rules_by_translation(
        table,
        lexicon,
        column=FORM_COLUMN,
        because=lambda word, target: [(reasons[word, target], scores[word, target])],
    )


def _by_paraphrase(
    work: Work, table: RuleTable, index: CorpusIndex, dev: Sequence[str], further: Sequence[str], facts: Facts
) -> list[InducedRule]:
    recipe = work.recipe
    space = ContextSpace(index, window=_PHRASE_WINDOW, threads=work.threads)
    paraphraser = Paraphraser(space, max_length=_LONGEST, min_score=recipe.paraphrase_score)
    known = frozenset(known_phrases(table, space, _LONGEST))
    wanted = _unknown_phrases(table, index, dev, further)[: recipe.paraphrase_phrases]
    found: dict[str, list[tuple[str, float]]] = {}
    for phrase in tracked(wanted, "paraphrasing", work.progress, total=len(wanted), every=10):
        if entries := paraphraser.paraphrases(phrase, candidates=known):
            found[phrase] = [(entry.phrase, min(1.0, entry.score)) for entry in entries]
    facts |= {"phrases": len(wanted), "paraphrased": len(found)}
    return rules_by_paraphrase(
        table, found, policy=recipe.paraphrase_policy, split=recipe.paraphrase_split, seed=recipe.seed
    )


def _unknown_phrases(table: RuleTable, index: CorpusIndex, dev: Iterable[str], further: Iterable[str]) -> list[str]:
    """Phrases that the table lacks and the text has more than once: those of the dev set, then the most frequent."""
    counts: Counter[str] = Counter()
    for lines in (dev, further):
        new = (phrase for phrase in unknown_phrases(lines, table, longest=_LONGEST) if phrase not in counts)
        seen = [(phrase, index.count(phrase)) for phrase in new]
        for phrase, count in sorted(seen, key=lambda entry: (-entry[1], entry[0])):
            if count >= _LEAST_SEEN:
                counts[phrase] = count
    return list(counts)
