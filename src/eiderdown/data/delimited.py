"""Text files of lines and cells (CSV and its kin) as Arrow tables.

Arrow reads the file; what it cannot (runs of spaces, comments, other encodings) is rewritten in
memory first. Texts are read as codes into what was seen, which asks Arrow for nothing more
afterwards: its compute functions take a tenth of a second to import.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, Final

from eiderdown.data.screen import unique_names
from eiderdown.data.sniff import SAMPLE_BYTES, Dialect, decoded, lines_of, sniff, squeezed
from eiderdown.errors import UnreadableFileError
from eiderdown.files import shortened
from eiderdown.memory import require_memory
from eiderdown.shared_options import ReadOptions

MOST_ODD: Final = 0.1
"""Share of the rows that may have too few or too many cells."""

FEWEST_LINES: Final = 8
"""Lines to guess from, in files whose lines are very long."""

BYTES_PER_CELL: Final = 24
"""Memory that a cell takes while it is read: 19 to 22 bytes were measured on 50 MB of small numbers
and of words, and with twice the size of the file no more on long numbers either."""

_COMMENT_LINES = re.compile(r"(?m)^#.*(?:\r\n?|\n|\Z)")


def read_delimited(
    path: Path, content: bytes | None, options: ReadOptions, wanted: Any
) -> tuple[Any, Dialect]:
    """Read a text file as an Arrow table, and say how it writes its cells.

    Parameters
    ----------
    path : Path
        The file.
    content : bytes or None
        What is in it, where that is known already; None to leave reading to Arrow.
    options : ReadOptions
        What the user said about it.
    wanted : callable
        Returns the names of the columns to read, given all.
    """
    import pyarrow as pa

    try:
        dialect = dialect_of(path, content, options)
        _require_memory(path, content, dialect, wanted)
        try:
            return _read(path, content, dialect, wanted)
        except UnicodeDecodeError:
            if options.get("encoding") is not None:
                raise
            said = "The file was read as with --encoding cp1252; say otherwise where that is wrong."
            other = replace(dialect, encoding="cp1252", notes=(*dialect.notes, said))
            return _read(path, content, other, wanted)
    except UnicodeDecodeError as error:
        raise unreadable(path, "CSV", f"it is not {error.encoding} text") from error
    except (pa.ArrowException, OSError) as error:
        raise unreadable(path, "CSV", str(error)) from error


def dialect_of(path: Path, content: bytes | None, options: ReadOptions) -> Dialect:
    """Guess from its beginning how a file writes its table."""
    tabs = any(part.lower() in (".tsv", ".tab") for part in path.suffixes)
    if content is None:
        with path.open("rb") as file:
            sample, cut = _beginning(file)
    else:
        sample, cut = _beginning(io.BytesIO(content))
    if b"\x00" in sample and _is_binary(sample):
        raise unreadable(path, "CSV", "it is not text")
    return sniff(sample, options, tabs=tabs, cut=cut)


def _require_memory(path: Path, content: bytes | None, dialect: Dialect, wanted: Any) -> None:
    """Refuse a table that would not fit, as far as its beginning tells how many cells it has."""
    size = path.stat().st_size if content is None else len(content)
    n_columns = len(wanted(unique_names(dialect.names)[0]))
    n_cells = size / dialect.bytes_per_row * n_columns
    require_memory(
        2 * size + BYTES_PER_CELL * n_cells,
        f"Reading {shortened(path)!r}, about {n_cells:,.0f} cells,",
        "read some of its columns (--columns, or in Python columns=), or give fewer rows",
    )


def unreadable(path: Path, what: str, reason: str) -> UnreadableFileError:
    """Say in a sentence that a file cannot be read."""
    first = (reason.splitlines() or ["no reason given"])[0].rstrip(". ")
    return UnreadableFileError(
        f"The file {shortened(path)!r} cannot be read as {what}: {first}; check that it is whole, "
        "and is what its name says."
    )


def _beginning(file: BinaryIO) -> tuple[bytes, bool]:
    """Return some lines of a file, however long they are, and whether it goes on behind them."""
    sample = file.read(SAMPLE_BYTES)
    while sample.count(b"\n") < FEWEST_LINES:
        more = file.read(len(sample))
        if not more:
            return sample, False
        sample += more
    return sample, bool(file.read(1))


def _is_binary(sample: bytes) -> bool:
    """Say whether bytes are no text, in two bytes for each letter either."""
    if sample[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return False
    zeros = [sample[start::2].count(0) for start in (0, 1)]
    return min(zeros) > 0 or max(zeros) < len(sample) / 5


def _read(path: Path, content: bytes | None, dialect: Dialect, wanted: Any) -> tuple[Any, Dialect]:
    names, renamed = unique_names(dialect.names)
    dialect = replace(dialect, names=names, notes=(*dialect.notes, *renamed))
    columns = wanted(names)
    source = source_of(path, content, dialect)
    try:
        table = _arrow_table(source(), dialect, columns, long_cells=dialect.long_cells)
    except Exception as error:
        if "Expected" not in str(error):
            raise
        table, dialect = _read_odd(source, dialect, columns, error)
    _check_text(table)
    return table, dialect


def source_of(path: Path, content: bytes | None, dialect: Dialect) -> Any:
    """Return a function that opens what Arrow is to read."""
    import pyarrow as pa

    plain = dialect.encoding in ("utf-8", "utf-8-sig")
    if plain and not dialect.comments and dialect.delimiter != " ":
        return lambda: path if content is None else pa.BufferReader(content)
    text = decoded(path.read_bytes() if content is None else content, dialect.encoding)
    if dialect.comments:
        lines = lines_of(text)
        head, body = lines[: dialect.skipped], lines[dialect.skipped :]
        text = "".join(head) + _COMMENT_LINES.sub("", "".join(body))
    if dialect.delimiter == " ":
        text = squeezed(text)
    rewritten = text.encode()
    return lambda: pa.BufferReader(rewritten)


def _arrow_table(
    source: Any, dialect: Dialect, columns: Sequence[str], *, long_cells: bool, odd: Any = None
) -> Any:
    from pyarrow import csv

    return csv.read_csv(source, **arrow_options(dialect, columns, long_cells=long_cells, odd=odd))


def arrow_options(
    dialect: Dialect,
    columns: Sequence[str],
    *,
    long_cells: bool,
    odd: Any = None,
    types: Mapping[str, Any] | None = None,
    block: int | None = None,
) -> dict[str, Any]:
    """Return how Arrow is to read a file: in blocks of some bytes, cells of known types or not."""
    from pyarrow import csv

    return {
        "read_options": csv.ReadOptions(
            column_names=dialect.names, skip_rows=dialect.skipped, block_size=block
        ),
        "parse_options": csv.ParseOptions(
            delimiter=dialect.delimiter,
            quote_char=dialect.quote,
            newlines_in_values=long_cells,
            invalid_row_handler=odd,
        ),
        "convert_options": csv.ConvertOptions(
            null_values=dialect.marks,
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            decimal_point=dialect.decimal,
            include_columns=list(columns),
            auto_dict_encode=True,
            auto_dict_max_cardinality=2**31 - 1,
            column_types=types,
        ),
    }


def _read_odd(
    source: Any, dialect: Dialect, columns: Sequence[str], error: Exception
) -> tuple[Any, Dialect]:
    """Read a file again some of whose rows have too few or too many cells, without these."""
    odd = []

    def leave_out(row: Any) -> str:
        odd.append(row.actual_columns)
        return "skip"

    table = _arrow_table(source(), dialect, columns, long_cells=True, odd=leave_out)
    if len(odd) > MOST_ODD * (table.num_rows + len(odd)):
        raise error
    if not odd:
        return table, dialect
    note = odd_rows_note(len(odd), table.num_rows, odd[0], len(dialect.names))
    return table, replace(dialect, notes=(*dialect.notes, note))


def odd_rows_note(n_odd: int, n_rows: int, n_cells: int, n_columns: int) -> str:
    """Say that rows were left out, and how many cells the first of them has."""
    return (
        f"Left out {n_odd:,} of {n_rows + n_odd:,} rows, which have {n_cells} cells or so instead "
        f"of {n_columns}."
    )


def _check_text(table: Any) -> None:
    """Raise if some cells are no UTF-8: Arrow gives bytes back where a cell is no text."""
    from pyarrow import types

    texts = (kind.value_type for kind in table.schema.types if types.is_dictionary(kind))
    if any(types.is_binary(kind) for kind in texts):
        raise UnicodeDecodeError("UTF-8", b"", 0, 1, "some cells are not in UTF-8")
