from __future__ import annotations

import sqlite3
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.assessment.campaign import Campaign, CampaignTask, ErrorSpan, Item, Judgement
from dragoman.assessment.protocol import get_protocol
from dragoman.assessment.web import store as storing
from dragoman.assessment.web.store import Conflict, DatabaseAway, Seat, Store
from dragoman.errors import FileError, InputError, MissingDependency, SettingError
from tests.assessment.web.postgresql import PORTS, Cluster


def campaign(*, tasks: int = 2, items: int = 3, copies: int = 1, most: int = 0, going_back: bool = False) -> Campaign:
    def task(at: int) -> CampaignTask:
        made = tuple(Item(f"{at}-{number}", candidates=("x",)) for number in range(items))
        return CampaignTask(f"t{at}", at + 1, "fluency", made, copies=copies)

    protocol = get_protocol("fluency", going_back=going_back)
    return Campaign("c", tuple(task(at) for at in range(tasks)), {"fluency": protocol}, tasks_per_assessor=most)


def judgement(item: str, worker: str = "anna", score: float = 50) -> Judgement:
    return Judgement(item, f"t{item.partition('-')[0]}", worker, score=score)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/judgements.sqlite"
    cluster: Cluster = request.getfixturevalue("postgresql")
    cluster.empty()
    return cluster.url


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    made = Store(url, campaign())
    yield made
    made.close()


def sit(store: Store, worker: str = "anna", *, session: str = "") -> Seat:
    return store.admit(worker=worker, session=session, token=f"token of {worker} {session}")


def test_a_judgement_comes_back_as_it_was_given(store: Store) -> None:
    anna = sit(store)
    assert store.claim(anna) == "t0"
    whole = Judgement(
        "0-0", "t0", "anna", score=7, spans=(ErrorSpan(0, 1, "minor"),), comment="ő ☃ \x00", milliseconds=5, moves=2
    )
    assert store.save(anna, [whole], key="k")
    assert list(store.judgements()) == [whole]
    assert store.answers(anna, "t0") == {"0-0": whole}


def test_the_same_message_again_changes_nothing(store: Store) -> None:
    anna = sit(store)
    store.claim(anna)
    assert store.save(anna, [judgement("0-0", score=10)], key="first")
    assert not store.save(anna, [judgement("0-0", score=10)], key="first")
    with pytest.raises(Conflict, match="judged already"):
        store.save(anna, [judgement("0-0", score=90)], key="second")
    assert [one.score for one in store.judgements()] == [10]


def test_items_are_judged_in_their_order(store: Store) -> None:
    anna = sit(store)
    store.claim(anna)
    with pytest.raises(Conflict, match="comes first"):
        store.save(anna, [judgement("0-1")], key="a")
    with pytest.raises(Conflict, match="not open"):
        store.save(anna, [judgement("1-0")], key="b")
    assert list(store.judgements()) == []


def test_a_page_is_saved_whole_or_not_at_all(store: Store) -> None:
    anna = sit(store)
    store.claim(anna)
    store.save(anna, [judgement("0-0")], key="a")
    with pytest.raises(Conflict):
        store.save(anna, [judgement("0-1"), judgement("0-0")], key="b")
    assert len(list(store.judgements())) == 1


def test_changing_ones_mind_where_it_is_allowed_keeps_the_former_judgement(url: str) -> None:
    store = Store(url, campaign(going_back=True))
    anna = sit(store)
    store.claim(anna)
    store.save(anna, [judgement("0-0", score=10)], key="a")
    store.save(anna, [judgement("0-0", score=20)], key="b")
    assert [one.score for one in store.judgements()] == [20]
    assert [event["former"]["score"] for event in store.events() if event["kind"] == "revised"] == [10]
    store.close()


def test_a_task_is_closed_when_all_is_judged_and_not_before(store: Store) -> None:
    anna = sit(store)
    store.claim(anna)
    store.save(anna, [judgement("0-0"), judgement("0-1")], key="a")
    with pytest.raises(Conflict, match="1 items are not judged"):
        store.finish(anna, "t0")
    store.save(anna, [judgement("0-2")], key="b")
    store.finish(anna, "t0", comment="fine")
    store.finish(anna, "t0", comment="again")
    assert (store.finished(anna), store.current(anna)) == (("t0",), None)
    assert [(place.state, place.judged, place.comment) for place in store.places()] == [
        ("done", 3, "fine"),
        ("free", 0, ""),
    ]
    assert store.save(anna, [judgement("0-2")], key="b") is False  # a late repetition is still acknowledged


def test_nobody_does_a_task_twice_in_whatever_session(url: str) -> None:
    store = Store(url, campaign(tasks=1, copies=2, items=1))
    first, second = sit(store, session="s1"), sit(store, session="s2")
    assert (first.number != second.number, store.claim(first), store.claim(second)) == (True, "t0", None)
    assert store.claim(sit(store, "bob")) == "t0"
    store.close()


def test_a_worker_gets_no_more_tasks_than_allowed(url: str) -> None:
    store = Store(url, campaign(tasks=3, items=1, most=2))
    anna = sit(store)
    for name in ("t0", "t1"):
        assert store.claim(anna) == name
        store.save(anna, [judgement(f"{name[1:]}-0")], key=name)
        store.finish(anna, name)
    assert (store.available(anna), store.claim(anna)) == (None, None)
    store.close()


def test_reserved_places_wait_for_their_assessor(url: str) -> None:
    tasks = tuple(
        CampaignTask(f"t{at}", at + 1, "fluency", (Item(f"{at}-0", candidates=("x",)),), assessors=(name,))
        for at, name in enumerate(["bob", "anna"])
    )
    store = Store(url, Campaign("c", tasks, {"fluency": get_protocol("fluency")}))
    assert [store.claim(sit(store, name)) for name in ("cyd", "anna", "bob")] == [None, "t1", "t0"]
    store.close()


def test_an_abandoned_task_goes_to_the_next_and_back_to_its_first_assessor_if_still_free(store: Store) -> None:
    anna, bob = sit(store), sit(store, "bob")
    assert store.claim(anna) == "t0"
    store.save(anna, [judgement("0-0")], key="a")
    assert store.release(silent=timedelta(hours=1)) == 0
    assert store.release(silent=timedelta(0)) == 1
    with pytest.raises(Conflict, match="not open"):
        store.save(anna, [judgement("0-1")], key="b")
    assert store.claim(anna) == "t0"  # nobody had taken it: she goes on where she was
    assert set(store.answers(anna, "t0")) == {"0-0"}
    store.release(silent=timedelta(0))
    assert store.claim(bob) == "t0"
    assert store.answers(bob, "t0") == {}
    assert store.claim(anna) == "t1"
    assert len(list(store.judgements())) == 1


def test_drafts_are_kept_apart_and_vanish_when_the_item_is_judged(store: Store) -> None:
    anna, bob = sit(store), sit(store, "bob")
    store.claim(anna)
    store.claim(bob)
    store.save_draft(anna, task="t0", item="0-0", draft={"score": 3})
    store.save_draft(anna, task="t0", item="0-0", draft={"score": 4})
    assert (store.draft(anna, item="0-0"), store.draft(bob, item="0-0")) == ({"score": 4}, None)
    assert list(store.judgements()) == []
    with pytest.raises(Conflict, match="not open"):
        store.save_draft(bob, task="t0", item="0-1", draft={})
    store.save(anna, [judgement("0-0")], key="a")
    assert store.draft(anna, item="0-0") is None


def test_tokens_are_not_in_the_database(store: Store, url: str) -> None:
    seat = store.admit(worker="anna", token="a-very-secret-token")
    assert store.seat("a-very-secret-token") == seat
    assert store.seat("") is None
    with pytest.raises(InputError, match="another assessor's"):
        store.admit(worker="bob", token="a-very-secret-token")
    if url.startswith("sqlite"):
        folder = Path(url.removeprefix("sqlite:///")).parent
        assert not any(b"a-very-secret-token" in file.read_bytes() for file in folder.iterdir())


def test_consent_is_remembered(store: Store) -> None:
    anna = sit(store)
    assert (anna.consented, anna.instructed) == (False, False)
    store.mark(anna, "consented")
    store.mark(anna, "consented")
    again = store.seat("token of anna ")
    assert again is not None
    assert (again.consented, again.instructed) == (True, False)
    assert [event["kind"] for event in store.events()] == ["arrived", "consented"]


def test_places_are_never_given_twice_when_all_come_at_once(url: str) -> None:
    store = Store(url, campaign(tasks=5, copies=3, items=1))
    seats = [sit(store, f"worker {at}") for at in range(20)]
    given: list[str | None] = []
    gate = threading.Barrier(len(seats) * 2)

    def come(seat: Seat) -> None:
        gate.wait()
        given.append(store.claim(seat))

    threads = [threading.Thread(target=come, args=(seat,)) for seat in seats for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    held = Counter(place.task for place in store.places() if place.worker)
    assert held == Counter({f"t{at}": 3 for at in range(5)})
    assert len({place.worker for place in store.places()}) == 15
    assert (len(given), given.count(None)) == (40, 10)  # twice each: 15 hold one, 5 came too late
    store.close()


def test_first_copies_are_handed_out_before_second_ones(url: str) -> None:
    store = Store(url, campaign(tasks=2, copies=2))
    assert [store.claim(sit(store, name)) for name in "abcd"] == ["t0", "t1", "t0", "t1"]
    store.close()


def test_a_database_is_opened_again_and_another_campaign_under_its_name_refused(url: str) -> None:
    Store(url, campaign()).close()
    Store(url, campaign()).close()
    with pytest.raises(InputError, match="another campaign"):
        Store(url, campaign(items=4))


def test_a_connection_that_breaks_is_made_again_and_nothing_is_lost(
    postgresql: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server is killed with all its processes and comes back at another address that the URL names."""
    postgresql.empty()
    kept = Store(postgresql.url, campaign())
    anna = sit(kept)
    kept.claim(anna)
    assert kept.save(anna, [judgement("0-0", score=10)], key="first")
    postgresql.kill()
    monkeypatch.setattr(storing, "PATIENCE", 0.3)
    with pytest.raises(DatabaseAway, match="does not answer"):
        kept.save(anna, [judgement("0-1", score=20)], key="second")
    monkeypatch.setattr(storing, "PATIENCE", 30)
    back = threading.Timer(0.5, postgresql.start, [PORTS[1]])
    back.start()
    assert kept.save(anna, [judgement("0-1", score=20)], key="second")
    assert not kept.save(anna, [judgement("0-0", score=10)], key="first")
    back.join()
    assert [one.score for one in kept.judgements()] == [10, 20]
    kept.close()


def test_postgresql_is_set_to_lose_nothing(postgresql: Cluster) -> None:
    """Also where the server would rather answer before anything is on disk."""
    postgresql.empty()
    for wanted, found in (("off", "on"), ("remote_apply", "remote_apply")):
        kept = Store(f"{postgresql.url}&options=-csynchronous_commit%3D{wanted}", campaign())
        with kept._engine.connect() as connection:
            assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == found
        kept.close()


def test_sqlite_is_set_to_lose_nothing(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path}/x.sqlite", campaign())
    with store._engine.connect() as connection:
        found = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")]
    assert found == ["wal", 2]
    store.close()


@pytest.mark.parametrize(
    ("url", "error", "words"),
    [
        ("nonsense", SettingError, "no database URL"),
        ("mysql://x/y", SettingError, "SQLite or PostgreSQL"),
        ("sqlite:////nonexistent/folder/x.sqlite", FileError, "cannot open the database"),
        ("postgresql://judge:secret@127.0.0.1:1/x", FileError, "cannot open the database"),
    ],
)
def test_a_bad_database_is_one_clear_sentence(url: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        Store(url, campaign())
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("missing", "url", "extra"),
    [("sqlalchemy", "sqlite://", "dragoman[server]"), ("psycopg", "postgresql://x/y", "dragoman[postgresql]")],
)
def test_what_is_not_installed_is_named(missing: str, url: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingDependency) as caught:
        Store(url, campaign())
    assert extra in caught.value.remedy


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4), st.integers(0, 100), st.booleans()), max_size=40))
def test_whatever_is_sent_what_was_acknowledged_is_stored(
    tmp_path_factory: pytest.TempPathFactory, messages: list[tuple[int, int, int, bool]]
) -> None:
    """Three assessors send items in any order, some messages twice; the file holds what they were told it holds."""
    folder = tmp_path_factory.mktemp("store")
    store = Store(f"sqlite:///{folder}/x.sqlite", campaign(tasks=1, items=5, copies=3))
    seats = [sit(store, f"w{at}") for at in range(3)]
    for seat in seats:
        store.claim(seat)
    acknowledged: dict[tuple[str, str], float] = {}
    for number, (who, item, score, twice) in enumerate(messages):
        one = judgement(f"0-{item}", seats[who].worker, score)
        for _ in range(2 if twice else 1):
            try:
                if store.save(seats[who], [one], key=f"k{number}"):
                    acknowledged[one.assessor, one.item] = score
            except Conflict:
                assert (one.assessor, one.item) in acknowledged or item > 0
    store.close()
    with sqlite3.connect(folder / "x.sqlite") as raw:
        assert raw.execute("SELECT count(*) FROM judgements").fetchone() == (len(acknowledged),)
    raw.close()
    again = Store(f"sqlite:///{folder}/x.sqlite", campaign(tasks=1, items=5, copies=3))
    assert {(one.assessor, one.item): one.score for one in again.judgements()} == acknowledged
    again.close()
