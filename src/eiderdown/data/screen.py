"""Columns that say nothing about the rows: left out when a table is read, and named in a note.

A column that numbers the rows, or whose texts are nearly all different, cannot depend on anything
in a way that another table would repeat. To keep one, give its kind.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from shlex import quote
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import FloatArray
from eiderdown.data.encode import (
    MAX_INTEGER_CATEGORIES,
    MIN_ROWS_FOR_CATEGORY_CHECK,
    Numbering,
    RawColumn,
    RawNumbers,
    RawSparse,
)
from eiderdown.data.notes import Note
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
    return tuple(texts), (Note.of(_renamed_note, renamed),)


def _renamed_note(names: Sequence[str]) -> str:
    return f"Renamed, because the name was taken: {listed(names)}."


def screened(
    columns: RawColumns, kept: Collection[str]
) -> tuple[RawColumns, tuple[str, ...], dict[str, str]]:
    """Leave out columns that say nothing, and recognise categories among whole numbers.

    Returns the columns, what to say about it, and why each was left out; ``kept`` stay as they are.
    """
    left_out: dict[str, str] = {}
    for name, column in columns.items():
        why = None if name in kept else _useless(name, column)
        if why is not None:
            left_out[name] = why
    if len(left_out) == len(columns):  # better strange columns than none
        return columns, (), {}
    result = {name: column for name, column in columns.items() if name not in left_out}
    integers, classes = _whole_floats(result, kept)
    odd = [name for name, why in left_out.items() if why != _NOTHING]
    said = {_left_out_note: odd, _class_note: classes}
    notes = tuple(Note.of(sentence, names) for sentence, names in said.items() if names)
    return result | integers, notes, left_out


def _useless(name: str, column: RawColumn) -> str | None:
    """Say why a column says nothing about the rows, if it does not."""
    n_rows = column.n_rows
    if isinstance(column, RawSparse) or n_rows == 0:
        return None
    if name.startswith("Unnamed: ") and column.n_missing == n_rows:
        return _NOTHING
    if isinstance(column, RawNumbers):
        is_integer = column.values.dtype.kind in "ui" and column.missing is None
        return _numbering(name, column) if is_integer else None
    if column.declared or n_rows < MIN_ROWS_FOR_CATEGORY_CHECK:
        return None
    n_known = max(n_rows - column.n_missing, MIN_ROWS_FOR_CATEGORY_CHECK)
    n_categories = len(column.categories) + column.n_more
    return _IDENTIFIERS if n_categories > n_known / 2 else None


def _numbering(name: str, column: RawNumbers) -> str | None:
    """Say why integers are no measurements, if they are not."""
    n_rows = column.n_rows
    unnamed = _UNNAMED.fullmatch(name) is not None
    if n_rows < (3 if unnamed else MIN_ROWS_FOR_CATEGORY_CHECK):
        return None
    order = column.numbering or Numbering.of(column.values)
    if column.numbering is None and len(column) < n_rows:  # integers that come more than once
        order = replace(order, is_consecutive=False)
    if order.is_consecutive and (order.first in (0, 1) or unnamed):
        return _ROW_NUMBERS
    if not may_identify(name, order.first):
        return None
    n_distinct = order.n_distinct
    if n_distinct is None:
        n_distinct = len(np.unique(column.values))
    return _IDENTIFIERS if n_distinct >= NEARLY_ALL * n_rows else None


def may_identify(name: str, first: int) -> bool:
    """Say whether a column of integers, by its name or its size, may be one of identifiers."""
    unnamed = _UNNAMED.fullmatch(name) is not None
    return unnamed or abs(first) > 2**53 or _IDENTIFIER.fullmatch(name) is not None


def _whole_floats(columns: RawColumns, kept: Collection[str]) -> tuple[RawColumns, list[str]]:
    """Return columns of floats that are integers in truth, and which of them are classes or bins.

    Pandas turns integers to floats where one is missing. A class may be written as 0.0 and 1.0. A
    discretiser writes bins as 0.0, 1.0, 2.0, ..., but then all columns of whole numbers are such.
    """
    found: dict[str, FloatArray] = {}
    for name, column in columns.items():
        if name not in kept and isinstance(column, RawNumbers) and column.values.dtype.kind == "f":
            values = _whole_values(column)
            if values is not None and len(values) > 1:
                found[name] = values
    complete = [name for name in found if columns[name].missing is None]  # type: ignore[union-attr]
    bins = [name for name in complete if np.array_equal(found[name], np.arange(len(found[name])))]
    classes = [name for name in bins if len(bins) == len(complete) or len(found[name]) == 2]
    integers = [
        name
        for name, values in found.items()
        if len(values) <= MAX_INTEGER_CATEGORIES and (name in classes or name not in complete)
    ]
    return {name: _as_integers(columns[name]) for name in integers}, [
        name for name in classes if name in integers
    ]


def _whole_values(column: RawNumbers) -> FloatArray | None:
    """Return the distinct values (of many, the first) of a column if all are whole numbers."""
    known = column.values if column.missing is None else column.values[~column.missing]
    peek = np.unique(known[:_PEEK])
    if len(peek) == 0 or not _whole(peek):
        return None
    if len(peek) > MAX_INTEGER_CATEGORIES:
        return peek
    values = np.unique(known)
    return values if _whole(values) else None


def _as_integers(column: RawColumn) -> RawNumbers:
    assert isinstance(column, RawNumbers)
    missing = column.missing
    values = column.values if missing is None else np.where(missing, 0.0, column.values)
    return replace(column, values=values.astype(np.int64))


def _whole(values: NDArray[Any]) -> bool:
    return bool((np.abs(values) <= 2**53).all()) and np.array_equal(values, np.floor(values))


def without_infinite(columns: RawColumns) -> tuple[RawColumns, Note]:
    """Make infinite numbers missing, and say in which columns."""
    finite, changed = dict(columns), []
    for name, column in columns.items():
        if isinstance(column, RawNumbers) and column.values.dtype.kind == "f":
            infinite = np.isinf(column.values)
            if infinite.any():
                missing = infinite if column.missing is None else infinite | column.missing
                known = np.where(missing, np.nan, column.values)
                finite[name] = replace(column, values=known, missing=missing)
                changed.append(name)
    return finite, Note.of(_infinite_note, changed)


def _infinite_note(names: Sequence[str]) -> str:
    return f"Infinite numbers were read as missing: {listed(names)}."


def _left_out_note(names: Sequence[str]) -> str:
    first = names[0]
    return (
        f"Left out because they number or name the rows: {listed(names)}; to keep one, "
        f"give its kind (--kind {quote(f'{first}=category')}, or in Python "
        f"kinds={{{first!r}: 'category'}})."
    )


def _class_note(names: Sequence[str]) -> str:
    first = names[0]
    return (
        f"Taken as categories because they hold only 0, 1 and so on: {listed(names)}; "
        f"--kind {quote(f'{first}=number')}, or in Python kinds={{{first!r}: 'number'}}, takes one "
        "as a number."
    )
