"""The skeleton: which pairs are joined, by ever larger conditioning sets (step 1 of PC-stable).

D. Colombo & M. Maathuis, "Order-independent constraint-based causal structure learning" (JMLR 15,
2014), algorithm 4.1. Both ends of an edge look for a separating set, and if both find one, the test
with the larger p-value counts.
"""

from __future__ import annotations

from threading import Lock

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.independence import IndependenceResult
from eiderdown.independence.batch import LOG_P
from eiderdown.independence.kernels.levels import Answers
from eiderdown.independence.levels import LevelQuestion, separate_level
from eiderdown.structure.constraint.adjacencies import (
    Adjacencies,
    largest_set,
    may_be_adjacent,
    possible_parents,
)
from eiderdown.structure.problem import StructureProblem

MOST_COLUMNS_LISTED = 500
"""With more columns, the very many pairs that are independent given nothing are not listed."""


class SkeletonSearch:
    """Step 1 of PC-stable (Colombo & Maathuis 2014, algorithm 4.1).

    Parameters
    ----------
    problem : StructureProblem
        What is asked.
    """

    def __init__(self, problem: StructureProblem) -> None:
        self.graph = Adjacencies.of(range(problem.n_variables))
        self._problem = problem
        self._test = problem.the_test
        self._order: IntArray = np.argsort(self._test.name_rank)
        self._n_untested = 0
        self._required = {frozenset(edge) for edge in problem.required_edges}

    def run(self) -> None:
        """Join what depends on each other given nothing; then separate by ever larger sets."""
        # Lines 1-2, and l = 0: the complete graph without the pairs that the empty set separates.
        for n, x in enumerate(self._order.tolist()):
            self._test_pairs(x, self._order[n + 1 :])
            self._problem.trace.progressed("testing pairs", n + 1)
        # Lines 3-18: l = 1, 2, ... until no vertex has more than l others adjacent to it.
        for size in range(1, largest_set(self._problem) + 1):
            if not self._separate_by(size):
                break

    def notes(self) -> tuple[str, ...]:
        """Say what could not be tested."""
        if self._n_untested == 0:
            return ()
        return (
            "Pairs of columns of which the tests cannot say anything even given nothing, and which "
            f"have no edge: {self._n_untested:,}; collect rows or merge categories.",
        )

    def _test_pairs(self, x: int, others: IntArray) -> None:
        """Join one variable with those later ones that it depends on given nothing."""
        if self._problem.knowledge is not None:
            others = others[may_be_adjacent(self._problem.knowledge, x, others)]
        batch = self._test.sweep(others, x)
        required = np.zeros(len(others), dtype=np.bool_)
        if self._required:
            required[:] = [frozenset((x, y)) in self._required for y in others.tolist()]
        undecided = ~batch.decided(self._problem.alpha)
        self._n_untested += int(np.count_nonzero(undecided & ~required))
        joined = batch.dependent(self._problem.alpha) | required
        for test in batch.take(joined):
            self.graph.add_edge(test, self._problem.alpha)
        if self._problem.n_variables <= MOST_COLUMNS_LISTED:
            for test in batch.take(~undecided & ~joined):
                self.graph.separate(test)

    def _separate_by(self, size: int) -> bool:
        """Try all sets of a size; return whether there was any."""
        question = self._question(size)
        if question is None:
            return False
        progress = _Progress(self._problem, f"separating by sets of {size}")
        answers = separate_level(self._test, question, progress.step)
        for i, edge in enumerate(question.edges.tolist()):
            found = self._separation(edge, answers, i)
            if found is not None:
                self.graph.separate(found)
            elif answers.weakest_sets[i, 0] >= 0:
                given = tuple(answers.weakest_sets[i].tolist())
                weakest = IndependenceResult.of(edge[1], edge[0], given, answers.weakest[i])
                self.graph.keep_edge(weakest, self._problem.alpha)
        return True

    def _question(self, size: int) -> LevelQuestion | None:
        """Return the edges that sets of a size may separate; None if there is none."""
        rank, adjacent = self._test.name_rank, self.graph.adjacent
        # Lines 5-7: a(X), what is adjacent to X before any set of this size was tried.
        members = [
            set(possible_parents(self._problem, x, adjacent[x]))
            for x in range(self._problem.n_variables)
        ]
        edges = [
            sorted(edge, key=rank.__getitem__)
            for edge in self.graph.edges()
            # Line 9: one end has at least l others adjacent to it.
            if any(len(members[x]) - (y in members[x]) >= size for x, y in (edge, edge[::-1]))
            and frozenset(edge) not in self._required
        ]
        if not edges:
            return None
        in_order = (sorted(pool, key=rank.__getitem__) for pool in members)
        pools = [np.array(pool, dtype=np.int64) for pool in in_order]
        starts = np.append(0, np.cumsum([len(pool) for pool in pools])).astype(np.int64)
        flat = np.concatenate([np.empty(0, dtype=np.int64), *pools])
        known = [self.graph.survived[frozenset(edge)] for edge in edges]
        weakest = np.array(
            [(r.statistic, r.dof, r.log_p, r.effect, r.allows, r.n_used) for r in known], np.float64
        )
        return LevelQuestion(size, np.array(edges), starts, flat, weakest, self._problem.alpha)

    def _separation(self, edge: list[int], answers: Answers, i: int) -> IndependenceResult | None:
        """Return the test that separated an edge, if any did: the larger p-value counts."""
        first, second = edge
        by_first, by_second = answers.first_sets[i, 0] >= 0, answers.second_sets[i, 0] >= 0
        if by_second and not (by_first and answers.first[i, LOG_P] >= answers.second[i, LOG_P]):
            given = tuple(answers.second_sets[i].tolist())
            return IndependenceResult.of(first, second, given, answers.second[i])
        if by_first:
            given = tuple(answers.first_sets[i].tolist())
            return IndependenceResult.of(second, first, given, answers.first[i])
        return None


class _Progress:
    """Tells the steps of a phase, from any thread."""

    def __init__(self, problem: StructureProblem, phase: str) -> None:
        self._trace, self._phase = problem.trace, phase
        self._n, self._lock = 0, Lock()

    def step(self) -> None:
        """Tell one more."""
        with self._lock:
            self._n += 1
            n = self._n
        self._trace.progressed(self._phase, n)
