"""Counts and moments: the only layer that touches rows."""

from eiderdown.statistics.cost import Path, Workers, available_cores
from eiderdown.statistics.counts import (
    CountBlock,
    Counts,
    CountStatistics,
    PlaneIndex,
    SweepCells,
    index_planes,
)
from eiderdown.statistics.moments import MomentStatistics

__all__ = [
    "CountBlock",
    "CountStatistics",
    "Counts",
    "MomentStatistics",
    "Path",
    "PlaneIndex",
    "SweepCells",
    "Workers",
    "available_cores",
    "index_planes",
]
