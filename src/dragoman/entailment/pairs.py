"""Pairs of text and hypothesis: the files of the challenges, and pairs that were annotated.

Read: the XML of the RTE challenges (`value` TRUE/FALSE in the first, `entailment` YES/NO later, in other languages
ENTAILMENT/NONENTAILMENT), tab-separated lines (id, label, text, hypothesis, with or without a header), and CoNLL-U
whose comments say which pair and which part a sentence belongs to (`# pair_id = 7`, `# part = t`, `# label = yes`),
which is also how annotated pairs are written.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dragoman.align.alignment import Alignment
from dragoman.annotations import Sentence, conllu
from dragoman.annotations.annotator import Annotator, reason
from dragoman.annotations.corpus import annotate_lines
from dragoman.annotations.graphs import DependencyGraph
from dragoman.errors import FormatError, InputError, SettingError
from dragoman.files import open_binary, read_lines
from dragoman.progress import ProgressCallback
from dragoman.text.languages import primary
from dragoman.text.sentences import split

__all__ = ["AnnotatedPair", "EntailmentPair", "annotate_pairs", "read_annotated", "read_pairs", "write_annotated"]

LAYERS = ("lemmas", "pos", "dependencies")
"""What must be known of every sentence."""
_LABELS = {
    **dict.fromkeys(("TRUE", "YES", "ENTAILMENT", "1"), True),
    **dict.fromkeys(("FALSE", "NO", "NONENTAILMENT", "UNKNOWN", "CONTRADICTION", "NEUTRAL", "0"), False),
}


@dataclass(frozen=True, slots=True)
class EntailmentPair:
    """A text, a hypothesis, and whether it follows, where that is known."""

    id: str
    text: str
    hypothesis: str
    label: bool | None = None
    task: str = ""
    """What the challenge calls its kind (IR, QA, ...), or the phenomenon that a pair of ours tries."""


@dataclass(frozen=True, slots=True)
class AnnotatedPair:
    """The same with all sentences annotated."""

    id: str
    text: tuple[Sentence, ...]
    hypothesis: Sentence
    label: bool | None = None
    task: str = ""
    gold: str = ""
    """Gold alignment: `hypothesis token-text token`, from 0; sentences of the text are counted through."""
    relation: str = ""
    """Of problems for the prover, the relation of text and hypothesis: one of `=<>#|`, empty where nobody said."""

    @property
    def raw(self) -> EntailmentPair:
        """The pair without its annotation."""
        text = " ".join(sentence.text for sentence in self.text)
        return EntailmentPair(self.id, text, self.hypothesis.text, self.label, self.task)


def gold_links(pair: AnnotatedPair, hypothesis: DependencyGraph, text: DependencyGraph) -> frozenset[tuple[int, int]]:
    """The gold alignment between the nodes of the graphs of both sides; a token that is no node there has no link."""
    starts = [0]
    for sentence in pair.text:
        starts.append(starts[-1] + len(sentence.words))
    nodes = {token: node.index for node in hypothesis for token in node.tokens}
    places = {starts[node.sentence] + token: node.index for node in text for token in node.tokens}
    links = Alignment.parse(pair.gold).links
    for one, other in links:
        if one >= len(pair.hypothesis.words) or other >= starts[-1]:
            raise InputError(f"the gold link {one}-{other} leads outside", where=f"pair {pair.id}")
    return frozenset((nodes[one], places[other]) for one, other in links if one in nodes and other in places)


def read_label(text: str, *, where: str) -> bool | None:
    """A label as the challenges write it; `?` and nothing are unknown."""
    if text in ("", "?", "_"):
        return None
    if text.upper() not in _LABELS:
        raise FormatError(f"{text!r} is not a label", where=where, remedy="YES or NO, TRUE or FALSE")
    return _LABELS[text.upper()]


def read_pairs(path: Path | str) -> list[EntailmentPair]:
    """The pairs of a file, XML or tab-separated by its ending."""
    suffixes = [each for each in Path(path).suffixes if each not in (".gz", ".xz")]
    pairs = _read_xml(path) if suffixes[-1:] == [".xml"] else list(_read_tsv(path))
    seen: set[str] = set()
    for pair in pairs:
        where = f"{path}, pair {pair.id}"
        if pair.id in seen:
            raise FormatError("two pairs have the same id", where=where)
        seen.add(pair.id)
        for part, words in (("text", pair.text), ("hypothesis", pair.hypothesis)):
            if not words.strip():
                raise InputError(f"the pair has no {part}", where=where, remedy="remove the pair, or fill it in")
    if not pairs:
        raise InputError("no pairs", where=str(path))
    return pairs


def pair_elements(path: Path | str, parts: tuple[str, str]) -> Iterator[tuple[dict[str, str], list[str]]]:
    """Attributes of each `pair` of an XML file, and the texts of two of its parts, empty where it has none."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    with contextlib.closing(open_binary(path)) as file:
        try:
            root = etree.parse(file, parser).getroot()
        except etree.XMLSyntaxError as error:
            raise FormatError(f"not XML: {error.msg}", where=f"{path}, line {error.lineno or 1}") from None
    for element in root.iter("pair"):
        found = (element.find(tag) for tag in parts)
        texts = ["" if part is None else " ".join("".join(map(str, part.itertext())).split()) for part in found]
        yield {str(name): str(value) for name, value in element.attrib.items()}, texts


def _read_xml(path: Path | str) -> list[EntailmentPair]:
    found = []
    for said, (text, hypothesis) in pair_elements(path, ("t", "h")):
        where = f"{path}, pair {said.get('id', '')}"
        label = read_label(said.get("entailment") or said.get("value") or "", where=where)
        found.append(EntailmentPair(said.get("id", ""), text, hypothesis, label, said.get("task", "")))
    return found


def _read_tsv(path: Path | str) -> Iterator[EntailmentPair]:
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split("\t")
        where = f"{path}, line {number}"
        if len(cells) < 4:
            raise FormatError(f"{len(cells)} columns", where=where, remedy="id, label, text, hypothesis, tabs between")
        if number == 1 and cells[0] == "id":
            continue
        task = cells[4] if len(cells) > 4 else ""
        yield EntailmentPair(cells[0], cells[2], cells[3], read_label(cells[1], where=where), task)


def annotate_pairs(
    annotator: Annotator,
    pairs: Sequence[EntailmentPair],
    *,
    language: str = "en",
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> list[AnnotatedPair]:
    """Divide and annotate; a hypothesis of several sentences is its first one.

    An annotator of another language, or one that gives no trees, is refused: what it says would mean nothing.
    """
    _require_fitting(annotator, language)
    lines: list[str] = []
    ranges: list[tuple[int, int]] = []
    for pair in pairs:
        pieces = [pair.text[span.start : span.end] for span in split(pair.text, language)]
        first = next(iter(split(pair.hypothesis, language)), None)
        if not pieces or first is None:
            raise InputError("a pair without text or hypothesis", where=f"pair {pair.id}")
        ranges.append((len(lines), len(lines) + len(pieces)))
        lines += [*pieces, pair.hypothesis[first.start : first.end]]
    sentences = list(annotate_lines(annotator, lines, threads=threads, progress=progress))
    found = []
    for pair, (start, end) in zip(pairs, ranges, strict=True):
        for sentence in sentences[start : end + 1]:
            why = reason(sentence)
            if why is not None:
                raise InputError(
                    f"a sentence cannot be annotated: {why}", where=f"pair {pair.id}", remedy="leave the pair out"
                )
        found.append(AnnotatedPair(pair.id, tuple(sentences[start:end]), sentences[end], pair.label, pair.task))
    return found


def _require_fitting(annotator: Annotator, language: str) -> None:
    if not primary(language).isalpha():
        raise SettingError(f"no language is called {language!r}", remedy="give a code such as en or de")
    if annotator.language and primary(annotator.language) != primary(language):
        raise SettingError(
            f"the annotator is for {annotator.language!r}, the pairs are judged as {language!r}",
            remedy=f"name an annotator for {language!r}, or lists of markers for {annotator.language!r}",
        )
    missing = [layer for layer in LAYERS if layer not in annotator.gives]
    if missing:
        raise SettingError(
            f"entailment needs the layer {missing[0]!r}, which the annotator does not give",
            remedy="name a model of `dragoman annotate train`, or a chain that tags and parses",
        )


def read_annotated(path: Path | str) -> list[AnnotatedPair]:
    """Annotated pairs from CoNLL-U with `pair_id` and `part` comments."""
    return group_annotated(conllu.read(path), where=str(path))


def group_annotated(sentences: Iterable[Sentence], *, where: str) -> list[AnnotatedPair]:
    """Sentences with `pair_id` and `part` comments as pairs; each hypothesis ends its pair."""
    found: list[AnnotatedPair] = []
    text: list[Sentence] = []
    for sentence in sentences:
        said = dict(comment.partition("=")[::2] for comment in sentence.comments)
        facts = {name.strip(): value.strip() for name, value in said.items()}
        place = f"{where}, pair {facts.get('pair_id', '?')}"
        match facts.get("part"):
            case "t":
                text.append(sentence)
            case "h" if text:
                label = read_label(facts.get("label", ""), where=place)
                name = facts.get("pair_id", "")
                task, gold, relation = (facts.get(key, "") for key in ("task", "gold", "relation"))
                if relation not in ("", "=", "<", ">", "#", "|"):
                    raise FormatError(f"{relation!r} is not a relation", where=place, remedy="write one of = < > # |")
                found.append(AnnotatedPair(name, tuple(text), sentence, label, task, gold, relation))
                text = []
            case _:
                raise FormatError(
                    "a sentence that is neither text nor the hypothesis after one",
                    where=place,
                    remedy="write `# pair_id = 1` and `# part = t` (then `h`) above each sentence",
                )
    if text:
        raise FormatError("the last text has no hypothesis", where=where)
    return found


def write_annotated(pairs: Iterable[AnnotatedPair], path: Path | str) -> None:
    """Write pairs so that `read_annotated` gives them back."""
    conllu.write((sentence for pair in pairs for sentence in _commented(pair)), path)


def _commented(pair: AnnotatedPair) -> Iterator[Sentence]:
    for part, sentence in [*(("t", each) for each in pair.text), ("h", pair.hypothesis)]:
        facts = {"pair_id": pair.id, "part": part}
        if part == "h":
            label = "" if pair.label is None else "yes" if pair.label else "no"
            facts |= {"label": label, "task": pair.task, "gold": pair.gold, "relation": pair.relation}
        facts["text"] = sentence.text
        yield replace(sentence, comments=tuple(f" {name} = {value}" for name, value in facts.items() if value))
