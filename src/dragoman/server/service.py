"""The service: what the server can do, whatever the form in which it is asked.

Each way in (our own API, that of LibreTranslate, the page) turns what was sent into calls of this object, and its
answers into what was promised there. Texts go through one queue, so that all who ask share the decoders fairly.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from dragoman.errors import DragomanError, InputError
from dragoman.pipeline.control import Control
from dragoman.pipeline.translation import Translation
from dragoman.server.decoding_queue import DecodingQueue, Task
from dragoman.server.limits import Limits
from dragoman.server.served_models import ServedModel, ServedModels
from dragoman.text.document_formats.base import Filling, TranslatedDocument, document_format

__all__ = ["NoTimeLeft", "Service", "TooLarge", "Wish"]

Made = TypeVar("Made")

_PORTION = 100
"""Texts of a document that are put into the queue at once."""


class TooLarge(InputError):
    """More than a limit allows."""


class NoTimeLeft(DragomanError):
    """It took longer than a request may take."""


@dataclass(frozen=True)
class Wish:
    """How texts are to be translated; those with equal wishes are translated together."""

    served: ServedModel
    control: Control = field(default_factory=Control)
    forests: bool = False


class Service:
    """Models, the queue in front of them, and what they are asked for."""

    def __init__(self, models: ServedModels, limits: Limits | None = None, *, threads: int = 0) -> None:
        self.models, self.limits = models, limits or Limits()
        self.queue: DecodingQueue[Wish] = DecodingQueue(self._decode, most=self.limits.waiting, threads=threads)

    def close(self) -> None:
        """Finish what is there, and stop."""
        self.queue.close()

    def _decode(self, wish: Wish, tasks: list[Task]) -> list[Translation]:
        return wish.served.model.translate(
            [task.text for task in tasks],
            threads=1,
            forests=wish.forests,
            prefix=[task.prefix for task in tasks],
            control=wish.control,
            max_tokens=self.limits.max_tokens,
        )

    def check(self, texts: Sequence[str]) -> None:
        """Refuse more than one request may bring."""
        if len(texts) > self.limits.max_texts:
            raise TooLarge(f"Invalid request: request ({len(texts)}) exceeds text limit ({self.limits.max_texts})")
        longest = max(map(len, texts), default=0)
        if longest > self.limits.max_characters:
            raise TooLarge(
                f"Invalid request: request ({longest}) exceeds text limit ({self.limits.max_characters})",
                remedy="send it in parts",
            )

    async def translate(
        self,
        wish: Wish,
        texts: Sequence[str],
        finish: Callable[[Translation], Made],
        *,
        prefixes: Sequence[str] = (),
        known: Mapping[int, Made] | None = None,
    ) -> list[Made]:
        """Translate texts in their turn; `finish` makes of each what is wanted, beside the event loop.

        Texts whose numbers are `known` are not translated.
        """
        self.check(texts)
        known = known or {}
        begun = zip(texts, prefixes or [""] * len(texts), strict=True)
        tasks = [Task(text, prefix) for number, (text, prefix) in enumerate(begun) if number not in known]
        future = asyncio.wrap_future(self.queue.put(wish, tasks, finish))
        try:
            made = iter(await asyncio.wait_for(future, self.limits.timeout))
        except TimeoutError:
            raise NoTimeLeft(
                f"no translation within {self.limits.timeout:g} seconds", remedy="send less at a time"
            ) from None
        return [known[number] if number in known else next(made) for number in range(len(texts))]

    def translate_in_thread(self, wish: Wish, texts: Sequence[str], *, deadline: float) -> list[str]:
        """Translate many texts in portions, which take turns with what others ask; from a thread that may wait."""
        found: list[str] = []
        for start in range(0, len(texts), _PORTION):
            tasks = [Task(text) for text in texts[start : start + _PORTION]]
            future = self.queue.put(wish, tasks, lambda translation: translation.text)
            try:
                found += future.result(timeout=max(0.0, deadline - time.monotonic()))
            except FutureTimeout:
                future.cancel()
                raise NoTimeLeft(
                    f"no translation within {self.limits.document_timeout:g} seconds", remedy="send it in parts"
                ) from None
        return found

    def translate_document(
        self,
        served: ServedModel,
        content: bytes,
        *,
        file: str,
        kind: str = "",
        everything: bool = False,
        final: bool = False,
    ) -> TranslatedDocument:
        """Translate a document, from a thread that may wait; what somebody wrote before for a text comes first."""
        deadline = time.monotonic() + self.limits.document_timeout
        wish = Wish(served, Control(glossary=served.glossary))
        filling = Filling(
            source=served.model.languages[0], target=served.model.languages[1], everything=everything, final=final
        )
        chosen = document_format(kind, file=file)
        remembered = 0

        def translate(texts: Sequence[str]) -> list[str]:
            nonlocal remembered
            known = [served.remembered(text, markup=chosen.markup) for text in texts]
            # A document keeps its lines.
            known = [
                was if was is not None and was.count("\n") == text.count("\n") else None
                for was, text in zip(known, texts, strict=True)
            ]
            remembered = len(texts) - known.count(None)
            rest = [text for text, was in zip(texts, known, strict=True) if was is None]
            made = iter(self.translate_in_thread(wish, rest, deadline=deadline))
            return [next(made) if was is None else was for was in known]

        return replace(chosen.translate(content, translate, filling, where=file), remembered=remembered)

    def facts(self) -> dict[str, Any]:
        """What an operator wants to know at a glance."""
        return {"waiting": self.queue.waiting, "workers": self.queue.workers, "models": len(self.models.all)}
