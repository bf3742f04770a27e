"""Marton (2009): do senses help to rank pairs of words, and do paraphrases help to translate from little text?

Word pairs are ranked by what text of one language and a thesaurus say, against the judgements of people (Spearman's
correlation). Paraphrases give phrases that a small table lacks the translations of others; the text of one language is
the rest of the captions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.charts import forest_plot
from dragoman.files import read_lines
from dragoman.seeds import stream
from dragoman.semantics.association import Association
from dragoman.semantics.concepts import ConceptMatrix, SenseProfiles
from dragoman.semantics.cooccurrence import ContextSpace, promiscuous, wording
from dragoman.semantics.profiles import Profiles
from dragoman.semantics.reduced import ReducedVectors
from dragoman.semantics.thesaurus import Thesaurus
from dragoman.semantics.word_pairs import WordPair, evaluate_pairs, read_pairs
from dragoman.semantics.wordnet import WordNet
from dragoman.semantics.wordnet_measures import InformationContent, WordNetMeasures
from dragoman.text.index import CorpusIndex
from experiments.common import Claim, Table, arguments, grid, publish
from experiments.small_text import DATA, Output, Task, bleu, made_up, multi30k, significance, translated

Measure = Callable[[str, str], float | None]

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

    for name in ("cp", "llr", "pmi"):
        profiles = Profiles.of(space, known, association=name)
        found[f"word {name}"] = listed(profiles.similarity)
    wordnet = WordNet.find()
    thesaurus = Thesaurus(FEW_SENSES) if small else Thesaurus.from_wordnet(wordnet)
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
    return found


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


def word_pairs(small: bool) -> tuple[Table, list[Claim]]:
    lists = {name: MADE_UP if small else read_pairs(DATA / "wordsim" / file) for name, file in LISTS.items()}
    lowered = {
        name: [WordPair(pair.first.lower(), pair.second.lower(), pair.score) for pair in pairs]
        for name, pairs in lists.items()
    }
    words = {word for pairs in lowered.values() for pair in pairs for word in pair[:2]}
    every = measures(english(small), words, small)

    def cell(measure: str) -> dict[str, Any]:
        row: dict[str, Any] = {}
        for name, pairs in lowered.items():
            report = evaluate_pairs(pairs, every[measure])
            row[name] = report.spearman
            row[f"{name} known"] = report.known
        return row

    table = grid(cell, measure=list(every))
    best = max(
        (name for name in every if name.startswith("hybrid")), key=lambda name: table.mean("WS-353", measure=name)
    )
    word = "word llr"
    p_word = p_higher(lowered["WS-353"], every[best], every[word])
    p_concept = p_higher(lowered["WS-353"], every[best], every["concept* llr"])
    print({"best hybrid": best, "p against words": p_word, "p against concepts": p_concept})

    def value(name: str, on: str = "WS-353") -> Callable[[Table], float]:
        return lambda found: found.mean(on, measure=name)

    return table, [
        Claim(
            f"senses rank no worse than words on WS-353: {best} >= word llr (by chance with p = {p_word:.3f})",
            lambda found: value(best)(found) >= value(word)(found),
        ),
        Claim(
            f"senses rank better than concepts on WS-353: {best} > concept* llr (by chance with p = {p_concept:.3f})",
            lambda found: value(best)(found) > value("concept* llr")(found) and p_concept < 0.05,
        ),
        Claim(
            "log-likelihood ratios rank better than conditional probabilities on WS-353, by 0.05 or more",
            lambda found: value(word)(found) - value("word cp")(found) >= 0.05,
        ),
    ]


ARMS: dict[str, dict[str, Any]] = {
    "none": {},
    "1-6": {"paraphrase": True, "paraphrase_split": "1-6"},
    "1+2-6": {"paraphrase": True, "paraphrase_split": "1+2-6"},
    "1+2-6, best": {"paraphrase": True, "paraphrase_split": "1+2-6", "paraphrase_policy": "best"},
    "1+2-6, score 0.6": {"paraphrase": True, "paraphrase_split": "1+2-6", "paraphrase_score": 0.6},
}


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
            "new rules": facts.get("new rules", 0),
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
    return table, [
        Claim(f"paraphrases gain BLEU at {first:,} pairs (p < 0.05)", lambda found: sure(found, first)),
        Claim("the gain falls as the bitext grows", lambda found: gain(found, last) < gain(found, first)),
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
    given = arguments(
        __doc__, out="docs/experiments/p26", sizes="2000,5000,10000", source="de", part="both", small=False
    )
    if given.small:
        given.sizes = "100,200"
    tables, pictures = {}, {}
    if given.part in ("both", "pairs"):
        tables["Pairs of words"] = word_pairs(given.small)
        rows = [(str(row["measure"]), *[row["WS-353"]] * 3) for row in tables["Pairs of words"][0].rows]
        pictures["pairs"] = forest_plot(
            rows, title="Spearman, WS-353", sure=[True] * len(rows), zero=False, figure=".3f"
        )
    if given.part in ("both", "translation"):
        tables["Translation"] = translation(given.source, [int(size) for size in given.sizes.split(",")], given.small)
        rows = [
            (f"{row['pairs']:,}, {row['paraphrases']}", *[row["test BLEU"]] * 3)
            for row in tables["Translation"][0].rows
        ]
        pictures["translation"] = forest_plot(
            rows, title="test BLEU", sure=[True] * len(rows), zero=False, figure=".2f"
        )
    publish(
        "Meaning from text of one language", __doc__, tables, pictures=pictures, out=given.out, settings=vars(given)
    )


if __name__ == "__main__":
    main()
