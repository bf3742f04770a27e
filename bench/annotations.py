"""Annotation: words, tags, lemmas and trees for the English half of Multi30k, by a model of English-EWT.

Seconds are wall time on all cores (a shared machine makes them pessimistic); CPU time stands beside them. The model is
trained once and kept: `DRAGOMAN_ANNOTATOR` names one that is there already.
"""

from __future__ import annotations

import tempfile
import time
from functools import cache
from pathlib import Path

from bench.contest import DATA, Contest, bench, peak_memory
from bench.english_parser import model
from dragoman.annotations import annotator_chain, conllu
from dragoman.annotations.cache import AnnotationCache
from dragoman.annotations.corpus import annotate_lines, as_json, render_lines
from dragoman.files import read_lines


@cache
def captions() -> list[str]:
    return list(read_lines(DATA / "multi30k" / "train.en.gz"))


@bench("memory and the cache")
def memory_and_cache() -> dict[str, str]:
    lines, path = captions()[:10_000], model()

    def once() -> int:
        chain = annotator_chain.load(path)
        return sum(1 for _ in annotate_lines(chain, lines[:3_000], tokenized=True))

    found = {"memory of model and 3,000 sentences": f"{peak_memory(once) / 2**20:,.0f} MiB"}
    wall, work = [], []
    with tempfile.TemporaryDirectory() as place, AnnotationCache(Path(place) / "kept.sqlite") as kept:
        for _ in range(2):
            started, busy = time.perf_counter(), time.process_time()
            chain = annotator_chain.load(path)
            for _ in render_lines(chain, lines, as_json, form="json", tokenized=True, cache=kept):
                pass
            del chain  # or the second run would pay for letting go of the first one's model
            wall.append(time.perf_counter() - started)
            work.append(time.process_time() - busy)
    found |= {
        f"{name} run over {len(lines):,} sentences": f"{wall[at]:.2f} s, {work[at]:.2f} CPU s"
        for at, name in enumerate(("first", "second"))
    }
    return found | {
        "CPU s for 1,000 sentences, written as JSON": f"{1000 * work[0] / len(lines):.2f}",
        "the second run is faster, times (target 50)": f"{wall[0] / wall[1]:.0f}, CPU {work[0] / work[1]:.0f}",
    }


def annotating(lines: list[str]) -> Contest:
    chain = annotator_chain.load(model())
    words = sum(len(line.split()) for line in lines) / len(lines)
    return Contest(
        ours=lambda: sum(1 for _ in annotate_lines(chain, lines, tokenized=True)),
        units=len(lines),
        unit="sentences",
        repeat=2,
        note=f"{words:.1f} words a sentence; target 500 on two cores",
    )


@bench("tags, lemmas and trees of captions")
def annotate_captions() -> Contest:
    return annotating(captions()[:3_000])


@bench("tags, lemmas and trees of web text")
def annotate_web() -> Contest:
    gold = conllu.read(DATA / "treebanks" / "ud" / "en_ewt-ud-test.conllu.gz")
    return annotating([" ".join(sentence.words) for sentence in gold])
