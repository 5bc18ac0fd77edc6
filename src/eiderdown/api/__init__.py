"""The one place that wires data, statistics, evidence and search together."""

from eiderdown.api.all_boundaries import find_all_boundaries
from eiderdown.api.boundaries import find_boundaries
from eiderdown.api.boundary import find_boundary, find_neighbours
from eiderdown.api.evidence import TEST_NAMES, EvidenceOptions

__all__ = [
    "TEST_NAMES",
    "EvidenceOptions",
    "find_all_boundaries",
    "find_boundaries",
    "find_boundary",
    "find_neighbours",
]
