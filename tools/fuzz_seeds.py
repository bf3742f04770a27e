"""Write the binary seeds of the fuzz drivers anew, from tiny models made here: after a change of a binary format.

A seed of an older version would be refused at its header, and the driver would try nothing else.

    python tools/fuzz_seeds.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from dragoman._native.common import Vocabulary
from dragoman.align import ALIGNERS
from dragoman.annotations import Sentence
from dragoman.features.order_models import ChoiceTraining, DependencyFeature, JumpFeature, RelationFeature
from dragoman.forest.store import from_dict, write_forests
from dragoman.grammar.phrases import extract
from dragoman.grammar.rule import Counts, Nonterminal, Rule
from dragoman.grammar.writing import write_table
from dragoman.lm import Bounds, read_arpa
from dragoman.neural import train_joint_model
from dragoman.semantics import MutualInformation, PhraseVectors, WordVectors
from dragoman.text.index import CorpusIndex

SEEDS = Path(__file__).parent.parent / "native" / "fuzz" / "seeds"
"""A folder for each driver; what is text there is written by hand."""

SOURCE, TARGET, LINKS = (
    ["a b c", "a b", "b c a"],
    ["u v w", "u x w", "v w u"],
    ["0-0 1-2 2-1", "0-0 1-2", "0-0 1-1 2-2"],
)


def _edge(head: int, tails: list[int], target: list[str | int], score: float = 0.0, **more: Any) -> dict[str, Any]:
    return {"head": head, "tails": tails, "target": target, "span": [0, 1], "score": score, **more}


def _node(**more: Any) -> dict[str, Any]:
    return {"start": 0, "end": 1, "covered": 1, **more}


PAIR = {
    "source": ["das", "Haus"],
    "nodes": [_node(coverage=[1]), _node(end=2, covered=2, coverage=[0, 1])],
    "edges": [
        _edge(0, [], ["house"], -0.5, features={"lm": -0.5}, links=[[0, 0]]),
        _edge(0, [], ["größeres", "Haus"], -1.5, rule=3, features={"lm": -1.5, "unknown": 2.0}),
        _edge(1, [0], ["the", 0], -0.25, features={"lm": -0.25}),
    ],
    "goal": 1,
}
TWICE = {
    "source": ["x"],
    "nodes": [_node(), _node()],
    "edges": [
        _edge(0, [], ["a", "b"], features={"f": 1.0}, links=[[0, 0], [0, 1]]),
        _edge(0, [], ["c"], -1.0),
        _edge(1, [0, 0], [1, "d", 0]),
    ],
    "goal": 1,
}


def _vocabularies(folder: Path) -> None:
    words = Vocabulary()
    for word in ("a", "b", "c", "d"):
        words.intern(word)
    words.save(folder / "vocabulary.bin")


def _aligners(folder: Path) -> None:
    for name in ("bayes", "fast", "hmm", "ibm2", "ibm3", "ibm4"):
        aligner = ALIGNERS.get(name)()
        aligner.train(SOURCE, TARGET)
        with tempfile.TemporaryDirectory() as made:
            aligner.save(Path(made) / "aligner")
            (folder / f"{name}.bin").write_bytes((Path(made) / "aligner" / "tables.bin").read_bytes())


def _corpus_indexes(folder: Path) -> None:
    CorpusIndex.build(["a b a b", "", "b a c", "a b c"]).save(folder / "small.index")


def _forests(folder: Path) -> None:
    pair, twice = from_dict(PAIR), from_dict(TWICE)
    write_forests(folder / "none.bin", [])
    write_forests(folder / "pair.bin", [pair])
    write_forests(folder / "twice.bin", [twice, pair])


def _joint_models(folder: Path) -> None:
    settings = ["hidden=2", "vector=2", "history=2", "window=1", "classes=1", "min_count=1", "passes=1", "samples=2"]
    train_joint_model(SOURCE, TARGET, LINKS, settings, threads=1).save(folder / "small.bin")


def _mutual_informations(folder: Path) -> None:
    MutualInformation.train(SOURCE, TARGET, links=LINKS, function_words=1).save(folder / "small.bin")


def _phrase_vectors(folder: Path) -> None:
    source = WordVectors(["a", "b"], [[1.0, 0.5], [0.0, -1.0]])
    PhraseVectors.of(source, WordVectors(["x"], [[0.25, 2.0]])).save(folder / "small.bin")


def _choice_models(folder: Path) -> None:
    known = [
        Sentence.of(
            line.split(),
            pos=["X", "Y", "X"][: len(line.split())],
            dependencies=([1, -1, 0][: len(line.split())], ["x", "root", "y"][: len(line.split())]),
        )
        for line in SOURCE
    ]
    few = ChoiceTraining(passes=1, min_count=1)
    JumpFeature.train(known, LINKS, few).save(folder / "jumps.bin")
    RelationFeature.train(known, LINKS, few).save(folder / "relations.bin")
    DependencyFeature.train(known, few, window=2).save(folder / "dependencies.bin")


def _language_models(folder: Path) -> None:
    for name in ("pruned", "small", "unigrams"):
        ngrams = read_arpa(SEEDS / "fuzz_arpa" / f"{name}.arpa")
        ngrams.build().save(folder / f"{name}-hashed.bin")
        ngrams.build(layout="compact", bits=32).save(folder / f"{name}-compact.bin")
        ngrams.build(layout="compact", bits=2).save(folder / f"{name}-quantised.bin")


def _bounds(folder: Path) -> None:
    Bounds.of(read_arpa(SEEDS / "fuzz_arpa" / "small.arpa")).save(folder / "small.bin")


def _tables(folder: Path) -> None:
    extract(SOURCE, TARGET, LINKS, folder / "evidence.table", evidence=True)
    gap, x = Nonterminal(), Nonterminal("X", 0)
    rules = [
        Rule(("ne", gap, "pas"), ("not",), {"p": -1.5}, ((0, 0), (2, 0)), Counts(3, 2, 1)),
        Rule((x, "de"), ("of", x), {"p": -0.25}, ((1, 0),), Counts(1, 1, 1), "X", {"rule:de": 0.5}),
    ]
    write_table(rules, folder / "labels.table", columns=["p"], metadata={"made": "by hand"})


def main() -> None:
    """Make all of them."""
    made = {
        "fuzz_aligner": _aligners,
        "fuzz_binary_file": _vocabularies,
        "fuzz_bounds": _bounds,
        "fuzz_choice_model": _choice_models,
        "fuzz_corpus_index": _corpus_indexes,
        "fuzz_forest": _forests,
        "fuzz_joint_model": _joint_models,
        "fuzz_lm_binary": _language_models,
        "fuzz_mutual_information": _mutual_informations,
        "fuzz_phrase_vectors": _phrase_vectors,
        "fuzz_table": _tables,
    }
    for name, make in made.items():
        (SEEDS / name).mkdir(exist_ok=True)
        make(SEEDS / name)


if __name__ == "__main__":
    main()
