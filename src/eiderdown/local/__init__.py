"""Searches for Markov boundaries and parent-child sets: functions of a test and a target."""

from eiderdown.local.algorithms import (
    ALGORITHMS,
    BOUNDARY_ALGORITHMS,
    NEIGHBOUR_ALGORITHMS,
    Search,
)
from eiderdown.local.bamb import bamb
from eiderdown.local.fbed import fbed
from eiderdown.local.grow_shrink import gs
from eiderdown.local.hiton import hiton_mb, hiton_pc
from eiderdown.local.iamb import iamb, inter_iamb
from eiderdown.local.iamb_fdr import iamb_fdr
from eiderdown.local.iamb_npc import iamb_npc, inter_iamb_npc
from eiderdown.local.ipc_mb import ipc_mb
from eiderdown.local.kiamb import kiamb
from eiderdown.local.koller_sahami import koller_sahami
from eiderdown.local.max_min import mmmb, mmpc
from eiderdown.local.pcmb import get_pc, kpcmb, pcmb
from eiderdown.local.search import DEFAULT_MAX_GIVEN, Found, LocalSearch
from eiderdown.local.trace import EvidenceTrace, Trace, Traces

__all__ = [
    "ALGORITHMS",
    "BOUNDARY_ALGORITHMS",
    "DEFAULT_MAX_GIVEN",
    "NEIGHBOUR_ALGORITHMS",
    "EvidenceTrace",
    "Found",
    "LocalSearch",
    "Search",
    "Trace",
    "Traces",
    "bamb",
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
