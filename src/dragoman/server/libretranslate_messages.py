"""What clients of LibreTranslate send and get, for the description of the API.

Their routes read a request themselves, because the same parameters may come as JSON, as a form or in the address; so
what they read is described here by hand, and tests hold them to it.
"""

from __future__ import annotations

from typing import Any

from dragoman.errors import MissingDependency

try:
    from pydantic import BaseModel, ConfigDict, Field
    from pydantic.alias_generators import to_camel
except ImportError as error:
    raise MissingDependency(f"the server needs {error.name}", remedy="pip install 'dragoman[server]'") from None

__all__ = [
    "DETECT",
    "DOWNLOAD",
    "FORMATS",
    "HEALTH",
    "LANGUAGES",
    "MAX_ALTERNATIVES",
    "MAX_MATCHES",
    "METRICS",
    "SETTINGS",
    "SPEC",
    "SUGGEST",
    "TRANSLATE",
    "TRANSLATE_BY_ADDRESS",
    "TRANSLATE_FILE",
]

MAX_ALTERNATIVES = 5
MAX_MATCHES = 20
FORMATS = ("text", "html")


class Theirs(BaseModel):
    """An answer with names as LibreTranslate writes them: `translatedText`."""

    model_config = ConfigDict(alias_generator=to_camel)


class Refused(BaseModel):
    """Why it is not done, in the words of LibreTranslate."""

    error: str


class DetectedLanguage(BaseModel):
    """A language, and how sure it is in percent."""

    confidence: float = Field(ge=0, le=100)
    language: str


class NearMatch(BaseModel):
    """A pair of the translation memory, and the share of words that are the same."""

    source: str
    target: str
    score: float


class TranslatedText(Theirs):
    """A translation; each field is a list if `q` was one.

    `detectedLanguage` is there if the source was `auto`, `alternatives` if some were asked for. `origin`, `memory` or
    `model`, is there if the server has a translation memory, and so is `matches` if some were asked for.
    """

    translated_text: str | list[str]
    detected_language: DetectedLanguage | list[DetectedLanguage] | None = None
    alternatives: list[str] | list[list[str]] | None = None
    origin: str | list[str] | None = None
    matches: list[NearMatch] | list[list[NearMatch]] | None = None


class TranslatedFile(Theirs):
    """Where the document can be fetched; of a server with a translation memory, how many texts were from there."""

    translated_file_url: str
    remembered: int | None = None


class Success(BaseModel):
    """It was taken."""

    success: bool


class Language(BaseModel):
    """A language, and what it can be translated into."""

    code: str
    name: str
    targets: list[str]


class NamedLanguage(BaseModel):
    """A language, for people."""

    code: str
    name: str


class LanguageChoice(BaseModel):
    """What a page should offer first."""

    source: NamedLanguage
    target: NamedLanguage


class FrontendSettings(Theirs):
    """What a page in front of the server needs to know."""

    char_limit: int
    frontend_timeout: int
    api_keys: bool
    key_required: bool
    suggestions: bool
    files_translation: bool
    supported_files_format: list[str]
    language: LanguageChoice


class Up(BaseModel):
    """Whether the server is up."""

    status: str


_TEXT = {"type": "string", "minLength": 1}
_LANGUAGE = {**_TEXT, "maxLength": 100}
_KEY = {"type": "string", "description": "A key, if the server wants one."}


def _number(most: int, description: str) -> dict[str, Any]:
    """A number of a form, as text."""
    return {"type": "string", "pattern": f"^(-[0-9]{{1,6}}|{_up_to(most)})?$", "description": description}


def _up_to(most: int) -> str:
    """A pattern for 0 to a number below 100."""
    tens, ones = divmod(most, 10)
    small = f"[0-{9 if tens else ones}]"
    return f"{small}|" + (f"[1-{tens - 1}][0-9]|" if tens > 1 else "") + f"{tens}[0-{ones}]" if tens else small


def _wider(schema: dict[str, Any], *others: dict[str, Any]) -> dict[str, Any]:
    """What JSON may have in the place of a text."""
    description = {"description": schema["description"]} if "description" in schema else {}
    return {"anyOf": [schema, *others, {"type": "null"}], **description}


_SOURCE = {**_LANGUAGE, "description": "A code, or `auto`."}
_TARGET = {**_LANGUAGE, "description": "A code."}
_FORMAT = {"type": "string", "enum": [*FORMATS, ""], "description": "`html` keeps tags, and has no alternatives."}
_ALTERNATIVES = _number(MAX_ALTERNATIVES, "So many other translations.")
_MATCHES = _number(MAX_MATCHES, "So many near matches of the translation memory, if there is one.")
_REQUIRED = {"q": {**_TEXT, "description": "The text."}, "source": _SOURCE, "target": _TARGET}
_OPTIONAL = {"format": _FORMAT, "alternatives": _ALTERNATIVES, "matches": _MATCHES, "api_key": _KEY}
_MANY = {"type": "array", "items": {"type": "string"}, "minItems": 1}
_WHOLE = {"format": (), "alternatives": (MAX_ALTERNATIVES,), "matches": (MAX_MATCHES,), "api_key": ()}


def _object(required: dict[str, Any], optional: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {**required, **optional}, "required": list(required)}


def _bodies(required: dict[str, Any], optional: dict[str, Any], *, many: bool = False) -> dict[str, Any]:
    """The same parameters as JSON and as forms; `many` says that JSON may have a list of texts."""
    json_required = {**required, "q": {"anyOf": [required["q"], _MANY]}} if many else required
    json_optional = {
        name: _wider(schema, *({"type": "integer", "maximum": most} for most in _WHOLE[name]))
        for name, schema in optional.items()
    }
    form = {"schema": _object(required, optional)}
    content = {
        "application/json": {"schema": _object(json_required, json_optional)},
        "application/x-www-form-urlencoded": form,
        "multipart/form-data": form,
    }
    return {"requestBody": {"required": True, "content": content}}


def _answers(model: Any, *codes: int) -> dict[int | str, dict[str, Any]]:
    refused: dict[int | str, dict[str, Any]] = {code: {"model": Refused} for code in sorted({400, 403, 429, *codes})}
    return {200: {"model": model}, **refused}


def _route(name: str, responses: dict[int | str, dict[str, Any]], **extra: Any) -> dict[str, Any]:
    """Arguments of a route."""
    return {
        "tags": ["LibreTranslate"],
        "operation_id": f"libretranslate_{name}",
        "responses": responses,
        "response_model": None,
        "openapi_extra": extra or None,
    }


_SENT = (408, 413, 415)
_DECODED = (*_SENT, 503, 504)
TRANSLATE = _route("translate", _answers(TranslatedText, *_DECODED), **_bodies(_REQUIRED, _OPTIONAL, many=True))
TRANSLATE_BY_ADDRESS = _route(
    "translate_by_address",
    _answers(TranslatedText, 503, 504),
    parameters=[
        {"name": name, "in": "query", "required": name in _REQUIRED, "schema": schema}
        for name, schema in (_REQUIRED | _OPTIONAL).items()
    ],
)
_FILE = {"type": "string", "format": "binary", "description": "A document; its format follows from its name."}
TRANSLATE_FILE = _route(
    "translate_file",
    _answers(TranslatedFile, *_DECODED),
    requestBody={
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": _object({"file": _FILE, "source": _SOURCE, "target": _TARGET}, {"api_key": _KEY})
            }
        },
    },
)
DOWNLOAD = _route(
    "download_file",
    {
        200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}},
        400: {"model": Refused},
    },
)
SUGGEST = _route(
    "suggest",
    _answers(Success, *_SENT, 500),
    **_bodies({**_REQUIRED, "s": {**_TEXT, "description": "A better translation."}}, {"api_key": _KEY}),
)
DETECT = _route("detect", _answers(list[DetectedLanguage], *_SENT), **_bodies({"q": _REQUIRED["q"]}, {"api_key": _KEY}))
LANGUAGES = _route("languages", {200: {"model": list[Language]}})
SETTINGS = _route("settings", {200: {"model": FrontendSettings}})
HEALTH = _route("health", {200: {"model": Up}})
SPEC = _route("spec", {200: {"content": {"application/json": {"schema": {"type": "object"}}}}})
METRICS = _route(
    "metrics",
    {
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}},
        **{code: {"model": Refused} for code in (401, 403, 429)},
    },
)
