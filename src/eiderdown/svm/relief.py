"""Relief: variables that tell a row from its nearest neighbours of other classes.

ReliefF (Kononenko 1994) for classes and RReliefF (Robnik-Sikonja & Kononenko 2003) for numbers.
Columns are scaled to [0, 1] and distances are sums of absolute differences. Both methods come down
to a sum over pairs of neighbours, ``sum_ij N_ij |x_iv - x_jv|``, and differ in the weights N only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.errors import ConstantColumnError, OptionError
from eiderdown.randomness import RandomState
from eiderdown.svm.inner_products import numeric_matrix
from eiderdown.svm.monomials import Matrix
from eiderdown.svm.scaled_columns import ScaledColumns
from eiderdown.svm.subset_wrapper import HeldOut, Progress, SubsetSelection, narrow
from eiderdown.svm.svm_settings import SVMKeywords, SVMSettings

N_NEIGHBOURS = 5
"""As in the thesis, which found one neighbour worse."""


def relief_scores(
    X: Matrix, y: Any, *, n_neighbours: int = N_NEIGHBOURS, regression: bool = False
) -> FloatArray:
    """Score each variable by how it differs between near neighbours.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_rows, n_variables)
        The data.
    y : array of shape (n_rows,)
        Codes of classes, or numbers in regression.
    n_neighbours : int
        Neighbours of each row within each class, or in regression among all rows; all that there
        are, if they are fewer.
    regression : bool
        Whether the target is a number and not a class.

    Returns
    -------
    array of shape (n_variables,)
        From -1 to 1; high is good, and near 0 is what a variable gets that has nothing to say.

    Examples
    --------
    >>> X = np.random.default_rng(0).choice([0.0, 1.0], size=(200, 4))
    >>> relief_scores(X, X[:, 0] != X[:, 2]).round(2) > 0.4
    array([ True, False,  True, False])
    """
    if isinstance(n_neighbours, bool) or int(n_neighbours) != n_neighbours or n_neighbours < 1:
        raise OptionError(
            f"n_neighbours must be a whole number of at least 1, not {n_neighbours!r}."
        )
    matrix = numeric_matrix(X)
    target = SVMSettings(regression=regression).target(y, matrix.shape[0])
    columns = ScaledColumns.of(matrix)
    weigh = _pairs_of_numbers if regression else _pairs_of_classes
    return columns.weighted_differences(*weigh(columns, target, int(n_neighbours)))


def relief_selection(
    X: Matrix,
    y: Any,
    *,
    degree: int,
    C: float,
    n_neighbours: int = N_NEIGHBOURS,
    keep: float = 0.5,
    test_share: float = 0.2,
    random_state: RandomState = None,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
    **params: Unpack[SVMKeywords],
) -> SubsetSelection:
    """Rank variables by Relief once, then halve them as recursive elimination does.

    Parameters
    ----------
    X, y, degree, C, keep, test_share, random_state, names, progress, **params
        As in :func:`recursive_elimination`.
    n_neighbours : int
        As in :func:`relief_scores`.

    Returns
    -------
    SubsetSelection
        All rounds, and the best set.
    """
    chosen = SVMSettings(**params)
    data = HeldOut.of(
        X, y, test_share=test_share, random_state=random_state, names=names, params=chosen
    )
    scores = relief_scores(
        data.X_train, data.y_train, n_neighbours=n_neighbours, regression=chosen.regression
    )
    return narrow(
        data,
        lambda left, _: scores[left],
        degree=degree,
        cost=C,
        keep=keep,
        params=chosen,
        progress=progress,
    )


def _pairs_of_classes(
    columns: ScaledColumns, y: IntArray, n_neighbours: int
) -> tuple[IntArray, IntArray, FloatArray]:
    """Weigh hits by -1 and misses by the share of their class among the other classes."""
    classes, code, counts = np.unique(y, return_inverse=True, return_counts=True)
    parts = []
    for rows, distances in columns.distances():
        for other in range(len(classes)):
            members = np.flatnonzero(code == other)
            near = _nearest(distances[:, members], n_neighbours)
            row, place = np.nonzero(near)
            own = code[rows][row]
            share = counts[other] / (len(y) - counts[own])
            weight = np.where(own == other, -1.0, share) / near.sum(axis=1)[row]
            parts.append((rows[row], members[place], weight / len(y)))
    first, second, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
    return first, second, weights


def _pairs_of_numbers(
    columns: ScaledColumns, y: FloatArray, n_neighbours: int
) -> tuple[IntArray, IntArray, FloatArray]:
    """Weigh pairs by how much they differ in the target, against how much they do not."""
    spread = float(np.ptp(y))
    if spread == 0.0:
        raise ConstantColumnError("The target has one value in all rows; choose one that varies.")
    parts = []
    for rows, distances in columns.distances():
        near = _nearest(distances, n_neighbours)
        row, place = np.nonzero(near)
        parts.append((rows[row], place, 1.0 / near.sum(axis=1)[row]))
    first, second, shares = (np.concatenate(part) for part in zip(*parts, strict=True))
    unlike = np.abs(y[first] - y[second]) / spread * shares
    alike = shares - unlike
    return first, second, _normalised(unlike) - _normalised(alike)


def _normalised(weights: FloatArray) -> FloatArray:
    total = float(weights.sum())
    return weights / total if total > 0.0 else weights


def _nearest(distances: FloatArray, n_neighbours: int) -> BoolArray:
    """Mark the nearest in each row, of equals the first; infinite ones are never marked."""
    n_wanted = min(n_neighbours, distances.shape[1])
    last = np.partition(distances, n_wanted - 1, axis=1)[:, n_wanted - 1 : n_wanted]
    nearer, level = distances < last, distances == last
    n_missing = n_wanted - nearer.sum(axis=1, keepdims=True)
    nearest: BoolArray = nearer | (level & (level.cumsum(axis=1) <= n_missing))
    return nearest & np.isfinite(distances)
