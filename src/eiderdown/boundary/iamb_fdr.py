"""IAMB with control of the false discovery rate.

Pena (2008), "Learning Gaussian graphical models of gene networks with false discovery rate
control". Every step tests each variable given the present members (a member given the others) and
decides about all of them together: by Benjamini & Yekutieli (2001), or by Benjamini & Hochberg
(1995) where the p-values depend positively on each other. ``alpha`` is then the expected share of
wrong members, not the chance of each.

Differences from the paper: everything is done in logarithms, so that p-values that underflow do not
tie; tests that allow no dependence take no part and are not counted among the hypotheses, and those
that allow no independence remove nobody.
"""

from __future__ import annotations

import numpy as np

from eiderdown.boundary.false_discoveries import Dependence, discoveries
from eiderdown.boundary.grow_shrink import least_dependent, until_a_boundary_returns
from eiderdown.boundary.problem import MARKOV_BOUNDARY, Found, TestProblem, best_so_far
from eiderdown.independence import Allows, IndependenceBatch
from eiderdown.registry import Algorithm


def iamb_fdr(problem: TestProblem, *, dependence: Dependence = "arbitrary") -> Found:
    """Find a Markov boundary, ``alpha`` being the false discovery rate.

    Parameters
    ----------
    problem : TestProblem
        The question.
    dependence : {"arbitrary", "positive"}
        What is assumed of the p-values among themselves: nothing (Benjamini & Yekutieli), or
        independence or positive dependence (Benjamini & Hochberg; finds more).
    """
    with best_so_far(problem) as found:
        found.require(problem)
        for _ in until_a_boundary_returns(found):
            _step(problem, found, dependence)
    return found


def _step(problem: TestProblem, found: Found, dependence: Dependence) -> None:
    """Remove the weakest member that is no discovery; else admit the strongest outside that is."""
    members, outside = list(found.members), problem.outside(found)
    # The hypotheses: T and X independent given MB minus X, for every X in MB and outside it.
    testable = members if problem.allows(len(members) - 1) else []
    inside = problem.test.each_given_rest(testable, problem.target)
    if problem.allows(len(members)):
        beyond = problem.sweep(outside, members)
    else:
        beyond = problem.sweep(outside[:0], [])
    both = IndependenceBatch.joined([inside, beyond])
    counted = both.allows >= Allows.DEPENDENCE
    rejected = discoveries(both.log_p, counted, problem.alpha, dependence)
    redundant = (inside.allows == Allows.BOTH) & ~rejected[: len(inside)]
    redundant &= ~np.isin(inside.x, problem.required)
    # 1. If some X in MB is not rejected, remove the least dependent of them.
    if redundant.any():
        found.remove(least_dependent(problem, inside.take(redundant)))
        return
    # 2. Else, if some X outside is rejected, add the most dependent of them.
    found.keep(inside, problem.alpha)
    best = beyond.take(rejected[len(inside) :]).strongest(problem.tie_rank)
    if best is not None:
        found.admit(best)
    elif len(beyond):
        found.outside = beyond


IAMB_FDR = Algorithm(
    iamb_fdr,
    "IAMB with alpha as the false discovery rate.",
    paper="Pena 2008",
    returns=MARKOV_BOUNDARY,
    assumes=("composition",),
    apart=True,
)
