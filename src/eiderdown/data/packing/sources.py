"""Tables that are read in batches: Parquet data sets, Arrow files, and text files of one form.

A source is one file, a folder (with ``key=value`` folders as columns, as Hive writes them), a glob
or a list of files, in the local file system or in another that Arrow knows by its address (``s3://...``).
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from eiderdown.data.delimited import unreadable
from eiderdown.data.files import Guesses, check_file
from eiderdown.data.packing.parquet_codes import CodeReader
from eiderdown.data.packing.read_ahead import read_ahead
from eiderdown.data.packing.source_files import Files
from eiderdown.errors import InputError
from eiderdown.files import shortened
from eiderdown.shared_options import ReadOptions

_BUFFER: Final = 1 << 17  # bytes of each column of a Parquet file that are read at a time

Wanted = Callable[[Sequence[Any]], list[str]]


class Reread(Exception):  # noqa: N818  nothing went wrong
    """Something was found out that all rows before must be read with; begin again."""


class Source(ABC):
    """A table that is read in batches, in the order of its rows.

    Attributes
    ----------
    files : Files
        Where it is.
    labels : tuple of str
        All of its columns.
    columns : list of str
        Those that are read.
    n_rows : int
        How many rows there are, as far as that is known before.
    """

    files: Files
    labels: tuple[str, ...]
    columns: list[str]
    n_rows: int

    @property
    @abstractmethod
    def guesses(self) -> Guesses:
        """What is known of all columns; of texts when all has been read."""

    @property
    @abstractmethod
    def types(self) -> dict[str, Any]:
        """Arrow's type of each column that is read; texts are codes, which declare nothing."""

    @property
    @abstractmethod
    def texts(self) -> frozenset[str]:
        """Which columns hold texts."""

    @abstractmethod
    def batches(self, first: int, n_bytes: int, *, coded: bool = False) -> Iterator[Any]:
        """Read record batches from a row on, holding about so many bytes ahead.

        If ``coded``, any column may come as codes into a dictionary of its values.

        Raises
        ------
        Reread
            When columns turn out to hold something else than was thought.
        """

    @abstractmethod
    def form_of_files(self) -> Any:
        """Return what the files say about themselves, for a fingerprint."""

    def fingerprint(self, options: ReadOptions) -> str:
        """Return a digest of the files and of how they are read."""
        how = {name: value for name, value in options.items() if name not in ("memory", "store")}
        told = [self.files.form, self.files.states(), self.form_of_files(), self.columns]
        text = json.dumps([told, how], default=str, sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def table(self) -> Any:
        """Read all of it into memory."""
        import pyarrow as pa

        while True:
            try:
                batches = list(self.batches(0, 1 << 26))
            except Reread:
                continue
            schema = pa.schema(list(self.types.items()))
            return pa.Table.from_batches(batches, schema=schema if not batches else None)


def open_source(files: Files, options: ReadOptions, wanted: Wanted) -> Source:
    """Open the files of a table: names and types are known then, but no rows."""
    from pyarrow import fs

    if isinstance(files.filesystem, fs.LocalFileSystem):
        for path in files.paths:
            check_file(Path(path))
    if files.form == "delimited":
        from eiderdown.data.packing.delimited_batches import DelimitedSource

        return DelimitedSource(files, options, wanted)
    return TypedSource(files, wanted)


# --- formats that say what their cells are -------------------------------------------------------


class TypedSource(Source):
    """Parquet or Arrow files of equal columns."""

    def __init__(self, files: Files, wanted: Wanted) -> None:
        self.files = files
        plain = self._dataset(())
        self._require_agreement(plain)
        names = plain.schema.names
        if len(set(names)) < len(names) or not all(name.strip() for name in names):
            raise InputError(
                f"Columns of {shortened(files.given)!r} have no name or the same; give each its "
                "own."
            )
        self.labels, self.columns = tuple(names), wanted(names)
        schema = {name: plain.schema.field(name).type for name in self.columns}
        self._texts = frozenset(name for name, kind in schema.items() if _is_text(kind))
        coded = [name for name in self._texts if name in self._own]
        self._data = self._dataset(coded) if files.form == "Parquet" else plain
        self._fragments = list(self._data.get_fragments())
        self._lengths = [fragment.count_rows() for fragment in self._fragments]
        self.n_rows = sum(self._lengths)

    @property
    def guesses(self) -> Guesses:
        """See `Source`."""
        return Guesses()

    @property
    def types(self) -> dict[str, Any]:
        """See `Source`."""
        return {name: self._data.schema.field(name).type for name in self.columns}

    @property
    def texts(self) -> frozenset[str]:
        """See `Source`."""
        return self._texts

    def form_of_files(self) -> Any:
        """See `Source`."""
        return [self._lengths, str(self._data.schema)]

    def _dataset(self, coded: Sequence[str]) -> Any:
        import pyarrow as pa
        from pyarrow import dataset

        form: Any = "ipc"
        if self.files.form == "Parquet":
            how = dataset.ParquetReadOptions(dictionary_columns=list(coded))
            form = dataset.ParquetFileFormat(read_options=how)
        try:
            return dataset.dataset(
                list(self.files.paths),
                format=form,
                filesystem=self.files.filesystem,
                partitioning="hive",
                partition_base_dir=self.files.root or None,
            )
        except (pa.ArrowException, OSError) as error:
            raise unreadable(Path(self.files.given), self.files.form, str(error)) from error

    def _require_agreement(self, data: Any) -> None:
        """Refuse files whose columns differ."""
        import pyarrow as pa

        first = None
        for fragment in data.get_fragments():
            try:
                schema = fragment.physical_schema.remove_metadata()
            except (pa.ArrowException, OSError) as error:
                raise unreadable(Path(fragment.path), self.files.form, str(error)) from error
            if first is None:
                first = schema
            elif not schema.equals(first):
                odd = [f.name for f in schema if f not in first] or [
                    name for name in first.names if name not in schema.names
                ]
                what = (
                    f"column {odd[0]!r} is not in both, or of two types" if odd else "their order"
                )
                raise InputError(
                    f"The columns of {shortened(fragment.path)!r} differ from those of "
                    f"{shortened(self.files.paths[0])!r}: {what}; give files of equal columns."
                )
        self._own = set() if first is None else set(first.names)

    def batches(self, first: int, n_bytes: int, *, coded: bool = False) -> Iterator[Any]:
        """See `Source`."""
        import pyarrow as pa

        fragments, skipped = self._from_row(first)
        n_ahead, size = _readahead(n_bytes, len(self.columns))
        if self.files.form == "Parquet":
            batches = self._parquet_batches(fragments, size, coded=coded)
        else:
            batches = self._arrow_batches(fragments, size)
        left = first - skipped
        try:
            for batch in read_ahead(batches, n_ahead):
                if left >= batch.num_rows:
                    left -= batch.num_rows
                elif batch.num_rows:
                    yield batch.slice(left)
                    left = 0
        except (pa.ArrowException, OSError) as error:
            raise unreadable(Path(self.files.given), self.files.form, str(error)) from error

    def _arrow_batches(self, fragments: list[Any], size: int) -> Iterator[Any]:
        from pyarrow import dataset

        system = self.files.filesystem
        rest = dataset.FileSystemDataset(fragments, self._data.schema, self._data.format, system)
        scanner = rest.scanner(
            columns=self.columns, batch_size=size, batch_readahead=1, fragment_readahead=1
        )
        yield from scanner.to_batches()

    def _parquet_batches(self, fragments: list[Any], size: int, *, coded: bool) -> Iterator[Any]:
        """Decode so many rows at a time; a scanner of Arrow decodes whole groups of rows."""
        from pyarrow import dataset, parquet

        own = [name for name in self.columns if name in self._own]
        texts = [name for name in own if name in self._texts]
        kinds = {name: self.types[name] for name in own} if coded else {}
        for fragment in fragments:
            constants = dataset.get_partition_keys(fragment.partition_expression)
            groups = [group.id for group in fragment.row_groups]
            with (
                self.files.filesystem.open_input_file(fragment.path) as opened,
                parquet.ParquetFile(
                    opened, read_dictionary=texts, buffer_size=_BUFFER, pre_buffer=False
                ) as file,
                CodeReader(opened, file, kinds) as codes,
            ):
                for group in groups:
                    for batch in codes.batches(group, own, size):
                        yield self._with_constants(batch, constants)

    def _with_constants(self, batch: Any, constants: dict[str, Any]) -> Any:
        """Add the columns that folders are named by."""
        import pyarrow as pa

        if not constants:
            return batch
        arrays = [
            batch.column(name)
            if name in self._own
            else pa.repeat(pa.scalar(constants[name], self.types[name]), batch.num_rows)
            for name in self.columns
        ]
        return pa.RecordBatch.from_arrays(arrays, self.columns)

    def _from_row(self, first: int) -> tuple[list[Any], int]:
        """Return what holds the rows from one on, and how many rows are left out before it."""
        kept: list[Any] = []
        before = 0
        for fragment, length in zip(self._fragments, self._lengths, strict=True):
            if kept or before + length > first:
                kept.append(fragment)
            else:
                before += length
        if not kept or self.files.form != "Parquet":
            return kept, before
        groups = kept[0].row_groups
        n_skipped = 0
        while n_skipped < len(groups) and before + groups[n_skipped].num_rows <= first:
            before += groups[n_skipped].num_rows
            n_skipped += 1
        if n_skipped:
            kept[0] = kept[0].subset(row_group_ids=[g.id for g in groups[n_skipped:]])
        return kept, before


def _readahead(n_bytes: int, n_columns: int) -> tuple[int, int]:
    """Return how many batches to read ahead, and of how many rows."""
    size = 1 << 17
    while size > 1 << 12 and 4 * size * n_columns * 8 > n_bytes:
        size //= 2
    return 2, size


def _is_text(kind: Any) -> bool:
    return str(kind) in ("string", "large_string", "string_view")
