"""Searches for whole networks and for regions around a variable: functions of tests and scores."""

from eiderdown.structure.algorithms import NETWORK_ALGORITHMS, REGION_ALGORITHMS
from eiderdown.structure.hill_climbing import Climbed, climb
from eiderdown.structure.search import StructureFound, StructureSearch

__all__ = [
    "NETWORK_ALGORITHMS",
    "REGION_ALGORITHMS",
    "Climbed",
    "StructureFound",
    "StructureSearch",
    "climb",
]
