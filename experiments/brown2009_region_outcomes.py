"""What the measured samples of one network with one number of rows say of the searches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from brown2009_region_cells import ALPHA, DEPTHS, SEED, WHOLE
from brown2009_region_measures import p_value

SECONDS, BEFORE_CLIMB, N_NODES, DISTANCE = range(4)
"""Places of what was measured of a region."""


@dataclass(frozen=True)
class Outcome:
    """The cells of all samples; searches are asked about by name and depth.

    Numbers come by pair of sample and target. A whole network takes as long for every target.
    """

    cells: Sequence[dict[str, Any]]

    def has(self, search: str) -> bool:
        """Whether a search was run."""
        return all(search in cell["regions"] for cell in self.cells)

    def seconds(self, search: str, depth: int, place: int = SECONDS) -> list[float]:
        """Return the seconds of a search, all or those before the climb."""
        if search in WHOLE:
            n_targets = len(self._targets(self.cells[0], search, depth))
            return [float(c["whole"][search][place]) for c in self.cells for _ in range(n_targets)]
        return self._numbers(search, depth, place)

    def distances(self, search: str, depth: int) -> list[float]:
        """Return the distances of regions from the true ones."""
        return self._numbers(search, depth, -1)

    def n_nodes(self, search: str, depth: int) -> float:
        """Return the mean number of nodes that a local search considers."""
        return fmean(self._numbers(search, depth, N_NODES))

    def whole(self, search: str, place: int) -> float:
        """Return the mean seconds, seconds before the climb, or distance of whole networks."""
        return fmean(cell["whole"][search][place] for cell in self.cells)

    def time_share(self, search: str, other: str, depth: int, place: int = SECONDS) -> float:
        """Return the time of a search in per cent of another's."""
        ours, theirs = (self.seconds(s, depth, place) for s in (search, other))
        return 100 * fmean(ours) / fmean(theirs)

    def is_faster(self, search: str, other: str, depth: int) -> bool:
        """Whether a search is faster than another, and hardly by chance."""
        ours, theirs = (self.seconds(s, depth) for s in (search, other))
        return fmean(ours) < fmean(theirs) and p_value(ours, theirs, seed=SEED) < ALPHA

    def excess(self, search: str, other: str, depth: int) -> float:
        """Return the mean distance of a search minus that of another."""
        return fmean(self.distances(search, depth)) - fmean(self.distances(other, depth))

    def differs(self, search: str, other: str, depth: int) -> bool:
        """Whether the distances of two searches differ, and hardly by chance."""
        ours, theirs = (self.distances(s, depth) for s in (search, other))
        return p_value(ours, theirs, seed=SEED) < ALPHA

    def _numbers(self, search: str, depth: int, place: int) -> list[float]:
        return [
            float(target[place])
            for cell in self.cells
            for target in self._targets(cell, search, depth)
        ]

    @staticmethod
    def _targets(cell: dict[str, Any], search: str, depth: int) -> list[list[float]]:
        found: list[list[float]] = cell["regions"][search][DEPTHS.index(depth)]
        return found
