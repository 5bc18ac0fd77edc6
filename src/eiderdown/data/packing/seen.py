"""What has been seen of a column while it is read in batches, and its cells of the rows at hand.

A column is held as ids, the numbers of its distinct values in the order in which they came, as long
as these are few, and as numbers otherwise. The values with their counts say about a column all that
the rules of reading ask; ``witness`` gives them as a raw column whose cells stand for many rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data.adapters import raw_from_arrow
from eiderdown.data.dates import RawDates
from eiderdown.data.distinct import DistinctCount, hashed_texts
from eiderdown.data.encode import (
    MAX_CATEGORIES,
    MAX_INTEGER_CATEGORIES,
    RawNumbers,
)
from eiderdown.data.packing.arrow_cells import (
    NO_BITS,
    entry_key,
    has_value,
    id_type,
    ids_as_numbers,
    known_values,
    microseconds,
    missing_id,
    plain_values,
    taken_apart,
    validity,
)
from eiderdown.data.packing.pack_kernels import (
    count_ids,
    gather_ids,
    lookup_codes,
    mark_whole,
    number_facts,
    write_numbers,
)
from eiderdown.data.screen import may_identify
from eiderdown.errors import UnreadableFileError

MOST_TEXTS: Final = 1 << 20
"""Different texts, or dates that become parts, of a column that are kept in memory."""

_PEEK: Final = 256  # the first values, by which ``screen`` recognises whole numbers
_MOST_WHOLE: Final = MAX_CATEGORIES
_WIDEST_TABLE: Final = 1 << 12
_FACTS: Final = (0.0, np.nan, np.nan, 0.0, 0.0, np.nan)


class SeenColumn:
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
        self.is_number = not (is_text or self.declared or types.is_null(kind))
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
        self._ids = dict[Any, int]()
        self._entries: Any = None
        self._id_of_entry: NDArray[np.int32] = np.zeros(0, np.int32)
        self.cells: NDArray[Any] = np.zeros(0, np.uint8)
        self._number_ids()

    def _limit(self) -> int:
        """Return how many distinct values may be held, 0 for none."""
        if not self.is_number:
            return MOST_TEXTS
        if self.as_dates or (self.given == "date" and self.is_integer):
            return MOST_TEXTS
        if self.given in ("number", "count") or self.is_date:
            return 0
        if self.given:
            return MAX_CATEGORIES + 1
        return MAX_INTEGER_CATEGORIES

    @property
    def too_many(self) -> bool:
        """Whether there are more different texts than can be held, which are only counted."""
        return not self.has_ids and not self.is_number

    @property
    def knowledge(self) -> tuple[Any, ...]:
        """What decides about the column, as far as it can change from batch to batch."""
        infinite = bool(self.facts[3] or self.facts[4])
        return self.has_ids, len(self.values), self.n_missing > 0, infinite, self.is_consecutive

    # The rows at hand

    def begin(self, n_rows: int) -> None:
        """Make room for the next rows."""
        if self.too_many:
            self.cells = np.zeros(0, np.uint8)
        elif self.has_ids:
            self.cells = np.empty(n_rows, id_type(len(self.values)))
        else:
            self.cells = np.empty(n_rows)

    def put(self, array: Any, at: int) -> None:
        """Write cells of Arrow behind others."""
        if self.too_many:
            self._count_texts(array)
        elif not self.is_number:
            self._put_entries(array, at)
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
        """Return the cells since :meth:`begin`, having counted them."""
        cells = self.cells[:n_rows]
        self.n_rows += n_rows
        self._n_at_hand = 0
        if self.too_many:
            self.n_missing += self._texts_missing
            self._texts_missing = 0
        elif self.has_ids:
            self._count(cells)
        else:
            before = self.facts[0]
            number_facts(cells, self.facts)
            self.n_missing += int(self.facts[0] - before)
            if len(self.whole):
                mark_whole(cells, self.whole)
        self.cells = np.zeros(0, np.uint8)
        return cells

    _texts_missing = 0

    def _count(self, ids: NDArray[Any]) -> None:
        missing = missing_id(ids.dtype)
        if ids.dtype == np.uint32:
            counts = np.bincount(ids[ids != missing], minlength=len(self.values))
            n_missing = len(ids) - int(counts.sum())
        else:
            table = np.zeros(missing + 1, np.int64)
            count_ids(ids, table)
            counts, n_missing = table[: len(self.values)], int(table[missing])
        grown = np.zeros(len(self.values), np.int64)
        grown[: len(self.counts)] = self.counts
        self.counts = grown + counts[: len(grown)]
        self.n_missing += n_missing

    # Dictionaries

    def _put_entries(self, array: Any, at: int) -> None:
        """Write texts, or codes into a dictionary of anything."""
        indices, dictionary = taken_apart(array)
        if dictionary is None:
            self.cells[at : at + len(array)] = missing_id(self.cells.dtype)
            return
        if self._entries is None or not dictionary.equals(self._entries):
            self._read_entries(dictionary)
        bits, offset = validity(indices)
        plain = plain_values(indices).astype(np.int32, copy=False)
        for _ in range(2):
            room = self.cells[at : at + len(plain)]
            missing = missing_id(self.cells.dtype)
            n_unknown = gather_ids(plain, bits, offset, self._id_of_entry, missing, room)
            if n_unknown == 0:
                return
            if n_unknown < 0:
                raise UnreadableFileError(
                    f"Column {self.name!r} is damaged: a code in it stands for nothing; check that "
                    "the file is whole."
                )
            known = known_values(plain, bits, offset)
            self._add_entries(np.unique(known[self._id_of_entry[known] < 0]))
            if not self.has_ids:
                self._count_texts(array)
                return

    def _read_entries(self, dictionary: Any) -> None:
        self._entries = dictionary
        texts = dictionary.to_pylist()
        self._id_of_entry = np.array([self._ids.get(entry_key(t), -1) for t in texts], np.int32)
        if self.declared:
            self._add_entries(np.flatnonzero(self._id_of_entry < 0))

    def _add_entries(self, entries: IntArray) -> None:
        """Give new entries of the dictionary at hand ids, texts in the order of the alphabet."""
        import pyarrow as pa

        found = self._entries.take(pa.array(entries)).to_pylist()
        order = (
            list(range(len(found)))
            if self.declared
            else sorted(range(len(found)), key=found.__getitem__)
        )
        for k in order:
            self._id_of_entry[entries[k]] = self._ids.setdefault(
                entry_key(found[k]), len(self.values)
            )
            if self._id_of_entry[entries[k]] == len(self.values):
                self.values.append(found[k])
        if len(self.values) > MOST_TEXTS:
            self._only_count()
        self._widen()

    def _only_count(self) -> None:
        """Forget the texts, but for some: there are too many to be categories."""
        self.has_ids = False
        self.distinct = DistinctCount()
        self.distinct.add(hashed_texts(self.values))
        self.values, self._entries = self.values[:_PEEK], None
        self._ids.clear()
        self.counts = np.zeros(len(self.values), np.int64)
        self.cells = np.zeros(0, np.uint8)

    def _count_texts(self, array: Any) -> None:
        assert self.distinct is not None
        indices, dictionary = taken_apart(array)
        self._texts_missing += len(array) - (
            0 if dictionary is None else len(array) - indices.null_count
        )
        if dictionary is not None:
            known = known_values(
                plain_values(indices).astype(np.int32, copy=False), *validity(indices)
            )
            self.distinct.add(hashed_texts(dictionary.to_pylist())[np.unique(known)])

    # Numbers

    def index_values(self) -> None:
        """Prepare to find the ids of values."""
        if self.is_number:
            self._number_ids()
        elif self.has_ids:
            self._ids = {entry_key(value): number for number, value in enumerate(self.values)}

    def mark_these_whole(self, numbers: Sequence[int]) -> None:
        """Take up the whole numbers that were seen before."""
        self.whole = np.zeros(_MOST_WHOLE, np.uint8)
        self.whole[list(numbers)] = 1

    def _number_ids(self) -> None:
        """Prepare the table from integers to ids."""
        self._low = 0
        self._table: NDArray[np.int16] = np.full(1, -1, np.int16)
        if not self.is_number or not self.has_ids or not 0 < len(self.values) <= 255:
            return
        if not all(float(value).is_integer() for value in self.values):
            return
        low, high = int(min(self.values)), int(max(self.values))
        if high - low >= _WIDEST_TABLE or not -(2**62) < low <= high < 2**62:
            return
        table = np.full(high - low + 2, -1, np.int16)
        for number, value in enumerate(self.values):
            table[int(value) - low] = number
        self._low, self._table = int(low), table

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
        has_table = room.dtype == np.uint8 and len(self._table) > 1
        if has_table and not lookup_codes(values, bits, offset, self._low, self._table, 255, room):
            return
        known = known_values(values, bits, offset)
        if not self._add_values(known, at):
            return
        room = self.cells[at : at + len(values)]
        if room.dtype == np.uint8 and len(self._table) > 1:
            lookup_codes(values, bits, offset, self._low, self._table, 255, room)
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
        self._number_ids()
        return True

    sample: Sequence[Any] = ()

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
            self.whole = np.zeros(_MOST_WHOLE, np.uint8)
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

    _n_at_hand = 0

    def _put_floats(self, array: Any, at: int) -> None:
        """Write floats, or anything that becomes such."""
        numbers = self._as_floats(array)
        if len(self.first_known) < _PEEK:
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
        known = numbers[~np.isnan(numbers)][: _PEEK - len(self.first_known)]
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

    def _widen(self) -> None:
        """Give ids more bytes where they need them."""
        wanted = id_type(len(self.values))
        if not self.has_ids or self.cells.dtype == wanted:
            return
        before = missing_id(self.cells.dtype)
        wide = self.cells.astype(wanted)
        wide[self.cells == before] = missing_id(wanted)
        self.cells = wide
