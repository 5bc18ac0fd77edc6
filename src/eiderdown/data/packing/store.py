"""Tables that are larger than memory: packed once into a folder, then mapped part by part.

    packed("parts/", options, memory=2 * 2**30)     the packed table, made where it is not there yet

A store is known by the files and by how they are read; it is used again as long as these are the
same. It is made in a folder of its own that gets its place when all of it is written.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import shutil
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from eiderdown.data.dataset import Dataset, Origin
from eiderdown.data.pace import Pace
from eiderdown.data.packing.pack import Packer
from eiderdown.data.packing.part_files import cells_path, damaged, plane_views, read_note
from eiderdown.data.packing.plan import SECTIONS, TYPES, Plan
from eiderdown.data.packing.plan_record import plan_from, record_of
from eiderdown.data.packing.source_files import files_of
from eiderdown.data.packing.sources import Source, open_source
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.data.partitions import Marginals, Partitions
from eiderdown.data.read import Selection, given_kinds
from eiderdown.data.screen import unique_names
from eiderdown.errors import OptionError, UnreadableFileError
from eiderdown.files import write_text
from eiderdown.locks import Lock
from eiderdown.memory import free_memory
from eiderdown.progress import Trace, carried
from eiderdown.shared_options import ReadOptions

R = TypeVar("R")

VERSION: Final = 1
"""Of the form in which tables are packed; another is packed anew."""

_LEAST_BUDGET: Final = 1 << 26
_WAIT: Final = 0.2  # seconds between two looks at a lock


def packed(
    table: Any,
    options: ReadOptions,
    *,
    memory: int | None = None,
    where: Path | None = None,
    trace: Trace | None = None,
) -> PartitionedDataset:
    """Find or make the store of a table.

    Parameters
    ----------
    table : path, glob, address or list of paths
        Parquet, Arrow or text files.
    options : ReadOptions
        How they are read.
    memory : int or None
        Bytes of memory to keep to; None for half of what is free.
    where : Path or None
        The folder of stores; None for `store_folder`.
    trace : Trace or None
        Hears how far packing is.
    """
    select = Selection(options)
    files = files_of(table)
    source = open_source(files, options, select)
    names, _ = unique_names(source.labels)
    given = given_kinds(options, names, select.excluded or ())
    place = Path(where) if where is not None else store_folder()
    folder = place / _key(source, options)
    fingerprint = source.fingerprint(options)
    budget = memory if memory is not None else (free_memory() or 1 << 32) // 2
    store = Store.open(folder, fingerprint)
    if store is None:
        _make_folder(place)
        with _locked(folder, trace or Trace()):
            store = Store.open(folder, fingerprint)  # which another process may have made
            if store is None:
                work = _working_folder(folder, fingerprint)
                spend = max(_LEAST_BUDGET, budget)
                packer = Packer(source, work, options, given, select.excluded or [], spend)
                plan = packer.pack(trace or Trace())
                _write_record(work, files.given, fingerprint, plan, packer)
                _give_place(work, folder)
                store = Store.open(folder, fingerprint)
    if store is None:
        raise damaged(folder)
    return store.dataset(budget, origin=Origin(files.given, {}))


def store_folder() -> Path:
    """Return where stores are kept: ``EIDERDOWN_STORE``, or a folder of the user's cache."""
    own = os.environ.get("EIDERDOWN_STORE")
    if own:
        return Path(own)
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "eiderdown"


def _key(source: Source, options: ReadOptions) -> str:
    """Return the name of a store: of the same files, read in the same way."""
    how = {name: value for name, value in options.items() if name not in ("memory", "store")}
    text = json.dumps([list(source.files.paths), how], default=str, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise OptionError(
            f"Cannot make the folder {str(folder)!r} for packed tables ({problem.strerror}); name "
            "another by store, or by the environment variable EIDERDOWN_STORE."
        ) from problem


@contextmanager
def _locked(folder: Path, trace: Trace) -> Iterator[None]:
    """Have a store to oneself, waiting for whoever has it."""
    lock, n = Lock(folder), 0
    while lock.taken_by() is not None:
        trace.progressed("waiting for another process that packs the table", n)
        n += 1
        time.sleep(_WAIT)
    try:
        yield
    finally:
        lock.release()


def _working_folder(folder: Path, fingerprint: str) -> Path:
    """Return where a store is made; what was begun for other files is removed."""
    work = folder.with_name(f"{folder.name}.part")
    mark = work / "fingerprint"
    with suppress(OSError):
        if mark.read_text(encoding="ascii") != fingerprint:
            shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True, exist_ok=True)
    write_text(fingerprint, mark)
    return work


def _give_place(work: Path, folder: Path) -> None:
    if folder.exists():
        old = folder.with_name(f"{folder.name}.old")
        shutil.rmtree(old, ignore_errors=True)
        folder.rename(old)
        shutil.rmtree(old, ignore_errors=True)
    work.rename(folder)


def _write_record(work: Path, given: str, fingerprint: str, plan: Plan, packer: Packer) -> None:
    marginals = plan.marginals(packer.seen)
    record = {
        "version": VERSION,
        "fingerprint": fingerprint,
        "source": given,
        "rows": packer.n_rows,
        "parts": packer.n_parts,
        "plan": record_of(plan),
        "marginals": [
            [counts.tolist() for counts in marginals.counts],
            marginals.least.tolist(),
            marginals.greatest.tolist(),
        ],
    }
    write_text(json.dumps(record), work / "table.json")


@dataclass(frozen=True)
class Part:
    """One part of a store: a file, which other processes can open as well.

    Attributes
    ----------
    folder : str
        The store.
    number : int
        Which part.
    """

    folder: str
    number: int

    @contextmanager
    def opened(self) -> Iterator[Dataset]:
        """Give the rows of the part, mapped from its file, whose pages are let go in the end."""
        store = Store.of(self.folder)
        note = read_note(store.folder, self.number)
        try:
            with cells_path(store.folder, self.number).open("rb") as file:
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as problem:
            raise damaged(store.folder) from problem
        try:
            yield _dataset_over(np.frombuffer(mapped, np.uint8), note, store)
        finally:
            if hasattr(mapped, "madvise"):
                mapped.madvise(mmap.MADV_DONTNEED)


def _dataset_over(mapped: Any, note: dict[str, Any], store: Store) -> Dataset:
    plan, n_rows = store.plan, int(note["rows"])
    arrays = {}
    for name in SECTIONS:
        n_columns, kind = len(plan.section(name)), TYPES[name]
        start = note["offsets"][name]
        raw = mapped[start : start + n_columns * n_rows * kind.itemsize]
        arrays[name] = raw.view(kind).reshape(n_columns, n_rows)
    data = store.made(plan.blocks(arrays))
    data._planes.update(plane_views(mapped, note, plan))
    return data


class Store:
    """A packed table on disk."""

    def __init__(self, folder: Path, record: dict[str, Any]) -> None:
        self.folder = folder
        self.fingerprint, self.source = str(record["fingerprint"]), str(record["source"])
        self.n_rows, self.n_parts = int(record["rows"]), int(record["parts"])
        self._record = record

    _KNOWN: Final[dict[str, tuple[int, Store]]] = {}

    @classmethod
    def of(cls, folder: str | Path) -> Store:
        """Open a store, or say that it is damaged."""
        path = Path(folder) / "table.json"
        try:
            stamp = path.stat().st_mtime_ns
            known = cls._KNOWN.get(str(folder))
            if known is None or known[0] != stamp:
                record = json.loads(path.read_text(encoding="utf-8"))
                if record["version"] != VERSION:
                    raise damaged(Path(folder))
                known = cls._KNOWN[str(folder)] = (stamp, cls(Path(folder), record))
        except (OSError, ValueError, KeyError, TypeError) as problem:
            raise damaged(Path(folder)) from problem
        return known[1]

    @classmethod
    def open(cls, folder: Path, fingerprint: str) -> Store | None:
        """Open the store of some files if it is there, whole and not out of date."""
        if not (folder / "table.json").exists():
            return None
        try:
            store = cls.of(folder)
            if store.fingerprint != fingerprint:
                return None
            for number in range(store.n_parts):
                read_note(folder, number)
            _ = store.plan
        except UnreadableFileError:
            return None
        return store

    @cached_property
    def plan(self) -> Plan:
        """What the columns are."""
        try:
            return plan_from(self._record["plan"])
        except (KeyError, TypeError, ValueError, AttributeError) as problem:
            raise damaged(self.folder) from problem

    @property
    def nbytes(self) -> int:
        """Bytes on disk."""
        return sum(path.stat().st_size for path in self.folder.iterdir())

    def made(self, blocks: Any, origin: Origin | None = None) -> Dataset:
        """Make a dataset of blocks."""
        plan = self.plan
        return Dataset(
            tuple(column.name for column in plan.columns),
            blocks,
            tuple(column.categories for column in plan.columns),
            plan.finer,
            notes=plan.notes,
            left_out=plan.left_out,
            origin=origin,
        )

    def dataset(self, budget: int | None, origin: Origin | None = None) -> PartitionedDataset:
        """Return the table, its rows on disk."""
        empty = {
            name: np.zeros((len(self.plan.section(name)), 0), TYPES[name]) for name in SECTIONS
        }
        counts, least, greatest = self._record["marginals"]
        known = Marginals(
            [np.array(own, np.int64) for own in counts], np.array(least), np.array(greatest)
        )
        like = self.made(self.plan.blocks(empty), origin)
        return PartitionedDataset.over(StoredPartitions(self, budget), like, known)


class StoredPartitions(Partitions):
    """The parts of a store.

    Attributes
    ----------
    parts : tuple of Part
        Each can be pickled, and opened wherever the folder can be read.
    """

    def __init__(self, store: Store, budget: int | None) -> None:
        self.n_rows, self.budget = store.n_rows, budget
        self.fingerprint = store.fingerprint
        self.parts = tuple(Part(str(store.folder), number) for number in range(store.n_parts))
        self._part_bytes = store.nbytes // max(1, store.n_parts)

    def map(self, work: Callable[[Dataset], R], n_jobs: int | None = None) -> Iterator[R]:
        """See :meth:`Partitions.map`."""
        pace, n_before = Pace(self.n_rows), 0
        for number, answer in enumerate(self._answers(work, n_jobs), 1):
            n_after = self.n_rows * number // len(self.parts)
            pace.passed(n_after - n_before)
            n_before = n_after
            yield answer

    def _answers(self, work: Callable[[Dataset], R], n_jobs: int | None) -> Iterator[R]:
        n_threads = self._n_at_once(n_jobs)
        if n_threads == 1:
            for part in self.parts:
                yield done(work, part)
            return
        todo = iter(self.parts)
        with ThreadPoolExecutor(n_threads) as pool:
            running: deque[Future[R]] = deque()
            try:
                for part in todo:
                    running.append(pool.submit(carried(done), work, part))
                    if len(running) == n_threads:
                        yield running.popleft().result()
                while running:
                    yield running.popleft().result()
            finally:
                for future in running:
                    future.cancel()

    def _n_at_once(self, n_jobs: int | None) -> int:
        """Return how many parts may be in memory at once."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        wanted = min(cores or 1, len(self.parts))
        if n_jobs is not None and n_jobs > 0:
            wanted = min(wanted, n_jobs)
        if self.budget is not None:
            wanted = min(wanted, self.budget // 2 // max(1, self._part_bytes))
        return max(1, wanted)


def done(work: Callable[[Dataset], R], part: Part) -> R:
    """Do some work on a part of a store."""
    with part.opened() as data:
        return work(data)
