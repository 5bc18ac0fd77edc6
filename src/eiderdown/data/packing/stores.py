"""Packed tables that are kept on disk: listed and removed."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from eiderdown.data.packing.store import Store, store_folder
from eiderdown.errors import UnreadableFileError


@dataclass(frozen=True)
class StoreEntry:
    """A packed table.

    Attributes
    ----------
    source : str
        The files, as they were named.
    folder : str
        Where it is.
    n_rows, n_columns, n_bytes : int
        How large it is.
    packed_at : float
        When it was made, in seconds since 1970.
    """

    source: str
    folder: str
    n_rows: int
    n_columns: int
    n_bytes: int
    packed_at: float


def stores(where: str | Path | None = None) -> tuple[StoreEntry, ...]:
    """Return the packed tables that are kept on disk, the newest first.

    Parameters
    ----------
    where : str, Path or None
        The folder of stores; None for the usual one.
    """
    place = Path(where) if where is not None else store_folder()
    found = []
    for record in place.glob("*/table.json"):
        try:
            store = Store.of(record.parent)
            n_columns, made = len(store.plan.columns), record.stat().st_mtime
            found.append(
                StoreEntry(
                    store.source, str(store.folder), store.n_rows, n_columns, store.nbytes, made
                )
            )
        except (UnreadableFileError, OSError):
            continue
    return tuple(sorted(found, key=lambda entry: -entry.packed_at))


def remove_stores(which: str | Path, where: str | Path | None = None) -> int:
    """Remove packed tables; the files that they were made from stay.

    Parameters
    ----------
    which : str or Path
        The files as they were named, the folder of a store, or "all".
    where : str, Path or None
        The folder of stores; None for the usual one.

    Returns
    -------
    int
        How many were removed.
    """
    place = Path(where) if where is not None else store_folder()
    if str(which) == "all":
        folders = [path for path in place.glob("*") if _is_ours(path)]
    else:
        names = {os.fspath(which), os.path.abspath(which)}  # noqa: PTH100
        folders = [
            Path(entry.folder)
            for entry in stores(place)
            if entry.folder in names
            or entry.source in names
            or os.path.abspath(entry.source) in names  # noqa: PTH100
        ]
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    return len(folders)


def _is_ours(path: Path) -> bool:
    name = path.name.partition(".")[0]
    return path.is_dir() and len(name) == 24 and set(name) <= set("0123456789abcdef")
