"""What pages and programs send to the server, and what it answers: bounded, and nothing but the fields below."""

from __future__ import annotations

from typing import Annotated

from dragoman.errors import MissingDependency

try:
    from pydantic import BaseModel, ConfigDict, Field
except ImportError as error:
    raise MissingDependency(f"the server needs {error.name}", remedy="pip install 'dragoman[server]'") from None

__all__ = ["Answer", "Answers", "Draft", "Finish", "LinkOf", "MarkedError", "Message", "Next", "Refusal", "Release"]

Id = Annotated[str, Field(min_length=1, max_length=200)]


class Message(BaseModel):
    """Known fields only, and no number in the form of a text."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class MarkedError(Message):
    """A marked error: characters `[start, end)` of the candidate."""

    start: int = Field(ge=0, le=10**7)
    end: int = Field(ge=0, le=10**7)
    severity: str = Field(max_length=50)
    category: str = Field("", max_length=100)


class Answer(Message):
    """The answer to one item, as far as it is given."""

    item: Id
    score: float | None = None
    ranks: list[int] = Field([], max_length=50)
    spans: list[MarkedError] = Field([], max_length=500)
    not_applicable: bool = False
    comment: str = Field("", max_length=2000)
    milliseconds: int = Field(0, ge=0, le=10**9)
    moves: int = Field(0, ge=0, le=10**6)


class Draft(Answer):
    """An answer that is not finished."""

    task: Id


class Answers(Message):
    """The answers of one page; `key` is the page's own, and the same for every repetition of the message."""

    task: Id
    key: str = Field(pattern=r"^[A-Za-z0-9_-]{8,100}$")
    answers: list[Answer] = Field(min_length=1, max_length=100)


class Finish(Message):
    """A task is sent in."""

    task: Id
    comment: str = Field("", max_length=5000)


class Release(Message):
    """Places that were silent for so many hours are to be free again."""

    hours: float = Field(24.0, ge=0, le=24 * 365)


class LinkOf(Message):
    """The assessor whose link it is about, or the worker of a platform."""

    assessor: Id


class Next(BaseModel):
    """It is done; `next` is the page to go to."""

    next: str


class Refusal(BaseModel):
    """Why it is not done, and what to do."""

    error: str
    remedy: str = ""
