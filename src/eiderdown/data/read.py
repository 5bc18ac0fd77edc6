"""From the tables of users (frames, arrays, files) to the parts of a dataset.

A table passes five steps: its columns are selected before anything is looked at; each is made raw;
texts become the numbers, dates and missing cells that they stand for; columns that say nothing are
left out; the rest is encoded. What was guessed, changed and left out is in the notes.
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any, TypeAlias, TypeVar

import numpy as np

from eiderdown.data.adapters import (
    mixed_texts,
    raw_column,
    raw_from_arrow,
    raw_from_csv,
    raw_from_polars,
)
from eiderdown.data.blocks import Block, Category
from eiderdown.data.code_arrays import as_code_table
from eiderdown.data.columns import Kind, Kinds, NameIndex, checked_names, resolved_kinds
from eiderdown.data.dates import AnyRaw, RawDates, undated
from eiderdown.data.encode import Column, RawCategories, RawColumn
from eiderdown.data.files import Guesses, read_file
from eiderdown.data.notes import Note
from eiderdown.data.parts import (
    default_names,
    encoded,
    encoded_apart,
    from_sparse,
    two_dimensional,
)
from eiderdown.data.screen import EXCLUDED, screened, unique_names, without_infinite
from eiderdown.data.texts import given_dates, mended
from eiderdown.errors import ColumnKindError, InputError, NonFiniteError, listed
from eiderdown.shared_options import ReadOptions

R = TypeVar("R")

_MOST_SHOWN = 8

Read: TypeAlias = tuple[
    tuple[str, ...],
    tuple[Block, ...],
    tuple[tuple[Category, ...], ...],
    Mapping[str, Kind],
    tuple[str, ...],
    dict[str, str],
]
"""Parts, what is said about them, and why some columns were left out."""


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of a table by their labels; each is made raw when it is wanted.

    Attributes
    ----------
    labels : sequence
        Whatever the table calls them.
    raw : callable
        Makes a column raw, given its position and its name.
    guesses : Guesses
        What is known of all of them.
    """

    labels: Sequence[Any]
    raw: Callable[[int, str], AnyRaw]
    guesses: Guesses = field(default_factory=Guesses)


class Selection:
    """Which columns of a table are read; remembers the excluded ones once it has been asked."""

    def __init__(self, options: ReadOptions) -> None:
        self._columns, self._exclude = options.get("columns"), tuple(options.get("exclude", ()))
        self.excluded: list[str] | None = None

    def __call__(self, labels: Iterable[Any]) -> list[str]:
        """Return the names of the columns to read, given the labels of all."""
        names, _ = unique_names(labels)
        index, wanted = NameIndex(names), names
        if self._columns is not None:
            wanted = checked_names(names[index.position(label)] for label in self._columns)
        self.excluded = [names[index.position(label)] for label in self._exclude]
        return [name for name in wanted if name not in self.excluded]


def read_table(table: Any, options: ReadOptions, form: str = "") -> Read:
    """Read any table, of a file in a given format or in that of its name."""
    select = Selection(options)
    if hasattr(table, "tocsc"):
        return _read_sparse(table, options, select)
    if not any(options.get(name) for name in ("kinds", "columns", "exclude")):
        codes = as_code_table(table)
        if codes is not None:
            return default_names(len(codes[1])), (codes[0],), codes[1], {}, (), {}
    return read_columns(_columns_of(table, options, select, form), options, select)


def read_columns(columns: Columns, options: ReadOptions, select: Selection) -> Read:
    """Read a table that was taken apart."""
    names, renamed = unique_names(columns.labels)
    wanted = names if select.excluded is not None else select(names)
    kinds = given_kinds(options, names, select.excluded or ())
    position = {name: i for i, name in enumerate(names)}
    raw = all_raw({name: partial(columns.raw, position[name], name) for name in wanted})
    settled = settle(raw, columns.guesses, options, kinds)
    parts, changed = _encoded(encoded, settled.columns, settled.kinds)
    left_out = settled.left_out | dict.fromkeys(select.excluded or (), EXCLUDED)
    return *parts, (*columns.guesses.notes, *renamed, *settled.notes, *changed), left_out


@dataclass(frozen=True, eq=False)
class Settled:
    """What was made of raw columns before they are encoded.

    Attributes
    ----------
    columns : dict
        Those that stay.
    kinds : dict
        What was given of them.
    notes : tuple of str
        What is to be said of it.
    left_out : dict
        Why others do not stay.
    """

    columns: dict[str, RawColumn]
    kinds: Kinds
    notes: tuple[str, ...]
    left_out: dict[str, str]

    def encoded_apart(self) -> tuple[list[Column], dict[str, Kind], tuple[str, ...]]:
        """Encode each column in a block of its own; return finer kinds and notes, too."""
        (columns, finer), changed = _encoded(encoded_apart, self.columns, self.kinds)
        return columns, finer, changed


def settle(
    raw: Mapping[str, AnyRaw], guesses: Guesses, options: ReadOptions, given: Mapping[str, str]
) -> Settled:
    """Mend raw columns, and leave out those that say nothing."""
    mending = _Mending(guesses, options, given)
    mending.mend(raw)
    whole, notes, left_out = screened(mending.columns, mending.settled)
    said = (*mending.notes, *notes)
    return Settled(whole, mending.kinds, said, left_out | mending.left_out)


# --- tables of other libraries -------------------------------------------------------------------


def _columns_of(table: Any, options: ReadOptions, select: Selection, form: str) -> Columns:
    """Take a table apart; its type is found out without importing anything."""
    if isinstance(table, str | os.PathLike):
        return of_file(Path(table), options, select, form)
    frames: dict[tuple[str, str], Callable[[Any], Columns]] = {
        ("pandas", "DataFrame"): of_pandas,
        ("polars", "DataFrame"): of_polars,
        ("polars", "LazyFrame"): of_polars,
        ("pyarrow", "Table"): of_arrow,
        ("pyarrow", "RecordBatch"): of_arrow,
    }
    for base in type(table).__mro__:
        of_frame = frames.get((base.__module__.partition(".")[0], base.__name__))
        if of_frame is not None:
            return of_frame(table)
    if hasattr(table, "__arrow_c_stream__"):  # of a library that we do not know
        import pyarrow as pa

        try:
            return of_arrow(pa.table(table))
        except (pa.ArrowException, TypeError, ValueError) as problem:
            raise InputError(
                f"A table cannot be made from a {type(table).__name__} ({problem}); give a table "
                "with named columns, such as a frame."
            ) from problem
    if isinstance(table, np.ndarray):
        array = two_dimensional(table)
        names = [f"x{i}" for i in range(array.shape[1])]
        return Columns(names, lambda i, name: _raw(name, array[:, i]))
    if isinstance(table, Mapping):
        cells = list(table.values())
        return Columns(list(table), lambda i, name: _raw(name, cells[i]))
    raise InputError(
        f"A table cannot be made from a {type(table).__name__}; give a pandas or polars frame, "
        f"an Arrow table, a 2-D array, a sparse matrix, a mapping of columns or a file's path."
    )


def of_pandas(frame: Any) -> Columns:
    """Take a pandas frame apart."""
    return Columns(list(frame.columns), lambda i, name: _raw(name, frame.iloc[:, i]))


def _raw(name: str, column: Any) -> AnyRaw:
    """Make a column raw; where texts stand among numbers, they are all texts for now."""
    try:
        return raw_column(name, column)
    except ColumnKindError:
        texts = mixed_texts(column)
        if texts is None:
            raise
        return texts


def of_polars(frame: Any) -> Columns:
    """Take a polars frame apart; a lazy one is collected first."""
    whole = frame.collect() if hasattr(frame, "collect") else frame
    return Columns(whole.columns, lambda i, name: raw_from_polars(name, whole.to_series(i)))


def of_arrow(table: Any) -> Columns:
    """Take an Arrow table apart."""
    return Columns(table.column_names, lambda i, name: raw_from_arrow(name, table.column(i)))


def of_file(path: Path, options: ReadOptions, select: Selection, form: str = "") -> Columns:
    """Take a file apart."""
    table, guesses = read_file(path, options, select, form)
    raw = raw_from_arrow if guesses.typed else raw_from_csv
    return Columns(table.column_names, lambda i, name: raw(name, table.column(i)), guesses)


def _read_sparse(matrix: Any, options: ReadOptions, select: Selection) -> Read:
    columns, labels = matrix.tocsc(), range(matrix.shape[1])
    names = select(f"x{i}" for i in labels)
    for name, kind in resolved_kinds(options.get("kinds"), names).items():
        if not kind.is_discrete:
            raise ColumnKindError(
                f"Column {name!r} of a sparse matrix cannot be continuous; give it as a dense "
                f"column, or leave its kind as discrete."
            )
    if len(names) < len(labels):
        columns = columns[:, [int(name[1:]) for name in names]]
    return *from_sparse(columns, names, None), (), dict.fromkeys(select.excluded or (), EXCLUDED)


# --- from raw columns to columns that can be encoded ---------------------------------------------


def given_kinds(
    options: ReadOptions, names: Sequence[str], excluded: Sequence[str]
) -> dict[str, str]:
    """Return what the user said that columns hold, in words, or the order of its categories."""
    kinds: dict[str, Any] = {}
    exact: dict[str, Any] = {}
    index = NameIndex(names)
    for label, kind in (options.get("kinds") or {}).items():
        matching = fnmatch.filter(names, label) if "*" in str(label) else []
        kinds |= dict.fromkeys(matching, kind)
        if not matching and str(label) not in excluded:
            exact[names[index.position(label)]] = kind
    kinds |= exact
    settled = {name: kind for name, kind in kinds.items() if kind == "date" or "<" in str(kind)}
    others = {name: kind for name, kind in kinds.items() if name not in settled}
    words = {Kind.DISCRETE: "category", Kind.CONTINUOUS: "number"}
    resolved = resolved_kinds(others, names)
    return settled | {name: words.get(kind, kind.value) for name, kind in resolved.items()}


class _Mending:
    """Columns on their way from what a table holds to what is meant."""

    def __init__(self, guesses: Guesses, options: ReadOptions, given: Mapping[str, str]) -> None:
        self._guesses, self._options, self._given = guesses, options, given
        self.columns: dict[str, RawColumn] = {}
        self.kinds: dict[str, Kind | str] = {}
        self.settled: set[str] = set()
        self.left_out: dict[str, str] = {}
        self._marks, self._dates, self._numbers = set(guesses.marks), list[str](), list[str]()
        self._notes: list[str] = []

    @property
    def notes(self) -> tuple[str, ...]:
        """What was made of which columns."""
        notes = []
        if self._marks:
            marks = listed(sorted(self._marks))
            notes.append(f"Read as missing: cells with {marks}; --na (na=) names others.")
        if self._numbers:
            notes.append(Note.of(_numbers_note, self._numbers))
        if self._dates:
            sentence = partial(_dates_note, self._options.get("dates", "days"))
            notes.append(Note.of(sentence, self._dates))
        return (*notes, *self._notes)

    def mend(self, raw: Mapping[str, AnyRaw]) -> None:
        """Turn texts into what they stand for, and dates into numbers."""
        for name, column in raw.items():
            given = self._given.get(name, "")
            found: AnyRaw = given_dates(column) if given == "date" else column
            if isinstance(found, RawCategories) and not found.declared:
                result = mended(
                    name,
                    found,
                    "number" if given == "count" else given,
                    self._options,
                    decimal=self._guesses.decimal,
                    typed=self._guesses.typed,
                )
                found = result.column
                self._marks |= set(result.marks)
                self._notes += [Note.of_one(result.note, name)] if result.note else []
                self._numbers += [name] if result.reformed else []
                if result.left_out:
                    self.left_out[name] = result.left_out
                    continue
            self._keep(name, found, given)

    def _keep(self, name: str, column: AnyRaw, given: str) -> None:
        if isinstance(column, RawDates):
            if given == "category":
                self.columns[name] = column.categories()
            else:
                form = "days" if given == "number" else self._options.get("dates", "days")
                numbers = undated(name, column, form)
                self._dates.append(name)
                self.columns |= numbers
                self.settled |= set(numbers)
                return
        elif given == "date":
            raise ColumnKindError(
                f"Column {name!r} cannot be read as dates; write them as 2020-01-31, or leave its "
                "kind open."
            )
        else:
            self.columns[name] = column
        if given:
            self.settled.add(name)
            self.kinds[name] = given


def _numbers_note(names: Sequence[str]) -> str:
    return f"Numbers with grouped digits, commas or units: {listed(names)}."


def _dates_note(form: str, names: Sequence[str]) -> str:
    into = "days since 1970" if form == "days" else "year, month and weekday"
    return f"Dates became {into}: {listed(names)}."


def all_raw(columns: Mapping[str, Callable[[], AnyRaw]]) -> dict[str, AnyRaw]:
    """Make columns raw; all that cannot be used are reported at once."""
    raw, problems = {}, {}
    for name, make in columns.items():
        try:
            raw[name] = make()
        except InputError as problem:
            problems[name] = problem
    _raise(problems)
    return raw


def _encoded(
    encode: Callable[[tuple[str, ...], Sequence[AnyRaw], Kinds | None], R],
    columns: dict[str, RawColumn],
    kinds: Kinds,
) -> tuple[R, tuple[str, ...]]:
    """Encode columns; if some cannot be, report all of them at once."""
    try:
        return encode(tuple(columns), list(columns.values()), kinds), ()
    except NonFiniteError:
        finite, note = without_infinite(columns)
        return _encoded(encode, finite, kinds)[0], (note,)
    except InputError:
        problems = {}
        for name, column in columns.items():
            own = {name: kinds[name]} if name in kinds else None
            try:
                encoded((name,), [column], own)
            except InputError as problem:
                problems[name] = problem
        if {column.n_rows for column in columns.values()} != {0}:
            _raise(problems)
        raise


def _raise(problems: Mapping[str, InputError]) -> None:
    """Raise the problems of columns as one error with the way past them."""
    if not problems:
        return
    names = list(problems)
    flags = " ".join(f"--exclude {quote(name)}" for name in names[:_MOST_SHOWN])
    way_out = f"say {flags} (exclude={names[:_MOST_SHOWN]!r} in Python)."
    if len(names) == 1:
        problem = problems[names[0]]
        raise type(problem)(f"{str(problem).rstrip('.')}; to leave it out, {way_out}") from problem
    shown = list(problems.values())[:_MOST_SHOWN]
    sentences = " ".join(f"({i}) {problem}" for i, problem in enumerate(shown, 1))
    raise InputError(f"{len(names)} columns cannot be used: {sentences} To go on, {way_out}")
