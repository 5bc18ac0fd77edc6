"""The best features so far, and how a search for them ended."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray, frozen, without_rounding
from eiderdown.errors import OptionError
from eiderdown.svm.monomials import Monomial

Stop: TypeAlias = Literal["features", "seconds", "interrupted"]

_SLACK = 1e-9
"""Weights this close (relatively) count as equal where one must be proven not to be smaller."""

_NO_VARIABLE = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class TopFeatures:
    """The features with the largest weights that a search found.

    Attributes
    ----------
    features : tuple of Monomial
        By falling size of the weight.
    weights : array
        Their weights.
    method : str
        How they were found.
    n_built : int
        How many features the search built.
    n_total : int
        How many there are.
    n_proven : int
        How many of the first are proven to be the top ones.
    unseen : float
        No feature that was not built has a larger weight than this, in size.
    stopped : {"features", "seconds", "interrupted"} or None
        Which limit ended the search; None if it came to its own end.
    seconds : float
        How long it took.
    """

    features: tuple[Monomial, ...]
    weights: FloatArray
    method: str
    n_built: int
    n_total: int
    n_proven: int
    unseen: float
    stopped: Stop | None
    seconds: float

    @property
    def proven(self) -> bool:
        """Whether these are certainly the top features."""
        return self.n_proven == len(self.features)

    @property
    def gap(self) -> float:
        """How much larger an unseen weight could be than the last one here; 0 if proven."""
        last = abs(float(self.weights[-1])) if len(self.weights) else 0.0
        return 0.0 if self.proven else max(self.unseen - last, 0.0)


@dataclass
class Budget:
    """How long a search may go on.

    Attributes
    ----------
    max_built : int or None
        Features to build at most, give or take one block of them.
    max_seconds : float or None
        Time.
    """

    max_built: int | None = None
    max_seconds: float | None = None
    started: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        if self.max_built is not None and self.max_built < 1:
            raise OptionError(f"max_built must be at least 1 or None, not {self.max_built}.")
        if self.max_seconds is not None and not self.max_seconds > 0:
            raise OptionError(f"max_seconds must be positive or None, not {self.max_seconds}.")

    @property
    def seconds(self) -> float:
        """Time since the search began."""
        return time.perf_counter() - self.started

    def reached(self, n_built: int) -> Stop | None:
        """Say which limit is reached, if any."""
        if self.max_built is not None and n_built >= self.max_built:
            return "features"
        if self.max_seconds is not None and self.seconds >= self.max_seconds:
            return "seconds"
        return None


class Pool:
    """The best features so far.

    Parameters
    ----------
    size : int
        How many to keep.
    degree : int
        Most variables that a feature has.
    """

    def __init__(self, size: int, degree: int) -> None:
        if size < 1:
            raise OptionError(f"n_features must be at least 1, not {size}.")
        self.size = size
        self.n_built = 0
        self._weights: FloatArray = np.empty(0)
        self._variables: IntArray = np.empty((0, degree), dtype=np.int64)
        self._waiting: list[tuple[FloatArray, IntArray]] = []
        self._n_waiting = 0
        self._cut = 0.0

    @property
    def least(self) -> float:
        """Size of the smallest weight that is kept; 0 while there is room."""
        self._settle()
        return self._cut

    def offer(self, weights: FloatArray, variables: IntArray) -> None:
        """Offer features: their weights, and a row of variables (with repetition) for each."""
        self.n_built += len(weights)
        self._take(weights, np.abs(weights) >= self._entry, variables)

    def offer_products(
        self, weights: FloatArray, prefix: tuple[int, ...], rows: IntArray, columns: IntArray
    ) -> None:
        """Offer features of a prefix, a variable of the rows and one of the columns.

        What is zero is taken for no feature, and counting those that are is left to the caller.
        """
        entry = self._entry
        if weights.size == 0 or (weights.max() < entry and weights.min() > -entry):
            return
        row, column = np.nonzero(np.abs(weights) >= entry)
        head = np.broadcast_to(np.array(prefix, dtype=np.int64), (len(row), len(prefix)))
        variables = np.column_stack([head, rows[row], columns[column]])
        self._take(weights[row, column], np.ones(len(row), dtype=bool), variables)

    @property
    def _entry(self) -> float:
        # A weight of zero is no feature of the machine at all.
        return max(self._cut * (1.0 - _SLACK), 1e-300)

    def _take(self, weights: FloatArray, good: BoolArray, variables: IntArray) -> None:
        n_good = int(np.count_nonzero(good))
        if n_good:
            padded = np.full((n_good, self._variables.shape[1]), _NO_VARIABLE)
            padded[:, : variables.shape[1]] = np.sort(variables[good], axis=1)
            self._waiting.append((weights[good], padded))
            self._n_waiting += n_good
        if self._n_waiting > max(4 * self.size, 1_000):
            self._settle()

    def _settle(self) -> None:
        """Keep the best; equal weights by fewer variables, then by their order."""
        if not self._waiting:
            return
        weights = np.concatenate([self._weights, *(w for w, _ in self._waiting)])
        variables = np.concatenate([self._variables, *(v for _, v in self._waiting)])
        if len(weights) > self.size:
            cut = np.partition(np.abs(weights), -self.size)[-self.size]
            near = np.abs(weights) >= cut * (1.0 - _SLACK)
            weights, variables = weights[near], variables[near]
        lengths = np.count_nonzero(variables != _NO_VARIABLE, axis=1)
        keys = (*variables.T[::-1], lengths, -without_rounding(np.abs(weights)))
        order = np.lexsort(keys)[: self.size]
        self._weights, self._variables = weights[order], variables[order]
        self._waiting, self._n_waiting = [], 0
        if len(order) == self.size:
            self._cut = float(np.abs(self._weights).min())

    def result(
        self, method: str, n_total: int, unseen: float, stopped: Stop | None, seconds: float
    ) -> TopFeatures:
        """End the search; ``unseen`` bounds the weights of features that were not built."""
        self._settle()
        sure = np.abs(self._weights) >= unseen * (1.0 - _SLACK)
        return TopFeatures(
            features=tuple(Monomial.of(row[row != _NO_VARIABLE]) for row in self._variables),
            weights=frozen(self._weights),
            method=method,
            n_built=self.n_built,
            n_total=n_total,
            n_proven=len(sure) if np.all(sure) else int(np.argmin(sure)),
            unseen=float(unseen),
            stopped=stopped,
            seconds=seconds,
        )
