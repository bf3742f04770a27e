"""Word alignment: training, aligning, symmetrization."""

import os
from collections.abc import Sequence
from typing import overload

from numpy import float32, float64, int32, int64, uint16, uint32, uint64
from numpy.typing import NDArray

class Bitext:
    """
    Sentence pairs as word ids. Pairs with an empty or too long side are skipped.
    """

    def __init__(
        self,
        source: NDArray[uint32],
        source_ends: NDArray[int64],
        target: NDArray[uint32],
        target_ends: NDArray[int64],
        *,
        max_length: int,
    ) -> None: ...
    def __getstate__(self) -> tuple[object, ...]: ...
    def __setstate__(
        self, arg: tuple[NDArray[uint32], NDArray[int64], NDArray[uint32], NDArray[int64], int], /
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def usable_pairs(self) -> int: ...
    def usable(self, arg: int, /) -> bool: ...

class Anchors:
    """Known links of each sentence pair, with confidences."""

    @overload
    def __init__(self) -> None: ...
    @overload
    def __init__(
        self, links: NDArray[int32], confidence: NDArray[float32], ends: NDArray[int64], whole: Sequence[bool]
    ) -> None: ...
    def __getstate__(self) -> tuple[object, ...]: ...
    def __setstate__(self, arg: tuple[NDArray[int32], NDArray[float32], NDArray[int64], Sequence[bool]], /) -> None: ...

class PositionSettings:
    """Settings of position models; each uses those that concern it."""

    def __init__(self) -> None: ...
    @property
    def null_probability(self) -> float: ...
    @null_probability.setter
    def null_probability(self, arg: float, /) -> None: ...
    @property
    def tension(self) -> float: ...
    @tension.setter
    def tension(self, arg: float, /) -> None: ...
    @property
    def tension_rate(self) -> float: ...
    @tension_rate.setter
    def tension_rate(self, arg: float, /) -> None: ...
    @property
    def max_jump(self) -> int: ...
    @max_jump.setter
    def max_jump(self, arg: int, /) -> None: ...
    @property
    def uniform_share(self) -> float: ...
    @uniform_share.setter
    def uniform_share(self, arg: float, /) -> None: ...
    @property
    def start_by_jump(self) -> bool: ...
    @start_by_jump.setter
    def start_by_jump(self, arg: bool, /) -> None: ...
    @property
    def given_classes(self) -> list[int]: ...
    @given_classes.setter
    def given_classes(self, arg: Sequence[int], /) -> None: ...
    @property
    def generated_classes(self) -> list[int]: ...
    @generated_classes.setter
    def generated_classes(self, arg: Sequence[int], /) -> None: ...
    @property
    def fertility_smoothing(self) -> float: ...
    @fertility_smoothing.setter
    def fertility_smoothing(self, arg: float, /) -> None: ...
    @property
    def distortion_smoothing(self) -> float: ...
    @distortion_smoothing.setter
    def distortion_smoothing(self, arg: float, /) -> None: ...

class Model:
    """A trained aligner of both directions, safe to share between threads."""

    def viterbi(
        self, bitext: Bitext, anchors: Anchors, *, threads: int = 0
    ) -> tuple[tuple[NDArray[int32], NDArray[int64]], tuple[NDArray[int32], NDArray[int64]]]:
        """Best links of both directions, each as rows (source, target) and ends."""

    def posteriors(
        self, bitext: Bitext, anchors: Anchors, *, threads: int = 0
    ) -> tuple[NDArray[float32], NDArray[float32], NDArray[int64], NDArray[float64], NDArray[float64]]:
        """
        Posteriors of all cells (forward, reverse), source by target; where each pair ends; log-probabilities.
        """

    def likely(
        self,
        bitext: Bitext,
        anchors: Anchors,
        *,
        threshold: float,
        product: bool = False,
        competitive: bool = False,
        threads: int = 0,
    ) -> tuple[NDArray[int32], NDArray[int64]]:
        """Links whose posterior over both directions reaches a threshold."""

    @property
    def word_pairs(self) -> int: ...
    @property
    def remembered_pairs(self) -> int: ...
    @property
    def kind(self) -> str: ...
    def parameters(self, *, forward: bool) -> list[float]: ...
    def translations(self, word: int, *, forward: bool) -> tuple[NDArray[uint32], NDArray[float32]]:
        """Words that a word generates, with their probabilities."""

    def lexicon(self, *, forward: bool) -> tuple[NDArray[uint32], NDArray[uint32], NDArray[float32]]:
        """Source words, target words and probabilities of all word pairs."""

    def save(self, path: str | os.PathLike[str]) -> None: ...
    @staticmethod
    def load(path: str | os.PathLike[str]) -> Model: ...

class Trainer:
    """EM over both directions of a bitext."""

    def __init__(
        self,
        bitext: Bitext,
        anchors: Anchors,
        weights: NDArray[float32],
        *,
        alpha: float,
        agreement: bool,
        prior: str,
        jump_prior: bool,
        cell_budget: int,
        base: Model | None,
        base_weight: float,
        threads: int,
    ) -> None: ...
    def begin(self, kind: str, forward: PositionSettings, reverse: PositionSettings) -> None: ...
    def iterate(self, *, threads: int) -> list[float]:
        """One iteration; log-likelihoods before it."""

    @property
    def shards(self) -> int:
        """Into how many an expectation step can be cut."""

    def expect(
        self, first: int, last: int, *, threads: int = 0
    ) -> tuple[
        list[list[tuple[NDArray[uint32], NDArray[uint64]]]], NDArray[float64], NDArray[float64], NDArray[float64], int
    ]:
        """
        Some shards of an expectation step: counts of each table of each direction, evidence, log-likelihoods, and ignored anchors.
        """

    def maximize(
        self,
        counts: list[list[tuple[NDArray[uint32], NDArray[uint64]]]],
        forward: NDArray[float64],
        reverse: NDArray[float64],
        logprobs: NDArray[float64],
        ignored: int,
        *,
        threads: int = 0,
    ) -> list[float]:
        """
        End an iteration with what was found in all shards; log-likelihoods before it.
        """

    def state(self) -> list[tuple[NDArray[float32], NDArray[float32], NDArray[float64]]]:
        """
        What an expectation step needs to know beside the text, of each direction.
        """

    def set_state(self, parts: list[tuple[NDArray[float32], NDArray[float32], NDArray[float64]]]) -> None: ...
    def set_dense_prior(self, *, exchanged: bool) -> None: ...
    def dense_prior(self, source: int, target: int, *, forward: bool) -> float: ...
    @property
    def ignored_anchors(self) -> int: ...
    @property
    def word_pairs(self) -> int: ...
    @property
    def cells(self) -> int: ...
    def probability(self, source: int, target: int, *, forward: bool) -> float: ...
    def finish(self) -> Model: ...

class GibbsSettings:
    """Settings of the sampler."""

    def __init__(self) -> None: ...
    @property
    def lexical_alpha(self) -> float: ...
    @lexical_alpha.setter
    def lexical_alpha(self, arg: float, /) -> None: ...
    @property
    def null_alpha(self) -> float: ...
    @null_alpha.setter
    def null_alpha(self, arg: float, /) -> None: ...
    @property
    def jump_alpha(self) -> float: ...
    @jump_alpha.setter
    def jump_alpha(self, arg: float, /) -> None: ...
    @property
    def fertility_alpha(self) -> float: ...
    @fertility_alpha.setter
    def fertility_alpha(self, arg: float, /) -> None: ...
    @property
    def fertility_strength(self) -> float: ...
    @fertility_strength.setter
    def fertility_strength(self, arg: float, /) -> None: ...
    @property
    def null_probability(self) -> float: ...
    @null_probability.setter
    def null_probability(self, arg: float, /) -> None: ...
    @property
    def sweeps(self) -> list[int]: ...
    @sweeps.setter
    def sweeps(self, arg: Sequence[int], /) -> None: ...
    @property
    def burn_in(self) -> int: ...
    @burn_in.setter
    def burn_in(self, arg: int, /) -> None: ...
    @property
    def chains(self) -> int: ...
    @chains.setter
    def chains(self, arg: int, /) -> None: ...
    @property
    def seed(self) -> int: ...
    @seed.setter
    def seed(self, arg: int, /) -> None: ...

class Sampler:
    """Chains of the sampled model, which may run together or apart."""

    def __init__(
        self,
        bitext: Bitext,
        anchors: Anchors,
        settings: GibbsSettings,
        *,
        cell_budget: int,
        base: Model | None = None,
        base_weight: float = 1.0,
        threads: int = 0,
    ) -> None: ...
    @property
    def chains(self) -> int: ...
    def run_all(self, *, threads: int, progress: object = None) -> Model:
        """Run all chains here."""

    def run(self, number: int) -> tuple[NDArray[uint32], NDArray[uint16], NDArray[float64], NDArray[float64]]:
        """Run one chain; what it found is for `add`."""

    def add(
        self,
        number: int,
        gaps: NDArray[uint32],
        shares: NDArray[uint16],
        jumps: NDArray[float64],
        fertilities: NDArray[float64],
    ) -> None:
        """Add what a chain found, in the order of the chains."""

    def finish(self) -> Model:
        """The model, when all chains were added."""

def symmetrize(
    forward: NDArray[int32],
    forward_ends: NDArray[int64],
    reverse: NDArray[int32],
    reverse_ends: NDArray[int64],
    *,
    heuristic: str,
    threads: int = 0,
) -> tuple[NDArray[int32], NDArray[int64]]:
    """Combine the links of two directions."""
