"""Strata: which rows agree on every column of a conditioning set.

Only combinations that occur get a label, so the number of strata is at most the number of rows,
whatever the product of the categories is.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import CodeArray, frozen
from eiderdown.data import Dataset
from eiderdown.statistics.kernels import refine_strata

_MOST_KEYS_PER_ROW = 16  # beyond this, sorting the keys is cheaper than a table of them


@dataclass(frozen=True, eq=False)
class Strata:
    """The stratum of every row, as labels 0 .. n_strata - 1."""

    labels: NDArray[np.int32]
    n_strata: int

    def refined_by(self, codes: CodeArray, n_categories: int) -> Strata:
        """Split every stratum by one more column."""
        n_keys = self.n_strata * n_categories
        if n_keys > max(_MOST_KEYS_PER_ROW * len(codes), 4096):
            return self._refined_by_sorting(codes, n_categories)
        refined = np.empty(len(codes), dtype=np.int32)
        label_of = np.zeros(n_keys, dtype=np.int32)
        n_strata = int(refine_strata(self.labels, codes, n_categories, label_of, refined))
        return Strata(frozen(refined), n_strata)

    def _refined_by_sorting(self, codes: CodeArray, n_categories: int) -> Strata:
        keys = self.labels.astype(np.int64) * n_categories + codes
        observed, labels = np.unique(keys, return_inverse=True)
        return Strata(frozen(labels.astype(np.int32)), len(observed))


class StrataCache:
    """Strata of recent conditioning sets; longer sets start from the cached prefix.

    Parameters
    ----------
    data : Dataset
        Where the columns come from; all conditioning columns must be discrete.
    max_bytes : int
        How much memory the labels may take before the least recently used are dropped.
    """

    def __init__(self, data: Dataset, max_bytes: int = 32_000_000) -> None:
        self._data = data
        self._whole = Strata(frozen(np.zeros(data.n_rows, dtype=np.int32)), 1)
        self._recent: OrderedDict[tuple[int, ...], Strata] = OrderedDict()
        self._most = max(2, max_bytes // max(1, 4 * data.n_rows))

    def of(self, given: tuple[int, ...]) -> Strata:
        """Return the strata of the columns ``given``, in that order."""
        n_known = len(given)
        while n_known and given[:n_known] not in self._recent:
            n_known -= 1
        found = self._recent[given[:n_known]] if n_known else self._whole
        for n in range(n_known, len(given)):
            column = given[n]
            codes, n_categories = self._data.codes(column), int(self._data.n_categories[column])
            found = found.refined_by(codes, n_categories)
            self._recent[given[: n + 1]] = found
        if given:
            self._recent.move_to_end(given)
        while len(self._recent) > self._most:
            self._recent.popitem(last=False)
        return found
