"""Signed arrivals: tokens as Prolific makes them, from a key of our own, and all that could be wrong with one."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from dragoman.assessment.crowd_entrance import CrowdEntrance
from dragoman.assessment.platform_tokens import ISSUER, PlatformKeys, SignedArrivals
from dragoman.errors import FileError, FormatError, SettingError
from tests.assessment.web.house import Assessor, House

Serve = Callable[..., House]
HOST, STUDY = "judge.example.org", "63d0f1c5a9"


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def write_keys(path: Path, **keys: rsa.RSAPrivateKey) -> Path:
    listed = [
        {**jwt.algorithms.RSAAlgorithm.to_jwk(one.public_key(), as_dict=True), "kid": name, "use": "sig"}
        for name, one in keys.items()
    ]
    path.write_text(json.dumps({"keys": listed}), "utf-8")
    return path


def token(key: Any, worker: str = "5f0", session: str = "s", *, algorithm: str = "RS256", **change: Any) -> str:
    """A token as Prolific makes it, with what is wrong about it."""
    said = {"PROLIFIC_PID": worker, "STUDY_ID": change.pop("study", STUDY), "SESSION_ID": session, "workspace_id": "w"}
    kid = change.pop("kid", "one")
    claims = {
        "iss": ISSUER,
        "aud": f"https://{HOST}/c/token?PROLIFIC_PID={worker}",
        "exp": int(time.time()) + 300,
        "sub": session,
        "prolific": said,
        **change,
    }
    claims = {name: value for name, value in claims.items() if value is not None}
    return jwt.encode(claims, key, algorithm=algorithm, headers={"kid": kid})


@pytest.fixture
def house(serve: Serve, key: rsa.RSAPrivateKey, tmp_path: Path) -> House:
    keys = write_keys(tmp_path / "keys.json", one=key)
    return serve(tasks=3, crowd={"keys": str(keys), "audience": HOST, "studies": [STUDY]})


def come(house: House, *, client: httpx.Client | None = None, **query: str) -> httpx.Response:
    return (client or house.client()).get(f"/c/{house.access.crowd}", params=query)


def test_a_signed_worker_works_under_the_signed_name(house: House, key: rsa.RSAPrivateKey) -> None:
    client = house.client()
    said = {"PROLIFIC_PID": "another", "SESSION_ID": "invented"}
    come(house, client=client, prolific_token=token(key), **said).raise_for_status()
    assert Assessor(client).begin().judge(50).status_code == 200
    assert [one.assessor for one in house.store.judgements()] == ["prolific:5f0"]
    # The platform vouches for who it is: the same worker comes back on another device, in another session.
    house.store.release(silent=house.store._crowd.silent * 0)
    assert come(house, prolific_token=token(key, session="t")).status_code == 200


def test_what_nobody_signed_opens_nothing(house: House, key: rsa.RSAPrivateKey) -> None:
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    good = token(key)
    wrong = {
        "no token": "",
        "not a token": "x.y.z",
        "cut off": good[:-8],
        "another key under the same name": token(stranger),
        "a key that is not known": token(stranger, kid="two"),
        "no signature": token(None, algorithm="none"),
        "a shared secret": token("secret" * 8, algorithm="HS256"),
        "expired": token(key, exp=int(time.time()) - 5),
        "never expires": token(key, exp=None),
        "another issuer": token(key, iss="https://prolific.example.org"),
        "another host": token(key, aud="https://evil.example.org/?x=judge.example.org"),
        "a host that ends alike": token(key, aud=f"https://evil-{HOST}/"),
        "no host": token(key, aud=None),
        "another study": token(key, study="0"),
        "no worker": token(key, worker=""),
        "an id that cannot be": token(key, worker="x/../y"),
        "nothing said": token(key, prolific=None),
        "a name of a key that is none": jwt.encode({"exp": 2**40}, key, algorithm="RS256", headers={}),
    }
    for what, each in wrong.items():
        client = house.client()
        answer = come(house, client=client, prolific_token=each, PROLIFIC_PID="5f0", SESSION_ID="s")
        assert (answer.status_code, bool(client.cookies)) == (403, False), what
    assert come(house, PROLIFIC_PID="5f0", SESSION_ID="s").status_code == 403
    assert come(house, workerId="A1", assignmentId="B").status_code == 403
    assert come(house, prolific_token=good).status_code == 200
    assert come(house, prolific_token=token(key, "5f1", aud=[HOST])).status_code == 200


def test_keys_are_fetched_anew_but_not_for_every_stranger(key: rsa.RSAPrivateKey, tmp_path: Path) -> None:
    now = [0.0]
    path = write_keys(tmp_path / "keys.json", one=key)
    keys = PlatformKeys(str(path), clock=lambda: now[0])
    assert keys.find("one") is not None
    write_keys(path, two=key)
    assert keys.find("two") is None  # asked a moment ago
    now[0] = 61
    assert keys.find("two") is not None
    assert keys.find("one") is None
    path.write_text("no longer keys", "utf-8")
    now[0] = 3600 * 25
    assert keys.find("two") is not None  # those of before stay in force
    for text, error in (("{}", FormatError), ('{"keys": []}', FormatError), ('{"keys": [{"kid": 1}]}', FormatError)):
        path.write_text(text, "utf-8")
        with pytest.raises(error):
            keys.fetch()
    with pytest.raises(FileError):
        PlatformKeys(str(tmp_path / "missing")).fetch()


def test_keys_need_an_audience(key: rsa.RSAPrivateKey, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="audience"):
        CrowdEntrance(keys="keys.json")
    anywhere = CrowdEntrance(keys=str(write_keys(tmp_path / "keys.json", one=key)), audience=HOST)
    assert SignedArrivals(anywhere).visitor(token(key, study="any")) == ("prolific:5f0", "s")
