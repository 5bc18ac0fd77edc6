"""From integers to ids, the places of distinct values, for as many as come in a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from eiderdown.data.packing.pack_kernels import lookup_codes, shift_codes

_WIDEST_TABLE: Final = 1 << 12
_MOST_VALUES: Final = 255  # whose ids, and that of a missing value, are of one byte


class IntegerIds:
    """Finds the ids of integers: in a table, or, where each is one more than the last, without.

    Parameters
    ----------
    values : sequence
        The distinct values, in the order of their ids; where these are many, far apart or not
        whole, nothing is found.

    Examples
    --------
    >>> ids = np.zeros(3, np.uint8)
    >>> IntegerIds([7, 3]).write(np.array([3, 7, 3]), np.zeros(0, np.uint8), 0, ids), ids
    (True, array([1, 0, 1], dtype=uint8))
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self._low, self._n_consecutive = 0, 0
        self._table: NDArray[np.int16] = np.full(1, -1, np.int16)
        if not 0 < len(values) <= _MOST_VALUES:
            return
        if not all(float(value).is_integer() for value in values):
            return
        low, high = int(min(values)), int(max(values))
        if high - low >= _WIDEST_TABLE or not -(2**62) < low <= high < 2**62:
            return
        table = np.full(high - low + 2, -1, np.int16)
        for number, value in enumerate(values):
            table[int(value) - low] = number
        self._low, self._table = low, table
        if np.array_equal(table[:-1], np.arange(len(values))):
            self._n_consecutive = len(values)

    def write(
        self, values: NDArray[Any], bits: NDArray[np.uint8], offset: int, ids: NDArray[Any]
    ) -> bool:
        """Write the id of each integer, by the bits that say which are missing.

        Returns whether all have one; where not, what was written is of no use.
        """
        if ids.dtype != np.uint8 or len(self._table) == 1:
            return False
        if self._n_consecutive and not len(bits):
            return bool(shift_codes(values, self._low, self._n_consecutive, ids))
        return not lookup_codes(values, bits, offset, self._low, self._table, 255, ids)
