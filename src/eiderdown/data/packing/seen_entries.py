"""Columns of texts, and of codes into dictionaries of anything.

A batch has a dictionary of its own. Its entries get ids when they are first seen, texts of a batch
in the order of the alphabet; where there are too many texts they are only counted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import IntArray
from eiderdown.data.distinct import DistinctCount, hashed_texts
from eiderdown.data.packing import seen
from eiderdown.data.packing.arrow_cells import (
    entry_key,
    known_values,
    missing_id,
    plain_values,
    taken_apart,
    validity,
)
from eiderdown.data.packing.pack_kernels import gather_ids, shift_codes
from eiderdown.errors import UnreadableFileError


class SeenEntries(seen.SeenColumn):
    """A column of texts or of a dictionary."""

    _entries: Any = None
    _id_of_entry: NDArray[np.int32] = np.zeros(0, np.int32)
    _are_ids = False  # whether codes into the dictionary are ids as they are
    _texts_missing = 0

    def _limit(self) -> int:
        return seen.MOST_TEXTS

    @property
    def too_many(self) -> bool:
        """See `SeenColumn`."""
        return not self.has_ids

    def index_values(self) -> None:
        """See `SeenColumn`."""
        self._ids: dict[Any, int] = {}
        if self.has_ids:
            self._ids = {entry_key(value): number for number, value in enumerate(self.values)}

    def put(self, array: Any, at: int) -> None:
        """See `SeenColumn`."""
        if self.too_many:
            self._count_texts(array)
        else:
            self._put_entries(array, at)

    def _put_entries(self, array: Any, at: int) -> None:
        """Write texts, or codes into a dictionary of anything."""
        indices, dictionary = taken_apart(array)
        if dictionary is None:
            self.cells[at : at + len(array)] = missing_id(self.cells.dtype)
            return
        if self._entries is None or not dictionary.equals(self._entries):
            self._read_entries(dictionary)
        bits, offset = validity(indices)
        codes = plain_values(indices)
        if self._are_ids and self.cells.dtype == np.uint8 and not len(bits):
            room = self.cells[at : at + len(codes)]
            if shift_codes(codes, 0, len(self._id_of_entry), room):
                return
        plain = codes.astype(np.int32, copy=False)
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
        self._look_at_ids()

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
        if len(self.values) > seen.MOST_TEXTS:
            self._only_count()
        self._widen()
        self._look_at_ids()

    def _look_at_ids(self) -> None:
        n_entries = len(self._id_of_entry)
        self._are_ids = np.array_equal(self._id_of_entry, np.arange(n_entries))

    def _only_count(self) -> None:
        """Forget the texts, but for some: there are too many to be categories."""
        self.has_ids = False
        self.distinct = DistinctCount()
        self.distinct.add(hashed_texts(self.values))
        self.values, self._entries = self.values[: seen.PEEK], None
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

    def _count_others(self, cells: NDArray[Any]) -> None:  # noqa: ARG002  there are none
        self.n_missing += self._texts_missing
        self._texts_missing = 0
