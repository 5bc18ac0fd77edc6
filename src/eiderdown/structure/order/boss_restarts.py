"""BOSS with restarts, which is ours: families are remembered, ties taken by chance, orders shaken.

BOSS ends where no column can be moved. Three things lead on from there:

- growing a column's parents one by one misses sets that an earlier walk has found; they are
  remembered (:mod:`eiderdown.structure.order.grow_shrink_trees`);
- most orders have others that score the same. Columns move among them by chance, and so come to
  places from which another move gains;
- a column and its neighbours in the graph are put anywhere, and the order is improved again.

There are two such chains, with random numbers and trees of their own. One begins with BOSS's
order, the other with any; when half is done the one that is behind goes on from the other's order.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.forked import is_forked
from eiderdown.options import Option
from eiderdown.progress import Cancellation, Cancelled, Trace
from eiderdown.statistics.cost import Workers
from eiderdown.structure.equivalence.search import Priority
from eiderdown.structure.order.boss import BOSS, OrderSearch
from eiderdown.structure.order.second_chain import SecondChain
from eiderdown.structure.order.sweep_memory import SweepMemory
from eiderdown.structure.problem import StructureFound, StructureProblem

_DELETES_INSERTS: Priority = (1, 0, -1)
_PATIENCE = 3  # rounds of moves without a gain that end the first search
_MOST_SHAKES, _SHAKES_TIMES_NODES = 140, 14_000  # fewer where each takes long
_N_PARTS = 2  # of each chain, between which they tell each other where they are


class Reached(NamedTuple):
    """Where a chain is."""

    order: IntArray
    families: tuple[tuple[int, ...], ...]  # each variable's parents
    scores: tuple[float, ...]  # of each variable with these
    n_scored: int
    complete: bool  # False if the chain was cancelled

    @property
    def score(self) -> float:
        """Score of the order; nothing is worse than one that is not known."""
        score = math.fsum(self.scores)
        return score if math.isfinite(score) else -math.inf


class Part(NamedTuple):
    """A part of a chain: from where another chain is, so many shakes; before the first is BOSS."""

    other: Reached | None
    n_shakes: int


class Chain:
    """The best order so far, and ways on from it; another chain may have one that is better."""

    def __init__(
        self,
        problem: StructureProblem,
        generator: np.random.Generator,
        memory: SweepMemory,
        *,
        from_any: bool = False,
    ) -> None:
        self.search = OrderSearch(problem, remembering=True, memory=memory)
        self._generator = generator
        self.search.draw_from(generator)
        self.best = self.search.first_order()
        if from_any:
            self.best = self.search.started(generator.permutation(self.n))

    def first(self) -> None:
        """Improve the first order: by BOSS, and then with ties by chance."""
        while self.search.improve(self.best, self.best.order.copy()):
            pass
        self.search.improve_by_chance(self.best, _PATIENCE)

    def shake(self) -> None:
        """Put a column and its neighbours anywhere, improve, and keep what is no worse."""
        nodes = self._generator.permutation(self._around(int(self._generator.integers(self.n))))
        moved = self._elsewhere(self.best.order, nodes)
        order = self.search.started(moved)
        order.n_moves[:] = self.best.n_moves
        self.search.improve_by_chance(order, 1)
        if self.search.score_of(order) >= self.search.score_of(self.best) - self.search.tolerance:
            self.best = order
        self.best.n_moves[:] = order.n_moves

    def go(self, part: Part) -> Reached:
        """Go on until a part is done, or the search is cancelled."""
        complete = True
        try:
            if part.other is None:
                self.first()
            else:
                self.take_over(part.other)
            for _ in range(part.n_shakes):
                self.shake()
        except Cancelled:
            complete = False
        return self.reached(complete=complete)

    def reached(self, *, complete: bool = True) -> Reached:
        """Describe the best order."""
        leaf, trees = self.best.leaf, self.search.trees
        known: FloatArray = np.where(leaf < 0, np.nan, trees.trees.score[leaf])
        families = tuple(tuple(sorted(parents)) for parents in self.search.families(self.best))
        scores = tuple(known.tolist())
        return Reached(self.best.order, families, scores, trees.n_scored, complete)

    def take_over(self, other: Reached) -> None:
        """Go on from where another chain is, if that is better."""
        if other.score > self.reached().score + self.search.tolerance:
            for child, family in enumerate(other.families):
                self.search.trees.learn(child, family, other.scores[child])
            order = self.search.started(other.order)
            order.n_moves[:] = self.best.n_moves
            self.search.complete(order)
            self.best = order

    @property
    def n(self) -> int:
        """How many variables there are."""
        return self.search.n_nodes

    def _around(self, node: int) -> list[int]:
        """Return a variable with its parents and children, in order."""
        parents = [self.search.trees.parents(leaf) for leaf in self.best.leaf.tolist()]
        children = [child for child, family in enumerate(parents) if node in family]
        return sorted({node, *parents[node], *children})

    def _elsewhere(self, order: IntArray, nodes: IntArray) -> IntArray:
        """Put variables at random places of an order."""
        elsewhere: list[int] = nodes.tolist()
        places = [node for node in order.tolist() if node not in elsewhere]
        for node in elsewhere:
            places.insert(int(self._generator.integers(len(places) + 1)), node)
        return np.array(places, dtype=np.int64)


def boss_restarts(
    problem: StructureProblem,
    *,
    shakes: Annotated[
        int | None,
        Option(
            "how often a column and its neighbours are put elsewhere before another search; None "
            "for as many as the number of columns allows",
            at_least=0,
        ),
    ] = None,
) -> StructureFound:
    """Search all orders of the columns by BOSS with restarts."""
    score, n = problem.the_score, problem.n_variables
    n_shakes = min(_MOST_SHAKES, _SHAKES_TIMES_NODES // n) if shakes is None else shakes
    n_before, memory = score.counts.n_computed, SweepMemory.empty(n)
    one, other = problem.generator.spawn(2)
    chain = Chain(problem, one, memory)
    own = Cancellation(within=problem.trace.cancellation)
    second = Chain(replace(problem, trace=Trace(own)), other, memory, from_any=True)
    in_thread = not is_forked() and Workers(problem.n_jobs).n_jobs > 1
    here, there, complete = chain.reached(), second.reached(), True
    with SecondChain(second.go, own, in_thread=in_thread) as beside:
        for k in range(_N_PARTS):
            beside.begin(Part(here if k else None, _share(n_shakes, 2 * k + 1)))
            here = chain.go(Part(there if k else None, _share(n_shakes, 2 * k)))
            there = beside.reached(cancelled=not here.complete)
            complete = here.complete and there.complete
            if not complete:
                break
    best = max(here, there, key=lambda reached: reached.score)
    # Classes next to the one found, with an edge less or more.
    found = chain.search.finished(
        best.families,
        _DELETES_INSERTS,
        n_steps=int(chain.best.n_moves[0]),
        complete=complete,
    )
    score.recount(n_before + here.n_scored + there.n_scored)
    return found


def _share(n: int, k: int) -> int:
    """Return how many of n shakes the k-th of all parts of both chains has."""
    n_parts = 2 * _N_PARTS
    return n * (k + 1) // n_parts - n * k // n_parts


BOSS_RESTARTS = BOSS.variant(
    boss_restarts,
    "BOSS, with families remembered and ties by chance, and again from shaken orders.",
    paper="Eiderdown's own, after Andrews and others 2023",
    random=True,
)
