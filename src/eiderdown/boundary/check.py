"""Whether a set of variables is a Markov boundary, and what it takes to make it one.

Pena, Nilsson, Bjorkegren & Tegner (2007), s. 5.1, ask this of what KPCMB returns on Thrombin: given
{3392, 79651, 135817} the target still depends on 46937; given these four, on 63916; given these
five, on 138924; given these six, on nothing. A set is a Markov boundary if

    1. the target is independent of every variable outside, given the set
    2. it depends on every member, given the others: no member is redundant

Differences from the paper: the strongest of those that still depend is added first; then members
that have become redundant are removed, and both go on in turns, as in IAMB, so that where the
adding ends is a boundary and not only a blanket. As in IAMB this is right under composition: a pair
that only together tells of the target (such as the two inputs of an exclusive or) is not seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from eiderdown.arrays import BoolArray
from eiderdown.boundary.grow_shrink import grow, shrink, until_a_boundary_returns
from eiderdown.boundary.problem import Found, TestProblem, best_so_far
from eiderdown.independence import Allows, IndependenceBatch, IndependenceResult


@dataclass
class CheckedSet:
    """The tests of a set, and the way from it to a boundary.

    Attributes
    ----------
    members : IndependenceBatch
        Each member given the others.
    outside : IndependenceBatch
        Every other candidate given the members.
    added : list of IndependenceResult
        What was added, in this order, each with the test by which it came in.
    found : Found
        Where adding and removing ended.
    """

    members: IndependenceBatch
    outside: IndependenceBatch
    added: list[IndependenceResult] = field(default_factory=list)
    found: Found = field(default_factory=Found)

    def undecided_outside(self, alpha: float) -> BoolArray:
        """Where rows are too few to rule a variable out.

        One that leaves nothing to test adds nothing to the members, and counts as ruled out.
        """
        unsaid: BoolArray = ~self.outside.decided(alpha) & (self.outside.allows != Allows.FUNCTION)
        return unsaid


def check_set(problem: TestProblem, members: Sequence[int]) -> CheckedSet:
    """Test a set of variables as the boundary of the problem's target, and mend it."""
    others = problem.candidates[~np.isin(problem.candidates, list(members))]
    checked = CheckedSet(
        problem.test.each_given_rest(members, problem.target),
        problem.sweep(others, list(members)),
    )
    with best_so_far(problem) as found:
        checked.found = found
        found.members.update({result.x: result for result in checked.members})
        for _ in until_a_boundary_returns(found):
            while grow(problem, found):
                checked.added.append(next(reversed(found.members.values())))
            shrink(problem, found)
    return checked
