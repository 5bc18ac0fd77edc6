"""Files to Arrow tables, with one clear sentence for a file that cannot be read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eiderdown.data.names import NameIndex, checked_names
from eiderdown.errors import UnreadableFileError

_NULLS = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"]


def read_table(path: Path) -> Any:
    """Read a file according to its suffix."""
    name = path.name.lower()
    if name.endswith((".csv", ".csv.gz", ".tsv", ".tsv.gz")):
        return read_csv(path, None)
    if name.endswith(".parquet"):
        return read_parquet(path, None)
    _check_file(path)
    raise UnreadableFileError(
        f"The file {str(path)!r} has an unknown suffix; "
        f"give a .csv, .csv.gz, .tsv or .parquet file."
    )


def read_csv(path: Path, columns: Sequence[str] | None) -> Any:
    """Read a CSV file with a header line; empty cells, and NA without quotes, are null."""
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
        )
        table = csv.read_csv(path, parse_options=parse, convert_options=convert)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, "CSV", error) from error
    _check_text(path, table)
    return _without_empty_texts(table)


def read_parquet(path: Path, columns: Sequence[str] | None) -> Any:
    """Read a Parquet file, all columns or only those named."""
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


def _without_empty_texts(table: Any) -> Any:
    """Take a cell of nothing but quotes as null, as some writers quote every cell."""
    import pyarrow as pa
    from pyarrow import compute, types

    for i, field in enumerate(table.schema):
        if types.is_string(field.type):
            empty = compute.equal(table.column(i), "")
            if compute.any(empty).as_py():
                texts = compute.if_else(empty, pa.scalar(None, field.type), table.column(i))
                table = table.set_column(i, field.name, texts)
    return table


def _check_text(path: Path, table: Any) -> None:
    from pyarrow import types

    # Arrow gives bytes back where a cell is no text.
    if any(types.is_binary(kind) for kind in table.schema.types):
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
