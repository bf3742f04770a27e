"""Writing a synthetic corpus to a directory, in the formats of the field.

For each part (`train`, `dev`, `test`, or the name given): `NAME.en` raw text, `NAME.tok.en` tokens, `NAME.align`
Pharaoh links, `NAME.idioms` links that belong to idioms, `NAME.ref1.de` ... further references (empty parts repeat the
target, so that files stay parallel), and on request `NAME.en.conllu`, `NAME.en.trees` and `NAME.en.frames`.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO

from dragoman.annotations import brackets, conllu, frames
from dragoman.files import writing, writing_directory
from dragoman.plain_data import parse_json
from dragoman.text.synthetic.item import SyntheticItem
from dragoman.text.synthetic.pair import Pair

__all__ = ["write"]

_ABOUT = "about.json"


def write(
    pair: Pair,
    parts: Mapping[str, Iterable[SyntheticItem]],
    folder: Path | str,
    *,
    references: int = 1,
    annotations: bool = False,
) -> dict[str, int]:
    """Write the parts, replacing a folder that was written so; returns the number of pairs in each."""
    sizes: dict[str, int] = {}
    with writing_directory(folder, own=_own_files) as aside:
        for name, items in parts.items():
            sizes[name] = _write_part(pair, name, items, aside, references, annotations)
        files = sorted(file.name for file in aside.iterdir())
        about = {"pair": pair.name, "sizes": sizes, "references": references, "files": files}
        with writing(aside / _ABOUT) as file:
            file.write(json.dumps(about, indent=2) + "\n")
    return sizes


def _own_files(folder: Path) -> list[str]:
    """What an earlier run wrote, as it noted itself."""
    path = folder / _ABOUT
    found = parse_json(path.read_bytes(), where=str(path)) if path.is_file() else {}
    return [*found.get("files", []), _ABOUT] if isinstance(found, dict) else []


def _write_part(
    pair: Pair, name: str, items: Iterable[SyntheticItem], folder: Path, references: int, annotations: bool
) -> int:
    count = 0
    with contextlib.ExitStack() as stack:

        def create(suffix: str) -> IO[str]:
            return stack.enter_context(writing(folder / f"{name}.{suffix}"))

        languages = (pair.source, pair.target)
        raw, tokenized = (
            [create(language) for language in languages],
            [create(f"tok.{language}") for language in languages],
        )
        align, idioms = create("align"), create("idioms")
        others = [create(f"ref{number}.{pair.target}") for number in range(1, references)]
        layers = [
            [create(f"{language}.{suffix}") for suffix in ("conllu", "trees", "frames")] if annotations else []
            for language in languages
        ]
        for item in items:
            count += 1
            for side, text, tokens, extra in zip((item.source, item.target), raw, tokenized, layers, strict=True):
                text.write(side.text + "\n")
                tokens.write(" ".join(side.tokens) + "\n")
                if extra:
                    sentence = side.annotated
                    extra[0].write(
                        f"# sent_id = {name}-{item.number}\n# text = {side.text}\n{conllu.format_sentence(sentence)}\n"
                    )
                    extra[1].write(brackets.format_tree(sentence) + "\n")
                    extra[2].write(frames.format_sentence(sentence, frames.PROPBANK) + "\n")
            align.write(item.pharaoh + "\n")
            idioms.write(" ".join(f"{source}-{target}" for source, target in item.idiom_links) + "\n")
            found = item.references
            for number, file in enumerate(others, start=1):
                file.write(found[number % len(found)] + "\n")
    return count
