"""The tables of a campaign's database, and how the database is opened.

SQLite runs with a write-ahead log and `synchronous=FULL`: a commit survives the loss of the process and of power, and
readers do not wait for the writer. PostgreSQL does the same by itself.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

from dragoman.errors import FileError, MissingDependency, SettingError

if TYPE_CHECKING:
    from sqlalchemy import URL, Column, Connection, Engine
    from sqlalchemy.exc import DBAPIError

__all__ = ["Tables", "connection_lost", "open_engine"]

_LOST = {"57P01", "57P02", "57P03", "25006", "40001", "40P01"}
"""PostgreSQL shuts down, crashes, starts, is a copy that cannot be written to; or asks to do it again (SQLSTATE)."""

_PATIENT: dict[str, Any] = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}
"""A server that vanished without a word is noticed within seconds, not when the system's two hours are over."""


class Tables:
    """The schema.

    A *place* is one copy of a task: free, open (someone is at work) or done. A *seat* is an assessor with a personal
    link (and no session), or a worker in one session of a crowd platform; a token lets a browser take a seat.
    Everything hangs on the name of its campaign, so that one database can hold several.
    """

    def __init__(self) -> None:
        try:
            from sqlalchemy import Column, DateTime, Index, Integer, MetaData, String, Table, Text, UniqueConstraint
        except ImportError:
            remedy = "pip install 'dragoman[server]'"
            raise MissingDependency("a campaign's database needs SQLAlchemy", remedy=remedy) from None

        self.metadata = meta = MetaData()
        when, name, text = DateTime(timezone=True), String(200), Text

        def needed(column: str, kind: Any) -> Column[Any]:
            return Column(column, kind, nullable=False)

        self.campaigns = Table(
            "campaigns",
            meta,
            Column("campaign", name, primary_key=True),
            needed("fingerprint", String(64)),
            needed("created", when),
        )
        self.seats = Table(
            "seats",
            meta,
            Column("number", Integer, primary_key=True, autoincrement=True),
            _campaign(),
            needed("worker", name),
            needed("session", name),
            Column("consented", when),
            Column("instructed", when),
            UniqueConstraint("campaign", "worker", "session"),
        )
        self.tokens = Table(
            "tokens", meta, _campaign(key=True), Column("digest", String(64), primary_key=True), _seat()
        )
        self.places = Table(
            "places",
            meta,
            _campaign(key=True),
            Column("task", name, primary_key=True),
            Column("copy", Integer, primary_key=True),
            needed("rank", Integer),
            Column("reserved", name),
            needed("state", String(10)),
            _seat(nullable=True),
            Column("assigned", when),
            Column("active", when),
            Column("finished", when),
            needed("comment", text),
            Index("places_by_seat", "seat"),
            Index("places_by_state", "campaign", "state", "rank"),
        )
        self.judgements = Table(
            "judgements",
            meta,
            _campaign(key=True),
            _seat(key=True),
            Column("task", name, primary_key=True),
            Column("item", name, primary_key=True),
            needed("judgement", text),
            needed("key", String(100)),
            needed("saved", when),
            needed("revision", Integer),
        )
        self.drafts = Table(
            "drafts",
            meta,
            _campaign(key=True),
            _seat(key=True),
            Column("item", name, primary_key=True),
            needed("draft", text),
            needed("saved", when),
        )
        self.events = Table(
            "events",
            meta,
            Column("number", Integer, primary_key=True, autoincrement=True),
            _campaign(),
            _seat(nullable=True),
            needed("kind", String(20)),
            needed("detail", text),
            needed("at", when),
        )


def _campaign(*, key: bool = False) -> Column[Any]:
    from sqlalchemy import Column, ForeignKey, String

    return Column("campaign", String(200), ForeignKey("campaigns.campaign"), primary_key=key, nullable=False)


def _seat(*, key: bool = False, nullable: bool = False) -> Column[Any]:
    from sqlalchemy import Column, ForeignKey, Integer

    return Column("seat", Integer, ForeignKey("seats.number"), primary_key=key, nullable=nullable)


def open_engine(url: str, tables: Tables) -> Engine:
    """Connect to the database of a URL and make the tables that it lacks."""
    from sqlalchemy import create_engine, make_url
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

    try:
        parsed = make_url(url)
        backend = parsed.get_backend_name()
        if backend not in {"sqlite", "postgresql"}:
            raise SettingError(
                f"campaigns are kept in SQLite or PostgreSQL, not in {backend}",
                remedy="give a URL such as sqlite:///judgements.sqlite or postgresql://user@host/base",
            )
        if parsed.drivername == "postgresql":
            parsed = parsed.set(drivername="postgresql+psycopg")
        settings: dict[str, Any] = {"pool_size": 20, "max_overflow": 40}
        if backend == "postgresql":
            settings |= {"pool_pre_ping": True, "connect_args": _connecting(parsed)}
        engine = create_engine(parsed, **settings)
    except (ArgumentError, NoSuchModuleError):
        remedy = "write it like sqlite:///judgements.sqlite or postgresql://user@host/base"
        raise SettingError(f"{url!r} is no database URL", remedy=remedy) from None
    except ImportError as error:
        raise MissingDependency(f"PostgreSQL needs {error.name}", remedy="pip install 'dragoman[postgresql]'") from None
    try:
        if backend == "sqlite":
            _make_private(parsed.database)
            _prepare_sqlite(engine)
        else:
            _prepare_postgresql(engine)
        tables.metadata.create_all(engine)
    except (SQLAlchemyError, OSError) as error:
        engine.dispose()
        raise FileError(
            f"cannot open the database: {str(getattr(error, 'orig', error)).strip()}",
            where=parsed.render_as_string(hide_password=True),
            remedy="check the path or URL, the rights, and that the database server runs",
        ) from None
    return engine


def connection_lost(error: DBAPIError) -> bool:
    """Whether it was the connection that failed, or the server went away, so that the same may be tried again."""
    from sqlalchemy.exc import InterfaceError, OperationalError

    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        return str(state) in _LOST or str(state).startswith("08")
    from_network = type(error.orig).__module__.startswith("psycopg")
    return error.connection_invalidated or (from_network and isinstance(error, OperationalError | InterfaceError))


def _connecting(url: URL) -> dict[str, Any]:
    """What connections are made with, unless the URL says otherwise; of several servers, one that can be written."""
    found = dict(_PATIENT)
    if isinstance(url.query.get("host"), tuple) or "," in (url.host or ""):
        found["target_session_attrs"] = "read-write"
    return {name: value for name, value in found.items() if name not in url.query}


def _prepare_postgresql(engine: Engine) -> None:
    from sqlalchemy import event

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, _: Any) -> None:
        # What is acknowledged must be on disk, even if the server was set to answer before.
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT set_config('synchronous_commit', 'on', false)"
                " WHERE current_setting('synchronous_commit') = 'off'"
            )
        connection.commit()


def _make_private(database: str | None) -> None:
    """Create the file of a database for its owner only; SQLite gives its log the same rights."""
    if not database or database == ":memory:" or database.startswith("file:"):
        return
    with contextlib.suppress(FileExistsError):
        os.close(os.open(database, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _prepare_sqlite(engine: Engine) -> None:
    from sqlalchemy import event

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # the driver begins its transactions too late; we begin them below
        for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=30000"):
            connection.execute(f"PRAGMA {setting}").close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A writer takes the lock at once: one that begins as a reader fails, without waiting, when another was faster.
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
