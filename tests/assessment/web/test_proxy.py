"""The guide's configuration of nginx, as it stands there, before a server of ours."""

from __future__ import annotations

import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from tests.assessment.web.house import House, make_campaign, open_house

GUIDE = Path(__file__).parents[3] / "docs" / "how-to" / "assess-serve.md"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def listens(port: int) -> bool:
    with socket.socket() as line:
        return line.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def proxied(house: House, folder: Path) -> Iterator[int]:
    """nginx with the guide's configuration, at its port; only places and a time are other ones."""
    nginx = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
    if nginx is None or shutil.which("openssl") is None:
        if os.environ.get("CI"):
            pytest.fail("nginx and openssl must be installed in CI")
        pytest.skip("no nginx here (Debian: apt-get install nginx-light)")
    found = re.search(r"```nginx\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    assert found is not None
    key, certificate, port = folder / "judge.key", folder / "judge.pem", free_port()
    make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    make += ["-keyout", str(key), "-out", str(certificate), "-subj", "/CN=judge.example.org"]
    subprocess.run(make, check=True, capture_output=True)
    replaced = {
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "/etc/ssl/judge.pem": str(certificate),
        "/etc/ssl/judge.key": str(key),
        "/var/log/nginx/": f"{folder}/",
        "http://127.0.0.1:8080": house.url,
        "client_header_timeout 10s": "client_header_timeout 1s",
    }
    text = found[1]
    for name, value in replaced.items():
        assert name in text
        text = text.replace(name, value)
    kept = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    whole = f"""daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/start.log crit;
        events {{ worker_connections 500; }}
        http {{ access_log off; {kept} {text} }}"""
    (folder / "nginx.conf").write_text(whole, "utf-8")
    process = subprocess.Popen([nginx, "-c", str(folder / "nginx.conf"), "-e", str(folder / "start.log")])
    try:
        deadline = time.monotonic() + 20
        while not listens(port):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait(timeout=20)


def half(port: int) -> ssl.SSLSocket:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    line = context.wrap_socket(
        socket.create_connection(("127.0.0.1", port), source_address=("127.0.0.2", 0), timeout=20)
    )
    line.sendall(b"GET /health HTTP/1.1\r\nHost: judge.example.org\r\nX-Slow: ")
    return line


def test_the_guides_proxy_serves_limits_and_logs_no_key(tmp_path: Path) -> None:
    logs = tmp_path / "nginx"
    logs.mkdir()
    with ExitStack() as stack:
        inner = stack.enter_context(ExitStack())
        house = inner.enter_context(open_house(make_campaign(crowd={"per_address": 3}), tmp_path))
        port = stack.enter_context(proxied(house, logs))
        client = httpx.Client(base_url=f"https://127.0.0.1:{port}", verify=False, follow_redirects=True)
        stack.enter_context(client)
        token, crowd = house.access.assessors[0].token, house.access.crowd

        entered = client.get(f"/t/{token}")
        assert entered.status_code == 200
        assert "Secure" in entered.history[0].headers["set-cookie"].split("; ")
        assert client.get("/api/work").json()["stage"] == "begin"
        assert client.post("/api/begin", content=b"x" * 300_000).status_code == 413

        # Who has come is told by the proxy, and cannot be made up by the visitor.
        door = f"/c/{crowd}?PROLIFIC_PID=x{{}}&SESSION_ID=s"
        told = [client.get(door.format(at), headers={"X-Forwarded-For": f"9.9.9.{at}"}) for at in range(5)]
        assert [answer.status_code for answer in told] == [200] * 3 + [429] * 2
        assert 503 in [client.get(f"/c/{crowd}?flood").status_code for _ in range(60)]

        lines = [half(port) for _ in range(60)]
        assert client.get("/health").json() == {"status": "ok"}
        began = time.monotonic()
        for line in lines:
            with line, suppress(ConnectionResetError):
                while line.recv(1000):
                    pass
        assert time.monotonic() - began < 15  # a head has its time, and then the line is closed

        client.get(f"/o/{house.access.organizer}")
        inner.close()
        assert client.get(f"/t/{token}").status_code == 502  # what goes wrong is not told with the address, either
    written = "".join(file.read_text("utf-8") for file in logs.glob("*.log"))
    assert "GET 200" in written
    for secret in (token, crowd, house.access.organizer, "PROLIFIC_PID"):
        assert secret not in written
