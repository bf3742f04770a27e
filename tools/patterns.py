"""Try every regular expression of the house against texts made to hurt it.

    python tools/patterns.py

An expression with two ways to match the same text may try them all when it fails: a few dozen characters then take
years, and a long line of blanks takes minutes. From each expression texts are made that repeat whatever it repeats and
then break off; none may take longer than its length allows.
"""

from __future__ import annotations

import ast
import re
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from re import _constants as kinds
from re import _parser as parser
from typing import Any

import regex

SOURCE = Path(__file__).parent.parent / "src" / "dragoman"
LONG, SECONDS = 20_000, 0.5
"""Characters of a text, and how long the processor may be busy with it; what is quadratic takes several times that."""

FUNCTIONS = {"compile", "match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
FLAGS = {name: value for name, value in vars(re).items() if isinstance(value, re.RegexFlag)}
ALPHABET = "a0 <>-=\"'./:;_(){}[]|&#%@\n\tAé中!,*+?^$\\~`"
LETTERS: tuple[str, ...] = (*ALPHABET, *map(chr, range(32, 0x3000)))
TAILS = ("\0", "", "<", " ")


def expressions() -> Iterator[tuple[str, str, str, int, str]]:
    """Where it stands, the library that compiles it, its text, its flags, and how it is used."""
    for path in sorted(SOURCE.rglob("*.py")):
        module = ast.parse(path.read_text("utf-8"))
        names = {
            id(node.value): target.id
            for node in ast.walk(module)
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        used: dict[str, set[str]] = {}
        for node in ast.walk(module):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                used.setdefault(node.value.id, set()).add(node.attr)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute):
                used.setdefault(node.value.attr, set()).add(node.attr)  # a class's own: self._TOKEN.match
        for node in ast.walk(module):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            library, how = node.func.value, node.func.attr
            if not (isinstance(library, ast.Name) and library.id in ("re", "regex") and how in FUNCTIONS):
                continue
            if node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
                given = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
                words = {each.attr for one in given for each in ast.walk(one) if isinstance(each, ast.Attribute)}
                flags = sum(int(FLAGS[word]) for word in words if word in FLAGS)
                ways = used.get(names.get(id(node), ""), set()) & FUNCTIONS if how == "compile" else {how}
                way = next((each for each in ("match", "fullmatch") if ways == {each}), "search")
                yield f"{path.relative_to(SOURCE)}:{node.lineno}", library.id, node.args[0].value, flags, way


def _one(op: Any, value: Any) -> str:
    """A character that a part of an expression matches."""
    if op is kinds.LITERAL:
        return chr(value)
    for c in LETTERS:
        if op is kinds.ANY or (op is kinds.NOT_LITERAL and ord(c) != value) or (op is kinds.IN and _within(value, c)):
            return c
    return ""


def _within(items: list[Any], c: str) -> bool:
    found, negated = False, False
    for op, value in items:
        if op is kinds.NEGATE:
            negated = True
        elif op is kinds.LITERAL:
            found |= ord(c) == value
        elif op is kinds.RANGE:
            found |= value[0] <= ord(c) <= value[1]
        elif op is kinds.CATEGORY:
            classes = {"SPACE": r"\s", "DIGIT": r"\d", "WORD": r"\w"}
            name = str(value).removeprefix("CATEGORY_").removeprefix("UNI_")
            matched = re.match(classes[name.removeprefix("NOT_")], c) is not None
            found |= matched != name.startswith("NOT_")
    return found != negated


def samples(tree: Iterable[Any], *, least: int = 0) -> list[str]:
    """A few texts that a part of an expression matches; what may be left out is there `least` times."""
    found = [""]
    for op, value in tree:
        if op in (kinds.LITERAL, kinds.NOT_LITERAL, kinds.ANY, kinds.IN):
            parts = [_one(op, value)]
        elif op in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            times = max(value[0], least)
            parts = [each * times for each in samples(value[2], least=least)] if times else [""]
        elif op is kinds.SUBPATTERN:
            parts = samples(value[3], least=least)
        elif op is kinds.ATOMIC_GROUP:
            parts = samples(value, least=least)
        elif op is kinds.BRANCH:
            parts = [each for branch in value[1] for each in samples(branch, least=least)][:4]
        else:
            parts = [""]
        found = [before + part for before in found for part in parts][:6]
    return found


def pumps(tree: Iterable[Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """What leads to each repeated part, and what it repeats."""
    for op, value in list(tree):
        if op in (kinds.MAX_REPEAT, kinds.MIN_REPEAT):
            if value[1] is kinds.MAXREPEAT or value[1] > 50:
                for least in (0, 1):
                    for body in samples(value[2], least=least):
                        if body:
                            yield prefix, body
            yield from pumps(value[2], prefix)
        elif op is kinds.SUBPATTERN:
            yield from pumps(value[3], prefix)
        elif op is kinds.BRANCH:
            for branch in value[1]:
                yield from pumps(branch, prefix)
        prefix += samples([(op, value)], least=0)[0]


def attacks(text: str, flags: int) -> Iterator[str]:
    """Texts that repeat what an expression repeats, one thing or two by turns, and then break off."""
    tree = list(parser.parse(text, flags))
    found = list(dict.fromkeys(pumps(tree)))[:24]
    bodies = list(dict.fromkeys(body for _, body in found))[:8]
    starts = samples(tree, least=1)[:2]
    letters = sorted({c for c in text if c in ALPHABET} | {" ", "a", "0"})
    for prefix, body in [*found, *(("", c) for c in letters), *(("", each) for each in starts if each)]:
        for tail in TAILS if (prefix, body) in found else TAILS[:2]:
            yield prefix + body * (LONG // len(body)) + tail
        if prefix:
            yield (prefix + body) * (LONG // len(prefix + body))
            yield prefix * (LONG // len(prefix))
    for one in bodies:
        for other in bodies:
            if one != other:
                yield (one + other) * (LONG // len(one + other)) + "\0"
                yield one * (LONG // 2 // len(one)) + other * (LONG // 2 // len(other)) + "\0"


class Slow(Exception):
    """The time is up."""


def _stop(*_: object) -> None:
    raise Slow


def seconds(library: str, text: str, flags: int, attack: str, way: str = "search") -> float:
    """How long the processor is busy with a text; infinite if it would be for too long."""
    started = time.process_time()
    if library == "regex":
        try:
            getattr(regex.compile(text, flags), way)(attack, timeout=8 * SECONDS)
        except TimeoutError:
            return float("inf")
        return time.process_time() - started
    before = signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, 2 * SECONDS)  # the engine looks at signals now and then
    try:
        getattr(re.compile(text, flags), way)(attack)
    except Slow:
        return float("inf")
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return time.process_time() - started


def hurt(library: str, text: str, flags: int, way: str) -> str:
    """A text that takes an expression too long; empty if none was found."""
    try:
        tried = list(attacks(text, flags))
    except re.error:  # what only `regex` can read
        tried = [c * LONG + tail for c in ALPHABET for tail in TAILS]
    return next((attack for attack in tried if seconds(library, text, flags, attack, way) >= SECONDS), "")


def main() -> int:
    """Try them all; 1 if one is slow."""
    if not hasattr(signal, "SIGVTALRM"):
        print("not tried: no timer of processor time on this system", file=sys.stderr)
        return 0
    found, slow = list(expressions()), 0
    for place, library, text, flags, way in found:
        if attack := hurt(library, text, flags, way):
            slow += 1
            print(f"src/dragoman/{place}: {text!r} takes too long on {attack[:60]!r} ...", file=sys.stderr)
    print(f"{len(found)} expressions tried, {slow} slow")
    return int(slow > 0)


if __name__ == "__main__":
    raise SystemExit(main())
