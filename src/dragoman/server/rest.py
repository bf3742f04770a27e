"""Our own API, under `/v1`: everything that a model can say about a translation, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

from dragoman.assessment.web.api_messages import Refusal
from dragoman.errors import InputError, MissingDependency
from dragoman.pipeline.control import Control
from dragoman.pipeline.interactive import Completions, attempts, completions_of
from dragoman.pipeline.learned import LearnedChange
from dragoman.pipeline.translation import Translation
from dragoman.search.glossary import Glossary
from dragoman.search.glossary import Term as GlossaryTerm
from dragoman.search.translation import Phrase
from dragoman.server import messages, request_state
from dragoman.server.access import Client
from dragoman.server.explained import explained
from dragoman.server.kept_files import attachment, safe_name
from dragoman.server.observations import Notes
from dragoman.server.served_models import ServedModel
from dragoman.server.service import Service, TooLarge, Wish
from dragoman.text.markup import MarkedSpan

try:
    from fastapi import APIRouter, Depends, File, Form, Query, Request, UploadFile
    from fastapi.concurrency import run_in_threadpool
    from fastapi.responses import PlainTextResponse, Response
except ImportError as error:
    raise MissingDependency(f"the server needs {error.name}", remedy="pip install 'dragoman[server]'") from None

__all__ = ["Asking", "Noted", "Serving", "routes"]

routes = APIRouter(prefix="/v1")


Serving = Annotated[Service, Depends(request_state.service)]
Asking = Annotated[Client, Depends(request_state.bearer)]
Noted = Annotated[Notes, Depends(request_state.notes)]


def refusals(*codes: int) -> dict[int | str, dict[str, Any]]:
    """How a route can refuse, for its description."""
    return {code: {"model": Refusal} for code in sorted({400, 401, 403, 408, 413, 415, 422, 429, *codes})}


TRANSLATING = refusals(404, 503, 504)


@routes.post("/translate", responses=TRANSLATING, response_model_exclude_unset=True)
async def translate(
    service: Serving, client: Asking, notes: Noted, asked: messages.TranslateRequest
) -> messages.Translations:
    """Translate a text, or many."""
    texts = [asked.text] if isinstance(asked.text, str) else asked.text
    prefixes = [asked.prefix] * len(texts) if isinstance(asked.prefix, str) else asked.prefix
    if len(prefixes) != len(texts):
        raise InputError(f"{len(prefixes)} prefixes for {len(texts)} texts", remedy="send one for all, or one for each")
    if asked.nbest > service.limits.max_nbest:
        raise TooLarge(f"nbest is {asked.nbest}", remedy=f"ask for at most {service.limits.max_nbest}")
    service.check(texts)
    service.check(prefixes)
    served = service.models.choose(
        name=asked.model, source=asked.source, target=asked.target, text=" ".join(texts)[:10_000]
    )
    if asked.confidence:
        served.model.need_confidence()
    control = _control(asked, served, markup=asked.markup)
    wish = Wish(served, control, forests=asked.nbest > 0 or asked.confidence)
    remembered = _remembered(served, asked, texts, prefixes)
    made = await service.translate(
        wish,
        texts,
        partial(_translated, asked=asked),
        prefixes=prefixes,
        known={} if asked.nbest else remembered,  # a list of translations is the model's in any case
    )
    for number, known in remembered.items():
        if asked.nbest:
            known.nbest = made[number].nbest
        made[number] = known
    if asked.matches and served.memory is not None:
        for text, each in zip(texts, made, strict=True):
            each.matches = await run_in_threadpool(served.matches, text, asked.matches)
    notes.translated(served.name, texts, [each.text for each in made])
    return messages.Translations(model=served.name, source=served.source, target=served.target, translations=made)


def _remembered(
    served: ServedModel, asked: messages.TranslateRequest, texts: list[str], prefixes: list[str]
) -> dict[int, messages.Translated]:
    """What people wrote before for the same texts, by number; unless it is asked for in some way of its own."""
    if asked.is_particular:
        return {}
    known = {number: served.remembered(text) for number, text in enumerate(texts) if not prefixes[number]}
    return {
        number: messages.Translated(text=text, score=0.0, unknown=[], dropped=[], terms=[], origin="memory")
        for number, text in known.items()
        if text is not None
    }


def _translated(found: Translation, *, asked: messages.TranslateRequest) -> messages.Translated:
    more: dict[str, Any] = {}
    if asked.nbest:
        more["nbest"] = [messages.Listed(text=each.text, score=each.score) for each in found.nbest(asked.nbest)]
    if asked.alignment or asked.confidence:
        more["source_tokens"] = [word for each in found.sentences for word in each.source]
        more["target_tokens"] = [word for each in found.sentences for word in each.target]
    if asked.alignment:
        more["alignment"] = list(found.alignment)
    if asked.confidence:
        more["confidence"] = found.confidence
        more["word_confidence"] = [chance for each in found.word_confidence for chance in each]
    return messages.Translated(
        text=found.text,
        score=found.score,
        unknown=list(found.unknown_words),
        dropped=list(found.dropped_words),
        terms=[term.to_dict() for term in found.terms],
        origin="model",
        **more,
    )


def _control(
    asked: messages.ControlledRequest, served: ServedModel, *, markup: str = "", choices: tuple[MarkedSpan, ...] = ()
) -> Control:
    glossary = served.glossary
    if asked.glossary:
        own = _terms(asked.glossary)
        taken = {form for term in own for form in term.sources}
        others = [term for term in (glossary.terms if glossary is not None else ()) if taken.isdisjoint(term.sources)]
        glossary = Glossary([*own, *others])
    return Control(glossary, markup, tuple(asked.keep), (), asked.monotone, asked.no_drop, choices)


def _terms(given: Sequence[messages.AskedTerm | messages.KeptTerm]) -> list[GlossaryTerm]:
    return [GlossaryTerm(tuple(each.source), tuple(each.target), each.hard) for each in given]


@routes.post("/explain", responses=TRANSLATING)
async def explain(
    service: Serving, client: Asking, notes: Noted, asked: messages.ExplainRequest
) -> messages.ExplainedAnswer:
    """Translate a text, and say how it came about and what else it might have been."""
    if asked.nbest > service.limits.max_nbest:
        raise TooLarge(f"nbest is {asked.nbest}", remedy=f"ask for at most {service.limits.max_nbest}")
    service.check([asked.text, asked.prefix])
    served = service.models.choose(name=asked.model, source=asked.source, target=asked.target, text=asked.text)
    choices = tuple(MarkedSpan(each.start, each.end, ((each.target, 1.0),), exclusive=True) for each in asked.choices)
    for each in asked.choices:
        if not (each.start < each.end <= len(asked.text) and each.target.strip()):
            raise InputError(
                f"a choice for the characters {each.start} to {each.end} of {len(asked.text)}",
                remedy="name some that are there, and what they become",
            )
    wish = Wish(served, _control(asked, served, choices=choices), forests=True)
    (made,) = await service.translate(
        wish, [asked.text], partial(explained, served=served, nbest=asked.nbest), prefixes=[asked.prefix]
    )
    remembered = None if asked.is_particular else served.remembered(asked.text)
    answer = messages.ExplainedAnswer(
        **made,
        origin="model" if remembered is None else "memory",
        explained=made["text"],
        matches=await run_in_threadpool(served.matches, asked.text, asked.matches),
    )
    if remembered is not None:
        answer.text = remembered
    notes.translated(served.name, [asked.text], [answer.text])
    return answer


@routes.post("/options", responses=refusals(404))
async def options(service: Serving, client: Asking, asked: messages.OptionsRequest) -> messages.SpanOptions:
    """What the words of a text can become as one phrase: the rules that the model has for it, without any search."""
    served = service.models.choose(name=asked.model, source=asked.source, target=asked.target, text=asked.text)
    return await run_in_threadpool(_options, served, asked.text, asked.limit)


def _options(served: ServedModel, text: str, limit: int) -> messages.SpanOptions:
    decoder = served.model.decoder
    if decoder.table is None:
        raise InputError(f"the model {served.name!r} has no table of rules", remedy="ask another one")
    prepared = served.model.preprocessors.source.prepare(text)
    phrase = [token for sentence in prepared.sentences for token in sentence.tokens]
    return messages.SpanOptions(
        phrase=phrase,
        options=[
            {
                "text": rule.target_text,
                "values": dict(rule.values),
                "score": sum(decoder.weights[name] * value for name, value in rule.values.items()),
                "times": rule.counts.joint if rule.counts is not None else 0.0,
                "links": [list(link) for link in rule.links],
            }
            for rule in decoder.rules_for(phrase)[:limit]
        ],
    )


@routes.post("/evidence", responses=refusals(404))
async def evidence(service: Serving, client: Asking, asked: messages.EvidenceRequest) -> messages.EvidenceFound:
    """The training sentences that taught a phrase pair, if the model kept them (train with `--set evidence=true`)."""
    served = service.models.choose(name=asked.model, source=asked.source, target=asked.target)
    return await run_in_threadpool(_evidence, served, asked.phrase, asked.translation)


def _evidence(served: ServedModel, source: list[str], target: list[str]) -> messages.EvidenceFound:
    phrase = Phrase((0, 1), (0, 1), tuple(source), tuple(target), 0.0, {}, (), unknown=False)
    # Training text is read from disk when it is asked for: it must be that of the model which was opened.
    witnesses = [] if served.changed else served.model.evidence.taught_by(phrase)
    return messages.EvidenceFound(
        times=served.model.evidence.times(phrase),
        sentences=[{"line": each.line, "source": each.source, "target": each.target} for each in witnesses],
    )


@routes.post("/complete", responses=TRANSLATING)
async def complete(
    service: Serving, client: Asking, notes: Noted, asked: messages.CompleteRequest
) -> messages.Completed:
    """How a translation may go on that somebody has begun: whole completions, next words and next phrases."""
    service.check([asked.text, asked.prefix])
    served = service.models.choose(name=asked.model, source=asked.source, target=asked.target, text=asked.text)
    wish = Wish(served, _control(asked, served), forests=True)
    confidence = served.model.confidence
    scale = confidence.scale if confidence is not None else 1.0
    finish = partial(completions_of, prefix=asked.prefix, limit=asked.limit, scale=scale)
    found, tries = None, attempts(served.model, asked.text, asked.prefix)
    while found is None and (begun := await run_in_threadpool(next, tries, None)) is not None:
        found = (await service.translate(wish, [asked.text], finish, prefixes=[begun]))[0]
    made = found or Completions((asked.prefix,), (), ())
    notes.translated(served.name, [asked.text], [made.best])
    return messages.Completed(model=served.name, **made.to_dict())


@routes.post("/translate_file", responses=TRANSLATING, response_class=Response)
async def translate_file(
    service: Serving,
    client: Asking,
    notes: Noted,
    file: Annotated[UploadFile, File(description="A document; its format follows from its name.")],
    model: Annotated[str, Form(max_length=100)] = "",
    source: Annotated[str, Form(max_length=100)] = "",
    target: Annotated[str, Form(max_length=100)] = "",
    everything: Annotated[bool, Form(description="Also what has a translation already.")] = False,
    final: Annotated[bool, Form(description="Do not mark translations as in need of review.")] = False,
) -> Response:
    """Translate a document; the answer is the document."""
    served = service.models.choose(name=model, source=source, target=target)
    name = safe_name(file.filename or "")
    content = await file.read()
    made = await run_in_threadpool(
        service.translate_document, served, content, file=name, everything=everything, final=final
    )
    notes.translated(served.name, [name], [name])
    counts = {"Dragoman-Translated": str(made.translated), "Dragoman-Remembered": str(made.remembered)}
    return Response(
        made.content,
        media_type="application/octet-stream",
        headers={"Content-Disposition": attachment(name), **counts},
    )


@routes.post("/learn", responses=refusals(404, 500))
async def learn(service: Serving, client: Asking, asked: messages.LearnRequest) -> messages.RuleChange:
    """Learn from a translation that somebody put right; it counts from the next request on, and is on disk."""
    client.need("learn")
    service.check([asked.text, asked.translation])
    served = service.models.choose(name=asked.model, source=asked.source, target=asked.target, text=asked.text)
    return _change(await run_in_threadpool(served.learn, asked.text, asked.translation))


def _change(change: LearnedChange) -> messages.RuleChange:
    return messages.RuleChange(
        action=change.action, source=change.source, target=change.target, phrases=len(change.rules)
    )


@routes.get("/rules", responses=refusals(404))
def rules(service: Serving, client: Asking, model: Annotated[str, Query(max_length=100)] = "") -> messages.Changes:
    """What a model has learned."""
    served = service.models.choose(name=model)
    return messages.Changes(model=served.name, changes=[_change(each) for each in served.need_layer().changes])


@routes.post("/rules", responses=refusals(404, 500))
async def add_rule(service: Serving, client: Asking, asked: messages.RuleRequest) -> messages.RuleChange:
    """Add a rule."""
    client.need("learn")
    served = service.models.choose(name=asked.model, source=asked.source, target=asked.target)
    return _change(await run_in_threadpool(served.need_layer().add_rule, asked.phrase, asked.translation))


@routes.post("/rules/remove", responses=refusals(404, 500))
async def remove_rule(service: Serving, client: Asking, asked: messages.RuleRequest) -> messages.RuleChange:
    """Remove a rule, whether it was learned or trained."""
    client.need("learn")
    served = service.models.choose(name=asked.model, source=asked.source, target=asked.target)
    return _change(await run_in_threadpool(served.need_layer().remove_rule, asked.phrase, asked.translation))


@routes.post("/rules/undo", responses=refusals(404, 409, 500))
async def undo(
    service: Serving, client: Asking, model: Annotated[str, Query(max_length=100)] = ""
) -> messages.RuleChange:
    """Take the last change back."""
    client.need("learn")
    return _change(await run_in_threadpool(service.models.choose(name=model).undo))


@routes.get("/glossary", responses=refusals(404))
def glossary(
    service: Serving, client: Asking, model: Annotated[str, Query(max_length=100)] = ""
) -> messages.GlossaryTerms:
    """The terms that every translation of a model heeds."""
    return _glossary(service.models.choose(name=model))


def _glossary(served: ServedModel) -> messages.GlossaryTerms:
    terms = served.glossary.terms if served.glossary is not None else ()
    return messages.GlossaryTerms(
        model=served.name,
        terms=[{"source": list(each.sources), "target": list(each.targets), "hard": each.hard} for each in terms],
    )


@routes.put("/glossary", responses=refusals(404, 500))
async def set_glossary(service: Serving, client: Asking, asked: messages.GlossaryRequest) -> messages.GlossaryTerms:
    """Replace the terms of a model; they are kept beside it."""
    client.need("learn")
    served = service.models.choose(name=asked.model, source=asked.source, target=asked.target)
    await run_in_threadpool(service.models.set_glossary, served, Glossary(_terms(asked.terms)))
    return _glossary(service.models.named(served.name))


@routes.post("/detect", responses=refusals())
async def detect(service: Serving, client: Asking, asked: messages.DetectRequest) -> list[messages.Detected]:
    """Languages that a text may be in, the likeliest first."""
    service.check([asked.text])
    found = await run_in_threadpool(service.models.detect, asked.text)
    return [messages.Detected(language=each.language, confidence=each.confidence) for each in found]


@routes.get("/models", responses=refusals())
def models(service: Serving, client: Asking) -> messages.Models:
    """The models that are served."""
    return messages.Models(models=[messages.ModelFacts(**each.to_dict()) for each in service.models.all])


@routes.post("/models/reload", responses=refusals(500))
def reload(service: Serving, client: Asking) -> messages.Models:
    """Open all models again, as they are on disk now; requests that have begun end with the old ones."""
    client.need("admin")
    service.models.reload()
    return models(service, client)


@routes.get("/health")
def health(service: Serving) -> messages.Health:
    """Whether the server is up."""
    return messages.Health(status="ok", **service.facts())


@routes.get("/metrics", response_class=PlainTextResponse, responses=refusals())
def metrics(request: Request, client: Asking) -> PlainTextResponse:
    """Numbers for Prometheus."""
    return request_state.numbers(request)
