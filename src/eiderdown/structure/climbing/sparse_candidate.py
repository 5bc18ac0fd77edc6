"""Sparse Candidate: greedy search in which every column has a few candidate parents.

Friedman, Nachman & Pe'er (1999), as restated by Lantz, Ray & Page (2007). Two phases alternate
until nothing changes: *restrict* gives every column its present parents and those others that tell
most about it beyond them, *search* makes the best change among these as long as one gains.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Annotated, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.options import Option
from eiderdown.progress import Cancelled
from eiderdown.registry import Algorithm
from eiderdown.scores import DiscreteScore, LocalScore, WeightedCounts
from eiderdown.structure.climbing.hill_climbing import GREEDY, Climbed, climb
from eiderdown.structure.problem import Edge, StructureFound, StructureProblem

NCandidates: TypeAlias = Annotated[
    int, Option("k: candidate parents of a column, its parents included", default=6, at_least=1)
]

Families: TypeAlias = tuple[tuple[int, ...], ...]
"""Parents of every column, in column order."""


def sparse_candidate(problem: StructureProblem, *, candidates: NCandidates = 6) -> StructureFound:
    """Search greedily among a few candidate parents of every column, chosen again and again."""
    found = refined(problem, required_only(problem), n_candidates=candidates)
    return StructureFound.of_parents(problem.the_score, found.parents, complete=found.complete)


SPARSE_CANDIDATE = Algorithm(
    sparse_candidate,
    "Climbs among a few candidate parents of each column, chosen again and again.",
    paper="Friedman, Nachman & Pe'er 1999",
    returns="directed graph",
    needs=("score",),
    exact=False,
)


def refined(problem: StructureProblem, start: Climbed, *, n_candidates: int) -> Climbed:
    """Alternate between restricting and searching until nothing changes.

    The last graph scores at least as high as the first. Cancelled, it is the best so far.
    """
    best = start
    restriction = Restriction(problem, n_candidates)
    try:
        while True:
            # Restrict: at most k candidate parents of each column, given those that it has.
            candidates = restriction.of(best.parents)
            # Maximise: the best graph among these that single changes lead to.
            found = climb(problem, GREEDY, candidates=candidates, start=edges_of(best.parents))
            if not found.complete or found.parents == best.parents:
                return found
            best = found
    except Cancelled:
        return replace(best, complete=False)


class Restriction:
    """The restrict phase: who may be a parent of whom.

    A column's worth to another is their conditional mutual information given the parents that the
    other has, averaged over weightings of the rows. Where the score is not of discrete columns, it
    is the score with one more parent.

    Parameters
    ----------
    problem : StructureProblem
        The question; it needs a score.
    n_candidates : int
        How many candidates a column has, its present parents included.
    weights : FloatArray of shape (n_weightings, n_rows) or None
        What rows count for; None for one each. Discrete columns only.
    """

    def __init__(
        self, problem: StructureProblem, n_candidates: int, *, weights: FloatArray | None = None
    ) -> None:
        self._n_candidates = n_candidates
        self._knowledge = problem.knowledge
        self._score: LocalScore = problem.the_score
        self._counts: WeightedCounts | None = None
        if isinstance(self._score, DiscreteScore):
            data = self._score.data
            used = np.ones((1, data.n_rows)) if weights is None else weights
            self._counts = WeightedCounts(data, used, n_jobs=problem.n_jobs)
        self._known: dict[tuple[int, tuple[int, ...]], IntArray] = {}

    def of(self, families: Families) -> list[IntArray]:
        """Return the candidates of every column, by the parents that it has."""
        return [self._candidates(child, family) for child, family in enumerate(families)]

    def _candidates(self, child: int, family: tuple[int, ...]) -> IntArray:
        key = (child, family)
        if key not in self._known:
            present = np.array(family, dtype=np.int64)
            self._known[key] = np.concatenate([present, self._most_telling(child, family)])
        return self._known[key]

    def _most_telling(self, child: int, family: tuple[int, ...]) -> IntArray:
        """Choose as many others as there is room for; of equals, the first by name."""
        others = np.setdiff1d(np.arange(self._score.n_variables), [child, *family])
        if self._knowledge is not None:
            others = others[self._knowledge.allowed(child, others)]
        n_free = max(0, self._n_candidates - len(family))
        if len(others) <= n_free or n_free == 0:
            return others[:n_free]
        rank = self._score.name_rank
        given = sorted(family, key=rank.__getitem__)
        best_first = np.lexsort((rank[others], -self._worth(child, given, others)))
        return others[best_first[:n_free]]

    def _worth(self, child: int, family: Sequence[int], others: IntArray) -> FloatArray:
        if self._counts is None:
            return self._score.additions(child, family, others)
        worth: FloatArray = self._counts.information(child, family, others).mean(axis=1)
        return worth


def required_only(problem: StructureProblem) -> Climbed:
    """Return the graph that has the required edges and no others."""
    known = problem.knowledge
    families = tuple(
        () if known is None else known.required_parents(child)
        for child in range(problem.n_variables)
    )
    return Climbed(families, plain_score(problem.the_score, families), n_moves=0)


def plain_score(score: LocalScore, families: Families) -> float:
    """Score a graph; an exact sum does not depend on the order of the columns."""
    return math.fsum(score.local(child, family) for child, family in enumerate(families))


def edges_of(families: Iterable[Sequence[int]]) -> list[Edge]:
    """List the edges (parent, child) of a graph."""
    return [(parent, child) for child, family in enumerate(families) for parent in family]
