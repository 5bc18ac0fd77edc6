"""KIAMB: IAMB with random choices, to reach several Markov boundaries where there are several.

Pena, Nilsson, Bjorkegren & Tegner (2007), table 8. Where two variables tell the same about the
target, IAMB always takes the same one; with K < 1 each has its chance.
"""

from __future__ import annotations

from eiderdown.boundary.grow_shrink import grow, shrink, until_a_boundary_returns
from eiderdown.boundary.problem import Found, TestProblem, best_so_far
from eiderdown.errors import OptionError
from eiderdown.independence import IndependenceBatch, IndependenceResult


def kiamb(problem: TestProblem, *, fraction: float = 0.8) -> Found:
    """Find a Markov boundary by adding the strongest of a random share of the dependent.

    Parameters
    ----------
    problem : TestProblem
        The question; its generator makes the choices.
    fraction : float
        The paper's K: the share of candidates to choose from, from 0 (one at random) to 1 (IAMB).
    """
    if not 0.0 <= fraction <= 1.0:
        raise OptionError(
            f"fraction must be between 0 (any dependent candidate) and 1 (the best), not "
            f"{fraction!r}."
        )

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
