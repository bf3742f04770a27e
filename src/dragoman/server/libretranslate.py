"""The API of LibreTranslate (version 1.9), so that its clients work unchanged.

What clients really send is taken as they send it: JSON or forms, parameters in the address, `GET` where their
documentation says `POST`, lists, empty keys, codes with a region. Unknown parameters are ignored. Errors have the
status and the words of LibreTranslate, because programs look for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, NamedTuple
from urllib.parse import quote

from dragoman.errors import DragomanError, MissingDependency
from dragoman.pipeline.control import Control
from dragoman.pipeline.translation import Translation
from dragoman.plain_data import parse_json
from dragoman.server import request_state
from dragoman.server.access import Client, Forbidden
from dragoman.server.kept_files import attachment, safe_name
from dragoman.server.language_codes import AUTO, language_name
from dragoman.server.messages import unicode_text
from dragoman.server.served_models import ServedModel
from dragoman.server.service import Service, Wish
from dragoman.text.document_formats.base import suffixes
from dragoman.text.document_formats.html import translate_html
from dragoman.text.languages import Identified

try:
    from fastapi import APIRouter, Request
    from fastapi.concurrency import run_in_threadpool
    from fastapi.responses import JSONResponse, RedirectResponse, Response
    from starlette.datastructures import UploadFile
except ImportError as error:
    raise MissingDependency(f"the server needs {error.name}", remedy="pip install 'dragoman[server]'") from None

__all__ = ["BadRequest", "is_libretranslate", "routes"]

routes = APIRouter()

MAX_ALTERNATIVES = 10
FORMATS = ("text", "html")
PATHS = frozenset(
    ["/translate", "/detect", "/languages", "/frontend/settings", "/translate_file", "/suggest", "/health", "/spec"]
)


def is_libretranslate(path: str) -> bool:
    """Whether errors at an address have the form of LibreTranslate."""
    return path in PATHS or path.startswith("/download_file/")


class BadRequest(DragomanError):
    """A request that LibreTranslate answers with 400."""


def _missing(name: str) -> BadRequest:
    return BadRequest(f"Invalid request: missing {name} parameter")


class SentFile(NamedTuple):
    """A file of a form."""

    name: str
    content: bytes


class Parameters:
    """What came with a request, wherever it stood: body, form or address."""

    def __init__(self, values: Mapping[str, Any], *, form: bool) -> None:
        self._values, self._form = values, form

    @classmethod
    async def of(cls, request: Request) -> Parameters:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "application/json":
            body = await request.body()
            try:
                content = parse_json(body, where="body") if body else {}
            except DragomanError:
                raise BadRequest("Invalid JSON format") from None
            if not isinstance(content, dict):
                raise BadRequest("Invalid JSON format")
            return cls(content, form=False)
        values: dict[str, Any] = dict(request.query_params)
        if request.method == "POST" and kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
            try:
                async with request.form(max_files=1, max_fields=100) as form:
                    for name, value in form.items():
                        if isinstance(value, UploadFile):
                            values[name] = SentFile(value.filename or "", await value.read())
                        else:
                            values[name] = value
            except Exception:  # whatever the parser of forms has against it
                raise BadRequest("Invalid request: not a form") from None
        return cls(values, form=True)

    def raw(self, name: str) -> Any:
        """The value as it came."""
        return self._values.get(name)

    def text(self, name: str, default: str | None = None) -> str:
        """A text that must be there, unless there is a default."""
        value = self._values.get(name)
        if value is None or value == "":
            if default is None:
                raise _missing(name)
            return default
        if not isinstance(value, str):
            raise BadRequest(f"Invalid request: {name} parameter is not a text")
        return self._checked(value, name)

    def texts(self, name: str) -> tuple[list[str], bool]:
        """A text or, in JSON, a list of them; and whether it was a list."""
        value = self._values.get(name)
        if value is None or value == "" or value == []:
            raise _missing(name)
        many = isinstance(value, list)
        texts = value if many else [value]
        if not all(isinstance(each, str) for each in texts):
            raise BadRequest(f"Invalid request: {name} parameter is not a text")
        return [self._checked(each, name) for each in texts], many

    def _checked(self, value: str, name: str) -> str:
        try:
            unicode_text(value)
        except ValueError:
            raise BadRequest(f"Invalid request: {name} parameter is not a text") from None
        return value.replace("\r\n", "\n").replace("\r", "\n") if self._form else value

    def number(self, name: str) -> int:
        """A whole number; 0 if it is not there or negative."""
        value = self._values.get(name)
        try:
            found = int(value) if value not in (None, "") and not isinstance(value, bool) else 0
        except (TypeError, ValueError, OverflowError):
            raise BadRequest(f"Invalid request: {name} parameter is not a number") from None
        if found > MAX_ALTERNATIVES:
            raise BadRequest(f"Invalid request: {name} parameter must be <= {MAX_ALTERNATIVES}")
        return max(0, found)


def _admitted(request: Request, parameters: Parameters) -> Client:
    key = parameters.raw("api_key")
    return request_state.admitted(request, key if isinstance(key, str) else "")


def _chosen(service: Service, parameters: Parameters, text: str) -> tuple[ServedModel, Identified | None]:
    """The model, and the language that was recognised if it was asked for."""
    source, target = parameters.text("source").strip(), parameters.text("target").strip()
    models = service.models
    known = None if source.lower() == AUTO else models.language(source)
    wanted = models.language(target)
    if known is not None:
        return models.translating(known, wanted), None
    fitting = [each.source for each in models.all if each.target == wanted]
    guesses = models.detect(text)
    guess = next((each for each in guesses if each.language in fitting), None)
    if guess is None:  # nothing recognised that could be translated: the first that can be
        guess = Identified(fitting[0] if fitting else models.all[0].source, 0.0)
    return models.translating(guess.language, wanted), guess


@routes.api_route("/translate", methods=["GET", "POST"], include_in_schema=False)
async def translate(request: Request) -> Response:
    """Translate a text, or a list of them."""
    parameters = await Parameters.of(request)
    _admitted(request, parameters)
    service = request_state.service(request)
    texts, many = parameters.texts("q")
    alternatives = parameters.number("alternatives")
    form = parameters.text("format", "text").lower()
    service.check(texts)
    served, guess = await run_in_threadpool(_chosen, service, parameters, "\n".join(texts)[:10_000])
    if form not in FORMATS:
        raise BadRequest(f"{form} format is not supported")
    notes = request_state.notes(request)
    others: list[list[str]] = [[] for _ in texts]
    if form == "html":
        found = await _translate_pages(service, served, texts)
    else:

        def finish(translation: Translation) -> tuple[str, list[str]]:
            listed = [each.text for each in translation.nbest(alternatives + 1)] if alternatives else []
            rest = [each for each in dict.fromkeys(listed) if each != translation.text and each.strip()]
            return translation.text, rest[:alternatives]

        control = Control(glossary=served.glossary)
        made = await service.translate(Wish(served, control, forests=alternatives > 0), texts, finish)
        found, others = [text for text, _ in made], [rest for _, rest in made]
        if served.memory is not None:
            found = [served.memory.exact(text) or made_text for text, made_text in zip(texts, found, strict=True)]
    notes.translated(served.name, texts, found)
    answer: dict[str, Any] = {"translatedText": found if many else found[0]}
    if guess is not None:
        said = {"confidence": round(100 * guess.confidence, 1), "language": guess.language}
        answer["detectedLanguage"] = [said] * len(texts) if many else said
    if alternatives:
        answer["alternatives"] = others if many else others[0]
    return JSONResponse(answer)


async def _translate_pages(service: Service, served: ServedModel, pages: list[str]) -> list[str]:
    """Pieces of HTML: their paragraphs are gathered, translated together, and put back."""
    paragraphs: list[str] = []

    def gather(texts: Any) -> list[str]:
        paragraphs.extend(texts)
        return list(texts)

    for page in pages:
        await run_in_threadpool(translate_html, page, gather)
    wish = Wish(served, Control(glossary=served.glossary))
    made = iter(await service.translate(wish, paragraphs, lambda found: found.text))
    return [translate_html(page, lambda texts: [next(made) for _ in texts]) for page in pages]


@routes.post("/translate_file", include_in_schema=False)
async def translate_file(request: Request) -> Response:
    """Translate a document; the answer says where it can be fetched."""
    parameters = await Parameters.of(request)
    _admitted(request, parameters)
    service = request_state.service(request)
    file = parameters.raw("file")
    if not isinstance(file, SentFile):
        raise _missing("file")
    if not file.name:
        raise BadRequest("Invalid request: empty file")
    name = safe_name(file.name)
    if PurePath(name).suffix.lower() not in suffixes():
        raise BadRequest("Invalid request: file format not supported")
    served, _ = await run_in_threadpool(_chosen, service, parameters, "")
    made = await run_in_threadpool(service.translate_document, served, file.content, file=name)
    path = await run_in_threadpool(request_state.kept_files(request).put, name, made.content)
    return JSONResponse({"translatedFileUrl": f"{str(request.base_url).rstrip('/')}/download_file/{quote(path)}"})


@routes.get("/download_file/{name}", include_in_schema=False)
def download_file(request: Request, name: str) -> Response:
    """A translated document."""
    found = request_state.kept_files(request).get(name)
    if found is None:
        raise BadRequest("Invalid filename")
    return Response(
        found[1], media_type="application/octet-stream", headers={"Content-Disposition": attachment(found[0])}
    )


@routes.post("/suggest", include_in_schema=False)
async def suggest(request: Request) -> Response:
    """A better translation: it is learned, where the server learns."""
    parameters = await Parameters.of(request)
    client = _admitted(request, parameters)
    service = request_state.service(request)
    text, better = parameters.text("q"), parameters.text("s")
    served, _ = await run_in_threadpool(_chosen, service, parameters, text)
    if served.layer is None or "learn" not in client.rights:
        raise Forbidden("Suggestions are disabled on this server.")
    service.check([text, better])
    await run_in_threadpool(served.learn, text, better)
    return JSONResponse({"success": True})


@routes.post("/detect", include_in_schema=False)
async def detect(request: Request) -> Response:
    """Which languages a text may be in."""
    parameters = await Parameters.of(request)
    _admitted(request, parameters)
    service = request_state.service(request)
    text = parameters.text("q")
    service.check([text])
    found = await run_in_threadpool(service.models.detect, text)
    return JSONResponse([{"confidence": round(100 * each.confidence, 1), "language": each.language} for each in found])


@routes.get("/languages", include_in_schema=False)
def languages(request: Request) -> Response:
    """What can be translated into what."""
    models = request_state.service(request).models
    return JSONResponse(
        [
            {"code": code, "name": language_name(code), "targets": models.sources.get(code, [])}
            for code in models.languages
        ]
    )


@routes.get("/frontend/settings", include_in_schema=False)
def settings(request: Request) -> Response:
    """What a page in front of the server needs to know."""
    service, access = request_state.service(request), request.app.state.access
    target = service.models.all[0].target
    return JSONResponse(
        {
            "charLimit": service.limits.max_characters,
            "frontendTimeout": 500,
            "apiKeys": access.required,
            "keyRequired": access.required,
            "suggestions": service.models.options.learn,
            "filesTranslation": True,
            "supportedFilesFormat": sorted(suffixes()),
            "language": {
                "source": {"code": AUTO, "name": "Auto Detect"},
                "target": {"code": target, "name": language_name(target)},
            },
        }
    )


@routes.get("/health", include_in_schema=False)
def health() -> Response:
    """Whether the server is up."""
    return JSONResponse({"status": "ok"})


@routes.get("/spec", include_in_schema=False)
def spec() -> Response:
    """The description of the API."""
    return RedirectResponse("/openapi.json", status_code=307)


@routes.get("/metrics", include_in_schema=False)
def metrics(request: Request) -> Response:
    """Numbers for Prometheus."""
    request_state.bearer(request)
    return request_state.numbers(request)
