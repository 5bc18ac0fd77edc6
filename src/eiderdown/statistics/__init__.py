"""Counts and moments: the only layer that touches rows."""

from eiderdown.statistics.cost import Path
from eiderdown.statistics.counts import CountBlock, Counts, CountStatistics, SweepCells
from eiderdown.statistics.moments import MomentStatistics
from eiderdown.statistics.planes import PlaneIndex, index_planes
from eiderdown.statistics.workers import Workers, available_cores

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
