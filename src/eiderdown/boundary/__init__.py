"""Searches for Markov boundaries and parent-child sets: functions of a test and a target."""

from typing import Any, TypeAlias

from eiderdown.boundary.bamb import BAMB, bamb
from eiderdown.boundary.consensus import CONSENSUS, CONSENSUS_PC, consensus, consensus_pc
from eiderdown.boundary.fbed import FBED, fbed
from eiderdown.boundary.grow_shrink import GS, gs
from eiderdown.boundary.hiton import HITON_MB, HITON_PC, hiton_mb, hiton_pc
from eiderdown.boundary.iamb import IAMB, INTER_IAMB, KIAMB, iamb, inter_iamb, kiamb
from eiderdown.boundary.iamb_fdr import IAMB_FDR, iamb_fdr
from eiderdown.boundary.iamb_npc import IAMB_NPC, INTER_IAMB_NPC, iamb_npc, inter_iamb_npc
from eiderdown.boundary.ipc_mb import IPC_MB, ipc_mb
from eiderdown.boundary.koller_sahami import KOLLER_SAHAMI, koller_sahami
from eiderdown.boundary.mmmb import MMMB, MMPC, mmmb, mmpc
from eiderdown.boundary.pcmb import GET_PC, KPCMB, PCMB, get_pc, kpcmb, pcmb
from eiderdown.boundary.problem import (
    MARKOV_BOUNDARY,
    PARENTS_AND_CHILDREN,
    Found,
    TestProblem,
    best_so_far,
)
from eiderdown.registry import Algorithm, Registry

Search: TypeAlias = Algorithm[..., Found]

BOUNDARY_ALGORITHMS: Registry[Algorithm[Any, Found]] = Registry(
    [
        IAMB,
        INTER_IAMB,
        IAMB_NPC,
        INTER_IAMB_NPC,
        KIAMB,
        IAMB_FDR,
        GS,
        FBED,
        KOLLER_SAHAMI,
        MMMB,
        HITON_MB,
        PCMB,
        KPCMB,
        IPC_MB,
        BAMB,
        CONSENSUS,
    ]
)

PARENTS_CHILDREN_ALGORITHMS: Registry[Algorithm[Any, Found]] = Registry(
    [MMPC, HITON_PC, GET_PC, CONSENSUS_PC]
)

ALGORITHMS: Registry[Algorithm[Any, Found]] = Registry(
    [*BOUNDARY_ALGORITHMS, *PARENTS_CHILDREN_ALGORITHMS]
)
"""Every search by tests, by name; the capability table of the docs is made from these."""

__all__ = [
    "ALGORITHMS",
    "BAMB",
    "BOUNDARY_ALGORITHMS",
    "CONSENSUS",
    "CONSENSUS_PC",
    "FBED",
    "GET_PC",
    "GS",
    "HITON_MB",
    "HITON_PC",
    "IAMB",
    "IAMB_FDR",
    "IAMB_NPC",
    "INTER_IAMB",
    "INTER_IAMB_NPC",
    "IPC_MB",
    "KIAMB",
    "KOLLER_SAHAMI",
    "KPCMB",
    "MARKOV_BOUNDARY",
    "MMMB",
    "MMPC",
    "PARENTS_AND_CHILDREN",
    "PARENTS_CHILDREN_ALGORITHMS",
    "PCMB",
    "Found",
    "Search",
    "TestProblem",
    "bamb",
    "best_so_far",
    "consensus",
    "consensus_pc",
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
