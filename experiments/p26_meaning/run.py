"""Marton (2009): do senses help to rank pairs of words, and do paraphrases help to translate from little text?

Word pairs are ranked by what text of one language and a thesaurus say, against the judgements of people (Spearman's
correlation). Words are compared by every strength of association with the cosine, and by every measure of similarity:
over log-likelihood ratios, or over conditional probabilities where a measure is one of distributions. The text is 2.8
million tokens of package descriptions, captions and scripture; the thesaurus is WordNet's sets of synonyms. For rows
that begin with `half`, half of the words that are judged are taken out of it.

Paraphrases give phrases that a small table lacks the translations of others; the text of one language is the rest of
the captions (Multi30k, German to English, quick settings: 5 rounds of tuning, pop limit 100, one seed). `1-6` and
`1+2-6` are columns by the length of what is paraphrased; several paths to one translation reinforce each other unless
the row says `best` or `random`. To keep them as separate rules is no choice: a table holds a pair of phrases once.

Correlations are compared by drawing the pairs of words again (2,000 times, one-sided), BLEU by approximate
randomisation (10,000 samples, two-sided), and gains at two sizes by drawing segments again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.cache import StageCache
from dragoman.charts import forest_plot
from dragoman.files import read_lines
from dragoman.metrics import get_metric
from dragoman.seeds import stream
from dragoman.semantics.association import ASSOCIATIONS, Association
from dragoman.semantics.concepts import ConceptMatrix, SenseProfiles
from dragoman.semantics.cooccurrence import ContextSpace, promiscuous, wording
from dragoman.semantics.profiles import Profiles
from dragoman.semantics.reduced import ReducedVectors
from dragoman.semantics.similarity import SIMILARITIES
from dragoman.semantics.thesaurus import Thesaurus
from dragoman.semantics.word_pairs import WordPair, evaluate_pairs, read_pairs
from dragoman.semantics.wordnet import WordNet
from dragoman.semantics.wordnet_measures import InformationContent, WordNetMeasures
from dragoman.text.index import CorpusIndex
from experiments.common import Claim, Table, arguments, grid, publish, remembered
from experiments.recipes import names_of, others
from experiments.small_text import CACHE, DATA, Output, Task, bleu, made_up, multi30k, significance, translated

Measure = Callable[[str, str], float | None]
PARTS = ("pairs", "translation")
ROOMS = ("text", "semantics")
"""Those whose code decides what measures say."""

LISTS = {
    "RG-65": "EN-RG-65.txt",
    "WS-353": "EN-WS-353-ALL.txt",
    "YP-130": "EN-YP-130.txt",
}


MADE_UP = [
    WordPair(*pair)
    for pair in (
        ("man", "woman", 8.0),
        ("boy", "child", 7.5),
        ("big", "small", 6.0),
        ("morning", "day", 7.0),
        ("teacher", "doctor", 5.5),
        ("old", "young", 6.5),
        ("summer", "teacher", 1.0),
        ("child", "morning", 0.5),
        ("woman", "new", 1.5),
        ("doctor", "strange", 0.8),
    )
]
FEW_SENSES = {
    "people": ["man", "woman", "boy", "child", "teacher", "doctor"],
    "time": ["morning", "day", "summer"],
    "age": ["old", "young", "new", "child"],
    "size": ["big", "small"],
}
"""These are enough to see that the script runs."""


def english(small: bool) -> list[str]:
    """Package descriptions, captions and scripture: about 2.8 million tokens."""
    if small:
        task = made_up(300)
        return list(wording(task.train[0] + task.mono))
    files = [
        DATA / "debian" / "mono.en.gz",
        DATA / "multi30k" / "train.en.gz",
        DATA / "bible" / "sw-en" / "train.en.gz",
    ]
    return [line for file in files for line in wording(read_lines(file))]


def measures(lines: list[str], words: set[str], small: bool) -> dict[str, Measure]:
    """All measures by name."""
    index = CorpusIndex.build(lines)
    space = ContextSpace(index, window=5, stoplist=promiscuous(index, least=5))
    known = sorted(word for word in words if word in index)
    found: dict[str, Measure] = {}

    def listed(similarity: Callable[[str, str], float]) -> Measure:
        return lambda first, second: similarity(first, second) if first in index and second in index else None

    for association in ASSOCIATIONS:
        profiles = Profiles.of(space, known, association=association)
        found[f"word {association}"] = listed(profiles.similarity)
    for measure in SIMILARITIES[1:]:
        weighed = "cp" if measure in ("city-block", "jensen-shannon", "skew") else "llr"
        profiles = Profiles.of(space, known, association=weighed, similarity=measure)
        found[f"word {weighed}, {measure}"] = listed(partial(_closeness, profiles))
    wordnet = WordNet.find()
    thesaurus = Thesaurus(FEW_SENSES) if small else Thesaurus.from_wordnet(wordnet)
    found |= of_senses(space, thesaurus, listed)
    documents = [line.split() for line in lines[:60_000]]
    for name, vectors in (
        ("LSA", ReducedVectors.lsa(documents, dimensions=100, most_words=5000, words=known)),
        ("GLSA pmi", ReducedVectors.glsa(space, known, association=Association(measure="ppmi"), dimensions=100)),
    ):
        found[name] = listed(partial(_of_vectors, vectors))
    information = InformationContent.of(wordnet, (word for line in lines for word in line.split()))
    of_wordnet = WordNetMeasures(wordnet, information)
    for name in ("path", "resnik", "lin", "jiang-conrath", "lesk"):
        found[f"WordNet {name}"] = partial(of_wordnet.similarity, measure=name)
    removed = set(stream(1, "removed words").permutation(known)[: len(known) // 2].tolist())
    left = {name: [term for term in thesaurus.members(name) if term not in removed] for name in thesaurus.groups}
    halved = Thesaurus({name: terms for name, terms in left.items() if terms})
    found |= {f"half: {name}": measure for name, measure in of_senses(space, halved, listed).items()}
    return found


def of_senses(space: ContextSpace, thesaurus: Thesaurus, listed: Callable[..., Measure]) -> dict[str, Measure]:
    """Measures of concepts, and of words by their senses."""
    found: dict[str, Measure] = {}
    base = ConceptMatrix.base(space, thesaurus)
    for star, matrix in (("", base), ("*", base.bootstrap())):
        for name in ("cp", "llr"):
            association = Association(measure=name)

            def concept(
                first: str, second: str, m: ConceptMatrix = matrix, a: Association = association
            ) -> float | None:
                pair = m.similarity(first, second, association=a)
                return None if pair is None else pair.value

            found[f"concept{star} {name}"] = concept
        for kind in ("proportional", "filtered"):
            senses = SenseProfiles(matrix, kind=kind, association=Association(measure="llr"))
            found[f"hybrid-{kind}{star} llr"] = listed(partial(_of_senses, senses))
    return found


def _closeness(profiles: Profiles, first: str, second: str) -> float:
    """What is alike has the higher value, and what shares nothing one near 0, whether that is a distance or not."""
    value = profiles.similarity(first, second)
    return 1 / (1 + value) if profiles.similarity_settings.is_distance else value


def _of_senses(senses: SenseProfiles, first: str, second: str) -> float:
    return senses.similarity(first, second).value


def _of_vectors(vectors: ReducedVectors, first: str, second: str) -> float:
    return vectors.similarity(first, second) if first in vectors and second in vectors else 0.0


def p_higher(pairs: list[WordPair], one: Measure, other: Measure, samples: int = 2000) -> float:
    """How often the first measure does not rank better than the second when pairs are drawn again."""
    from scipy.stats import rankdata

    values = np.array(
        [(pair.score, one(pair.first, pair.second) or 0.0, other(pair.first, pair.second) or 0.0) for pair in pairs]
    )
    random = stream(1, "pairs")
    worse = 0
    for _ in range(samples):
        drawn = values[random.integers(0, len(values), len(values))]
        ranks = np.array([rankdata(column) for column in drawn.T])
        correlations = np.corrcoef(ranks)[0]
        worse += bool(correlations[1] <= correlations[2])
    return (worse + 1) / (samples + 1)


def judged(small: bool) -> dict[str, list[WordPair]]:
    """Pairs of words with what people say of them, by list."""
    lists = {name: MADE_UP if small else read_pairs(DATA / "wordsim" / file) for name, file in LISTS.items()}
    return {name: [pair.lowered for pair in pairs] for name, pairs in lists.items()}


def all_values(lists: Mapping[str, list[WordPair]], small: bool) -> dict[str, Measure]:
    """What each measure says of each pair: worked out once and kept, so that the other part can be run by itself."""
    asked = sorted({pair[:2] for pairs in lists.values() for pair in pairs})

    def work() -> dict[str, list[float | None]]:
        every = measures(english(small), {word for pair in asked for word in pair}, small)
        return {name: [measure(*pair) for pair in asked] for name, measure in every.items()}

    kept = remembered(StageCache(CACHE / "values"), "values", {"pairs": asked, "small": small}, work, rooms=ROOMS)
    return {name: _listed(dict(zip(asked, values, strict=True))) for name, values in kept.items()}


def _listed(values: Mapping[tuple[str, str], float | None]) -> Measure:
    return lambda first, second: values[first, second]


def word_pairs(small: bool) -> tuple[Table, list[Claim]]:
    lists = judged(small)
    every = all_values(lists, small)

    def cell(measure: str) -> dict[str, Any]:
        row: dict[str, Any] = {}
        for name, pairs in lists.items():
            report = evaluate_pairs(pairs, every[measure])
            row[name] = report.spearman
            row[f"{name} known"] = report.known
        return row

    table = grid(cell, measure=list(every))
    return table, claims_on_pairs(lists["WS-353"], every)


def claims_on_pairs(pairs: list[WordPair], every: Mapping[str, Measure]) -> list[Claim]:
    """What is claimed of the pairs of WS-353; words, concepts and senses by log-likelihood ratios."""
    known = [pair for pair in pairs if every["concept* llr"](pair.first, pair.second) is not None]

    def rho(name: str, among: list[WordPair] = pairs) -> float:
        return evaluate_pairs(among, every[name]).spearman

    def better(one: str, other: str, among: list[WordPair] = pairs, *, by: float = 0.0) -> Claim:
        p = p_higher(among, every[one], every[other])
        gap = rho(one, among) - rho(other, among)
        where = "WS-353" if among is pairs else f"the {len(known)} pairs of WS-353 that the thesaurus has"
        more = f" by {by:g} or more" if by else ""
        return Claim(
            f"{one} ranks better than {other}{more} on {where} ({gap:+.3f}, p = {p:.3f})",
            lambda _: gap >= by and p < 0.05,
        )

    def fall(name: str) -> float:
        return rho(name) - rho(f"half: {name}")

    senses, words, concepts = "hybrid-filtered* llr", "word llr", "concept* llr"
    gap = rho(senses, known) - rho(words, known)
    return [
        better(words, "word cp", by=0.05),
        Claim(
            f"{senses} ranks no worse than {words}, within 0.01, on the pairs that the thesaurus has ({gap:+.3f})",
            lambda _: gap >= -0.01,
        ),
        better(senses, concepts, known),
        better("hybrid-proportional* llr", words, known),
        Claim(
            f"without half of the words, senses lose less than 0.05 ({fall(senses):.3f}), concepts more than twice as "
            f"much ({fall(concepts):.3f})",
            lambda _: fall(senses) < 0.05 and fall(concepts) > 2 * max(0.0, fall(senses)),
        ),
    ]


ARMS: dict[str, dict[str, Any]] = {
    "none": {},
    "1-6": {"paraphrase": True, "paraphrase_split": "1-6"},
    "1+2-6": {"paraphrase": True, "paraphrase_split": "1+2-6"},
    "1+2-6, best": {"paraphrase": True, "paraphrase_split": "1+2-6", "paraphrase_policy": "best"},
    "1+2-6, random": {"paraphrase": True, "paraphrase_split": "1+2-6", "paraphrase_policy": "random"},
    "1+2-6, score 0.6": {"paraphrase": True, "paraphrase_split": "1+2-6", "paraphrase_score": 0.6},
}


def p_falls(tasks: Sequence[Task], outputs: Sequence[Mapping[str, Output]], arm: str, samples: int = 2000) -> float:
    """How often the gain of an arm is no larger for the first task than for the second, segments drawn again."""
    scorer = get_metric(tasks[0].text_metrics)
    rows = []
    for task, done in zip(tasks, outputs, strict=True):
        references = scorer.prepare([task.test[1]])
        rows.append([scorer.statistics(done[name].test, references) for name in (arm, "none")])
    random, count = stream(1, "segments"), len(tasks[0].test[1])
    worse = 0
    for _ in range(samples):
        drawn = random.integers(0, count, count)
        gains = [np.subtract(*scorer.scores(np.stack([each[drawn].sum(axis=0) for each in pair]))) for pair in rows]
        worse += bool(gains[0] <= gains[1])
    return (worse + 1) / (samples + 1)


def translation(source: str, sizes: list[int], small: bool) -> tuple[Table, list[Claim]]:
    tasks: dict[int, Task] = {}
    outputs: dict[int, dict[str, Output]] = {}

    def cell(pairs: int, paraphrases: str) -> dict[str, Any]:
        task = tasks.setdefault(pairs, made_up(pairs) if small else multi30k(source, pairs))
        done = translated(task, ARMS[paraphrases])
        outputs.setdefault(pairs, {})[paraphrases] = done
        facts = done.report["stages"].get("unknown words", {})
        p = float("nan")
        if paraphrases != "none":
            p = significance(task, {name: each.test for name, each in outputs[pairs].items()}, "none")[paraphrases]
        return {
            "new rules": facts.get("new_rules", 0),
            "dev BLEU": bleu(task, done.dev, task.dev[1]),
            "test BLEU": bleu(task, done.test, task.test[1]),
            "p": p,
            "copied words": done.unknown,
        }

    table = grid(cell, pairs=sizes, paraphrases=list(ARMS))

    def gain(found: Table, pairs: int, arm: str = "1+2-6") -> float:
        return found.mean("test BLEU", pairs=pairs, paraphrases=arm) - found.mean(
            "test BLEU", pairs=pairs, paraphrases="none"
        )

    def sure(found: Table, pairs: int) -> bool:
        return gain(found, pairs) > 0 and found.where(pairs=pairs, paraphrases="1+2-6")[0]["p"] < 0.05

    first, last = sizes[0], sizes[-1]
    fallen = p_falls([tasks[first], tasks[last]], [outputs[first], outputs[last]], "1+2-6")
    return table, [
        Claim(f"paraphrases gain BLEU at {first:,} pairs (p < 0.05)", lambda found: sure(found, first)),
        Claim(
            f"the gain falls from {first:,} to {last:,} pairs (p = {fallen:.3f})",
            lambda found: gain(found, last) < gain(found, first) and fallen < 0.05,
        ),
        Claim(
            f"copied words become fewer by 30 % or more at {first:,} pairs",
            lambda found: (
                found.mean("copied words", pairs=first, paraphrases="1+2-6")
                <= 0.7 * found.mean("copied words", pairs=first, paraphrases="none")
            ),
        ),
        Claim(
            "reinforcement is no worse than the best path alone, in dev BLEU over all sizes",
            lambda found: (
                found.mean("dev BLEU", paraphrases="1+2-6") >= found.mean("dev BLEU", paraphrases="1+2-6, best")
            ),
        ),
        Claim(
            "a column for single words and one for longer phrases is no worse than one for all, within 0.1 test BLEU",
            lambda found: (
                found.mean("test BLEU", paraphrases="1+2-6") >= found.mean("test BLEU", paraphrases="1-6") - 0.1
            ),
        ),
        Claim(
            "a higher least score leaves fewer rules at every size",
            lambda found: all(
                found.mean("new rules", pairs=size, paraphrases="1+2-6, score 0.6")
                < found.mean("new rules", pairs=size, paraphrases="1+2-6")
                for size in sizes
            ),
        ),
    ]


def main() -> None:
    given = arguments(__doc__, out="docs/experiments/p26", sizes="2000,5000,10000", source="de", parts="", small=False)
    if given.small:
        given.sizes = "100,200"
    tables, pictures = {}, {}
    parts = names_of(given.parts, PARTS)
    if "pairs" in parts:
        tables["Pairs of words"] = word_pairs(given.small)
        rows = [(str(row["measure"]), *[row["WS-353"]] * 3) for row in tables["Pairs of words"][0].rows]
        pictures["pairs"] = forest_plot(
            rows, title="Spearman, WS-353", sure=[True] * len(rows), zero=False, figure=".3f"
        )
    if "translation" in parts:
        tables["Translation"] = translation(given.source, [int(size) for size in given.sizes.split(",")], given.small)
        rows = [
            (f"{row['pairs']:,}, {row['paraphrases']}", *[row["test BLEU"]] * 3)
            for row in tables["Translation"][0].rows
        ]
        pictures["translation"] = forest_plot(
            rows, title="test BLEU", sure=[True] * len(rows), zero=False, figure=".2f"
        )
    publish(
        "Meaning from text of one language",
        __doc__,
        tables,
        pictures=pictures,
        out=given.out,
        settings=vars(given),
        not_run=others(PARTS, parts),
    )


if __name__ == "__main__":
    main()
