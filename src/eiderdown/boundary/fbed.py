"""FBED: forward-backward selection with early dropping.

Borboudakis & Tsamardinos (2019), "Forward-backward selection with early dropping". A candidate
that is independent of the target given the present members is not looked at again in that run, so
most runs cost little more than one sweep over the whole table. What was dropped gets another chance
in the next run.

With at least one extra run and a test that makes no mistakes it is exact under faithfulness:
parents and children depend on the target given anything, so none is dropped in the first run;
spouses depend on it given anything that holds the shared child, so none is dropped in the second.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from eiderdown.boundary.grow_shrink import shrink
from eiderdown.boundary.problem import MARKOV_BOUNDARY, Found, TestProblem, best_so_far
from eiderdown.independence import IndependenceBatch
from eiderdown.options import Option
from eiderdown.registry import Algorithm

ExtraRuns: TypeAlias = Annotated[
    int, Option("K: forward runs after the first, for candidates dropped before", at_least=0)
]


def fbed(problem: TestProblem, *, runs: ExtraRuns = 1) -> Found:
    """Find a Markov boundary, looking at hopeless candidates once a run only.

    Parameters
    ----------
    problem : TestProblem
        The question.
    runs : int
        The paper's K: forward runs after the first. They end early when one adds nobody, so that a
        large number means "until nothing changes".
    """
    with best_so_far(problem) as found:
        found.require(problem)
        for _ in range(runs + 1):
            if not _forward(problem, found):
                break
        # Backward: for X in S, if ind(T; X | S minus X), S = S minus X.
        shrink(problem, found)
    return found


def _forward(problem: TestProblem, found: Found) -> bool:
    """Add the best of those still dependent until none is left; say whether any came in."""
    n_before = len(found.members)
    # R = all variables outside S.
    open_, dropped = problem.outside(found), []
    while len(open_) and problem.allows(len(found.members)):
        # Drop from R every X with ind(T; X | S).
        batch = problem.sweep(open_, list(found.members))
        dependent = batch.dependent(problem.alpha)
        dropped.append(batch.take(~dependent))
        # Move the X of R with the strongest assoc(T; X | S) to S.
        best = batch.take(dependent).strongest(problem.tie_rank)
        if best is None:
            break
        found.admit(best)
        open_ = batch.x[dependent & (batch.x != best.x)]
    if dropped:
        found.outside = IndependenceBatch.joined(dropped)
    return len(found.members) > n_before


FBED = Algorithm(
    fbed,
    "Adds the strongest and drops the independent early; few tests.",
    paper="Borboudakis & Tsamardinos 2019",
    returns=MARKOV_BOUNDARY,
    fewer_rows="consensus",
    assumes=("faithfulness",),
    apart=True,
)
