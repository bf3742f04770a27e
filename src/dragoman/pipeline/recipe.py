"""The recipe: everything that decides what a model becomes, in one value.

A recipe is kept in the bundle it made, read from and written to TOML, and is the same from Python, the command line and
a server. It says nothing about where text lies or how many threads work on it: those change nothing in the result. The
defaults are measured ones (`docs/experiments/multi30k`).

    >>> recipe = Recipe(order=4, tuner="none")
    >>> Recipe.from_dict(recipe.to_dict()) == recipe
    True
    >>> recipe.changed(["order=6", "reordering="]).reordering
    ''
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, cast

from dragoman.align import ALIGNERS, HEURISTICS
from dragoman.errors import FileError, FormatError, SettingError, UnknownName
from dragoman.features.imported import ImportedFeature
from dragoman.features.template import Domains
from dragoman.features.template_sets import template_specs
from dragoman.features.template_specs import TemplateSpec, split_specs
from dragoman.files import writing
from dragoman.grammar.orientation import ReorderingModel
from dragoman.grammar.scoring import Scoring
from dragoman.grammar.shards import Limits
from dragoman.pipeline.templates import usual_min_count
from dragoman.search.phrase import PhraseSettings
from dragoman.text.checks import RULES
from dragoman.text.preprocessing import Case, Preprocessing
from dragoman.tuning import TUNERS, tuner_named
from dragoman.tuning.base import Tuner
from dragoman.tuning.folds import LEARNER
from dragoman.tuning.online import Online

__all__ = ["Recipe"]

EXTRA_TEXT = ("interpolate", "separate")
FOLDS_FROM = 10_000
"""Pairs from which on folds of the text teach the weights of sparse templates enough to pay."""
FOLDS = 5
"""Parts that the text is cut into."""
FOLD_PAIRS = 30_000
"""Pairs that teach them all they can in a time that people wait."""
_SYMMETRIZE = (*HEURISTICS, "posterior", "agreement")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How raw text becomes a tuned model."""

    # Text
    tokenized: bool = False
    """The text is tokenised and cased as it should be: leave it as it is."""
    split: bool = True
    """Find the sentences within a segment; each is translated by itself."""
    case: str = "truecase"
    subwords: int = 0
    clean: tuple[str, ...] = ("empty", "control", "length", "ratio")
    """Rules by which pairs are removed; see `dragoman list rules`."""
    max_words: int = 100
    dev_size: int = 0
    """Pairs held out for tuning when there is no dev set; 0 is a twentieth, in round hundreds, if tuning needs them."""

    # Language models
    order: int = 5
    lm_prune: tuple[int, ...] = ()
    extra_text: str = "interpolate"
    """What further target text becomes: part of the model, mixed to fit the dev set, or a `separate` feature."""
    classes: int = -1
    """Word classes of a second model over classes; 0 for no such model. -1 is none for text of less than 10,000 lines,
    which teaches it too little, and else as many as usual: 512, or a tenth of a small vocabulary."""
    class_order: int = 7

    # Word alignment
    aligner: str = "bayes"
    symmetrize: str = "grow-diag-final-and"

    # Table
    max_phrase: int = 7
    smoothing: str = "kneser-ney"
    lexical: str = "links"
    min_probability: float = 1e-4
    count_bins: tuple[int, ...] = ()
    reordering: str = "hier-mslr-bidirectional-fe"
    """Model of lexicalised reordering; empty for none."""
    evidence: bool = False
    """Keep which training sentences taught each rule."""

    # Further features
    templates: tuple[str, ...] = ("auto",)
    """Sparse templates, `rule:min_count=10`, and sets of them, `extended+filtered`; see `dragoman list templates`.
    `auto` is the set `filtered` if its weights are learned on folds of the training text, and nothing else."""
    template_classes: int = 0
    """Word classes of each side for templates; 0 for as many as usual: 512, or a tenth of a small vocabulary."""
    template_min_count: int = 0
    """How often the bitext must have a rule for the sets that filter by that; 0 for 51, 10 below 100,000 pairs."""
    domains: tuple[str, ...] = ()
    """Domains that lines of the text may be labelled with; sentences without a label are of the first."""
    fold_pairs: int = -1
    """Pairs of the training text, cut into folds, on which the weights of templates are learned, each translated by
    models of the others (`dragoman.tuning.folds`); 0 to learn them on the dev set. -1 is up to 30,000 of 10,000 or more
    pairs; less text teaches too little."""
    fold_passes: int = 1
    """Passes over them."""
    fold_settings: tuple[str, ...] = ()
    """Settings of the online tuner that learns there, `name=value`, where they are not as usual."""
    features: tuple[str, ...] = ()
    """Features in Python modules, `module:Class:option=value`."""

    # Search
    distortion_limit: int = 6
    pop_limit: int = 400
    beam: int = 400
    option_limit: int = 20
    unknown: str = "copy"

    # Tuning
    tuner: str = "auto"
    """A tuner by name, `none`, or `auto`: the usual one with or without templates to learn (`usual_tuner`)."""
    tuner_settings: tuple[str, ...] = ()
    """Settings of the tuner, `name=value`."""
    metric: str = "bleu"
    iterations: int = 10
    nbest: int = 100
    seed: int = 1

    def __post_init__(self) -> None:
        choices: tuple[tuple[str, Iterable[str]], ...] = (
            ("extra_text", EXTRA_TEXT),
            ("aligner", ALIGNERS),
            ("symmetrize", _SYMMETRIZE),
            ("tuner", ("none", "auto", *TUNERS)),
        )
        for name, allowed in choices:
            if getattr(self, name) not in allowed:
                raise SettingError(f"{name} is {getattr(self, name)!r}", remedy=f"choose from {', '.join(allowed)}")
        for name, least in (
            ("max_words", 1),
            ("dev_size", 0),
            ("order", 1),
            ("classes", -1),
            ("class_order", 1),
            ("iterations", 1),
            ("nbest", 2),
            ("template_classes", 0),
            ("template_min_count", 0),
            ("fold_pairs", -1),
            ("fold_passes", 1),
        ):
            if getattr(self, name) < least:
                raise SettingError(f"{name} is {getattr(self, name)}", remedy=f"it must be at least {least}")
        for rule in self.clean:
            RULES.get(rule)
        self.preprocessing("en")
        self.template_specs(0), self.imported, self.tuning(0), self.learner
        self.search, self.scoring, self.limits  # noqa: B018 - a wrong setting is told now, not after an hour

    # What the stages need

    def preprocessing(self, language: str) -> Preprocessing:
        """Settings of the preprocessor of one side."""
        if self.tokenized:
            return Preprocessing(language=language, tokenize=False, normalize=False, case="keep", protect=())
        return Preprocessing(language=language, case=cast(Case, self.case), subwords=self.subwords, split=self.split)

    @property
    def search(self) -> PhraseSettings:
        """Settings of the decoder."""
        return PhraseSettings(
            distortion_limit=self.distortion_limit,
            pop_limit=self.pop_limit,
            beam=self.beam,
            option_limit=self.option_limit,
            max_phrase_length=self.max_phrase,
            unknown=self.unknown,
        )

    @property
    def scoring(self) -> Scoring:
        """How counts become columns of the table."""
        return Scoring(
            smoothing=self.smoothing,
            lexical=self.lexical,
            min_probability=self.min_probability,
            count_bins=self.count_bins,
            reordering=ReorderingModel.parse(self.reordering) if self.reordering else None,
        )

    @property
    def limits(self) -> Limits:
        """Which phrases are taken."""
        return Limits(max_source=self.max_phrase, max_target=self.max_phrase)

    def template_specs(self, pairs: int) -> list[TemplateSpec]:
        """The templates, for a bitext of so many pairs."""
        domains = Domains(self.domains) if self.domains else None
        folded = self.learned_pairs(pairs) > 0
        chosen = [name for name in self.templates if name != "auto"]
        if "auto" in self.templates and folded:
            chosen.insert(0, "filtered")
        return template_specs(chosen, min_count=self.template_min_count or usual_min_count(pairs), domains=domains)

    @property
    def imported(self) -> list[ImportedFeature]:
        """The features in Python modules; nothing is imported."""
        return [ImportedFeature.parse(spec) for spec in self.features]

    def learned_pairs(self, pairs: int) -> int:
        """How many of so many pairs templates are learned on, in folds."""
        if self.tuner == "none" or not self.templates:
            return 0
        if self.fold_pairs < 0:
            return min(pairs, FOLD_PAIRS) if pairs >= FOLDS_FROM else 0
        return min(pairs, self.fold_pairs)

    def folds(self, pairs: int) -> tuple[int, int]:
        """How many folds of so many pairs are learned on, and their size.

        Models of all but one fold must be nearly as good as models of all, so that a fold is a fifth of the text at
        most; large text has fewer and smaller ones, which teach enough, as each costs a table.
        """
        wanted = self.learned_pairs(pairs)
        if not wanted:
            return 0, 0
        count = min(FOLDS, max(1, round(FOLDS * wanted / pairs)))
        return count, max(1, min(pairs // FOLDS, wanted // count))

    @property
    def learner(self) -> Online:
        """The tuner that learns on folds."""
        return Online.configured([*LEARNER, *self.fold_settings])

    def tuning(self, pairs: int) -> Tuner | None:
        """The tuner of the dev set with its settings, if there is to be one, for a bitext of so many pairs."""
        if self.tuner == "none":
            return None
        sparse = bool(self.template_specs(pairs)) and not self.learned_pairs(pairs)
        return tuner_named(self.tuner, sparse=sparse, settings=self.tuner_settings)

    def only(self, *names: str) -> dict[str, Any]:
        """Some settings as plain values: what a stage depends on."""
        return {name: value for name, value in self.to_dict().items() if name in names}

    # To and from text

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, where: str = "") -> Recipe:
        """A recipe from plain values; names that it does not have and values of another type are refused."""
        kinds = {field.name: type(field.default) for field in fields(cls)}
        made: dict[str, Any] = {}
        for name, value in values.items():
            if name not in kinds:
                near = difflib.get_close_matches(name, kinds, n=1)
                remedy = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(kinds)}"
                raise UnknownName(f"a recipe has no {name!r}", where=where, remedy=remedy)
            made[name] = _value(name, value, kinds[name], where)
        return cls(**made)

    @classmethod
    def load(cls, path: Path | str) -> Recipe:
        """Read a TOML file; what it does not say is as usual."""
        try:
            values = tomllib.loads(Path(path).read_text("utf-8"))
        except OSError as error:
            raise FileError(f"cannot read: {error.strerror}", where=str(path), remedy="check the spelling") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise FormatError(f"not TOML: {error}", where=str(path), remedy="write lines like `order = 5`") from None
        return cls.from_dict(values, where=str(path))

    def save(self, path: Path | str) -> None:
        """Write a TOML file."""
        import tomli_w

        with writing(path) as file:
            file.write(tomli_w.dumps(self.to_dict()))

    def changed(self, assignments: Iterable[str], values: Mapping[str, Any] | None = None) -> Recipe:
        """With plain values in place of what it has, and `name=value` before these; lists are written with commas."""
        kinds = {field.name: type(field.default) for field in fields(self)}
        changes: dict[str, Any] = dict(values or {})
        for assignment in assignments:
            name, equals, text = (part.strip() for part in assignment.partition("="))
            if not equals:
                raise SettingError(f"{assignment!r} sets nothing", remedy="write it like order=5")
            changes[name] = _parsed(name, text, kinds[name]) if name in kinds else text
        return self.from_dict({**self.to_dict(), **changes})


def _value(name: str, value: Any, kind: type, where: str) -> Any:
    if kind is tuple and isinstance(value, list | tuple):
        return tuple(value)
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise SettingError(f"{name} is {value!r}", where=where, remedy=f"it must be {_KINDS[kind]}")
    return value


_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text", tuple: "a list"}


def _parsed(name: str, text: str, kind: type) -> Any:
    if kind is str:
        return text
    if name in ("templates", "features"):
        return split_specs(text)
    if kind is tuple:
        items = [item.strip() for item in text.split(",") if item.strip()]
        return [int(item) if item.isdigit() else item for item in items]
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        raise SettingError(f"{name} is {text!r}", remedy=f"it must be {_KINDS[kind]}") from None
