"""Text files of lines and cells, read in batches.

What a column holds is known for sure only when all of its cells were seen: Arrow takes the first of
a list of types that every cell fits. So does this: it begins with what the heads of the files say,
and where a later cell does not fit it goes on to the next type and reads again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from eiderdown.data.delimited import (
    MOST_ODD,
    arrow_options,
    dialect_of,
    odd_rows_note,
    source_of,
    unreadable,
)
from eiderdown.data.files import COMPRESSED, Guesses, decompressed
from eiderdown.data.packing.source_files import Files
from eiderdown.data.packing.sources import Reread, Source, Wanted
from eiderdown.data.screen import unique_names
from eiderdown.data.sniff import Dialect
from eiderdown.errors import InputError, UnreadableFileError
from eiderdown.files import shortened
from eiderdown.shared_options import ReadOptions

_MOST_HEADS: Final = 64
"""Files whose heads are looked at before the first is read."""


class DelimitedSource(Source):
    """Text files that have the same columns."""

    def __init__(self, files: Files, options: ReadOptions, wanted: Wanted) -> None:
        self.files, self._options = files, options
        self._check_local()
        dialect = self._dialect(files.paths[0], options)
        names, renamed = unique_names(dialect.names)
        self._dialect_of_all = replace(dialect, names=names, notes=(*dialect.notes, *renamed))
        self.labels, self.columns = names, wanted(names)
        self._skip_odd, self._odd = False, list[int]()
        sizes = [size for _, size, _ in files.states()]
        self.n_rows = int(sum(sizes) / dialect.bytes_per_row)
        self._dialects = [self._agreeing(path) for path in files.paths]
        self._types = self._types_of_heads()

    def _check_local(self) -> None:
        from pyarrow import fs

        if not isinstance(self.files.filesystem, fs.LocalFileSystem):
            raise UnreadableFileError(
                f"Text files such as {shortened(self.files.paths[0])!r} are read from the local "
                "file system only; copy them, or write them as Parquet."
            )

    @property
    def guesses(self) -> Guesses:
        """See `Source`."""
        dialect, notes = self._dialect_of_all, self._dialect_of_all.notes
        if self._odd:
            note = odd_rows_note(len(self._odd), self.n_rows, self._odd[0], len(dialect.names))
            notes = (*notes, note)
        return Guesses(notes, dialect.decimal, dialect.guessed_marks, typed=False)

    @property
    def types(self) -> dict[str, Any]:
        """See `Source`."""
        return {name: self._types[name] for name in self.columns}

    @property
    def texts(self) -> frozenset[str]:
        """See `Source`."""
        return frozenset(name for name in self.columns if self._types[name] == _loosest())

    def form_of_files(self) -> Any:
        """See `Source`."""
        return list(self.labels)

    def _dialect(self, path: str, options: ReadOptions) -> Dialect:
        content = self._content(path)
        try:
            return dialect_of(Path(path), content, options)
        except UnicodeDecodeError as error:
            raise unreadable(Path(path), "CSV", f"it is not {error.encoding} text") from error

    def _content(self, path: str) -> bytes | None:
        """Return the whole of a compressed file; None where Arrow reads it itself."""
        suffix = Path(path).suffix.lower()
        return decompressed(Path(path), suffix) if suffix in COMPRESSED else None

    def _agreeing(self, path: str) -> Dialect:
        """Return how a file writes the same columns as the first, or refuse it."""
        whole = self._dialect_of_all
        if path == self.files.paths[0]:
            return whole
        named = any(name != f"x{i}" for i, name in enumerate(whole.names))
        how: ReadOptions = {**self._options, "delimiter": whole.delimiter, "header": named}
        own = self._dialect(path, how)
        names = unique_names(own.names)[0]
        if names != whole.names:
            odd = next((name for name in names if name not in whole.names), None)
            lacking = next((name for name in whole.names if name not in names), None)
            what = f"it has {odd!r}" if odd is not None else f"it lacks {lacking!r}"
            if odd is None and lacking is None:
                what = "their order"
            raise InputError(
                f"The columns of {shortened(path)!r} differ from those of "
                f"{shortened(self.files.paths[0])!r}: {what}; give files of equal columns."
            )
        return replace(whole, encoding=own.encoding, skipped=own.skipped)

    # Types

    def _types_of_heads(self) -> dict[str, Any]:
        """Return the first types that the cells at the beginnings of the files fit."""
        kinds = dict.fromkeys(self.columns, _arrow_types()[0])
        for path, dialect in list(zip(self.files.paths, self._dialects, strict=True))[:_MOST_HEADS]:
            while True:
                try:
                    with self._reader(path, dialect, kinds, 1 << 20) as reader:
                        next(iter(reader), None)
                    break
                except Exception as error:  # Arrow's, and Unicode's
                    self._loosen(error, path, kinds)
        return kinds

    def _loosen(self, error: Exception, path: str, kinds: dict[str, Any]) -> None:
        """Take the next type of the column that an error is about, or raise."""
        message = str(error)
        if "conversion error" in message:
            position = int(message.partition("column #")[2].partition(":")[0])
            name, order = self._dialect_of_all.names[position], _arrow_types()
            if kinds[name] != order[-1]:
                kinds[name] = order[order.index(kinds[name]) + 1]
                return
        if "Expected" in message and not self._skip_odd:
            self._skip_odd = True
            return
        is_open = self._options.get("encoding") is None
        if "UTF8" in message and is_open and self._dialect_of_all.encoding != "cp1252":
            self._read_as_western()
            return
        if "UTF8" in message:
            raise unreadable(Path(path), "CSV", "it is not UTF-8 text") from error
        raise unreadable(Path(path), "CSV", message) from error

    def _read_as_western(self) -> None:
        said = "The file was read as with --encoding cp1252; say otherwise where that is wrong."
        whole = self._dialect_of_all
        self._dialect_of_all = replace(whole, encoding="cp1252", notes=(*whole.notes, said))
        self._dialects = [replace(own, encoding="cp1252") for own in self._dialects]

    # Rows

    def _reader(self, path: str, dialect: Dialect, types: dict[str, Any], block: int) -> Any:
        from pyarrow import csv

        options = arrow_options(
            dialect,
            self.columns,
            long_cells=dialect.long_cells or self._skip_odd,
            odd=self._leave_out if self._skip_odd else None,
            types=types,
            block=block,
        )
        return csv.open_csv(source_of(Path(path), self._content(path), dialect)(), **options)

    def _leave_out(self, row: Any) -> str:
        self._odd.append(row.actual_columns)
        return "skip"

    def batches(
        self,
        first: int,
        n_bytes: int,
        *,
        coded: bool = False,  # noqa: ARG002  texts are
    ) -> Iterator[Any]:
        """See `Source`."""
        self._odd.clear()
        block, n_read = max(1 << 20, min(1 << 23, n_bytes // 8)), 0
        for path, dialect in zip(self.files.paths, self._dialects, strict=True):
            try:
                with self._reader(path, dialect, self._types, block) as reader:
                    for batch in reader:
                        if n_read + batch.num_rows > first:
                            yield batch.slice(max(0, first - n_read))
                        n_read += batch.num_rows
            except (GeneratorExit, KeyboardInterrupt, MemoryError):
                raise
            except Exception as error:  # Arrow's, and Unicode's
                self._loosen(error, path, self._types)
                raise Reread from error
        if len(self._odd) > MOST_ODD * (n_read + len(self._odd)):
            raise unreadable(
                Path(self.files.given),
                "CSV",
                f"{len(self._odd):,} rows have {self._odd[0]} cells or so instead of "
                f"{len(self._dialect_of_all.names)}",
            )
        self.n_rows = n_read


def _arrow_types() -> list[Any]:
    """Return what Arrow tries for a column, one after the other."""
    import pyarrow as pa

    return [
        pa.null(),
        pa.int64(),
        pa.bool_(),
        pa.date32(),
        pa.time32("s"),
        pa.timestamp("s"),
        pa.timestamp("s", "UTC"),
        pa.timestamp("ns"),
        pa.timestamp("ns", "UTC"),
        pa.float64(),
        pa.dictionary(pa.int32(), pa.string()),
    ]


def _loosest() -> Any:
    return _arrow_types()[-1]
