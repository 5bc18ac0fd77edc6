"""The leukaemia set of Golub et al. as Pena, Kocka & Nielsen (2004) use it: genes are the rows.

Expression is cut into three categories, gene by gene; then the patients of either disease become
the columns of a table of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eiderdown import Dataset
from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data import equal_frequency_cuts, equal_width_cuts
from eiderdown.data.discretise import codes_at

LEVELS = ("low", "middle", "high")
DISEASES = ("ALL", "AML")

Cutter = Callable[[FloatArray, IntArray], FloatArray]
"""Makes two cuts from the values of one gene and the diseases of the patients."""


def informative_cuts(values: FloatArray, classes: IntArray) -> FloatArray:
    """Return the two cuts after which a column tells most about the classes.

    All pairs of cuts are tried. Of several that tell the same the lowest are taken.
    """
    distinct, which = np.unique(values, return_inverse=True)
    counts = np.zeros((len(distinct), int(classes.max()) + 1), np.int64)
    np.add.at(counts, (which, classes), 1)
    below = np.cumsum(counts, axis=0)
    if len(distinct) < 3:
        return _middles(distinct, np.arange(len(distinct) - 1))
    low, high = np.triu_indices(len(distinct) - 1, k=1)
    parts = (below[low], below[high] - below[low], below[-1] - below[high])
    unsure = sum(_unsureness(part) for part in parts)
    best = int(np.flatnonzero(unsure <= unsure.min() + 1e-9)[0])
    return _middles(distinct, np.array([low[best], high[best]]))


def _unsureness(counts: IntArray) -> FloatArray:
    """Return the entropy of the classes in each interval, times the rows in it."""
    totals = counts.sum(axis=1)
    return _times_log(totals) - _times_log(counts).sum(axis=1)


def _times_log(counts: IntArray) -> FloatArray:
    return counts * np.log(np.maximum(counts, 1))


def _middles(distinct: FloatArray, gaps: IntArray) -> FloatArray:
    return 0.5 * (distinct[gaps] + distinct[gaps + 1])


DISCRETISATIONS: Mapping[str, Cutter] = {
    "information about the disease": informative_cuts,
    "equal frequency": lambda values, _: equal_frequency_cuts(values, len(LEVELS)),
    "equal width": lambda values, _: equal_width_cuts(values, len(LEVELS)),
}


@dataclass(frozen=True)
class Expression:
    """Expression by patient and gene, and the disease of each patient (a place in DISEASES)."""

    values: FloatArray
    diseases: IntArray

    @classmethod
    def read(cls, path: Path) -> Expression:
        """Read the file."""
        parts = np.load(path)
        return cls(parts["X"].astype(np.float64), parts["y"].astype(np.int64))

    def tables(self, cutter: Cutter) -> dict[str, Dataset]:
        """Return a table for each disease: genes are rows, patients are columns.

        Patients are numbered in the order of the file, either disease by itself.
        """
        genes = [codes_at(gene, cutter(gene, self.diseases)) for gene in self.values.T]
        codes = np.stack(genes, axis=1)
        return {name: _table(codes[self.diseases == place]) for place, name in enumerate(DISEASES)}


def _table(codes: IntArray) -> Dataset:
    names = [f"{number:02d}" for number in range(1, len(codes) + 1)]
    return Dataset.from_codes(codes, names=names, categories=[LEVELS] * len(codes))
