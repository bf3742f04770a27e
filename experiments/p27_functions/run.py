"""Can a missing grammatical function be guessed from the attributes of the dependent alone?

Bryl, van Genabith and Graham (2009) guess functions of f-structures by Naive Bayes, from 2,000 parsed sentences of 5 to
15 words: the most frequent function (`MF`), the value of CASE (`NB-CASE`), names of attributes (`NB-N`), names and
values (`NB-N&V`). They report 36.3, 56.7, 85.6 and 91.6 % for English, 23.4, 51.0, 74.8 and 82.5 % for German; and with
all functions of a parent missing, guessed one by one (`NB-S`) or jointly (`NB-J`), 90.4 and 91.2 %, 81.4 and 82.1 %.

Here dependency trees of Universal Dependencies are viewed as f-structures: relations are functions, features and the
universal part of speech are attributes; words and lemmas are not looked at. Gold trees of 5 to 15 words: English-EWT;
French-Sequoia with ParTUT's training part; German-GSD's development part with LIT, tested on GSD's test part. Up to
2,000 sentences teach and 1,000 test. `all` are all relations but punctuation, `content` leaves out those of function
words too (aux, case, cc, cop, det, fixed, mark, ...), which f-structures do not have as predicates, and which a part of
speech gives away; `grammar` gives those that are left the coarser names of lexical-functional grammar, where modifiers
of verbs and nouns alike are ADJUNCT. The made-up language marks case (`case_language.py`); in it a quarter of the nouns
has one form for two cases.

Each p-value is that of a paired t-test between a system and the one before it, over ten subsets of the test set that
keep a parent's functions together.

Two more questions. These French treebanks mark no case: `NB-NUMBER` has the values of Number and VerbForm alone in its
place. And dependents come in the order of the text, so that guessing one by one knows which of two came first, and
guessing jointly does not: so the order is turned round, too.

The last question is what it helps. Of each label of a test tree a share is taken away; a small realiser
(`realiser.py`) orders the words of trees, and, as a grammar would, refuses a tree in which a label is missing. With the
guesser, labels are filled in first. BLEU is against the sentence itself, an empty output being an empty text; its p is
that of approximate randomization against `refused`.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import dragoman
from dragoman.annotations import Sentence, conllu
from dragoman.annotations.fstructure import FStructure, of_sentence
from dragoman.annotations.function_guesser import FunctionGuesser
from dragoman.annotations.function_scoring import FunctionScores, evaluate_functions, paired_t_test
from dragoman.annotations.functions import (
    LEFT_OUT,
    broken_at_random,
    broken_sentence,
    labelled_sentence,
)
from dragoman.charts import line_plot
from dragoman.lm import estimate
from dragoman.metrics import get_metric
from dragoman.text import synthetic
from experiments.common import Claim, Table, arguments, publish
from experiments.p27_functions.case_language import case_language
from experiments.p27_functions.realiser import Realiser

HOME = Path(__file__).parent.parent.parent
DATA = Path(os.environ.get("DRAGOMAN_DATA", HOME.parent / "shared" / "data"))
TREEBANKS = {
    "English": (["en_ewt-ud-train"], ["en_ewt-ud-test"]),
    "French": (
        ["fr_sequoia-ud-train", "fr_partut-ud-train"],
        ["fr_sequoia-ud-test", "fr_sequoia-ud-dev"],
    ),
    "German": (["de_gsd-ud-dev", "de_lit-ud-test"], ["de_gsd-ud-test"]),
}
FUNCTION_WORDS = frozenset(
    ["aux", "aux:pass", "aux:caus", "aux:tense", "case", "cc", "cc:preconj", "clf", "cop", "det", "det:predet",
     "discourse", "expl", "expl:pv", "expl:subj", "expl:pass", "expl:comp", "fixed", "goeswith", "mark", "reparandum"]
)  # fmt: skip
BLEU = get_metric("bleu:tokenize=none")
KINDS = {"all": LEFT_OUT, "content": LEFT_OUT | FUNCTION_WORDS, "grammar": LEFT_OUT | FUNCTION_WORDS}
GRAMMAR = {
    "nsubj": "SUBJ", "csubj": "SUBJ", "obj": "OBJ", "iobj": "OBJ-TH", "xcomp": "XCOMP", "ccomp": "COMP",
    "obl": "ADJUNCT", "advmod": "ADJUNCT", "advcl": "ADJUNCT", "amod": "ADJUNCT", "acl": "ADJUNCT", "nmod": "ADJUNCT",
    "compound": "MOD", "flat": "MOD", "nummod": "SPEC", "appos": "APP", "nmod:poss": "POSS", "det:poss": "POSS",
}  # fmt: skip
"""Relations by names of lexical-functional grammar; a subtype goes with its relation unless it is named."""
SINGLE = {"MF": "none", "NB-CASE": "case", "NB-N": "names", "NB-N&V": "names+values"}
STAND_INS = ("Number", "VerbForm")
"""What tells functions apart in place of case, where a language marks none."""


@dataclass(frozen=True)
class Language:
    """Structures to learn from and to test on; and the sentences that they are views of, if there are any."""

    name: str
    train: Sequence[FStructure]
    test: Sequence[FStructure]
    train_sentences: Sequence[Sentence] = ()
    test_sentences: Sequence[Sentence] = ()

    def view(self, kind: str) -> tuple[Sequence[FStructure], Sequence[FStructure]]:
        """What teaches and tests, with functions of this kind."""
        if kind != "grammar" or not self.train_sentences:
            return self.train, self.test
        train, test = (
            [of_sentence(in_grammar(each)) for each in some] for some in (self.train_sentences, self.test_sentences)
        )
        return train, test


def in_grammar(sentence: Sentence) -> Sentence:
    """The sentence with names of lexical-functional grammar for its relations."""
    tree = sentence.dependencies
    labels = tuple(GRAMMAR.get(label, GRAMMAR.get(label.partition(":")[0], label)) for label in tree.labels)
    return sentence.with_layers(dependencies=replace(tree, labels=labels))


def kinds(language: str) -> list[str]:
    """Which functions a language has: a made-up one those that it was made with."""
    return ["all"] if language == "made up" else list(KINDS)


def sentences_of(names: Sequence[str], most: int) -> list[Sentence]:
    """Sentences of 5 to 15 words, the treebanks taken in turn."""
    files = [next((DATA / "treebanks" / "ud").glob(f"{name}.conllu*")) for name in names]
    found = (each for file in files for each in conllu.read(file))
    return list(islice((each for each in found if 5 <= len(each) <= 15 and each.has("lemmas", "pos")), most))


def languages(small: bool, train: int, test: int) -> Iterator[Language]:
    made = case_language(60 if small else train + test, syncretism=0.25, seed=1)
    cut = 40 if small else train
    yield Language("made up", made[:cut], made[cut:])
    if small:
        given = [item.source.annotated for item in synthetic.pair("en-de").generate(160, seed=1)]
        yield _viewed("synthetic", given[:110], given[110:])
        return
    for name, (teach, ask) in TREEBANKS.items():
        yield _viewed(name, sentences_of(teach, train), sentences_of(ask, test))


def _viewed(name: str, train: Sequence[Sentence], test: Sequence[Sentence]) -> Language:
    return Language(name, [of_sentence(each) for each in train], [of_sentence(each) for each in test], train, test)


def size_rows(language: Language) -> Iterator[dict[str, Any]]:
    for kind, left_out in KINDS.items():
        if kind not in kinds(language.name):
            continue
        train, test = language.view(kind)
        guesser = FunctionGuesser.train(train, left_out=left_out)
        found = evaluate_functions(guesser, test, subsets=1)
        cases = sum(guesser.counts.names[name].total() for name in ("CASE", "Case") if name in guesser.counts.names)
        yield {
            "language": language.name,
            "functions": kind,
            "sentences": len(language.train),
            "test sentences": len(language.test),
            "different functions": len(guesser.functions),
            "test dependents": sum(found.asked),
            "dependents / parent": guesser.counts.functions.total() / guesser.counts.parents,
            "with case %": 100 * cases / guesser.counts.functions.total(),
        }


def p_value(found: FunctionScores, before: FunctionScores | None) -> str:
    return "" if before is None else f"{paired_t_test(before.by_subset, found.by_subset):.2g}"


def single_rows(language: Language) -> Iterator[dict[str, Any]]:
    for kind, left_out in KINDS.items():
        if kind not in kinds(language.name):
            continue
        train, test = language.view(kind)
        guesser = FunctionGuesser.train(train, left_out=left_out)
        before = None
        for system, features in SINGLE.items():
            found = evaluate_functions(guesser.with_settings(features=features), test)
            row = {"language": language.name, "functions": kind, "system": system, "accuracy %": 100 * found.accuracy}
            yield {**row, "p against the one before": p_value(found, before), **_confused(found)}
            before = found
        binary = evaluate_functions(guesser.with_settings(values="binary"), test)
        row = {
            "language": language.name,
            "functions": kind,
            "system": "NB-N&V, binary",
            "accuracy %": 100 * binary.accuracy,
        }
        yield {**row, "p against the one before": p_value(binary, before), **_confused(binary)}


def _confused(found: FunctionScores) -> dict[str, str]:
    most = ", ".join(f"{true} as {guess} {count}" for (true, guess), count in found.confusions.most_common(3))
    return {"most frequent errors": most}


def stand_in_rows(language: Language) -> Iterator[dict[str, Any]]:
    """Systems with the values of two other attributes in the place of case."""
    for kind, left_out in KINDS.items():
        train, test = language.view(kind)
        guesser = FunctionGuesser.train(train, left_out=left_out)
        values = {name: seen for name, seen in guesser.counts.values.items() if name in STAND_INS}
        counts = replace(guesser.counts, names={}, values=values)
        systems = {name: guesser.with_settings(features=features) for name, features in SINGLE.items()}
        systems["NB-CASE"] = replace(guesser, counts=counts)
        before = None
        for name, system in systems.items():
            found = evaluate_functions(system, test)
            row = {"language": language.name, "functions": kind, "system": name.replace("CASE", "NUMBER")}
            yield {**row, "accuracy %": 100 * found.accuracy, "p against the one before": p_value(found, before)}
            before = found


def turned(structure: FStructure) -> FStructure:
    """The structure with the attributes of each node in the opposite order."""
    return replace(structure, nodes=tuple(tuple(reversed(node)) for node in structure.nodes))


def order_rows(language: Language) -> Iterator[dict[str, Any]]:
    """All functions of a parent are missing, and its dependents come in either order."""
    for kind, left_out in KINDS.items():
        if kind not in kinds(language.name):
            continue
        train, test = language.view(kind)
        guesser = FunctionGuesser.train(train, left_out=left_out)
        for order, structures in (("as in the text", test), ("turned round", [turned(each) for each in test])):
            alone, joint = (
                evaluate_functions(guesser, structures, missing="all", joint=together) for together in (False, True)
            )
            mixed = sum(
                count for pair, count in joint.confusions.items() if set(pair) in ({"SUBJ", "OBJ"}, {"nsubj", "obj"})
            )
            yield {
                "language": language.name,
                "functions": kind,
                "dependents": order,
                "NB-S %": 100 * alone.accuracy,
                "NB-J %": 100 * joint.accuracy,
                "p": p_value(joint, alone),
                "subjects and objects that NB-J mixes up": mixed,
            }


def all_rows(language: Language) -> Iterator[dict[str, Any]]:
    for kind, left_out in KINDS.items():
        if kind not in kinds(language.name):
            continue
        train, test = language.view(kind)
        guesser = FunctionGuesser.train(train, left_out=left_out)
        before = None
        for system, features, joint in (
            ("MF", "none", False),
            ("NB-S", "names+values", False),
            ("NB-J", "names+values", True),
        ):
            found = evaluate_functions(guesser.with_settings(features=features), test, missing="all", joint=joint)
            row = {"language": language.name, "functions": kind, "system": system, "accuracy %": 100 * found.accuracy}
            yield {**row, "p against the one before": p_value(found, before)}
            before = found


def curve_rows(language: Language) -> Iterator[dict[str, Any]]:
    for size in (25, 50, 100, 200, 500, 1000, 2000):
        if size <= len(language.train):
            guesser = FunctionGuesser.train(language.train[:size])
            found = evaluate_functions(guesser, language.test)
            yield {"language": language.name, "sentences": size, "accuracy %": 100 * found.accuracy}


def realised_rows(language: Language, rates: Sequence[float], most: int) -> Iterator[dict[str, Any]]:
    test = language.test_sentences[:most]
    lines = [" ".join(each.words) for each in language.train_sentences]
    realiser = Realiser(language.train_sentences, estimate(lines, order=3).build())
    guesser = FunctionGuesser.train(language.train)
    references = [" ".join(each.words) for each in test]
    whole = [realiser.realise(each) for each in test]
    for rate in rates:
        _, gone = broken_at_random([of_sentence(each) for each in test], rate, seed=1)
        nameless = [[case._replace(function="_") for case in some] for some in gone]
        broken = [labelled_sentence(each, some) for each, some in zip(test, nameless, strict=True)]
        systems: dict[str, list[str]] = {"refused": [realiser.realise(each) for each in broken]}
        for name, joint in (("guessed one by one", False), ("guessed jointly", True)):
            filled = [
                labelled_sentence(each, [found.case for found in guesser.guess_all(broken_sentence(each), joint=joint)])
                for each in broken
            ]
            systems[name] = [realiser.realise(each) for each in filled]
        systems["all labels known"] = whole
        compared = next(iter(dragoman.compare(systems, [references], ["bleu:tokenize=none"], baseline="refused")))
        for name, outputs in systems.items():
            yield {
                "language": language.name,
                "labels gone %": 100 * rate,
                "system": name,
                "sentences": len(outputs),
                "not empty": sum(map(bool, outputs)),
                "BLEU": BLEU.scale * BLEU.corpus_score(outputs, [references]),
                "p": "" if name == "refused" else f"{compared.pair_p('refused', name):.2g}",
            }


def main() -> None:
    args = arguments(__doc__, out="docs/experiments/p27", train=2000, test=1000, realised=300, small=False)
    found = list(languages(args.small, args.train, args.test))
    real = [language for language in found if language.train_sentences]
    names = [language.name for language in found]
    single = Table(("language", "functions", "system"), tuple(row for each in found for row in single_rows(each)))
    print(single.markdown(), flush=True)
    together = Table(("language", "functions", "system"), tuple(row for each in found for row in all_rows(each)))
    print(together.markdown(), flush=True)
    stand_ins = Table(
        ("language", "functions", "system"),
        tuple(row for each in real for row in stand_in_rows(each) if each.name in ("French", "synthetic")),
    )
    orders = Table(("language", "functions", "dependents"), tuple(row for each in found for row in order_rows(each)))
    curve = Table(("language", "sentences"), tuple(row for each in found for row in curve_rows(each)))
    sizes = Table(("language", "functions"), tuple(row for each in found for row in size_rows(each)))
    rates = (0.3,) if args.small else (0.1, 0.3)
    realised = Table(
        ("language", "labels gone %", "system"),
        tuple(row for each in real for row in realised_rows(each, rates, 20 if args.small else args.realised)),
    )

    def accuracy(table: Table, **chosen: Any) -> float:
        return float(table.where(**chosen)[0]["accuracy %"])

    def ordered(table: Table, systems: Sequence[str], language: str, kind: str) -> bool:
        rows = [table.where(language=language, functions=kind, system=system)[0] for system in systems]
        rising = all(one["accuracy %"] < two["accuracy %"] for one, two in pairwise(rows))
        return rising and all(float(row["p against the one before"]) < 0.005 for row in rows[1:])

    claims_single = [
        Claim(
            f"{language}, {kind}: MF < NB-CASE < NB-N < NB-N&V, each step significant at the 0.5 % level",
            holds=lambda t, language=language, kind=kind: ordered(t, list(SINGLE), language, kind),
        )
        for language in names
        for kind in kinds(language)
    ] + [
        Claim(
            "values leave at most 80 % of the errors of names alone, on every treebank",
            holds=lambda t: all(
                100 - accuracy(t, language=each.name, functions=kind, system="NB-N&V")
                <= 0.8 * (100 - accuracy(t, language=each.name, functions=kind, system="NB-N"))
                for each in real
                for kind in KINDS
            ),
        )
    ]
    claims_all = [
        Claim(
            "guessing jointly is at least as good as one by one, and by less than 1.5 points",
            holds=lambda t: all(
                0
                <= accuracy(t, language=name, functions=kind, system="NB-J")
                - accuracy(t, language=name, functions=kind, system="NB-S")
                < 1.5
                for name in names
                for kind in kinds(name)
            ),
        ),
        Claim(
            "one by one, with nothing known, is within 2 points of a single gap",
            holds=lambda t: all(
                abs(
                    accuracy(t, language=name, functions=kind, system="NB-S")
                    - accuracy(single, language=name, functions=kind, system="NB-N&V")
                )
                <= 2
                for name in names
                for kind in kinds(name)
            ),
        ),
        Claim(
            "the most frequent function does worse where no siblings are known",
            holds=lambda t: all(
                accuracy(t, language=name, functions=kind, system="MF")
                < accuracy(single, language=name, functions=kind, system="MF")
                for name in names
                for kind in kinds(name)
            ),
        ),
    ]
    claims_stand_ins = [
        Claim(
            f"{language}, {kind}: MF < NB-NUMBER < NB-N < NB-N&V, each step significant at the 0.5 % level",
            holds=lambda t, language=language, kind=kind: ordered(
                t, [name.replace("CASE", "NUMBER") for name in SINGLE], language, kind
            ),
        )
        for language in dict.fromkeys(row["language"] for row in stand_ins.rows)
        for kind in KINDS
    ]
    claims_orders = [
        Claim(
            "turned round, guessing jointly is at least as good as one by one, on every set",
            holds=lambda t: all(row["NB-J %"] >= row["NB-S %"] for row in t.where(dependents="turned round")),
        ),
        Claim(
            "guessing jointly gives the same in both orders, within half a point",
            holds=lambda t: all(
                abs(one["NB-J %"] - other["NB-J %"]) <= 0.5
                for one, other in zip(
                    t.where(dependents="as in the text"), t.where(dependents="turned round"), strict=True
                )
            ),
        ),
    ]
    claims_curve = [
        Claim(
            "500 sentences are within 5 points of all that there are",
            holds=lambda t: all(
                rows[-1]["accuracy %"] - next((row for row in rows if row["sentences"] >= 500), rows[-1])["accuracy %"]
                < 5
                for rows in (t.where(language=name) for name in names)
            ),
        )
    ]
    claims_realised = [
        Claim(
            "with the guesser no sentence is refused, and BLEU is higher at p < .05",
            holds=lambda t: (
                all(
                    row["not empty"] == row["sentences"] and float(row["p"]) < 0.05
                    for row in t.rows
                    if row["system"].startswith("guessed")
                )
                and all(
                    t.where(
                        **{"language": row["language"], "labels gone %": row["labels gone %"], "system": "refused"}
                    )[0]["BLEU"]
                    < row["BLEU"]
                    for row in t.rows
                    if row["system"].startswith("guessed")
                )
            ),
        )
    ]
    lines = {
        name: [(math.log2(row["sentences"]), row["accuracy %"]) for row in curve.where(language=name)] for name in names
    }
    publish(
        "Guessing grammatical functions",
        __doc__,
        {
            "Sizes": (sizes, []),
            "One function is missing": (single, claims_single),
            "No case: other values stand in for it": (stand_ins, claims_stand_ins),
            "All functions of a parent are missing": (together, claims_all),
            "The order of dependents": (orders, claims_orders),
            "Sentences to learn from": (curve, claims_curve),
            "Sentences generated": (realised, claims_realised),
        },
        pictures={
            "curve": line_plot(
                lines, title="accuracy of NB-N&V", x_name="sentences, binary logarithm", y_name="%", zero=False
            )
        },
        out=args.out,
        settings=vars(args),
    )


if __name__ == "__main__":
    main()
