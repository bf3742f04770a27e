"""The API of LibreTranslate (version 1.9), so that its clients work unchanged.

What clients really send is taken as they send it: JSON or forms, parameters in the address, `GET` where their
documentation says `POST`, lists, empty keys, codes with a region. Unknown parameters are ignored. Errors have the
status and the words of LibreTranslate, because programs look for them. Answers of a server with a translation memory
say where a translation is from; clients do not mind what they do not know.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote

from dragoman.errors import DragomanError, MissingDependency
from dragoman.pipeline.control import Control
from dragoman.pipeline.translation import Translation
from dragoman.plain_data import parse_json
from dragoman.server import libretranslate_messages as described
from dragoman.server import request_state
from dragoman.server.access import Client, Forbidden
from dragoman.server.final_stop import FinalStop
from dragoman.server.kept_files import attachment, safe_name
from dragoman.server.language_codes import AUTO, language_name
from dragoman.server.messages import unicode_text
from dragoman.server.served_models import ServedModel
from dragoman.server.service import Service, Wish
from dragoman.text.document_formats.base import suffixes
from dragoman.text.document_formats.html import translate_html
from dragoman.text.document_formats.lines import has_words
from dragoman.text.languages import Identified

try:
    from fastapi import APIRouter, Request
    from fastapi.concurrency import run_in_threadpool
    from fastapi.responses import JSONResponse, Response
    from starlette.datastructures import UploadFile
except ImportError as error:
    raise MissingDependency(f"the server needs {error.name}", remedy="pip install 'dragoman[server]'") from None

__all__ = ["BadRequest", "is_libretranslate", "routes"]

routes = APIRouter()

_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,6}")
_UNKNOWN_LANGUAGE = Identified("en", 0.0)
"""What LibreTranslate says of a text that could be in any language."""
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


def _pairs(encoded: bytes) -> list[tuple[str, str]]:
    """Names and values of a form or of an address; clients may leave letters as they are, in UTF-8."""
    try:
        text = encoded.decode("utf-8")
        return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=100)
    except ValueError:  # UTF-8 that is none included
        raise BadRequest("Invalid request: not a form") from None


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
        # What stands in the address comes before what stands in a form, and the first before the second.
        values: dict[str, Any] = {}
        for name, value in _pairs(request.scope["query_string"]):
            values.setdefault(name, value)
        if request.method == "POST" and kind == "application/x-www-form-urlencoded":
            for name, value in _pairs(await request.body()):
                values.setdefault(name, value)
        elif request.method == "POST" and kind == "multipart/form-data":
            try:
                async with request.form(max_files=1, max_fields=100) as form:
                    for name, sent in form.multi_items():
                        if isinstance(sent, UploadFile):
                            values.setdefault(name, SentFile(sent.filename or "", await sent.read()))
                        else:
                            values.setdefault(name, sent)
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

    def number(self, name: str, *, most: int) -> int:
        """A whole number; 0 if it is not there or negative."""
        value = self._values.get(name)
        if value is None or value == "":
            return 0
        if (isinstance(value, float) and value.is_integer()) or (
            isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value)
        ):
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            raise BadRequest(f"Invalid request: {name} parameter is not a number")
        if value > most:
            raise BadRequest(f"Invalid request: {name} parameter must be <= {most}")
        return max(0, value)


def _admitted(request: Request, parameters: Parameters) -> Client:
    return request_state.admitted(request, parameters.text("api_key", ""))


def _pair(parameters: Parameters) -> tuple[str, str]:
    """The languages that are asked for."""
    return parameters.text("source").strip(), parameters.text("target").strip()


def _chosen(service: Service, pair: tuple[str, str], text: str) -> tuple[ServedModel, Identified | None]:
    """The model, and the language that was recognised if it was asked for."""
    source, target = pair
    models = service.models
    known = None if source.lower() == AUTO else models.language(source)
    wanted = models.language(target)
    if known is not None:
        return models.translating(known, wanted), None
    fitting = [each.source for each in models.all if each.target == wanted]
    guess = models.guess(text, fitting)
    if guess is None:  # nothing recognised that could be translated: the first that can be
        guess = Identified(fitting[0] if fitting else models.all[0].source, 0.0)
    return models.translating(guess.language, wanted), guess


class _Found(NamedTuple):
    """A translation, others, and whether it is one that somebody wrote before."""

    text: str
    others: Sequence[str] = ()
    remembered: bool = False


@routes.get("/translate", **described.TRANSLATE_BY_ADDRESS)
@routes.post("/translate", **described.TRANSLATE)
async def translate(request: Request) -> Response:
    """Translate a text, or a list of them, as LibreTranslate does."""
    parameters = await Parameters.of(request)
    _admitted(request, parameters)
    service = request_state.service(request)
    texts, many = parameters.texts("q")
    pair = _pair(parameters)
    alternatives = parameters.number("alternatives", most=described.MAX_ALTERNATIVES)
    near = parameters.number("matches", most=described.MAX_MATCHES)
    form = parameters.text("format", "text").lower()
    service.check(texts)
    served, guess = await run_in_threadpool(_chosen, service, pair, "\n".join(texts)[:10_000])
    if form not in described.FORMATS:
        raise BadRequest(f"{form} format is not supported")
    if form == "html":
        made = await _translate_pages(service, served, texts)
    else:
        made = await _translate_texts(service, served, texts, alternatives)
    found = [each.text for each in made]
    request_state.notes(request).translated(served.name, texts, found)
    answer: dict[str, list[Any]] = {"translatedText": found}
    if guess is not None:
        if not any(map(has_words, texts)):
            guess = _UNKNOWN_LANGUAGE
        said = {"confidence": round(100 * guess.confidence, 1), "language": guess.language}
        answer["detectedLanguage"] = [said] * len(texts)
    if alternatives:
        answer["alternatives"] = [list(each.others) for each in made]
    if served.memory is not None:
        answer["origin"] = ["memory" if each.remembered else "model" for each in made]
        if near:
            answer["matches"] = [await run_in_threadpool(served.matches, text, near) for text in texts]
    return JSONResponse(answer if many else {name: values[0] for name, values in answer.items()})


async def _translate_texts(service: Service, served: ServedModel, texts: list[str], alternatives: int) -> list[_Found]:
    """Plain texts: what is remembered comes first, what has no words stays, and the model does the rest."""
    stop = FinalStop(*served.model.preprocessors, language=served.target)
    known: dict[int, _Found] = {}
    remembered: dict[int, str] = {}
    for number, text in enumerate(texts):
        if (was := served.remembered(text)) is not None:
            remembered[number] = was
        elif not has_words(text):
            known[number] = _Found(text)
    if not alternatives:
        known |= {number: _Found(was, remembered=True) for number, was in remembered.items()}

    def finish(translation: Translation) -> _Found:
        listed = [each.text for each in translation.nbest(alternatives + 1)] if alternatives else []
        best, *others = [stop.kept(translation.source, text) for text in (translation.text, *listed)]
        return _Found(best, [each for each in dict.fromkeys(others) if each != best and each.strip()])

    wish = Wish(served, Control(glossary=served.glossary), forests=alternatives > 0)
    made = await service.translate(wish, texts, finish, known=known)
    for number, was in remembered.items():
        if number not in known:  # what the model would have written is the first of the others
            others = dict.fromkeys([made[number].text, *made[number].others])
            made[number] = _Found(was, [each for each in others if each != was], remembered=True)
    return [each._replace(others=each.others[:alternatives]) for each in made]


async def _translate_pages(service: Service, served: ServedModel, pages: list[str]) -> list[_Found]:
    """Pieces of HTML: their paragraphs are gathered, translated together, and put back."""
    stop = FinalStop(*served.model.preprocessors, language=served.target)
    of_page: list[list[str]] = []

    def gather(texts: Any) -> list[str]:
        of_page[-1].extend(texts)
        return list(texts)

    for page in pages:
        of_page.append([])
        await run_in_threadpool(translate_html, page, gather)
    paragraphs = [text for texts in of_page for text in texts]
    known = {
        number: _Found(was, remembered=True)
        for number, text in enumerate(paragraphs)
        if (was := served.remembered(text, markup=True)) is not None
    }
    wish = Wish(served, Control(glossary=served.glossary))
    made = iter(
        await service.translate(
            wish, paragraphs, lambda found: _Found(stop.kept(found.source, found.text)), known=known
        )
    )
    found = []
    for page, texts in zip(pages, of_page, strict=True):
        own = [next(made) for _ in texts]
        whole = translate_html(page, lambda _, own=own: [each.text for each in own])  # type: ignore[misc]
        found.append(_Found(whole, remembered=bool(own) and all(each.remembered for each in own)))
    return found


@routes.post("/translate_file", **described.TRANSLATE_FILE)
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
    served, _ = await run_in_threadpool(_chosen, service, _pair(parameters), "")
    made = await run_in_threadpool(service.translate_document, served, file.content, file=name)
    path = await run_in_threadpool(request_state.kept_files(request).put, name, made.content)
    address = f"{str(request.base_url).rstrip('/')}/download_file/{quote(path)}"
    counts = {"remembered": made.remembered} if served.memory is not None else {}
    return JSONResponse({"translatedFileUrl": address, **counts})


@routes.get("/download_file/{name}", **described.DOWNLOAD)
def download_file(request: Request, name: str) -> Response:
    """A translated document."""
    found = request_state.kept_files(request).get(name)
    if found is None:
        raise BadRequest("Invalid filename")
    return Response(
        found[1], media_type="application/octet-stream", headers={"Content-Disposition": attachment(found[0])}
    )


@routes.post("/suggest", **described.SUGGEST)
async def suggest(request: Request) -> Response:
    """A better translation: it is learned, where the server learns."""
    parameters = await Parameters.of(request)
    client = _admitted(request, parameters)
    service = request_state.service(request)
    text, better = parameters.text("q"), parameters.text("s")
    served, _ = await run_in_threadpool(_chosen, service, _pair(parameters), text)
    if served.layer is None or "learn" not in client.rights:
        raise Forbidden("Suggestions are disabled on this server.")
    service.check([text, better])
    await run_in_threadpool(served.learn, text, better)
    return JSONResponse({"success": True})


@routes.post("/detect", **described.DETECT)
async def detect(request: Request) -> Response:
    """Which languages a text may be in."""
    parameters = await Parameters.of(request)
    _admitted(request, parameters)
    service = request_state.service(request)
    text = parameters.text("q")
    service.check([text])
    found = [each for each in await run_in_threadpool(service.models.detect, text) if each.confidence > 0]
    said = found or [_UNKNOWN_LANGUAGE]
    return JSONResponse([{"confidence": round(100 * each.confidence, 1), "language": each.language} for each in said])


@routes.get("/languages", **described.LANGUAGES)
def languages(request: Request) -> Response:
    """What can be translated into what."""
    models = request_state.service(request).models
    return JSONResponse(
        [
            {"code": code, "name": language_name(code), "targets": models.sources.get(code, [])}
            for code in models.languages
        ]
    )


@routes.get("/frontend/settings", **described.SETTINGS)
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


@routes.get("/health", **described.HEALTH)
def health() -> Response:
    """Whether the server is up."""
    return JSONResponse({"status": "ok"})


@routes.get("/spec", **described.SPEC)
def spec(request: Request) -> Response:
    """The description of the API."""
    return JSONResponse(request.app.openapi())


@routes.get("/metrics", **described.METRICS)
def metrics(request: Request) -> Response:
    """Numbers for Prometheus."""
    request_state.bearer(request)
    return request_state.numbers(request)
