"""Many runs of a search on one table, after Pena et al. (2007), s. 4.1 and 5.1.

The paper breaks ties at random, and so do these runs. They are made in lots, each with a seed of
its own, and a lot that is done is kept until the whole experiment is.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

import numpy as np
from harness import data_file, say
from kept_cells import KeptCells
from scipy.sparse import csr_array

from eiderdown import Dataset, find_boundaries
from eiderdown.api.accuracy import Prediction, by_cross_validation, on_test_data
from eiderdown.arrays import IntArray
from eiderdown.boundary import BOUNDARY_ALGORITHMS
from eiderdown.independence import G_SQUARE

SEED = 2007
N_RUNS = 114  # as in the paper: the number of entries to the competition
N_IN_LOT = 19
N_FOLDS = 5
FRACTION = 0.8
TARGET = "activity"
ALPHA = {"iamb": 1e-4, "pcmb": 0.01, "kiamb": 1e-4, "kpcmb": 0.01}
RANDOM = ("kiamb", "kpcmb")

TESTS = {"G2": G_SQUARE(reliability="rows_per_dof"), "calibrated X2": "auto"}
"""The paper's test with its rule of five rows per degree of freedom, and the default."""


@dataclass(frozen=True)
class Study:
    """A table to search, and how accuracy is measured on it."""

    name: str
    data: Dataset
    prediction: Prediction

    def accuracy(self, members: Sequence[str]) -> float:
        """Mean accuracy of the two classes in per cent, by naive Bayes on these columns."""
        return 100 * (self.prediction.accuracy(tuple(members)).balanced or 0.0)


@dataclass(frozen=True)
class Runs:
    """The boundaries of many runs, each with the number of runs that found it, and CPU seconds."""

    found: Counter[tuple[str, ...]]
    seconds: float

    @property
    def n_runs(self) -> int:
        """How many runs there were."""
        return self.found.total()

    @property
    def sizes(self) -> list[int]:
        """The number of columns that each run found."""
        return sorted(len(members) for members in self.found.elements())

    @property
    def size(self) -> str:
        """The mean of these numbers and their deviation."""
        return f"{fmean(self.sizes):.1f} +- {pstdev(self.sizes):.1f}"

    def in_runs(self, name: str) -> int:
        """Count the runs that found a column."""
        return sum(n for members, n in self.found.items() if name in members)


def repeated(
    kept: KeptCells, study: Study, algorithm: str, test: str, n_runs: int = N_RUNS
) -> Runs:
    """Search a table again and again, or read what is kept of that."""
    found: Counter[tuple[str, ...]] = Counter()
    seconds = 0.0
    for lot, first in enumerate(range(0, n_runs, N_IN_LOT)):
        n = min(N_IN_LOT, n_runs - first)

        def make(lot: int = lot, n: int = n) -> list[object]:
            say(f"{study.name}: {algorithm} by {test}, {n} of {n_runs} runs")
            return list(_searched(study.data, algorithm, test, lot, n))

        counts, of_lot = kept.get(f"{study.name} {algorithm} {test} {lot}, {n} runs", make)
        for members, times in counts:
            found[tuple(members)] += times
        seconds += of_lot
    return Runs(found, seconds)


def _searched(
    data: Dataset, algorithm: str, test: str, lot: int, n_runs: int
) -> tuple[list[tuple[list[str], int]], float]:
    search = BOUNDARY_ALGORITHMS[algorithm]
    if algorithm in RANDOM:
        search = search.with_params({"fraction": FRACTION})
    started = time.process_time()
    found = find_boundaries(
        data,
        TARGET,
        algorithm=search,
        runs=n_runs,
        alpha=ALPHA[algorithm],
        test=TESTS[test],
        ties="random",
        cv=None,
        random_state=SEED + lot,
        progress=False,
        n_jobs=1,
    )
    seconds = time.process_time() - started
    return [(sorted(item.members), item.n_runs) for item in found], seconds


def thrombin() -> Study:
    """Read Thrombin's training set; classes are tested by cross-validation."""
    parts = np.load(data_file("real/thrombin_train.npz"))
    matrix = _matrix(parts["indices"], parts["indptr"], tuple(parts["shape"]))
    data = Dataset.from_sparse(matrix, extra={TARGET: parts["y"]})
    return Study("Thrombin", data, by_cross_validation(data, TARGET, N_FOLDS, SEED))


def dorothea() -> Study:
    """Read DOROTHEA: search the training set, test on the validation set."""
    parts = np.load(data_file("real/dorothea.npz"))
    train, valid = (
        Dataset.from_sparse(
            _matrix(parts[f"{part}_indices"], parts[f"{part}_indptr"], parts[f"{part}_shape"]),
            extra={TARGET: parts[f"y_{part}"]},
        )
        for part in ("train", "valid")
    )
    varying = set(train.names) - set(train.constant_columns()) - {TARGET}
    return Study("DOROTHEA", train, on_test_data(train, TARGET, valid, sorted(varying)))


def _matrix(indices: IntArray, indptr: IntArray, shape: Sequence[int]) -> csr_array:
    n_rows, n_columns = shape
    ones = np.ones(len(indices), np.uint8)
    return csr_array((ones, indices, indptr), shape=(n_rows, n_columns))
