"""What must not be translated survives ten thousand random texts: placeholders and what is kept exactly once, tags
well-formed, given translations in their place."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

from dragoman.pipeline.control import Control
from dragoman.pipeline.model import Model

PLACEHOLDERS = ("{name}", "{0}", "%s", "%1$s", "%(count)d", "https://example.org/a?b=c", "[X12X]")
TAG = re.compile(r"</?[a-z]+[0-9]*/?>")


def random_text(choose: random.Random, words: list[str]) -> str:
    parts = [choose.choice(words) for _ in range(choose.randint(1, 6))]
    for _ in range(choose.randint(0, 2)):
        parts.insert(choose.randint(0, len(parts)), choose.choice(PLACEHOLDERS))
    for tag in ("b", "i"):  # one after the other, or one within the other
        start = choose.randint(0, len(parts))
        if choose.random() < 0.5:
            end = choose.randint(start, len(parts))
            parts[start:end] = [f"<{tag}>{' '.join(parts[start:end])}</{tag}>"]
    for _ in range(choose.choice((0, 0, 1, 2))):
        parts.insert(choose.randint(0, len(parts)), "<br/>")
    return " ".join(parts) + choose.choice(["", ".", "?"])


def well_formed(text: str) -> bool:
    stack: list[str] = []
    for tag in TAG.findall(text):
        if tag.endswith("/>"):
            continue
        if tag.startswith("</"):
            if not stack or stack.pop() != tag[2:-1]:
                return False
        else:
            stack.append(tag[1:-1])
    return not stack


@pytest.mark.slow
def test_placeholders_and_tags_survive_10000_random_texts(model: Model) -> None:
    choose = random.Random(19)
    words = ["The", "house", "dog", "sees", "old", "is", "a", "Quux", "42"]
    texts = [random_text(choose, words) for _ in range(10_000)]
    found = model.translate(texts, pop_limit=5, beam=5)
    for text, each in zip(texts, found, strict=True):
        assert each.text.strip(), text
        for placeholder in PLACEHOLDERS:
            assert each.text.count(placeholder) == text.count(placeholder), (text, each.text)
        given, kept = Counter(TAG.findall(text)), Counter(TAG.findall(each.text))
        assert set(kept) == set(given), (text, each.text)
        for tag, count in given.items():  # a pair may go around several parts of what was one; nothing else is repeated
            assert kept[tag] == count if tag.endswith("/>") else kept[tag] >= count, (text, each.text)
        assert well_formed(each.text), (text, each.text)


KEPT = ("Blue Cat", "NT\\AUTHORITY", "Zqorp")


def marked_text(choose: random.Random, words: list[str]) -> tuple[str, list[str], list[str]]:
    """A text with terms, markup and placeholders; what must come out of it letter by letter, as often as it is said
    here, and given translations, whose case is that of their place."""
    wanted = [
        choose.choice((*KEPT, *PLACEHOLDERS, f"ID-{choose.randint(1, 99)}q")) for _ in range(choose.randint(0, 2))
    ]
    parts = [choose.choice(words) for _ in range(choose.randint(1, 5))] + wanted
    for number in range(choose.randint(0, 2)):
        kept = " ".join(choose.choice(words) for _ in range(choose.randint(0, 2))) + f" Kq{number}q"
        wanted.append(kept.strip())
        parts.append(f'<x translate="no">{kept.strip()}</x>')
    given = [f"zwei wq{number}q" for number in range(choose.randint(0, 2))]
    parts += [f'<n translation="{each}">{choose.choice(words)}</n>' for each in given]
    choose.shuffle(parts)
    return " ".join(parts) + choose.choice(["", ".", "?"]), wanted, given


@pytest.mark.slow
def test_what_is_kept_and_what_is_given_survive_10000_random_texts(model: Model) -> None:
    choose = random.Random(20)
    words = ["The", "house", "dog", "sees", "old", "is", "a", "Quux", "42"]
    texts, wanted, given = zip(*(marked_text(choose, words) for _ in range(10_000)), strict=True)
    control = Control(markup="exclusive", keep=KEPT, keep_patterns=(r"ID-\d+q",))
    found = model.translate(texts, control=control, pop_limit=5, beam=5)
    for text, each, kept, translations in zip(texts, found, wanted, given, strict=True):
        for span, count in Counter(kept).items():
            assert each.text.count(span) == count, (text, each.text)
        for translation in translations:
            assert each.text.lower().count(translation) == 1, (text, each.text)
        assert not re.search("</?[xn]", each.text), (text, each.text)
