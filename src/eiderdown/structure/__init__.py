"""Searches for whole networks and for regions around a variable: functions of tests and scores."""

from typing import Any

from eiderdown.registry import Algorithm, Registry
from eiderdown.structure.climbing.hill_climbing import (
    HILL_CLIMBING,
    HILL_CLIMBING_RESTARTS,
    Climbed,
    climb,
)
from eiderdown.structure.climbing.lookahead import LOOKAHEAD_SPARSE_CANDIDATE
from eiderdown.structure.climbing.search_state import Strategy
from eiderdown.structure.climbing.sparse_candidate import (
    SKEWED_SPARSE_CANDIDATE,
    SKEWED_SPARSE_CANDIDATE_PATIENT,
    SPARSE_CANDIDATE,
)
from eiderdown.structure.constraint.gpc import GPC
from eiderdown.structure.constraint.pc_stable import PC_CONFIRMED, PC_STABLE
from eiderdown.structure.equivalence.ges import GES
from eiderdown.structure.equivalence.ges_restarts import GES_RESTARTS
from eiderdown.structure.equivalence.kes import KES
from eiderdown.structure.hybrid.joined_regions import JOINED_REGIONS
from eiderdown.structure.hybrid.mmhc import (
    MMHC,
    MMHC_RESTARTS,
    REGION_DSEP_MMHC,
    REGION_DSEP_MMHC_RESTARTS,
    REGION_MMHC,
    REGION_MMHC_RESTARTS,
)
from eiderdown.structure.order.boss import BOSS
from eiderdown.structure.order.boss_restarts import BOSS_RESTARTS
from eiderdown.structure.problem import StructureFound, StructureProblem

NETWORK_ALGORITHMS: Registry[Algorithm[..., Any]] = Registry(
    [
        MMHC_RESTARTS,
        MMHC,
        JOINED_REGIONS,
        HILL_CLIMBING_RESTARTS,
        HILL_CLIMBING,
        GES,
        GES_RESTARTS,
        KES,
        BOSS,
        BOSS_RESTARTS,
        PC_CONFIRMED,
        PC_STABLE,
        SPARSE_CANDIDATE,
        SKEWED_SPARSE_CANDIDATE,
        SKEWED_SPARSE_CANDIDATE_PATIENT,
        LOOKAHEAD_SPARSE_CANDIDATE,
    ]
)

REGION_ALGORITHMS: Registry[Algorithm[..., Any]] = Registry(
    [REGION_MMHC_RESTARTS, REGION_MMHC, REGION_DSEP_MMHC_RESTARTS, REGION_DSEP_MMHC, GPC]
)
"""Every search for networks and regions by name; the table of the docs is made from these."""

__all__ = [
    "BOSS",
    "BOSS_RESTARTS",
    "GES",
    "GES_RESTARTS",
    "GPC",
    "HILL_CLIMBING",
    "HILL_CLIMBING_RESTARTS",
    "JOINED_REGIONS",
    "KES",
    "LOOKAHEAD_SPARSE_CANDIDATE",
    "MMHC",
    "MMHC_RESTARTS",
    "NETWORK_ALGORITHMS",
    "PC_CONFIRMED",
    "PC_STABLE",
    "REGION_ALGORITHMS",
    "REGION_DSEP_MMHC",
    "REGION_DSEP_MMHC_RESTARTS",
    "REGION_MMHC",
    "REGION_MMHC_RESTARTS",
    "SKEWED_SPARSE_CANDIDATE",
    "SKEWED_SPARSE_CANDIDATE_PATIENT",
    "SPARSE_CANDIDATE",
    "Climbed",
    "Strategy",
    "StructureFound",
    "StructureProblem",
    "climb",
]
