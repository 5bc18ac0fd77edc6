"""What was asked, written down: every verb's result says by which call and of which table it is.

:func:`recorded` goes around a verb and sees what was given. The verb tells which table it has read
by :func:`note_table`. Verbs that a verb calls write nothing down, so that results within results
stay small.
"""

from __future__ import annotations

import enum
import inspect
import math
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import wraps
from importlib import import_module
from typing import Any, Final, ParamSpec, TypeVar, cast

import numpy as np

from eiderdown.data import Dataset
from eiderdown.data.dataset import Origin
from eiderdown.knowledge import Knowledge
from eiderdown.memory import Memory
from eiderdown.option_types import shown, unwrapped
from eiderdown.options import Declared, options_of
from eiderdown.registry import Entry
from eiderdown.results import Call, ColumnSummary, TableSummary
from eiderdown.results.provenance import MOST_LEVELS, MOST_MISSING
from eiderdown.results.python_code import mark_of
from eiderdown.results.result import is_on_behalf_of_another

P = ParamSpec("P")
R = TypeVar("R")

MOST_ITEMS: Final = 10_000
"""A longer collection is not written down, but said to be one."""

_NOT_RECORDED: Final = {"progress", "n_jobs", "memory", "store", "client"}
"""On which no answer depends."""

_READ_BY_VERBS: Final = ("exclude", "kinds")
_TABLES: Final = ("new_rows", "test_data")
_ROLES: Final = ("row_counts", "sample_weight", "groups")


@dataclass
class Recording:
    """A verb at work, and how many verbs that it called, one within the other."""

    table: Dataset | None = None
    depth: int = 1


_OPEN: ContextVar[Recording | None] = ContextVar("recording", default=None)


def note_table(table: Dataset) -> None:
    """Say which table a verb has read; within another verb's work nothing is noted."""
    recording = _OPEN.get()
    if recording is not None and recording.table is None:
        recording.table = table


def is_outermost() -> bool:
    """Say whether a verb at work was asked by somebody, and not on behalf of another."""
    recording = _OPEN.get()
    return recording is not None and recording.depth == 1 and not is_on_behalf_of_another()


def recorded(verb: Callable[P, R]) -> Callable[P, R]:
    """Let the result of a verb say by which call it came about, and of which table it is."""
    signature, known = inspect.signature(verb), options_of(verb)

    @wraps(verb)
    def recording_verb(*args: P.args, **given: P.kwargs) -> R:
        outer = _OPEN.get()
        recording = Recording() if outer is None else replace(outer, depth=outer.depth + 1)
        token = _OPEN.set(recording)
        try:
            result = verb(*args, **given)
        finally:
            _OPEN.reset(token)
        if recording.depth > 1 or is_on_behalf_of_another():
            return result
        run, table = getattr(result, "run", None), recording.table
        if run is None or table is None:
            return result
        given_by_name = signature.bind(*args, **given).arguments
        data = given_by_name.pop(next(iter(signature.parameters)))
        if given_by_name.get("random_state", 0) is None:
            given_by_name["random_state"] = run.random_state  # by which the same is found again
        call = _call(verb.__name__, data, given_by_name, known, table)
        target = given_by_name.get("target")
        summary = summary_of(table, call.source, None if target is None else table.name(target))
        found: Any = result
        return cast("R", replace(found, run=replace(run, call=call, table=summary)))

    return recording_verb


# --- the call ------------------------------------------------------------------------------------


def _call(
    verb: str, data: Any, given: Mapping[str, Any], known: Mapping[str, Declared], table: Dataset
) -> Call:
    """Write down a call."""
    options = {
        name: _given(name, value, known.get(name), table)
        for name, value in given.items()
        if name not in _NOT_RECORDED
    }
    origin = data.origin if isinstance(data, Dataset) else table.origin
    shape = () if origin is not None else (table.n_rows, table.n_columns)
    reading = {} if origin is None else _read_as(origin, options)
    if not isinstance(data, Dataset):  # the verb has read it with its own options
        reading = {}
    for name in _READ_BY_VERBS:
        if name in known and name not in options and name in reading:
            options[name] = reading.pop(name)
    return Call(verb, options, None if origin is None else origin.path, reading, shape)


def _read_as(origin: Origin, options: Mapping[str, Any]) -> dict[str, Any]:
    """Say how a file was read, but for what the verb was told as well."""
    reading = {name: encoded(value) for name, value in origin.reading.items()}
    return {name: value for name, value in reading.items() if options.get(name) != value}


def _given(name: str, value: Any, option: Declared | None, table: Dataset) -> Any:
    """Write down what was given as an option or as a column."""
    if name in _TABLES:
        return value if value is None else _table_or_path(value)
    if option is not None:
        value = option.checked(value)
        is_array = name in _ROLES and not isinstance(value, str | int)
        return _placeholder(value) if is_array else encoded(value)
    label = unwrapped(value)
    return label if label is None or type(label) in (str, int) else table.name(label)


def _table_or_path(value: Any) -> Any:
    """Write down another table than the first."""
    origin = getattr(value, "origin", None)
    if isinstance(origin, Origin):
        reading = {name: encoded(item) for name, item in origin.reading.items()}
        return {"$table": origin.path, "reading": reading} if reading else origin.path
    return os.fsdecode(value) if isinstance(value, str | os.PathLike) else _placeholder(value)


def encoded(value: Any) -> Any:
    """Write a value as plain JSON (see :mod:`eiderdown.results.provenance`)."""
    value = _simpler(unwrapped(value))
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$number": str(value)}
    if isinstance(value, Entry):
        return _entry(value)
    if isinstance(value, Mapping) and len(value) <= MOST_ITEMS:
        return _mapping(value)
    if isinstance(value, tuple | list | set | frozenset) and len(value) <= MOST_ITEMS:
        return [encoded(item) for item in value]
    return _placeholder(value)


def _simpler(value: Any) -> Any:
    """Return what options take as well as the object that was given."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, Memory):
        return str(value)
    if isinstance(value, Knowledge):
        return {key: item for key, item in value.to_dict().items() if item}
    return value


def _mapping(value: Mapping[Any, Any]) -> Any:
    plain = all(type(key) is str for key in value) and not any(map(_is_mark, value))
    if plain:
        return {key: encoded(item) for key, item in value.items()}
    return {"$items": [[encoded(key), encoded(item)] for key, item in value.items()]}


def _is_mark(key: str) -> bool:
    return bool(mark_of({key: None}))


def _entry(entry: Entry[..., Any]) -> Any:
    """Write down an algorithm, a test or a score with its options."""
    where = _place_of(entry)
    if not where:
        return _placeholder(entry)
    if not entry.params:
        return entry.name
    params = {name: encoded(value) for name, value in entry.params.items()}
    return {"$entry": where, "name": entry.name, "params": params}


def _place_of(entry: Entry[..., Any]) -> str:
    """Return where an entry can be imported from; "" for one of somebody's own."""
    package = ".".join(entry.function.__module__.split(".")[:2])
    if not package.startswith("eiderdown."):
        return ""
    module = import_module(package)
    constant = entry.name.upper()
    known = getattr(module, constant, None)
    same = isinstance(known, Entry) and known.function is entry.function
    return f"{package}:{constant}" if same else ""


def _placeholder(value: Any) -> dict[str, str]:
    """Say what something is that cannot be written down."""
    if isinstance(value, Entry):
        return {"$placeholder": f"an entry of your own, {value!r}"}
    size = _size_of(value)
    if size is not None and not hasattr(value, "get_params"):
        kind = type(value).__name__
        return {"$placeholder": f"{size:,} values, in a {kind}"}
    name = getattr(value, "__qualname__", "")
    return {"$placeholder": f"{name}, of your own" if name else shown(value)}


def _size_of(value: Any) -> int | None:
    """Return how many values something has; None if it does not say, as sparse matrices do not."""
    try:
        return len(value)
    except Exception:  # whatever an object of somebody's own answers
        return None


# --- the table -----------------------------------------------------------------------------------


def summary_of(table: Dataset, source: str | None, target: str | None = None) -> TableSummary:
    """Summarise a table and its target."""
    incomplete = np.flatnonzero(table.has_missing)
    counts = {table.names[i]: table.n_missing(int(i)) for i in incomplete}
    most = sorted(counts, key=lambda name: (-counts[name], name))[:MOST_MISSING]
    left_out = dict(list(table.left_out.items())[:MOST_MISSING])
    return TableSummary(
        source=source,
        n_rows=table.n_rows,
        n_columns=table.n_columns,
        kinds=_kinds(table),
        n_missing=sum(counts.values()),
        missing={name: counts[name] for name in most},
        target=None if target is None else column_summary(table, target),
        notes=tuple(map(str, table.notes)),
        n_incomplete=len(counts),
        left_out=left_out,
    )


def _kinds(table: Dataset) -> dict[str, int]:
    n_discrete = int(table.is_discrete.sum())
    kinds = {"discrete": n_discrete, "continuous": table.n_columns - n_discrete}
    finer = [table.kind(table.index(name)) for name in table.finer if name in set(table.names)]
    for kind, n in Counter(finer).items():
        coarse = "discrete" if kind.is_discrete else "continuous"
        if kind.value != coarse:
            kinds[coarse] -= n
            kinds[kind.value] = n
    return {kind: n for kind, n in kinds.items() if n}


def column_summary(table: Dataset, name: str) -> ColumnSummary:
    """Summarise a column.

    Examples
    --------
    >>> data = Dataset.from_columns({"smoker": ["no", "yes", "no"], "age": [31.5, 40.0, 28.0]})
    >>> column_summary(data, "smoker").levels, column_summary(data, "age").quantiles
    ({'no': 2, 'yes': 1}, (28.0, 29.75, 31.5, 35.75, 40.0))
    """
    i = table.index(name)
    n_missing, kind = table.n_missing(i), table.kind(i).value
    if table.is_discrete[i]:
        categories = table.categories(i)
        counts = table.category_counts(i).tolist()
        levels = _most_frequent(categories, counts)
        return ColumnSummary(name, kind, n_missing, levels, n_levels=len(categories))
    quantiles = table.quantiles(i, (0.0, 0.25, 0.5, 0.75, 1.0))
    return ColumnSummary(name, kind, n_missing, quantiles=tuple(quantiles.tolist()))


def _most_frequent(categories: Sequence[Any], counts: Sequence[int]) -> dict[str, int]:
    by_name: Counter[str] = Counter()
    for category, count in zip(categories, counts, strict=False):
        by_name[str(category)] += count
    ordered = sorted(by_name.items(), key=lambda item: (-item[1], item[0]))
    return dict(ordered[:MOST_LEVELS])
