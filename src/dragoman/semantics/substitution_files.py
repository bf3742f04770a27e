"""Files of lexical substitution: marked words in sentences, right answers with votes, answers, dictionaries.

| what | looks like |
|---|---|
| instances, XML | `lexelt item="bank.n"`, in it `instance id="17"` with a `context` that has one `<head>` |
| instances, table | word, id, sentence with `<head>`; or word, id, position from 0, tokens; between tabs |
| right answers | `bank.n 17 :: banco 3;orilla 1;`, the number is how many people gave it |
| answers, best | `bank.n 17 :: banco` |
| answers, out of ten | `bank.n 17 ::: banco;orilla` |
| dictionary | word, translation between tabs, the best first; dictd (`NAME.index` beside `NAME.dict.dz`); TEI XML |

Names of items may say their language (`coach.n.es`), which is left out when answers are matched with instances.
(McCarthy and Navigli 2007; Mihalcea, Sinha and McCarthy 2010.)
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dragoman.errors import FormatError, InputError
from dragoman.files import DAMAGE, damaged, display_name, open_binary, read_lines, writing
from dragoman.text.document_formats.xml_files import local_name, read_xml

__all__ = [
    "GivenAnswers",
    "Instance",
    "RightAnswers",
    "read_answers",
    "read_dictionary",
    "read_gold",
    "read_instances",
    "write_answers",
    "write_dictionary",
]

Key = tuple[str, str]
"""Item (`bank.n`) and id."""
GivenAnswers = dict[Key, tuple[str, ...]]
RightAnswers = dict[Key, dict[str, int]]
Dictionary = dict[str, tuple[str, ...]]

_HEAD = re.compile(r"<head>(.*?)</head>", re.DOTALL)
_LINE = re.compile(r"(?P<item>\S+)\s+(?P<id>\S+)\s+(?P<colons>:::?)(?P<rest>.*)")


@dataclass(frozen=True, slots=True)
class Instance:
    """A word in its sentence that is to be translated, or to be said otherwise."""

    item: str
    """Its lemma and part of speech, `bank.n`."""
    id: str
    tokens: tuple[str, ...]
    head: int
    view: tuple[str, ...] = ()
    """The tokens as the models have them, `lemma.tag` say; the tokens in lower case if it is empty."""

    def __post_init__(self) -> None:
        if not 0 <= self.head < len(self.tokens):
            raise InputError(f"the marked word {self.head} of {len(self.tokens)}", where=f"{self.item} {self.id}")
        if self.view and len(self.view) != len(self.tokens):
            raise InputError("a view of another length than the sentence", where=f"{self.item} {self.id}")

    @property
    def key(self) -> Key:
        return self.item, self.id

    @property
    def lemma(self) -> str:
        return self.item.rpartition(".")[0] or self.item

    @property
    def words(self) -> tuple[str, ...]:
        """The view of the sentence, in which the marked word is its item if the view is of tagged lemmas."""
        return self.view or tuple(token.lower() for token in self.tokens)


def _normal(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(text.split()))


def _is_item(text: str) -> bool:
    """Whether it is a lemma with a part of speech, `bank.n`."""
    lemma, _, tag = text.rpartition(".")
    return bool(re.fullmatch("[a-z]", tag)) and len(lemma.split()) == 1 and lemma[0] != "."


def _item(text: str) -> str:
    """The item without its language."""
    lemma, *parts = text.split(".")
    return f"{lemma}.{parts[0]}" if lemma and len(parts) > 1 and re.match("[a-z]", parts[0]) else text


def read_instances(path: Path | str) -> list[Instance]:
    """Instances of an XML file or of a table."""
    name = display_name(path)
    with open_binary(path) as file:
        try:
            start = file.read(64).lstrip()
        except DAMAGE as error:
            raise damaged(error, where=name) from None
    return _from_xml(path, name) if start.startswith(b"<") else _from_table(path, name)


def _from_xml(path: Path | str, name: str) -> list[Instance]:
    with open_binary(path) as file:
        root = read_xml(file.read(), where=name).getroot()
    found = []
    for element in root.iter():
        if local_name(element) != "lexelt":
            continue
        item = element.get("item", "")
        found += [_of_element(item, each, name) for each in element.iter() if local_name(each) == "instance"]
    if not found:
        raise FormatError("no instances", where=name, remedy="it should have lexelt, instance and context elements")
    return found


def _of_element(item: str, instance: Any, name: str) -> Instance:
    number = instance.get("id", "")
    where = f"{name}, {item} {number}"
    contexts = [part for part in instance.iter() if local_name(part) == "context"]
    if len(contexts) != 1:
        raise FormatError("an instance without a context", where=where)
    parts = [contexts[0].text or ""]
    for part in contexts[0]:
        parts += ["".join(part.itertext()), part.tail or ""]
    heads = [2 * at + 1 for at, part in enumerate(contexts[0]) if local_name(part) == "head"]
    return _marked(item, number, parts, heads, where)


def _marked(item: str, number: str, parts: Sequence[str], heads: Sequence[int], where: str) -> Instance:
    """An instance from parts of its text, some of them marked.

    Texts of the task mark a word twice where it occurs twice (`side by side`): the first is meant.
    """
    if not heads or len({parts[at] for at in heads}) > 1:
        raise FormatError(f"{len(heads)} marked words", where=where, remedy="mark one, with <head>")
    words, rest = "".join(parts[: heads[0]]).split(), "".join(parts[heads[0] + 1 :]).split()
    head = "_".join(parts[heads[0]].split())
    if not head:
        raise FormatError("an empty mark", where=where)
    # A word that the mark cuts out of the middle of a token is a token of its own.
    return Instance(_item(item), number, (*words, head, *rest), len(words))


def _from_table(path: Path | str, name: str) -> list[Instance]:
    found = []
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        fields = line.split("\t")
        if len(fields) not in (3, 4):
            raise FormatError(
                "not three or four fields between tabs", where=where, remedy="see the page on substitution"
            )
        item, key = fields[:2] if _is_item(fields[0]) or not _is_item(fields[1]) else fields[1::-1]
        if len(fields) == 4:
            if not fields[2].isdecimal() or int(fields[2]) >= len(fields[3].split()):
                raise FormatError(f"{fields[2]!r} is no position in the sentence", where=where)
            found.append(Instance(_item(item), key, tuple(fields[3].split()), int(fields[2])))
            continue
        parts = _HEAD.split(fields[2])
        found.append(_marked(item, key, parts, range(1, len(parts), 2), f"{where}, {item} {key}"))
    if not found:
        raise FormatError("no instances", where=name)
    return found


def read_gold(path: Path | str) -> RightAnswers:
    """Right answers with how many people gave each."""
    found: RightAnswers = {}
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        where = f"{display_name(path)}, line {number}"
        match = _LINE.fullmatch(line.strip())
        if match is None or match["colons"] != "::":
            raise FormatError("not an item, an id, :: and answers", where=where)
        votes: dict[str, int] = {}
        for entry in filter(None, map(str.strip, match["rest"].split(";"))):
            *words, count = entry.split()
            if not words or not re.fullmatch(r"\d{1,9}", count):
                raise FormatError(f"{entry!r} is not an answer and a number", where=where)
            answer = _normal(" ".join(words))
            votes[answer] = votes.get(answer, 0) + int(count)
        key = _item(match["item"]), match["id"]
        if key in found:
            raise FormatError(f"{key[0]} {key[1]} is there twice", where=where)
        found[key] = votes
    return found


def read_answers(path: Path | str) -> GivenAnswers:
    """Answers of a system; of an id that is there twice, the first line counts."""
    found: GivenAnswers = {}
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise FormatError(
                "not an item, an id, :: or :::, and answers", where=f"{display_name(path)}, line {number}"
            )
        key = _item(match["item"]), match["id"]
        answers = tuple(filter(None, map(_normal, match["rest"].split(";"))))
        found.setdefault(key, answers)
    return found


def write_answers(path: Path | str, answers: Mapping[Key, Sequence[str]], *, task: str) -> None:
    """Write answers in the form of a task, `best` or `oot`."""
    colons = "::" if task == "best" else ":::"
    with writing(path) as file:
        for (item, number), given in answers.items():
            file.write(f"{item} {number} {colons} {';'.join(given)}\n")


def read_dictionary(path: Path | str) -> Dictionary:
    """Translations of each word in the order of preference: a table, a dictd dictionary by its index, or TEI."""
    path = Path(path)
    if path.suffix == ".index":
        return _from_dictd(path)
    if path.suffix in (".tei", ".xml"):
        return _from_tei(path)
    found: dict[str, list[str]] = {}
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) < 2 or not fields[0].strip() or not fields[1].strip():
            raise FormatError("not a word and a translation between tabs", where=f"{display_name(path)}, line {number}")
        listed = found.setdefault(_normal(fields[0]).lower(), [])
        if (translation := _normal(fields[1])) not in listed:
            listed.append(translation)
    return {word: tuple(listed) for word, listed in found.items()}


def write_dictionary(path: Path | str, dictionary: Mapping[str, Iterable[str]]) -> None:
    """Lines of word, tab, translation."""
    with writing(path) as file:
        for word, listed in dictionary.items():
            for translation in listed:
                file.write(f"{word}\t{translation}\n")


_DIGITS = {
    letter: value for value, letter in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
}
_NOISE = re.compile(r"<[^>]*>|\[[^]]*\]|\([^)]*\)|/[^/]*/|\{[^}]*\}")
_LABEL = re.compile(r"^\s*(?:\d+\.|[a-z]\))\s*")


def _from_dictd(index: Path) -> Dictionary:
    """A bilingual dictionary as dictd has it: entries are text, whose translations stand after the first line."""
    content = next(
        (path for path in (index.with_suffix(".dict.dz"), index.with_suffix(".dict")) if path.is_file()), None
    )
    if content is None:
        raise FormatError(f"there is no {index.stem}.dict.dz beside it", where=str(index))
    with open_binary(content) as file:
        try:
            raw = file.read()
        except DAMAGE as error:
            raise damaged(error, where=str(content)) from None
    found: dict[str, list[str]] = {}
    for number, line in enumerate(read_lines(index), 1):
        fields = line.split("\t")
        try:
            start, size = (sum(_DIGITS[d] * 64**i for i, d in enumerate(reversed(text))) for text in fields[1:3])
            entry = raw[start : start + size].decode("utf-8")
        except (KeyError, ValueError):
            raise FormatError("not a word, an offset and a length", where=f"{index}, line {number}") from None
        word = _normal(fields[0]).lower()
        if word.startswith("00"):
            continue
        listed = found.setdefault(word, [])
        for translation in _translations(entry):
            if translation not in listed:
                listed.append(translation)
    return {word: tuple(listed) for word, listed in found.items() if listed}


def _from_tei(path: Path) -> Dictionary:
    """A bilingual dictionary by the guidelines of the Text Encoding Initiative, as FreeDict has them.

    An `entry` has `orth` for its spellings and a `quote` in a `cit` of type `trans` for each translation.
    """
    with open_binary(path) as file:
        try:
            tree = read_xml(file.read(), where=display_name(path))
        except DAMAGE as error:
            raise damaged(error, where=str(path)) from None
    found: dict[str, dict[str, None]] = {}
    entries = [element for element in tree.iter() if local_name(element) == "entry"]
    if not entries:
        raise FormatError("no entry of a dictionary", where=display_name(path), remedy="TEI dictionaries have <entry>")
    for entry in entries:
        translations = [
            _normal("".join(quote.itertext()))
            for cited in entry.iter()
            if local_name(cited) == "cit" and cited.get("type") in ("trans", "translation")
            for quote in cited.iter()
            if local_name(quote) == "quote"
        ]
        for orth in (each for each in entry.iter() if local_name(each) == "orth"):
            found.setdefault(_normal("".join(orth.itertext())).lower(), {}).update(
                dict.fromkeys(filter(None, translations))
            )
    return {word: tuple(listed) for word, listed in found.items() if word and listed}


def _translations(entry: str) -> list[str]:
    found = []
    for line in entry.splitlines()[1:]:
        if line.lstrip().startswith(('"', "-", "Synonym", "see:", "Note")):
            continue
        for part in re.split(r"[,;]", _NOISE.sub(" ", _LABEL.sub("", line))):
            translation = _normal(part)
            if translation and len(translation.split()) <= 4:
                found.append(translation)
    return found
