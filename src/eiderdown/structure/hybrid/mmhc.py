"""Max-min hill climbing: parents and children by tests, then directions by a score.

Tsamardinos, Brown & Aliferis (2006); algorithm 7 of Brown (2009). Restarts of the climb are ours:
see :func:`mmhc_restarts`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Unpack

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.boundary import Found, TestProblem
from eiderdown.boundary.mmmb import mmpc_bar
from eiderdown.boundary.parents_children import ParentsChildrenSets
from eiderdown.options import declared
from eiderdown.registry import Algorithm
from eiderdown.structure.climbing.hill_climbing import (
    ClimbOptions,
    RestartOptions,
    Strategy,
    climb,
)
from eiderdown.structure.constraint.adjacencies import may_be_adjacent
from eiderdown.structure.problem import StructureFound, StructureProblem


@declared
def mmhc(problem: StructureProblem, **how: Unpack[ClimbOptions]) -> StructureFound:
    """Find parents and children of every variable by MMPC, then climb among the edges to them."""
    return _mmhc(problem, Strategy(**how))


@declared
def mmhc_restarts(problem: StructureProblem, **how: Unpack[RestartOptions]) -> StructureFound:
    """Run MMHC, and climb again after each column in turn lost its edges."""
    return _mmhc(problem, Strategy(**how))


def _mmhc(problem: StructureProblem, strategy: Strategy) -> StructureFound:
    variables = range(problem.n_variables)
    # Lines 1-4 (restrict): PC(X) by MMPC for every X.
    candidates = MaxMinCandidates(problem)
    # Line 5 (search): only try the operator add-edge Y -> X if Y is in PC(X).
    return climb_among(
        problem, candidates.among(variables), candidates.separating_sets(variables), strategy
    )


def climb_among(
    problem: StructureProblem,
    candidates: Mapping[int, IntArray],
    separating_sets: Mapping[frozenset[int], tuple[int, ...]],
    strategy: Strategy,
) -> StructureFound:
    """Climb from the graph without edges, and describe where it ended.

    Parameters
    ----------
    problem : StructureProblem
        The question; it needs a score.
    candidates : mapping of int to IntArray
        The variables that take part, each with those that may be its parents.
    separating_sets : mapping of frozenset to tuple of int
        What separates variables without an edge, where that is known.
    strategy : Strategy
        How to climb.
    """
    climbed = climb(problem, strategy, candidates=candidates)
    return StructureFound.of_parents(
        problem.the_score,
        {x: climbed.parents[x] for x in sorted(candidates)},
        complete=climbed.complete,
        separating_sets=separating_sets,
    )


class MaxMinCandidates:
    """Parents and children of variables, each searched for once, when it is asked for.

    Y is in PC(X) if each is found around the other (the corrected MMPC) and knowledge allows an
    edge between them, or if knowledge requires one.

    Parameters
    ----------
    problem : StructureProblem
        The question; it needs a test.
    among : sequence of int or None
        The variables that take part; None for all.
    """

    def __init__(self, problem: StructureProblem, *, among: Sequence[int] | None = None) -> None:
        variables = np.arange(problem.n_variables) if among is None else np.array(sorted(among))
        self._problem = problem
        self._around = ParentsChildrenSets(
            TestProblem(
                problem.the_test,
                int(variables[0]),
                variables[1:],
                problem.alpha,
                problem.max_given,
                trace=problem.trace,
                generator=problem.generator,
            ),
            _mmpc_bar_frugal,
        )
        self._required: defaultdict[int, set[int]] = defaultdict(set)
        for parent, child in problem.required_edges:
            if among is None or {parent, child} <= set(among):
                self._required[parent].add(child)
                self._required[child].add(parent)

    def of(self, x: int) -> list[int]:
        """Return the parents and children of a variable, in order."""
        return self._known(x, self._around.corrected(x))

    def among(self, nodes: Iterable[int]) -> dict[int, IntArray]:
        """Return for each of some variables those of its parents and children among them."""
        chosen = set(nodes)
        found = {}
        for x in sorted(chosen):
            mutual = [
                y
                for y in self._around.uncorrected(x).members
                if y in chosen and x in self._around.uncorrected(y).members
            ]
            found[x] = np.array([y for y in self._known(x, mutual) if y in chosen], dtype=np.int64)
        return found

    def separating_sets(self, nodes: Iterable[int]) -> dict[frozenset[int], tuple[int, ...]]:
        """Return for pairs of some variables what separated them, if anything did."""
        in_order, test = sorted(nodes), self._problem.the_test
        found: dict[frozenset[int], tuple[int, ...]] = {}
        for k, x in enumerate(in_order):
            batch = test.sweep(in_order[k + 1 :], x)
            apart = batch.x[batch.independent(self._problem.alpha)].tolist()
            found.update(dict.fromkeys((frozenset((x, y)) for y in apart), ()))
        for x in in_order:
            for batch in self._around.uncorrected(x).separated:
                for position in np.flatnonzero(np.isin(batch.x, in_order)).tolist():
                    pair = frozenset((x, int(batch.x[position])))
                    found.setdefault(pair, batch.given[position])
        return found

    def _known(self, x: int, members: list[int]) -> list[int]:
        """Leave out what knowledge forbids, and add what it requires."""
        found = np.array(members, dtype=np.int64)
        if self._problem.knowledge is not None:
            found = found[may_be_adjacent(self._problem.knowledge, x, found)]
        return sorted({*found.tolist(), *self._required[x]})


def _mmpc_bar_frugal(problem: TestProblem, found: Found) -> None:
    """Run MMPC-bar, and forget what the empty set separated: of many variables, nearly all."""
    mmpc_bar(problem, found)
    found.separated = [batch for batch in found.separated if batch.given[0]]


MMHC = Algorithm(
    mmhc,
    "Finds parents and children by MMPC, then climbs among the edges to them.",
    paper="Tsamardinos, Brown & Aliferis 2006; Brown 2009, algorithm 7",
    returns="directed graph",
    needs=("test", "score"),
    assumes=("faithfulness",),
    exact=False,
)

MMHC_RESTARTS = MMHC.variant(
    mmhc_restarts,
    "MMHC, and again a climb after each column in turn lost its edges.",
    paper="Eiderdown's own, after Tsamardinos, Brown & Aliferis 2006",
    random=True,
)
