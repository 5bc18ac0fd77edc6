"""The files of a packed table: each part is one of cells, and a note that says where they are.

A part is written as the whole table would be if it ended there (``plan``). What that would lose
(columns that are left out, ids that become the same category) is kept beside it, so that the part
can be written again when later rows have changed the plan.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from eiderdown.data.blocks import BitPlanes, n_words
from eiderdown.data.packing.arrow_cells import ids_as_numbers, missing_id
from eiderdown.data.packing.plan import SECTIONS, TYPES, Plan, PlannedColumn
from eiderdown.data.packing.seen import SeenColumn
from eiderdown.errors import UnreadableFileError
from eiderdown.files import replacing, write_text

PAGE: Final = 4096


@dataclass(frozen=True)
class Held:
    """Where the cells of a source column are in a part, and what they stand for.

    Attributes
    ----------
    section : str
        A section of the file of cells, or "apart".
    row : int
        The column there; apart, where in the file it begins.
    ids : list of int, int or None
        The id of each code, the number of ids where these are the codes; None for numbers.
    dtype : str
        What is kept apart.
    """

    section: str
    row: int
    ids: list[int] | int | None
    dtype: str = ""


def cells_path(folder: Path, number: int) -> Path:
    """Return the file of the cells of a part."""
    return folder / f"{number:06d}.cells"


def note_path(folder: Path, number: int) -> Path:
    """Return the note about a part; a part without one is none."""
    return folder / f"{number:06d}.json"


def _apart_path(folder: Path, number: int) -> Path:
    return folder / f"{number:06d}.apart"


def write_part(
    folder: Path, number: int, plan: Plan, sources: Mapping[str, NDArray[Any]], n_rows: int
) -> None:
    """Write the rows of a part, given ids or numbers of each column of the source."""
    held: dict[str, Held] = {}
    offsets: dict[str, int] = {}
    end = 0
    with replacing(cells_path(folder, number)) as file:
        for name in SECTIONS:
            columns = plan.section(name)
            end += file.write(bytes(-end % PAGE))
            offsets[name] = end
            planes = []
            for row, column in enumerate(columns):
                own = sources[column.source]
                cells = column.cells(own).astype(TYPES[name], copy=False)
                end += file.write(np.ascontiguousarray(cells).data)
                planes += [_plane(cells, code) for code in range(1, column.n_planes + 1)]
                if column.source not in held and column.keeps_cells():
                    held[column.source] = Held(name, row, _ids(column))
            end += file.write(bytes(-end % PAGE))
            offsets[f"{name} planes"] = end
            for plane in planes:
                end += file.write(plane.data)
    _write_apart(folder, number, sources, held)
    note = {
        "rows": n_rows,
        "bytes": end,
        "offsets": offsets,
        "layout": plan.layout(),
        "held": {name: vars(own) for name, own in held.items()},
    }
    write_text(json.dumps(note), note_path(folder, number))


def _write_apart(
    folder: Path, number: int, sources: Mapping[str, NDArray[Any]], held: dict[str, Held]
) -> None:
    lost = [name for name, own in sources.items() if name not in held and len(own)]
    if not lost:
        _apart_path(folder, number).unlink(missing_ok=True)
        return
    end = 0
    with replacing(_apart_path(folder, number)) as file:
        for name in lost:
            own = np.ascontiguousarray(sources[name])
            held[name] = Held("apart", end, None, own.dtype.str)
            end += file.write(own.data)
            end += file.write(bytes(-end % 8))


def _ids(column: PlannedColumn) -> list[int] | int | None:
    if column.of_id is None:
        return None
    n_ids = len(column.of_id) - 1
    if np.array_equal(column.of_id[:-1], np.arange(n_ids)):
        return n_ids
    id_of = np.full(max(1, column.n_codes), -1)
    id_of[column.of_id[:-1]] = np.arange(n_ids)
    return [int(i) for i in id_of]


def _plane(codes: NDArray[Any], code: int) -> NDArray[np.uint64]:
    """Return the bit plane of a code."""
    words = np.zeros(n_words(len(codes)), np.uint64)
    packed = np.packbits(codes == code, bitorder="little")
    words.view(np.uint8)[: len(packed)] = packed
    return words


# --- parts written before ------------------------------------------------------------------------


def read_note(folder: Path, number: int) -> dict[str, Any]:
    """Return the note about a part, or say that the store is damaged."""
    try:
        note = json.loads(note_path(folder, number).read_text(encoding="utf-8"))
        if cells_path(folder, number).stat().st_size != note["bytes"]:
            raise damaged(folder)
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise damaged(folder) from problem
    return dict(note)


def damaged(folder: Path) -> UnreadableFileError:
    """Say that a store cannot be used."""
    return UnreadableFileError(
        f"The packed table in {str(folder)!r} is damaged; remove it (eiderdown store --remove "
        "all), and read the table again."
    )


def is_current(note: Mapping[str, Any], plan: Plan, seen: Mapping[str, SeenColumn]) -> bool:
    """Say whether a part is as the plan wants it."""
    if note["layout"] != plan.layout():
        return False
    return all(
        _same_ids(column, note["held"].get(column.source, {}), seen[column.source])
        for column in plan.columns
    )


def _same_ids(column: PlannedColumn, held: Mapping[str, Any], own: SeenColumn) -> bool:
    if column.of_id is None:
        return held.get("section") == "numbers" and held["ids"] is None
    if not column.categories:
        return True  # as many ids as in the layout are the same numbers
    if held.get("section") != column.section or not own.has_ids:
        return False
    ids = held["ids"]
    id_of = range(ids) if isinstance(ids, int) else ids
    codes = column.of_id[:-1]
    return all(i < 0 or codes[i] == code for code, i in enumerate(id_of))


def recovered(
    folder: Path, number: int, note: Mapping[str, Any], seen: Mapping[str, SeenColumn]
) -> dict[str, NDArray[Any]]:
    """Return ids or numbers of the columns of the source, from a part that was written before."""
    n_rows = int(note["rows"])
    found: dict[str, NDArray[Any]] = {}
    for name, own in seen.items():
        if own.too_many:
            found[name] = np.zeros(0, np.uint8)
            continue
        held = Held(**note["held"][name])
        if held.section == "apart":
            cells = _wide(
                np.fromfile(
                    _apart_path(folder, number), np.dtype(held.dtype), n_rows, offset=held.row
                )
            )
        else:
            kind = TYPES[held.section]
            start = note["offsets"][held.section] + held.row * n_rows * kind.itemsize
            cells = np.fromfile(cells_path(folder, number), kind, n_rows, offset=start)
            if held.ids is not None:
                cells = _as_ids(cells, held, note)
        if cells.dtype.kind == "u" and not own.has_ids:
            cells = ids_as_numbers(cells, own.values)
        found[name] = cells
    return found


def _wide(cells: NDArray[Any]) -> NDArray[Any]:
    """Return ids in the type in which a missing one is above all others; numbers stay."""
    if cells.dtype.kind != "u":
        return cells
    missing = cells == missing_id(cells.dtype)
    wide = cells.astype(np.uint32)
    wide[missing] = missing_id(np.uint32)
    return wide


def _as_ids(cells: NDArray[Any], held: Held, note: Mapping[str, Any]) -> NDArray[Any]:
    """Return the ids of codes."""
    _, _, n_codes, n_categories, _ = note["layout"][SECTIONS.index(held.section)][held.row]
    id_of = list(range(held.ids)) if isinstance(held.ids, int) else list(held.ids or ())
    table = np.full(max(n_codes, n_categories, len(id_of)) + 1, missing_id(np.uint32), np.uint32)
    table[: len(id_of)] = np.where(np.array(id_of) < 0, missing_id(np.uint32), id_of)
    if n_codes > n_categories:
        table[n_categories] = missing_id(np.uint32)
    ids: NDArray[np.uint32] = table[cells]
    return ids


def tidy(folder: Path, n_parts: int) -> None:
    """Remove what was kept beside parts, or begun and not finished, when all parts are written."""
    numbers = range(n_parts)
    kept = {path.name for n in numbers for path in (cells_path(folder, n), note_path(folder, n))}
    for path in folder.iterdir():
        if path.name not in kept and path.name != "table.json":
            path.unlink(missing_ok=True)


def plane_views(
    mapped: NDArray[np.uint8], note: Mapping[str, Any], plan: Plan
) -> dict[int, BitPlanes]:
    """Return the bit planes of each block of codes, in a mapped file."""
    found: dict[int, BitPlanes] = {}
    block_id = 0
    words = n_words(int(note["rows"]))
    for name in SECTIONS:
        columns: Sequence[PlannedColumn] = plan.section(name)
        if not columns:
            continue
        if name != "numbers":
            sizes = [column.n_planes for column in columns]
            first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
            start, n_planes = note["offsets"][f"{name} planes"], int(first[-1])
            raw = mapped[start : start + 8 * n_planes * words]
            found[block_id] = BitPlanes(raw.view(np.uint64).reshape(n_planes, words), first)
        block_id += 1
    return found
