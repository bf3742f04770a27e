"""The tables of a campaign's database, and how the database is opened.

SQLite runs with a write-ahead log and `synchronous=FULL`: a commit survives the loss of the process and of power, and
readers do not wait for the writer. PostgreSQL does the same by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dragoman.errors import FileError, MissingDependency, SettingError

if TYPE_CHECKING:
    from sqlalchemy import Column, Connection, Engine

__all__ = ["Tables", "open_engine"]


class Tables:
    """The schema.

    A *place* is one copy of a task: free, open (someone is at work) or done. A *seat* is an assessor in one session of
    a crowd platform; tokens let browsers take a seat. Everything hangs on the name of its campaign, so that one
    database can hold several.
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
        engine = create_engine(parsed, pool_pre_ping=backend == "postgresql", pool_size=20, max_overflow=40)
    except (ArgumentError, NoSuchModuleError):
        remedy = "write it like sqlite:///judgements.sqlite or postgresql://user@host/base"
        raise SettingError(f"{url!r} is no database URL", remedy=remedy) from None
    except ImportError as error:
        raise MissingDependency(f"PostgreSQL needs {error.name}", remedy="pip install 'dragoman[postgresql]'") from None
    if backend == "sqlite":
        _prepare_sqlite(engine)
    try:
        tables.metadata.create_all(engine)
    except SQLAlchemyError as error:
        engine.dispose()
        raise FileError(
            f"cannot open the database: {str(getattr(error, 'orig', error)).strip()}",
            where=parsed.render_as_string(hide_password=True),
            remedy="check the path or URL, the rights, and that the database server runs",
        ) from None
    return engine


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
