"""KIAMB: IAMB with random choices, to reach several Markov boundaries where there are several.

Pena, Nilsson, Bjorkegren & Tegner (2007), table 8. Where two variables tell the same about the
target, IAMB always takes the same one; with K < 1 each has its chance.
"""

from __future__ import annotations

from eiderdown.boundary.grow_shrink import grow, shrink, until_a_boundary_returns
from eiderdown.boundary.problem import (
    MARKOV_BOUNDARY,
    Found,
    Fraction,
    TestProblem,
    best_so_far,
)
from eiderdown.independence import IndependenceBatch, IndependenceResult
from eiderdown.registry import Algorithm


def kiamb(problem: TestProblem, *, fraction: Fraction = 0.8) -> Found:
    """Find a Markov boundary by adding the strongest of a random share of the dependent.

    Parameters
    ----------
    problem : TestProblem
        The question; its generator makes the choices.
    fraction : float
        The paper's K: the share of candidates to choose from, from 0 (one at random) to 1 (IAMB).
    """

    def choose(problem: TestProblem, batch: IndependenceBatch) -> IndependenceResult | None:
        # CanMB = all X with dep(T; X | MB); CanMB2 = a random subset of it; Y = the best of that.
        dependent = batch.take(batch.dependent(problem.alpha))
        return dependent.strongest_of_some(problem.test.name_rank, fraction, problem.generator)

    with best_so_far(problem) as found:
        found.require(problem)
        for _ in until_a_boundary_returns(found):
            # Growing: MB = MB u {Y} until CanMB is empty.
            while grow(problem, found, choose):
                pass
            # Shrinking: for X in MB, if ind(T; X | MB minus X), MB = MB minus X.
            shrink(problem, found)
    return found


KIAMB = Algorithm(
    kiamb,
    "IAMB with random choices, to see several boundaries.",
    paper="Pena, Nilsson, Bjorkegren & Tegner 2007, table 8",
    returns=MARKOV_BOUNDARY,
    assumes=("composition",),
    random=True,
)
