"""Columns of integers, floats, dates, and of what is true or false.

Distinct values get ids as long as they are few; beyond that all are numbers, of which it is known
how many are missing, which are the least and the greatest, and whether all are whole.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data.adapters import raw_from_arrow
from eiderdown.data.dates import RawDates
from eiderdown.data.distinct import DistinctCount
from eiderdown.data.encode import MAX_CATEGORIES, MAX_INTEGER_CATEGORIES, RawNumbers
from eiderdown.data.packing import seen
from eiderdown.data.packing.arrow_cells import (
    NO_BITS,
    has_value,
    ids_as_numbers,
    known_values,
    microseconds,
    missing_id,
    plain_values,
    validity,
)
from eiderdown.data.packing.integer_ids import IntegerIds
from eiderdown.data.packing.pack_kernels import (
    mark_whole,
    number_facts,
    translate_codes,
    write_numbers,
)
from eiderdown.data.screen import may_identify


class SeenNumbers(seen.SeenColumn):
    """A column of numbers, dates, or what is true or false."""

    _n_at_hand = 0

    def _limit(self) -> int:
        if self.as_dates or (self.given == "date" and self.is_integer):
            return seen.MOST_TEXTS
        if self.given in ("number", "count") or self.is_date:
            return 0
        if self.given:
            return MAX_CATEGORIES + 1
        return MAX_INTEGER_CATEGORIES

    @property
    def too_many(self) -> bool:
        """See `SeenColumn`."""
        return False

    def index_values(self) -> None:
        """See `SeenColumn`."""
        self._integers = IntegerIds(self.values if self.has_ids else ())

    def put(self, array: Any, at: int) -> None:
        """See `SeenColumn`."""
        from pyarrow import types

        if types.is_dictionary(array.type):
            self._put_codes(array, at)
        elif self.is_boolean:
            self._put_integers(array.cast("uint8"), at)
        elif self.is_integer:
            self._look_at_order(array)
            self._put_integers(array, at)
        elif self.as_dates:
            self._put_integers(microseconds(array), at)
        else:
            self._put_floats(array, at)

    def cut(self, n_rows: int) -> NDArray[Any]:
        """See `SeenColumn`."""
        self._n_at_hand = 0
        return super().cut(n_rows)

    def _count_others(self, cells: NDArray[Any]) -> None:
        before = self.facts[0]
        number_facts(cells, self.facts)
        self.n_missing += int(self.facts[0] - before)
        if len(self.whole):
            mark_whole(cells, self.whole)

    def _put_codes(self, array: Any, at: int) -> None:
        """Write codes into a dictionary of integers, without looking at each where it is known."""
        entries, codes = plain_values(array.dictionary), plain_values(array.indices)
        room, ids = self.cells[at : at + len(array)], np.empty(len(entries), np.uint8)
        as_bytes = self.has_ids and room.dtype == codes.dtype == np.uint8
        if (
            self.is_consecutive
            or not as_bytes
            or array.null_count
            or not self._integers.write(entries, NO_BITS, 0, ids)
        ):
            plain = array.dictionary_decode()
            self._look_at_order(plain)
            self._put_integers(plain, at)
            return
        self._n_at_hand += len(codes)
        table = np.zeros(256, np.uint8)
        table[: len(ids)] = ids
        translate_codes(codes, table, room)

    def _put_integers(self, array: Any, at: int) -> None:
        bits, offset = validity(array)
        values = plain_values(array)
        if self.has_ids:
            self._put_ids(values, bits, offset, at)
        if not self.has_ids:
            self._widen_range(array)
            write_numbers(values, bits, offset, self.cells[at : at + len(values)])

    def _put_ids(self, values: NDArray[Any], bits: NDArray[np.uint8], offset: int, at: int) -> None:
        """Write the ids of integers or whole numbers; give up ids where there are too many."""
        room = self.cells[at : at + len(values)]
        if self._integers.write(values, bits, offset, room):
            return
        known = known_values(values, bits, offset)
        if not self._add_values(known, at):
            return
        room = self.cells[at : at + len(values)]
        if self._integers.write(values, bits, offset, room):
            return
        ids = np.full(len(values), missing_id(room.dtype), room.dtype)
        ids[has_value(len(values), bits, offset)] = self._ids_of(known)
        room[:] = ids

    def _ids_of(self, known: NDArray[Any]) -> IntArray:
        """Return the ids of values that all have one."""
        values = np.array(self.values, known.dtype if self.is_integer else np.float64)
        order = np.argsort(values, kind="stable")
        found: IntArray = order[np.searchsorted(values[order], known)]
        return found

    def _add_values(self, known: NDArray[Any], at: int) -> bool:
        """Give new values ids; return False where there are too many, which become numbers."""
        held = set(self.values)
        fresh = [value for value in np.unique(known).tolist() if value not in held]
        if len(self.values) + len(fresh) > self._limit():
            self.sample = fresh[: MAX_INTEGER_CATEGORIES + 1]
            self._become_numbers(at)
            return False
        self.values += fresh
        self._widen()
        self.index_values()
        return True

    def _become_numbers(self, at: int) -> None:
        """Hold numbers from now on; the ids of the rows at hand become numbers, too."""
        ids = self.cells[:at]
        numbers = np.empty(len(self.cells))
        numbers[:at] = ids_as_numbers(ids, self.values)
        self.cells, self.has_ids = numbers, False
        known = [value for value, n in zip(self.values, self.counts, strict=False) if n]
        known += [self.values[k] for k in np.unique(ids[ids != missing_id(ids.dtype)])]
        if self.is_integer:
            self.least = min(map(int, known), default=None)
            self.greatest = max(map(int, known), default=None)
            if self.distinct is not None:
                self.distinct.add(np.array(self.values, np.int64))
        else:
            self.whole = np.zeros(seen.MOST_WHOLE, np.uint8)
            mark_whole(np.array(self.values, np.float64), self.whole)
        self._add_facts_of_values()

    def _add_facts_of_values(self) -> None:
        """Take what is known of values that had ids over to what is known of numbers."""
        values = np.array(self.values[: len(self.counts)], np.float64)[self.counts > 0]
        number_facts(values[np.isfinite(values)], self.facts)
        infinite = np.array(self.values[: len(self.counts)], np.float64)
        self.facts[3] += self.counts[infinite == -np.inf].sum()
        self.facts[4] += self.counts[infinite == np.inf].sum()

    def _widen_range(self, array: Any) -> None:
        from pyarrow import compute

        found = compute.min_max(array).as_py()
        if found["min"] is not None:
            self.least = min(x for x in (self.least, found["min"]) if x is not None)
            self.greatest = max(x for x in (self.greatest, found["max"]) if x is not None)
        if self.distinct is not None and array.null_count == 0:
            self.distinct.add(plain_values(array).astype(np.int64, copy=False))

    def _look_at_order(self, array: Any) -> None:
        """See whether integers number the rows."""
        n_before = self.n_rows + self._n_at_hand
        self._n_at_hand += len(array)
        if len(array) == 0:
            return
        values = plain_values(array)
        if self.first is None:
            self.first = int(values[0]) if array.null_count == 0 else 0
            if may_identify(self.name, self.first):
                self.distinct = DistinctCount()
        if not self.is_consecutive:
            return
        start = self.first + n_before
        self.is_consecutive = (
            array.null_count == 0
            and int(values[0]) == start
            and int(values[-1]) == start + len(values) - 1
            and np.array_equal(values, np.arange(start, start + len(values)))
        )

    def _put_floats(self, array: Any, at: int) -> None:
        """Write floats, or anything that becomes such."""
        numbers = self._as_floats(array)
        if len(self.first_known) < seen.PEEK:
            self._peek(numbers, at)
        if self.has_ids:
            bits = NO_BITS
            missing = np.isnan(numbers)
            if missing.any():
                bits = np.packbits(~missing, bitorder="little")
            whole = np.where(missing, 0.0, numbers)
            if (np.abs(whole) < 2**53).all() and np.array_equal(whole, np.floor(whole)):
                self._put_ids(whole.astype(np.int64), bits, 0, at)
            else:
                self._put_other_floats(numbers, missing, at)
        if not self.has_ids:
            self.cells[at : at + len(numbers)] = numbers

    def _put_other_floats(self, numbers: FloatArray, missing: NDArray[np.bool_], at: int) -> None:
        known = numbers[~missing]
        if self._add_values(known, at):
            room = self.cells[at : at + len(numbers)]
            room[missing] = missing_id(room.dtype)
            room[~missing] = self._ids_of(known)

    def _peek(self, numbers: FloatArray, at: int) -> None:
        """Keep the first numbers; if they are not few whole ones, ids are of no use."""
        known = numbers[~np.isnan(numbers)][: seen.PEEK - len(self.first_known)]
        self.first_known += known.tolist()
        if self.has_ids and not self.given and len(known):
            first = np.unique(self.first_known)
            if len(first) > MAX_INTEGER_CATEGORIES or not np.array_equal(first, np.floor(first)):
                self._become_numbers(at)

    def _as_floats(self, array: Any) -> FloatArray:
        from pyarrow import types

        if types.is_float64(array.type) or types.is_float32(array.type):
            numbers = np.empty(len(array))
            write_numbers(plain_values(array), *validity(array), numbers)
            return numbers
        raw = raw_from_arrow(self.name, array)
        if isinstance(raw, RawDates):
            raw = raw.days()
        assert isinstance(raw, RawNumbers)
        values = raw.values.astype(np.float64)
        return values if raw.missing is None else np.where(raw.missing, np.nan, values)
