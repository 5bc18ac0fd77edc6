"""From each source of tables (files, frames, arrays) to the parts of a dataset."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eiderdown.arrays import IntArray
from eiderdown.data.adapters import (
    plain_categories,
    raw_column,
    raw_from_arrow,
    raw_from_csv,
    raw_from_numpy,
    raw_from_polars,
    unmasked,
)
from eiderdown.data.blocks import (
    Block,
    Category,
    CodeBlock,
    SparseBlock,
    as_codes,
    as_rows,
    merged,
)
from eiderdown.data.columns import Kind, Kinds, NameIndex, checked_names, resolved_kinds
from eiderdown.data.encode import RawColumn, check_n_categories, encode
from eiderdown.data.screen import EXCLUDED, screened, unique_names
from eiderdown.errors import (
    ColumnKindError,
    InputError,
    MissingValuesError,
    TooFewRowsError,
    UnreadableFileError,
)
from eiderdown.read_options import ReadOptions

Parts: TypeAlias = tuple[tuple[str, ...], tuple[Block, ...], tuple[tuple[Category, ...], ...]]
"""Names, blocks and categories, from which a dataset is made."""

_NULLS = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"]


Read: TypeAlias = tuple[
    tuple[str, ...],
    tuple[Block, ...],
    tuple[tuple[Category, ...], ...],
    tuple[str, ...],
    dict[str, str],
]
"""Parts, what is said about them, and why some columns were left out."""


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of a table by their labels; each is made raw when it is wanted."""

    labels: Sequence[Any]
    raw: Callable[[int, str], RawColumn]
    notes: tuple[str, ...] = ()


def read_table(table: Any, options: ReadOptions) -> Read:
    """Read what is wanted of any table, leave out what says nothing, and encode the rest."""
    if hasattr(table, "tocsc"):
        return _read_sparse(table, options)
    columns = table if isinstance(table, Columns) else columns_of(table, options)
    names, renamed = unique_names(columns.labels)
    wanted, excluded = _wanted(names, options)
    kinds = resolved_kinds(options.get("kinds"), names)
    raw = _without_problems({names[i]: partial(columns.raw, i, names[i]) for i in wanted})
    raw, notes, left_out = screened(raw, kinds)
    kinds = {name: kind for name, kind in kinds.items() if name in raw}
    parts = _encoded(tuple(raw), list(raw.values()), kinds)
    left_out |= dict.fromkeys(excluded, EXCLUDED)
    return *parts, (*columns.notes, *renamed, *notes), left_out


def columns_of(table: Any, options: ReadOptions) -> Columns:
    """Take a table apart; its type is found out without importing anything."""
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
    if isinstance(table, np.ndarray):
        array = _two_dimensional(table)
        names = [f"x{i}" for i in range(array.shape[1])]
        return Columns(names, lambda i, name: raw_from_numpy(name, array[:, i]))
    if isinstance(table, Mapping):
        cells = list(table.values())
        return Columns(list(table), lambda i, name: raw_column(name, cells[i]))
    if isinstance(table, str | os.PathLike):
        return of_file(Path(table), options)
    raise InputError(
        f"A table cannot be made from a {type(table).__name__}; give a pandas or polars frame, "
        f"an Arrow table, a 2-D array, a sparse matrix, a mapping of columns or a file's path."
    )


def of_pandas(frame: Any) -> Columns:
    """Take a pandas frame apart."""
    return Columns(list(frame.columns), lambda i, name: raw_column(name, frame.iloc[:, i]))


def of_polars(frame: Any) -> Columns:
    """Take a polars frame apart; a lazy one is collected first."""
    whole = frame.collect() if hasattr(frame, "collect") else frame
    return Columns(whole.columns, lambda i, name: raw_from_polars(name, whole.to_series(i)))


def of_arrow(table: Any) -> Columns:
    """Take an Arrow table apart."""
    return Columns(table.column_names, lambda i, name: raw_from_arrow(name, table.column(i)))


def of_file(path: Path, options: ReadOptions) -> Columns:
    """Take a file apart, which is read according to its suffix."""
    name = path.name.lower()
    if name.endswith((".csv", ".csv.gz", ".tsv", ".tsv.gz")):
        return of_csv(path, options)
    if name.endswith(".parquet"):
        return of_parquet(path, options)
    _check_file(path)
    raise UnreadableFileError(
        f"The file {str(path)!r} has an unknown suffix; "
        f"give a .csv, .csv.gz, .tsv or .parquet file."
    )


def of_csv(path: Path, _options: ReadOptions) -> Columns:
    """Take a CSV file apart."""
    table = _read_csv(path, None)
    return Columns(table.column_names, lambda i, name: raw_from_csv(name, table.column(i)))


def of_parquet(path: Path, _options: ReadOptions) -> Columns:
    """Take a Parquet file apart."""
    return of_arrow(_read_parquet(path, None))


def _wanted(names: tuple[str, ...], options: ReadOptions) -> tuple[list[int], list[str]]:
    """Return the positions of the columns to read, and the names of those excluded."""
    index, wanted = NameIndex(names), options.get("columns")
    among = range(len(names)) if wanted is None else [index.position(label) for label in wanted]
    excluded = {index.position(label) for label in options.get("exclude", ())}
    if wanted is not None:
        checked_names([names[i] for i in among])
    return [i for i in among if i not in excluded], [names[i] for i in excluded]


def _without_problems(columns: Mapping[str, Callable[[], RawColumn]]) -> dict[str, RawColumn]:
    """Make columns raw; all that cannot be used are told at once."""
    raw, problems = {}, {}
    for name, make in columns.items():
        try:
            raw[name] = make()
        except InputError as problem:
            problems[name] = problem
    _raise(problems)
    return raw


def _raise(problems: Mapping[str, InputError]) -> None:
    """Raise the problems of columns as one error with the way past them."""
    if not problems:
        return
    names = list(problems)
    if len(names) == 1:
        raise problems[names[0]]
    sentences = " ".join(f"({i}) {problem}" for i, problem in enumerate(problems.values(), 1))
    flags = " ".join(f"--exclude {name!r}" for name in names)
    raise InputError(
        f"{len(names)} columns cannot be used: {sentences} To leave them out, say {flags}, or "
        f"exclude={names!r} in Python."
    )


def _read_sparse(matrix: Any, options: ReadOptions) -> Read:
    columns = matrix.tocsc()
    names = tuple(f"x{i}" for i in range(matrix.shape[1]))
    wanted, excluded = _wanted(names, options)
    names = tuple(names[i] for i in wanted)
    for name, kind in resolved_kinds(options.get("kinds"), names).items():
        if kind is Kind.CONTINUOUS:
            raise ColumnKindError(
                f"Column {name!r} of a sparse matrix cannot be continuous; give it as a dense "
                f"column, or leave its kind as discrete."
            )
    chosen = columns if len(wanted) == matrix.shape[1] else columns[:, wanted]
    return *from_sparse(chosen, names, None), (), dict.fromkeys(excluded, EXCLUDED)


def from_columns(columns: Mapping[str, Any], kinds: Kinds | None) -> Parts:
    """Encode one-dimensional columns by name."""
    names = checked_names(columns)
    return _encoded(
        names, [raw_column(n, c) for n, c in zip(names, columns.values(), strict=True)], kinds
    )


def from_numpy(array: ArrayLike, names: Sequence[str] | None, kinds: Kinds | None) -> Parts:
    """Encode the columns of a two-dimensional array."""
    table = _two_dimensional(array)
    texts = _given_or_default(names, table.shape[1])
    return _encoded(
        texts, [raw_from_numpy(n, c) for n, c in zip(texts, table.T, strict=True)], kinds
    )


def _two_dimensional(array: ArrayLike) -> NDArray[Any]:
    """Return a table as an array whose columns lie together in memory."""
    if isinstance(array, np.ma.MaskedArray):
        array = unmasked(array)
    # Lists go in as objects: NumPy would turn [[1, "a"]] into text without a word.
    table = np.asarray(array) if hasattr(array, "dtype") else np.array(array, dtype=object)
    if table.ndim != 2:
        raise InputError(f"The array has {table.ndim} dimensions; a table must have exactly two.")
    return table if table.dtype.kind == "O" else np.asfortranarray(table)


def from_codes(
    codes: NDArray[Any], names: Sequence[str], categories: Sequence[Sequence[Category]]
) -> Parts:
    """Check and copy codes that are given already."""
    codes = np.asarray(codes)
    texts = checked_names(names)
    if codes.dtype.kind not in "ui" or codes.ndim != 2:
        raise InputError("Codes must be a two-dimensional array of integers, one row per column.")
    if not len(codes) == len(texts) == len(categories):
        raise InputError(
            f"There are {len(codes)} rows of codes, {len(texts)} names and {len(categories)} sets "
            f"of categories; give one of each for every column."
        )
    _require_rows(codes.shape[1])
    tuples = _checked_categories(texts, categories)
    n_categories = np.fromiter(map(len, tuples), np.int64, len(tuples))
    least = codes.min(axis=1)
    outside = (codes.max(axis=1) >= n_categories) | (least < -1)
    if outside.any():
        i = int(outside.argmax())
        raise InputError(
            f"Column {texts[i]!r} has codes outside its {n_categories[i]} categories; "
            f"codes run from 0 to one less than the number of categories (-1 for a missing value)."
        )
    incomplete = least < 0
    n_codes = n_categories + incomplete
    check_n_categories(texts[int(n_codes.argmax())], int(n_codes.max()))
    blocks = []
    for chosen in (np.flatnonzero(n_codes <= 256), np.flatnonzero(n_codes > 256)):
        if len(chosen):
            own = codes if len(chosen) == len(codes) else codes[chosen]
            if incomplete[chosen].any():
                own = np.where(own < 0, n_categories[chosen, None], own)
            held = as_codes(own, int(n_codes[chosen[0]]))
            blocks.append(CodeBlock(chosen, n_categories[chosen], held, incomplete[chosen]))
    return texts, tuple(blocks), tuples


def _checked_categories(
    names: Sequence[str], categories: Sequence[Sequence[Category]]
) -> tuple[tuple[Category, ...], ...]:
    # Columns often share one object: check it and keep it once.
    held = list(categories)
    checked: dict[int, tuple[Category, ...]] = {}
    for name, one in zip(names, held, strict=True):
        if id(one) not in checked:
            checked[id(one)] = plain_categories(name, one)
    return tuple(checked[id(one)] for one in held)


def from_sparse(matrix: Any, names: Sequence[str] | None, extra: Mapping[str, Any] | None) -> Parts:
    """Keep a SciPy sparse matrix of zeros and ones as lists of rows, and append dense columns."""
    if not hasattr(matrix, "tocsc") or matrix.ndim != 2:
        raise InputError("A sparse table must be a two-dimensional SciPy sparse matrix or array.")
    columns = matrix.tocsc(copy=True)
    columns.sum_duplicates()
    columns.eliminate_zeros()
    n_rows, n_sparse = columns.shape
    sparse_names = _given_or_default(names, n_sparse)
    _require_rows(n_rows)
    _check_ones(columns, sparse_names)
    block = SparseBlock(
        np.arange(n_sparse),
        columns.indptr.astype(np.int64),
        as_rows(columns.indices, n_rows),
        n_rows,
    )
    both: tuple[Category, ...] = (False, True) if columns.dtype == np.bool_ else (0, 1)
    parts: Parts = sparse_names, (block,), (both,) * n_sparse
    return joined(parts, from_columns(extra, None)) if extra else parts


def _encoded(names: tuple[str, ...], raw: list[RawColumn], kinds: Kinds | None) -> Parts:
    columns = encode(dict(zip(names, raw, strict=True)), resolved_kinds(kinds, names))
    blocks = [replace(block, variables=np.array([i])) for i, (block, _) in enumerate(columns)]
    return names, merged(blocks), tuple(categories for _, categories in columns)


def joined(left: Parts, right: Parts) -> Parts:
    """Put two tables side by side, the columns of the left one first."""
    names = checked_names(left[0] + right[0])
    n_left, n_right = left[1][0].n_rows, right[1][0].n_rows
    if n_left != n_right:
        raise InputError(
            f"Column {right[0][0]!r} has {n_right} rows but the table has {n_left}; "
            f"all columns of a table must be equally long."
        )
    moved = [replace(block, variables=block.variables + len(left[0])) for block in right[1]]
    return names, merged([*left[1], *moved]), left[2] + right[2]


def _given_or_default(names: Sequence[str] | None, n_columns: int) -> tuple[str, ...]:
    texts = checked_names([f"x{i}" for i in range(n_columns)] if names is None else names)
    if len(texts) != n_columns:
        raise InputError(
            f"There are {len(texts)} names for {n_columns} columns; give one name per column."
        )
    return texts


def _require_rows(n_rows: int) -> None:
    if n_rows == 0:
        raise TooFewRowsError("The table has no rows; give it at least one.")


def row_numbers(row_indices: NDArray[Any], n_rows: int) -> IntArray:
    """Return the numbers of rows that were given as such or by a mask; there must be some."""
    if row_indices.dtype == np.bool_:
        if row_indices.shape != (n_rows,):
            raise InputError(f"A mask of rows must have {n_rows} values, one for each row.")
        row_indices = np.flatnonzero(row_indices)
    if row_indices.ndim != 1 or (row_indices.dtype.kind not in "ui" and len(row_indices)):
        raise InputError("Rows are taken by a list of row numbers or a boolean mask.")
    if len(row_indices) and (row_indices.min() < 0 or row_indices.max() >= n_rows):
        raise InputError(f"A row number is outside the table, whose rows are 0 to {n_rows - 1}.")
    _require_rows(len(row_indices))
    return row_indices.astype(np.int64)


def _check_ones(columns: Any, names: Sequence[str]) -> None:
    odd = np.flatnonzero(columns.data != 1)
    if len(odd) == 0:
        return
    name = names[int(np.searchsorted(columns.indptr, odd[0], side="right")) - 1]
    value = columns.data[odd[0]]
    if np.isnan(value):
        raise MissingValuesError(
            f"Missing values in column {name!r}; drop those rows or columns, or fill the values in."
        )
    raise ColumnKindError(
        f"Column {name!r} of the sparse matrix holds {value!s}, and sparse columns may only hold 0 "
        f"and 1; make it binary, or give it as a dense column."
    )


# --- files, as Arrow tables ---


def _read_csv(path: Path, columns: Sequence[str] | None) -> Any:
    """Read a CSV file with a header line; empty cells, and NA without quotes, are null.

    Texts are read as codes into what was seen, which asks Arrow for nothing more afterwards: its
    compute functions take a tenth of a second to import, and may import pandas besides.
    """
    import pyarrow as pa
    from pyarrow import csv

    _check_file(path)
    tabs = path.name.lower().endswith((".tsv", ".tsv.gz"))
    parse = csv.ParseOptions(delimiter="\t" if tabs else ",")
    try:
        if columns is not None:
            _check_known(_header(path, parse), columns)
        convert = csv.ConvertOptions(
            null_values=_NULLS,
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            include_columns=None if columns is None else list(columns),
            auto_dict_encode=True,
            auto_dict_max_cardinality=2**31 - 1,
        )
        table = csv.read_csv(path, parse_options=parse, convert_options=convert)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, "CSV", error) from error
    _check_text(path, table)
    return table


def _read_parquet(path: Path, columns: Sequence[str] | None) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    _check_file(path)
    try:
        if columns is None:
            return parquet.ParquetFile(path).read()
        _check_known(parquet.read_schema(path).names, columns)
        return parquet.ParquetFile(path).read(columns=list(columns)).select(list(columns))
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, "Parquet", error) from error


def _header(path: Path, parse: Any) -> list[str]:
    from pyarrow import csv

    with csv.open_csv(path, parse_options=parse) as reader:
        names: list[str] = reader.schema.names
    return list(checked_names(names))


def _check_text(path: Path, table: Any) -> None:
    from pyarrow import types

    # Arrow gives bytes back where a cell is no text.
    texts = (kind.value_type for kind in table.schema.types if types.is_dictionary(kind))
    if any(types.is_binary(kind) for kind in texts):
        raise UnreadableFileError(
            f"The file {str(path)!r} cannot be read as CSV: it is not UTF-8 text; save it as UTF-8."
        )


def _check_known(names: Sequence[str], columns: Sequence[str]) -> None:
    index = NameIndex(names)
    for column in checked_names(columns):
        index.position(column)


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise UnreadableFileError(f"{str(path)!r} is a directory; give the path of a file.")
    if not path.exists():
        raise UnreadableFileError(f"There is no file {str(path)!r}; check the path.")
    if path.stat().st_size == 0:
        raise UnreadableFileError(f"The file {str(path)!r} is empty; give a file with a table.")


def _unreadable(path: Path, what: str, error: Exception) -> UnreadableFileError:
    reason = (str(error).splitlines() or ["no reason given"])[0].rstrip(". ")
    return UnreadableFileError(f"The file {str(path)!r} cannot be read as {what}: {reason}.")
