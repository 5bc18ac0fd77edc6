"""Counts and moments: the only layer that touches rows."""

from eiderdown.statistics.cost import Path, Workers, available_cores
from eiderdown.statistics.counts import (
    CountBlock,
    Counts,
    CountSource,
    CountStatistics,
    PlaneIndex,
    SweepCells,
    index_planes,
)
from eiderdown.statistics.moments import MomentStatistics
from eiderdown.statistics.partitioned_counts import PartitionedCounts, count_source
from eiderdown.statistics.partitioned_moments import PartitionedMoments, moment_source

__all__ = [
    "CountBlock",
    "CountSource",
    "CountStatistics",
    "Counts",
    "MomentStatistics",
    "PartitionedCounts",
    "PartitionedMoments",
    "Path",
    "PlaneIndex",
    "SweepCells",
    "Workers",
    "available_cores",
    "count_source",
    "index_planes",
    "moment_source",
]
