"""Columns that say nothing about the rows: left out when a table is read, and named in a note.

A column that numbers the rows, or whose texts are nearly all different, cannot depend on anything
in a way that another table would repeat. To keep one, give its kind.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from shlex import quote
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from eiderdown.config import MAX_INTEGER_CATEGORIES, MIN_ROWS_FOR_CATEGORY_CHECK
from eiderdown.data.encode import RawColumn, RawNumbers, RawSparse
from eiderdown.errors import InputError, listed

RawColumns: TypeAlias = dict[str, RawColumn]

NEARLY_ALL: Final = 0.9
"""Share of different values from which a column of integers that is called an id is one."""

_PEEK: Final = 256

_UNNAMED = re.compile(r"Unnamed: \d+|index|row ?names?|", re.IGNORECASE)
_IDENTIFIER = re.compile(r"(.*[_ .\-])?(id|ids|idx|uuid|guid|key|index)|.*[a-z](ID|Id|Idx|Key)")

_NOTHING = "it has neither a name nor a value"
_ROW_NUMBERS = "it numbers the rows; give its kind, such as number, to keep it"
_IDENTIFIERS = "it looks like an identifier; give its kind, such as category, to keep it"
EXCLUDED: Final = "it is excluded"


def unique_names(names: Iterable[object]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return labels as texts, each another, and a note where that changed a name.

    Examples
    --------
    >>> unique_names(["age", 7, "age", ""])[0]
    ('age', '7', 'age.1', 'Unnamed: 3')
    """
    labels = (str(name) for name in names)
    texts = [label if label.strip() else f"Unnamed: {i}" for i, label in enumerate(labels)]
    if not texts:
        raise InputError("The table has no columns; give it at least one.")
    if len(set(texts)) == len(texts):
        return tuple(texts), ()
    taken, seen, renamed = set(texts), Counter[str](), []
    for i, name in enumerate(texts):
        seen[name] += 1
        if seen[name] > 1:
            number = seen[name] - 1
            while f"{name}.{number}" in taken:
                number += 1
            texts[i] = f"{name}.{number}"
            taken.add(texts[i])
            renamed.append(texts[i])
    return tuple(texts), (f"Renamed, because the name was taken: {listed(renamed)}.",)


def screened(
    columns: RawColumns, kept: Collection[str]
) -> tuple[RawColumns, tuple[str, ...], dict[str, str]]:
    """Leave out columns that say nothing, and recognise categories among whole numbers.

    Returns the columns, what to say about it, and why each was left out; ``kept`` stay as they are.
    """
    left_out: dict[str, str] = {}
    result: RawColumns = {}
    classes = []
    for name, column in columns.items():
        why = None if name in kept else _useless(name, column)
        if why is not None:
            left_out[name] = why
            continue
        result[name] = column
        if name not in kept and isinstance(column, RawNumbers):
            integers = _as_integers(column)
            if integers is not None:
                result[name] = integers
                if column.missing is None:
                    classes.append(name)
    if not result and left_out:  # better strange columns than none
        return columns, (), {}
    return result, (*_notes(left_out), *_class_note(classes)), left_out


def _useless(name: str, column: RawColumn) -> str | None:
    """Say why a column says nothing about the rows, if it does not."""
    n_rows = len(column)
    if isinstance(column, RawSparse) or n_rows == 0:
        return None
    if name.startswith("Unnamed: ") and column.n_missing == n_rows:
        return _NOTHING
    if isinstance(column, RawNumbers):
        is_integer = column.values.dtype.kind in "ui" and column.missing is None
        return _numbering(name, column.values) if is_integer else None
    if column.declared or n_rows < MIN_ROWS_FOR_CATEGORY_CHECK:
        return None
    n_known = max(n_rows - column.n_missing, MIN_ROWS_FOR_CATEGORY_CHECK)
    return _IDENTIFIERS if len(column.categories) > n_known / 2 else None


def _numbering(name: str, values: NDArray[Any]) -> str | None:
    """Say why integers are no measurements, if they are not."""
    n_rows = len(values)
    unnamed = _UNNAMED.fullmatch(name) is not None
    if n_rows < (3 if unnamed else MIN_ROWS_FOR_CATEGORY_CHECK):
        return None
    first, last = int(values[0]), int(values[-1])
    if last - first == n_rows - 1 and (first in (0, 1) or unnamed):
        expected = np.arange(first, last + 1).astype(values.dtype)
        if np.array_equal(values, expected):
            return _ROW_NUMBERS
    inexact = abs(first) > 2**53
    if not unnamed and not inexact and _IDENTIFIER.fullmatch(name) is None:
        return None
    return _IDENTIFIERS if len(np.unique(values)) >= NEARLY_ALL * n_rows else None


def _as_integers(column: RawNumbers) -> RawNumbers | None:
    """Return floats that are 0, 1, 2, ..., or few whole numbers beside missing ones, as integers.

    Discretisers write bins as floats, and pandas turns integers to floats where one is missing.
    """
    values, missing = column.values, column.missing
    if values.dtype.kind != "f":
        return None
    known = values if missing is None else values[~missing]
    peek = np.unique(known[:_PEEK])
    if not 0 < len(peek) <= MAX_INTEGER_CATEGORIES or not _whole(peek):
        return None
    found = np.unique(known)
    if len(found) > MAX_INTEGER_CATEGORIES or not _whole(found):
        return None
    are_bins = np.array_equal(found, np.arange(len(found)))
    if len(found) < 2 or (missing is None and not are_bins):
        return None
    present = values if missing is None else np.where(missing, 0.0, values)
    return RawNumbers(present.astype(np.int64), missing)


def _whole(values: NDArray[Any]) -> bool:
    return bool((np.abs(values) <= 2**53).all()) and np.array_equal(values, np.floor(values))


def without_infinite(columns: RawColumns) -> tuple[RawColumns, str]:
    """Make infinite numbers missing, and say in which columns."""
    finite, changed = dict(columns), []
    for name, column in columns.items():
        if isinstance(column, RawNumbers) and column.values.dtype.kind == "f":
            infinite = np.isinf(column.values)
            if infinite.any():
                missing = infinite if column.missing is None else infinite | column.missing
                finite[name] = RawNumbers(np.where(missing, np.nan, column.values), missing)
                changed.append(name)
    return finite, f"Infinite numbers were read as missing: {listed(changed)}."


def _notes(left_out: Mapping[str, str]) -> tuple[str, ...]:
    odd = [name for name, why in left_out.items() if why != _NOTHING]
    if not odd:
        return ()
    first = odd[0]
    return (
        f"Left out because they number or name the rows: {listed(odd)}; to keep one, "
        f"give its kind (--kind {quote(f'{first}=category')}, or in Python "
        f"Dataset.of(table, kinds={{{first!r}: 'category'}})).",
    )


def _class_note(classes: list[str]) -> tuple[str, ...]:
    if not classes:
        return ()
    return (
        f"Taken as categories because they hold only 0, 1 and so on: {listed(classes)}; "
        f"--kind {quote(f'{classes[0]}=number')}, or in Python Dataset.of(table, "
        f"kinds={{{classes[0]!r}: 'number'}}), takes one as a number.",
    )
