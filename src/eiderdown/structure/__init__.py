"""Searches for whole networks and for regions around a variable: functions of tests and scores."""

from eiderdown.structure.climbing.hill_climbing import Climbed, Strategy, climb
from eiderdown.structure.problem import StructureFound, StructureProblem
from eiderdown.structure.registry import NETWORK_ALGORITHMS, REGION_ALGORITHMS

__all__ = [
    "NETWORK_ALGORITHMS",
    "REGION_ALGORITHMS",
    "Climbed",
    "Strategy",
    "StructureFound",
    "StructureProblem",
    "climb",
]
