"""Finer kinds of columns: categories in order, and numbers that are counts.

The order of categories is declared by the table (an ordered Categorical of pandas), follows from
their being numbers, or is given with the kind: ``kinds={"size": "small < medium < large"}``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from eiderdown.data.columns import Kind, Kinds
from eiderdown.data.encode import RawCategories, RawColumn, RawNumbers
from eiderdown.errors import ColumnKindError, listed


def in_given_order(
    columns: Mapping[str, RawColumn], kinds: Kinds
) -> tuple[dict[str, RawColumn], dict[str, Kind | str]]:
    """Put the categories of columns whose kind is an order into that order."""
    ordered, plain = dict(columns), dict(kinds)
    for name, kind in kinds.items():
        if isinstance(kind, str) and "<" in kind and name in columns:
            ordered[name] = _in_order(name, columns[name], [one.strip() for one in kind.split("<")])
            plain[name] = Kind.ORDERED
    return ordered, plain


def _in_order(name: str, column: RawColumn, order: list[str]) -> RawCategories:
    if not isinstance(column, RawCategories):
        raise ColumnKindError(
            f"Column {name!r} holds numbers, which have an order; give its kind as ordered."
        )
    texts = [str(category) for category in column.categories]
    unknown = [text for text in texts if text not in order]
    if unknown or len(set(order)) < len(order):
        raise ColumnKindError(
            f"The order of column {name!r} must name each of its categories once; it lacks "
            f"{listed(unknown)}."
            if unknown
            else f"The order of column {name!r} names a category twice; name each once."
        )
    rank = np.array([*map(order.index, texts), -1])  # the last is that of code -1
    codes = rank[column.codes]
    return replace(column, codes=codes, categories=tuple(order), declared=True, ordered=True)


def finer_kinds(columns: Mapping[str, RawColumn], kinds: Mapping[str, Kind]) -> dict[str, Kind]:
    """Return which columns are in order or counts, or raise where that cannot be.

    Examples
    --------
    >>> finer_kinds({"visits": RawNumbers(np.array([0, 3]))}, {"visits": Kind.COUNT})
    {'visits': <Kind.COUNT: 'count'>}
    """
    finer = {name: kind for name, kind in kinds.items() if kind in (Kind.ORDERED, Kind.COUNT)}
    for name, kind in finer.items():
        (_require_order if kind is Kind.ORDERED else _require_counts)(name, columns[name])
    declared = {
        name: Kind.ORDERED
        for name, column in columns.items()
        if isinstance(column, RawCategories) and column.ordered and name not in kinds
    }
    return declared | finer


def _require_order(name: str, column: RawColumn) -> None:
    if isinstance(column, RawCategories) and not column.declared:
        first, *others = sorted(map(str, column.categories))[:3]
        example = " < ".join((first, *others))
        raise ColumnKindError(
            f"Column {name!r} holds texts, and nothing says in which order; give the order as its "
            f"kind, such as {example!r}."
        )


def _require_counts(name: str, column: RawColumn) -> None:
    values = column.values if isinstance(column, RawNumbers) else np.zeros(0)
    if isinstance(column, RawNumbers) and column.missing is not None:
        values = values[~column.missing]
    if np.any(values < 0) or np.any(values != np.floor(values)):
        raise ColumnKindError(
            f"Column {name!r} cannot be counts, because it has values that are negative or not "
            "whole; give its kind as number."
        )
