"""Aziz and Specia (2010): the translation of one word that suits its sentence, by two systems.

The first (*decoded*) asks a phrase-based system and a dictionary; the second (*context*) ranks candidates by mutual
information with the word and with the words around it, and by the answers of the first. The shared task of 2010 is not
to be had. Its place is taken by captions that were not trained on, in which the word that an ambiguous word is linked
to is the right answer (*captions*), and by the task of 2013 with the votes of people (*shared task*: English nouns to
German, Spanish and French; out of ten here, out of five there). Its bitexts are package descriptions and, but for
Spanish, captions. Both systems see words as they are written, not lemmas, and the decoder that they ask has the usual
weights, not tuned ones, and a 3-gram model. `95%` is an interval for the recall of best answers, by bootstrap over
items. Last, the same scores are features of a system from German whose dense weights are tuned on 500 captions with
several seeds; `experiments/joint/run.py` adds them to the default recipe.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import dragoman
from dragoman.align import ALIGNERS
from dragoman.evaluation.resampling import SignificanceTest, compare_statistics
from dragoman.files import read_lines
from dragoman.pipeline.recipe import Recipe
from dragoman.search.base import Decoder
from dragoman.search.head_translations import translations_of_position
from dragoman.semantics.mutual_information import MutualInformation
from dragoman.semantics.substitution import (
    FEATURES,
    ContextSubstitution,
    DecodedSubstitution,
    DictionarySubstitution,
    repeat_answers,
)
from dragoman.semantics.substitution_files import GivenAnswers, Instance, RightAnswers, read_gold, read_instances
from dragoman.semantics.substitution_scoring import SubstitutionScores, score_answers
from dragoman.semantics.translation_counts import TranslationCounts
from dragoman.text import synthetic
from dragoman.text.tokenizer import Tokenizer
from experiments.common import Claim, Table, dot_plot, grid, publish
from experiments.recipes import DATA, Systems, others, system_arguments

SETS: dict[str, tuple[str, ...]] = {
    "context": FEATURES,
    "context without answers": FEATURES[:3],
    "context without words around": ("own", "best", "ten"),
}
"""The second system and its ablations, by features."""
ARMS = {
    "none": (),
    "context": ("context=true",),
    "vectors": ("vectors=true",),
    "both": ("context=true", "vectors=true"),
}
TASKS = ("best", "oot")
PARTS = ("captions", "shared", "bleu")
LANGUAGES = ("de", "es", "fr")
"""Those that the shared task and we have text of."""
FORESTS = 100
"""Sentences whose translations are kept in memory at once."""


class Setting:
    """What systems are made of: a decoder, a dictionary, mutual information; instances to learn from and to test."""

    def __init__(
        self,
        decoder: Decoder,
        dictionary: Mapping[str, Sequence[str]],
        information: MutualInformation,
        trial: tuple[list[Instance], RightAnswers],
        test: tuple[list[Instance], RightAnswers],
        nbest: int,
    ) -> None:
        self.decoder, self.dictionary, self.information = decoder, dictionary, information
        self.trial, self.test, self.nbest = trial, test, nbest
        self._heads: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
        every = [*trial[0], *test[0]]
        for begin in range(0, len(every), FORESTS):
            some = every[begin : begin + FORESTS]
            found = decoder.translate([" ".join(each.words) for each in some], forests=True)
            for instance, translation in zip(some, found, strict=True):
                self._heads[(*instance.key, instance.words)] = translations_of_position(
                    translation, instance.head, nbest=nbest
                )

    def heads(self, instance: Instance) -> Sequence[str]:
        return self._heads[(*instance.key, instance.words)]

    @cache  # noqa: B019 - one object lives as long as the program
    def system(self, name: str) -> Any:
        first = DecodedSubstitution(self.heads, self.dictionary)
        if name == "dictionary":
            return DictionarySubstitution(self.dictionary)
        if name == "decoded":
            return first
        return ContextSubstitution(self.information, first, features=SETS[name]).fit(*self.trial)

    @cache  # noqa: B019
    def answers(self, name: str, task: str) -> GivenAnswers:
        found: GivenAnswers = self.system(name).answer(self.test[0], task)
        return found

    @cache  # noqa: B019
    def scored(self, name: str, task: str) -> SubstitutionScores:
        return score_answers(self.answers(name, task), self.test[1], task=task, ignore_case=True)

    def interval(self, name: str) -> tuple[float, float]:
        """Of the recall of best answers, by bootstrap over items."""
        earned = np.array([each for each, _ in self.scored(name, "best").per_item.values()])
        draws = np.random.default_rng(1).integers(0, len(earned), (2000, len(earned)))
        low, high = np.quantile(earned[draws].mean(axis=1), (0.025, 0.975))
        return float(low), float(high)

    def p_value(self, name: str, other: str, task: str) -> float:
        """By randomization over items, of the difference of what they earned."""

        def earned_by(system: str) -> np.ndarray[Any, Any]:
            return np.array([[earned] for earned, _ in self.scored(system, task).per_item.values()])

        def means(rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
            return rows[:, 0]

        return compare_statistics(earned_by(name), earned_by(other), means, SignificanceTest(samples=5000)).p


def _learned(source: list[str], target: list[str], language: str, folder: Path, pops: int) -> tuple[Decoder, list[Any]]:
    """A decoder from English without tuned weights, and the links of its text."""
    aligner = ALIGNERS.get("fast")()
    aligner.train(source, target)
    model = dragoman.train(
        source,
        target,
        languages=("en", language),
        recipe=Recipe(tokenized=True).changed(["templates=", "classes=0", "tuner=none", "aligner=fast", "order=3"]),
        output=folder / "model",
        progress=False,
    )
    return model.decoder.with_settings(pop_limit=pops, beam=pops), list(aligner.align(source, target))


def captions(pairs: int, items: int, folder: Path, *, small: bool, pops: int, nbest: int) -> Setting:
    """Ambiguous words of captions that were not trained on; the right answer is what they are linked to."""
    if small:
        made = list(synthetic.pair("en-de").generate(400, seed=1))
        sides = [[" ".join(i.source.tokens).lower() for i in made], [" ".join(i.target.tokens).lower() for i in made]]
    else:
        sides = [list(read_lines(DATA / "multi30k" / f"train.{code}.gz"))[: pairs + items] for code in ("en", "fr")]
    cut = len(sides[0]) * 3 // 4 if small else pairs
    aligner = ALIGNERS.get("fast")()
    aligner.train(*sides)
    links = list(aligner.align(*sides))
    decoder, _ = _learned(sides[0][:cut], sides[1][:cut], "fr", folder, pops)
    counts = TranslationCounts.of(sides[0][:cut], sides[1][:cut], links[:cut])
    information = MutualInformation.train(sides[0][:cut], sides[1][:cut])
    least = 2 if small else 5
    dictionary: dict[str, list[str]] = {}
    for word in counts.links:
        listed = [
            other
            for other, count in counts.of_word(word).items()
            if count >= least and information.is_content(other, target=True)
        ]
        if len(listed) >= (2 if small else 3) and information.is_content(word):
            dictionary[word] = listed
    found: list[tuple[Instance, dict[str, int]]] = []
    for row in range(cut, len(sides[0])):
        words, others = sides[0][row].split(), sides[1][row].split()
        for position, word in enumerate(words):
            linked = [others[j] for i, j in links[row].links if i == position]
            if word in dictionary and len(linked) == 1 and information.is_content(linked[0], target=True):
                found.append((Instance(word, f"{row}.{position}", tuple(words), position), {linked[0]: 2}))
                break  # one word of a sentence
    halves = found[::2], found[1::2]
    trial, test = (([each for each, _ in half], {each.key: votes for each, votes in half}) for half in halves)
    return Setting(decoder, dictionary, information, trial, test, nbest)


def shared_task(language: str, pairs: int, instances: int, folder: Path, *, pops: int, nbest: int) -> Setting:
    """English nouns to a language, with votes of people; the bitext are package descriptions, and captions if any."""
    sides: dict[str, list[str]] = {}
    tokenizers = {code: Tokenizer(code) for code in ("en", language)}
    for code, tokenizer in tokenizers.items():
        described = list(read_lines(DATA / "debian" / f"en-{language}" / f"train.{code}.gz"))[:pairs]
        sides[code] = [" ".join(tokens) for tokens in tokenizer.tokenize([line.lower() for line in described])]
        if (DATA / "multi30k" / f"train.{language}.gz").is_file():
            sides[code] += list(read_lines(DATA / "multi30k" / f"train.{code}.gz"))[:pairs]
    source, target = sides["en"], sides[language]
    decoder, links = _learned(source, target, language, folder, pops)
    counts = TranslationCounts.of(source, target, links)
    information = MutualInformation.train(source, target)
    read = {}
    for part in ("trial", "test"):
        every = read_instances(DATA / "lexsub" / "clwsd2013" / f"{part}.contexts.tsv.gz")
        gold = read_gold(DATA / "lexsub" / "clwsd2013" / f"{part}.{language}.gold")
        taken: Counter[str] = Counter()
        few = []
        for each in every:
            taken[each.item] += each.key in gold
            if each.key in gold and taken[each.item] <= instances and len(each.tokens) <= 40:
                before, after = " ".join(each.tokens[: each.head]), " ".join(each.tokens[each.head + 1 :])
                tokens, rest = tokenizers["en"].tokenize([before.lower(), after.lower()])
                few.append(Instance(each.item, each.id, (*tokens, each.tokens[each.head].lower(), *rest), len(tokens)))
        read[part] = few, {each.key: gold[each.key] for each in few}
    nouns = {each.item for part in read.values() for each in part[0]}
    dictionary = {
        item: [other for other in counts.of_word(item.partition(".")[0]) if information.is_content(other, target=True)][
            :20
        ]
        for item in nouns
    }
    return Setting(decoder, dictionary, information, read["trial"], read["test"], nbest)


def compare(setting: Setting, part: str) -> tuple[Table, list[Claim]]:
    def cell(system: str) -> dict[str, Any]:
        row: dict[str, Any] = {}
        for task in TASKS:
            found = setting.scored(system, task)
            row |= {f"{task} P": 100 * found.precision, f"{task} R": 100 * found.recall}
            row |= {f"{task} mode P": 100 * found.mode_precision, f"{task} mode R": 100 * found.mode_recall}
        row["95%"] = "-".join(f"{100 * edge:.1f}" for edge in setting.interval(system))
        row["items"] = setting.scored(system, "best").items
        base = {"dictionary": "", "decoded": "dictionary"}.get(system, "decoded")
        row["p of best, to the row above"] = setting.p_value(system, base, "best") if base else float("nan")
        if system.startswith("context "):
            row["p of best, to the row above"] = setting.p_value(system, "context", "best")
        return row

    table = grid(cell, system=["dictionary", "decoded", *SETS])

    def best(found: Table, system: str) -> float:
        return found.mean("best R", system=system)

    def p(found: Table, system: str) -> float:
        return found.mean("p of best, to the row above", system=system)

    def weights() -> dict[str, float]:
        learned = setting.system("context")
        return dict(zip(learned.features, learned.weights, strict=True))

    claims = [
        Claim(
            f"{part}: best: the context system beats the decoded one (p < 0.05)",
            lambda found: best(found, "context") > best(found, "decoded") and p(found, "context") < 0.05,
        ),
        Claim(
            f"{part}: best: the decoded system beats the first entry of the dictionary (p < 0.05)",
            lambda found: best(found, "decoded") > best(found, "dictionary") and p(found, "decoded") < 0.05,
        ),
        Claim(
            f"{part}: best: all features beat both ablations (p < 0.05)",
            lambda found: all(
                best(found, "context") > best(found, name) and p(found, name) < 0.05 for name in list(SETS)[1:]
            ),
        ),
        Claim(
            f"{part}: the mode is found more often out of ten than by the best answer, by every system",
            lambda found: all(row["oot mode R"] >= row["best mode R"] for row in found.rows),
        ),
        Claim(
            f"{part}: the learned weights of both flags are positive",
            lambda _: weights()["best"] > 0 and weights()["ten"] > 0,
        ),
    ]
    return table, claims


def sources(setting: Setting, part: str) -> tuple[Table, list[Claim]]:
    """Where the answers of the decoded system come from, and what they earn."""
    system, dictionary = setting.system("decoded"), setting.system("dictionary")
    agreed = {
        each.key
        for each in setting.test[0]
        for heads in [setting.heads(each)]
        if heads and heads[0].lower() in {e.lower() for e in dictionary.answer([each], "oot")[each.key]}
    }
    rows = []
    for task in TASKS:
        _, found = system.answer_with_sources(setting.test[0], task)
        share = found.decoded / max(1, found.decoded + found.dictionary + found.unfiltered)
        rows.append({"task": task, **found.to_dict(), "share decoded": share})
    gains = {}
    for name, keys in (("agreed", agreed), ("others", set(setting.test[1]) - agreed)):
        credit = [
            setting.scored("decoded", "best").per_item[key][0] - setting.scored("dictionary", "best").per_item[key][0]
            for key in keys
            if key in setting.scored("decoded", "best").per_item
        ]
        gains[name] = float(np.sum(credit)) if credit else 0.0
    for row in rows:
        row |= {"gain where the dictionary agrees": gains["agreed"], "gain elsewhere": gains["others"]}
    table = Table(("task",), tuple(rows))
    claims = [
        Claim(
            f"{part}: what the decoded system gains over the dictionary comes from items where the two agree",
            lambda found: found.rows[0]["gain where the dictionary agrees"] > found.rows[0]["gain elsewhere"],
        )
    ]
    return table, claims


def repetition(setting: Setting) -> tuple[Table, list[Claim]]:
    def cell(system: str, answers: int) -> dict[str, Any]:
        found = score_answers(
            repeat_answers(setting.answers(system, "oot"), answers), setting.test[1], task="oot", ignore_case=True
        )
        return {"oot P": 100 * found.precision, "oot mode P": 100 * found.mode_precision}

    table = grid(cell, system=["decoded", "context"], answers=[5, 4, 3, 2])

    def monotone(found: Table) -> bool:
        for system in ("decoded", "context"):
            rows = found.where(system=system)
            for before, later in itertools.pairwise(rows):
                if later["oot P"] < before["oot P"] - 1e-9 or later["oot mode P"] > before["oot mode P"] + 1e-9:
                    return False
        return True

    claim = "fewer answers, repeated more often: the score rises and the mode is found less often"
    return table, [Claim(claim, monotone)]


def translation(options: Any) -> tuple[Table, list[Claim]]:
    name = "multi30k de-en"
    with Systems(options) as systems:
        outputs: dict[str, Any] = {}

        def cell(features: str) -> dict[str, Any]:
            search = {"pop_limit": options.pops, "beam": options.pops}
            outputs[features] = systems.translations(name, ARMS[features], search)
            compared = systems.compared(name, outputs[features]["outputs"], outputs["none"]["outputs"])
            return {**compared, "seconds": outputs[features]["seconds"]}

        table = grid(cell, features=list(ARMS))

    def gains(found: Table, features: str) -> bool:
        row, base = found.where(features=features)[0], found.where(features="none")[0]
        return bool(row["BLEU"] > base["BLEU"] and row["p"] < 0.05)

    claims = [
        Claim(f"BLEU: {features} gains over the baseline (p < 0.05)", lambda found, f=features: gains(found, f))
        for features in ("context", "vectors", "both")
    ]
    return table, claims


def main() -> None:
    options = system_arguments(
        __doc__,
        out="docs/experiments/p02",
        pairs=12_000,
        items=3500,
        instances=30,
        dev=500,
        nbest=1000,
        parts=",".join(PARTS),
    )
    parts = options.parts.split(",")
    pops = 40
    if options.small:
        options.dev, options.iterations, options.pops, options.nbest, pops = 20, 1, 10, 20, 10
        ARMS["vectors"] = ("vectors=true", "vectors_settings=dimensions=8,hidden=8,window=4,passes=1")
        ARMS["both"] = (*ARMS["vectors"], "context=true")
        parts = [part for part in parts if part != "shared"]
    tables: dict[str, tuple[Table, list[Claim]]] = {}
    asked = {"pops": pops, "nbest": options.nbest}
    with tempfile.TemporaryDirectory() as folder:
        if "captions" in parts:
            setting = captions(options.pairs, options.items, Path(folder) / "captions", small=options.small, **asked)
            tables["Captions"] = compare(setting, "captions")
            tables["Captions: where answers come from"] = sources(setting, "captions")
            tables["Captions: repeated answers"] = repetition(setting)
        if "shared" in parts:
            for language in LANGUAGES:
                home = Path(folder) / language
                setting = shared_task(language, options.pairs, options.instances, home, **asked)
                part = f"shared task, {language}"
                tables[f"Shared task of 2013, {language}"] = compare(setting, part)
                tables[f"Shared task, {language}: where answers come from"] = sources(setting, part)
        if "bleu" in parts:
            tables["Translation from German"] = translation(options)
    pictures = {}
    for name, (table, _) in tables.items():
        if "best R" in table.rows[0]:
            picture = name.lower().replace(" of 2013,", "").replace(" ", "-")
            pictures[picture] = dot_plot(table, label=lambda row: row["system"], figure="best R")
    if not pictures:
        table = next(iter(tables.values()))[0]
        pictures["bleu"] = dot_plot(table, label=lambda row: row["features"], figure="BLEU")
    publish(
        "One word in context",
        __doc__,
        tables,
        pictures=pictures,
        out=options.out,
        settings=vars(options),
        not_run=[] if options.small else others(PARTS, parts),
    )


if __name__ == "__main__":
    main()
