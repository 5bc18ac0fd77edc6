"""What becomes of missing values before a search: left to its tests, a category, dropped, refused.

Rows without a value of the target say nothing about it and are left out, whatever the option says.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.data.blocks import Block, Category, CodeBlock
from eiderdown.data.dataset import Dataset
from eiderdown.errors import AllMissingColumnError, MissingValuesError, TooFewRowsError

MISSING = "missing"
"""The category that missing values become with ``missing="level"``."""

FOR_SVM = "an SVM takes no others"
"""Why only complete rows can be used."""

_MOST_SHOWN = 8


def require_complete(data: Dataset, what: str, columns: Sequence[int] | None = None) -> None:
    """Raise if some columns (all unless given) of a table have missing values.

    Examples
    --------
    >>> data = Dataset.from_columns({"a": [1, 2, None], "b": [0.5, 1.5, 2.5]})
    >>> require_complete(data, "Fitting a network")
    Traceback (most recent call last):
    eiderdown.errors.MissingValuesError: Fitting a network takes no missing values, but column 'a' \
(33%) has some; leave out those rows or columns, or fill the values in.
    """
    chosen = np.arange(data.n_columns) if columns is None else np.asarray(columns)
    incomplete = chosen[data.has_missing[chosen]]
    if len(incomplete):
        has = "has some" if len(incomplete) == 1 else "have some"
        raise MissingValuesError(
            f"{what} takes no missing values, but column {_shown(data, incomplete)} {has}; leave "
            "out those rows or columns, or fill the values in."
        )


def without_missing(
    data: Dataset, target: str | None, exclude: Collection[str], missing: str, complete: str = ""
) -> tuple[Dataset, tuple[str, ...]]:
    """Deal with the missing values of the columns that take part.

    Returns the table, and in sentences what was done when it was read and here.

    Parameters
    ----------
    data : Dataset
        The table.
    target : str or None
        A column that must have a value in every row.
    exclude : collection of str
        Columns that do not take part; neither do those that do not vary.
    missing : str
        The option of that name.
    complete : str
        Why only complete rows can be used; "" where tests or scores leave rows out themselves.
    """
    said = data.notes
    if not data.has_missing.any():
        return data, said
    if target is not None:
        data, left_out = with_target(data, data.index(target))
        said = (*said, *left_out)
    columns = _taking_part(data, exclude)
    if complete and missing == "testwise":
        data, more = treated(data, columns, "drop", reason=complete)
    elif complete and missing == "impute":
        data, more = _filled_in(data, columns, complete)
    else:
        data, more = treated(data, columns, missing)
    if complete and missing == "level":  # numbers are no categories
        data, dropped = treated(data, columns, "drop", reason=complete)
        more = (*more, *dropped)
    return data, (*said, *more)


def about_missing(data: Dataset, exclude: Collection[str], missing: str) -> tuple[str, ...]:
    """Say what is missing in the columns that take part, and what becomes of it."""
    return treated(data, _taking_part(data, exclude), missing)[1]


def _taking_part(data: Dataset, exclude: Collection[str]) -> IntArray:
    """Return the columns that are not excluded and vary."""
    idle = {*exclude, *data.constant_columns()}
    return np.array([i for i, name in enumerate(data.names) if name not in idle], np.int64)


def with_target(data: Dataset, target: int) -> tuple[Dataset, tuple[str, ...]]:
    """Leave out the rows without a value of the target, and say how many."""
    if not data.has_missing[target]:
        return data, ()
    n_missing, name = data.n_missing(target), data.names[target]
    if n_missing == data.n_rows:
        raise AllMissingColumnError(
            f"Target {name!r} has no value in any row; choose another target or other rows."
        )
    said = f"Left out {n_missing:,} of {data.n_rows:,} rows, which have no value of {name!r}."
    return data.complete_in([target]), (said,)


def treated(
    data: Dataset, columns: IntArray, missing: str, *, reason: str = ""
) -> tuple[Dataset, tuple[str, ...]]:
    """Do with the missing values of some columns what the user wants, and say it.

    Parameters
    ----------
    data : Dataset
        The table.
    columns : IntArray
        The columns that take part; others are left as they are.
    missing : str
        The option of that name.
    reason : str
        Why rows are dropped where that is not what the user asked for.
    """
    incomplete = columns[data.has_missing[columns]]
    if len(incomplete) == 0:
        return data, ()
    found = _found(data, columns, incomplete)
    if missing == "error":
        raise MissingValuesError(
            f"{found}; drop these rows or columns, or let the tests leave them out "
            "(missing='testwise')."
        )
    if missing == "drop":
        return _dropped(data, incomplete, found, reason)
    if missing == "level":
        return _as_level(data, incomplete, found)
    if missing == "impute":
        return data, (f"{found}; they were filled in several times, and the evidence pooled.",)
    return data, (f"{found}; each test leaves out the rows in which one of its columns has none.",)


def _found(data: Dataset, columns: IntArray, incomplete: IntArray) -> str:
    """Say what share of the values is missing, and in which columns."""
    cells = sum(data.n_missing(int(i)) for i in incomplete)
    return (
        f"Values are missing in {len(incomplete):,} of {len(columns):,} columns, "
        f"{_percent(cells / (data.n_rows * len(columns)))} of all cells: {_shown(data, incomplete)}"
    )


def _filled_in(data: Dataset, columns: IntArray, reason: str) -> tuple[Dataset, tuple[str, ...]]:
    """Fill in missing values once, for a search that takes one complete table."""
    from eiderdown.data.impute import imputed_tables  # imports scikit-learn

    incomplete = columns[data.has_missing[columns]]
    if len(incomplete) == 0:
        return data, ()
    said = f"{_found(data, columns, incomplete)}; they were filled in once, because {reason}."
    return imputed_tables(data, n_tables=1)[0], (said,)


def _dropped(
    data: Dataset, incomplete: IntArray, found: str, reason: str
) -> tuple[Dataset, tuple[str, ...]]:
    n_complete = data.n_complete(incomplete.tolist())
    because = f", because {reason}" if reason else ""
    if n_complete == 0:
        raise TooFewRowsError(f"{found}; not one row is complete; drop the emptiest columns first.")
    n_dropped = data.n_rows - n_complete
    said = f"{found}; left out the {n_dropped:,} of {data.n_rows:,} rows with any{because}."
    return data.complete_in(incomplete.tolist()), (said,)


def _as_level(data: Dataset, incomplete: IntArray, found: str) -> tuple[Dataset, tuple[str, ...]]:
    """Make missing values of discrete columns a category; tests leave out those of numbers."""
    data = data.in_memory("making missing values a category")
    chosen = np.zeros(data.n_columns, np.bool_)
    chosen[incomplete[data.is_discrete[incomplete]]] = True
    blocks: list[Block] = []
    for block in data.blocks:
        if not isinstance(block, CodeBlock):
            blocks.append(block)
            continue
        more = block.has_missing & chosen[block.variables]
        left = block.has_missing & ~more
        blocks.append(replace(block, n_categories=block.n_categories + more, has_missing=left))
    categories = tuple(
        _with_missing(data.categories(i)) if more else data.categories(i)
        for i, more in enumerate(chosen.tolist())
    )
    said = f"{found}; they were taken as a category of their own"
    numbers = not data.is_discrete[incomplete].all()
    said += ", but tests leave out the rows of missing numbers." if numbers else "."
    # A category for missing values has no place in an order.
    finer = {name: kind for name, kind in data.finer.items() if not chosen[data.index(name)]}
    filled = replace(data, held=tuple(blocks), _categories=categories, finer=finer, origin=None)
    return filled, (said,)


def _with_missing(categories: tuple[Category, ...]) -> tuple[Category, ...]:
    """Add a category for missing values, with a name that no other has."""
    texts = tuple(map(str, categories))
    name = MISSING
    while name in texts:
        name = f"({name})"
    return (*texts, name)


def _shown(data: Dataset, columns: IntArray) -> str:
    """Name columns, the emptiest first, with the share of their values that is missing."""
    shares = {data.names[i]: data.n_missing(int(i)) / data.n_rows for i in columns}
    order = sorted(shares, key=lambda name: (-shares[name], name))
    shown = [f"{name!r} ({_percent(shares[name])})" for name in order[:_MOST_SHOWN]]
    n_more = len(order) - _MOST_SHOWN
    return ", ".join(shown) + (f" and {n_more:,} more" if n_more > 0 else "")


def _percent(share: float) -> str:
    """Write a share in per cent, never as 0 % or 100 % unless it is exactly that."""
    if 0.0 < share < 0.001:
        return "less than 0.1%"
    return f"{share:.1%}" if share < 0.01 or 0.99 < share < 1.0 else f"{share:.0%}"
