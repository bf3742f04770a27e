"""Documents through a model: a file in, a file of the same kind out, with only its text changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dragoman.files import open_binary, write_bytes
from dragoman.pipeline.model import Model
from dragoman.progress import Progress, ProgressCallback
from dragoman.text.document_formats.base import Filling, TranslatedDocument, document_format

__all__ = ["translate_document", "translate_file"]

_BATCH = 200


def translate_document(
    model: Model,
    content: bytes,
    *,
    file: str,
    kind: str = "",
    everything: bool = False,
    final: bool = False,
    progress: ProgressCallback | None = None,
    **options: Any,
) -> TranslatedDocument:
    """Translate the content of a file; its format is `kind`, or follows from the ending of its name.

    Of formats that hold both languages what is empty or doubtful is filled, or `everything`, and marked for review
    unless it is `final`. All other options are those of `Model.translate`.
    """
    source, target = model.languages

    def translate(texts: Sequence[str]) -> list[str]:
        found: list[str] = []
        for start in range(0, len(texts), _BATCH):
            found += [each.text for each in model.translate(list(texts[start : start + _BATCH]), **options)]
            if progress is not None:
                progress(Progress("translating", len(found), len(texts)))
        return found

    filling = Filling(source=source, target=target, everything=everything, final=final)
    return document_format(kind, file=file).translate(content, translate, filling, where=file)


def translate_file(model: Model, path: Path | str, output: Path | str, **options: Any) -> TranslatedDocument:
    """Translate a file into another, which is written aside and renamed; options are those of `translate_document`."""
    with open_binary(path) as file:
        content = file.read()
    made = translate_document(model, content, file=str(path), **options)
    write_bytes(output, made.content)
    return made
