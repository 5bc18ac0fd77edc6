"""Real data for the experiments after Brown (2009), and how rows to test on are kept apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from harness import data_file
from scipy.sparse import csr_matrix, vstack
from sklearn.model_selection import StratifiedKFold

from eiderdown.arrays import IntArray

SEED = 2009

Split = tuple[IntArray, IntArray]


@dataclass(frozen=True)
class RealData:
    """A table, and how it is cut into rows to learn from and rows to test on."""

    name: str
    matrix: Any
    classes: IntArray
    splits: Sequence[Split]
    how: str
    n_features: int
    """Features with the largest weights that FSMB looks at."""


def thrombin() -> RealData:
    """Read Thrombin's training set, to be cut into three folds."""
    parts = np.load(data_file("real/thrombin_train.npz"))
    matrix = _matrix(parts["indices"], parts["indptr"], parts["shape"])
    splits = _folds(parts["y"], 3)
    return RealData("Thrombin", matrix, parts["y"].astype(int), splits, "3 folds", 100)


def dorothea() -> RealData:
    """Read DOROTHEA; the validation set serves as test."""
    parts = np.load(data_file("real/dorothea.npz"))
    names = ("train", "valid")
    matrices = [
        _matrix(parts[f"{name}_indices"], parts[f"{name}_indptr"], parts[f"{name}_shape"])
        for name in names
    ]
    classes = np.concatenate([parts[f"y_{name}"] for name in names])
    codes = np.unique(classes, return_inverse=True)[1]
    rows = np.split(np.arange(len(codes)), [matrices[0].shape[0]])
    matrix = vstack(matrices, format="csr")
    return RealData("DOROTHEA", matrix, codes, [(rows[0], rows[1])], "validation set", 1_000)


def leukaemia() -> RealData:
    """Read the leukaemia set of Golub et al., to be cut into five folds."""
    parts = np.load(data_file("real/golub_leukemia.npz"))
    splits = _folds(parts["y"], 5)
    matrix = parts["X"].astype(float)
    return RealData("Leukaemia", matrix, parts["y"].astype(int), splits, "5 folds", 1_000)


def _matrix(indices: IntArray, indptr: IntArray, shape: Sequence[int]) -> csr_matrix:
    return csr_matrix((np.ones(len(indices)), indices, indptr), shape=tuple(shape))


def _folds(classes: IntArray, n_folds: int) -> list[Split]:
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=SEED)
    return list(folds.split(classes, classes))
