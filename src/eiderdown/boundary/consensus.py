"""Consensus: what most of several searches find among the candidates near the target. Our own.

Tests run out where strata are thin, and each score has tables on which it takes too many or too few
edges; where they err, they err differently. So each search has a vote::

    1. candidates     who depends on the target by a lenient test, and no single one of them
                      separates; and the same around each of these: what lies within two steps
    2. searches       IAMB by tests; and a class of graphs among target and candidates by each of
                      several scores (GES), of which the boundary of the target is read
    3. probabilities  the share of the searches that have a column in their boundary
    4. members        columns whose share is above a threshold; their evidence is the test of each
                      given the others, or where that cannot say, the weakest given few of them

With tests and scores that make no mistakes it is exact under faithfulness: the candidates hold all
parents and children of the target and of its children, so that every search finds the boundary.

The idea of reading probabilities off several models is that of Pena, Kocka & Nielsen (2004).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, TypeAlias

import numpy as np

from eiderdown.boundary.iamb import iamb
from eiderdown.boundary.mmmb import mmpc_bar
from eiderdown.boundary.problem import MARKOV_BOUNDARY, Found, TestProblem, best_so_far
from eiderdown.options import Option
from eiderdown.registry import Algorithm

LENIENT = 0.1
"""Significance level, at least, by which candidates are chosen."""

MOST_NEAR = 60
"""How many of the columns that depend on a variable are looked at more closely."""

MOST_KEPT = 15
"""How many of these become candidates."""

N_GIVEN = 2
"""Of how many others the sets are by which members are tested if the whole rest is too much."""

Threshold: TypeAlias = Annotated[
    float, Option("share of the searches above which a column is a member", between=(0, 1))
]


def consensus(problem: TestProblem, *, threshold: Threshold = 0.5) -> Found:
    """Find a Markov boundary by a vote of tests and scores.

    Parameters
    ----------
    problem : TestProblem
        The question; it must be able to learn graphs.
    threshold : float
        Members are in a larger share of the boundaries than this.
    """
    with best_so_far(problem) as found:
        found.require(problem)
        # 2a. A search by tests, whose members are candidates in any case.
        tested = iamb(replace(problem, trace=problem.trace.silent()))
        # 1. Candidates within two steps.
        near = _within_two_steps(problem) | set(tested.members)
        problem.trace.progressed("voting", len(near))
        # 2b. A class of graphs for each score.
        columns = [problem.target, *sorted(near)]
        votes = [set(tested.members), *_boundaries(problem, columns)]
        # 3. Probabilities.
        shares = {x: sum(x in vote for vote in votes) / len(votes) for x in near}
        found.probabilities.update(shares | dict.fromkeys(problem.required, 1.0))
        # 4. Members, and what speaks for each.
        chosen = [x for x, share in sorted(found.probabilities.items()) if share > threshold]
        for result in problem.test.max_p_over_subsets(
            chosen, problem.target, chosen, alpha=problem.alpha, max_given=N_GIVEN
        ):
            found.admit(result, "voting")
        found.keep(problem.test.each_given_rest(chosen, problem.target), problem.alpha)
        found.outside = problem.sweep(problem.outside(found), chosen)
        found.complete = tested.complete
    return found


def _within_two_steps(problem: TestProblem) -> set[int]:
    """Return the candidates near the target, and those near each of them."""
    allowed = set(problem.candidates.tolist())
    first = _near(problem)
    second = (y for x in first for y in _near(problem.at(x)))
    return allowed.intersection([*first, *second])


def _near(problem: TestProblem) -> list[int]:
    """Return who depends on the target whatever single one of them is given, the strongest."""
    alpha = max(LENIENT, problem.alpha)
    tests = problem.sweep(problem.candidates, [])
    tests = tests.take(tests.dependent(alpha))
    strongest = tests.x[tests.by_strength(problem.test.name_rank)[:MOST_NEAR]]
    found = Found()
    lenient = replace(
        problem,
        candidates=np.sort(strongest),
        alpha=alpha,
        max_given=1,
        required=(),
        trace=problem.trace.silent(),
    )
    mmpc_bar(lenient, found)
    name = problem.test.name_rank
    return sorted(found.members, key=lambda x: (found.members[x].log_p, name[x]))[:MOST_KEPT]


def _boundaries(problem: TestProblem, columns: Sequence[int]) -> Iterator[set[int]]:
    """Read the boundary of the target off the graph of each score."""
    for parents in problem.graphs_among(columns):
        children = [x for x, family in parents.items() if problem.target in family]
        found = {*parents[problem.target], *children, *(p for x in children for p in parents[x])}
        yield found - {problem.target}


CONSENSUS = Algorithm(
    consensus,
    "A vote of tests and scores among the columns near the target.",
    paper="Eiderdown's own",
    returns=MARKOV_BOUNDARY,
    needs=("test", "score"),
    assumes=("faithfulness",),
)
