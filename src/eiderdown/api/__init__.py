"""The one place that wires data, statistics, evidence and search together."""

from eiderdown.api.boundary import find_boundary, find_neighbours
from eiderdown.api.evidence import TEST_NAMES, EvidenceOptions

__all__ = ["TEST_NAMES", "EvidenceOptions", "find_boundary", "find_neighbours"]
