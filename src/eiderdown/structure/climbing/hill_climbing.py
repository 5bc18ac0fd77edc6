"""Hill climbing over directed acyclic graphs, with a TABU list.

Each step makes the best of all legal single changes (add, delete, reverse) that does not lead back
to one of the last graphs, even if it loses; the best graph on the way is the answer. Tsamardinos,
Brown & Aliferis (2006) keep 100 graphs and stop after 15 changes without a new best. Of equal
changes the one is made whose edge was left alone for longest, so that a search on a plateau, such
as among equivalent graphs, sees all of it. Only the children that a change touched are scored
again, each by one sweep. Restarts are ours: see :func:`hill_climbing_restarts`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, TypedDict, Unpack

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.errors import OptionError
from eiderdown.options import Option, declared
from eiderdown.progress import Cancelled
from eiderdown.registry import Algorithm
from eiderdown.structure.climbing.search_state import SearchState, Strategy
from eiderdown.structure.problem import Edge, StructureFound, StructureProblem

MOST_COLUMNS = 5_000
"""With more, all pairs of them would take more than a gigabyte."""


class ClimbOptions(TypedDict, total=False):
    """What searches take that climb once."""

    tabu_length: Annotated[
        int,
        Option("how many of the last graphs may not come again", default=100, between=(0, 10**6)),
    ]
    patience: Annotated[
        int, Option("changes without a new best graph that end a climb", default=15, at_least=0)
    ]


class RestartOptions(ClimbOptions, total=False):
    """What searches take that climb again from the best graph."""

    restarts: Annotated[
        int,
        Option(
            "rounds in which each column in turn loses its edges before another climb",
            default=1,
            at_least=0,
        ),
    ]


@dataclass(frozen=True)
class Climbed:
    """Where a climb ended.

    Attributes
    ----------
    parents : tuple of tuple of int
        Parents of every column, in column order.
    score : float
        Score of that graph.
    n_moves : int
        How many changes were made on the way.
    complete : bool
        False if the climb was cancelled and this is the best so far.
    """

    parents: tuple[tuple[int, ...], ...]
    score: float
    n_moves: int
    complete: bool = True


def climb(
    problem: StructureProblem,
    strategy: Strategy | None = None,
    *,
    candidates: Mapping[int, IntArray] | Sequence[IntArray] | None = None,
    start: Sequence[Edge] = (),
) -> Climbed:
    """Find a directed acyclic graph with a high score.

    Parameters
    ----------
    problem : StructureProblem
        The question; it needs a score.
    strategy : Strategy or None
        How to climb; None for one climb as in the paper.
    candidates : sequence or mapping of IntArray, or None
        By column, which others may be its parents; None for all. Of a mapping, only the columns
        that it names take part.
    start : sequence of (int, int)
        Edges (parent, child) of the first graph; those that are required come on top.

    Returns
    -------
    Climbed
        The best graph on the way.

    Examples
    --------
    >>> from eiderdown import networks
    >>> from eiderdown.scores import make_score
    >>> score = make_score("bic", networks.load("asia").sample(5_000, random_state=0))
    >>> found = climb(StructureProblem(score.n_variables, score=score))
    >>> dysp = score.names.index("dysp")
    >>> sorted(score.names[parent] for parent in found.parents[dysp])
    ['bronc', 'either']
    """
    how, score = strategy or Strategy(), problem.the_score
    if candidates is None:
        candidates = [np.arange(score.n_variables)] * score.n_variables
    state = SearchState(
        score,
        candidates if isinstance(candidates, Mapping) else dict(enumerate(candidates)),
        knowledge=problem.knowledge,
        start=start,
        tabu_length=how.tabu_length,
    )
    complete = True
    try:
        state.go_up(how, problem.trace)
        for _ in range(how.restarts):
            state.go_up(how, problem.trace, around=problem.generator.permutation(state.n_nodes))
    except Cancelled:
        complete = False
    return Climbed(state.parents(), state.best_score, state.n_moves, complete)


@declared
def hill_climbing(problem: StructureProblem, **how: Unpack[ClimbOptions]) -> StructureFound:
    """Search all directed acyclic graphs by one climb from the graph without edges."""
    return _climbed(problem, Strategy(**how), "hill_climbing")


@declared
def hill_climbing_restarts(
    problem: StructureProblem, **how: Unpack[RestartOptions]
) -> StructureFound:
    """Search all directed acyclic graphs by a climb, and again after each column lost its edges."""
    return _climbed(problem, Strategy(**how), "hill_climbing_restarts")


def _climbed(problem: StructureProblem, strategy: Strategy, algorithm: str) -> StructureFound:
    if problem.n_variables > MOST_COLUMNS:
        raise OptionError(
            f"{algorithm} weighs every pair of columns, and {problem.n_variables:,} columns are "
            f"too many for that; use mmhc, or leave columns out until there are {MOST_COLUMNS:,}."
        )
    climbed = climb(problem, strategy)
    return StructureFound.of_parents(problem.the_score, climbed.parents, complete=climbed.complete)


HILL_CLIMBING = Algorithm(
    hill_climbing,
    "Adds, deletes and turns edges while the score rises, and a little beyond.",
    paper="Tsamardinos, Brown & Aliferis 2006, with a TABU list",
    returns="directed graph",
    needs=("score",),
    exact=False,
)

HILL_CLIMBING_RESTARTS = HILL_CLIMBING.variant(
    hill_climbing_restarts,
    "Hill climbing, and again after each column in turn lost its edges.",
    paper="Eiderdown's own; the climb is that of Tsamardinos, Brown & Aliferis 2006",
    random=True,
)
