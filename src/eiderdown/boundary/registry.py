"""Every search by tests, by name; the capability table of the docs is made from this."""

from __future__ import annotations

from typing import Any, TypeAlias

from eiderdown.boundary.bamb import BAMB
from eiderdown.boundary.consensus import CONSENSUS
from eiderdown.boundary.fbed import FBED
from eiderdown.boundary.grow_shrink import GS
from eiderdown.boundary.hiton import HITON_MB, HITON_PC
from eiderdown.boundary.iamb import IAMB, INTER_IAMB, KIAMB
from eiderdown.boundary.iamb_fdr import IAMB_FDR
from eiderdown.boundary.iamb_npc import IAMB_NPC, INTER_IAMB_NPC
from eiderdown.boundary.ipc_mb import IPC_MB
from eiderdown.boundary.koller_sahami import KOLLER_SAHAMI
from eiderdown.boundary.mmmb import MMMB, MMPC
from eiderdown.boundary.pcmb import GET_PC, KPCMB, PCMB
from eiderdown.boundary.problem import Found
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

PARENTS_CHILDREN_ALGORITHMS: Registry[Algorithm[Any, Found]] = Registry([MMPC, HITON_PC, GET_PC])

ALGORITHMS: Registry[Algorithm[Any, Found]] = Registry(
    [*BOUNDARY_ALGORITHMS, *PARENTS_CHILDREN_ALGORITHMS]
)
"""All of them."""
