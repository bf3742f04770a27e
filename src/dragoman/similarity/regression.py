"""Regressors from features of a pair to what people would give it.

Two are enough: ridge regression on standardised features, solved exactly, and support-vector regression with a Gaussian
or linear kernel, whose training is scikit-learn's (LIBSVM) and whose predictions are computed here, so that a saved
model is a few arrays and nothing that has to be trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import FormatError, InputError, MissingDependency
from dragoman.settings import check_argument

__all__ = ["REGRESSORS", "Regressor", "Ridge", "SupportVectors", "fit_regressor", "read_regressor"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Regressor:
    """A fitted regressor: what it standardises features by, and its own numbers."""

    kind: ClassVar[str]
    names: tuple[str, ...]
    means: Array
    scales: Array

    def predict(self, features: Array) -> Array:
        """The value of each row."""
        if features.ndim != 2 or features.shape[1] != len(self.names):
            raise InputError(f"{features.shape[-1]} features where {len(self.names)} are needed")
        return self._predict((features - self.means) / self.scales)

    def _predict(self, rows: Array) -> Array:
        raise NotImplementedError

    def shares(self, row: Array) -> Array:
        """What each feature adds to the value of a row, against its mean over the training pairs."""
        others = np.tile(row, (len(row), 1))
        np.fill_diagonal(others, self.means)
        found: Array = self.predict(row[np.newaxis])[0] - self.predict(others)
        return found

    def arrays(self) -> dict[str, Any]:
        """Its numbers, by name."""
        return {"means": self.means, "scales": self.scales}

    def save(self, folder: Path) -> None:
        """Write two files."""
        (folder / "features.txt").write_text("".join(f"{name}\n" for name in (self.kind, *self.names)), "utf-8")
        np.savez(folder / "regressor.npz", **self.arrays())


@dataclass(frozen=True, eq=False)
class Ridge(Regressor):
    """Least squares with a penalty on the weights."""

    kind: ClassVar[str] = "ridge"
    weights: Array
    bias: float

    @classmethod
    def fit(cls, names: Sequence[str], features: Array, gold: Array, *, penalty: float = 1.0) -> Self:
        """Solve for the weights; `penalty` counts as so many pairs for each weight."""
        means, scales = features.mean(0), _scales(features)
        rows = (features - means) / scales
        matrix = rows.T @ rows + penalty * np.eye(rows.shape[1])
        return cls(
            tuple(names), means, scales, np.linalg.solve(matrix, rows.T @ (gold - gold.mean())), float(gold.mean())
        )

    def _predict(self, rows: Array) -> Array:
        found: Array = rows @ self.weights + self.bias
        return found

    def arrays(self) -> dict[str, Any]:
        return {**super().arrays(), "weights": self.weights, "bias": self.bias}

    @classmethod
    def of_arrays(cls, names: Sequence[str], kept: Any) -> Self:
        """From a file."""
        return cls(tuple(names), kept["means"], kept["scales"], kept["weights"], float(kept["bias"]))


@dataclass(frozen=True, eq=False)
class SupportVectors(Regressor):
    """Epsilon-insensitive support-vector regression; `gamma` 0 is the linear kernel."""

    kind: ClassVar[str] = "svr"
    vectors: Array
    duals: Array
    gamma: float
    bias: float

    @classmethod
    def fit(
        cls,
        names: Sequence[str],
        features: Array,
        gold: Array,
        *,
        cost: float = 1.0,
        gamma: float | None = None,
        epsilon: float = 0.1,
        standardize: bool = True,
    ) -> Self:
        """Train; without `gamma`, 1 / number of features, as LIBSVM has it."""
        svm = _library()
        means = features.mean(0) if standardize else np.zeros(features.shape[1])
        scales = _scales(features) if standardize else np.ones(features.shape[1])
        width = 1 / features.shape[1] if gamma is None else gamma
        kernel = {"kernel": "linear"} if width == 0 else {"kernel": "rbf", "gamma": width}
        model = svm.SVR(C=cost, epsilon=epsilon, **kernel).fit((features - means) / scales, gold)
        return cls(
            tuple(names),
            means,
            scales,
            np.array(model.support_vectors_, np.float64),
            np.array(model.dual_coef_[0], np.float64),
            float(width),
            float(model.intercept_[0]),
        )

    def _predict(self, rows: Array) -> Array:
        if not len(self.vectors):
            return np.full(len(rows), self.bias)
        products = rows @ self.vectors.T
        if self.gamma == 0:
            kernel = products
        else:
            squares = (rows**2).sum(1)[:, None] + (self.vectors**2).sum(1)[None] - 2 * products
            kernel = np.exp(-self.gamma * np.maximum(squares, 0))
        found: Array = kernel @ self.duals + self.bias
        return found

    def arrays(self) -> dict[str, Any]:
        own = {"vectors": self.vectors, "duals": self.duals, "gamma": self.gamma, "bias": self.bias}
        return {**super().arrays(), **own}

    @classmethod
    def of_arrays(cls, names: Sequence[str], kept: Any) -> Self:
        """From a file."""
        numbers = (float(kept["gamma"]), float(kept["bias"]))
        return cls(tuple(names), kept["means"], kept["scales"], kept["vectors"], kept["duals"], *numbers)


REGRESSORS: dict[str, type[Ridge] | type[SupportVectors]] = {"ridge": Ridge, "svr": SupportVectors}


def fit_regressor(kind: str, names: Sequence[str], features: Array, gold: Array, **settings: Any) -> Regressor:
    """A regressor by name, fitted."""
    check_argument("kind", kind, choices=REGRESSORS)
    if not np.isfinite(features).all():
        bad = int(np.flatnonzero(~np.isfinite(features).all(0))[0])
        raise InputError(f"feature {names[bad]} is no number for some pair")
    return REGRESSORS[kind].fit(names, features, gold, **settings)


def read_regressor(folder: Path) -> Regressor:
    """What `Regressor.save` wrote."""
    try:
        kind, *names = (folder / "features.txt").read_text("utf-8").split("\n")[:-1]
        with np.load(folder / "regressor.npz", allow_pickle=False) as kept:
            return REGRESSORS[kind].of_arrays(names, kept)
    except (OSError, KeyError, ValueError) as error:
        raise FormatError(f"damaged regressor: {error}", where=str(folder), remedy="fit again") from None


def _scales(features: Array) -> Array:
    spread = features.std(0)
    scales: Array = np.where(spread > 1e-12, spread, 1.0)
    return scales


def _library() -> Any:
    try:
        from sklearn import svm
    except ImportError:
        raise MissingDependency(
            "support-vector regression is scikit-learn's", remedy="pip install 'dragoman[similarity]'"
        ) from None
    return svm
