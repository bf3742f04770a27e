"""Apt as a downloader: Debian's indices and packages fetched into a folder of our own, without root.

Apt already knows the mirrors, proxies and keys of this machine, resumes broken downloads and checks signatures, so it
is asked to do all that with its state and cache turned to a private folder. Nothing of the machine's own package
database is read or written, hooks that other programs hang on apt are switched off, and nothing is installed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dragoman.errors import FileError, MissingDependency, SettingError, Unreachable
from dragoman.files import user_cache
from dragoman.progress import Progress, ProgressCallback

__all__ = ["Apt", "Index"]

_COLUMNS = ("CREATED_BY", "RELEASE", "COMPONENT", "ORIGIN", "VERSION", "LANGUAGE", "FILENAME")
_HOOKS = ("APT::Update::Pre-Invoke", "APT::Update::Post-Invoke", "APT::Update::Post-Invoke-Success")
_STATUS = re.compile(rb"(?:dl|pm)status:[^:]*:([0-9.]+):")


@dataclass(frozen=True, slots=True)
class Index:
    """One index of an archive: `kind` is `Packages` or `Translations`, `version` that of the release."""

    kind: str
    release: str
    component: str
    origin: str
    version: str
    language: str
    path: Path


class Apt:
    """Fetches indices and packages from the archives that this machine is set up for."""

    def __init__(self, folder: Path | None = None, *, progress: ProgressCallback | None = None) -> None:
        self.folder, self._progress = (folder or user_cache("apt")).absolute(), progress
        self.complaints: list[str] = []
        """What apt could not fetch the last time it was asked to."""
        program = shutil.which("apt-get")
        if program is None:
            raise MissingDependency(
                "apt-get is not installed", remedy="run this on Debian or a derivative, or name the files with --from"
            )
        self._program = program

    def update(self, languages: Sequence[str]) -> list[Index]:
        """Fetch the package lists and the translated descriptions in these languages."""
        self._configure(languages)
        self._run(["update"], stage="fetching indices")
        found = self.indices()
        if not found:
            raise Unreachable(
                "the Debian archive did not answer",
                where=self.complaints[0] if self.complaints else "",
                remedy="check the network and the machine's source list, or name files that you have with --from",
            )
        return found

    def indices(self) -> list[Index]:
        """The indices that are here now."""
        form = "\t".join(f"$({column})" for column in _COLUMNS)
        rows = [line.split("\t") for line in self._run(["indextargets", "--format", form]).splitlines()]
        return [
            Index(kind, release, component, origin, version, "" if language.startswith("$") else language, Path(path))
            for kind, release, component, origin, version, language, path in rows
            if kind in {"Packages", "Translations"} and Path(path).exists()
        ]

    def download(self, packages: Sequence[str]) -> list[Path]:
        """The `.deb` files of packages, in their order; what was downloaded before is not fetched again."""
        self._configure(["en"])
        place = self.folder / "packages"
        place.mkdir(parents=True, exist_ok=True)
        before = {file: file.stat().st_mtime_ns for file in place.glob("*.deb")}
        self._run(["download", *packages], stage="fetching packages", cwd=place)
        found: list[Path] = []
        for package in packages:
            files = sorted(place.glob(f"{package}_*.deb"), key=lambda file: (file not in before, file.stat().st_mtime))
            if not files:
                raise Unreachable(
                    f"package {package!r} could not be fetched",
                    where=self.complaints[0] if self.complaints else "",
                    remedy="check the name and the network",
                )
            found.append(files[-1])
        return found

    def _configure(self, languages: Sequence[str]) -> None:
        if '"' in str(self.folder) or "\n" in str(self.folder):
            raise SettingError("apt cannot work in a folder with a quotation mark in its name", where=str(self.folder))
        try:
            for place in ("state/lists/partial", "cache/archives/partial"):
                (self.folder / place).mkdir(parents=True, exist_ok=True)
            (self.folder / "status").write_text("")  # nothing is installed, as far as this apt knows
        except OSError as error:
            raise FileError(f"cannot create: {error.strerror}", where=str(self.folder)) from None
        settings = {
            "Dir::State": self.folder / "state",
            "Dir::State::status": self.folder / "status",
            "Dir::Cache": self.folder / "cache",
            "Acquire::Languages": ",".join(languages),
            "Acquire::GzipIndexes": "false",
            "Acquire::Retries": "2",
            "Acquire::http::Timeout": "20",
            "Acquire::https::Timeout": "20",
            "APT::Sandbox::User": "root",
            **{f"Acquire::IndexTargets::{target}::DefaultEnabled": "false" for target in _UNWANTED},
        }
        text = "".join(f"#clear {hook};\n" for hook in _HOOKS)
        text += "".join(f'{name} "{value}";\n' for name, value in settings.items())
        (self.folder / "apt.conf").write_text(text, "utf-8")

    def _run(self, arguments: Sequence[str], *, stage: str = "", cwd: Path | None = None) -> str:
        command = [self._program, "--config-file", str(self.folder / "apt.conf")]
        receiving, sending = os.pipe()
        # Output goes to files and not to pipes: while we wait for the status line, nobody would empty the pipes.
        with (
            os.fdopen(receiving, "rb") as status,
            tempfile.TemporaryFile() as output,
            tempfile.TemporaryFile() as errors,
        ):
            try:
                process = subprocess.Popen(
                    [*command, "-o", f"APT::Status-Fd={sending}", *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=errors,
                    env=os.environ | {"LC_ALL": "C.UTF-8"},
                    pass_fds=[sending],
                    cwd=cwd,
                )
            finally:
                os.close(sending)
            with process:
                for line in status:
                    found = _STATUS.match(line)
                    if found and stage and self._progress is not None:
                        self._progress(Progress(stage, float(found[1]), 100.0))
            output.seek(0)
            errors.seek(0)
            text, remarks = (file.read().decode("utf-8", "replace") for file in (output, errors))
        if stage:
            self.complaints = [line[3:] for line in remarks.splitlines() if line.startswith(("E: ", "W: "))]
        return text


_UNWANTED = ("deb::DEP-11", "deb::DEP-11-icons-small", "deb::DEP-11-icons", "deb::Contents-deb", "deb-src::Sources")
