"""Errors that a user can mend: what is wrong, where, and what to do.

Every error that a person can cause derives from `DragomanError` and keeps its three parts, so that the command line
prints one line, a server answers with fields and a notebook shows a sentence. The kinds are few on purpose: a caller
tells apart what it can act on (a bad file, bad text, a bad setting, a missing piece), not where it was raised. Native
code throws the same kinds (`native/common/error.hpp`).
"""

from __future__ import annotations

__all__ = [
    "BundleError",
    "ClusterError",
    "DragomanError",
    "EncodingError",
    "FileError",
    "FormatError",
    "InputError",
    "LengthMismatch",
    "LimitReached",
    "MissingDependency",
    "SettingError",
    "UnknownName",
    "Unreachable",
    "UntrustedCode",
]


class DragomanError(Exception):
    """Something the user can mend: what is wrong, where (file, line, field), and what to do."""

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        self.what, self.where, self.remedy = what, where, remedy
        super().__init__("; ".join(filter(None, [f"{where}: {what}" if where else what, remedy])))

    def __reduce__(self) -> tuple[object, ...]:
        # Worker processes hand their errors back by pickling; keyword arguments need help with that.
        return _rebuild, (type(self), self.what, self.where, self.remedy)


def _rebuild(kind: type[DragomanError], what: str, where: str, remedy: str) -> DragomanError:
    return kind(what, where=where, remedy=remedy)


class FileError(DragomanError):
    """A file cannot be opened, read or written."""


class FormatError(DragomanError):
    """A file is not what its reader expects."""


class BundleError(FormatError):
    """A model bundle is incomplete, damaged, or of another version."""


class InputError(DragomanError):
    """Text or data that cannot be used."""


class EncodingError(InputError):
    """Bytes that are not UTF-8 text, or characters that no text file may hold."""


class LengthMismatch(InputError):
    """Files or lists that must be parallel have different lengths."""


class SettingError(DragomanError):
    """An option has a value that it cannot have."""


class LimitReached(DragomanError):
    """A limit of time or memory, which `what` names, ended the work."""


class UnknownName(DragomanError):
    """A name that no registry knows."""


class MissingDependency(DragomanError):
    """An optional package or program is not installed."""


class Unreachable(DragomanError):
    """Something outside this machine was needed and did not answer."""


class ClusterError(DragomanError):
    """A node of a cluster cannot do its part."""


class UntrustedCode(DragomanError):
    """Something would run code of others, and nobody said that it may."""
