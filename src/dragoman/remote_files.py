"""Files elsewhere: inputs and outputs by URL, on any file system that fsspec knows (s3, gcs, hdfs, sftp, http, ...).

What is read is fetched to this machine first, under its own name, because texts are read several times and models are
mapped into memory; what is made is sent when it is whole. A model is fetched once for each of its versions.

    >>> url_of("s3://bucket/corpus.de"), url_of(Path("s3://bucket/corpus.de")), url_of("corpus.de")
    ('s3://bucket/corpus.de', 's3://bucket/corpus.de', '')
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar, cast

from dragoman.errors import FileError, MissingDependency
from dragoman.files import user_cache, writing_directory

__all__ = ["fetched_bundle", "url_of", "with_urls"]

Function = TypeVar("Function", bound=Callable[..., Any])

_URL = re.compile(r"([a-z][a-z0-9+.-]+):/(/?)(.*)", re.IGNORECASE | re.DOTALL)


def url_of(path: Path | str) -> str:
    """The URL that is meant, if one is: a path that was made of one has lost a slash."""
    found = _URL.fullmatch(str(path))
    if found is None or Path(path).exists():
        return ""
    scheme, slash, rest = found.groups()
    return f"{scheme}://{rest}" if slash or scheme != "file" else f"file:///{rest}"


def with_urls(*inputs: str, several: Sequence[str] = (), output: str = "") -> Callable[[Function], Function]:
    """Let arguments of these names be URLs: inputs are fetched before the call, the output is sent after it.

    `inputs` are files if they are text or paths, and what else they may be is left alone; arguments in `several` are
    lists or tuples of such. What an output became here stays in the cache of the user, so that who gets a model back
    can use it.
    """

    def decorate(function: Function) -> Function:
        known = signature(function)

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            bound = known.bind(*args, **kwargs)
            with tempfile.TemporaryDirectory(prefix="dragoman-fetched-") as folder:
                for name in inputs:
                    if name in bound.arguments:
                        bound.arguments[name] = _near(bound.arguments[name], Path(folder))
                for name in several:
                    given = bound.arguments.get(name)
                    if isinstance(given, list | tuple):
                        near = [_near(each, Path(folder)) for each in given]
                        bound.arguments[name] = tuple(near) if isinstance(given, tuple) else near
                wanted = bound.arguments.get(output)
                url = url_of(wanted) if isinstance(wanted, str | Path) else ""
                if not url:
                    return function(*bound.args, **bound.kwargs)
                made = _kept(url, "made")
                bound.arguments[output] = made
                with _errors(url):
                    _system(url)  # before the work, not after it
                result = function(*bound.args, **bound.kwargs)
                _send(made, url)
                return result

        return cast(Function, call)

    return decorate


def fetched_bundle(path: Path | str) -> Path:
    """The folder of a bundle: a path as it is, or what a URL leads to, fetched if this version of it is not here."""
    url = url_of(path)
    if not url:
        return Path(path)
    with _errors(url):
        system, name = _system(url)
        version = hashlib.sha256(system.cat_file(f"{name}/SHA256SUMS")).hexdigest()[:16]
        place = _kept(url, version)
        if not place.is_dir():
            with writing_directory(place) as folder:
                _get(system, name, folder)
        return place


def _near(value: Any, folder: Path) -> Any:
    """A path of this machine in the place of a URL; segments in memory may look like one, and are none."""
    if not isinstance(value, str | Path) or not (url := url_of(value)):
        return value
    with _errors(url):
        system, name = _system(url)
        own = Path(tempfile.mkdtemp(dir=folder)) / Path(name).name
        system.get_file(name, os.fspath(own))
        return own


def _get(system: Any, name: str, folder: Path) -> None:
    base = name.rstrip("/")
    for file in system.find(base):
        own = folder / file.removeprefix(base).lstrip("/")
        own.parent.mkdir(parents=True, exist_ok=True)
        system.get_file(file, os.fspath(own))


def _send(made: Path, url: str) -> None:
    """Send a file or the files of a folder; the list of their checksums last, so that what is there is whole."""
    with _errors(url):
        system, name = _system(url)
        files = [made] if made.is_file() else sorted(path for path in made.rglob("*") if path.is_file())
        for file in sorted(files, key=lambda path: path.name == "SHA256SUMS"):
            target = name if file == made else f"{name.rstrip('/')}/{file.relative_to(made).as_posix()}"
            system.makedirs(target.rpartition("/")[0], exist_ok=True)
            system.put_file(os.fspath(file), target)


def _kept(url: str, version: str) -> Path:
    """A place in the cache of the user, under the name that the URL ends with."""
    place = (
        user_cache("fetched")
        / f"{hashlib.sha256(url.encode()).hexdigest()[:16]}-{version}"
        / (Path(url).name or "file")
    )
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def _system(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise MissingDependency("a URL needs fsspec", where=url, remedy="pip install 'dragoman[ray]'") from None
    return cast(tuple[Any, str], url_to_fs(url))


@contextlib.contextmanager
def _errors(url: str) -> Iterator[None]:
    """What goes wrong with a URL; packages for file systems have errors of all kinds."""
    try:
        yield
    except ImportError as error:
        raise MissingDependency(f"{error}", where=url, remedy="install what fsspec names for this address") from None
    except (OSError, ValueError) as error:
        what = "no such file" if isinstance(error, FileNotFoundError) else str(error) or type(error).__name__
        raise FileError(what, where=url, remedy="check the address, and whether you may read and write there") from None
