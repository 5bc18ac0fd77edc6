"""Columns that say nothing about the rows: left out when a table is read, and named in a note.

A column that numbers the rows, one whose texts are nearly all different, and one without any value
cannot depend on anything in a way that another table would repeat. To keep one, give its kind.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from eiderdown.config import MAX_INTEGER_CATEGORIES, MIN_ROWS_FOR_CATEGORY_CHECK
from eiderdown.data.encode import RawCategories, RawColumn, RawNumbers
from eiderdown.errors import InputError, listed

RawColumns: TypeAlias = dict[str, RawColumn]

NEARLY_ALL: Final = 0.9
"""Share of different values from which a column of integers that is called an id is one."""

_PEEK: Final = 256

_UNNAMED = re.compile(r"Unnamed: \d+|index|row ?names?|", re.IGNORECASE)
_IDENTIFIER = re.compile(r"(.*[_ .\-])?(id|ids|idx|uuid|guid|key|index)|.*[a-z](ID|Id|Idx|Key)")

_EMPTY = "it has nothing but missing values"
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
    texts = [str(name).strip() or f"Unnamed: {i}" for i, name in enumerate(names)]
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
            categories = _whole_categories(column)
            if categories is not None:
                result[name] = categories
                if not column.n_missing:
                    classes.append(name)
    if not result and left_out:  # better strange columns than none
        return columns, (), {}
    return result, (*_notes(left_out), *_class_note(classes)), left_out


def _useless(name: str, column: RawColumn) -> str | None:
    n_rows = len(column)
    if 0 < n_rows == column.n_missing:
        return _EMPTY
    if isinstance(column, RawNumbers) and column.values.dtype.kind in "ui" and not column.n_missing:
        return _numbering(name, column.values)
    if not isinstance(column, RawCategories) or column.declared:
        return None
    if n_rows >= MIN_ROWS_FOR_CATEGORY_CHECK:
        n_known = n_rows - column.n_missing
        if len(column.categories) > max(n_known, MIN_ROWS_FOR_CATEGORY_CHECK) / 2:
            return _IDENTIFIERS
    return None


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
    if not unnamed and _IDENTIFIER.fullmatch(name) is None:
        return None
    return _IDENTIFIERS if len(np.unique(values)) >= NEARLY_ALL * n_rows else None


def _whole_categories(column: RawNumbers) -> RawCategories | None:
    """Return floats that are 0, 1, 2, ..., or few whole numbers beside missing ones, as categories.

    Discretisers write bins as floats, and pandas turns integers to floats where one is missing.
    """
    values = column.values
    if values.dtype.kind != "f":
        return None
    present = ~np.isnan(values)
    known = values[present]
    peek = np.unique(known[:_PEEK])
    if not 0 < len(peek) <= MAX_INTEGER_CATEGORIES or not np.array_equal(peek, np.floor(peek)):
        return None
    found = np.unique(known)
    if len(found) > MAX_INTEGER_CATEGORIES or not np.isfinite(found).all():
        return None
    if not np.array_equal(found, np.floor(found)) or abs(found).max() > 2**53:
        return None
    bins = len(found) > 1 and np.array_equal(found, np.arange(len(found)))
    if not bins and not column.n_missing:
        return None
    codes = np.full(len(values), -1)
    codes[present] = np.searchsorted(found, known)
    categories = tuple(int(value) for value in found)
    return RawCategories(codes, categories, declared=False, n_missing=int((~present).sum()))


def _notes(left_out: Mapping[str, str]) -> tuple[str, ...]:
    reasons: dict[str, list[str]] = {}
    for name, why in left_out.items():
        reasons.setdefault(why, []).append(name)
    notes = []
    if _EMPTY in reasons:
        notes.append(f"Left out because they have no value at all: {listed(reasons[_EMPTY])}.")
    odd = [*reasons.get(_ROW_NUMBERS, ()), *reasons.get(_IDENTIFIERS, ())]
    if odd:
        notes.append(
            f"Left out because they number or name the rows: {listed(odd)}; to keep one, give its "
            f"kind (--kind {odd[0]}=category, kinds={{{odd[0]!r}: 'category'}})."
        )
    return tuple(notes)


def _class_note(classes: list[str]) -> tuple[str, ...]:
    if not classes:
        return ()
    return (
        f"Taken as categories because they hold only 0, 1 and so on: {listed(classes)}; "
        f"--kind {classes[0]}=number takes one as a number.",
    )
