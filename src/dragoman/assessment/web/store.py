"""The store: who judges what, and every judgement, in SQL.

A judgement that was acknowledged to a browser is on disk. Saving is idempotent: the page names each message by a key of
its own and may send it as often as it needs to. Tasks are handed out inside a transaction by filling a free *place* (a
task has as many places as it wants copies), so that two assessors can never be given the same one; a place whose
assessor has gone silent goes to the next one after a while, and what that assessor had judged stays.

Tokens are stored as digests only: whoever reads the database cannot enter with it. A connection to the database that
breaks is made again, and what was under way is done again: everything here can be done twice without harm.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, TypeVar

from dragoman.assessment.campaign import Campaign, CampaignTask, Judgement
from dragoman.assessment.crowd_entrance import CrowdEntrance
from dragoman.assessment.web.schema import Tables, connection_lost, open_engine
from dragoman.errors import DragomanError, InputError

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, Row, Select

__all__ = ["DATABASE", "Conflict", "DatabaseAway", "Place", "Seat", "Store", "database_url", "fingerprint"]

P = ParamSpec("P")
R = TypeVar("R")

DATABASE = "judgements.sqlite"
"""The database in a campaign's folder."""


_FREE: Mapping[str, Any] = {"state": "free", "seat": None, "assigned": None, "active": None}
"""What a place is that nobody has."""

PATIENCE = 5.0
"""Seconds for which a database that has gone away is asked again before a request is refused."""


class Conflict(DragomanError):
    """A message that comes at the wrong time: not the item in turn, or judged already."""


class DatabaseAway(DragomanError):
    """The database does not answer now; the same message may be sent again later."""


def _outlasting(work: Callable[Concatenate[Store, P], R]) -> Callable[Concatenate[Store, P], R]:
    """Do it again when the connection broke under it: on another connection, to another server if the URL has one."""

    @functools.wraps(work)
    def again(self: Store, /, *given: P.args, **named: P.kwargs) -> R:
        from sqlalchemy.exc import DBAPIError

        until, pause = time.monotonic() + PATIENCE, 0.05
        while True:
            try:
                return work(self, *given, **named)
            except DBAPIError as error:
                if not connection_lost(error):
                    raise
                if time.monotonic() + pause > until:
                    raise DatabaseAway("the database does not answer", remedy="try again in a moment") from None
            time.sleep(pause)
            pause = min(2 * pause, 1.0)

    return again


@dataclass(frozen=True, slots=True)
class Seat:
    """An assessor at work: the person, as results name them, and for a worker of a crowd the session (else empty)."""

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
        self._crowd = CrowdEntrance.from_dict(campaign.crowd)
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

    @_outlasting
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
        return self._arrive(lambda connection: self._admit(connection, worker, session, token))

    def keep_links(self, tokens: Mapping[str, str], *, barred: Collection[str] = ()) -> None:
        """Let these tokens of named assessors in and no others, and none of the workers who are barred.

        The places of those who cannot come any more are free at once; what they judged stays.
        """
        from sqlalchemy import select

        links, seats, places = self._tables.tokens, self._tables.seats, self._tables.places

        def keep(connection: Connection) -> None:
            query = select(links.c.digest, seats.c.number, seats.c.worker, seats.c.session)
            query = query.join(seats, links.c.seat == seats.c.number).where(links.c.campaign == self._name)
            wanted = {_digest(token): worker for worker, token in tokens.items()}
            for digest, number, worker, session in connection.execute(query).all():
                closed = worker in barred if session else wanted.get(digest) != worker
                if closed:
                    connection.execute(links.delete().where(links.c.campaign == self._name, links.c.digest == digest))
                    self._log(connection, number, "revoked", {})
                    if session or worker not in tokens:
                        mine = (places.c.campaign == self._name, places.c.seat == number, places.c.state == "open")
                        connection.execute(places.update().where(*mine).values(_FREE))
            for worker, token in tokens.items():
                self._admit(connection, worker, "", token)

        self._arrive(keep)

    def admit_worker(
        self,
        *,
        worker: str,
        session: str,
        token: str,
        held: Seat | None = None,
        signed: bool = False,
        may_come: Callable[[], bool],
    ) -> Seat | Literal["stranger", "busy", "full"]:
        """Let `token` take the seat of a crowd's worker, which is made if this is a new session of the worker.

        A worker who has been here comes in a new session only from the browser that has another of their seats
        (`held`), unless the platform has `signed` who they are: ids of workers are no secret. `session` is the
        platform's one-time id, or a ticket, which is one worker's only. Nobody begins in a new session while work of
        theirs is open in another. `may_come` is asked before a seat is made. A seat has one token, that of the last
        arrival: reloading adds nothing.
        """
        from sqlalchemy import select

        tables = self._tables
        seats, places = tables.seats, tables.places

        def arrive(connection: Connection) -> Seat | Literal["stranger", "busy", "full"]:
            # Where writers work side by side, arrivals follow each other: two may claim to be the same worker.
            connection.execute(select(tables.campaigns).filter_by(campaign=self._name).with_for_update())
            query = select(seats.c.number, seats.c.worker, seats.c.session).where(seats.c.campaign == self._name)
            known = connection.execute(query.where((seats.c.worker == worker) | (seats.c.session == session))).all()
            if not any(row.worker == worker and row.session == session for row in known):
                mine = [row.number for row in known if row.worker == worker]
                ticket_taken = session.startswith("ticket ") and any(row.session == session for row in known)
                if ticket_taken or (mine and not signed and (held is None or held.number not in mine)):
                    return "stranger"
                open_now = select(places.c.task).where(places.c.campaign == self._name, places.c.seat.in_(mine))
                open_now = open_now.where(places.c.state == "open", ~self._lapsed())
                if connection.execute(open_now).first() is not None:
                    return "busy"
                if not may_come():
                    return "full"
            seat = self._admit(connection, worker, session, token)
            older = (tables.tokens.c.seat == seat.number, tables.tokens.c.digest != _digest(token))
            connection.execute(tables.tokens.delete().where(*older))
            return seat

        return self._arrive(arrive)

    @_outlasting
    def _arrive(self, arrive: Callable[[Connection], R]) -> R:
        from sqlalchemy.exc import IntegrityError

        for last in (False, True):
            try:
                with self._write() as connection:
                    return arrive(connection)
            except IntegrityError:  # where writers work side by side: somebody made the same seat this very moment
                if last:
                    raise
        raise AssertionError

    def _admit(self, connection: Connection, worker: str, session: str, token: str) -> Seat:
        from sqlalchemy import select

        tables = self._tables
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

    @_outlasting
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

    @_outlasting
    def mark(self, seat: Seat, step: Literal["consented", "instructed"]) -> None:
        """Note that an assessor has agreed, or has read the instructions; the first time counts."""
        seats = self._tables.seats
        with self._write() as connection:
            first = seats.update().where(seats.c.number == seat.number, seats.c[step].is_(None)).values({step: _now()})
            if connection.execute(first).rowcount:
                self._log(connection, seat.number, step, {})

    # Handing out

    @_outlasting
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

    @_outlasting
    def claim(self, seat: Seat) -> str | None:
        """The assessor's open task, or a free one that is theirs from now on; None if there is none for them.

        Places are filled in the campaign's order, reserved ones and those that the assessor had begun and left first;
        those of assessors who have gone silent come last. Nobody does a task twice, in whatever session they come.
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
            if found.state == "open":
                self._log(connection, found.seat, "released", {"task": found.task, "copy": found.copy})
            chosen = (places.c.campaign == self._name, places.c.task == found.task, places.c.copy == found.copy)
            values = {"state": "open", "seat": seat.number, "assigned": at, "active": at}
            connection.execute(places.update().where(*chosen).values(values))
            self._log(connection, seat.number, "assigned", {"task": found.task, "copy": found.copy})
            return str(found.task)

    @_outlasting
    def available(self, seat: Seat) -> str | None:
        """The task that `claim` would give now; nothing is handed out."""
        with self._engine.connect() as connection:
            found = self._free_place(connection, seat)
            return None if found is None else str(found.task)

    @_outlasting
    def crowded(self, seat: Seat) -> bool:
        """Whether a worker of a crowd must wait: too many others have taken tasks and judged nothing yet."""
        with self._engine.connect() as connection:
            return self._crowded(connection, seat)

    def _crowded(self, connection: Connection, seat: Seat) -> bool:
        from sqlalchemy import func, select

        if not seat.session or not self._crowd.waiting:
            return False
        places = self._tables.places
        query = select(func.count()).select_from(places).where(places.c.campaign == self._name)
        query = query.where(places.c.state == "open", self._of_crowd(), ~self._used(), ~self._lapsed())
        return (connection.scalar(query) or 0) >= self._crowd.waiting

    def _of_crowd(self) -> ColumnElement[bool]:
        """Whether a worker of a crowd has the place."""
        from sqlalchemy import select

        seats = self._tables.seats
        return self._tables.places.c.seat.in_(select(seats.c.number).where(seats.c.session != ""))

    def _used(self) -> ColumnElement[bool]:
        """Whether something was judged by who has the place."""
        from sqlalchemy import exists

        places, judgements = self._tables.places, self._tables.judgements
        return exists().where(
            judgements.c.campaign == self._name, judgements.c.task == places.c.task, judgements.c.seat == places.c.seat
        )

    def _lapsed(self) -> ColumnElement[bool]:
        """Whether who has the place has been silent for so long that the next one may have it."""
        from sqlalchemy import and_, or_

        places, crowd, now = self._tables.places, self._of_crowd(), _now()
        named = and_(~crowd, places.c.active <= now - timedelta(hours=self._campaign.hours))
        begun = and_(crowd, places.c.active <= now - self._crowd.silent)
        unused = and_(crowd, ~self._used(), places.c.active <= now - self._crowd.unused)
        return and_(places.c.state == "open", or_(named, begun, unused))

    def _free_place(self, connection: Connection, seat: Seat) -> Any:
        from sqlalchemy import exists, or_, select

        if self._crowded(connection, seat):
            return None

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
            select(places.c.task, places.c.copy, places.c.state, places.c.seat)
            .where(places.c.campaign == self._name, or_(places.c.state == "free", self._lapsed()))
            .where(or_(places.c.reserved.is_(None), places.c.reserved == seat.worker))
            .where(places.c.task.not_in(held), ~begun_elsewhere)
            .order_by(places.c.reserved.is_(None), ~begun_here, places.c.state != "free", places.c.rank)
            .limit(1)
        )
        return connection.execute(query.with_for_update(skip_locked=True, of=places)).one_or_none()

    @_outlasting
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
                connection.execute(places.update().where(*chosen).values(_FREE))
                self._log(connection, seat, "released", {"task": task, "copy": copy})
            return len(rows)

    # Judging

    @_outlasting
    def answers(self, seat: Seat, task: str) -> dict[str, Judgement]:
        """What an assessor has judged of a task, by item."""
        from sqlalchemy import select

        judgements = self._tables.judgements
        query = select(judgements.c.item, judgements.c.judgement)
        query = query.filter_by(campaign=self._name, seat=seat.number, task=task)
        with self._engine.connect() as connection:
            return {item: Judgement.from_dict(json.loads(found)) for item, found in connection.execute(query)}

    @_outlasting
    def history(self, seat: Seat) -> list[Judgement]:
        """All that a person has judged, in any task and session, in the order in which it was saved."""
        from sqlalchemy import select

        table, seats = self._tables.judgements, self._tables.seats
        same = select(seats.c.number).filter_by(campaign=self._name, worker=seat.worker)
        query = select(table.c.judgement).where(table.c.campaign == self._name, table.c.seat.in_(same))
        query = query.order_by(table.c.saved)
        with self._engine.connect() as connection:
            return [Judgement.from_dict(json.loads(found)) for found in connection.scalars(query)]

    @_outlasting
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

    @_outlasting
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

    @_outlasting
    def draft(self, seat: Seat, *, item: str) -> Mapping[str, Any] | None:
        """What was kept of an item that is not judged yet."""
        from sqlalchemy import select

        query = select(self._tables.drafts.c.draft).filter_by(campaign=self._name, seat=seat.number, item=item)
        with self._engine.connect() as connection:
            found = connection.scalar(query)
            return None if found is None else dict(json.loads(found))

    @_outlasting
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

    @_outlasting
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
        for (found,) in self._rows(query):
            yield Judgement.from_dict(json.loads(found))

    @_outlasting
    def count(self) -> int:
        """How many judgements there are."""
        from sqlalchemy import func, select

        table = self._tables.judgements
        with self._engine.connect() as connection:
            return connection.scalar(select(func.count()).where(table.c.campaign == self._name)) or 0

    @_outlasting
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
        for row in self._rows(query):
            at = _utc(row.at)
            assert at is not None
            yield {"at": at.isoformat(), "worker": row.worker, "kind": row.kind, **json.loads(row.detail)}

    @_outlasting
    def _rows(self, query: Select[Any]) -> Sequence[Row[Any]]:
        with self._engine.connect() as connection:
            return connection.execute(query).all()

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
