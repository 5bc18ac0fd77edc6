"""Searches for Markov boundaries and parent-child sets: functions of a test and a target."""

from eiderdown.local.algorithms import BOUNDARY_ALGORITHMS, NEIGHBOUR_ALGORITHMS, Search
from eiderdown.local.iamb import iamb
from eiderdown.local.max_min import mmmb, mmpc
from eiderdown.local.pcmb import get_pc, kpcmb, pcmb
from eiderdown.local.search import DEFAULT_MAX_GIVEN, Found, LocalSearch
from eiderdown.local.trace import EvidenceTrace, Trace, Traces

__all__ = [
    "BOUNDARY_ALGORITHMS",
    "DEFAULT_MAX_GIVEN",
    "NEIGHBOUR_ALGORITHMS",
    "EvidenceTrace",
    "Found",
    "LocalSearch",
    "Search",
    "Trace",
    "Traces",
    "get_pc",
    "iamb",
    "kpcmb",
    "mmmb",
    "mmpc",
    "pcmb",
]
