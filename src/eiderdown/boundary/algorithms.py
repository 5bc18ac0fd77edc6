"""Every search of this layer by name; the capability table of the docs is made from this."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

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
from eiderdown.boundary.problem import Found
from eiderdown.old_registry import Algorithm, Option, Registry

BOUNDARY = "Markov boundary"
NEIGHBOURS = "parents and children"

_PENA = "Pena, Nilsson, Bjorkegren & Tegner 2007"
_ALIFERIS = "Aliferis, Tsamardinos & Statnikov 2003"
_TSAMARDINOS = "Tsamardinos, Aliferis & Statnikov 2003"
_TSAMARDINOS_IAMB = f"{_TSAMARDINOS} (FLAIRS)"

_CORRECTED = Option("corrected", True, "keep X only if the target is also found around X")
_INTERLEAVING = Option("interleaving", "full", "remove members after every addition, or 'semi'")
_FRACTION = Option("fraction", 0.8, "K: share of candidates to choose the best from, 0 to 1")
_RUNS = Option("runs", 1, "K: forward runs after the first, for candidates dropped before")
_DEPENDENCE = Option(
    "dependence", "arbitrary", "of the p-values among themselves; 'positive' finds more"
)
_N_MEMBERS = Option("n_members", 10, "v: how many variables to keep, at most")
_BLANKET_SIZE = Option("blanket_size", 2, "k: how many others each variable is judged beside")


Search: TypeAlias = Callable[..., Found]
"""A search takes a TestProblem, and options of its own as keywords."""

BOUNDARY_ALGORITHMS: Registry[Search] = Registry(
    [
        Algorithm(
            name="iamb",
            function=iamb,
            summary="Adds the strongest variable given the members, then removes the redundant.",
            paper=f"{_TSAMARDINOS_IAMB}; {_PENA}, table 1",
            assumes=("composition",),
            returns=BOUNDARY,
        ),
        Algorithm(
            name="inter_iamb",
            function=inter_iamb,
            summary="IAMB that removes what is redundant after every addition.",
            paper=_TSAMARDINOS_IAMB,
            assumes=("composition",),
            returns=BOUNDARY,
        ),
        Algorithm(
            name="iamb_npc",
            function=iamb_npc,
            summary="IAMB that shrinks by the PC algorithm, given small sets only.",
            paper=_TSAMARDINOS_IAMB,
            assumes=("faithfulness",),
            returns=BOUNDARY,
        ),
        Algorithm(
            name="inter_iamb_npc",
            function=inter_iamb_npc,
            summary="IAMB that shrinks by the PC algorithm after every addition.",
            paper=_TSAMARDINOS_IAMB,
            assumes=("faithfulness",),
            returns=BOUNDARY,
        ),
        Algorithm(
            name="kiamb",
            function=kiamb,
            summary="IAMB with random choices, to see several boundaries.",
            paper=f"{_PENA}, table 8",
            assumes=("composition",),
            returns=BOUNDARY,
            options=(_FRACTION,),
            random=True,
        ),
        Algorithm(
            name="iamb_fdr",
            function=iamb_fdr,
            summary="IAMB with alpha as the false discovery rate.",
            paper="Pena 2008",
            assumes=("composition",),
            returns=BOUNDARY,
            options=(_DEPENDENCE,),
        ),
        Algorithm(
            name="gs",
            function=gs,
            summary="Adds variables in the order of their association, then removes the redundant.",
            paper="Margaritis & Thrun 1999",
            assumes=("composition",),
            returns=BOUNDARY,
        ),
        Algorithm(
            name="fbed",
            function=fbed,
            summary="Adds the strongest and drops the independent early; few tests.",
            paper="Borboudakis & Tsamardinos 2019",
            assumes=("faithfulness",),
            returns=BOUNDARY,
            options=(_RUNS,),
        ),
        Algorithm(
            name="koller_sahami",
            function=koller_sahami,
            summary="Drops what adds least to its nearest others; keeps as many as asked for.",
            paper="Koller & Sahami 1996",
            assumes=(),
            returns=BOUNDARY,
            options=(_N_MEMBERS, _BLANKET_SIZE),
            exact=False,
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
            name="hiton_mb",
            function=hiton_mb,
            summary="Parents and children in the order of association, then spouses.",
            paper=f"{_ALIFERIS}; {_PENA}, table 4",
            assumes=("faithfulness",),
            returns=BOUNDARY,
            options=(_CORRECTED, _INTERLEAVING),
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
            random=True,
        ),
        Algorithm(
            name="ipc_mb",
            function=ipc_mb,
            summary="From all candidates down, small separating sets first; then spouses.",
            paper="Fu & Desmarais 2008",
            assumes=("faithfulness",),
            returns=BOUNDARY,
        ),
        Algorithm(
            name="bamb",
            function=bamb,
            summary="Neighbours and spouses in turns, without a look around the neighbours.",
            paper="Ling, Yu, Wang, Liu, Ding & Wu 2019",
            assumes=("faithfulness",),
            returns=BOUNDARY,
        ),
    ]
)

PARENTS_CHILDREN_ALGORITHMS: Registry[Search] = Registry(
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
            name="hiton_pc",
            function=hiton_pc,
            summary="Adds variables in the order of their association, removing in between.",
            paper=f"{_ALIFERIS}; {_PENA}, table 4",
            assumes=("faithfulness",),
            returns=NEIGHBOURS,
            options=(_CORRECTED, _INTERLEAVING),
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

ALGORITHMS: Registry[Search] = Registry([*BOUNDARY_ALGORITHMS, *PARENTS_CHILDREN_ALGORITHMS])
"""All of them."""
