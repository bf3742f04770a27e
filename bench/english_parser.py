"""A parser of English, trained once for all benchmarks that need one; `DRAGOMAN_ANNOTATOR` names one that is there."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path

from bench.contest import DATA
from dragoman.annotations import conllu
from dragoman.annotations.training import train_annotator

_PLACE = tempfile.TemporaryDirectory()


@cache
def model() -> str:
    """The folder of a model trained on English-EWT."""
    if "DRAGOMAN_ANNOTATOR" in os.environ:
        return os.environ["DRAGOMAN_ANNOTATOR"]
    treebank = list(conllu.read(DATA / "treebanks" / "ud" / "en_ewt-ud-train.conllu.gz"))
    path = Path(_PLACE.name) / "en-ewt"
    train_annotator("syntax", treebank).save(path, language="en", licence="CC BY-SA 4.0")
    return str(path)
