"""What programs send to our own API, and what it answers."""

from __future__ import annotations

from typing import Annotated, Any

from dragoman.assessment.web.api_messages import Message
from dragoman.errors import MissingDependency
from dragoman.server.served_models import NOT_IN_TERMS

try:
    from pydantic import AfterValidator, BaseModel, BeforeValidator, Field
except ImportError as error:
    raise MissingDependency(f"the server needs {error.name}", remedy="pip install 'dragoman[server]'") from None

__all__ = [
    "AskedTerm",
    "Changes",
    "ChosenPhrase",
    "CompleteRequest",
    "Completed",
    "DetectRequest",
    "Detected",
    "EvidenceFound",
    "EvidenceRequest",
    "ExplainRequest",
    "ExplainedAnswer",
    "GlossaryRequest",
    "GlossaryTerms",
    "Health",
    "KeptTerm",
    "LearnRequest",
    "Listed",
    "ModelFacts",
    "Models",
    "OptionsRequest",
    "RuleChange",
    "RuleRequest",
    "SpanOptions",
    "Suggested",
    "TranslateRequest",
    "Translated",
    "Translations",
    "unicode_text",
]


def unicode_text(text: str) -> str:
    """Refuse halves of characters, which JSON can write and no text has."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("half of a surrogate pair, which is no character") from None
    return text


def _whole(number: Any) -> Any:
    """In JSON 2.0 is a whole number, too."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


Text = Annotated[str, AfterValidator(unicode_text)]
_NOT_BLANK = r"[^\s\x1c-\x1f]"
Said = Annotated[str, Field(pattern=_NOT_BLANK), AfterValidator(unicode_text)]
Short = Annotated[str, Field(max_length=1000), AfterValidator(unicode_text)]
Words = Annotated[str, Field(max_length=1000, pattern=_NOT_BLANK), AfterValidator(unicode_text)]
Form = Annotated[
    str,
    Field(max_length=1000, pattern=rf"^[^{NOT_IN_TERMS}]*[^{NOT_IN_TERMS}\s][^{NOT_IN_TERMS}]*$"),
    AfterValidator(unicode_text),
]
"""Without the signs that separate terms in a file."""
Whole = Annotated[int, BeforeValidator(_whole)]
Code = Annotated[str, Field(max_length=100)]


class Asked(Message):
    """What decides which model is meant: its name, or languages; a source that is not said is guessed."""

    model: Code = ""
    source: Code = ""
    target: Code = ""


class AskedTerm(Message):
    """A term of a glossary: forms of the source, any of which becomes one of the forms of the target."""

    source: list[Words] = Field(min_length=1, max_length=50)
    target: list[Words] = Field(min_length=1, max_length=50)
    hard: bool = True


class KeptTerm(Message):
    """The same for a glossary that is kept in a file."""

    source: list[Form] = Field(min_length=1, max_length=50)
    target: list[Form] = Field(min_length=1, max_length=50)
    hard: bool = True


class ChosenPhrase(Message):
    """Characters `[start, end)` of the text that must become this."""

    start: Whole = Field(ge=0, le=10**8)
    end: Whole = Field(ge=1, le=10**8)
    target: Words


class ControlledRequest(Asked):
    """What is asked of a translation besides its languages."""

    glossary: list[AskedTerm] = Field([], max_length=5000)
    keep: list[Words] = Field([], max_length=1000)
    monotone: bool = False
    no_drop: bool = False

    @property
    def is_particular(self) -> bool:
        """Whether it says how the text is to be translated: then what others wrote for it is no answer."""
        return bool(self.glossary or self.keep or self.monotone or self.no_drop)


class TranslateRequest(ControlledRequest):
    """Texts to be translated."""

    text: Text | list[Text]
    prefix: Text | list[Text] = ""
    markup: str = Field("", pattern="^(|exclusive|inclusive|constraint)$")
    nbest: Whole = Field(0, ge=0, le=1000)
    alignment: bool = False
    confidence: bool = False
    matches: Whole = Field(0, ge=0, le=20)
    """So many near matches of the translation memory, if there is one."""

    @property
    def is_particular(self) -> bool:
        return super().is_particular or bool(self.markup)


class ExplainRequest(ControlledRequest):
    """A text whose translation is to be explained, under what was chosen for parts of it."""

    text: Text
    prefix: Text = ""
    choices: list[ChosenPhrase] = Field([], max_length=200)
    nbest: Whole = Field(5, ge=0, le=1000)
    matches: Whole = Field(3, ge=0, le=20)
    """So many near matches of the translation memory, if there is one."""

    @property
    def is_particular(self) -> bool:
        return super().is_particular or bool(self.prefix or self.choices)


class OptionsRequest(Asked):
    """Words whose rules are wanted, as a model prepares them."""

    text: Short
    limit: Whole = Field(20, ge=1, le=500)


class EvidenceRequest(Asked):
    """A phrase pair of a translation, as tokens, whose training sentences are wanted."""

    phrase: list[Short] = Field(min_length=1, max_length=100)
    translation: list[Short] = Field(min_length=1, max_length=100)


class CompleteRequest(ControlledRequest):
    """A text, and what somebody has written of its translation."""

    text: Text
    prefix: Text = ""
    limit: Whole = Field(5, ge=1, le=20)


class LearnRequest(Asked):
    """A text and its translation as it should be."""

    text: Said
    translation: Said


class RuleRequest(Asked):
    """A phrase and what it becomes."""

    phrase: Words
    translation: Words


class GlossaryRequest(Asked):
    """All terms that everybody's translations heed from now on."""

    terms: list[KeptTerm] = Field(max_length=100_000)


class DetectRequest(Message):
    """A text whose language is wanted."""

    text: Text


class Listed(BaseModel):
    """One of several translations of a text."""

    text: str
    score: float


class Translated(BaseModel):
    """A translation; `alignment` is between `source_tokens` and `target_tokens`."""

    text: str
    score: float
    unknown: list[str]
    dropped: list[str]
    terms: list[dict[str, Any]]
    nbest: list[Listed] | None = None
    source_tokens: list[str] | None = None
    target_tokens: list[str] | None = None
    alignment: list[tuple[int, int]] | None = None
    confidence: float | None = None
    word_confidence: list[float] | None = None
    origin: str = "model"
    """`memory` if somebody wrote it before for the same text."""
    matches: list[dict[str, Any]] | None = None


class Translations(BaseModel):
    """Translations of all texts, in their order."""

    model: str
    source: str
    target: str
    translations: list[Translated]


class ExplainedAnswer(BaseModel):
    """A translation with its reasons: see `dragoman.server.explained` for the parts of `sentences`.

    The reasons are those of `explained`, what the model made of the text. It is the translation, too, unless somebody
    wrote another one before; then `origin` is `memory`.
    """

    model: str
    source: str
    target: str
    text: str
    score: float
    confidence: float | None
    concerns: list[dict[str, Any]]
    sentences: list[dict[str, Any]]
    nbest: list[Listed]
    terms: list[dict[str, Any]]
    origin: str
    explained: str
    matches: list[dict[str, Any]]
    """Pairs of the translation memory, the nearest first; `score` is the share of words that are the same."""


class SpanOptions(BaseModel):
    """What a phrase can become, the most probable first."""

    phrase: list[str]
    options: list[dict[str, Any]]


class Suggested(BaseModel):
    """Text that may come next, with its probability."""

    text: str
    confidence: float


class Completed(BaseModel):
    """Whole translations that begin as asked, the best first, and what may come next."""

    model: str
    completions: list[str]
    next_words: list[Suggested]
    next_phrases: list[Suggested]


class RuleChange(BaseModel):
    """Something that was learned: a correction, or a rule that was added or removed."""

    action: str
    source: str
    target: str
    phrases: int


class Changes(BaseModel):
    """All that a model has learned and that is in effect, oldest first."""

    model: str
    changes: list[RuleChange]


class GlossaryTerms(BaseModel):
    """The terms of a model."""

    model: str
    terms: list[dict[str, Any]]


class EvidenceFound(BaseModel):
    """How often the training text has a phrase pair, and the first sentences that have it."""

    times: float
    sentences: list[dict[str, Any]]


class Detected(BaseModel):
    """A language that a text may be in, with its probability."""

    language: str
    confidence: float


class ModelFacts(BaseModel):
    """A model that is served."""

    name: str
    source: str
    target: str
    kind: str
    bytes: int
    opened: str
    changed_on_disk: bool
    confidence: bool
    learns: bool
    memory: int


class Models(BaseModel):
    """All models, the first of each pair of languages being the usual one."""

    models: list[ModelFacts]


class Health(BaseModel):
    """Whether the server is up, and how much waits."""

    status: str
    waiting: int
    workers: int
    models: int
