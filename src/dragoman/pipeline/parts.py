"""A decoder from its parts: table, language models, reordering table, weights, ours or those of Moses.

Research changes one part at a time. Tables and models in our binary form are mapped; text forms (Moses tables, ARPA)
are read and turned into it, in a folder that can be kept for the next time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from dragoman._native import common
from dragoman.bundle import Bundle
from dragoman.cache import StageCache
from dragoman.errors import BundleError, FormatError, InputError, SettingError
from dragoman.features.language_model import LanguageModel
from dragoman.features.template_specs import template
from dragoman.features.weights import Weights
from dragoman.files import is_file, open_binary, require_file
from dragoman.grammar.moses import import_moses
from dragoman.grammar.table import RuleTable
from dragoman.lm import NgramModel
from dragoman.pipeline.model import BUNDLE_KIND
from dragoman.plain_data import read_toml
from dragoman.progress import ProgressCallback
from dragoman.search import DECODERS
from dragoman.search.base import Decoder, Feature
from dragoman.search.moses_ini import MosesModel, read_moses_ini, read_moses_weights

__all__ = [
    "decoder_from_moses",
    "decoder_from_parts",
    "is_model",
    "open_language_model",
    "open_table",
    "part_of",
    "read_weights",
    "reweighted",
]


def read_weights(path: Path | str, *, columns: Sequence[str] = ()) -> Weights:
    """Weights from a TOML file (`.toml`), a Moses file (`.ini`, for a table with `columns`), or `name value` lines."""
    if Path(path).suffix == ".ini":
        return read_moses_weights(path, columns)
    if Path(path).suffix != ".toml":
        return Weights.load(path)
    values = read_toml(path, remedy="write lines like `lm = 0.5`")
    found = dict(_flat(values.get("weights", values), "", str(path)))
    try:
        return Weights(found)
    except SettingError as error:
        raise FormatError(error.what, where=str(path), remedy=error.remedy) from None


def _flat(values: Mapping[str, Any], prefix: str, where: str) -> list[tuple[str, float]]:
    """Nested tables as dotted names: `phrase.ts = 0.2` is a table to TOML and a name to us."""
    found = []
    for name, value in values.items():
        if isinstance(value, Mapping):
            found += _flat(value, f"{prefix}{name}.", where)
        elif isinstance(value, bool) or not isinstance(value, int | float):
            raise FormatError(f"the weight of {prefix + name!r} is {value!r}", where=where, remedy="write a number")
        else:
            found.append((prefix + name, float(value)))
    return found


def open_table(
    path: Path,
    *,
    cache: StageCache,
    columns: Sequence[str] | None = None,
    reordering: Path | None = None,
    reordering_model: str = "msd-bidirectional-fe",
    progress: ProgressCallback | None = None,
) -> RuleTable:
    """Our table, mapped; or a Moses phrase table with its reordering table, turned into one."""
    require_file(path)
    if path.stat().st_size and common.is_binary_file(path):
        if reordering is not None:
            remedy = "ours hold reordering themselves; give a Moses phrase table, or leave it out"
            raise SettingError("a reordering table beside a table of ours", where=str(path), remedy=remedy)
        return RuleTable.open(path)

    def work(out: Path) -> None:
        import_moses(
            path,
            out / "table.rules",
            columns=columns,
            reordering=reordering,
            reordering_model=reordering_model,
            progress=progress,
        )

    inputs = {"table": path, **({"reordering": reordering} if reordering is not None else {})}
    settings = {"columns": list(columns or ()), "reordering": reordering_model if reordering is not None else ""}
    return RuleTable.open(cache.run("moses-table", work=work, inputs=inputs, settings=settings).file("table.rules"))


def open_language_model(path: Path, *, cache: StageCache) -> NgramModel:
    """Our model, mapped; or an ARPA file, turned into one."""
    with open_binary(path) as file:
        start = file.read(8)
    if start == b"DRAGOMAN":
        return NgramModel.open(path)
    if start == b"mmap lm ":
        raise FormatError("a binary model of KenLM", where=str(path), remedy="give the ARPA file it was made from")

    def work(out: Path) -> None:
        NgramModel.read_arpa(path).save(out / "lm.bin")

    return NgramModel.open(cache.run("arpa", work=work, inputs={"arpa": path}).file("lm.bin"))


def is_model(path: Path | str) -> bool:
    """Whether a path is the bundle of a model that translates."""
    if not is_file(Path(path) / "model.toml"):
        return False
    try:
        return Bundle.open(path).kind == BUNDLE_KIND
    except BundleError:
        return False


def part_of(path: Path, name: str, *, remedy: str = "") -> Path:
    """A file itself, or the part with that name of a model, where a model was given in its place."""
    if not is_model(path):
        return path
    if not (path / name).exists():
        raise BundleError(f"the model has no {name}", where=str(path), remedy=remedy)
    return path / name


def decoder_from_parts(
    table: RuleTable,
    language_models: Sequence[tuple[str, NgramModel]],
    weights: Weights | None = None,
    settings: Mapping[str, Any] | None = None,
    *,
    features: Sequence[Feature | str] = (),
) -> Decoder:
    """A decoder of the table's kind; without weights it has start weights, and sparse features weigh nothing."""
    models = [LanguageModel(name, model) for name, model in language_models]
    kind = DECODERS.get(table.kind)
    chosen = [template(given) if isinstance(given, str) else given for given in features]
    decoder = kind.open(lambda _: table.path, models, settings or {}, features=chosen)
    return decoder if weights is None else reweighted(decoder, weights)


D = TypeVar("D", bound=Decoder)


def reweighted(decoder: D, weights: Weights) -> D:
    """The decoder under other weights, if they are for its features."""
    decoder.check_weights(weights)
    if not any(weights.values()):
        raise InputError(
            "all weights are zero", remedy="name the model's features: " + ", ".join(decoder.feature_names)
        )
    return decoder.with_weights(weights)


def decoder_from_moses(ini: Path | str, *, cache: StageCache, progress: ProgressCallback | None = None) -> Decoder:
    """A decoder for a Moses model, unchanged, from its `moses.ini`."""
    found: MosesModel = read_moses_ini(ini)
    table = open_table(
        found.table,
        cache=cache,
        columns=found.columns,
        reordering=found.reordering,
        reordering_model=found.reordering_model,
        progress=progress,
    )
    models = [(name, open_language_model(path, cache=cache)) for name, path in found.language_models]
    return decoder_from_parts(table, models, found.weights, found.settings.differences())
