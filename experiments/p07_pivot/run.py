"""Aziz and Specia (2013): paraphrases through other languages, with and without a sense tag.

Captions in four languages: German is paraphrased, English is the language of the tags, French and Czech are pivots. No
people judge: pairs of German words are written as one (pseudo-words), and a proposal for an occurrence is right if it
is among the ten best paraphrases of the word that stood there and not of the other. Tags come from the alignment with
the reference translation of held-out captions (`clear`), or from what a decoder makes of them (`decoded`). In the
setting `ambiguous` a translation of the first word of each pair is written as one with another English word, so that
tags are ambiguous too. Words are aligned before they are conflated.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import dragoman
from dragoman.align import ALIGNERS
from dragoman.charts import forest_plot
from dragoman.files import read_lines
from dragoman.lm import estimate
from dragoman.seeds import stream
from dragoman.semantics.pivot import PhraseCounts, PivotModel, PivotParaphrase, phrase_pairs
from dragoman.semantics.pseudo_words import (
    PseudoWord,
    SenseItem,
    choose_pseudo_words,
    conflated,
    is_right,
    score_senses,
)
from dragoman.semantics.senses import rerank, tag_text
from experiments.common import Claim, Table, arguments, grid, publish
from experiments.small_text import DATA, made_up

INPUT, TAG, PIVOTS = "de", "en", ("fr", "cs")
LONGEST = 3


def captions(size: int) -> dict[str, list[str]]:
    """The first captions, by language."""
    return {
        language: list(read_lines(DATA / "multi30k" / f"train.{language}.gz"))[:size]
        for language in (INPUT, TAG, *PIVOTS)
    }


def made_up_captions() -> dict[str, list[str]]:
    """German and English sentences of the generator, and English in two codes as pivots: enough to see that it runs."""
    task = made_up(600)
    english, german = task.train
    backwards = [" ".join(word[::-1] for word in line.split()) for line in english]
    return {INPUT: german, TAG: english, "fr": backwards, "cs": [re.sub(r"\B[aeiou]", "", line) for line in english]}


def decoded(text: dict[str, list[str]], cut: int) -> tuple[list[str], list[str]]:
    """What a model of the first captions, with weights as they come, makes of the others, and its word alignment."""
    recipe = {"tokenized": True, "tuner": "none", "aligner": "fast", "source_pieces": "words"}
    with tempfile.TemporaryDirectory() as folder:
        model = dragoman.train(
            text[INPUT][:cut],
            text[TAG][:cut],
            output=Path(folder) / "model",
            languages=(INPUT, TAG),
            recipe=recipe,
        )
        found = list(model.translate(text[INPUT][cut:]))
    return [each.text for each in found], [" ".join(f"{i}-{j}" for i, j in each.alignment) for each in found]


def main() -> None:
    given = arguments(__doc__, out="docs/experiments/p07", captions=12_000, pairs=100, heldout=3000, small=False)
    if given.small:
        given.pairs, given.heldout = 10, 150
    text = made_up_captions() if given.small else captions(given.captions)
    cut = len(text[INPUT]) - given.heldout

    def aligned(source: str, target: str) -> list[str]:
        aligner = ALIGNERS.get("fast")()
        aligner.train(text[source], text[target])
        return [str(each) for each in aligner.align(text[source], text[target])]

    links = {(INPUT, TAG): aligned(INPUT, TAG)}
    links |= {pair: aligned(*pair) for pivot in PIVOTS for pair in ((INPUT, pivot), (pivot, TAG))}
    counts = {
        (one, other): phrase_pairs(text[one][:cut], text[other][:cut], each[:cut], max_length=LONGEST)
        for (one, other), each in links.items()
    }
    print({"-".join(pair): len(found) for pair, found in counts.items()}, flush=True)
    plain = PivotModel({name: PhraseCounts(counts[INPUT, name]) for name in (*PIVOTS, TAG)})
    frequencies = Counter(token for line in text[INPUT][:cut] for token in line.split() if token.isalpha())
    to_tag = PhraseCounts(counts[INPUT, TAG]).forward
    translations = {
        word: sorted(to_tag[word], key=lambda name: -to_tag[word][name])[:5] for word in frequencies if word in to_tag
    }
    pseudo_words = choose_pseudo_words(frequencies, translations, count=given.pairs)
    lists = {
        word: [found.phrase for found in plain.paraphrases(word, top=10).found]
        for pseudo in pseudo_words
        for word in pseudo[:2]
    }
    pseudo_words = [each for each in pseudo_words if lists[each.first] and lists[each.second]]
    print(f"{len(pseudo_words)} pseudo-words", flush=True)
    others = [word for word in sorted(Counter(t for line in text[TAG][:cut] for t in line.split())) if word.isalpha()]
    order = stream(1, "tags").permutation(len(others)).tolist()
    blurred = [
        PseudoWord(translations[each.first][0], others[order[number]])
        for number, each in enumerate(pseudo_words)
        if " " not in translations[each.first][0]
    ]
    judged = [word for each in pseudo_words for word in each[:2]]
    by_people = tag_text(text[INPUT][cut:], text[TAG][cut:], links[INPUT, TAG][cut:], judged)
    by_decoder = tag_text(text[INPUT][cut:], *decoded({side: text[side] for side in (INPUT, TAG)}, cut), judged)
    tagged = {"clear": by_people, "ambiguous": by_people, "decoded": by_decoder}
    lm = estimate([_renamed(line, pseudo_words) for line in text[INPUT][:cut]], order=5, skip_special=True).build()
    outcomes: dict[tuple[str, str], np.ndarray[Any, Any]] = {}

    def model(tags: str, pivots: tuple[str, ...]) -> PivotModel:
        def pairs(one: str, other: str) -> PhraseCounts:
            found = counts[one, other]
            if one == INPUT:
                found = conflated(found, pseudo_words)
            if other == TAG and tags == "ambiguous":
                found = conflated(found, blurred, side=1)
            return PhraseCounts(found)

        return PivotModel(
            {name: pairs(INPUT, name) for name in pivots},
            {name: pairs(name, TAG) for name in pivots} if TAG not in pivots else {},
            pairs(INPUT, TAG),
            tag_language=TAG if TAG not in pivots else "",
        )

    made: dict[tuple[str, tuple[str, ...]], PivotModel] = {}
    asked: dict[tuple[str, tuple[str, ...], str, str, str | None], tuple[PivotParaphrase, ...]] = {}

    def proposals(
        tags: str, pivots: tuple[str, ...], kind: str, name: str, tag: str | None
    ) -> tuple[PivotParaphrase, ...]:
        """Of a pseudo-word with a tag; an occurrence is like any other with the same tag."""
        key = (tags if tags == "ambiguous" else "clear", pivots, kind, name, tag)
        if key not in asked:
            if key[:2] not in made:
                made[key[:2]] = model(key[0], pivots)
            asked[key] = made[key[:2]].paraphrases(name, tag=tag, model=kind, top=20).found
        return asked[key]

    def cell(tags: str, way: str) -> dict[str, Any]:
        kind, _, more = way.partition(", ")
        pivots: tuple[str, ...] = (more,) if more in PIVOTS else PIVOTS
        if kind == "ccb":
            pivots = (*PIVOTS, TAG)
        items = []
        for pseudo in pseudo_words:
            for word in pseudo[:2]:
                for seen in tagged[tags][word][:10]:
                    tag = _renamed(seen.tag, blurred) if tags == "ambiguous" else seen.tag
                    found = proposals(tags, pivots, kind, pseudo.name, None if kind == "ccb" else tag)
                    if more == "lm":
                        found = _in_sentence(
                            found, _renamed(text[INPUT][cut + seen.line - 1], pseudo_words), seen.start, lm
                        )
                    items.append(SenseItem(pseudo, word, [each.phrase for each in found]))
        outcomes[tags, way] = np.array([is_right(item, lists) for item in items], float)
        return score_senses(items, lists, frequencies).to_dict()

    ways = ["ccb", "ccb, lm", "ccb-wsd", "ccb-wsd, lm", "multi, fr", "multi, cs", "multi", "multi, lm"]
    table = grid(cell, tags=["clear", "ambiguous", "decoded"], way=ways)

    def recall(found: Table, tags: str, way: str, figure: str = "recall") -> float:
        return found.mean(figure, tags=tags, way=way)

    p_ccb = _p(outcomes["clear", "multi"], outcomes["clear", "ccb"])
    p_decoded = _p(outcomes["decoded", "multi"], outcomes["decoded", "ccb"])
    p_wsd = _p(outcomes["ambiguous", "multi"], outcomes["ambiguous", "ccb-wsd"])
    claims = [
        Claim(
            f"multi finds the right sense more often than ccb (p = {p_ccb:.4f})",
            lambda found: recall(found, "clear", "multi") > recall(found, "clear", "ccb") and p_ccb < 0.05,
        ),
        Claim(
            f"with ambiguous tags multi is better than ccb-wsd (p = {p_wsd:.4f})",
            lambda found: recall(found, "ambiguous", "multi") > recall(found, "ambiguous", "ccb-wsd") and p_wsd < 0.05,
        ),
        Claim(
            f"with tags of a decoder multi finds the right sense more often than ccb (p = {p_decoded:.4f})",
            lambda found: recall(found, "decoded", "multi") > recall(found, "decoded", "ccb") and p_decoded < 0.05,
        ),
        Claim(
            "coverage falls from ccb to ccb-wsd to multi",
            lambda found: (
                recall(found, "clear", "ccb", "coverage")
                > recall(found, "clear", "ccb-wsd", "coverage")
                > recall(found, "clear", "multi", "coverage")
            ),
        ),
        Claim(
            "multi is right more often with two pivot languages than with either alone",
            lambda found: (
                recall(found, "clear", "multi")
                > max(recall(found, "clear", "multi, fr"), recall(found, "clear", "multi, cs"))
            ),
        ),
        Claim(
            "a language model changes multi less than ccb-wsd",
            lambda found: (
                abs(recall(found, "clear", "multi, lm") - recall(found, "clear", "multi"))
                < abs(recall(found, "clear", "ccb-wsd, lm") - recall(found, "clear", "ccb-wsd"))
            ),
        ),
    ]
    rows = [(f"{row['tags']} tags, {row['way']}", *[row["recall"]] * 3) for row in table.rows]
    plot = forest_plot(rows, title="right sense", sure=[True] * len(rows), zero=False, figure=".3f")
    publish(
        "Pivot paraphrases under sense constraints",
        __doc__,
        {"": (table, claims)},
        pictures={"plot": plot},
        out=given.out,
        settings=vars(given),
    )


def _renamed(line: str, pseudo_words: list[PseudoWord]) -> str:
    names = {word: pseudo.name for pseudo in pseudo_words for word in pseudo[:2]}
    return " ".join(names.get(token, token) for token in line.split())


def _in_sentence(found: tuple[PivotParaphrase, ...], sentence: str, start: int, lm: Any) -> tuple[PivotParaphrase, ...]:
    return tuple(each.paraphrase for each in rerank(sentence.split(), (start, start + 1), found, lm, top=None))


def _p(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any], samples: int = 2000) -> float:
    """By randomization over occurrences, two-sided."""
    difference = one - other
    signs = stream(1, "items").choice([-1.0, 1.0], (samples, len(difference)))
    return float((np.abs(signs @ difference) >= abs(difference.sum()) - 1e-12).sum() + 1) / (samples + 1)


if __name__ == "__main__":
    main()
