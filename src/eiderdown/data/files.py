"""Files of tables by what they are called, compressed or not, as Arrow tables."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from eiderdown.data.delimited import dialect_of, read_delimited, unreadable
from eiderdown.data.screen import unique_names
from eiderdown.errors import OptionError, UnreadableFileError
from eiderdown.files import reason_of, shortened
from eiderdown.shared_options import ReadOptions

Wanted = Callable[[Sequence[Any]], list[str]]
"""Names of the columns to read, given all."""


@dataclass(frozen=True)
class Guesses:
    """What is known of cells before they are looked at.

    Attributes
    ----------
    notes : tuple of str
        What was guessed on the way.
    decimal : str
        The decimal sign of a text file.
    marks : tuple of str
        Cells that were guessed to be missing.
    typed : bool
        Whether texts and numbers have been distinguished.
    """

    notes: tuple[str, ...] = ()
    decimal: str = "."
    marks: tuple[str, ...] = ()
    typed: bool = True


def read_file(
    path: Path, options: ReadOptions, wanted: Wanted, form: str = ""
) -> tuple[Any, Guesses]:
    """Read a file as what its name says it is, or as given, into an Arrow table."""
    check_file(path)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    content = None
    if suffixes and suffixes[-1] in COMPRESSED:
        content = decompressed(path, suffixes.pop())
        if not suffixes:
            suffixes = [".csv"]
    form = form or FORMS.get(suffixes[-1] if suffixes else "", "")
    if not form:
        form = _by_content(path, content)
    if form == "delimited":
        table, dialect = read_delimited(path, content, options, wanted)
        marks = dialect.guessed_marks
        return table, Guesses(dialect.notes, dialect.decimal, marks, typed=False)
    try:
        return _READERS[form](path, content, options, wanted), Guesses()
    except UnicodeDecodeError as error:
        raise unreadable(path, form, "some names or cells are not UTF-8 text") from error


def column_names(path: Path) -> tuple[str, ...]:
    r"""Return the names of a file's columns, where they can be known without reading its rows.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "table.csv"
    >>> _ = path.write_bytes(b"age;dose\n31;0,5\n")
    >>> column_names(path)
    ('age', 'dose')
    """
    check_file(path)
    form = FORMS.get(path.suffix.lower(), "")
    if form == "delimited":
        return unique_names(dialect_of(path, None, {}).names)[0]
    if form != "Parquet":
        return ()
    import pyarrow as pa
    from pyarrow import parquet

    try:
        return unique_names(parquet.read_schema(path).names)[0]
    except (pa.ArrowException, OSError) as error:
        raise unreadable(path, "Parquet", str(error)) from error


def check_file(path: Path) -> None:
    """Raise if there is no file with something in it that may be read."""
    shown = shortened(path)
    try:
        status = path.stat()
    except FileNotFoundError:
        raise UnreadableFileError(f"There is no file {shown!r}; check the path.") from None
    except (OSError, ValueError) as problem:
        raise _forbidden(shown, problem) from problem
    if stat.S_ISDIR(status.st_mode):
        raise UnreadableFileError(f"{shown!r} is a directory; give the path of a file.")
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableFileError(
            f"{shown!r} is a pipe or a device, which cannot be read twice; save it as a file first."
        )
    if status.st_size == 0:
        raise UnreadableFileError(f"The file {shown!r} is empty; give a file with a table.")
    try:
        path.open("rb").close()
    except OSError as problem:
        raise _forbidden(shown, problem) from problem


def _forbidden(path: str, problem: Exception) -> UnreadableFileError:
    return UnreadableFileError(f"Cannot read {path!r} ({reason_of(problem)}); check the path.")


COMPRESSED: Final = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".xz": "xz", ".zip": "zip"}
FORMS: Final = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".dat", ".data", ".tab", ".psv"), "delimited"),
    **dict.fromkeys((".parquet", ".pq"), "Parquet"),
    **dict.fromkeys((".feather", ".ftr", ".arrow", ".ipc", ".arrows"), "Arrow"),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), "JSON"),
    **dict.fromkeys((".xlsx", ".xlsm", ".xls"), "Excel"),
}


def _by_content(path: Path, content: bytes | None) -> str:
    """Guess what a file is that has no known suffix."""
    if content is None:
        with path.open("rb") as file:
            content = file.read(4096)
    for mark, form in ((b"PAR1", "Parquet"), (b"ARROW1", "Arrow"), (b"PK\x03\x04", "Excel")):
        if content.startswith(mark):
            return form
    if b"\x00" not in content or content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "delimited"
    raise UnreadableFileError(
        f"The file {str(path)!r} has an unknown suffix and is no text; give a .csv, .parquet, "
        ".feather, .arrow, .xlsx or .jsonl file, compressed or not."
    )


def decompressed(path: Path, suffix: str) -> bytes:
    """Return what a compressed file holds."""
    import pyarrow as pa

    how = COMPRESSED[suffix]
    try:
        if how == "zip":
            return _unzipped(path)
        if how == "xz":
            import lzma

            return lzma.decompress(path.read_bytes())
        with pa.input_stream(str(path), compression=how) as stream:
            content: bytes = stream.read()
            return content
    except UnreadableFileError:
        raise
    except Exception as error:  # each library has errors of its own
        raise unreadable(path, f"{how}-compressed", str(error)) from error


def _unzipped(path: Path) -> bytes:
    from zipfile import ZipFile

    with ZipFile(path) as archive:
        members = [
            name for name in archive.namelist() if not name.startswith("__") and name[-1] != "/"
        ]
        if len(members) != 1:
            raise UnreadableFileError(
                f"The archive {str(path)!r} holds {len(members)} files; unpack it, and give one."
            )
        return archive.read(members[0])


# --- formats that say what their cells are -------------------------------------------------------


def _opened(path: Path, content: bytes | None) -> Any:
    import pyarrow as pa

    return pa.memory_map(str(path)) if content is None else pa.BufferReader(content)


def _read_parquet(path: Path, content: bytes | None, _: ReadOptions, wanted: Wanted) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(path if content is None else _opened(path, content))
        names = file.schema_arrow.names
        table = file.read(columns=_readable(names, wanted))
        table.validate(full=True)
        return table
    except (pa.ArrowException, OSError) as error:
        raise unreadable(path, "Parquet", str(error)) from error


def _readable(names: Sequence[str], wanted: Wanted) -> list[str] | None:
    """Return the columns to read, None for all where names are given twice."""
    return None if len(set(names)) < len(names) else wanted(names)


def _read_arrow(path: Path, content: bytes | None, _: ReadOptions, wanted: Wanted) -> Any:
    import pyarrow as pa
    from pyarrow import feather, ipc

    try:
        try:
            table = feather.read_table(_opened(path, content))
        except pa.ArrowInvalid:
            table = ipc.open_stream(_opened(path, content)).read_all()
        table.validate(full=True)  # places in a damaged file may point out of memory
        names = _readable(table.column_names, wanted)
        return table if names is None else table.select(names)
    except (pa.ArrowException, OSError) as error:
        raise unreadable(path, "Arrow", str(error)) from error


def _read_json(path: Path, content: bytes | None, _: ReadOptions, wanted: Wanted) -> Any:
    """Read JSON lines, or one list of records."""
    import pyarrow as pa
    from pyarrow import json as arrow_json

    text = path.read_bytes() if content is None else content
    try:
        if text.lstrip()[:1] == b"[":
            table = pa.Table.from_pylist(json.loads(text))
        else:
            table = arrow_json.read_json(pa.BufferReader(text))
        table.validate(full=True)  # Arrow does not look whether texts are UTF-8
    except UnicodeDecodeError:
        raise
    except RecursionError as error:
        raise unreadable(path, "JSON lines", "its lists are too deep within each other") from error
    except (pa.ArrowException, ValueError, TypeError, AttributeError, OverflowError) as error:
        raise unreadable(path, "JSON lines", str(error)) from error
    return table.select(wanted(table.column_names))


def _read_excel(path: Path, content: bytes | None, options: ReadOptions, wanted: Wanted) -> Any:
    """Read a sheet of an Excel workbook whose first row holds the names."""
    if path.suffix.lower() == ".xls":
        raise UnreadableFileError(
            f"The file {str(path)!r} is in the Excel format of before 2007; save it as .xlsx or "
            ".csv."
        )
    if find_spec("openpyxl") is None:
        raise UnreadableFileError(
            f"Reading the Excel file {str(path)!r} needs openpyxl: pip install 'eiderdown[excel]', "
            "or save it as .csv."
        )
    import io

    from openpyxl import load_workbook

    try:
        source = io.BytesIO(path.read_bytes() if content is None else content)
        book = load_workbook(source, read_only=True, data_only=True)
        sheet = _sheet(book, options)
        cells = sheet.iter_rows(values_only=True)
        rows = [row for row in cells if any(cell is not None for cell in row)]
    except OptionError:
        raise
    except Exception as error:  # zipfile, XML and openpyxl each have their own
        raise unreadable(path, "Excel", str(error)) from error
    return excel_table(path, rows, wanted)


def _sheet(book: Any, options: ReadOptions) -> Any:
    given = options.get("sheet")
    if given is not None and given not in book.sheetnames:
        raise OptionError(f"There is no sheet {given!r}; the workbook has {book.sheetnames}.")
    return book[given or book.sheetnames[0]]


def excel_table(path: Path, rows: Sequence[Sequence[Any]], wanted: Wanted) -> Any:
    """Make an Arrow table of rows of cells, of which the first holds the names."""
    import pyarrow as pa

    from eiderdown.data.screen import unique_names

    if not rows:
        raise UnreadableFileError(f"The sheet of {str(path)!r} is empty; name another by --sheet.")
    names, _ = unique_names("" if label is None else label for label in rows[0])
    columns = dict(zip(names, zip(*rows[1:], strict=True), strict=True)) if rows[1:] else {}
    return pa.table({name: _cells(columns.get(name, ())) for name in wanted(names)})


def _cells(cells: Sequence[Any]) -> Any:
    """Return cells of any types as one Arrow array; a mix becomes text."""
    import pyarrow as pa

    try:
        return pa.array(cells)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return pa.array([None if cell is None else str(cell) for cell in cells])


_READERS: Final[dict[str, Callable[[Path, bytes | None, ReadOptions, Wanted], Any]]] = {
    "Parquet": _read_parquet,
    "Arrow": _read_arrow,
    "JSON": _read_json,
    "Excel": _read_excel,
}
