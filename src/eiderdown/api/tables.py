"""The table that a verb works on: read, with its row roles, and with groups of columns joined."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from eiderdown.api.cluster_targets import with_layout
from eiderdown.api.recording import note_table, recorded
from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data import Dataset
from eiderdown.data.columns import names_of_label
from eiderdown.data.rows import with_row_roles
from eiderdown.errors import ColumnKindError, OptionError, TargetAmongCandidatesError
from eiderdown.option_types import fit, shown, unwrapped
from eiderdown.options import options_of
from eiderdown.progress import within_limits

P = ParamSpec("P")
R = TypeVar("R")

_COLUMNS = ("required", "targets", "given", "members")
"""Options that name columns which take part; ``exclude`` names those that do not."""


_PLACES = ("memory", "store")
"""Options that say where the rows of a file are held."""

_READING_COUNTS_FROM = 1.0
"""Seconds of reading, as those of packing are, from which on they count towards a time limit."""

_ROLES = ("row_counts", "sample_weight", "groups")
"""Options that say what rows are, by a column or an array."""


def about_table(verb: Callable[P, R]) -> Callable[P, R]:
    """Let a verb about a `Dataset` take any table, and columns by any label.

    What the verb takes by position behind the table are columns. Excluded ones are left out before
    anything is read or checked. The result says by which call it came about.
    """
    known, parameters = options_of(verb), list(inspect.signature(verb).parameters.values())
    columns = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD][1:]
    needed = [p.name for p in parameters if p.name in columns and p.default is p.empty]

    @wraps(verb)
    def on_any_table(data: Any, *args: Any, **given: Any) -> R:
        client = given.pop("client", None) if "client" in known else None
        asked = dict(zip(columns, args, strict=False))
        asked |= {name: given.pop(name) for name in columns if given.get(name) is not None}
        asked = {name: unwrapped(label) for name, label in asked.items()}
        _require_named(needed, {**given, **asked})
        exclude = known["exclude"].checked(given["exclude"]) if "exclude" in given else ()
        _require_apart(asked, exclude)
        kinds = known["kinds"].checked(given.pop("kinds", None)) if "kinds" in known else None
        place = {
            name: known[name].checked(given.pop(name, None)) for name in _PLACES if name in known
        }
        place["client"] = client
        table, seconds = _read_within_limits(given, data, exclude, kinds, place)
        if seconds > _READING_COUNTS_FROM:
            given["time_limit"] = max(0.0, given["time_limit"] - seconds)
        note_table(table)
        # Done here once: searches that a verb starts get a table that has it all.
        roles = {role: given.pop(role, None) for role in _ROLES if role in known}
        table = with_row_roles(table, **roles)
        if "column_groups" in known:
            table = with_column_groups(table, given.pop("column_groups", None))
        names = {name: table.name(label) for name, label in asked.items() if label is not None}
        for option in _COLUMNS:
            if given.get(option) is not None:
                labels = known[option].checked(given[option])
                given[option] = [table.name(label) for label in labels]
        if exclude:
            given["exclude"] = [table.name(x) for x in exclude if not table.has_left_out(x)]
        result = verb(table, *args[len(columns) :], **names, **given)  # type: ignore[arg-type]
        return result if client is None else with_layout(result, table)

    return _connected(recorded(on_any_table))  # type: ignore[arg-type]


def _connected(verb: Callable[P, R]) -> Callable[P, R]:
    """Let a verb take the address of a cluster: it is connected to until the result is recorded."""

    @wraps(verb)
    def with_client(*args: P.args, **given: P.kwargs) -> R:
        if not isinstance(given.get("client"), str):
            return verb(*args, **given)
        from eiderdown.data.cluster.connect import connection

        with connection(given["client"]) as opened:
            given["client"] = opened
            return verb(*args, **given)

    return with_client


def _read_within_limits(given: Mapping[str, Any], *how: Any) -> tuple[Dataset, float]:
    """Read a table as quietly and as quickly as the verb is to work; return the seconds, too."""
    limit, began = given.get("time_limit"), time.monotonic()
    numeric = limit if isinstance(limit, int | float) and limit > 0 else None
    with within_limits(progress=given.get("progress") is not False, time_limit=numeric):
        table = _read(*how)
    return table, time.monotonic() - began if numeric is not None else 0.0


def _read(
    data: Any,
    exclude: Collection[Any],
    kinds: Mapping[Any, Any] | None,
    place: Mapping[str, Any],
) -> Dataset:
    """Read a table; a `Dataset` keeps its excluded columns, which verbs leave out themselves."""
    if isinstance(data, Dataset):
        return Dataset.of(data, kinds=kinds, client=place["client"])
    return Dataset.of(data, exclude=exclude, kinds=kinds, **place)


def _require_named(needed: Collection[str], asked: Mapping[str, Any]) -> None:
    for name in needed:
        if name in asked and asked[name] is None:
            raise OptionError(f"Name a column as {name}; it is None.")


def _require_apart(asked: Mapping[str, Any], exclude: Collection[Any]) -> None:
    excluded = {name for label in exclude for name in names_of_label(label)[:1]}
    names = [name for label in asked.values() for name in names_of_label(label)[:1]]
    for label in names:
        if label in excluded:
            raise TargetAmongCandidatesError(
                f"Column {label!r} is both the target and excluded; take it out of the excluded "
                "ones."
            )


NONE_OF_THEM = "none of them"
"""The category of rows in which no indicator is 1."""


def with_column_groups(data: Dataset, groups: Mapping[str, Sequence[Any]] | None) -> Dataset:
    """Join groups of indicator columns into one discrete column each.

    Parameters
    ----------
    data : Dataset
        The table.
    groups : mapping of str to sequence of labels, or None
        What each joined column is called, and its indicators: columns of 0 and 1, or of booleans,
        of which at most one is 1 in each row. A row with a missing indicator and no 1 is missing.

    Examples
    --------
    >>> data = Dataset.from_columns({"red": [1, 0, 0], "blue": [0, 1, 0], "size": [0.5, 1.5, 2.5]})
    >>> found = with_column_groups(data, {"colour": ["red", "blue"]})
    >>> found.names, found.categories(1), found.codes(1)
    (('size', 'colour'), ('red', 'blue', 'none of them'), array([0, 1, 2], dtype=uint8))
    """
    if groups is None:
        return data
    table = data
    for name, labels in _checked_groups(groups).items():
        columns = [data.index(label) for label in labels]
        names = [data.names[i] for i in columns]
        codes = _codes(name, names, np.stack([_indicator(data, i) for i in columns]))
        categories = (*names, NONE_OF_THEM) if (codes == len(names)).any() else tuple(names)
        joined = Dataset.from_codes(codes[None, :], names=[name], categories=[categories])
        left = [other for other in table.names if other not in names]
        table = table.select(left).beside(joined) if left else replace(joined, roles=data.roles)
    return table


def _checked_groups(groups: Any) -> Mapping[str, Sequence[Any]]:
    """Return groups of columns, or say what they must be."""
    read = {}
    for name, labels in groups.items() if isinstance(groups, Mapping) else [(None, groups)]:
        fits, columns = fit(Collection[Any], labels)
        if not isinstance(name, str) or not fits or len(columns) < 2:
            raise OptionError(
                "column_groups must map the name of each group to its columns, at least two, not "
                f"{shown(groups)}."
            )
        read[name] = columns
    return read


def _indicator(data: Dataset, i: int) -> FloatArray:
    """Return a column of 0 and 1 as numbers, NaN where they are missing."""
    categories = data.categories(i)
    values = np.array([*categories, np.nan])[data.codes(i)] if categories else data.values(i)
    if values.dtype.kind != "f" or not np.isin(values[~np.isnan(values)], (0.0, 1.0)).all():
        raise ColumnKindError(
            f"Column {data.names[i]!r} holds more than 0 and 1, and only indicators can be joined "
            "to a group; take it out of column_groups."
        )
    return values


def _codes(name: str, names: Sequence[str], indicators: FloatArray) -> IntArray:
    """Return which indicator is 1, the number of them for none, and -1 for a missing value."""
    n_ones = np.nansum(indicators, axis=0)
    if (n_ones > 1).any():
        raise ColumnKindError(
            f"Of the columns of group {name!r} more than one is 1 in {np.sum(n_ones > 1):,} rows; "
            "only indicators of one category can be joined."
        )
    codes = np.where(n_ones == 1, np.nan_to_num(indicators).argmax(axis=0), len(names))
    return np.where((n_ones == 0) & np.isnan(indicators).any(axis=0), -1, codes)
