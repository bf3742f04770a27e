"""The store: who judges what, and every judgement, in SQL.

A judgement that was acknowledged to a browser is on disk. Saving is idempotent: the page names each message by a key of
its own and may send it as often as it needs to. Tasks are handed out inside a transaction by filling a free *place* (a
task has as many places as it wants copies), so that two assessors can never be given the same one; a place whose
assessor has gone silent is free again after a while, and what that assessor had judged stays.

Tokens are stored as digests only: whoever reads the database cannot enter with it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from dragoman.assessment.campaign import Campaign, CampaignTask, Judgement
from dragoman.assessment.web.schema import Tables, open_engine
from dragoman.errors import DragomanError, InputError

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["DATABASE", "Conflict", "Place", "Seat", "Store", "database_url", "fingerprint"]

DATABASE = "judgements.sqlite"
"""The database in a campaign's folder."""


class Conflict(DragomanError):
    """A message that comes at the wrong time: not the item in turn, or judged already."""


@dataclass(frozen=True, slots=True)
class Seat:
    """An assessor at work: a worker (the person, as results name them) in one session of a crowd platform."""

    number: int
    worker: str
    session: str
    consented: bool
    instructed: bool


@dataclass(frozen=True, slots=True)
class Place:
    """One copy of a task, and how far its assessor is."""

    task: str
    copy: int
    state: Literal["free", "open", "done"]
    reserved: str | None
    worker: str | None
    judged: int
    assigned: datetime | None
    active: datetime | None
    finished: datetime | None
    comment: str


class Store:
    """The state of one campaign in a database; safe to share between threads."""

    def __init__(self, url: str, campaign: Campaign) -> None:
        self._tables = Tables()
        self._engine = open_engine(url, self._tables)
        # One writer at a time is all that SQLite has: queue for it here instead of polling its lock.
        lock = threading.Lock() if self._engine.dialect.name == "sqlite" else contextlib.nullcontext()
        self._queue: contextlib.AbstractContextManager[Any] = lock
        self._writer = self._engine.execution_options(writes=True)
        self._campaign = campaign
        self._name = campaign.name
        try:
            self._install()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    @contextlib.contextmanager
    def _write(self) -> Iterator[Connection]:
        with self._queue, self._writer.begin() as connection:
            yield connection

    def _install(self) -> None:
        """Make the campaign known, once; another one under its name is refused."""
        from sqlalchemy import select

        tables, mark = self._tables, fingerprint(self._campaign)
        with self._write() as connection:
            known = connection.scalar(select(tables.campaigns.c.fingerprint).filter_by(campaign=self._name))
            if known == mark:
                return
            if known is not None:
                raise InputError(
                    f"the database holds judgements of another campaign called {self._name!r}",
                    remedy="serve the campaign that it was made for, or name another database",
                )
            row = {"campaign": self._name, "fingerprint": mark, "created": _now()}
            connection.execute(tables.campaigns.insert().values(row))
            places = [
                {
                    "campaign": self._name,
                    "task": task.id,
                    "copy": copy,
                    "rank": rank,
                    "state": "free",
                    "comment": "",
                    "reserved": task.assessors[copy] if copy < len(task.assessors) else None,
                }
                for rank, (task, copy) in enumerate(_in_order(self._campaign))
            ]
            if places:
                connection.execute(tables.places.insert(), places)

    # Coming in

    def admit(self, *, worker: str, token: str, session: str = "") -> Seat:
        """Let `token` take the seat of this worker in this session; the seat is made on the first arrival."""
        from sqlalchemy.exc import IntegrityError

        try:
            return self._admit(worker, session, token)
        except IntegrityError:  # where writers work side by side: somebody made the same seat this very moment
            return self._admit(worker, session, token)

    def _admit(self, worker: str, session: str, token: str) -> Seat:
        from sqlalchemy import select

        tables = self._tables
        with self._write() as connection:
            where = {"campaign": self._name, "worker": worker, "session": session}
            number = connection.scalar(select(tables.seats.c.number).filter_by(**where))
            if number is None:
                key = connection.execute(tables.seats.insert().values(where)).inserted_primary_key
                assert key is not None
                number = int(key[0])
                self._log(connection, number, "arrived", {"session": session})
            held = {"campaign": self._name, "digest": _digest(token)}
            holder = connection.scalar(select(tables.tokens.c.seat).filter_by(**held))
            if holder is None:
                connection.execute(tables.tokens.insert().values(**held, seat=number))
            elif holder != number:
                raise InputError(f"the token of {worker!r} is another assessor's", remedy="make a new link")
            return self._seat(connection, number)

    def seat(self, token: str) -> Seat | None:
        """Whose token it is."""
        from sqlalchemy import select

        with self._engine.connect() as connection:
            held = {"campaign": self._name, "digest": _digest(token)}
            number = connection.scalar(select(self._tables.tokens.c.seat).filter_by(**held))
            return None if number is None else self._seat(connection, number)

    def _seat(self, connection: Connection, number: int) -> Seat:
        from sqlalchemy import select

        row = connection.execute(select(self._tables.seats).filter_by(number=number)).mappings().one()
        agreed, told = row["consented"] is not None, row["instructed"] is not None
        return Seat(number, row["worker"], row["session"], consented=agreed, instructed=told)

    def mark(self, seat: Seat, step: Literal["consented", "instructed"]) -> None:
        """Note that an assessor has agreed, or has read the instructions; the first time counts."""
        seats = self._tables.seats
        with self._write() as connection:
            first = seats.update().where(seats.c.number == seat.number, seats.c[step].is_(None)).values({step: _now()})
            if connection.execute(first).rowcount:
                self._log(connection, seat.number, step, {})

    # Handing out

    def current(self, seat: Seat) -> str | None:
        """The task that an assessor has open."""
        with self._engine.connect() as connection:
            return self._open_task(connection, seat)

    def _open_task(self, connection: Connection, seat: Seat) -> str | None:
        from sqlalchemy import select

        places = self._tables.places
        query = select(places.c.task).filter_by(campaign=self._name, seat=seat.number, state="open")
        task: str | None = connection.scalar(query)
        return task

    def claim(self, seat: Seat) -> str | None:
        """The assessor's open task, or a free one that is theirs from now on; None if there is none for them.

        Places are filled in the campaign's order, reserved ones and those that the assessor had begun and left first.
        Nobody does a task twice, in whatever session they come.
        """
        from sqlalchemy import select

        places, seats = self._tables.places, self._tables.seats
        with self._write() as connection:
            # Where writers work side by side, this row lock makes two claims of one worker follow each other.
            same = select(seats.c.number).filter_by(campaign=self._name, worker=seat.worker)
            connection.execute(same.with_for_update()).all()
            if (task := self._open_task(connection, seat)) is not None:
                return task
            if (found := self._free_place(connection, seat)) is None:
                return None
            at = _now()
            chosen = (places.c.campaign == self._name, places.c.task == found.task, places.c.copy == found.copy)
            values = {"state": "open", "seat": seat.number, "assigned": at, "active": at}
            connection.execute(places.update().where(*chosen).values(values))
            self._log(connection, seat.number, "assigned", {"task": found.task, "copy": found.copy})
            return str(found.task)

    def available(self, seat: Seat) -> str | None:
        """The task that `claim` would give now; nothing is handed out."""
        with self._engine.connect() as connection:
            found = self._free_place(connection, seat)
            return None if found is None else str(found.task)

    def _free_place(self, connection: Connection, seat: Seat) -> Any:
        from sqlalchemy import exists, or_, select

        places, seats, judgements = self._tables.places, self._tables.seats, self._tables.judgements
        same = select(seats.c.number).filter_by(campaign=self._name, worker=seat.worker)
        mine = places.alias()
        held = select(mine.c.task).where(mine.c.campaign == self._name, mine.c.seat.in_(same))
        most = self._campaign.tasks_per_assessor
        if most and len(connection.execute(held).all()) >= most:
            return None
        begun = exists().where(judgements.c.campaign == self._name, judgements.c.task == places.c.task)
        begun_here = begun.where(judgements.c.seat == seat.number)
        begun_elsewhere = begun.where(judgements.c.seat.in_(same), judgements.c.seat != seat.number)
        query = (
            select(places.c.task, places.c.copy)
            .where(places.c.campaign == self._name, places.c.state == "free")
            .where(or_(places.c.reserved.is_(None), places.c.reserved == seat.worker))
            .where(places.c.task.not_in(held), ~begun_elsewhere)
            .order_by(places.c.reserved.is_(None), ~begun_here, places.c.rank)
            .limit(1)
        )
        return connection.execute(query.with_for_update(skip_locked=True, of=places)).one_or_none()

    def release(self, *, silent: timedelta) -> int:
        """Free the places whose assessors have done nothing for so long; what they judged stays. How many."""
        from sqlalchemy import select

        places = self._tables.places
        with self._write() as connection:
            gone = select(places.c.task, places.c.copy, places.c.seat)
            gone = gone.where(places.c.campaign == self._name, places.c.state == "open")
            gone = gone.where(places.c.active <= _now() - silent).order_by(places.c.rank).with_for_update()
            rows = connection.execute(gone).all()
            for task, copy, seat in rows:
                chosen = (places.c.campaign == self._name, places.c.task == task, places.c.copy == copy)
                values = {"state": "free", "seat": None, "assigned": None, "active": None}
                connection.execute(places.update().where(*chosen).values(values))
                self._log(connection, seat, "released", {"task": task, "copy": copy})
            return len(rows)

    # Judging

    def answers(self, seat: Seat, task: str) -> dict[str, Judgement]:
        """What an assessor has judged of a task, by item."""
        from sqlalchemy import select

        judgements = self._tables.judgements
        query = select(judgements.c.item, judgements.c.judgement)
        query = query.filter_by(campaign=self._name, seat=seat.number, task=task)
        with self._engine.connect() as connection:
            return {item: Judgement.from_dict(json.loads(found)) for item, found in connection.execute(query)}

    def history(self, seat: Seat) -> list[Judgement]:
        """All that an assessor has judged, in any task, in the order in which it was saved."""
        from sqlalchemy import select

        table = self._tables.judgements
        query = select(table.c.judgement).filter_by(campaign=self._name, seat=seat.number).order_by(table.c.saved)
        with self._engine.connect() as connection:
            return [Judgement.from_dict(json.loads(found)) for found in connection.scalars(query)]

    def save(self, seat: Seat, judgements: Sequence[Judgement], *, key: str) -> bool:
        """Store the judgements of one page of the assessor's open task, all or none; on disk when this returns.

        `key` tells a repeated message from a second opinion: the same key again changes nothing (and gives False).
        Items are judged in the order of their task; changing one is for protocols that allow going back, and the
        former judgement is kept among the events.
        """
        from sqlalchemy import select

        table, drafts = self._tables.judgements, self._tables.drafts
        task = self._campaign.task(judgements[0].task)
        with self._write() as connection:
            state = self._lock(connection, seat, task)
            query = select(table).filter_by(campaign=self._name, seat=seat.number, task=task.id)
            known = {row["item"]: row for row in connection.execute(query).mappings()}
            if all(one.item in known and known[one.item]["key"] == key for one in judgements):
                return False
            if state != "open":
                raise Conflict("this task is not open", remedy="open your link again")
            self._check_turn(task, judgements, known)
            at = _now()
            for one in judgements:
                where = {"campaign": self._name, "seat": seat.number, "task": task.id, "item": one.item}
                row = {"judgement": _dump(one.to_dict()), "key": key, "saved": at}
                if one.item in known:
                    former = known[one.item]
                    chosen = [table.c[name] == value for name, value in where.items()]
                    connection.execute(table.update().where(*chosen).values(**row, revision=former["revision"] + 1))
                    self._log(connection, seat.number, "revised", {"former": json.loads(former["judgement"])})
                else:
                    connection.execute(table.insert().values(**where, **row, revision=0))
                connection.execute(drafts.delete().where(drafts.c.seat == seat.number, drafts.c.item == one.item))
            self._touch(connection, seat, task, at)
            return True

    def _check_turn(self, task: CampaignTask, judgements: Sequence[Judgement], known: Mapping[str, Any]) -> None:
        posted = [one.item for one in judgements]
        if any(item in known for item in posted) and not self._campaign.protocol_of(task).going_back:
            raise Conflict("this has been judged already", remedy="go on with what is shown")
        order = [item.id for item in task.items]
        first = min(map(order.index, posted))
        if any(item not in known for item in order[:first]):
            raise Conflict("another item comes first", remedy="go on with what is shown")

    def _lock(self, connection: Connection, seat: Seat, task: CampaignTask) -> str | None:
        """The state of the assessor's place; where writers work side by side, messages of one assessor queue here."""
        from sqlalchemy import select

        query = select(self._tables.places.c.state).filter_by(campaign=self._name, seat=seat.number, task=task.id)
        state: str | None = connection.scalar(query.with_for_update())
        return state

    def _touch(self, connection: Connection, seat: Seat, task: CampaignTask, at: datetime, **values: Any) -> None:
        places = self._tables.places
        mine = (places.c.campaign == self._name, places.c.seat == seat.number, places.c.task == task.id)
        connection.execute(places.update().where(*mine).values(active=at, **values))

    def save_draft(self, seat: Seat, *, task: str, item: str, draft: Mapping[str, Any]) -> None:
        """Keep what an assessor has done of an item so far; it counts for nothing until it is saved."""
        drafts, at = self._tables.drafts, _now()
        with self._write() as connection:
            if self._lock(connection, seat, self._campaign.task(task)) != "open":
                raise Conflict("this task is not open", remedy="open your link again")
            connection.execute(drafts.delete().where(drafts.c.seat == seat.number, drafts.c.item == item))
            row = {"campaign": self._name, "seat": seat.number, "item": item, "draft": _dump(draft), "saved": at}
            connection.execute(drafts.insert().values(row))
            self._touch(connection, seat, self._campaign.task(task), at)

    def draft(self, seat: Seat, *, item: str) -> Mapping[str, Any] | None:
        """What was kept of an item that is not judged yet."""
        from sqlalchemy import select

        query = select(self._tables.drafts.c.draft).filter_by(campaign=self._name, seat=seat.number, item=item)
        with self._engine.connect() as connection:
            found = connection.scalar(query)
            return None if found is None else dict(json.loads(found))

    def finish(self, seat: Seat, task: str, *, comment: str = "") -> None:
        """Close a task of which every item is judged; closing it again changes nothing."""
        from sqlalchemy import select

        judgements, whole = self._tables.judgements, self._campaign.task(task)
        with self._write() as connection:
            state = self._lock(connection, seat, whole)
            if state == "done":
                return
            if state != "open":
                raise Conflict("this task is not open", remedy="open your link again")
            query = select(judgements.c.item).filter_by(campaign=self._name, seat=seat.number, task=task)
            missing = {item.id for item in whole.items} - set(connection.scalars(query))
            if missing:
                raise Conflict(f"{len(missing)} items are not judged yet", remedy="go on with what is shown")
            at = _now()
            self._touch(connection, seat, whole, at, state="done", finished=at, comment=comment)
            self._log(connection, seat.number, "finished", {"task": task})

    def finished(self, seat: Seat) -> tuple[str, ...]:
        """The tasks that an assessor has closed, in order."""
        from sqlalchemy import select

        places = self._tables.places
        query = select(places.c.task).filter_by(campaign=self._name, seat=seat.number, state="done")
        with self._engine.connect() as connection:
            return tuple(connection.scalars(query.order_by(places.c.finished)))

    # Looking

    def judgements(self) -> Iterator[Judgement]:
        """Every judgement, in the order in which they were saved."""
        from sqlalchemy import select

        table = self._tables.judgements
        query = select(table.c.judgement).where(table.c.campaign == self._name)
        query = query.order_by(table.c.saved, table.c.seat, table.c.item)
        with self._engine.connect() as connection:
            for found in connection.scalars(query):
                yield Judgement.from_dict(json.loads(found))

    def count(self) -> int:
        """How many judgements there are."""
        from sqlalchemy import func, select

        table = self._tables.judgements
        with self._engine.connect() as connection:
            return connection.scalar(select(func.count()).where(table.c.campaign == self._name)) or 0

    def places(self) -> list[Place]:
        """Every place, in order, with the number of judgements that its assessor has given."""
        from sqlalchemy import and_, func, select

        places, seats, judgements = self._tables.places, self._tables.seats, self._tables.judgements
        counts = select(judgements.c.seat, judgements.c.task, func.count().label("judged"))
        counts = counts.where(judgements.c.campaign == self._name)
        judged = counts.group_by(judgements.c.seat, judgements.c.task).subquery()
        query = (
            select(places, seats.c.worker, func.coalesce(judged.c.judged, 0).label("judged"))
            .outerjoin(seats, places.c.seat == seats.c.number)
            .outerjoin(judged, and_(judged.c.seat == places.c.seat, judged.c.task == places.c.task))
            .where(places.c.campaign == self._name)
            .order_by(places.c.rank)
        )
        with self._engine.connect() as connection:
            return [
                Place(
                    row["task"],
                    row["copy"],
                    row["state"],
                    row["reserved"],
                    row["worker"],
                    row["judged"],
                    _utc(row["assigned"]),
                    _utc(row["active"]),
                    _utc(row["finished"]),
                    row["comment"],
                )
                for row in connection.execute(query).mappings()
            ]

    def events(self) -> Iterator[Mapping[str, Any]]:
        """What happened, in order: arrivals, assignments, releases, changes of mind."""
        from sqlalchemy import select

        events, seats = self._tables.events, self._tables.seats
        query = select(events, seats.c.worker).outerjoin(seats, events.c.seat == seats.c.number)
        query = query.where(events.c.campaign == self._name).order_by(events.c.number)
        with self._engine.connect() as connection:
            for row in connection.execute(query).mappings():
                at = _utc(row["at"])
                assert at is not None
                yield {"at": at.isoformat(), "worker": row["worker"], "kind": row["kind"], **json.loads(row["detail"])}

    def _log(self, connection: Connection, seat: int | None, kind: str, detail: Mapping[str, Any]) -> None:
        row = {"campaign": self._name, "seat": seat, "kind": kind, "detail": _dump(detail), "at": _now()}
        connection.execute(self._tables.events.insert().values(row))


def database_url(folder: Path) -> str:
    """The database of a campaign's folder, where no other is named."""
    return f"sqlite:///{folder / DATABASE}"


def fingerprint(campaign: Campaign) -> str:
    """What makes a campaign the one that judgements belong to: its protocols and tasks, not its wording."""
    values = campaign.to_dict()
    return hashlib.sha256(_dump([values["protocols"], values["tasks"]]).encode()).hexdigest()


def _in_order(campaign: Campaign) -> Iterator[tuple[CampaignTask, int]]:
    """First copies of all tasks before second ones: a campaign that is stopped early has judged as much as it can."""
    for copy in range(max((task.copies for task in campaign.tasks), default=0)):
        yield from ((task, copy) for task in campaign.tasks if copy < task.copies)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _now() -> datetime:
    return datetime.now(UTC)


def _utc(at: datetime | None) -> datetime | None:
    return at.replace(tzinfo=UTC) if at is not None and at.tzinfo is None else at  # SQLite forgets the zone


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
