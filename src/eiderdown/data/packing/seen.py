"""What has been seen of a column while it is read in batches, and its cells of the rows at hand.

A column is held as ids, the numbers of its distinct values in the order in which they came, as long
as these are few, and as numbers otherwise. The values with their counts say about a column all that
the rules of reading ask; ``witness`` gives them as a raw column whose cells stand for many rows.
``seen_entries`` has texts and dictionaries, ``seen_numbers`` all others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data.distinct import DistinctCount
from eiderdown.data.encode import MAX_CATEGORIES
from eiderdown.data.packing.arrow_cells import id_type, missing_id
from eiderdown.data.packing.pack_kernels import count_ids

MOST_TEXTS: Final = 1 << 20
"""Different texts, or dates that become parts, of a column that are kept in memory."""

PEEK: Final = 256
"""The first values, by which ``screen`` recognises whole numbers."""

MOST_WHOLE: Final = MAX_CATEGORIES
"""Whole numbers from 0 on of which it is known whether they are there."""

_FACTS: Final = (0.0, np.nan, np.nan, 0.0, 0.0, np.nan)
_FEW: Final = 6  # values that are quicker counted one after the other than all at once


class SeenColumn(ABC):
    """One column of a source.

    Parameters
    ----------
    name : str
        What it is called.
    kind : DataType
        Arrow's type.
    given : str
        What the user says that it holds, or "".
    is_text : bool
        Whether a dictionary is one of texts, which declares nothing.
    dates : str
        What dates become.
    typed : bool
        Whether the source distinguishes texts from numbers.
    """

    def __init__(
        self, name: str, kind: Any, given: str, *, is_text: bool, dates: str, typed: bool
    ) -> None:
        from pyarrow import types

        self.name, self.kind, self.given, self.typed = name, kind, given, typed
        self.is_text, self.declared = is_text, types.is_dictionary(kind) and not is_text
        self.is_date = types.is_date(kind) or types.is_timestamp(kind)
        self.is_integer, self.is_boolean = types.is_integer(kind), types.is_boolean(kind)
        self.as_dates = (
            self.is_date and given != "number" and (given == "category" or dates != "days")
        )
        self.values: list[Any] = [False, True] if self.is_boolean else []
        self.counts: IntArray = np.zeros(len(self.values), np.int64)
        self.n_rows = self.n_missing = 0
        self.has_ids = self._limit() > 0
        self.first_known: list[float] = []
        self.facts: FloatArray = np.array(_FACTS)
        self.whole: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self.least: int | None = None
        self.greatest: int | None = None
        self.first: int | None = None
        self.is_consecutive = self.is_integer
        self.distinct: DistinctCount | None = None
        self.sample: Sequence[Any] = ()
        self.cells: NDArray[Any] = np.zeros(0, np.uint8)
        self.index_values()

    @abstractmethod
    def _limit(self) -> int:
        """Return how many distinct values may be held, 0 for none."""

    @property
    @abstractmethod
    def too_many(self) -> bool:
        """Whether there are more different texts than can be held, which are only counted."""

    @property
    def knowledge(self) -> tuple[Any, ...]:
        """What decides about the column, as far as it can change from batch to batch."""
        infinite = bool(self.facts[3] or self.facts[4])
        return self.has_ids, len(self.values), self.n_missing > 0, infinite, self.is_consecutive

    @abstractmethod
    def index_values(self) -> None:
        """Prepare to find the ids of values."""

    def mark_these_whole(self, numbers: Sequence[int]) -> None:
        """Take up the whole numbers that were seen before."""
        self.whole = np.zeros(MOST_WHOLE, np.uint8)
        self.whole[list(numbers)] = 1

    # The rows at hand

    def begin(self, n_rows: int) -> None:
        """Make room for the next rows."""
        if self.too_many:
            self.cells = np.zeros(0, np.uint8)
        elif self.has_ids:
            self.cells = np.empty(n_rows, id_type(len(self.values)))
        else:
            self.cells = np.empty(n_rows)

    @abstractmethod
    def put(self, array: Any, at: int) -> None:
        """Write cells of Arrow behind others."""

    def cut(self, n_rows: int) -> NDArray[Any]:
        """Return the cells since :meth:`begin`, having counted them."""
        cells = self.cells[:n_rows]
        self.n_rows += n_rows
        if self.has_ids:
            self._count(cells)
        else:
            self._count_others(cells)
        self.cells = np.zeros(0, np.uint8)
        return cells

    @abstractmethod
    def _count_others(self, cells: NDArray[Any]) -> None:
        """Take up what cells say that are no ids."""

    def _count(self, ids: NDArray[Any]) -> None:
        missing, n_values = missing_id(ids.dtype), len(self.values)
        if n_values <= _FEW:
            counts = np.array([np.count_nonzero(ids == i) for i in range(n_values)], np.int64)
        elif ids.dtype == np.uint32:
            counts = np.bincount(ids[ids != missing], minlength=n_values)
        else:
            table = np.zeros(missing + 1, np.int64)
            count_ids(ids, table)
            counts = table[:n_values]
        self.n_missing += len(ids) - int(counts.sum())
        counts[: len(self.counts)] += self.counts
        self.counts = counts

    def _widen(self) -> None:
        """Give ids more bytes where they need them."""
        wanted = id_type(len(self.values))
        if not self.has_ids or self.cells.dtype == wanted:
            return
        before = missing_id(self.cells.dtype)
        wide = self.cells.astype(wanted)
        wide[self.cells == before] = missing_id(wanted)
        self.cells = wide
