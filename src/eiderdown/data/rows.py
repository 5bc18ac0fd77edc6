"""What rows count for, how often they occur, and which belong together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.errors import OptionError
from eiderdown.option_types import shown

if TYPE_CHECKING:
    from eiderdown.data.dataset import Dataset

_MOST_ROWS = 50_000_000  # after rows are repeated


@dataclass(frozen=True, eq=False)
class RowRoles:
    """Weights and groups of the rows of a table.

    Attributes
    ----------
    weights : FloatArray or None
        What each row counts for, not negative; their scale does not matter. None for one each.
    groups : IntArray or None
        A number for each row, the same in rows of one group. None for a group each.
    """

    weights: FloatArray | None = None
    groups: IntArray | None = None

    @property
    def n_effective(self) -> float:
        """How many rows of equal weight would know as much (Kish 1965)."""
        assert self.weights is not None
        return effective_rows(self.weights)

    def take(self, rows: IntArray) -> RowRoles:
        """Return the roles of some rows."""
        weights = None if self.weights is None else self.weights[rows]
        return RowRoles(weights, None if self.groups is None else self.groups[rows])


def effective_rows(weights: FloatArray) -> float:
    """Return how many rows of equal weight know as much as rows of these weights (Kish 1965).

    Examples
    --------
    >>> round(effective_rows(np.array([1.0, 1.0, 2.0])), 2)
    2.67
    """
    return float(weights.sum() ** 2 / (weights**2).sum())


def with_row_roles(
    data: Dataset, row_counts: Any = None, sample_weight: Any = None, groups: Any = None
) -> Dataset:
    """Repeat rows, and note what they count for and which belong together.

    Parameters
    ----------
    data : Dataset
        The table.
    row_counts, sample_weight, groups : label of a column, array, or None
        The options of those names. Columns that are named are taken out of the table.

    Examples
    --------
    >>> from eiderdown.data import Dataset
    >>> data = Dataset.from_columns({"a": ["x", "y"], "n": [2, 3], "w": [0.5, 1.5]})
    >>> found = with_row_roles(data, row_counts="n", sample_weight="w")
    >>> found.names, found.codes(0), found.roles.weights
    (('a',), array([0, 0, 1, 1, 1], dtype=uint8), array([0.5, 0.5, 1.5, 1.5, 1.5]))
    """
    given = {"row_counts": row_counts, "sample_weight": sample_weight, "groups": groups}
    given = {role: value for role, value in given.items() if value is not None}
    if not given:
        return data
    named = {role: data.name(value) for role, value in given.items() if not _is_array(value)}
    columns = {
        role: _column(data, named[role]) if role in named else _array(role, value)
        for role, value in given.items()
    }
    for role, column in columns.items():
        if len(column) != data.n_rows:
            raise OptionError(
                f"{role} has {len(column):,} values but the table has {data.n_rows:,} rows; give "
                "one for each row."
            )
    roles = RowRoles(_weights(columns.get("sample_weight")), _groups(columns.get("groups")))
    table = data.drop(sorted(set(named.values()))) if named else data
    if roles.weights is not None or roles.groups is not None:
        table = replace(table, roles=roles)
    return _repeated(table, columns["row_counts"]) if "row_counts" in columns else table


def require_plain_rows(data: Dataset, what: str) -> None:
    """Raise if rows have weights or groups, which ``what`` cannot take."""
    if data.roles is not None:
        role = "sample_weight" if data.roles.weights is not None else "groups"
        raise OptionError(
            f"{what} cannot take {role}; use a search by tests, such as find_boundary, or "
            "row_counts, which every search takes."
        )


def _is_array(value: Any) -> bool:
    """Whether a role is given by values of its own, and not by a column's label."""
    return hasattr(value, "__len__") and not isinstance(value, str | bytes | tuple | Mapping)


def _array(role: str, value: Any) -> Any:
    """Return values that were given for the rows, or say what they must be."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):  # such as lists of several lengths
        array = np.zeros((0, 0))
    if array.ndim != 1:
        raise OptionError(
            f"{role} must be the name of a column, or an array with one value for each row, not "
            f"{shown(value)}."
        )
    return array


def _column(data: Dataset, name: str) -> Any:
    """Return the values of a column as they are, which must not be missing."""
    i = data.index(name)
    if data.has_missing[i]:
        raise OptionError(
            f"Column {name!r} has no value in {data.missing(i).sum():,} rows, but says what rows "
            "count for or belong to; fill it in, or leave out those rows."
        )
    categories = data.categories(i)
    return np.asarray(categories)[data.codes(i)] if categories else data.values(i)


def _weights(column: Any) -> FloatArray | None:
    if column is None:
        return None
    numbers = _as_numbers("sample_weight", column)
    if not ((numbers >= 0.0).all() and numbers.any()):
        raise OptionError("sample_weight must be numbers of at least 0, and not all 0.")
    return numbers


def _groups(column: Any) -> IntArray | None:
    if column is None:
        return None
    # Whatever labels groups have, only whether they are the same counts.
    found: IntArray = np.unique(np.asarray(column).astype(str), return_inverse=True)[1]
    if not len(found):
        raise OptionError("groups has no values; give one for each row.")
    if found.max() < 1:
        raise OptionError("groups has a single group; give each subject its own, or leave it out.")
    return found


def _repeated(data: Dataset, column: Any) -> Dataset:
    numbers = _as_numbers("row_counts", column)
    if (numbers < 0.0).any() or (numbers != np.rint(numbers)).any() or not numbers.any():
        raise OptionError(
            "row_counts must be whole numbers of at least 0, and not all 0: how often each row "
            "occurs; weights of other kinds are given as sample_weight."
        )
    if not numbers.sum() <= _MOST_ROWS:
        raise OptionError(
            f"row_counts add up to {numbers.sum():,.0f} rows, more than the {_MOST_ROWS:,} that "
            "can be held; divide them, or draw a sample."
        )
    return data.take(np.repeat(np.arange(data.n_rows), numbers.astype(np.int64)))


def _as_numbers(role: str, column: Any) -> FloatArray:
    try:
        numbers = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"{role} must be numbers, one for each row.") from None
    if not np.isfinite(numbers).all():
        raise OptionError(f"{role} must be numbers, none of them missing or infinite.")
    return numbers
