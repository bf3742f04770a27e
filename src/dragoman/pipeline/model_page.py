"""A model on a page that a person can read: languages, size, data, quality, what it can do, where it came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dragoman.bundle import Bundle
from dragoman.pipeline.describe import stored_weights
from dragoman.pipeline.model import BUNDLE_KIND, tuned_facts
from dragoman.plain_data import parse_json
from dragoman.text.preprocessing import Preprocessing
from dragoman.tuning.families import Selection

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["model_page"]

_KINDS = {
    "phrase": "phrases",
    "gappy": "phrases with gaps",
    "hiero": "hierarchical rules",
    "lr-hiero": "hierarchical rules, left to right",
}
_CASES = {"truecase": "truecased", "lowercase": "lower-cased", "keep": "case as it is"}
_SEGMENTS = {"words": "cut into words by dictionary", "characters": "cut into characters"}


def model_page(path: Path | str) -> Table:
    """What a translation model is, in a table of two columns."""
    from rich.table import Table
    from rich.text import Text

    bundle = Bundle.open(path, kind=BUNDLE_KIND)
    report: Mapping[str, Any] = {}
    if "report.json" in bundle.sizes:
        file = bundle.file("report.json")
        report = parse_json(file.read_bytes(), where=str(file))
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column()
    for name, lines in _parts(bundle, report):
        for number, line in enumerate(lines):
            table.add_row("" if number else name, Text(line))
    return table


def _parts(bundle: Bundle, report: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    source, target = bundle.languages
    kind = str(bundle.settings.get("decoder", ""))
    yield "model", [f"{source} to {target}, by {_KINDS.get(kind, kind)}"]
    yield "size", _size(bundle, report.get("stages", {}))
    yield "data", _data(report)
    yield "quality", _quality(report.get("stages", {}))
    kept = Selection.of(stored_weights(bundle)).kept
    yield "weights", [", ".join(f"{count:,} {family}" for family, count in kept.items())]
    yield "text", [f"{side}: {_text(bundle, folder)}" for side, folder in ((source, "source"), (target, "target"))]
    yield "can do", _abilities(bundle)
    yield "made", _origin(bundle)


def _size(bundle: Bundle, stages: Mapping[str, Any]) -> list[str]:
    table, models = stages.get("table", {}), stages.get("language model", {})
    parts = [f"{_megabytes(sum(bundle.sizes.values()))} in {len(bundle.sizes)} files"]
    if "rules" in table:
        parts.append(f"{table['rules']:,} rules")
    if "ngrams" in models:
        parts.append(f"a language model of order {models.get('order')} with {models['ngrams']:,} n-grams")
    parts += [f"a {name} model" for name in bundle.settings.get("bilingual_models", ())]
    return [", ".join(parts)]


def _megabytes(size: int) -> str:
    return f"{size / 2**30:.1f} GB" if size >= 2**30 else f"{max(size / 2**20, 0.1):.1f} MB"


def _data(report: Mapping[str, Any]) -> list[str]:
    seen = report.get("preflight", {})
    lines = []
    for name, label in (("train", "trained on"), ("dev", "tuned on"), ("extra", "further text:")):
        size = seen.get(name)
        if size:
            tokens = [f"{size[f'{side}_tokens']:,} {side}" for side in ("source", "target") if size[f"{side}_tokens"]]
            lines.append(f"{label} {size['segments']:,} segments ({' and '.join(tokens)} tokens)")
    held = report.get("stages", {}).get("prepare", {}).get("dev_held_out")
    if held:
        lines.append(f"tuned on {held:,} segments held out of them")
    lines += [f"warning: {warning}" for warning in seen.get("warnings", [])]
    return lines or ["not on record"]


def _quality(stages: Mapping[str, Any]) -> list[str]:
    facts = tuned_facts(stages)
    if "dev_bleu" not in facts:
        return ["not measured"]
    tuned = stages.get("tuning", {})
    return [f"BLEU {facts['dev_bleu']:.1f} on the dev set, tuned by {tuned.get('tuner', 'none')}"]


def _text(bundle: Bundle, folder: str) -> str:
    settings = Preprocessing.load(bundle.path / folder / "preprocessor.toml")
    said = ["raw text" if settings.tokenize else "tokenised already", _CASES[settings.case]]
    if settings.segment in _SEGMENTS:
        said.append(_SEGMENTS[settings.segment])
    if settings.pieces != "words":
        said.append(f"words in {settings.pieces}")
    if settings.terms or settings.patterns:
        said.append(f"{len(settings.terms)} terms and {len(settings.patterns)} patterns are not translated")
    return ", ".join(said)


def _abilities(bundle: Bundle) -> list[str]:
    files = bundle.sizes
    able = {
        "translate raw text, with tags and placeholders kept": True,
        "say how sure it is (--confidence)": any(name.startswith("confidence") for name in files),
        "align new text (align --load)": any(name.startswith("aligner/") for name in files),
    }
    templates = [str(entry.get("name", "")) for entry in bundle.settings.get("templates", ())]
    lines = [what for what, there in able.items() if there]
    if templates:
        lines.append(f"sparse features: {', '.join(dict.fromkeys(templates))}")
    if bundle.settings.get("features"):
        lines.append("features in Python, which need --trust-features")
    return lines


def _origin(bundle: Bundle) -> list[str]:
    known = bundle.provenance
    lines = [f"{bundle.created} with dragoman {bundle.version}"]
    if known.get("command"):
        lines.append(str(known["command"]))
    lines += [
        f"from {each['path']} ({each['bytes']:,} bytes, sha256 {each['sha256'][:12]})"
        for each in known.get("inputs", ())
    ]
    lines += [f"{each['created']} {each['change']}" for each in known.get("changes", ())]
    return lines
