"""Sparse Candidate that looks one step ahead: two parents at once.

The usual way to effects of which no single column shows anything (Norton 1989), with which Lantz,
Ray & Page (2007) compare their skews. Both phases of Sparse Candidate look further. A column's
worth as a candidate is the most that it tells given the parents and at most one other column; the
search adds one parent or two, whichever gains more. Exclusive-or of two columns is found like any
other effect; of three it is not, where no two of them show anything.

The first phase weighs every column with every pair of others, so its time grows with the third
power of their number, that of skews with the second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.errors import OptionError
from eiderdown.progress import Cancelled, Trace
from eiderdown.registry import Algorithm
from eiderdown.scores.sweeps import Sweep
from eiderdown.structure.climbing.hill_climbing import Climbed
from eiderdown.structure.climbing.moves import ADD, best_move, is_legal
from eiderdown.structure.climbing.search_state import GREEDY, SearchState
from eiderdown.structure.climbing.sparse_candidate import (
    NCandidates,
    Restriction,
    alternated,
    edges_of,
    required_only,
)
from eiderdown.structure.climbing.steps import change
from eiderdown.structure.problem import StructureFound, StructureProblem

MOST_COLUMNS = 1_000
"""With more, all pairs of parents of all columns would take hours."""


def lookahead_sparse_candidate(
    problem: StructureProblem, *, candidates: NCandidates = 6
) -> StructureFound:
    """Search as Sparse Candidate does, with one or two new parents of a column at a time."""
    if problem.n_variables > MOST_COLUMNS:
        raise OptionError(
            "lookahead_sparse_candidate weighs every column with every pair of others, and "
            f"{problem.n_variables:,} columns are too many for that; use "
            "skewed_sparse_candidate_patient, or leave columns out until there are "
            f"{MOST_COLUMNS:,}."
        )

    def search(chosen: list[IntArray], best: Climbed) -> Climbed:
        return climb_by_pairs(problem, chosen, best)

    found = alternated(required_only(problem), PairRestriction(problem, candidates), search)
    return StructureFound.of_parents(problem.the_score, found.parents, complete=found.complete)


LOOKAHEAD_SPARSE_CANDIDATE = Algorithm(
    lookahead_sparse_candidate,
    "Sparse Candidate that tries two parents at once; finds effects of two hidden columns.",
    paper="Norton 1989, as in Lantz, Ray & Page 2007",
    returns="directed graph",
    needs=("score",),
    exact=False,
)


class PairRestriction(Restriction):
    """Who may be a parent of whom, by what it tells given the parents and at most one other."""

    def __init__(self, problem: StructureProblem, n_candidates: int) -> None:
        super().__init__(problem, n_candidates)
        self._trace = problem.trace
        self._n_weighed = 0

    def _worths(self, asked: Sequence[Sweep]) -> list[FloatArray]:
        worths = super()._worths(asked)
        return [self._by_pairs(*sweep) for sweep in zip(asked, worths, strict=True)]

    def _by_pairs(self, asked: Sweep, alone: FloatArray) -> FloatArray:
        """Say what each of the others tells given one more of them, if more than alone."""
        self._n_weighed += 1
        self._trace.progressed("weighing pairs", self._n_weighed)
        child, family, others = asked
        rank = self._plain.name_rank
        sweeps = [
            (child, tuple(sorted((*family, z), key=rank.__getitem__)), np.delete(others, k))
            for k, z in enumerate(others.tolist())
        ]
        worth = alone.copy()
        for k, gains in enumerate(self._plain.gains_of_all(sweeps)):
            worth[:k] = np.maximum(worth[:k], gains[:k])
            worth[k + 1 :] = np.maximum(worth[k + 1 :], gains[k:])
        return worth


def climb_by_pairs(
    problem: StructureProblem, candidates: Sequence[IntArray], start: Climbed
) -> Climbed:
    """Make the best single change or addition of two parents, as long as one gains."""
    state = PairState(
        problem.the_score,
        dict(enumerate(candidates)),
        knowledge=problem.knowledge,
        start=edges_of(start.parents),
    )
    complete = True
    try:
        while state.step(problem.trace):
            pass
    except Cancelled:
        complete = False
    return Climbed(state.parents(), state.best_score, state.n_moves, complete)


class _Pairs(NamedTuple):
    """Candidate edges into a node that are not there, and what each two of them gain together."""

    edges: IntArray
    gain: FloatArray  # of the first and a later one; -inf for all others
    most: float


class PairState(SearchState):
    """A graph that changes by single moves, and by the addition of two parents of one child.

    Parameters are those of :class:`SearchState`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._pairs: dict[tuple[int, bytes], _Pairs] = {}

    def step(self, trace: Trace) -> bool:
        """Make the best change if one gains, and tell whether one does.

        Two parents are added where that gains more than every single change.
        """
        n_before = self.n_moves
        single = float(best_move(self._graph, self.tolerance).gain)
        pair = self._best_pair(more_than=max(0.0, single) + self.tolerance)
        if pair is None:
            self.go_up(GREEDY, trace, most_moves=1)
        else:
            for edge in pair:
                change(self._climb, ADD, edge)
            self._score_graph()
            trace.progressed("climbing", self.n_moves)
        return self.n_moves > n_before

    def _best_pair(self, *, more_than: float) -> tuple[int, int] | None:
        """Find the two candidate edges into one node that gain most, if more than that."""
        found: tuple[int, int] | None = None
        least = more_than
        for node in range(self.n_nodes):
            pairs = self._pairs_of(node)
            if pairs.most <= least:
                continue
            legal = np.array([is_legal(self._graph, ADD, edge) for edge in pairs.edges.tolist()])
            gain = np.where(legal[:, None] & legal, pairs.gain, -np.inf)
            i, j = np.unravel_index(gain.argmax(), gain.shape)
            if gain[i, j] > least:
                found = (int(pairs.edges[i]), int(pairs.edges[j]))
                least = float(gain[i, j]) + self.tolerance
        return found

    def _pairs_of(self, node: int) -> _Pairs:
        edges = self._graph.edges
        here = slice(*edges.first[node : node + 2].tolist())
        key = (node, edges.present[here].tobytes())
        if key not in self._pairs:
            room = edges.max_parents[node] - self._graph.families.n_parents[node]
            absent = here.start + np.flatnonzero(~edges.present[here])
            self._pairs[key] = self._weighed(node, absent if room >= 2 else absent[:0])
        return self._pairs[key]

    def _weighed(self, node: int, edges: IntArray) -> _Pairs:
        """Say what each two of the edges gain together."""
        child = int(self._columns[node])
        held = np.flatnonzero(self._graph.edges.present & (self._graph.edges.child == node))
        family, columns = (self._columns[self._graph.edges.parent[of]] for of in (held, edges))
        gain = np.full((len(edges), len(edges)), -np.inf)
        for i, z in enumerate(columns[:-1].tolist()):
            with_z = self._score.additions(child, [*family.tolist(), z], columns[i + 1 :])
            gain[i, i + 1 :] = with_z - self._climb.local[node]
        return _Pairs(edges, gain, float(gain.max(initial=-np.inf)))
