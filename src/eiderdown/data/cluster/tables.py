"""Tables that are brought to a cluster: files, frames of Dask, delayed parts, tables in memory.

Workers read files themselves, which therefore have to be where every worker can reach them. What
the parts together are (kinds, categories, what is left out) is learned from all of them first, so
that the table is the one that a single machine would read.
"""

from __future__ import annotations

import functools
import hashlib
import operator
import os
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np

from eiderdown.data.cluster.connect import connect
from eiderdown.data.cluster.encoding import Learned, Plan, learn
from eiderdown.data.cluster.layout import Layout, layout_of
from eiderdown.data.cluster.partitions import ClusterPartitions, HeldRows
from eiderdown.data.cluster.questions import Held, Packed, Question, runs
from eiderdown.data.cluster.workers import Workforce
from eiderdown.data.dataset import Dataset
from eiderdown.data.delimited import unreadable
from eiderdown.data.packing.source_files import files_of, form_of, is_source
from eiderdown.data.packing.store import Part, StoredPartitions, done
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.data.partitions import with_flags
from eiderdown.errors import UnreadableFileError
from eiderdown.files import shortened

PARTS_PER_THREAD: Final = 4
"""Into how many parts a file is cut for each thread, so that lost ones are soon made up for."""

MOST_ROWS_OF_PART: Final = 4_000_000
"""Rows beyond which a part is cut, if its file can be read in pieces."""


def on_cluster(table: Any, client: Any, options: Mapping[str, Any]) -> Dataset:
    """Bring a table to the workers of a cluster.

    Parameters
    ----------
    table : path, dask DataFrame, list of delayed parts, packed table, or any table in memory
        The table; one that is there already stays there.
    client : distributed.Client or str
        A client of Dask, or the address of a scheduler.
    options : mapping
        How it is read, as :meth:`eiderdown.Dataset.of` takes it.
    """
    places = ("client", "memory", "store")  # workers keep rows in their own memory
    reading = {name: value for name, value in options.items() if name not in places}
    if is_on_cluster(table):
        return Dataset.of(table, **reading)
    opened, is_new = connect(client)
    workforce = Workforce(opened)
    if is_new:
        weakref.finalize(workforce, opened.close)
    found = _brought(table, workforce, reading)
    found.partitions.layout = layout_for(found).by
    return found


def layout_for(table: PartitionedDataset, n_targets: int = 1) -> Layout:
    """Return how a table on a cluster is shared out for searches around some targets."""
    n_bytes = table.n_bytes
    return layout_of(table.n_rows, table.n_columns, n_bytes, n_targets)


def _brought(table: Any, workforce: Workforce, reading: Mapping[str, Any]) -> PartitionedDataset:
    """Bring a table of any kind to the workers."""
    if isinstance(table, str | os.PathLike) or is_source(table):
        return _of_files(table, workforce, reading)
    if _is_dask_frame(table):
        delayed = list(table.to_delayed())
        return _learned(_raw_parts(delayed), workforce, reading, _token(table))
    if isinstance(table, list | tuple) and table and all(map(_is_delayed, table)):
        return _learned(_raw_parts(table), workforce, reading, _token([x.key for x in table]))
    data = Dataset.of(table, **reading)
    if isinstance(data, PartitionedDataset) and isinstance(data.partitions, StoredPartitions):
        return _of_store(data, data.partitions, workforce)
    return _of_memory(data.in_memory(), workforce)


def is_on_cluster(table: Any) -> bool:
    """Say whether the rows of a table are on a cluster."""
    return isinstance(table, PartitionedDataset) and isinstance(table.partitions, ClusterPartitions)


def _is_dask_frame(table: Any) -> bool:
    return type(table).__module__.partition(".")[0].startswith("dask") and hasattr(
        table, "to_delayed"
    )


def _is_delayed(part: Any) -> bool:
    library = type(part).__module__.partition(".")[0]
    return library in ("dask", "distributed") and hasattr(part, "key")


def _token(what: Any) -> str:
    from dask.base import tokenize

    return str(tokenize(what))


# --- parts whose kinds and categories are learned from all ---------------------------------------


@dataclass(frozen=True)
class RawPart:
    """A part of a table that nobody has encoded: how it is made on a worker, and its rows."""

    make: Callable[..., Any]
    args: tuple[Any, ...]
    n_rows: int = 1


def _raw_parts(parts: Sequence[Any]) -> list[RawPart]:
    return [RawPart(_itself, (part,)) for part in parts]


def _itself(part: Any) -> Any:
    return part


def _learned(
    raw: Sequence[RawPart],
    workforce: Workforce,
    options: Mapping[str, Any],
    fingerprint: str,
) -> PartitionedDataset:
    """Learn what all parts are, and have each encoded where it is."""
    seen = [Held(part.make, part.args, part.n_rows) for part in raw]
    workforce.hold(seen)
    look = functools.partial(_learn_run, options)
    questions = [Question(first, parts, look) for first, parts in runs(seen)]
    answers: dict[int, Packed[Learned]] = dict(workforce.ask(questions))
    in_order = (answers[first].unpacked() for first in sorted(answers))
    learned = functools.reduce(operator.add, in_order)
    plan = Plan.of(learned, options)  # type: ignore[arg-type]
    sent = Packed(plan)
    parts = [
        Held(functools.partial(_encoded, sent, part.make), part.args, n_rows)
        for part, n_rows in zip(raw, learned.n_rows, strict=True)
    ]
    # While they are encoded the raw parts stay: those of Dask may have been dear to compute.
    partitions = ClusterPartitions(workforce, parts, fingerprint)
    partitions.make_all()
    return PartitionedDataset.over(partitions, plan.without_rows())


def _learn_run(options: Mapping[str, Any], *parts: Any) -> Packed[Learned]:
    found = (learn(options, part) for part in parts)  # type: ignore[arg-type]
    return Packed(functools.reduce(operator.add, found))


def _encoded(plan: Packed[Plan], make: Callable[..., Any], *args: Any) -> HeldRows:
    return HeldRows(plan.unpacked().encode(make(*args)))


# --- files ---------------------------------------------------------------------------------------


def _of_files(table: Any, workforce: Workforce, options: Mapping[str, Any]) -> PartitionedDataset:
    files = _parquet_files(table)
    if not files:
        return _of_other_files(table, workforce, options)
    n_threads = sum(workforce.threads().values())
    raw = _pieces([(file, _row_groups(file)) for file in files], PARTS_PER_THREAD * n_threads)
    return _learned(raw, workforce, options, _digest(files, options))


def _parquet_files(table: Any) -> list[Path]:
    """Return Parquet files whose row groups workers can read; none where that is not enough.

    Folders that are called ``key=value`` are columns, whose type all of them together say.
    """
    is_one = isinstance(table, str | os.PathLike) and not is_source(table)
    if is_one and form_of(os.fsdecode(table)) != "Parquet":
        return []
    found = files_of(table)
    has_columns_in_names = any("=" in path[len(found.root) :] for path in found.paths)
    is_local = "://" not in found.given
    if found.form != "Parquet" or has_columns_in_names or not is_local:
        return []
    return [Path(path) for path in found.paths]


def _row_groups(file: Path) -> list[int]:
    """Return how many rows each row group of a Parquet file has."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        metadata = parquet.read_metadata(file)
    except FileNotFoundError:
        raise UnreadableFileError(
            f"There is no file {shortened(file)!r}; check the path."
        ) from None
    except (pa.ArrowException, OSError) as error:
        raise unreadable(file, "Parquet", str(error)) from error
    return [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]


def _pieces(files: Sequence[tuple[Path, Sequence[int]]], n_wanted: int) -> list[RawPart]:
    """Cut files into parts of consecutive row groups."""
    n_rows = sum(sum(groups) for _, groups in files)
    most = min(MOST_ROWS_OF_PART, max(1, -(-n_rows // max(1, n_wanted))))
    parts: list[RawPart] = []
    for file, groups in files:
        taken: list[int] = []
        for group, length in enumerate(groups):
            if taken and sum(groups[i] for i in taken) + length > most:
                parts.append(_piece(file, taken, groups))
                taken = []
            taken.append(group)
        if taken or not groups:
            parts.append(_piece(file, taken, groups))
    return parts


def _piece(file: Path, taken: Sequence[int], groups: Sequence[int]) -> RawPart:
    return RawPart(read_row_groups, (os.fspath(file), list(taken)), sum(groups[i] for i in taken))


def read_row_groups(path: str, groups: Sequence[int]) -> Any:
    """Read some row groups of a Parquet file into an Arrow table."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            return file.read_row_groups(list(groups), use_threads=False)
    except (pa.ArrowException, OSError) as error:
        raise unreadable(Path(path), "Parquet", str(error)) from error


def _digest(files: Sequence[Path], options: Mapping[str, Any]) -> str:
    """Return a digest of files, by their lengths and times, and of how they are read."""
    states = [(os.fspath(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    text = repr((states, sorted(options.items(), key=lambda item: item[0])))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _of_other_files(
    table: Any, workforce: Workforce, options: Mapping[str, Any]
) -> PartitionedDataset:
    """Have files that cannot be read in pieces read whole by a worker, which cuts them."""
    import dask

    paths = table if isinstance(table, list | tuple) else [table]
    named = [_absolute(os.fsdecode(path)) for path in paths]
    given = named if isinstance(table, list | tuple) else named[0]
    whole = dask.delayed(_read_whole, pure=False)(given, dict(options))
    held = Held(_itself, (whole,), 1)
    workforce.hold([held])
    ((_, (like, n_rows, fingerprint)),) = workforce.ask([Question(0, [held], _shape)])
    n_parts = PARTS_PER_THREAD * sum(workforce.threads().values())
    cuts = np.linspace(0, n_rows, min(n_parts, n_rows) + 1).astype(int).tolist()
    parts = [
        Held(_rows_between, (whole, start, stop), stop - start) for start, stop in pairwise(cuts)
    ]
    partitions = ClusterPartitions(workforce, parts, fingerprint)
    partitions.make_all()
    return PartitionedDataset.over(partitions, like)


def _absolute(path: str) -> str:
    return path if "://" in path else os.path.abspath(path)  # noqa: PTH100  globs are no paths


def _read_whole(table: Any, options: Mapping[str, Any]) -> Dataset:
    return Dataset.of(table, **options).in_memory()


def _shape(whole: Dataset) -> tuple[Dataset, int, str]:
    """Return one row, from which the form is known, how many there are, and a digest of all."""
    return with_flags(whole.take([0]), whole.has_missing), whole.n_rows, whole.fingerprint


def _rows_between(whole: Dataset, start: int, stop: int) -> HeldRows:
    return HeldRows(with_flags(whole.take(np.arange(start, stop)), whole.has_missing))


# --- packed tables and tables in memory ---------------------------------------------------------


def _of_store(
    data: PartitionedDataset, stored: StoredPartitions, workforce: Workforce
) -> PartitionedDataset:
    """Have workers open the parts of a packed table, whose folder all of them can read."""
    n_rows = stored.map(operator.attrgetter("n_rows"))
    parts = [Held(_opened, (part,), n) for part, n in zip(stored.parts, n_rows, strict=True)]
    partitions = ClusterPartitions(workforce, parts, stored.fingerprint)
    return replace(data, partitions=partitions)


def _opened(part: Part) -> HeldRows:
    return done(_in_memory, part)


def _in_memory(part: Dataset) -> HeldRows:
    """Copy a part into memory: what is opened of a store is closed again."""
    return HeldRows(with_flags(part.take(np.arange(part.n_rows)), part.has_missing))


def _of_memory(data: Dataset, workforce: Workforce) -> PartitionedDataset:
    """Send the rows of a table in memory to the workers."""
    n_parts = min(PARTS_PER_THREAD * sum(workforce.threads().values()), data.n_rows)
    cuts = np.linspace(0, data.n_rows, n_parts + 1).astype(int).tolist()
    parts = []
    for start, stop in pairwise(cuts):
        rows = with_flags(data.take(np.arange(start, stop)), data.has_missing)
        parts.append(Held(None, (HeldRows(rows),), stop - start))
    partitions = ClusterPartitions(workforce, parts, data.fingerprint)
    return PartitionedDataset.over(partitions, data)
