"""Decoders."""

from collections.abc import Iterator, Mapping, Sequence
from typing import overload

from numpy import float64, int64
from numpy.typing import NDArray

import dragoman._native.common
import dragoman._native.features
import dragoman._native.forest
import dragoman._native.grammar
import dragoman._native.lm
import dragoman._native.neural
import dragoman._native.semantics

class PhraseSettings:
    """How a phrase-based decoder searches."""

    def __init__(self) -> None: ...
    @property
    def unknown(self) -> str: ...
    @unknown.setter
    def unknown(self, arg: str, /) -> None: ...
    @property
    def hard_syntax(self) -> str: ...
    @hard_syntax.setter
    def hard_syntax(self, arg: str, /) -> None: ...
    @property
    def long_sentences(self) -> str: ...
    @long_sentences.setter
    def long_sentences(self, arg: str, /) -> None: ...
    @property
    def beam(self) -> int: ...
    @beam.setter
    def beam(self, arg: int, /) -> None: ...
    @property
    def pop_limit(self) -> int: ...
    @pop_limit.setter
    def pop_limit(self, arg: int, /) -> None: ...
    @property
    def option_limit(self) -> int: ...
    @option_limit.setter
    def option_limit(self, arg: int, /) -> None: ...
    @property
    def max_sentence_length(self) -> int: ...
    @max_sentence_length.setter
    def max_sentence_length(self, arg: int, /) -> None: ...
    @property
    def search(self) -> str: ...
    @search.setter
    def search(self, arg: str, /) -> None: ...
    @property
    def recombination(self) -> str: ...
    @recombination.setter
    def recombination(self, arg: str, /) -> None: ...
    @property
    def limit_kind(self) -> str: ...
    @limit_kind.setter
    def limit_kind(self, arg: str, /) -> None: ...
    @property
    def distortion_limit(self) -> int: ...
    @distortion_limit.setter
    def distortion_limit(self, arg: int, /) -> None: ...
    @property
    def final_jump(self) -> bool: ...
    @final_jump.setter
    def final_jump(self, arg: bool, /) -> None: ...
    @property
    def way_back(self) -> str: ...
    @way_back.setter
    def way_back(self, arg: str, /) -> None: ...
    @property
    def threshold(self) -> float: ...
    @threshold.setter
    def threshold(self, arg: float, /) -> None: ...
    @property
    def max_phrase_length(self) -> int: ...
    @max_phrase_length.setter
    def max_phrase_length(self, arg: int, /) -> None: ...
    @property
    def late_steps(self) -> int: ...
    @late_steps.setter
    def late_steps(self, arg: int, /) -> None: ...
    @property
    def check_features(self) -> bool: ...
    @check_features.setter
    def check_features(self, arg: bool, /) -> None: ...
    @property
    def future_distortion(self) -> bool: ...
    @future_distortion.setter
    def future_distortion(self, arg: bool, /) -> None: ...
    @property
    def distortion_delay(self) -> float: ...
    @distortion_delay.setter
    def distortion_delay(self, arg: float, /) -> None: ...

class Proof:
    """What exact search can prove of a derivation."""

    @property
    def optimal(self) -> bool: ...
    @property
    def best(self) -> float: ...
    @property
    def bound(self) -> float: ...
    @property
    def stop(self) -> str: ...
    @property
    def seeded(self) -> float | None:
        """What the decoder's own search reached."""

    @property
    def nodes_at_first(self) -> int: ...
    @property
    def edges_at_first(self) -> int: ...
    @property
    def distinct(self) -> int: ...
    @property
    def missing(self) -> str:
        """Why there is no certificate; empty if there is one."""

    @property
    def levels(self) -> list[int]: ...
    @property
    def trace(self) -> list[tuple[float, float, float, int, int, int, float]]:
        """
        Per iteration: bound, score of what promised it, best so far, nodes, edges, contexts added, seconds.
        """

    @property
    def options(self) -> list[tuple[int, int, tuple[str, ...], float, tuple[float, ...], tuple[float, ...]]]:
        """
        Span, target, score, and scores of orders with the phrase before and after it.
        """

    @property
    def reordering(self) -> str: ...
    @property
    def features(
        self,
    ) -> list[tuple[str, list[list[int]], list[list[tuple[int, float]]], list[tuple[int, int, float]]]]:
        """
        With states: name, rows of states after options, rows of scores of options, per state its rows and its end.
        """

    @property
    def derivation(self) -> list[int]: ...
    @property
    def contexts(self) -> list[tuple[tuple[int, ...], int, tuple[str, ...]]]:
        """Per node: covered positions, end of the last phrase, words known."""

class FeatureValues(Mapping[str, float]):
    """
    Values by feature name, summed up; names are looked up on first access only: with many sparse features that takes longer than the search.
    """

    def __getitem__(self, name: str, /) -> float: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def __repr__(self) -> str: ...
    def __reduce__(self) -> tuple[type[dict[str, float]], tuple[dict[str, float]]]: ...

    __hash__: None  # type: ignore[assignment]

class Decoded:
    """A translation as search found it."""

    def check(self) -> None:
        """Raises what went wrong with this sentence, if anything."""

    @property
    def failed(self) -> bool: ...
    @property
    def reached(self) -> bool:
        """
        Whether there is a translation; where only certain ones are allowed, there may be none.
        """

    @property
    def unreached(self) -> tuple[int, list[int], list[int]]:
        """
        If there is none: the number of the nearest reference, its words that no rule for this sentence writes, and words of the sentence that no rule turns into words of a reference.
        """

    @property
    def score(self) -> float: ...
    @property
    def source(self) -> list[str]: ...
    @property
    def paths(self) -> list[list[str]]:
        """
        Of a lattice, if its forest was kept: the source words of rules in it, by their numbers.
        """

    @property
    def target(self) -> list[str]: ...
    @property
    def seconds(self) -> float: ...
    @property
    def language_model_seconds(self) -> float: ...
    @property
    def steps(
        self,
    ) -> list[
        tuple[
            tuple[int, ...],
            tuple[int, int],
            tuple[int, int],
            tuple[int, ...],
            bool,
            float,
            list[tuple[int, int]],
            FeatureValues,
        ]
    ]:
        """
        Per rule in target order: positions of its own words, its span with all that nonterminals cover, its target span, positions of the words it wrote, whether the word is unknown, score, links, values.
        """

    @property
    def final_values(self) -> FeatureValues: ...
    @property
    def statistics(self) -> dict[str, float]: ...
    @property
    def proof(self) -> Proof | None: ...
    @property
    def forest(self) -> dragoman._native.forest.Forest: ...
    @property
    def words(self) -> dragoman._native.common.Vocabulary: ...

class PhraseModel:
    """What a phrase-based decoder knows, part by part."""

    @overload
    def __init__(self, table: dragoman._native.grammar.RuleTable, like: PhraseModel | None = None) -> None: ...
    @overload
    def __init__(self, table: dragoman._native.grammar.LayeredTable, like: PhraseModel | None = None) -> None: ...
    def set_column(self, column: int, feature: str) -> None: ...
    def add_language_model(self, feature: str, model: dragoman._native.lm.Model) -> None: ...
    def add_class_model(self, feature: str, model: dragoman._native.lm.Model, classes: Mapping[str, str]) -> None:
        """A model over word classes; words without a class have that of `<unk>`."""

    def rank_like(self, other: PhraseModel) -> None:
        """
        Of the rules of a source side try those that the language models of another model of this table prefer.
        """

    def add_rule_feature(self, feature: object) -> None: ...
    def add_state_feature(self, feature: object) -> None: ...
    def make_templates(self, *, domains: Sequence[str], default_domain: str) -> dragoman._native.features.Templates:
        """An empty set of sparse templates for this model."""

    def add_templates(self, templates: dragoman._native.features.Templates) -> None:
        """Switches on what was gathered."""

    def append_names(self, names: dragoman._native.common.Vocabulary) -> None:
        """
        Adds the feature names that `names`, filled by this call before, does not have yet.
        """

    def set_penalties(self, *, word: str, phrase: str, unknown: str, distortion: str) -> None: ...
    def set_orientation(
        self,
        *,
        classes: dragoman._native.grammar.OrientationClasses,
        hierarchical: bool,
        previous: bool,
        next: bool,
        columns: Sequence[int],
        features: Sequence[str],
    ) -> None: ...
    def add_joint_model(self, feature: str, model: dragoman._native.neural.JointModel) -> None: ...
    def add_sequence_model(self, feature: str, model: dragoman._native.lm.Model) -> None: ...
    def add_phrase_vectors(self, features: Sequence[str], vectors: dragoman._native.semantics.PhraseVectors) -> None:
        """
        Names of the features for cosine, best and unknown words; an empty one is not wanted.
        """

    def add_word_context(
        self, features: Sequence[str], information: dragoman._native.semantics.MutualInformation, *, window: int
    ) -> None:
        """
        Names of the features for own, all and others; an empty one is not wanted.
        """

    def add_source_order(self, feature: str, model: dragoman._native.features.SourceOrderModel) -> None: ...
    def add_dependency_model(self, feature: str, model: dragoman._native.features.DependencyModel) -> None: ...

class PhraseDecoder:
    """Phrase-based search, safe to share between threads."""

    @overload
    def __init__(self, model: PhraseModel, weights: Sequence[tuple[str, float]], settings: PhraseSettings) -> None: ...
    @overload
    def __init__(self, model: PhraseModel, weights: NDArray[float64], settings: PhraseSettings) -> None:
        """Weights by feature id, as `append_names` gives them."""

    def with_settings(self, settings: PhraseSettings) -> PhraseDecoder:
        """The same models and weights, searched in another way."""

    def unknown_words(self, line: str) -> list[int]:
        """Positions of the words for which the table has no rule of their own."""

    def decode(
        self,
        lines: list[str],
        extra: list[list[tuple[int, int, str, list[tuple[str, float]], str]]],
        marks: list[
            tuple[str, list[str], list[int], list[tuple[str, int, int]], list[str], list[tuple[str, int, int]]] | None
        ],
        constraints: list[tuple[list[str], list[int], list[tuple[int, int]], bool, bool] | None],
        *,
        threads: int,
        keep_forests: bool,
    ) -> list[Decoded]:
        """
        Translations in the order of the lines; `extra` is empty, or has one list of options per line, `marks` what is known of each line (domain, tags, heads), and `constraints` what restricts it: the prefix, as a list of one or none, walls, zones, whether phrases stay in order and whether words may be dropped.
        """

    def force(
        self,
        lines: list[str],
        references: list[list[str]],
        marks: list[
            tuple[str, list[str], list[int], list[tuple[str, int, int]], list[str], list[tuple[str, int, int]]] | None
        ],
        *,
        threads: int,
        keep_forests: bool,
    ) -> list[Decoded]:
        """
        As `decode`, where a sentence may become one of its references and nothing else.
        """

    def kbest_lists(
        self,
        lines: list[str],
        extra: list[list[tuple[int, int, str, list[tuple[str, float]], str]]],
        marks: list[
            tuple[str, list[str], list[int], list[tuple[str, int, int]], list[str], list[tuple[str, int, int]]] | None
        ],
        *,
        nbest: int,
        distinct: bool,
        threads: int,
    ) -> tuple[
        NDArray[int64], NDArray[int64], NDArray[int64], NDArray[float64], NDArray[float64], NDArray[int64], list[str]
    ]:
        """The best translations of each line, as of its forest."""

    def decode_lattices(
        self,
        lines: list[str],
        lattices: list[list[tuple[int, int, str, float]]],
        feature: str,
        constraints: list[tuple[list[str], list[int], list[tuple[int, int]], bool, bool] | None],
        *,
        threads: int,
        keep_forests: bool,
    ) -> list[Decoded]:
        """
        Translations of word graphs, each a list of arcs (from, to, word, score), by where they begin; nodes are numbered from 0 so that arcs lead to greater ones. A line has a word for each node but the last; scores are values of the feature.
        """

    def optimize(
        self,
        lines: list[str],
        extra: list[list[tuple[int, int, str, list[tuple[str, float]], str]]],
        marks: list[
            tuple[str, list[str], list[int], list[tuple[str, int, int]], list[str], list[tuple[str, int, int]]] | None
        ],
        constraints: list[tuple[list[str], list[int], list[tuple[int, int]], bool, bool] | None],
        bounds: list[dragoman._native.lm.Bounds],
        settings: ExactSettings,
        *,
        threads: int,
    ) -> list[Decoded]:
        """The best derivation of each line, proved within limits."""

    def sample(
        self,
        lines: list[str],
        extra: list[list[tuple[int, int, str, list[tuple[str, float]], str]]],
        marks: list[
            tuple[str, list[str], list[int], list[tuple[str, int, int]], list[str], list[tuple[str, int, int]]] | None
        ],
        constraints: list[tuple[list[str], list[int], list[tuple[int, int]], bool, bool] | None],
        bounds: list[dragoman._native.lm.Bounds],
        settings: SampleSettings,
        *,
        threads: int,
    ) -> list[tuple[list[Decoded], list[int], list[tuple[float, int, int, float, int, int, int, float]], bool, float]]:
        """
        Per line: derivations, draws (which of them), rounds, whether the acceptance was reached, log partition.
        """

class ExactSettings:
    """How exact search goes on."""

    def __init__(self) -> None: ...
    @property
    def epsilon(self) -> float: ...
    @epsilon.setter
    def epsilon(self, arg: float, /) -> None: ...
    @property
    def time_limit(self) -> float: ...
    @time_limit.setter
    def time_limit(self, arg: float, /) -> None: ...
    @property
    def iterations(self) -> int: ...
    @iterations.setter
    def iterations(self, arg: int, /) -> None: ...
    @property
    def patience(self) -> int: ...
    @patience.setter
    def patience(self, arg: int, /) -> None: ...
    @property
    def memory(self) -> int: ...
    @memory.setter
    def memory(self, arg: int, /) -> None: ...
    @property
    def prune_every(self) -> int: ...
    @prune_every.setter
    def prune_every(self, arg: int, /) -> None: ...
    @property
    def seed_search(self) -> bool: ...
    @seed_search.setter
    def seed_search(self, arg: bool, /) -> None: ...
    @property
    def start_known(self) -> bool: ...
    @start_known.setter
    def start_known(self, arg: bool, /) -> None: ...
    @property
    def words(self) -> int: ...
    @words.setter
    def words(self, arg: int, /) -> None: ...
    @property
    def contexts(self) -> int: ...
    @contexts.setter
    def contexts(self, arg: int, /) -> None: ...
    @property
    def in_rule(self) -> bool: ...
    @in_rule.setter
    def in_rule(self, arg: bool, /) -> None: ...

class SampleSettings:
    """How exact sampling goes on."""

    def __init__(self) -> None: ...
    @property
    def samples(self) -> int: ...
    @samples.setter
    def samples(self, arg: int, /) -> None: ...
    @property
    def scale(self) -> float: ...
    @scale.setter
    def scale(self, arg: float, /) -> None: ...
    @property
    def acceptance(self) -> float: ...
    @acceptance.setter
    def acceptance(self, arg: float, /) -> None: ...
    @property
    def batch(self) -> int: ...
    @batch.setter
    def batch(self, arg: int, /) -> None: ...
    @property
    def refine(self) -> int: ...
    @refine.setter
    def refine(self, arg: int, /) -> None: ...
    @property
    def in_rule(self) -> bool: ...
    @in_rule.setter
    def in_rule(self, arg: bool, /) -> None: ...
    @property
    def time_limit(self) -> float: ...
    @time_limit.setter
    def time_limit(self, arg: float, /) -> None: ...
    @property
    def memory(self) -> int: ...
    @memory.setter
    def memory(self, arg: int, /) -> None: ...
    @property
    def seed(self) -> int: ...
    @seed.setter
    def seed(self, arg: int, /) -> None: ...

class BoundedModels:
    """Language models with their bounds and weights."""

    def __init__(self) -> None: ...
    def add(self, model: dragoman._native.lm.Model, bounds: dragoman._native.lm.Bounds, weight: float) -> None: ...
    def add_classes(
        self,
        model: dragoman._native.lm.Model,
        bounds: dragoman._native.lm.Bounds,
        weight: float,
        classes: Mapping[str, str],
    ) -> None: ...

def optimize_forest(
    forest: dragoman._native.forest.Forest,
    words: dragoman._native.common.Vocabulary,
    models: BoundedModels,
    settings: ExactSettings,
    known: float,
) -> tuple[list[int], list[int], Proof, list[list[str]]]:
    """
    Edges of the best derivation, none if what is known is as good, and of what promised most at the end; the proof; contexts that were registered.
    """

def sample_forest(
    forest: dragoman._native.forest.Forest,
    words: dragoman._native.common.Vocabulary,
    models: BoundedModels,
    settings: SampleSettings,
    item: int,
) -> tuple[
    list[list[int]], list[int], list[tuple[float, int, int, float, int, int, int, float]], bool, float, list[list[str]]
]: ...

class LeftToRightSettings:
    """How a left-to-right decoder searches."""

    def __init__(self) -> None: ...
    @property
    def unknown(self) -> str: ...
    @unknown.setter
    def unknown(self, arg: str, /) -> None: ...
    @property
    def hard_syntax(self) -> str: ...
    @hard_syntax.setter
    def hard_syntax(self, arg: str, /) -> None: ...
    @property
    def long_sentences(self) -> str: ...
    @long_sentences.setter
    def long_sentences(self, arg: str, /) -> None: ...
    @property
    def beam(self) -> int: ...
    @beam.setter
    def beam(self, arg: int, /) -> None: ...
    @property
    def pop_limit(self) -> int: ...
    @pop_limit.setter
    def pop_limit(self, arg: int, /) -> None: ...
    @property
    def option_limit(self) -> int: ...
    @option_limit.setter
    def option_limit(self, arg: int, /) -> None: ...
    @property
    def max_sentence_length(self) -> int: ...
    @max_sentence_length.setter
    def max_sentence_length(self, arg: int, /) -> None: ...
    def limit_space(self, *, memory: int, seconds: float) -> None: ...
    @property
    def search(self) -> str: ...
    @search.setter
    def search(self, arg: str, /) -> None: ...
    @property
    def grouping(self) -> str: ...
    @grouping.setter
    def grouping(self, arg: str, /) -> None: ...
    @property
    def right_boundary(self) -> str: ...
    @right_boundary.setter
    def right_boundary(self, arg: str, /) -> None: ...
    @property
    def glue_when(self) -> str: ...
    @glue_when.setter
    def glue_when(self, arg: str, /) -> None: ...
    @property
    def future_rules(self) -> str: ...
    @future_rules.setter
    def future_rules(self, arg: str, /) -> None: ...
    @property
    def reordering_features(self) -> bool: ...
    @reordering_features.setter
    def reordering_features(self, arg: bool, /) -> None: ...
    @property
    def threshold(self) -> float: ...
    @threshold.setter
    def threshold(self, arg: float, /) -> None: ...
    @property
    def lazy(self) -> bool: ...
    @lazy.setter
    def lazy(self, arg: bool, /) -> None: ...
    @property
    def queue_diversity(self) -> int: ...
    @queue_diversity.setter
    def queue_diversity(self, arg: int, /) -> None: ...
    @property
    def queue_patience(self) -> int: ...
    @queue_patience.setter
    def queue_patience(self, arg: int, /) -> None: ...
    @property
    def glue_option_limit(self) -> int: ...
    @glue_option_limit.setter
    def glue_option_limit(self, arg: int, /) -> None: ...
    @property
    def split_b(self) -> bool: ...
    @split_b.setter
    def split_b(self, arg: bool, /) -> None: ...
    @property
    def boundary_feature(self) -> bool: ...
    @boundary_feature.setter
    def boundary_feature(self, arg: bool, /) -> None: ...
    @property
    def max_span(self) -> int: ...
    @max_span.setter
    def max_span(self, arg: int, /) -> None: ...
    @property
    def h_exact(self) -> bool: ...
    @h_exact.setter
    def h_exact(self, arg: bool, /) -> None: ...

class LeftToRightModel:
    """What a left-to-right decoder knows, part by part."""

    @overload
    def __init__(self, table: dragoman._native.grammar.RuleTable, like: LeftToRightModel | None = None) -> None: ...
    @overload
    def __init__(self, table: dragoman._native.grammar.LayeredTable, like: LeftToRightModel | None = None) -> None: ...
    def set_column(self, column: int, feature: str) -> None: ...
    def add_language_model(self, feature: str, model: dragoman._native.lm.Model) -> None: ...
    def add_class_model(self, feature: str, model: dragoman._native.lm.Model, classes: Mapping[str, str]) -> None:
        """A model over word classes; words without a class have that of `<unk>`."""

    def rank_like(self, other: LeftToRightModel) -> None:
        """
        Of the rules of a source side try those that the language models of another model of this table prefer.
        """

    def add_rule_feature(self, feature: object) -> None: ...
    def add_state_feature(self, feature: object) -> None: ...
    def make_templates(self, *, domains: Sequence[str], default_domain: str) -> dragoman._native.features.Templates:
        """An empty set of sparse templates for this model."""

    def add_templates(self, templates: dragoman._native.features.Templates) -> None:
        """Switches on what was gathered."""

    def append_names(self, names: dragoman._native.common.Vocabulary) -> None:
        """
        Adds the feature names that `names`, filled by this call before, does not have yet.
        """

    def set_penalties(self, *, word: str, rule: str, glue: str, unknown: str) -> None: ...
    def set_reordering(
        self, *, rule_distortion: str, glue_distortion: str, reordered: str, height: str, width: str, boundary: str
    ) -> None: ...
    def check_rules(self) -> None:
        """Raises for a rule of the table that cannot be used from left to right."""

class LeftToRightDecoder:
    """
    Left-to-right search with hierarchical rules, safe to share between threads.
    """

    @overload
    def __init__(
        self, model: LeftToRightModel, weights: Sequence[tuple[str, float]], settings: LeftToRightSettings
    ) -> None: ...
    @overload
    def __init__(self, model: LeftToRightModel, weights: NDArray[float64], settings: LeftToRightSettings) -> None:
        """Weights by feature id, as `append_names` gives them."""

    def with_settings(self, settings: LeftToRightSettings) -> LeftToRightDecoder:
        """The same models and weights, searched in another way."""

    def unknown_words(self, line: str) -> list[int]:
        """Positions of the words for which the table has no rule of their own."""

    def decode(
        self,
        lines: list[str],
        extra: list[list[tuple[int, int, str, list[tuple[str, float]], str]]],
        marks: list[
            tuple[str, list[str], list[int], list[tuple[str, int, int]], list[str], list[tuple[str, int, int]]] | None
        ],
        constraints: list[tuple[list[str], list[int], list[tuple[int, int]], bool, bool] | None],
        *,
        threads: int,
        keep_forests: bool,
    ) -> list[Decoded]:
        """
        Translations in the order of the lines; `extra` is empty, or has one list of options per line, `marks` what is known of each line (domain, tags, heads), and `constraints` what restricts it: the prefix, as a list of one or none, walls, zones, whether phrases stay in order and whether words may be dropped.
        """

    def force(
        self,
        lines: list[str],
        references: list[list[str]],
        marks: list[
            tuple[str, list[str], list[int], list[tuple[str, int, int]], list[str], list[tuple[str, int, int]]] | None
        ],
        *,
        threads: int,
        keep_forests: bool,
    ) -> list[Decoded]:
        """
        As `decode`, where a sentence may become one of its references and nothing else.
        """

    def bound(
        self,
        lines: list[str],
        extra: list[list[tuple[int, int, str, list[tuple[str, float]], str]]],
        marks: list[
            tuple[str, list[str], list[int], list[tuple[str, int, int]], list[str], list[tuple[str, int, int]]] | None
        ],
        constraints: list[tuple[list[str], list[int], list[tuple[int, int]], bool, bool] | None],
        models: BoundedModels,
    ) -> list[float]:
        """
        Scores that no translation of each line passes, with language models that this decoder does not have.
        """

class HieroSettings:
    """How a chart decoder searches."""

    def __init__(self) -> None: ...
    @property
    def unknown(self) -> str: ...
    @unknown.setter
    def unknown(self, arg: str, /) -> None: ...
    @property
    def hard_syntax(self) -> str: ...
    @hard_syntax.setter
    def hard_syntax(self, arg: str, /) -> None: ...
    @property
    def long_sentences(self) -> str: ...
    @long_sentences.setter
    def long_sentences(self, arg: str, /) -> None: ...
    @property
    def beam(self) -> int: ...
    @beam.setter
    def beam(self, arg: int, /) -> None: ...
    @property
    def pop_limit(self) -> int: ...
    @pop_limit.setter
    def pop_limit(self, arg: int, /) -> None: ...
    @property
    def option_limit(self) -> int: ...
    @option_limit.setter
    def option_limit(self, arg: int, /) -> None: ...
    @property
    def max_sentence_length(self) -> int: ...
    @max_sentence_length.setter
    def max_sentence_length(self, arg: int, /) -> None: ...
    def limit_space(self, *, memory: int, seconds: float) -> None: ...
    @property
    def cube(self) -> str: ...
    @cube.setter
    def cube(self, arg: str, /) -> None: ...
    @property
    def margin(self) -> float: ...
    @margin.setter
    def margin(self, arg: float, /) -> None: ...
    @property
    def max_span(self) -> int: ...
    @max_span.setter
    def max_span(self, arg: int, /) -> None: ...
    @property
    def check_left_hand_sides(self) -> bool: ...
    @check_left_hand_sides.setter
    def check_left_hand_sides(self, arg: bool, /) -> None: ...

class HieroModel:
    """What a chart decoder knows, part by part."""

    @overload
    def __init__(self, table: dragoman._native.grammar.RuleTable, like: HieroModel | None = None) -> None: ...
    @overload
    def __init__(self, table: dragoman._native.grammar.LayeredTable, like: HieroModel | None = None) -> None: ...
    def set_column(self, column: int, feature: str) -> None: ...
    def add_language_model(self, feature: str, model: dragoman._native.lm.Model) -> None: ...
    def add_class_model(self, feature: str, model: dragoman._native.lm.Model, classes: Mapping[str, str]) -> None:
        """A model over word classes; words without a class have that of `<unk>`."""

    def rank_like(self, other: HieroModel) -> None:
        """
        Of the rules of a source side try those that the language models of another model of this table prefer.
        """

    def add_rule_feature(self, feature: object) -> None: ...
    def add_state_feature(self, feature: object) -> None: ...
    def make_templates(self, *, domains: Sequence[str], default_domain: str) -> dragoman._native.features.Templates:
        """An empty set of sparse templates for this model."""

    def add_templates(self, templates: dragoman._native.features.Templates) -> None:
        """Switches on what was gathered."""

    def append_names(self, names: dragoman._native.common.Vocabulary) -> None:
        """
        Adds the feature names that `names`, filled by this call before, does not have yet.
        """

    def set_penalties(self, *, word: str, rule: str, unknown: str, glue: str) -> None: ...
    def set_reordering(self, *, distortion: str, reordered: str, width: str, height: str) -> None: ...
    def read_labels(self, *, side: str, max_span: int) -> None:
        """
        What follows from the labels of the table, those of a side; `max_span` is its limit, 0 if none.
        """

class HieroDecoder:
    """Chart search, safe to share between threads."""

    @overload
    def __init__(self, model: HieroModel, weights: Sequence[tuple[str, float]], settings: HieroSettings) -> None: ...
    @overload
    def __init__(self, model: HieroModel, weights: NDArray[float64], settings: HieroSettings) -> None:
        """Weights by feature id, as `append_names` gives them."""

    def with_settings(self, settings: HieroSettings) -> HieroDecoder:
        """The same models and weights, searched in another way."""

    def unknown_words(self, line: str) -> list[int]:
        """Positions of the words for which the table has no rule of their own."""

    def decode(
        self,
        lines: list[str],
        extra: list[list[tuple[int, int, str, list[tuple[str, float]], str]]],
        marks: list[
            tuple[str, list[str], list[int], list[tuple[str, int, int]], list[str], list[tuple[str, int, int]]] | None
        ],
        constraints: list[tuple[list[str], list[int], list[tuple[int, int]], bool, bool] | None],
        *,
        threads: int,
        keep_forests: bool,
    ) -> list[Decoded]:
        """
        Translations in the order of the lines; `extra` is empty, or has one list of options per line, `marks` what is known of each line (domain, tags, heads), and `constraints` what restricts it: the prefix, as a list of one or none, walls, zones, whether phrases stay in order and whether words may be dropped.
        """

    def force(
        self,
        lines: list[str],
        references: list[list[str]],
        marks: list[
            tuple[str, list[str], list[int], list[tuple[str, int, int]], list[str], list[tuple[str, int, int]]] | None
        ],
        *,
        threads: int,
        keep_forests: bool,
    ) -> list[Decoded]:
        """
        As `decode`, where a sentence may become one of its references and nothing else.
        """

    def bound(
        self,
        lines: list[str],
        extra: list[list[tuple[int, int, str, list[tuple[str, float]], str]]],
        marks: list[
            tuple[str, list[str], list[int], list[tuple[str, int, int]], list[str], list[tuple[str, int, int]]] | None
        ],
        constraints: list[tuple[list[str], list[int], list[tuple[int, int]], bool, bool] | None],
        models: BoundedModels,
    ) -> list[float]:
        """
        Scores that no translation of each line passes, with language models that this decoder does not have.
        """

class GappySettings:
    """How a decoder of phrases with gaps searches."""

    def __init__(self) -> None: ...
    @property
    def unknown(self) -> str: ...
    @unknown.setter
    def unknown(self, arg: str, /) -> None: ...
    @property
    def hard_syntax(self) -> str: ...
    @hard_syntax.setter
    def hard_syntax(self, arg: str, /) -> None: ...
    @property
    def long_sentences(self) -> str: ...
    @long_sentences.setter
    def long_sentences(self, arg: str, /) -> None: ...
    @property
    def beam(self) -> int: ...
    @beam.setter
    def beam(self, arg: int, /) -> None: ...
    @property
    def pop_limit(self) -> int: ...
    @pop_limit.setter
    def pop_limit(self, arg: int, /) -> None: ...
    @property
    def option_limit(self) -> int: ...
    @option_limit.setter
    def option_limit(self, arg: int, /) -> None: ...
    @property
    def max_sentence_length(self) -> int: ...
    @max_sentence_length.setter
    def max_sentence_length(self, arg: int, /) -> None: ...
    @property
    def gap_jump(self) -> str: ...
    @gap_jump.setter
    def gap_jump(self, arg: str, /) -> None: ...
    @property
    def recombination(self) -> str: ...
    @recombination.setter
    def recombination(self, arg: str, /) -> None: ...
    @property
    def limit_kind(self) -> str: ...
    @limit_kind.setter
    def limit_kind(self, arg: str, /) -> None: ...
    @property
    def distortion_limit(self) -> int: ...
    @distortion_limit.setter
    def distortion_limit(self, arg: int, /) -> None: ...
    @property
    def final_jump(self) -> bool: ...
    @final_jump.setter
    def final_jump(self, arg: bool, /) -> None: ...
    @property
    def threshold(self) -> float: ...
    @threshold.setter
    def threshold(self, arg: float, /) -> None: ...
    @property
    def max_phrase_length(self) -> int: ...
    @max_phrase_length.setter
    def max_phrase_length(self, arg: int, /) -> None: ...
    @property
    def max_source_span(self) -> int: ...
    @max_source_span.setter
    def max_source_span(self, arg: int, /) -> None: ...
    @property
    def max_target_span(self) -> int: ...
    @max_target_span.setter
    def max_target_span(self, arg: int, /) -> None: ...
    @property
    def max_pending(self) -> int: ...
    @max_pending.setter
    def max_pending(self, arg: int, /) -> None: ...
    @property
    def order_features(self) -> bool: ...
    @order_features.setter
    def order_features(self, arg: bool, /) -> None: ...

class GappyModel:
    """What a decoder of phrases with gaps knows, part by part."""

    @overload
    def __init__(self, table: dragoman._native.grammar.RuleTable, like: GappyModel | None = None) -> None: ...
    @overload
    def __init__(self, table: dragoman._native.grammar.LayeredTable, like: GappyModel | None = None) -> None: ...
    def set_column(self, column: int, feature: str) -> None: ...
    def add_language_model(self, feature: str, model: dragoman._native.lm.Model) -> None: ...
    def add_class_model(self, feature: str, model: dragoman._native.lm.Model, classes: Mapping[str, str]) -> None:
        """A model over word classes; words without a class have that of `<unk>`."""

    def rank_like(self, other: GappyModel) -> None:
        """
        Of the rules of a source side try those that the language models of another model of this table prefer.
        """

    def add_rule_feature(self, feature: object) -> None: ...
    def add_state_feature(self, feature: object) -> None: ...
    def make_templates(self, *, domains: Sequence[str], default_domain: str) -> dragoman._native.features.Templates:
        """An empty set of sparse templates for this model."""

    def add_templates(self, templates: dragoman._native.features.Templates) -> None:
        """Switches on what was gathered."""

    def append_names(self, names: dragoman._native.common.Vocabulary) -> None:
        """
        Adds the feature names that `names`, filled by this call before, does not have yet.
        """

    def set_penalties(self, *, word: str, phrase: str, unknown: str, distortion: str) -> None: ...
    def set_gaps(self, *, source: str, source_words: str, target: str, target_words: str) -> None: ...
    def set_gap_sizes(self, *, columns: Sequence[int], source: str, target: str) -> None: ...
    def set_orientation(
        self,
        *,
        classes: dragoman._native.grammar.OrientationClasses,
        hierarchical: bool,
        previous: bool,
        next: bool,
        columns: Sequence[int],
        features: Sequence[str],
    ) -> None: ...
    def set_order(
        self, *, many: Sequence[str], source_crossings: str, target_crossings: str, contained: str
    ) -> None: ...

class GappyDecoder:
    """Search with gaps, safe to share between threads."""

    @overload
    def __init__(self, model: GappyModel, weights: Sequence[tuple[str, float]], settings: GappySettings) -> None: ...
    @overload
    def __init__(self, model: GappyModel, weights: NDArray[float64], settings: GappySettings) -> None:
        """Weights by feature id, as `append_names` gives them."""

    def with_settings(self, settings: GappySettings) -> GappyDecoder:
        """The same models and weights, searched in another way."""

    def unknown_words(self, line: str) -> list[int]:
        """Positions of the words for which the table has no rule of their own."""

    def decode(
        self,
        lines: list[str],
        extra: list[list[tuple[int, int, str, list[tuple[str, float]], str]]],
        marks: list[
            tuple[str, list[str], list[int], list[tuple[str, int, int]], list[str], list[tuple[str, int, int]]] | None
        ],
        constraints: list[tuple[list[str], list[int], list[tuple[int, int]], bool, bool] | None],
        *,
        threads: int,
        keep_forests: bool,
    ) -> list[Decoded]:
        """
        Translations in the order of the lines; `extra` is empty, or has one list of options per line, `marks` what is known of each line (domain, tags, heads), and `constraints` what restricts it: the prefix, as a list of one or none, walls, zones, whether phrases stay in order and whether words may be dropped.
        """
