"""Trees from files, read in one of several forms: as predicates, as the words of the treebank, or as plain strings.

A string is a tree in which each word governs the next; a string model is the tree model of such chains, so that both
can be counted, smoothed and measured by the same code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from dragoman.annotations import conllu, fstructure_files
from dragoman.annotations.predicate_trees import PLAIN_WORDS, PREDICATES, predicate_trees
from dragoman.annotations.predicates import PredicateGraph, PredicateTree
from dragoman.annotations.sentence import Sentence
from dragoman.settings import check_argument

__all__ = ["FORMS", "read_trees", "trees_of"]


def read_trees(paths: Iterable[Path | str], form: str = "predicates") -> Iterator[PredicateTree]:
    """The trees of CoNLL-U files, or of f-structures (JSON lines, or Prolog as XLE writes it).

    F-structures are trees of predicates already; other forms need the words of a sentence.
    """
    check_argument("form", form, choices=tuple(FORMS))
    for path in paths:
        if form == "predicates" and fstructure_files.is_file_of(path):
            for structure in fstructure_files.read(path):
                yield structure.predicates().tree()
        else:
            yield from trees_of(conllu.read(path), form)


def trees_of(sentences: Iterable[Sentence], form: str = "predicates") -> Iterator[PredicateTree]:
    """The trees of annotated sentences; those without words are left out."""
    check_argument("form", form, choices=tuple(FORMS))
    return FORMS[form](sentences)


def _enhanced(sentences: Iterable[Sentence]) -> Iterator[PredicateTree]:
    return (PredicateGraph.of_sentence(sentence, enhanced=True).tree() for sentence in sentences if len(sentence))


def _strings(sentences: Iterable[Sentence], *, punctuation: bool) -> Iterator[PredicateTree]:
    for sentence in sentences:
        if not punctuation:
            sentence.require("pos", needed_by="strings without punctuation")
        words = [
            word.lower()
            for at, word in enumerate(sentence.words)
            if punctuation or sentence.pos[at] not in ("PUNCT", "SYM")
        ]
        if words:
            yield PredicateTree.chain(words)


FORMS: dict[str, Callable[[Iterable[Sentence]], Iterator[PredicateTree]]] = {
    "predicates": lambda sentences: predicate_trees(sentences, PREDICATES),
    "words": lambda sentences: predicate_trees(sentences, PLAIN_WORDS),
    "enhanced": _enhanced,
    "strings": lambda sentences: _strings(sentences, punctuation=True),
    "strings-without-punctuation": lambda sentences: _strings(sentences, punctuation=False),
}
"""How sentences become trees: predicates, words of the basic tree or of the enhanced graph, or lower-cased tokens."""
