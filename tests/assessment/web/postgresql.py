"""A PostgreSQL server of our own, on sockets in a temporary folder, that can be killed and come back elsewhere."""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PORTS = (5432, 5433)
"""What the sockets are called: a server that comes back after a failure may have another address."""


class Cluster:
    """The data of a server, and the server while it runs."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs, self._folder = programs, folder
        # PostgreSQL refuses to run as root: lend the folder to the user that its package made.
        root = os.geteuid() == 0
        user = "postgres" if root else getpass.getuser()
        self._become: dict[str, Any] = {"user": user, "group": user, "extra_groups": ()} if root else {}
        if root:
            shutil.chown(folder, user, user)
        self._run("initdb", "-A", "trust", "-U", "judge", "-E", "UTF8", "--no-sync")

    @property
    def url(self) -> str:
        """All the addresses at which the server may be."""
        return f"postgresql://judge@/postgres?{'&'.join(f'host={self._folder}:{port}' for port in PORTS)}"

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), "-D", str(self._folder / "data"), *arguments]
        subprocess.run(command, check=True, capture_output=True, cwd=self._folder, **self._become)

    def start(self, port: int = PORTS[0]) -> None:
        options = f"-c listen_addresses='' -c unix_socket_directories={self._folder} -c port={port} -c fsync=off"
        deadline = time.monotonic() + 15
        while True:  # memory of a server that was killed is free when the last of its processes has gone
            try:
                return self._run("pg_ctl", "-w", "-l", str(self._folder / "log"), "-o", options, "start")
            except subprocess.CalledProcessError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def kill(self) -> None:
        """End it with all its processes, without a word."""
        first = int((self._folder / "data" / "postmaster.pid").read_text("utf-8").split()[0])
        children = Path(f"/proc/{first}/task/{first}/children").read_text("utf-8").split()
        for number in (first, *map(int, children)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        deadline = time.monotonic() + 20
        while Path(f"/proc/{first}/stat").exists() and _state(first) != "Z":
            assert time.monotonic() < deadline
            time.sleep(0.01)
        # A process whose parent does not ask after it still has its number: the next server would take it for alive.
        (self._folder / "data" / "postmaster.pid").unlink()

    def stop(self) -> None:
        self._run("pg_ctl", "-m", "immediate", "stop")

    def empty(self) -> None:
        """Drop everything that a test left."""
        from sqlalchemy import create_engine, text

        engine = create_engine(self.url.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text("DROP SCHEMA public CASCADE"))
            connection.execute(text("CREATE SCHEMA public"))
        engine.dispose()


def _state(process: int) -> str:
    try:
        return Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return "Z"


@contextlib.contextmanager
def running() -> Iterator[Cluster]:
    """A server; missing on a laptop skips the tests that need it, missing in CI fails them."""
    programs = [Path(found).parent for found in [shutil.which("initdb")] if found]
    programs += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    home = next((folder for folder in programs if (folder / "initdb").exists()), None)
    if home is None:
        if os.environ.get("CI"):
            pytest.fail("PostgreSQL must be installed in CI")
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    with tempfile.TemporaryDirectory(prefix="pg", dir="/tmp") as folder:
        cluster = Cluster(home, Path(folder))
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop()
