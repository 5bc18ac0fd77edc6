"""What the columns of a table are, as far as it has been read, and how its cells are to be held.

A plan is what reading the table would give if it ended here: the same rules (``read``) look at the
distinct cells of each column. It says for each id of a column which code or number it becomes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.data.blocks import (
    MAX_PLANE_CATEGORIES,
    Block,
    Category,
    CodeBlock,
    FloatBlock,
    n_words,
)
from eiderdown.data.columns import Kind
from eiderdown.data.files import Guesses
from eiderdown.data.packing.seen import MOST_TEXTS, SeenColumn
from eiderdown.data.packing.witness import raw_of
from eiderdown.data.partitions import Marginals
from eiderdown.data.read import all_raw, settle
from eiderdown.data.screen import EXCLUDED
from eiderdown.errors import TooManyCategoriesError
from eiderdown.shared_options import ReadOptions

SECTIONS: Final = ("codes8", "codes16", "numbers")
TYPES: Final[dict[str, np.dtype[Any]]] = {
    "codes8": np.dtype("u1"),
    "codes16": np.dtype("<u2"),
    "numbers": np.dtype("<f8"),
}


@dataclass(frozen=True, eq=False)
class PlannedColumn:
    """How a column is held.

    Attributes
    ----------
    name : str
        What it is called.
    source : str
        The column of the source that it is made of.
    section : str
        Where: one of `SECTIONS`.
    of_id : array or None
        The code or number of each id of the source, the last that of a missing value; None where
        the source is held as numbers.
    categories : tuple
        Of a discrete one.
    has_missing : bool
        Whether values are missing.
    """

    name: str
    source: str
    section: str
    of_id: NDArray[Any] | None
    categories: tuple[Category, ...]
    has_missing: bool

    @property
    def n_codes(self) -> int:
        """Codes of a discrete column, with that of missing values."""
        return len(self.categories) + self.has_missing if self.categories else 0

    @property
    def n_planes(self) -> int:
        """Bit planes that are held."""
        return self.n_codes - 1 if 0 < self.n_codes <= MAX_PLANE_CATEGORIES else 0

    @property
    def n_ids(self) -> int:
        """Ids that become numbers, whose order says nothing; -1 for codes and plain numbers."""
        return -1 if self.of_id is None or self.categories else len(self.of_id) - 1

    def keeps_cells(self) -> bool:
        """Whether the cells of the source follow from those of the column."""
        if self.of_id is None:
            return True
        told_apart = self.of_id if self.has_missing else self.of_id[:-1]
        return bool(self.categories) and len(np.unique(told_apart)) == len(told_apart)

    def cells(self, ids: NDArray[Any]) -> NDArray[Any]:
        """Return what cells of the source become."""
        if self.of_id is None:
            return np.where(np.isinf(ids), np.nan, ids) if self.has_missing else ids
        if ids.dtype == np.uint8 and self.section == "codes8" and self._is_plain:
            return ids
        cells: NDArray[Any] = self.of_id[np.minimum(ids, len(self.of_id) - 1)]
        return cells

    @property
    def _is_plain(self) -> bool:
        """Whether ids are codes as they are, and none is missing."""
        if self.has_missing:
            return False
        assert self.of_id is not None
        return np.array_equal(self.of_id[:-1], np.arange(len(self.of_id) - 1))


@dataclass(frozen=True, eq=False)
class Plan:
    """What all columns are.

    Attributes
    ----------
    columns : tuple of PlannedColumn
        In the order of the table.
    finer : mapping
        Which are in order or counts.
    notes : tuple of str
        What is said about reading.
    left_out : mapping
        Why others are left out.
    """

    columns: tuple[PlannedColumn, ...]
    finer: Mapping[str, Kind]
    notes: tuple[str, ...]
    left_out: Mapping[str, str]

    def section(self, name: str) -> list[PlannedColumn]:
        """Return the columns that are held in a section."""
        return [column for column in self.columns if column.section == name]

    def layout(self) -> list[Any]:
        """Return all that decides where in a file which cells are."""
        return [
            [[c.name, c.source, c.n_codes, len(c.categories), c.n_ids] for c in self.section(name)]
            for name in SECTIONS
        ]

    def bytes_per_row(self) -> float:
        """Return how many bytes of a file a row takes."""
        sizes = [TYPES[column.section].itemsize + column.n_planes / 8 for column in self.columns]
        return max(1.0, sum(sizes))

    def blocks(self, arrays: Mapping[str, NDArray[Any]]) -> tuple[Block, ...]:
        """Return the blocks of a table whose cells are in arrays, one for each section."""
        position = {column.name: i for i, column in enumerate(self.columns)}
        found: list[Block] = []
        for name in SECTIONS:
            own = self.section(name)
            if not own:
                continue
            variables = np.array([position[column.name] for column in own])
            missing: BoolArray = np.array([column.has_missing for column in own])
            if name == "numbers":
                found.append(FloatBlock(variables, arrays[name], missing))
            else:
                sizes = np.array([len(column.categories) for column in own])
                found.append(CodeBlock(variables, sizes, arrays[name], missing))
        return tuple(found)

    def marginals(self, seen: Mapping[str, SeenColumn]) -> Marginals:
        """Return what is known of each column alone."""
        counts: list[IntArray] = []
        least: FloatArray = np.full(len(self.columns), np.nan)
        greatest = least.copy()
        for i, column in enumerate(self.columns):
            own = seen[column.source]
            if column.of_id is None:
                n_missing = own.n_missing + int(own.facts[3] + own.facts[4])
                counts.append(np.array([own.n_rows - n_missing, n_missing]))
                least[i], greatest[i] = own.facts[1], own.facts[2]
                continue
            rows = np.append(own.counts, own.n_missing)
            if column.categories:
                table = np.bincount(column.of_id, rows, minlength=column.n_codes)
                counts.append(table[: column.n_codes].astype(np.int64))
                continue
            known = ~np.isnan(column.of_id)
            counts.append(np.array([rows[known].sum(), rows[~known].sum()]))
            here = column.of_id[known & (rows > 0)]
            if len(here):
                least[i], greatest[i] = here.min(), here.max()
        return Marginals(counts, least, greatest)


def plane_words(columns: Sequence[PlannedColumn], n_rows: int) -> int:
    """Return how many words the bit planes of some columns take."""
    return sum(column.n_planes for column in columns) * n_words(n_rows)


def made_plan(
    seen: Mapping[str, SeenColumn],
    guesses: Guesses,
    options: ReadOptions,
    given: Mapping[str, str],
    excluded: Sequence[str],
) -> Plan:
    """Let the rules of reading decide about all columns by what was seen of them."""
    settled = settle(
        all_raw({n: partial(raw_of, own) for n, own in seen.items()}), guesses, options, given
    )
    for name, own in seen.items():
        if own.too_many and name not in settled.left_out:
            raise TooManyCategoriesError(
                f"Column {name!r} has more than {MOST_TEXTS:,} different texts; leave it out "
                f"(--exclude, exclude=[{name!r}]), or write numbers and dates as such."
            )
    encoded, finer, changed = settled.encoded_apart()
    columns = []
    for name, (block, categories) in zip(settled.columns, encoded, strict=True):
        source = name if name in seen else name.rpartition(" ")[0]
        columns.append(_planned(name, seen[source], block, categories))
    left_out = settled.left_out | dict.fromkeys(excluded, EXCLUDED)
    return Plan(tuple(columns), finer, (*guesses.notes, *settled.notes, *changed), left_out)


def _planned(
    name: str, own: SeenColumn, block: Block, categories: tuple[Category, ...]
) -> PlannedColumn:
    has_missing = bool(block.has_missing[0])
    if isinstance(block, FloatBlock):
        if not own.has_ids:
            return PlannedColumn(name, own.name, "numbers", None, (), has_missing)
        numbers = block.values[0][: len(own.values)]
        of_id = np.append(numbers, np.nan)
        return PlannedColumn(name, own.name, "numbers", of_id, (), has_missing)
    assert isinstance(block, CodeBlock)
    section = "codes8" if block.codes.dtype == np.uint8 else "codes16"
    codes = block.codes[0][: len(own.values)]
    of_id = np.append(codes, len(categories) if has_missing else 0).astype(TYPES[section])
    return PlannedColumn(name, own.name, section, of_id, categories, has_missing)
