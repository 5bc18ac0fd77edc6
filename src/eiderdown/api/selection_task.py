"""What a selector of columns is given: training rows as a table and as numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.data import Dataset
from eiderdown.svm.monomials import Matrix
from eiderdown.svm.svm_settings import SVMSettings


@dataclass(frozen=True, eq=False)
class SelectionTask:
    """Rows to select columns with, and the machine that the columns are for.

    Attributes
    ----------
    data : Dataset
        The target and the columns to select from; all of them vary.
    target : str
        The column to predict.
    X : array or CSR matrix of shape (n_rows, n_numeric)
        The columns as numbers, in the order of their names.
    behind : tuple of str
        For each numeric column, the column of the table that it comes from.
    y : array of shape (n_rows,)
        Codes of classes, or a continuous target with mean 0 and variance 1.
    params : SVMSettings
        How machines are trained.
    degree, cost
        The machine that does best with all columns.
    random_state : int
        Seed of random choices.
    n_jobs : int or None
        Threads.
    """

    data: Dataset
    target: str
    X: Matrix
    behind: tuple[str, ...]
    y: Any
    params: SVMSettings
    degree: int
    cost: float
    random_state: int
    n_jobs: int | None = None

    def columns_behind(self, numeric: Iterable[int]) -> tuple[str, ...]:
        """Return the columns of the table behind some numeric ones."""
        return tuple(sorted({self.behind[i] for i in numeric}))

    def numeric_of(self, columns: Iterable[str]) -> IntArray:
        """Return the numeric columns that come from some columns of the table."""
        wanted = set(columns)
        return np.flatnonzero([name in wanted for name in self.behind])


ColumnSelector: TypeAlias = Callable[[SelectionTask], tuple[str, ...]]
"""Returns the columns to keep. Interrupted with Ctrl-C it raises, whatever it has so far."""
