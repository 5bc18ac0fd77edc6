"""Which tables are read into memory, and which are packed on disk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

from eiderdown.data.adapters import raw_from_arrow, raw_from_csv
from eiderdown.data.dataset import Dataset
from eiderdown.data.dates import AnyRaw
from eiderdown.data.delimited import BYTES_PER_CELL
from eiderdown.data.packing.source_files import Files, files_of, form_of, is_source
from eiderdown.data.packing.sources import Source, open_source
from eiderdown.data.packing.store import packed
from eiderdown.data.read import Columns, Selection, read_columns
from eiderdown.files import shortened
from eiderdown.memory import SMALL, free_memory
from eiderdown.progress import watched
from eiderdown.shared_options import ReadOptions

SHARE: Final = 0.5
"""Of the free memory, what a table may take while it is read, unless the user says how much."""


def read_files(table: Any, options: ReadOptions) -> Dataset | None:
    """Read the files of a table, into memory if they fit; None for one file that is read whole."""
    several = is_source(table)
    if not several and not _may_be_large(table, options):
        return None
    files = files_of(table)
    select = Selection(options)
    source = open_source(files, options, select)
    if _fits(source, files, options):
        if not several:
            return None
        whole = source.table()
        labels, typed = whole.column_names, source.guesses.typed

        def raw(i: int, name: str) -> AnyRaw:
            # Texts are read as codes, which declare nothing.
            is_typed = typed and labels[i] not in source.texts
            return (raw_from_arrow if is_typed else raw_from_csv)(name, whole.column(i))

        columns = Columns(labels, raw, source.guesses)
        return Dataset(*read_columns(columns, options, select))
    with watched(f"Packing {shortened(files.given, 60)!r}", counted="rows") as trace:
        return packed(
            table, options, memory=options.get("memory"), where=options.get("store"), trace=trace
        )


def _may_be_large(table: Any, options: ReadOptions) -> bool:
    """Say whether a single file may have to be packed."""
    if isinstance(table, list | tuple):
        return False
    path = os.fsdecode(table)
    if not form_of(path):
        return False
    try:
        size = Path(path).stat().st_size
    except (OSError, ValueError):
        return False  # which reading will say
    return size > 0 and (options.get("memory") is not None or size > SMALL)


def _fits(source: Source, files: Files, options: ReadOptions) -> bool:
    """Say whether a table can be read into memory."""
    budget: float | None = options.get("memory")
    if budget is None:
        free = free_memory()
        budget = None if free is None else SHARE * free
    return budget is None or _bytes_in_memory(source, files) <= budget


def _bytes_in_memory(source: Source, files: Files) -> float:
    """Estimate what a table takes while it is read."""
    if files.form == "delimited":
        size = sum(size for _, size, _ in files.states())
        return 2 * size + BYTES_PER_CELL * source.n_rows * len(source.columns)
    return 2.0 * source.n_rows * sum(_width(kind) for kind in source.types.values())


def _width(kind: Any) -> float:
    """Return the bytes of a cell of Arrow; those of texts are codes."""
    try:
        return max(1.0, float(kind.bit_width) / 8)
    except ValueError:
        return 8.0
