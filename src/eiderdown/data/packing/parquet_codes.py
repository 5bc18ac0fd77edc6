"""Columns of few values, read from Parquet files as the codes that they are held as there.

Arrow turns the codes into values, eight bytes each, of which packing makes codes again. Nearly all
columns of categories and of small integers are held as one byte or less of each cell, in pages of
a simple form (``parquet_kernels``); these are read as they are. Every other column, and every one
of which anything is unusual, is left to Arrow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from eiderdown.data.packing.parquet_kernels import (
    ENCODING,
    KIND,
    MISSING,
    N_FIELDS,
    N_FULL,
    N_PACKED,
    N_VALUES,
    PAGE_OF_ENTRIES,
    decompress,
    read_codes,
    read_header,
)

_PLAIN: Final = (0, 2)  # encodings of entries, the second an old name of the first
_LARGEST_PAGE: Final = 1 << 24
_LARGEST_CHUNK: Final = 1 << 31  # bytes and rows; damaged files say anything
_NUMBERS: Final[dict[str, np.dtype[Any]]] = {"INT32": np.dtype("<i4"), "INT64": np.dtype("<i8")}


class CodeReader:
    """Reads columns of the groups of rows of one Parquet file.

    Parameters
    ----------
    opened : NativeFile
        The file.
    file : ParquetFile
        The same, for what it says about itself.
    kinds : mapping
        Arrow's type of each column that is wanted.
    """

    def __init__(self, opened: Any, file: Any, kinds: Mapping[str, Any]) -> None:
        import pyarrow as pa

        self._opened, self._file = opened, file
        self._places = {}
        for i in range(len(file.schema) if kinds else 0):
            column = file.schema.column(i)
            kind = kinds.get(column.path)
            if kind is not None and _may_be_read(column, kind):
                self._places[column.path] = (i, column.max_definition_level, kind)
        self._threads = ThreadPoolExecutor(pa.cpu_count())

    def __enter__(self) -> CodeReader:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown()

    def batches(self, group: int, names: Sequence[str], size: int) -> Iterator[Any]:
        """Read a group of rows in batches; columns that are not held as codes are Arrow's."""
        import pyarrow as pa

        coded = self.columns(group)
        others = [name for name in names if name not in coded]
        if not coded:
            yield from self._file.iter_batches(size, row_groups=[group], columns=others)
            return
        start = 0
        for n, read in self._others(group, others, size):
            own = {name: array.slice(start, n) for name, array in coded.items()} | read
            yield pa.RecordBatch.from_arrays([own[name] for name in names], list(names))
            start += n

    def _others(
        self, group: int, names: list[str], size: int
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield how many rows each batch has, and its columns that Arrow reads."""
        if not names:
            n_rows = self._file.metadata.row_group(group).num_rows
            for start in range(0, n_rows, size):
                yield min(size, n_rows - start), {}
            return
        for batch in self._file.iter_batches(size, row_groups=[group], columns=names):
            yield batch.num_rows, {name: batch.column(name) for name in names}

    def columns(self, group: int) -> dict[str, Any]:
        """Return the columns of a group of rows that are held as codes, as dictionaries."""
        told = self._file.metadata.row_group(group)
        names, tasks = [], []
        for name, (i, optional, kind) in self._places.items():
            chunk = told.column(i)
            if _is_of_codes(chunk, told.num_rows):
                start = chunk.dictionary_page_offset
                raw = self._opened.read_at(chunk.total_compressed_size, start)
                names.append(name)
                tasks.append((raw, chunk, optional, kind, told.num_rows))
        found = self._threads.map(_column, *zip(*tasks, strict=True)) if tasks else ()
        return {name: array for name, array in zip(names, found, strict=True) if array is not None}


def _may_be_read(column: Any, kind: Any) -> bool:
    """Say whether a column is flat, and of integers or texts that Arrow knows as such."""
    from pyarrow import types

    if column.max_repetition_level or column.max_definition_level > 1:
        return False
    if column.physical_type in _NUMBERS:
        return bool(types.is_integer(kind))
    plain = kind.value_type if types.is_dictionary(kind) else kind
    is_text = types.is_string(plain) or types.is_large_string(plain)
    return bool(column.physical_type == "BYTE_ARRAY" and is_text)


def _is_of_codes(chunk: Any, n_rows: int) -> bool:
    sizes = (n_rows, chunk.total_compressed_size, chunk.total_uncompressed_size)
    return bool(
        chunk.dictionary_page_offset
        and chunk.num_values == n_rows
        and all(0 < size < _LARGEST_CHUNK for size in sizes)
        and chunk.compression in ("SNAPPY", "UNCOMPRESSED")
        and chunk.dictionary_page_offset < chunk.data_page_offset
        and not chunk.file_path
        and set(chunk.encodings) <= {"PLAIN", "RLE", "RLE_DICTIONARY", "PLAIN_DICTIONARY"}
    )


def _column(raw: Any, chunk: Any, optional: int, kind: Any, n_rows: int) -> Any:
    """Return the codes of a column with their entries; None where they are not read here."""
    import pyarrow as pa

    cells: NDArray[np.uint8] = np.frombuffer(raw, np.uint8)
    compressed = chunk.compression == "SNAPPY"
    page, at, n_entries = _first_page(cells, compressed=compressed)
    entries = None if page is None else _entries(page, n_entries, chunk.physical_type, kind)
    if entries is None:
        return None
    room = np.empty(chunk.total_uncompressed_size, np.uint8)
    codes, levels = np.empty(n_rows + 7, np.uint8), np.empty(n_rows + 7, np.uint8)
    n_missing = read_codes(cells, at, compressed, optional, n_entries, room, levels, codes)
    if n_missing < 0:
        return None
    known = None
    if n_missing:
        known = pa.py_buffer(np.packbits(codes[:n_rows] != MISSING, bitorder="little"))
    indices = pa.Array.from_buffers(pa.uint8(), n_rows, [known, pa.py_buffer(codes)], n_missing)
    return pa.DictionaryArray.from_arrays(indices, entries, safe=False)


def _first_page(
    cells: NDArray[np.uint8], *, compressed: bool
) -> tuple[NDArray[np.uint8] | None, int, int]:
    """Return the page of entries, where the next page begins, and how many entries there are."""
    fields = np.zeros(N_FIELDS, np.int64)
    at = int(read_header(cells, 0, fields))
    n_full, n_packed, n_entries = (int(fields[k]) for k in (N_FULL, N_PACKED, N_VALUES))
    fits = 0 <= n_packed <= len(cells) - at and 0 <= n_full <= _LARGEST_PAGE
    is_plain = fields[KIND] == PAGE_OF_ENTRIES and fields[ENCODING] in _PLAIN
    if at < 0 or not fits or not is_plain or not 0 < n_entries < MISSING:
        return None, 0, 0
    page = cells[at : at + n_packed].copy()
    if compressed:
        page = np.empty(n_full, np.uint8)
        if decompress(cells, at, at + n_packed, page) != n_full:
            return None, 0, 0
    return page, at + n_packed, n_entries


def _entries(page: NDArray[np.uint8], n_entries: int, physical: str, kind: Any) -> Any:
    """Return the values that codes stand for; None where they are not what they should be."""
    import pyarrow as pa
    from pyarrow import types

    if physical in _NUMBERS:
        if len(page) != n_entries * _NUMBERS[physical].itemsize:
            return None
        values = np.frombuffer(page, _NUMBERS[physical])
        return pa.array(values.astype(kind.to_pandas_dtype()), kind)
    plain = kind.value_type if types.is_dictionary(kind) else kind
    texts, at = [], 0
    for _ in range(n_entries):
        size = int.from_bytes(page[at : at + 4].tobytes(), "little")
        if at + 4 + size > len(page):
            return None
        texts.append(page[at + 4 : at + 4 + size].tobytes())
        at += 4 + size
    try:
        return pa.array(texts, pa.binary()).cast(plain)
    except pa.ArrowInvalid:  # not UTF-8, which Arrow will say
        return None
