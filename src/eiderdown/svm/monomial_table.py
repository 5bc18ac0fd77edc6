"""Monomials as columns of a table, so that a local search can judge them.

Those that hold the same information on all rows (equal, or one a linear function of the other)
would explain each other away: of those only the simplest becomes a column.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray, frozen, without_rounding
from eiderdown.data import Dataset, Kind
from eiderdown.memory import require_memory
from eiderdown.svm.monomials import Matrix, Monomial, dense, map_to_monomials
from eiderdown.svm.numeric import distinct, numeric_target

MOST_DISTINCT = 10
"""A monomial with at most this many values is discrete; G2 would need too many rows for more."""

_ROWS_PER_VALUE = 5  # with fewer, no test of categories would say anything
_DECIMALS = 12  # products that are equal but for rounding are one value
_SAME = 1.0 - 1e-9  # correlation from which on one monomial is a linear function of another


@dataclass(frozen=True, eq=False)
class MonomialTable:
    """Monomials with different information, and their values."""

    monomials: tuple[Monomial, ...]  # by falling absolute weight
    weights: FloatArray
    values: FloatArray  # a column each, without the factor that the kernel gives them
    names: tuple[str, ...]  # all different
    twins: tuple[tuple[str, ...], ...]  # for each those of the same information, left out
    n_constant: int  # left out because they do not vary

    def __len__(self) -> int:
        return len(self.monomials)

    def name_of(self, monomial: Monomial) -> str:
        """Return the name of a monomial."""
        return self.names[self.monomials.index(monomial)]


def monomial_table(
    matrix: Matrix,
    names: Sequence[str],
    monomials: Sequence[Monomial],
    weights: FloatArray,
    *,
    required: Collection[Monomial] = (),
    reserved: Collection[str] = (),
) -> MonomialTable:
    """Compute monomials and leave out those that are constant or repeat a simpler one.

    Examples
    --------
    >>> matrix = np.array([[1.0, 0.5], [-1.0, 0.5], [1.0, -1.0], [-1.0, -1.0]])
    >>> monomials = [Monomial.of([0, 1]), Monomial.of([0, 0, 1]), Monomial.of([1])]
    >>> table = monomial_table(matrix, ["a", "b"], monomials, np.array([3.0, 2.0, 1.0]))
    >>> table.names, table.twins
    (('a * b', 'b'), ((), ('a^2 * b',)))
    """
    n_rows, n_monomials = matrix.shape[0], len(monomials)
    require_memory(
        table_bytes(n_rows, n_monomials),
        f"A table of {n_monomials:,} monomials and {n_rows:,} rows",
        "give a smaller n_monomials",
    )
    weight_of = dict(zip(monomials, weights.tolist(), strict=True))
    # From the simplest on: the first of equal monomials stands for all. Their weights differ by the
    # kernel's factors only, which say nothing about the data.
    order = sorted(
        monomials,
        key=lambda q: (
            q not in required,
            q.degree,
            len(q.variables),
            -_size(weight_of[q]),
            q.name(names),
        ),
    )
    values = dense(map_to_monomials(matrix, order))
    largest = np.abs(values).max(axis=0, initial=0.0)
    varies: BoolArray = values.max(axis=0) - values.min(axis=0) > 1e-12 * largest
    values, order = values[:, varies], [q for q, yes in zip(order, varies, strict=True) if yes]
    stands_for = _representatives(values, np.array([q in required for q in order], dtype=np.bool_))
    texts = distinct([q.name(names) for q in order], reserved)
    kept = sorted(np.unique(stands_for), key=lambda k: (-_size(weight_of[order[k]]), texts[k]))
    twins = [
        tuple(texts[other] for other in np.flatnonzero(stands_for == k) if other != k) for k in kept
    ]
    return MonomialTable(
        monomials=tuple(order[k] for k in kept),
        weights=frozen(np.array([weight_of[order[k]] for k in kept], dtype=np.float64)),
        values=frozen(values[:, kept]),
        names=tuple(texts[k] for k in kept),
        twins=tuple(twins),
        n_constant=int(np.count_nonzero(~varies)),
    )


def table_bytes(n_rows: int, n_monomials: int) -> float:
    """Return the bytes that a table of monomials needs: three copies, and all pairs of columns."""
    return 24.0 * n_rows * n_monomials + 16.0 * n_monomials**2


def monomial_dataset(
    table: MonomialTable, data: Dataset, target: str, *, as_numbers: bool
) -> Dataset:
    """Put the target and the monomials into one dataset.

    With ``as_numbers`` all columns are continuous, classes being numbered from 0; otherwise the
    target is as it is, and monomials with few distinct values are discrete.
    """
    alone = data.select([target])
    if as_numbers and data.is_discrete[data.index(target)]:
        codes = numeric_target(data, target).values.astype(np.float64)
        alone = Dataset.from_columns({target: codes})
    values = np.round(table.values, _DECIMALS)
    discrete = np.zeros(len(table), dtype=np.bool_) if as_numbers else few_valued(table)
    kinds = [Kind.DISCRETE if few else Kind.CONTINUOUS for few in discrete]
    return alone.with_columns(
        dict(zip(table.names, values.T, strict=True)),
        kinds=dict(zip(table.names, kinds, strict=True)),
    )


def few_valued(table: MonomialTable) -> BoolArray:
    """Tell which monomials have so few distinct values, for their rows, that they are discrete."""
    values = np.round(table.values, _DECIMALS)
    counts = np.array([len(np.unique(column)) for column in values.T], dtype=np.int64)
    return counts <= min(MOST_DISTINCT, max(2, len(values) // _ROWS_PER_VALUE))


def _size(weight: float) -> float:
    """Return the absolute weight without what may be rounding, which must not decide."""
    return float(without_rounding(np.abs(np.array([weight])))[0])


def _representatives(values: FloatArray, required: BoolArray) -> IntArray:
    """Find for each column the first one that it is a linear function of, maybe itself."""
    centred = values - values.mean(axis=0)
    units = centred / np.linalg.norm(centred, axis=0)
    same = np.abs(units.T @ units) >= _SAME
    found = np.arange(len(same))
    for k in range(len(same)):
        if not required[k]:
            # Only columns that stand for themselves, and come earlier, can stand for others.
            earlier = np.flatnonzero(same[k, :k] & (found[:k] == np.arange(k)))
            found[k] = earlier[0] if len(earlier) else k
    return found
