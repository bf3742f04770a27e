"""The assessor's page: what an assessor sees next, as a value, as HTML and as JSON.

The way through a campaign is a line of stages (consent, instructions, items, sending in, thanks), and where an assessor
stands on it follows from the store alone, so that closing the browser, reloading or opening the link elsewhere always
leads to the same place. Pages are made from `Item.public` and never see the rest of an item. All text is escaped by the
template engine.
"""

from __future__ import annotations

import hashlib
import json
import math
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal

from dragoman.assessment.access_keys import AccessKeys, completion_code
from dragoman.assessment.campaign import Campaign, CampaignTask, Item, Judgement, direction
from dragoman.assessment.gold_gate import GateState, GoldGate
from dragoman.assessment.page_wording import Wording, texts, wording
from dragoman.assessment.protocol import Protocol
from dragoman.assessment.web.markable_words import differing, units
from dragoman.assessment.web.store import Seat, Store

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["AssessorStage", "AssessorState", "assessor_state", "may_begin", "render", "render_state"]

AssessorStage = Literal["consent", "begin", "judge", "finish", "done", "nothing", "wait", "stopped"]


@dataclass(frozen=True, slots=True)
class AssessorState:
    """Where an assessor stands.

    `page` counts pages of the task from 0; `items` are the public items on it and `answers` what was answered or kept
    of each. `judged` of `total` items are done. `back` is the page before, where going back is allowed. `missed` are
    the gold items of the page before that were answered wrongly, where assessors are told.
    """

    stage: AssessorStage
    task: CampaignTask | None = None
    page: int = 0
    items: tuple[Item, ...] = ()
    answers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    judged: int = 0
    total: int = 0
    back: int | None = None
    code: str = ""
    another: bool = False
    missed: tuple[Item, ...] = ()

    def to_dict(self, campaign: Campaign) -> dict[str, Any]:
        """What a program may know, the same as a page shows."""
        found: dict[str, Any] = {"stage": self.stage}
        if self.task is not None and self.stage in ("judge", "finish"):
            found |= {"task": self.task.id, "judged": self.judged, "total": self.total}
        if self.stage == "judge":
            assert self.task is not None
            protocol = campaign.protocol_of(self.task)
            found |= {"page": self.page, "answer": protocol.answer}
            found["items"] = [item.public(protocol) for item in self.items]
        if self.stage == "done":
            found |= {"code": self.code, "another": self.another}
        return found


def assessor_state(
    campaign: Campaign, access: AccessKeys, store: Store, seat: Seat, *, page: int | None = None
) -> AssessorState:
    """What comes next for an assessor; `page` asks for an earlier page, where the protocol allows going back."""
    if campaign.consent and not seat.consented:
        following = store.current(seat) or store.available(seat)
        return AssessorState("consent", campaign.task(following) if following else None)
    gate = GoldGate.from_settings(campaign.gate)
    gold = _gold_answers(campaign, gate, store.history(seat)) if gate else []
    if gate and gate.state([right for _, right in gold]) is GateState.STOPPED:
        return AssessorState("stopped")
    current = store.current(seat)
    if current is None:
        following = store.available(seat) if may_begin(campaign, store, seat) else None
        if finished := store.finished(seat):
            code = completion_code(access, assessor=seat.worker, task=finished[-1])
            return AssessorState("done", campaign.task(finished[-1]), code=code, another=following is not None)
        if following is None:
            return AssessorState("wait" if store.crowded(seat) else "nothing")
        return AssessorState("begin", campaign.task(following))
    task = campaign.task(current)
    protocol = campaign.protocol_of(task)
    answers = store.answers(seat, current)
    size = max(1, protocol.per_page)
    turn = next((at for at, item in enumerate(task.items) if item.id not in answers), len(task.items)) // size
    last = math.ceil(len(task.items) / size)
    shown = turn if page is None or not protocol.going_back else max(0, min(page, turn))
    back = shown - 1 if protocol.going_back and shown > 0 else None
    items = task.items[shown * size : (shown + 1) * size]
    common: dict[str, Any] = {"judged": len(answers), "total": len(task.items), "back": back}
    if shown >= last:
        return AssessorState("finish", task, page=shown, **common)
    if gate and gate.feedback and shown == turn and shown > 0:
        before = {item.id for item in task.items[(shown - 1) * size : shown * size]}
        common["missed"] = tuple(item for item, right in gold if item.id in before and not right)
    kept: dict[str, Mapping[str, Any]] = {}
    for item in items:
        draft = store.draft(seat, item=item.id)
        if draft is not None:
            kept[item.id] = draft
        elif item.id in answers:
            kept[item.id] = answers[item.id].to_dict()
    return AssessorState("judge", task, page=shown, items=items, answers=kept, **common)


def may_begin(campaign: Campaign, store: Store, seat: Seat) -> bool:
    """Whether the gold gate lets an assessor have another task: not stopped, and below the most one may judge."""
    gate = GoldGate.from_settings(campaign.gate)
    if gate is None:
        return True
    history = store.history(seat)
    ordinary = sum(campaign.item(one.item).kind != "gold" for one in history)
    answers = [right for _, right in _gold_answers(campaign, gate, history)]
    return gate.state(answers) is not GateState.STOPPED and gate.admits(ordinary)


def _gold_answers(campaign: Campaign, gate: GoldGate, history: list[Judgement]) -> list[tuple[Item, bool]]:
    """Gold items that were answered, in order, and whether the answer was right."""
    found = []
    for one in history:
        item = campaign.item(one.item)
        if item.kind == "gold" and one.score is not None and item.expected is not None:
            found.append((item, gate.right(one.score, item.accepted or (item.expected,))))
    return found


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("dragoman.assessment.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    made.filters["fill"] = lambda text, **values: _fill(text, **values)
    return made


@cache
def _edition() -> str:
    """A name for the present style and script, so that browsers may keep them."""
    folder = resources.files("dragoman.assessment.web") / "static"
    content = b"".join((folder / name).read_bytes() for name in ("assess.css", "assess.js"))
    return hashlib.sha256(content).hexdigest()[:12]


def render(template: str, *, language: str = "en", **values: Any) -> str:
    """A page in a language that pages can be written in (English for others)."""
    spoken = texts(language)
    common = {"title": "", "contact": "", "form_token": "", "edition": _edition()}
    found = _environment().get_template(template)
    return found.render(
        {"say": spoken["page"], "language": spoken["language"], "direction": direction(spoken["language"])}
        | common
        | values
    )


def render_state(campaign: Campaign, state: AssessorState, *, form_token: str, overtaken: bool = False) -> str:
    """The page of where an assessor stands."""
    task = state.task or (campaign.tasks[0] if campaign.tasks else None)
    target = task.target_language if task else ""
    language = campaign.language or target or "en"
    say = texts(language)["page"]
    common: dict[str, Any] = {
        "language": language,
        "title": campaign.name,
        "contact": campaign.contact,
        "form_token": form_token,
    }
    if state.stage == "consent":
        return render("consent.html", **common, paragraphs=_paragraphs(campaign.consent))
    if state.stage in ("nothing", "wait", "stopped") or task is None:
        return render("message.html", **common, text=say["nothing" if task is None else state.stage])
    protocol = campaign.protocol_of(task)
    said = _wording(campaign, task, protocol)
    if state.stage == "begin":
        minutes = math.ceil(len(task.items) * protocol.seconds / 60)
        paragraphs = said.instructions_for(items=len(task.items), minutes=minutes)
        return render("begin.html", **common | {"title": said.title}, paragraphs=paragraphs, keys=_keys(say, protocol))
    if state.stage == "finish":
        return render("finish.html", **common, task=task.id, total=state.total, back=state.back)
    if state.stage == "done":
        url = campaign.completion_url.replace("{code}", state.code)
        return render("done.html", **common, code=state.code, completion_url=url, another=state.another)
    first = state.page * max(1, protocol.per_page) + 1
    until = first + len(state.items) - 1
    number = str(first) if first == until else f"{first}–{until}"
    return render(
        "judge.html",
        **common | {"title": said.title},
        notices=[*([say["overtaken"]] if overtaken else []), *_feedback(say, said, protocol, state.missed)],
        position=_fill(say["position"], number=number, total=state.total) if campaign.show_progress else "",
        judged=state.judged,
        total=state.total,
        back=state.back,
        task=task.id,
        key=secrets.token_urlsafe(16),
        items=[_shown(item, protocol, state.answers.get(item.id)) for item in state.items],
        answer=protocol.answer,
        ties=protocol.ties,
        scale=protocol.scale,
        points=list(protocol.scale.points) if protocol.scale and protocol.answer == "choices" else [],
        severities=json.dumps(_severities(protocol, said), ensure_ascii=False),
        not_applicable=protocol.not_applicable,
        wording=said,
        keys=_keys(say, protocol),
    )


def _feedback(say: Mapping[str, str], said: Wording, protocol: Protocol, missed: tuple[Item, ...]) -> list[str]:
    """What should have been answered, and why."""
    found = []
    for item in missed:
        expected = f"{item.expected:g}"
        points = list(protocol.scale.points) if protocol.scale and protocol.answer == "choices" else []
        if item.expected in points and points.index(int(item.expected)) < len(said.labels):
            expected = f"{expected} ({said.labels[points.index(int(item.expected))]})"
        texts = " / ".join(filter(None, (item.reference or item.source, *item.candidates)))
        found.append(" ".join(filter(None, (_fill(say["expected"], expected=expected), texts, item.reason))))
    return found


def _wording(campaign: Campaign, task: CampaignTask, protocol: Protocol) -> Wording:
    source = task.items[0].source_language if task.items else ""
    language, overrides = campaign.language, campaign.wording.get(protocol.name)
    return wording(protocol.name, language=language, source=source, target=task.target_language, overrides=overrides)


def _shown(item: Item, protocol: Protocol, kept: Mapping[str, Any] | None) -> dict[str, Any]:
    """The public item with what its page needs beside it."""
    found = item.public(protocol)
    found["state"] = "" if kept is None else json.dumps(_answer_of(kept), ensure_ascii=False)
    for name in ("source", "reference"):
        found.setdefault(name, "")
    found["context"] = [{"source": "", "reference": "", **passage} for passage in found["context"]]
    found["parts"] = differing(*item.candidates) if protocol.emphasis and len(item.candidates) == 2 else ()
    if protocol.answer == "spans" and item.candidates:
        text, after = item.candidates[0], 0
        found["units"], found["length"] = [], len(text)
        for start, end in units(text):
            found["units"].append({"before": text[after:start], "text": text[start:end], "start": start, "end": end})
            after = end
    return found


def _answer_of(kept: Mapping[str, Any]) -> dict[str, Any]:
    return {name: kept[name] for name in ("score", "ranks", "spans", "not_applicable") if name in kept}


def _severities(protocol: Protocol, said: Wording) -> dict[str, str]:
    explained = said.severities or {}
    return {name: explained.get(name, name) for name in protocol.severities}


def _keys(say: Mapping[str, str], protocol: Protocol) -> str:
    keys = {"slider": ("keys_slider",), "choices": ("keys_choices",), "spans": ("keys_spans", "keys_slider")}
    return " ".join(say[name] for name in keys.get(protocol.answer, ()))


def _fill(text: str, **values: Any) -> str:
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text


def _paragraphs(text: str) -> list[str]:
    return [part.strip() for part in text.split("\n\n") if part.strip()]
