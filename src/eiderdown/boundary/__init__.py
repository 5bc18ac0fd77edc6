"""Searches for Markov boundaries and parent-child sets: functions of a test and a target."""

from eiderdown.boundary.algorithms import (
    ALGORITHMS,
    BOUNDARY_ALGORITHMS,
    PARENTS_CHILDREN_ALGORITHMS,
    Search,
)
from eiderdown.boundary.bamb import bamb
from eiderdown.boundary.fbed import fbed
from eiderdown.boundary.grow_shrink import gs
from eiderdown.boundary.hiton import hiton_mb, hiton_pc
from eiderdown.boundary.iamb import iamb, inter_iamb
from eiderdown.boundary.iamb_fdr import iamb_fdr
from eiderdown.boundary.iamb_npc import iamb_npc, inter_iamb_npc
from eiderdown.boundary.ipc_mb import ipc_mb
from eiderdown.boundary.kiamb import kiamb
from eiderdown.boundary.koller_sahami import koller_sahami
from eiderdown.boundary.mmmb import mmmb, mmpc
from eiderdown.boundary.pcmb import get_pc, kpcmb, pcmb
from eiderdown.boundary.problem import DEFAULT_MAX_GIVEN, Found, TestProblem, best_so_far

__all__ = [
    "ALGORITHMS",
    "BOUNDARY_ALGORITHMS",
    "DEFAULT_MAX_GIVEN",
    "PARENTS_CHILDREN_ALGORITHMS",
    "Found",
    "Search",
    "TestProblem",
    "bamb",
    "best_so_far",
    "fbed",
    "get_pc",
    "gs",
    "hiton_mb",
    "hiton_pc",
    "iamb",
    "iamb_fdr",
    "iamb_npc",
    "inter_iamb",
    "inter_iamb_npc",
    "ipc_mb",
    "kiamb",
    "koller_sahami",
    "kpcmb",
    "mmmb",
    "mmpc",
    "pcmb",
]
