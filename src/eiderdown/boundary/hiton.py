"""HITON: parents and children in the order of their association, and the boundary built on them.

HITON-PC and HITON-MB: Aliferis, Tsamardinos & Statnikov (2003). Semi-interleaved HITON-PC and the
correction by symmetry: Aliferis, Statnikov, Tsamardinos, Mani & Koutsoukos (2010).

Differences from the papers: an open candidate is tried against the new subsets after every
addition, not when its turn comes, so that all candidates share one batch; a candidate that such a
subset separates is out, even if a variable of that subset is removed later.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from eiderdown.boundary.compiled import compiled
from eiderdown.boundary.parents_children import (
    FindAdjacent,
    OpenCandidates,
    ParentsChildrenSets,
    add_spouses,
    add_spouses_uncorrected,
    every_child,
    remove_separable,
)
from eiderdown.boundary.problem import (
    MARKOV_BOUNDARY,
    PARENTS_AND_CHILDREN,
    Found,
    SpouseSymmetry,
    Symmetry,
    TestProblem,
    best_so_far,
)
from eiderdown.options import Option
from eiderdown.registry import Algorithm

Interleaving: TypeAlias = Annotated[
    Literal["full", "semi"], Option("remove members after every addition, or 'semi'")
]


@compiled(by_association=True, interleaved=True)
def hiton_pcd(problem: TestProblem, found: Found) -> None:
    """Find parents and children, and sometimes a few descendants (DAG (a) of the docs)."""
    # OPEN = all candidates in the order of assoc(X; T | {}).
    found.require(problem)
    open_ = OpenCandidates.of(problem, found)
    # Inclusion: the first of OPEN comes in.
    while (first := open_.first()) is not None:
        found.admit(first)
        # Elimination: X leaves TPC for good if ind(X; T | S) for some subset S of TPC minus X.
        remove_separable(problem, found, newest=first.x)
        open_ = open_.after(first.x)


@compiled(by_association=True, interleaved=False)
def semi_hiton_pcd(problem: TestProblem, found: Found) -> None:
    """As :func:`hiton_pcd`, but members are removed only after the last addition."""
    found.require(problem)
    open_ = OpenCandidates.of(problem, found)
    # Inclusion: the first of OPEN comes in; elimination of candidates only.
    while (first := open_.first()) is not None:
        found.admit(first)
        open_ = open_.after(first.x)
    # Elimination of members, at the end.
    remove_separable(problem, found)


_FIND: dict[str, FindAdjacent] = {"full": hiton_pcd, "semi": semi_hiton_pcd}


def hiton_pc(
    problem: TestProblem, *, symmetry: Symmetry = "and", interleaving: Interleaving = "full"
) -> Found:
    """Find parents and children in the order of their association with the target.

    Parameters
    ----------
    problem : TestProblem
        The question.
    symmetry : {"and", "or", "none"}
        Who is kept: "and" is the correction of 2010 and exact, "none" the algorithm of 2003.
    interleaving : {"full", "semi"}
        Whether members are removed after every addition or only in the end; newcomers are tried
        against the members in both.
    """
    with best_so_far(problem) as found:
        sets = ParentsChildrenSets(problem, _FIND[interleaving], found)
        found.parents_children = tuple(sets.around(problem.target, symmetry))
    return found


def hiton_mb(
    problem: TestProblem,
    *,
    symmetry: Symmetry = "and",
    spouse_symmetry: SpouseSymmetry = "auto",
    interleaving: Interleaving = "full",
) -> Found:
    """Find a Markov boundary: HITON-PC, then spouses.

    Parameters
    ----------
    problem : TestProblem
        The question.
    symmetry : {"and", "or", "none"}
        Which parents and children are kept: "and" is exact, "none" is as published in 2003.
    spouse_symmetry : {"auto", "and", "or", "none"}
        Which spouses are near a child; "auto" is "and" where symmetry is "and", "none" where it is
        "or", and where it is "none" the rule of 2003, which asks every child, and may lose spouses.
    interleaving : {"full", "semi"}
        As in :func:`hiton_pc`.
    """
    with best_so_far(problem) as found:
        # PC = HITON-PC(T); candidates = the union of HITON-PC(C) for C in PC.
        sets = ParentsChildrenSets(problem, _FIND[interleaving], found)
        if symmetry == "none" and spouse_symmetry == "auto":
            # Drop X if some Y in PC has ind(T; X | {Y} u S), where S separated T and X.
            add_spouses_uncorrected(problem, found, sets, every_child)
        else:
            add_spouses(problem, found, sets, symmetry, spouse_symmetry)
    return found


HITON_MB = Algorithm(
    hiton_mb,
    "Parents and children in the order of association, then spouses.",
    paper="Aliferis, Tsamardinos & Statnikov 2003; "
    "Pena, Nilsson, Bjorkegren & Tegner 2007, table 4",
    returns=MARKOV_BOUNDARY,
    fewer_rows="consensus",
    assumes=("faithfulness",),
)
HITON_PC = HITON_MB.variant(
    hiton_pc,
    "Adds variables in the order of their association, removing in between.",
    returns=PARENTS_AND_CHILDREN,
    fewer_rows="consensus_pc",
)
