"""Small neural models."""

import os

from numpy import float32, float64, uint32
from numpy.typing import NDArray

class JointModel:
    """The probability of a target word given target and source context."""

    def __init__(
        self,
        *,
        source_words: list[str],
        source_units: NDArray[uint32],
        target_words: list[str],
        target_units: NDArray[uint32],
        target_shares: NDArray[float32],
        source_count: int,
        target_counts: NDArray[float64],
        history: int,
        window: int,
        vector: int,
        hidden: int,
        seed: int,
    ) -> None:
        """
        Words in the order of their ids, `<unk>` first, with their units and, of the target, logarithms of their shares in them; units number from 0, the first two being the edges of a sentence.
        """

    @staticmethod
    def open(path: str | os.PathLike[str]) -> JointModel: ...
    @staticmethod
    def joined(networks: list[JointModel]) -> JointModel:
        """
        Networks over the same units as one, whose scores are the means of theirs.
        """

    def save(self, path: str | os.PathLike[str]) -> None: ...
    @property
    def history(self) -> int: ...
    @property
    def window(self) -> int: ...
    @property
    def vector(self) -> int: ...
    @property
    def hidden(self) -> int: ...
    @property
    def source_units(self) -> int: ...
    @property
    def target_units(self) -> int: ...
    def source_unit(self, word: str) -> int: ...
    def target_unit(self, word: str) -> tuple[int, float]:
        """The unit of a word, and the logarithm of its share in it."""

    def knows(self, word: str, *, target: bool) -> bool: ...
    def parameters(self) -> list[NDArray[float32]]:
        """
        Vectors of source and target units, weights and bias of the hidden layer and of the output, copied.
        """

    def set_parameters(self, parameters: list[NDArray[float32]]) -> None: ...
    def normalize(
        self,
        text: JointText,
        *,
        units: int,
        contexts: int,
        passes: int,
        seed: int,
        threads: int,
        progress: object = None,
    ) -> None:
        """
        Adds hidden units that learn by how much scores are too high, which is taken off.
        """

    def evaluate(self, text: JointText, threads: int = 0) -> tuple[float, float, float, float, int]:
        """
        Means of log probabilities and of scores, mean and deviation of the logarithm of the sum of all exponentiated scores, and the number of words.
        """

    def unit_scores(self, text: JointText, *, normalized: bool, threads: int = 0) -> NDArray[float32]:
        """A score for each target word and sentence end."""

def sum_gradients(
    model: JointModel, parameters: list[NDArray[float32]], contexts: NDArray[uint32], sums: NDArray[float32]
) -> tuple[float, list[NDArray[float32]]]:
    """
    Half of the squared errors of the network that learns logarithms of sums, and the gradients of its parameters: weights and bias of its own units, what it makes of the model's hidden units, of its own, and a bias.
    """

class JointText:
    """Sentence pairs as a joint model sees them."""

    def __init__(self, model: JointModel, source: list[str], target: list[str], links: list[str]) -> None: ...

class JointTrainer:
    """Passes over a text, one after the other."""

    def __init__(
        self,
        model: JointModel,
        text: JointText,
        *,
        batch: int,
        normalization: float,
        dropout: float,
        vector_dropout: float = 0.0,
        seed: int,
    ) -> None: ...
    def train_pass(self, number: int, *, rate: float, samples: int, threads: int, progress: object = None) -> float:
        """
        One pass, which changes the model; gives the mean loss. So many samples stand for all units, 0 for none.
        """

    def gradients(
        self, model: JointModel, *, samples: int = 0, threads: int = 0
    ) -> tuple[float, list[NDArray[float32]], NDArray[uint32]]:
        """
        The summed loss of the text, its gradients in the order of the model's parameters, and the units that stood for all: so many samples, or all if it is 0.
        """

    def save(self, path: str | os.PathLike[str], passes: int) -> None:
        """Everything that training goes on from."""

    def restore(self, path: str | os.PathLike[str]) -> int:
        """Gives the number of passes that were made."""
