"""What is this file? The answer behind `dragoman info`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dragoman._native import common
from dragoman.bundle import Bundle
from dragoman.errors import BundleError, FormatError
from dragoman.features.weights import Weights
from dragoman.files import checksum, open_binary
from dragoman.pipeline.model import BUNDLE_KIND
from dragoman.pipeline.stored_templates import read_features
from dragoman.text.catalog import read_card
from dragoman.tuning.families import Selection

__all__ = ["BINARY_KINDS", "describe", "stored_weights"]

BINARY_KINDS = {each.kind: each.what for each in common.binary_formats()}
"""Kinds of binary file, by the four letters in their header."""

_TEXT_STARTS = {
    b"\\data\\": "ARPA language model",
    b"<?xml": "XML document",
    b"<tmx": "TMX translation memory",
    b"# ": "text with comments (CoNLL-U, perhaps)",
}


def describe(path: Path | str, *, verify: bool = False) -> dict[str, Any]:
    """Kind, sizes and provenance of a bundle or file; `verify` recomputes checksums where there are any."""
    path = Path(path)
    if (path / "corpus.toml").is_file():
        return _describe_corpus(path, verify=verify)
    if path.is_dir():
        bundle = Bundle.open(path)
        if verify:
            bundle.verify()
        return {
            "what": f"bundle of kind {bundle.kind!r}",
            "languages": list(bundle.languages),
            "created": bundle.created,
            "dragoman": bundle.version,
            **(_describe_features(bundle) if bundle.kind == BUNDLE_KIND else {}),
            "settings": {name: value for name, value in bundle.settings.items() if name not in _SHOWN_APART},
            "provenance": dict(bundle.provenance),
            "files": dict(bundle.sizes),
            "bytes": sum(bundle.sizes.values()),
            "verified": verify,
        }
    with open_binary(path) as file:
        start = file.read(4096)
    if path.stat().st_size and common.is_binary_file(path):
        header = common.describe_binary_file(path, verify=verify)
        return {
            "what": BINARY_KINDS.get(header.kind, f"binary file of kind {header.kind!r}"),
            "format_version": header.version,
            "bytes": header.bytes,
            "section_bytes": list(header.section_bytes),
            "verified": verify,
        }
    if verify:
        raise FormatError("carries no checksum to verify", where=str(path))
    try:
        start.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(start) - 4:
            return {"what": "not text, and not a file of ours", "bytes": path.stat().st_size}
    kind = next((what for mark, what in _TEXT_STARTS.items() if start.lstrip().startswith(mark)), "plain text")
    with open_binary(path) as file:
        lines = sum(block.count(b"\n") for block in iter(lambda: file.read(2**20), b""))
    return {"what": kind, "lines": lines, "bytes": path.stat().st_size}


_SHOWN_APART = ("templates", "features")


def _describe_features(bundle: Bundle) -> dict[str, Any]:
    """Templates and Python features with their options, and how many weights each family has; nothing is imported."""
    try:
        templates = [
            ":".join(filter(None, (entry["name"], ",".join(_options(entry)))))
            for entry in bundle.settings.get("templates", ())
        ]
    except (KeyError, TypeError, AttributeError) as error:
        raise BundleError(f"damaged: its templates are not usable ({error})", where=str(bundle.path)) from None
    features = [str(each) for each in read_features(bundle.settings.get("features", ()), where=str(bundle.path))]
    kept = Selection.of(stored_weights(bundle)).kept
    return {
        **({"templates": templates} if templates else {}),
        **({"features": features} if features else {}),
        "weights": dict(kept),
    }


def _options(entry: Mapping[str, Any]) -> Iterator[str]:
    """The options of a template as specifications have them."""
    for option, value in entry.items():
        if isinstance(value, dict):
            value = [value["default"], *(name for name in value["names"] if name != value["default"])]
        if option != "name":
            yield f"{option}={'+'.join(value) if isinstance(value, list) else value}"


def stored_weights(path: Bundle | Path | str) -> Weights:
    """The weights of a translation model, without opening it, or those of a file."""
    if not isinstance(path, Bundle) and Path(path).is_file():
        return Weights.load(path)
    bundle = path if isinstance(path, Bundle) else Bundle.open(path, kind=BUNDLE_KIND)
    return Weights.load(bundle.file(str(bundle.settings.get("weights"))))


def _describe_corpus(folder: Path, *, verify: bool) -> dict[str, Any]:
    """A folder made by `dragoman corpus get`."""
    card = read_card(folder)
    files: dict[str, Any] = card.get("files", {})
    for name, facts in files.items():
        if verify and checksum(folder / name) != facts["sha256"]:
            raise FormatError("differs from its checksum", where=str(folder / name), remedy="get the corpus again")
    known: dict[str, Any] = {key: card.get(key, "") for key in ("title", "languages", "license", "created", "command")}
    segments = {name: facts["segments"] for name, facts in files.items()}
    return {"what": "corpus", **known, "segments": segments, "verified": verify}
