"""What a selector of columns is given, and what all of them need to ask scikit-learn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.data import Dataset
from eiderdown.progress import Trace
from eiderdown.svm.cross_validation import make_folds, n_rarest
from eiderdown.svm.monomials import Matrix
from eiderdown.svm.training import SVMParams

_N_FOLDS = 5

Columns: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class SelectionTask:
    """What a selector of columns is given: rows as a table and as numbers, and an SVM."""

    data: Dataset  # the target and the columns to select from; all of them vary
    target: str
    X: Matrix  # the columns as numbers, in the order of their names
    source_columns: tuple[str, ...]  # for each of these the column of the table it comes from
    y: Any  # codes of classes, or a continuous target with mean 0 and variance 1
    params: SVMParams
    degree: int  # with C, the SVM that does best with all columns
    C: float
    random_state: int
    n_jobs: int | None = None
    trace: Trace = field(default_factory=Trace)  # cancels a selection that takes too long

    def sources(self, numeric: Iterable[int]) -> tuple[str, ...]:
        """Return the columns of the table that some numeric ones come from."""
        return tuple(sorted({self.source_columns[i] for i in numeric}))

    def numeric_of(self, columns: Iterable[str]) -> IntArray:
        """Return the numeric columns that come from some columns of the table."""
        wanted = set(columns)
        return np.flatnonzero([name in wanted for name in self.source_columns])


def accepted(X: Matrix) -> Matrix:
    """Return a matrix that all of scikit-learn takes: it knows no sparse ones with long indices."""
    if not hasattr(X, "indptr"):
        return X
    accepted = X.copy()
    accepted.indices = X.indices.astype(np.int32)
    accepted.indptr = X.indptr.astype(np.int32)
    return accepted


def jobs(task: SelectionTask) -> int:
    """Return scikit-learn's number for as many threads."""
    return -1 if task.n_jobs is None else task.n_jobs


def folds_of(task: SelectionTask) -> Any:
    """Return the splits of a cross-validation."""
    regression = task.params.regression
    n_folds = max(2, min(_N_FOLDS, n_rarest(task.y, regression=regression)))
    # As a list, because a model of one class against others would be split by those two.
    return make_folds(task.y, n_folds, task.random_state, regression=regression)
