"""IAMB: incremental association Markov boundary; inter-IAMB shrinks after every addition.

KIAMB makes random choices, to reach several Markov boundaries where there are several: where two
variables tell the same about the target, IAMB always takes the same one; with K < 1 each has its
chance.

Tsamardinos, Aliferis & Statnikov (2003), "Algorithms for large scale Markov blanket discovery";
IAMB in the form of Pena, Nilsson, Bjorkegren & Tegner (2007), table 1, which runs the growing and
the shrinking phase in turns until nothing changes; KIAMB is in table 8.

Differences from the papers: candidates are ranked by log p, then by statistic, then by name; the
shrinking phase removes the least dependent member first instead of the first in the table; tests
with insufficient data neither admit nor remove.
"""

from __future__ import annotations

from typing import NamedTuple

from eiderdown.boundary.grow_shrink import grow, shrink, until_a_boundary_returns
from eiderdown.boundary.problem import (
    MARKOV_BOUNDARY,
    Found,
    Fraction,
    TestProblem,
    best_so_far,
)
from eiderdown.independence import IndependenceBatch
from eiderdown.independence.shortlist import Shortlist
from eiderdown.registry import Algorithm


def iamb(problem: TestProblem) -> Found:
    """Find a Markov boundary by adding the strongest, then removing what is redundant."""
    with best_so_far(problem) as found:
        found.require(problem)
        for _ in until_a_boundary_returns(found):
            # Growing: Y = argmax assoc(T; X | MB); while dep(T; Y | MB), MB = MB u {Y}.
            while grow(problem, found):
                pass
            # Shrinking: for X in MB, if ind(T; X | MB minus X), MB = MB minus X.
            shrink(problem, found)
    return found


def inter_iamb(problem: TestProblem) -> Found:
    """Find a Markov boundary by IAMB with a shrinking phase after every addition."""
    with best_so_far(problem) as found:
        found.require(problem)
        for _ in until_a_boundary_returns(found):
            # As IAMB, but one Y at a time.
            grow(problem, found)
            shrink(problem, found)
    return found


def kiamb(problem: TestProblem, *, fraction: Fraction = 0.8) -> Found:
    """Find a Markov boundary by adding the strongest of a random share of the dependent.

    Parameters
    ----------
    problem : TestProblem
        The question; its generator makes the choices.
    fraction : float
        The paper's K: the share of candidates to choose from, from 0 (one at random) to 1 (IAMB).
    """
    with best_so_far(problem) as found:
        found.require(problem)
        for _ in until_a_boundary_returns(found):
            # Growing: MB = MB u {Y} until CanMB is empty.
            while _grow_by_chance(problem, found, fraction):
                pass
            # Shrinking: for X in MB, if ind(T; X | MB minus X), MB = MB minus X.
            shrink(problem, found)
    return found


def _grow_by_chance(problem: TestProblem, found: Found, fraction: float) -> bool:
    """Admit a candidate, if any is dependent; say whether one came in."""
    if not problem.allows(len(found.members)):
        return False
    step = problem.step("growing", found, _growing)
    # CanMB2 = a random subset of CanMB; Y = the best of that.
    chosen = step.dependent.strongest_of_some(fraction, problem.generator)
    if chosen is not None:
        found.admit(chosen)
    elif len(step.tests):
        found.outside = step.tests
    return chosen is not None


class _Growing(NamedTuple):
    """The tests of all candidates outside, and those to choose from."""

    tests: IndependenceBatch
    dependent: Shortlist


def _growing(problem: TestProblem, found: Found) -> _Growing:
    # CanMB = all X with dep(T; X | MB).
    outside = problem.outside(found)
    tests = (
        problem.sweep(outside, list(found.members)) if len(outside) else IndependenceBatch.of([])
    )
    return _Growing(tests, Shortlist(tests.take(tests.dependent(problem.alpha)), problem.tie_rank))


IAMB = Algorithm(
    iamb,
    "Adds the strongest variable given the members, then removes the redundant.",
    paper="Tsamardinos, Aliferis & Statnikov 2003 (FLAIRS); "
    "Pena, Nilsson, Bjorkegren & Tegner 2007, table 1",
    returns=MARKOV_BOUNDARY,
    fewer_rows="consensus",
    assumes=("composition",),
    apart=True,
)
INTER_IAMB = Algorithm(
    inter_iamb,
    "IAMB that removes the redundant after every addition.",
    paper="Tsamardinos, Aliferis & Statnikov 2003 (FLAIRS)",
    returns=MARKOV_BOUNDARY,
    fewer_rows="consensus",
    assumes=("composition",),
    apart=True,
)
KIAMB = Algorithm(
    kiamb,
    "IAMB with random choices, to see several boundaries.",
    paper="Pena, Nilsson, Bjorkegren & Tegner 2007, table 8",
    returns=MARKOV_BOUNDARY,
    fewer_rows="consensus",
    assumes=("composition",),
    random=True,
    apart=True,
)
