"""PCMB: parents and children based Markov boundary, and its randomised form KPCMB.

Pena, Nilsson, Bjorkegren & Tegner (2007), table 5: GetPCD finds parents, children and some
descendants; GetPC keeps who is found from both sides; PCMB adds the spouses. KPCMB is in s. 5.1.

Differences from the paper: those of searches over subsets, whose conditioning sets have a limit; in
step 3 only subsets with the newest member are tried, because the others were tried before. As in
all searches over subsets, of columns that are copies of each other one stands for all.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from eiderdown.boundary.compiled import compiled
from eiderdown.boundary.known_sets import KnownSets
from eiderdown.boundary.parents_children import (
    OpenCandidates,
    ParentsChildrenSets,
    add_spouses,
    remove_separable,
)
from eiderdown.boundary.problem import (
    MARKOV_BOUNDARY,
    PARENTS_AND_CHILDREN,
    Found,
    Fraction,
    SpouseSymmetry,
    Symmetry,
    TestProblem,
    best_so_far,
)
from eiderdown.independence import IndependenceResult
from eiderdown.independence.shortlist import Shortlist
from eiderdown.registry import Algorithm


@compiled(by_association=False, interleaved=True)
def get_pcd(problem: TestProblem, found: Found, *, fraction: float = 1.0) -> None:
    """GetPCD(T): find parents, children and some descendants.

    Parameters
    ----------
    problem : TestProblem
        The question.
    found : Found
        Where to put them.
    fraction : float
        Step 2 takes the best of a random share of the candidates; 1 takes the best of all.
    """

    def best(open_: OpenCandidates) -> IndependenceResult | None:
        if fraction >= 1.0:
            return open_.strongest()
        shortlist = Shortlist(open_.tests, problem.tie_rank)
        return shortlist.strongest_of_some(fraction, problem.generator)

    # PCD = {} (or the required), CanPCD = all others.
    found.require(problem)
    # 1. For X in CanPCD: Sep[X] = argmin assoc(T; X | Z) over Z in PCD; out if ind(T; X | Sep[X]).
    open_ = OpenCandidates.of(problem, found)
    # Repeat until PCD does not change:
    while (strongest := best(open_)) is not None:
        # 2. Y = argmax assoc(T; X | Sep[X]) over X in CanPCD moves to PCD.
        found.admit(strongest)
        # 3. For X in PCD: Sep[X] = argmin assoc(T; X | Z) over Z in PCD minus X; out likewise.
        remove_separable(problem, found, newest=strongest.x)
        # 1. again, with the subsets that hold Y.
        open_ = open_.after(strongest.x)


def get_pc(problem: TestProblem, *, symmetry: Symmetry = "and") -> Found:
    """Find exactly the parents and children, under faithfulness.

    Parameters
    ----------
    problem : TestProblem
        The question.
    symmetry : {"and", "or", "none"}
        Who is kept; "and" is the paper's, and the one that is exact.
    """
    with best_so_far(problem) as found:
        # GetPC(T): X in GetPCD(T) with T in GetPCD(X).
        sets = ParentsChildrenSets(problem, get_pcd, found)
        found.parents_children = tuple(sets.around(problem.target, symmetry))
    return found


def pcmb(
    problem: TestProblem, *, symmetry: Symmetry = "and", spouse_symmetry: SpouseSymmetry = "auto"
) -> Found:
    """Find the Markov boundary: GetPC, then spouses through GetPC of each parent and child.

    Parameters
    ----------
    problem : TestProblem
        The question.
    symmetry : {"and", "or", "none"}
        Which parents and children are kept; "and" is the paper's, and the one that is exact.
    spouse_symmetry : {"auto", "and", "or", "none"}
        Which spouses are near a parent or child; "auto" is the paper's "and" where symmetry is
        "and", and else "none".
    """
    with best_so_far(problem) as found:
        # 1. PCS = GetPC(T); MB = PCS. 2. For Y in PCS, for X in GetPC(Y) but not in PCS:
        # 3. find Z with ind(T; X | Z), not holding X or T; 4. if dep(T; X | Z u {Y}), X is in MB.
        sets = ParentsChildrenSets(problem, get_pcd, found)
        add_spouses(problem, found, sets, symmetry, spouse_symmetry)
    return found


def kpcmb(
    problem: TestProblem,
    *,
    fraction: Fraction = 0.8,
    symmetry: Symmetry = "and",
    spouse_symmetry: SpouseSymmetry = "auto",
) -> Found:
    """PCMB that adds the best of a random share of the candidates.

    Parameters
    ----------
    problem : TestProblem
        The question; its generator makes the choices.
    fraction : float
        The paper's K: the share of candidates to choose from, from 0 (one at random) to 1 (PCMB).
    symmetry, spouse_symmetry
        As in :func:`pcmb`.
    """
    with best_so_far(problem) as found:
        alone = replace(problem, known=KnownSets())  # other random choices than for other targets
        if problem.ties is None and problem.test.copies() is not None:
            # Which of copies is looked at is a random choice, too; it belongs to the names.
            drawn = problem.generator.permutation(problem.test.n_variables)
            alone = replace(alone, ties=drawn[problem.test.name_rank])
        find = partial(get_pcd, fraction=fraction)
        sets = ParentsChildrenSets(alone, find, found)
        add_spouses(problem, found, sets, symmetry, spouse_symmetry)
    return found


PCMB = Algorithm(
    pcmb,
    "Parents and children corrected by symmetry, then spouses.",
    paper="Pena, Nilsson, Bjorkegren & Tegner 2007, table 5",
    returns=MARKOV_BOUNDARY,
    fewer_rows="consensus",
    assumes=("faithfulness",),
)
KPCMB = Algorithm(
    kpcmb,
    "PCMB with random choices, to see several boundaries.",
    paper="Pena, Nilsson, Bjorkegren & Tegner 2007, s. 5.1",
    returns=MARKOV_BOUNDARY,
    fewer_rows="consensus",
    assumes=("faithfulness",),
    random=True,
)
GET_PC = Algorithm(
    get_pc,
    "MMPC with removal after every addition, corrected by symmetry.",
    paper="Pena, Nilsson, Bjorkegren & Tegner 2007, table 5",
    returns=PARENTS_AND_CHILDREN,
    fewer_rows="consensus_pc",
    assumes=("faithfulness",),
)
