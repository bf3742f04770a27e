"""What the system does to text before and after: chosen lines, compounds, agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import dragoman
from dragoman.annotations import Sentence, conllu
from dragoman.evaluation.contingency import mcnemar
from dragoman.evaluation.ranks import proportion_interval
from dragoman.evaluation.resampling import SignificanceTest, compare_statistics
from dragoman.metrics import get_metric
from dragoman.pipeline.recipe import Recipe
from dragoman.seeds import stream
from dragoman.text.agreement import AgreementCorrector, revise
from dragoman.text.compounds import CompoundModel
from dragoman.text.inflections import PARTICIPLE, InflectionLexicon
from dragoman.text.selection import select_lines
from dragoman.text.tokenizer import Tokenizer
from experiments.p22_wmt13.feature_rich import FeatureRich
from experiments.parsers import parser
from experiments.recipes import DATA, texts

__all__ = ["agreement_of_output", "agreement_of_treebank", "compounds", "coverage"]


def tokens(name: str, side: int, lines: Sequence[str]) -> list[str]:
    """Lines as tokens, as they are or as a tokenizer finds them."""
    if not name.startswith("debian"):
        return list(lines)
    language = name.split()[1].split("-")[side]
    return [" ".join(found) for found in Tokenizer(language, escape=False).tokenize(lines)]


def bigrams(lines: Sequence[str]) -> set[tuple[str, str]]:
    words = [line.split() for line in lines]
    return {pair for line in words for pair in pairwise(line)}


@cache
def chosen_lines(systems: FeatureRich, name: str) -> tuple[list[str], list[str], dict[str, list[int]]]:
    """The source side, the text to translate, and an eighth of the former chosen in three ways."""
    parts = systems.texts(name)
    source, test = (tokens(name, 0, parts[part][0]) for part in ("train", "test"))
    size = len(source) // 8
    rows = {
        "feature decay": list(select_lines(source, test, size=size).lines),
        "without decay": list(select_lines(source, test, size=size, decay=0.0).lines),
        "at random": stream(22, "lines", name).permutation(len(source))[:size].tolist(),
    }
    return source, test, rows


def coverage(systems: FeatureRich, name: str, lines: str) -> Mapping[str, Any]:
    """The share of the test set's bigrams that an eighth of the training text has, and the p-value against decay."""
    source, test, rows = chosen_lines(systems, name)
    wanted = sorted(bigrams(test) & bigrams(source))
    has = {each: bigrams([source[row] for row in found]) for each, found in rows.items()}
    ours, decay = ([pair in has[each] for pair in wanted] for each in (lines, "feature decay"))
    p = float("nan") if lines == "feature decay" else mcnemar(decay, ours)
    return {"size": len(rows[lines]), "bigrams": len(wanted), "covered": float(np.mean(ours)), "p": p}


def compounds(systems: FeatureRich, name: str) -> Mapping[str, Any]:
    """How many compounds of the German side come back from their parts."""
    side = int(name.endswith("-de"))
    lines = tokens(name, side, systems.texts(name)["train"][side])
    model = CompoundModel.train(lines, preset="wmt13")
    words = {token: model.split(token) for line in lines for token in line.split()}
    split = {word: parts for word, parts in words.items() if len(parts) > 1}
    right = {word: model.merge(parts) == [word] for word, parts in split.items()}
    single = {word for forms in model.compounds.values() if len(forms) == 1 for word in forms}
    alone = [good for word, good in right.items() if word in single]
    low, high = proportion_interval(sum(right.values()), max(1, len(right)))
    return {
        "words": len(words),
        "compounds": len(split),
        "restored": float(np.mean(list(right.values()))) if right else 1.0,
        "low": low,
        "high": high,
        "with one form": len(alone),
        "of these restored": float(np.mean(alone)) if alone else 1.0,
    }


def _lexicon() -> InflectionLexicon:
    folder = DATA / "treebanks" / "ud"
    files = [folder / "fr_sequoia-ud-train.conllu.gz", folder / "fr_partut-ud-train.conllu.gz"]
    return InflectionLexicon.of_treebank(sentence for file in files for sentence in conllu.read(file))


def agreement_of_treebank(systems: FeatureRich, trees: str) -> Mapping[str, Any]:
    """Adjectives and participles of French sentences are put into another form: how many come back?"""
    lexicon = _lexicon()
    corrector = AgreementCorrector(lexicon)
    gold = list(conllu.read(DATA / "treebanks" / "ud" / "fr_sequoia-ud-test.conllu.gz"))
    random = stream(22, "agreement")
    damaged: list[tuple[int, int, list[str]]] = []
    for number, sentence in enumerate(gold):
        for place, _ in corrector.pairs(sentence):
            others = lexicon.other_forms(sentence.words[place], "ADJ", PARTICIPLE)
            if others:
                words = list(sentence.words)
                words[place] = str(random.choice(sorted(others)))
                damaged.append((number, place, words))
    parser_of_french = parser("fr", systems.stages, sentences=systems.options.treebank, epochs=4)[0]

    def corrected(sentences: Sequence[Sentence]) -> list[list[str]]:
        return [corrector.correct(sentence)[0] for sentence in sentences]

    plain = [Sentence.of(sentence.words) for sentence in gold]
    if trees == "gold":
        whole = corrected(gold)
        given = [
            Sentence.of(words, pos=gold[at].pos, lemmas=gold[at].lemmas, dependencies=gold[at].dependencies)
            for at, _, words in damaged
        ]
        found = corrected(given)
    else:
        whole = corrected(parser_of_french.annotate(plain))
        found = corrected(parser_of_french.annotate([Sentence.of(words) for _, _, words in damaged]))
    edited = [
        (at, place, words[place])
        for (at, place, old), words in zip(damaged, found, strict=True)
        if words[place] != old[place]
    ]
    right = sum(word.lower() == gold[at].words[place].lower() for at, place, word in edited)
    low, high = proportion_interval(right, max(1, len(edited)))
    touched = sum(a != b for words, one in zip(whole, gold, strict=True) for a, b in zip(words, one.words, strict=True))
    return {
        "damaged": len(damaged),
        "edited": len(edited),
        "right": right / max(1, len(edited)),
        "low": low,
        "high": high,
        "restored": right / max(1, len(damaged)),
        "edits of undamaged text": touched,
        "words": sum(len(sentence) for sentence in gold),
    }


def agreement_of_output(systems: FeatureRich, pairs: int) -> Mapping[str, Any]:
    """Captions translated into French by a small system: how many words are replaced, and what BLEU makes of it."""
    parts = texts("multi30k en-fr", False)
    recipe = Recipe(tokenized=True).changed(
        ["templates=", "classes=0", "tuner=none", "aligner=fast", f"search.pop_limit={systems.options.pops}"]
    )
    model = dragoman.train(
        parts["train"][0][:pairs],
        parts["train"][1][:pairs],
        output=Path(systems._folder.name) / "en-fr",
        languages=("en", "fr"),
        recipe=recipe,
        cache=systems.stages,
    )
    before = [found.text.split() for found in model.translate(parts["test"][0])]
    french = parser("fr", systems.stages, sentences=systems.options.treebank, epochs=4)[0]
    after = revise(AgreementCorrector(_lexicon()), french, before)
    scorer = get_metric("bleu:tokenize=none")
    references = scorer.prepare(parts["test"][1])
    rows = [scorer.statistics([" ".join(words) for words in each], references) for each in (before, after)]
    bleu = [100 * float(scorer.scores(each.sum(axis=0)[None, :])[0]) for each in rows]
    edits = sum(a != b for one, other in zip(before, after, strict=True) for a, b in zip(one, other, strict=True))
    return {
        "sentences": len(before),
        "edits": edits,
        "BLEU before": bleu[0],
        "BLEU after": bleu[1],
        "p": compare_statistics(rows[1], rows[0], scorer.scores, SignificanceTest()).p if edits else float("nan"),
    }
