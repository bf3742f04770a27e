"""`moses.ini`: the file by which a Moses model says what it consists of, read and written.

Read is the form in use since 2013, with `[feature]` and `[weight]` sections; what it names is mapped to our parts and
feature names, and what has no counterpart here is refused by its name. Moses counts an unknown word as -100, we count
it as -1, so that its weight differs by that factor; all other values are equal.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dragoman.errors import FileError, FormatError
from dragoman.features.weights import Weights
from dragoman.files import read_lines, require_own_folder, writing
from dragoman.grammar.orientation import ReorderingModel
from dragoman.grammar.scoring import BASIC_COLUMNS
from dragoman.search.settings import HieroSettings, PhraseSettings, SearchSettings

__all__ = [
    "MosesLanguageModel",
    "MosesModel",
    "moses_folder",
    "read_moses_ini",
    "read_moses_weights",
    "write_moses_ini",
]

UNKNOWN_VALUE = 100.0
"""What Moses charges for an unknown word, where we charge 1."""

_MARK = "# written by dragoman export-moses"
"""The first line of a `moses.ini` of ours; Moses passes over it."""

_OLD = ("ttable-file", "lmodel-file", "distortion-file", "generation-file", "weight-t", "weight-l", "weight-d")
_LANGUAGE_MODELS = ("KENLM", "SRILM", "IRSTLM", "RANDLM", "LANGUAGEMODEL")
_PENALTIES = {"WordPenalty": "word_penalty", "PhrasePenalty": "phrase_penalty", "Distortion": "distortion"}
_ALGORITHMS = {"0": "stack", "1": "cube"}


@dataclass(frozen=True, slots=True)
class MosesModel:
    """The parts of a Moses model, with our names."""

    table: Path
    columns: tuple[str, ...]
    language_models: tuple[tuple[str, Path], ...]
    reordering: Path | None
    reordering_model: str
    weights: Weights
    settings: PhraseSettings = field(default_factory=PhraseSettings)


@dataclass(slots=True)
class _Feature:
    kind: str
    name: str
    options: Mapping[str, str]
    where: str

    def number(self, option: str, default: int) -> int:
        text = self.options.get(option, str(default))
        if not text.isdigit():
            raise FormatError(f"{option}={text} of {self.name}", where=self.where, remedy="it must be a number")
        return int(text)


def read_moses_ini(path: Path | str) -> MosesModel:
    """Read a `moses.ini`; files are looked for as named, beside it, and with `.gz`."""
    return _Reader(Path(path)).model()


class _Reader:
    def __init__(self, path: Path, *, only_weights: bool = False) -> None:
        self.path = path
        self.sections: dict[str, list[tuple[int, str]]] = {}
        current: list[tuple[int, str]] | None = None
        for number, raw in enumerate(read_lines(path), 1):
            line = raw.strip()
            if not line or line.startswith("#"):
                continue
            if heading := re.fullmatch(r"\[([^\]]+)\]", line):
                current = self.sections.setdefault(heading[1], [])
            elif current is None:
                raise FormatError("not a moses.ini: text before the first [section]", where=f"{path}, line {number}")
            else:
                current.append((number, line))
        old = [name for name in _OLD if name in self.sections]
        if old:
            raise FormatError(
                f"an old moses.ini: it has a section [{old[0]}]",
                where=str(path),
                remedy="name the parts with --table, --lm, --reordering-table and --weights instead",
            )
        for name in ("weight",) if only_weights else ("feature", "weight"):
            if name not in self.sections:
                raise FormatError(f"not a moses.ini: it has no section [{name}]", where=str(path))
        self.given = self._weights()
        self.used: set[str] = set()

    def model(self) -> MosesModel:
        features = self._features()
        table: _Feature | None = None
        reordering: _Feature | None = None
        columns: tuple[str, ...] = ()
        models: list[tuple[str, Path]] = []
        weights: dict[str, float] = {}
        model_name = ""
        for feature in features:
            if feature.kind.startswith("PhraseDictionary") or feature.kind == "ProbingPT":
                if table is not None:
                    raise self._no("a second phrase table", feature, "only one can be used")
                if feature.kind != "PhraseDictionaryMemory":
                    raise self._no(
                        f"a phrase table of kind {feature.kind}",
                        feature,
                        "give the text table it was made from, as PhraseDictionaryMemory",
                    )
                table = feature
                columns = _columns(feature.number("num-features", 4))
                weights |= zip(columns, self._take(feature, len(columns)), strict=True)
            elif feature.kind == "LexicalReordering":
                if reordering is not None:
                    raise self._no("a second reordering table", feature, "only one can be used")
                reordering = feature
                model_name, names = self._orientation(feature)
                weights |= zip(names, self._take(feature, len(names)), strict=True)
            elif feature.kind.upper() in _LANGUAGE_MODELS:
                name = "lm" if not models else f"lm_{len(models) + 1}"
                models.append((name, self._file(feature)))
                weights[name] = self._take(feature, 1)[0]
            elif feature.kind in _PENALTIES:
                weights[_PENALTIES[feature.kind]] = self._take(feature, 1)[0]
            elif feature.kind == "UnknownWordPenalty":
                weights["unknown"] = UNKNOWN_VALUE * self._take(feature, 1, default=1.0)[0]
            else:
                raise self._no(f"a feature called {feature.kind}", feature, "there is no such feature here")
        if table is None:
            raise FormatError("no phrase table among its features", where=str(self.path))
        if not models:
            raise FormatError("no language model among its features", where=str(self.path))
        unused = sorted(set(self.given) - self.used)
        if unused:
            raise FormatError(f"weights for {unused[0]}, which is no feature of it", where=str(self.path))
        return MosesModel(
            self._file(table),
            columns,
            tuple(models),
            self._file(reordering) if reordering else None,
            model_name,
            Weights(weights),
            self._settings(table),
        )

    def _features(self) -> list[_Feature]:
        counts: dict[str, int] = {}
        found = []
        for number, line in self.sections["feature"]:
            kind, *rest = line.split()
            where = f"{self.path}, line {number}"
            options = dict(_option(text, where) for text in rest)
            default = f"{kind}{counts.get(kind, 0)}"
            counts[kind] = counts.get(kind, 0) + 1
            found.append(_Feature(kind, options.get("name", default), options, where))
            for factor in ("input-factor", "output-factor", "factor"):
                if options.get(factor, "0") != "0":
                    raise FormatError(f"{factor}={options[factor]}", where=where, remedy="only factor 0 can be used")
        return found

    def _weights(self) -> dict[str, tuple[list[float], str]]:
        found: dict[str, tuple[list[float], str]] = {}
        for number, line in self.sections["weight"]:
            where = f"{self.path}, line {number}"
            name, equals, values = line.partition("=")
            if not equals:
                raise FormatError("not a weight", where=where, remedy="write it like `LM0= 0.5`")
            try:
                numbers = [float(value) for value in values.split()]
            except ValueError:
                raise FormatError(f"weights {values.strip()!r}", where=where, remedy="they must be numbers") from None
            if not all(map(math.isfinite, numbers)):
                raise FormatError(f"a weight of {name.strip()} is not finite", where=where)
            if name.strip() in found:
                raise FormatError(f"a second line of weights for {name.strip()}", where=where)
            found[name.strip()] = numbers, where
        return found

    def _take(self, feature: _Feature, count: int, *, default: float | None = None) -> list[float]:
        if feature.name not in self.given:
            if default is not None:
                return [default] * count
            raise FormatError(
                f"no weights for {feature.name}",
                where=str(self.path),
                remedy=f"add a line `{feature.name}= ...` to [weight]",
            )
        values, where = self.given[feature.name]
        self.used.add(feature.name)
        if len(values) != count:
            raise FormatError(f"{len(values)} weights for {feature.name}, which has {count} values", where=where)
        return values

    def _orientation(self, feature: _Feature) -> tuple[str, tuple[str, ...]]:
        kind = feature.options.get("type", "")
        if kind.endswith("-collapseff"):
            raise self._no("reordering of type collapseff", feature, "use allff, with a weight for each class")
        model = ReorderingModel.parse(kind.removesuffix("-allff"))
        if feature.number("num-features", len(model.columns)) != len(model.columns):
            raise self._no(
                f"{feature.options['num-features']} features for {kind}", feature, f"it has {len(model.columns)}"
            )
        return str(model), model.columns

    def _file(self, feature: _Feature) -> Path:
        named = feature.options.get("path", "")
        if not named:
            raise self._no("no path", feature, "add path=FILE")
        for folder in (Path(), self.path.parent):
            for suffix in ("", ".gz"):
                if (candidate := folder / f"{named}{suffix}").is_file():
                    return candidate
        raise FileError("no such file", where=named, remedy=f"it is named in {feature.where}")

    def _settings(self, table: _Feature) -> PhraseSettings:
        changes: dict[str, Any] = {"search": _ALGORITHMS.get(self._value("search-algorithm", "1"), "cube")}
        for section, name in (
            ("distortion-limit", "distortion_limit"),
            ("stack", "beam"),
            ("cube-pruning-pop-limit", "pop_limit"),
            ("max-phrase-length", "max_phrase_length"),
        ):
            text = self._value(section, "")
            if text and not re.fullmatch(r"-?\d+", text):
                raise FormatError(f"[{section}] {text}", where=str(self.path), remedy="it must be a number")
            if text:
                changes[name] = int(text)
        changes["option_limit"] = table.number("table-limit", 20) or 2**31
        if "drop-unknown" in self.sections:
            changes["unknown"] = "drop"
        if "mark-unknown" in self.sections:
            changes["unknown"] = "mark"
        return PhraseSettings(**changes)

    def _value(self, section: str, default: str) -> str:
        lines = self.sections.get(section)
        return lines[0][1] if lines else default

    def _no(self, what: str, feature: _Feature, remedy: str) -> FormatError:
        return FormatError(what, where=feature.where, remedy=remedy)


def read_moses_weights(path: Path | str, columns: Sequence[str]) -> Weights:
    """The `[weight]` section alone, for a table with these columns; features must have their usual names."""
    orientation = [name for name in columns if name.startswith("orientation.")]
    names: dict[str, list[str]] = {f"{kind}0": [ours] for kind, ours in _PENALTIES.items()}
    names["UnknownWordPenalty0"] = ["unknown"]
    names["TranslationModel0"] = [name for name in columns if name not in orientation]
    names["LexicalReordering0"] = orientation
    found: dict[str, float] = {}
    for name, (values, where) in _Reader(Path(path), only_weights=True).given.items():
        if model := re.fullmatch(r"LM(\d)", name):
            names[name] = ["lm" if model[1] == "0" else f"lm_{int(model[1]) + 1}"]
        if name not in names:
            raise FormatError(f"weights for {name}", where=where, remedy=f"known are {', '.join(names)}")
        if len(values) != len(names[name]):
            what = f"{len(values)} weights for {name}, which has {len(names[name])} values"
            raise FormatError(what, where=where)
        found |= zip(names[name], values, strict=True)
    if "unknown" in found:
        found["unknown"] *= UNKNOWN_VALUE
    return Weights(found)


def _option(text: str, where: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise FormatError(f"{text!r} is no option", where=where, remedy="write it like name=value")
    return name, value


def _columns(count: int) -> tuple[str, ...]:
    if count in (4, 5):
        return (*BASIC_COLUMNS, "penalty")[:count]
    return tuple(f"score.{index}" for index in range(count))


@dataclass(frozen=True, slots=True)
class MosesLanguageModel:
    """A language model as Moses uses it: our feature, its file and order, and the factor that it looks at."""

    feature: str
    path: Path
    order: int
    factor: int = 0


def moses_folder(folder: Path) -> Path:
    """The full path of a folder for the files of Moses, which is made; one that has other files in it is refused."""
    require_own_folder(folder, _own_files)
    folder.mkdir(parents=True, exist_ok=True)
    return folder.absolute()


def _own_files(folder: Path) -> list[str]:
    """What an earlier export has written: `moses.ini` and the files that it names."""
    ini = folder / "moses.ini"
    lines = list(read_lines(ini)) if ini.is_file() else []
    if lines[:1] != [_MARK]:
        return []
    named = (Path(word.removeprefix("path=")) for line in lines for word in line.split() if word.startswith("path="))
    return [ini.name, *(path.name for path in named if path.parent == folder.absolute())]


def write_moses_ini(
    path: Path | str,
    *,
    table: Path,
    columns: Sequence[str],
    language_models: Sequence[MosesLanguageModel],
    reordering: Path | None,
    reordering_model: ReorderingModel | None,
    weights: Mapping[str, float],
    settings: PhraseSettings,
) -> None:
    """Write a `moses.ini` that Moses reads."""
    factors = sorted({0, *(model.factor for model in language_models)})
    features, values = _penalties(weights, "phrase_penalty")
    features.append(
        f"PhraseDictionaryMemory name=TranslationModel0 num-features={len(columns)} path={table} "
        f"input-factor=0 output-factor={','.join(map(str, factors))} table-limit={settings.option_limit}"
    )
    values["TranslationModel0"] = [weights[name] for name in columns]
    if reordering is not None and reordering_model is not None:
        names = reordering_model.columns
        features.append(
            f"LexicalReordering name=LexicalReordering0 num-features={len(names)} type={reordering_model}-allff "
            f"input-factor=0 output-factor=0 path={reordering}"
        )
        values["LexicalReordering0"] = [weights[name] for name in names]
    features.append("Distortion")
    values["Distortion0"] = [weights["distortion"]]
    _add_language_models(language_models, weights, features, values)
    sections = {
        "mapping": ["0 T 0"],
        "distortion-limit": [str(settings.distortion_limit)],
        "search-algorithm": ["1" if settings.search == "cube" else "0"],
        "stack": [str(settings.beam)],
        "cube-pruning-pop-limit": [str(settings.pop_limit)],
        "max-phrase-length": [str(settings.max_phrase_length)],
    }
    _write(path, sections, settings, features, values)


def write_chart_ini(
    path: Path | str,
    *,
    table: Path,
    glue: Path,
    columns: Sequence[str],
    max_span: int,
    language_models: Sequence[MosesLanguageModel],
    weights: Mapping[str, float],
    settings: HieroSettings,
) -> None:
    """Write a `moses.ini` for the chart decoder of Moses.

    Moses counts its glue rules as phrases and uses one more of them than we do, besides one that begins the sentence
    and one that ends it: scores differ by the same number for all translations.
    """
    features, values = _penalties(weights, "rule_penalty")
    memory = "PhraseDictionaryMemory name=TranslationModel{} num-features={} path={} input-factor=0 output-factor=0"
    features.append(f"{memory.format(0, len(columns), table)} table-limit={settings.option_limit}")
    features.append(memory.format(1, 1, glue))
    values["TranslationModel0"] = [weights[name] for name in columns]
    values["TranslationModel1"] = [weights["glue"] - weights["rule_penalty"]]
    _add_language_models(language_models, weights, features, values)
    sections = {
        "mapping": ["0 T 0", "1 T 1"],
        "non-terminals": ["X"],
        "search-algorithm": ["3"],
        "inputtype": ["3"],
        "max-chart-span": [str(max_span), "10000"],
        "cube-pruning-pop-limit": [str(settings.pop_limit)],
    }
    _write(path, sections, settings, features, values)


def write_glue(path: Path | str) -> None:
    """The glue grammar that the chart decoder of Moses reads: beginning, end, and one more span."""
    with writing(path) as file:
        file.write("<s> [X] ||| <s> [S] ||| 1 ||| ||| 0\n")
        file.write("[X][S] </s> [X] ||| [X][S] </s> [S] ||| 1 ||| 0-0 ||| 0\n")
        file.write(f"[X][S] [X][X] [X] ||| [X][S] [X][X] [S] ||| {math.e!r} ||| 0-0 1-1 ||| 0\n")


def _penalties(weights: Mapping[str, float], rules: str) -> tuple[list[str], dict[str, list[float]]]:
    """Features that every model has, and their weights; `rules` is the feature that counts rules."""
    return ["UnknownWordPenalty", "WordPenalty", "PhrasePenalty"], {
        "UnknownWordPenalty0": [weights["unknown"] / UNKNOWN_VALUE],
        "WordPenalty0": [weights["word_penalty"]],
        "PhrasePenalty0": [weights[rules]],
    }


def _add_language_models(
    models: Sequence[MosesLanguageModel],
    weights: Mapping[str, float],
    features: list[str],
    values: dict[str, list[float]],
) -> None:
    for number, model in enumerate(models):
        features.append(f"KENLM name=LM{number} factor={model.factor} path={model.path} order={model.order}")
        values[f"LM{number}"] = [weights[model.feature]]


def _write(
    path: Path | str,
    sections: Mapping[str, Sequence[str]],
    settings: SearchSettings,
    features: Sequence[str],
    values: Mapping[str, Sequence[float]],
) -> None:
    """Write the sections and weights.

    Weights are scaled so that their absolute values sum to 1: Moses drops what scores worse than the best by more than
    a fixed amount, so that large weights would spoil its search.
    """
    scale = 1 / (sum(abs(value) for several in values.values() for value in several) or 1)
    everything = {
        "input-factors": ["0"],
        **sections,
        **({"drop-unknown": ["true"]} if settings.unknown == "drop" else {}),
        **({"mark-unknown": ["true"]} if settings.unknown == "mark" else {}),
        "feature": features,
        "weight": [f"{name}= {' '.join(repr(value * scale) for value in several)}" for name, several in values.items()],
    }
    with writing(path) as file:
        file.write(f"{_MARK}\n\n")
        file.write("\n".join(f"[{name}]\n" + "\n".join(content) + "\n" for name, content in everything.items()))
