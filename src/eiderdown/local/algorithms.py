"""Every search of this layer by name; the capability table of the docs is made from this."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from eiderdown.local.iamb import iamb
from eiderdown.local.max_min import mmmb, mmpc
from eiderdown.local.pcmb import get_pc, kpcmb, pcmb
from eiderdown.local.search import Found
from eiderdown.registry import Algorithm, Option, Registry

BOUNDARY = "Markov boundary"
NEIGHBOURS = "parents and children"

_PENA = "Pena, Nilsson, Bjorkegren & Tegner 2007"
_TSAMARDINOS = "Tsamardinos, Aliferis & Statnikov 2003"

_CORRECTED = Option("corrected", True, "keep X only if the target is also found around X")
_FRACTION = Option("fraction", 0.8, "K: share of candidates to choose the best from, 0 to 1")


Search: TypeAlias = Callable[..., Found]
"""A search takes a LocalSearch, and options of its own as keywords."""

BOUNDARY_ALGORITHMS: Registry[Search] = Registry(
    [
        Algorithm(
            name="iamb",
            function=iamb,
            summary="Adds the strongest variable given the members, then removes the idle.",
            paper=f"{_TSAMARDINOS}; {_PENA}, table 1",
            assumes=("composition",),
            returns=BOUNDARY,
        ),
        Algorithm(
            name="mmmb",
            function=mmmb,
            summary="Max-min parents and children, then spouses.",
            paper=_TSAMARDINOS,
            assumes=("faithfulness",),
            returns=BOUNDARY,
            options=(_CORRECTED,),
        ),
        Algorithm(
            name="pcmb",
            function=pcmb,
            summary="Parents and children corrected by symmetry, then spouses; needs few rows.",
            paper=f"{_PENA}, tables 3-5",
            assumes=("faithfulness",),
            returns=BOUNDARY,
        ),
        Algorithm(
            name="kpcmb",
            function=kpcmb,
            summary="PCMB with random choices, to see several boundaries.",
            paper=f"{_PENA}, s. 6",
            assumes=("faithfulness",),
            returns=BOUNDARY,
            options=(_FRACTION,),
        ),
    ]
)

NEIGHBOUR_ALGORITHMS: Registry[Search] = Registry(
    [
        Algorithm(
            name="mmpc",
            function=mmpc,
            summary="Adds the variable whose weakest test over all subsets is the strongest.",
            paper=_TSAMARDINOS,
            assumes=("faithfulness",),
            returns=NEIGHBOURS,
            options=(_CORRECTED,),
        ),
        Algorithm(
            name="get_pc",
            function=get_pc,
            summary="MMPC with removal after every addition, corrected by symmetry.",
            paper=f"{_PENA}, tables 3-4",
            assumes=("faithfulness",),
            returns=NEIGHBOURS,
        ),
    ]
)
