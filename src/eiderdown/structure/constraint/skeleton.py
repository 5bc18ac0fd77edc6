"""The skeleton: which pairs are joined, by ever larger conditioning sets (step 1 of PC-stable).

D. Colombo & M. Maathuis, "Order-independent constraint-based causal structure learning" (JMLR 15,
2014), algorithm 4.1. Both ends of an edge look for a separating set, and if both find one, the test
with the larger p-value counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.independence import IndependenceBatch, IndependenceResult
from eiderdown.independence.batch import LOG_P, N_VALUES, SetRows
from eiderdown.independence.kernels.levels import Answers
from eiderdown.independence.levels import (
    LevelQuestion,
    levels_for_pairs,
    n_possible,
    separate_level,
    test_pairs,
)
from eiderdown.structure.constraint.adjacencies import (
    Adjacencies,
    Separations,
    largest_set,
    may_be_adjacent,
)
from eiderdown.structure.problem import StructureProblem

MOST_COLUMNS_LISTED = 500
"""With more columns, the very many pairs that are independent given nothing are not listed."""

_PAIRS_AT_ONCE = 100_000


class SkeletonSearch:
    """Step 1 of PC-stable (Colombo & Maathuis 2014, algorithm 4.1).

    Parameters
    ----------
    problem : StructureProblem
        What is asked.
    """

    def __init__(self, problem: StructureProblem) -> None:
        self._problem = problem
        self._test = problem.the_test
        self._order: IntArray = np.argsort(self._test.name_rank)
        self._n_untested = 0
        self._required = {frozenset(edge) for edge in problem.required_edges}
        # Each edge, the earlier name first, with the values and the set of its weakest test.
        self._edges: IntArray = np.empty((0, 2), dtype=np.int64)
        self._values: FloatArray = np.empty((0, N_VALUES))
        self._sets: IntArray = np.empty((0, 0), dtype=np.int64)
        self._separated = Separations()

    @cached_property
    def graph(self) -> Adjacencies:
        """What is joined after the run, or until it was cancelled, with its evidence."""
        graph = Adjacencies.of(range(self._problem.n_variables))
        tests = zip(self._edges.tolist(), SetRows(self._sets), self._values, strict=True)
        for (first, second), given, values in tests:
            test = IndependenceResult.of(second, first, given, values)
            graph.add_edge(test, self._problem.alpha)
        return replace(graph, separated=self._separated)

    def run(self) -> None:
        """Join what depends on each other given nothing; then separate by ever larger sets."""
        # Lines 1-2, and l = 0: the complete graph without the pairs that the empty set separates.
        self._join_dependent()
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

    def _join_dependent(self) -> None:
        compiled = levels_for_pairs(self._test)
        for n_done, some in self._groups(1 if compiled is None else _PAIRS_AT_ONCE):
            progress = _Progress(self._problem, "testing pairs", n_done)
            pairs = self._pairs_from(some)
            values = test_pairs(self._test, compiled, pairs, self._problem.alpha, progress.step)
            self._join(pairs, values)
            self._problem.trace.progressed("testing pairs", n_done + len(some))
        by_number = np.lexsort((self._edges.max(axis=1), self._edges.min(axis=1)))
        self._edges, self._values = self._edges[by_number], self._values[by_number]

    def _groups(self, n_pairs: int) -> Iterator[tuple[int, IntArray]]:
        """Yield places in the order of names whose pairs with later ones are about so many."""
        places = np.arange(self._problem.n_variables)
        after = np.cumsum(np.maximum(1, len(places) - 1 - places))
        cuts = np.flatnonzero(np.diff((after - 1) // n_pairs)) + 1
        for some in np.split(places, cuts):
            yield int(some[0]), some

    def _pairs_from(self, places: IntArray) -> IntArray:
        """Return pairs of variables at some places with later ones, if knowledge allows them."""
        n_later = self._problem.n_variables - 1 - places
        first = np.repeat(places, n_later)
        second = (
            np.arange(len(first)) - np.repeat(np.cumsum(n_later) - n_later, n_later) + first + 1
        )
        pairs: IntArray = self._order[np.stack([first, second], axis=1)]
        if self._problem.knowledge is not None and len(pairs):
            groups = np.split(pairs, np.cumsum(n_later)[:-1])
            may = [
                may_be_adjacent(self._problem.knowledge, int(some[0, 0]), some[:, 1])
                for some in groups
                if len(some)
            ]
            pairs = pairs[np.concatenate(may)]
        return pairs

    def _join(self, pairs: IntArray, values: FloatArray) -> None:
        """Join pairs that depend on each other given nothing."""
        alpha = self._problem.alpha
        batch = IndependenceBatch(pairs[:, 1], pairs[:, 0], ((),) * len(pairs), values)
        required = self._are_required(pairs)
        undecided = ~batch.decided(alpha)
        self._n_untested += int(np.count_nonzero(undecided & ~required))
        joined = batch.dependent(alpha) | required
        self._edges = np.concatenate([self._edges, pairs[joined]])
        self._values = np.concatenate([self._values, values[joined]])
        self._sets = np.empty((len(self._edges), 0), dtype=np.int64)
        if self._problem.n_variables <= MOST_COLUMNS_LISTED:
            self._separated.add(batch.take(~undecided & ~joined))

    def _are_required(self, pairs: IntArray) -> BoolArray:
        required = np.zeros(len(pairs), dtype=np.bool_)
        if self._required:
            required[:] = [frozenset(pair) in self._required for pair in pairs.tolist()]
        return required

    def _separate_by(self, size: int) -> bool:
        """Try all sets of a size; return whether there was any."""
        # Lines 5-7: a(X), what is adjacent to X before any set of this size was tried.
        starts, members = self._pools()
        if self._problem.knowledge is None:
            possible = np.diff(starts)[self._edges] - 1
        else:
            possible = n_possible(self._edges, starts, members)
        # Line 9: one end has at least l others adjacent to it.
        is_asked = (possible >= size).any(axis=1) & ~self._are_required(self._edges)
        asked = np.flatnonzero(is_asked)
        if len(asked) == 0:
            return False
        edges, weakest = self._edges[asked], self._values[asked]
        question = LevelQuestion(
            size, edges, possible[asked], starts, members, weakest, self._problem.alpha
        )
        progress = _Progress(self._problem, f"separating by sets of {size}")
        answers = separate_level(self._test, question, progress.step)
        separated = self._separate(question.edges, answers)
        self._keep(asked[~separated], answers, np.flatnonzero(~separated), size)
        left = np.delete(np.arange(len(self._edges)), asked[separated])
        self._edges, self._values = self._edges[left], self._values[left]
        self._sets = self._sets[left]
        return True

    def _pools(self) -> tuple[IntArray, IntArray]:
        """Return what may be a parent of each variable of those adjacent to it, name by name."""
        owners = np.concatenate([self._edges[:, 0], self._edges[:, 1]])
        members = np.concatenate([self._edges[:, 1], self._edges[:, 0]])
        order = np.lexsort((self._test.name_rank[members], owners))
        owners, members = owners[order], members[order]
        lengths = np.bincount(owners, minlength=self._problem.n_variables)
        if self._problem.knowledge is not None:
            groups = np.split(members, np.cumsum(lengths)[:-1])
            allowed = [
                self._problem.knowledge.allowed(x, some)
                if len(some)
                else np.ones(0, dtype=np.bool_)
                for x, some in enumerate(groups)
            ]
            lengths = np.array([np.count_nonzero(some) for some in allowed])
            members = members[np.concatenate(allowed)]
        return np.append(0, np.cumsum(lengths)).astype(np.int64), members

    def _separate(self, edges: IntArray, answers: Answers) -> BoolArray:
        """Note what separated edges: the larger p-value counts; tell which edges were separated."""
        by_first, by_second = answers.first_sets[:, 0] >= 0, answers.second_sets[:, 0] >= 0
        is_first = answers.first[:, LOG_P] >= answers.second[:, LOG_P]
        by_first &= ~by_second | is_first
        separated: BoolArray = by_first | by_second
        chosen = by_first[separated, None]
        ends = np.where(chosen, edges[separated][:, ::-1], edges[separated])
        sets = np.where(chosen, answers.first_sets[separated], answers.second_sets[separated])
        values = np.where(chosen, answers.first[separated], answers.second[separated])
        self._separated.add(IndependenceBatch(ends[:, 0], ends[:, 1], SetRows(sets), values))
        return separated

    def _keep(self, edges: IntArray, answers: Answers, rows: IntArray, size: int) -> None:
        """Note the weakest tests that edges have survived, where these are of this level."""
        is_new = answers.weakest_sets[rows, 0] >= 0
        edges, rows = edges[is_new], rows[is_new]
        sets = np.full((len(self._edges), size), -1, dtype=np.int64)
        sets[:, : self._sets.shape[1]] = self._sets
        sets[edges] = answers.weakest_sets[rows]
        self._sets = sets
        self._values[edges] = answers.weakest[rows]


class _Progress:
    """Tells the steps of a phase."""

    def __init__(self, problem: StructureProblem, phase: str, n_before: int = 0) -> None:
        self._trace, self._phase, self._n = problem.trace, phase, n_before

    def step(self) -> None:
        """Tell one more."""
        self._n += 1
        self._trace.progressed(self._phase, self._n)
