"""A WordNet of a few synonym sets, in the format of the real files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

NAMES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
LICENCE = "  1 This is a toy in the format of WordNet 3.0\n"

SETS: list[tuple[str, list[str], str]] = [
    ("n", ["cat", "true_cat"], "feline mammal"),
    ("n", ["house", "home", "dwelling"], "a place to live"),
    ("n", ["child", "kid"], "a young person"),
    ("n", ["man", "adult_male"], "an adult person who is male"),
    ("v", ["buy", "purchase"], "obtain by payment"),
    ("v", ["run", "operate"], "direct or control"),
    ("a", ["large", "big"], "above average in size"),
    ("r", ["quickly", "rapidly", "speedily"], "with rapid movements"),
]
EXCEPTIONS = {"n": ["children child", "men man"], "v": ["bought buy", "ran run"], "a": [], "r": []}


def write_wordnet(folder: Path, sets: Sequence[tuple[str, list[str], str]] = SETS) -> Path:
    """Write index, data and exception files; each set of nouns points at the first one as its hypernym."""
    for pos, name in NAMES.items():
        own = [(words, gloss) for part, words, gloss in sets if part == pos]
        offsets: list[int] = []
        data = LICENCE
        for words, gloss in own:
            offsets.append(len(data.encode()))
            lemmas = " ".join(f"{word} 0" for word in words)
            pointer = f"001 @ {offsets[0]:08d} n 0000" if pos == "n" and len(offsets) > 1 else "000"
            frames = " 01 + 08 00" if pos == "v" else ""
            data += f"{offsets[-1]:08d} 03 {pos} {len(words):02x} {lemmas} {pointer}{frames} | {gloss}  \n"
        (folder / f"data.{name}").write_text(data, "utf-8")
        index: dict[str, list[int]] = {}
        for (words, _), offset in zip(own, offsets, strict=True):
            for word in words:
                index.setdefault(word.lower(), []).append(offset)
        rows = [
            f"{lemma} {pos} {len(at)} 0 {len(at)} 0 {' '.join(f'{o:08d}' for o in at)}  \n"
            for lemma, at in sorted(index.items())
        ]
        (folder / f"index.{name}").write_text(LICENCE + "".join(rows), "utf-8")
        (folder / f"{name}.exc").write_text("".join(f"{line}\n" for line in EXCEPTIONS[pos]), "utf-8")
    return folder
