"""Rankings of variables that scikit-learn lacks: Relief, Kruskal-Wallis, signal to noise.

Relief goes by how variables tell a row from its nearest neighbours of other classes: ReliefF
(Kononenko 1994) for classes and RReliefF (Robnik-Sikonja & Kononenko 2003) for numbers. Columns are
scaled to [0, 1] and distances are sums of absolute differences. Both methods come down to two sums
over pairs of neighbours, ``sum_ij N_ij |x_iv - x_jv|``, one for those whose targets differ and one
for those whose targets agree. ReliefF subtracts the second from the first. Guyon &
Elisseeff (2006) divide: the distance to the nearest misses over that to the nearest hits. Brown
(2009) compares with the Relief of CLOP, by the first of them; that it is this ratio fits its
documentation, by which no weight is negative, but its code was not to be had.

Where a column has two values, ``|x - x'| = x + x' - 2xx'`` after scaling: distances and weighted
sums are matrix products, and sparse columns stay sparse. That is why it is here: scikit-rebate on
the package index takes 13 to 180 times as long (benchmarks/relief_peers.py).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.errors import ConstantColumnError, OptionError, require_count
from eiderdown.options import Option
from eiderdown.progress import Trace
from eiderdown.svm.elimination import Narrowing, SubsetSelection, ranked_selection
from eiderdown.svm.monomials import Coding, Matrix, coding_of, dense, is_sparse, numeric_matrix
from eiderdown.svm.training import SVMParams

N_NEIGHBOURS = 5
"""As in the thesis, which found one neighbour worse."""

Criterion: TypeAlias = Literal["difference", "ratio"]

CriterionOption: TypeAlias = Annotated[
    Criterion,
    Option(
        "what Relief makes of the distances to rows of other classes and of the same: their "
        "difference as in ReliefF, or their ratio (Guyon & Elisseeff 2006)",
        default="difference",
    ),
]

_BLOCK_BYTES = 2**26
"""Rows and pairs of rows are gone through in blocks of about this size."""

_BLOCK_CELLS = 2**22
"""Cells that are ranked at once."""

_DECIMALS = 9
"""Distances that differ by less are equal, so that rounding decides nothing."""

_NOTHING = 1e-12
"""A sum of weighted differences below this is 0 but for rounding."""


def relief_scores(
    X: Matrix,
    y: Any,
    *,
    n_neighbours: int = N_NEIGHBOURS,
    regression: bool = False,
    criterion: Criterion = "difference",
) -> FloatArray:
    """Score each variable by how it differs between near neighbours.

    By the ratio a variable that differs between no neighbours scores 0, and one that differs only
    where the target does is infinitely good.

    Examples
    --------
    >>> X = np.random.default_rng(0).choice([0.0, 1.0], size=(200, 4))
    >>> relief_scores(X, X[:, 0] != X[:, 2]).round(2) > 0.4
    array([ True, False,  True, False])
    >>> relief_scores(X, X[:, 0] != X[:, 2], criterion="ratio") > 1.0
    array([ True, False,  True, False])
    """
    require_count("n_neighbours", n_neighbours, least=1)
    if criterion not in get_args(Criterion):
        raise OptionError(f"criterion must be one of {get_args(Criterion)}, not {criterion!r}.")
    matrix = numeric_matrix(X)
    target = SVMParams(regression=regression).target(y, matrix.shape[0])
    columns = _ScaledColumns.of(matrix)
    weigh = _pairs_of_numbers if regression else _pairs_of_classes
    pairs = weigh(columns, target, int(n_neighbours))
    if criterion == "difference":
        return columns.weighted_differences(pairs.first, pairs.second, pairs.apart - pairs.alike)
    apart, alike = (
        columns.weighted_differences(pairs.first, pairs.second, weights)
        for weights in (pairs.apart, pairs.alike)
    )
    apart, alike = (np.where(sums > _NOTHING, sums, 0.0) for sums in (apart, alike))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios: FloatArray = np.where(apart > 0.0, apart / alike, 0.0)
    return ratios


def relief_selection(
    X: Matrix,
    y: Any,
    how: Narrowing,
    *,
    n_neighbours: int = N_NEIGHBOURS,
    criterion: Criterion = "difference",
    names: Sequence[str] | None = None,
    trace: Trace | None = None,
) -> SubsetSelection:
    """Rank variables by Relief once, then halve them as recursive elimination does."""
    ranking = partial(
        relief_scores,
        n_neighbours=n_neighbours,
        regression=how.params.regression,
        criterion=criterion,
    )
    return ranked_selection(X, y, how, ranking, names=names, trace=trace)


class _Pairs(NamedTuple):
    """Rows and their neighbours, weighted by how much the target differs and how much it agrees."""

    first: IntArray
    second: IntArray
    apart: FloatArray
    alike: FloatArray


def _pairs_of_classes(columns: _ScaledColumns, y: IntArray, n_neighbours: int) -> _Pairs:
    """Weigh hits by 1 and misses by the share of their class among the other classes."""
    classes, code, counts = np.unique(y, return_inverse=True, return_counts=True)
    parts = []
    for rows, distances in columns.distances():
        for other in range(len(classes)):
            members = np.flatnonzero(code == other)
            near = _nearest(distances[:, members], n_neighbours)
            row, place = np.nonzero(near)
            own = code[rows][row]
            share = counts[other] / (len(y) - counts[own])
            hit, n_near = own == other, near.sum(axis=1)[row]
            apart, alike = (
                np.where(which, weight, 0.0) / n_near / len(y)
                for which, weight in ((~hit, share), (hit, 1.0))
            )
            parts.append((rows[row], members[place], apart, alike))
    return _Pairs(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _pairs_of_numbers(columns: _ScaledColumns, y: FloatArray, n_neighbours: int) -> _Pairs:
    """Weigh pairs by how much they differ in the target, and by how much they do not."""
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
    return _Pairs(first, second, _normalised(unlike), _normalised(shares - unlike))


def _normalised(weights: FloatArray) -> FloatArray:
    total = float(weights.sum())
    return weights / total if total > 0.0 else weights


def _nearest(distances: FloatArray, n_neighbours: int) -> BoolArray:
    """Mark the nearest in each row, of equals the first; infinite ones are never marked."""
    n_wanted = min(n_neighbours, distances.shape[1])
    last = np.partition(distances, n_wanted - 1, axis=1)[:, n_wanted - 1 : n_wanted]
    nearer, tied = distances < last, distances == last
    n_missing = n_wanted - nearer.sum(axis=1, keepdims=True)
    nearest: BoolArray = nearer | (tied & (tied.cumsum(axis=1) <= n_missing))
    return nearest & np.isfinite(distances)


def kruskal_wallis_scores(X: Matrix, y: Any) -> FloatArray:
    """Return the Kruskal-Wallis statistic of each column, corrected for ties.

    It is n - 1 times the share of the ranks' variance that lies between the classes, which is a
    function of the F statistic of the ranks; 0 for a column that does not vary.

    Examples
    --------
    >>> kruskal_wallis_scores(np.array([[1.0, 3.0], [2.0, 3.0], [9.0, 3.0]]), [0, 0, 1])
    array([1.5, 0. ])
    """
    from scipy.stats import rankdata

    columns = X.tocsc() if is_sparse(X) else np.asarray(X)
    # The ranks of two values are a linear function of them.
    binary = is_sparse(X) and coding_of(X) is Coding.ZERO_ONE
    width = X.shape[1] if binary else max(1, _BLOCK_CELLS // X.shape[0])
    found = []
    for first in range(0, X.shape[1], width):
        block = columns[:, first : first + width]
        found.append(_between_classes(block if binary else rankdata(dense(block), axis=0), y))
    return np.concatenate(found)


def _between_classes(columns: Any, y: Any) -> FloatArray:
    from sklearn.feature_selection import f_classif

    n_rows, n_classes = columns.shape[0], len(np.unique(y))
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Features .* are constant", UserWarning)
        F, _ = f_classif(columns, y)
        share = 1.0 / (1.0 + (n_rows - n_classes) / (np.asarray(F) * (n_classes - 1)))
    scores: FloatArray = (n_rows - 1) * np.clip(np.nan_to_num(share, nan=0.0), 0.0, 1.0)
    return scores


def signal_to_noise_scores(X: Matrix, y: Any) -> FloatArray:
    """Return the difference of two classes' means over the sum of their standard deviations.

    With more classes it is the largest of all pairs; it is infinite for a column that is constant
    within two classes and differs between them (Golub and others 1999).

    Examples
    --------
    >>> signal_to_noise_scores(np.array([[1.0, 3.0], [3.0, 3.0], [8.0, 3.0]]), [0, 0, 1])
    array([6., 0.])
    """
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    indicators, counts = np.eye(len(classes))[codes], np.bincount(codes)[:, None]
    means = np.asarray(X.T @ indicators).T / counts
    squares = np.asarray((X.power(2) if is_sparse(X) else np.square(X)).T @ indicators).T / counts
    deviations = np.sqrt(np.maximum(squares - np.square(means), 0.0))
    best = np.zeros(X.shape[1])
    for i, j in combinations(range(len(means)), 2):
        difference, noise = np.abs(means[i] - means[j]), deviations[i] + deviations[j]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(difference > 0.0, difference / noise, 0.0)
        best = np.maximum(best, ratio)
    return best


@dataclass(frozen=True, eq=False)
class _ScaledColumns:
    """Columns of two values apart from all others."""

    binary: Matrix
    graded: FloatArray
    is_binary: BoolArray

    @classmethod
    def of(cls, matrix: Matrix) -> _ScaledColumns:
        """Scale the columns of a matrix; those of a sparse one that have more values get dense."""
        if is_sparse(matrix):
            binary, is_binary = _sparse_binary(matrix)
        else:
            lowest, highest = matrix.min(axis=0), matrix.max(axis=0)
            is_binary = ((matrix == lowest) | (matrix == highest)).all(axis=0)
            binary = (matrix[:, is_binary] == highest[is_binary]).astype(np.float64)
        graded = dense(matrix[:, np.flatnonzero(~is_binary)])
        if graded.size:
            lowest = graded.min(axis=0)
            graded = (graded - lowest) / (graded.max(axis=0) - lowest)
        return cls(binary, graded, is_binary)

    def distances(self) -> Iterator[tuple[IntArray, FloatArray]]:
        """Yield blocks of rows with their distances to all rows; none is near to itself."""
        from scipy.spatial.distance import cdist

        ones = np.asarray(self.binary.sum(axis=1)).ravel()
        for rows in self._blocks(8 * len(ones)):
            distances = ones[rows, None] + ones - 2.0 * dense(self.binary[rows] @ self.binary.T)
            if self.graded.shape[1]:
                distances += cdist(self.graded[rows], self.graded, "cityblock")
                np.round(distances, _DECIMALS, out=distances)
            distances[np.arange(len(rows)), rows] = np.inf
            yield rows, distances

    def weighted_differences(
        self, first: IntArray, second: IntArray, weights: FloatArray
    ) -> FloatArray:
        """Sum the absolute differences of pairs of rows, times weights, for each variable."""
        from scipy.sparse import csr_array

        n_rows = self.graded.shape[0]
        pairs = csr_array((weights, (first, second)), shape=(n_rows, n_rows))
        sums = np.empty(len(self.is_binary))
        sums[self.is_binary] = self._of_binary(pairs)
        sums[~self.is_binary] = self._of_graded(pairs.tocoo())
        return sums

    def _of_binary(self, pairs: Any) -> FloatArray:
        binary = self.binary
        alone = np.asarray(binary.T @ (pairs.sum(axis=0) + pairs.sum(axis=1))).ravel()
        together = np.zeros(binary.shape[1])
        # Of a sparse row and all its neighbours together; a dense row takes as much as it takes.
        entries_per_row = (pairs.nnz * getattr(binary, "nnz", 0) // binary.shape[0] ** 2) or (
            binary.shape[1]
        )
        for rows in self._blocks(8 * entries_per_row):
            block, beside = binary[rows], pairs[rows] @ binary
            product = block.multiply(beside) if hasattr(block, "multiply") else block * beside
            together += np.asarray(product.sum(axis=0)).ravel()
        total: FloatArray = alone - 2.0 * together
        return total

    def _of_graded(self, pairs: Any) -> FloatArray:
        sums = np.zeros(self.graded.shape[1])
        width = max(1, _BLOCK_BYTES // (8 * max(1, len(sums))))
        for start in range(0, len(pairs.data), width):
            block = slice(start, start + width)
            first, second = self.graded[pairs.row[block]], self.graded[pairs.col[block]]
            sums += pairs.data[block] @ np.abs(first - second)
        return sums

    def _blocks(self, bytes_per_row: int) -> Iterator[IntArray]:
        n_rows = self.graded.shape[0]
        height = max(1, _BLOCK_BYTES // max(1, bytes_per_row))
        for start in range(0, n_rows, height):
            yield np.arange(start, min(start + height, n_rows))


def _sparse_binary(matrix: Any) -> tuple[Any, BoolArray]:
    """Find the columns with two values; a value other than 0 becomes 1, so that zeros stay."""
    from scipy.sparse import csr_array

    entries = matrix.tocoo()
    n_rows, n_columns = matrix.shape
    stored = entries.data != 0.0
    row, column, value = entries.row[stored], entries.col[stored], entries.data[stored]
    lowest, highest = (
        np.asarray(extreme.toarray()).ravel()
        for extreme in (matrix.min(axis=0), matrix.max(axis=0))
    )
    between = (value != lowest[column]) & (value != highest[column])
    n_stored = np.bincount(column, minlength=n_columns)
    is_binary = np.bincount(column[between], minlength=n_columns) == 0
    is_binary &= (n_stored == n_rows) | (lowest == 0.0) | (highest == 0.0)
    one = np.where(highest == 0.0, lowest, highest)
    marked = value == one[column]
    binary = csr_array((np.ones(marked.sum()), (row[marked], column[marked])), shape=matrix.shape)
    return binary[:, np.flatnonzero(is_binary)], is_binary
