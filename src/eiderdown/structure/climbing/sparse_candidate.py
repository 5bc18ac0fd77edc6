"""Sparse Candidate: greedy search in which every column has a few candidate parents; and skewed.

Friedman, Nachman & Pe'er (1999), as restated by Lantz, Ray & Page (2007). Two phases alternate
until nothing changes: *restrict* gives every column its present parents and those others that tell
most about it beyond them, *search* makes the best change among these as long as one gains.

Skewed Sparse Candidate finds parents of which no single one shows anything, as in parity (Lantz,
Ray & Page 2007). Both phases see the rows as they are and under several skews, and go by the
average. Skewing finds parents; whether they are to stay, ordinary Sparse Candidate decides in the
end. What is correlation-immune in the rows as they are need not be so when they are weighted (Page
& Ray 2003). A skew favours one category of every column: a row's weight is multiplied by s for each
column in which it has the favoured category, and by 1 - s for each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Annotated, TypeAlias, TypedDict, Unpack

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.errors import ColumnKindError
from eiderdown.options import Option, declared
from eiderdown.progress import Cancelled
from eiderdown.registry import Algorithm
from eiderdown.scores import (
    DiscreteScore,
    LikelihoodScore,
    LocalScore,
    WeightedCounts,
    WeightedScore,
)
from eiderdown.scores.sweeps import Sweep
from eiderdown.structure.climbing.hill_climbing import Climbed, climb
from eiderdown.structure.climbing.search_state import GREEDY
from eiderdown.structure.climbing.skews import check_favour, skewed_weights
from eiderdown.structure.problem import Edge, StructureFound, StructureProblem

NCandidates: TypeAlias = Annotated[
    int, Option("k: candidate parents of a column, its parents included", default=6, at_least=1)
]

_MOST_AT_ONCE = 1_000_000  # pairs of columns that one call weighs

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
    """Alternate between restricting and searching greedily until nothing changes.

    The last graph scores at least as high as the first. Cancelled, it is the best so far.
    """

    def search(candidates: list[IntArray], best: Climbed) -> Climbed:
        return climb(problem, GREEDY, candidates=candidates, start=edges_of(best.parents))

    return alternated(start, Restriction(problem, n_candidates), search)


def alternated(
    start: Climbed,
    restriction: Restriction,
    search: Callable[[list[IntArray], Climbed], Climbed],
) -> Climbed:
    """Alternate between the two phases until nothing changes."""
    best = start
    try:
        while True:
            # Restrict: at most k candidate parents of each column, given those that it has.
            candidates = restriction.of(best.parents)
            # Maximise: the best graph among these that the search leads to.
            found = search(candidates, best)
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
        self._score = problem.the_score
        self._counts: WeightedCounts | None = None
        if isinstance(self._score, DiscreteScore) and weights is not None:
            self._counts = WeightedCounts(self._score.data, weights, n_jobs=problem.n_jobs)
        self._plain = telling_score(problem)
        self._known: dict[tuple[int, tuple[int, ...]], IntArray] = {}

    def of(self, families: Families) -> list[IntArray]:
        """Return the candidates of every column, by the parents that it has."""
        new = [key for key in enumerate(families) if key not in self._known]
        n_at_once = max(1, _MOST_AT_ONCE // self._score.n_variables)
        for start in range(0, len(new), n_at_once):
            asked = [self._others(*key) for key in new[start : start + n_at_once]]
            for sweep, worth in zip(asked, self._worths(asked), strict=True):
                self._choose(sweep, worth)
        return [self._known[key] for key in enumerate(families)]

    def _choose(self, sweep: Sweep, worth: FloatArray) -> None:
        """Take the parents and those others that there is room for; of equals the first by name."""
        child, family, others = sweep
        best_first = others[np.lexsort((self._score.name_rank[others], -worth))]
        chosen = best_first[: max(0, self._n_candidates - len(family))]
        present = np.array(family, dtype=np.int64)
        self._known[child, family] = np.concatenate([present, chosen])

    def _others(self, child: int, family: tuple[int, ...]) -> Sweep:
        """Return a column, its parents, and who else may be a candidate."""
        is_other = np.ones(self._score.n_variables, dtype=np.bool_)
        is_other[[child, *family]] = False
        if len(family) >= self._n_candidates:
            is_other[:] = False
        others = np.flatnonzero(is_other)
        if self._knowledge is not None:
            others = others[self._knowledge.allowed(child, others)]
        return child, family, others

    def _worths(self, asked: Sequence[Sweep]) -> list[FloatArray]:
        """Say what each of the others tells about its column beyond the parents."""
        rank = self._score.name_rank
        sweeps = [(x, tuple(sorted(zs, key=rank.__getitem__)), ys) for x, zs, ys in asked]
        if self._counts is None:
            return self._plain.gains_of_all(sweeps)
        return [self._counts.information(*sweep).mean(axis=1) for sweep in sweeps]


def telling_score(problem: StructureProblem) -> LocalScore:
    """Return the score whose gains say how much a column tells about another.

    For discrete columns it is the likelihood, which gains n I(X; Y | Z); else the problem's own.
    """
    score = problem.the_score
    if isinstance(score, DiscreteScore):
        return LikelihoodScore(score.data, n_jobs=problem.n_jobs)
    return score


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


# Section 3: the search phase ends at less than half of the first move's improvement.
_HALF_OF_THE_FIRST = replace(GREEDY, least_share=0.5)


class SkewOptions(TypedDict, total=False):
    """How many candidates and weightings there are, and how strong the skews."""

    candidates: NCandidates
    restrict_skews: Annotated[
        int,
        Option("T1: weightings by which candidates are chosen", default=30, between=(1, 100_000)),
    ]
    search_skews: Annotated[
        int,
        Option("T2: weightings by which the graph is changed", default=30, between=(1, 100_000)),
    ]
    least_favour: Annotated[
        float, Option("weakest skew, from 0.5 for none", default=0.5, between=(0.5, 1.0))
    ]
    most_favour: Annotated[
        float,
        Option("strongest skew, up to 1 for one category alone", default=1.0, between=(0.5, 1.0)),
    ]


class PatientSkewOptions(SkewOptions, total=False):
    """The same, and when the skewing ends."""

    patience: Annotated[
        int, Option("rounds without a better graph that end the skewing", default=3, at_least=1)
    ]


@declared
def skewed_sparse_candidate(
    problem: StructureProblem, **skews: Unpack[SkewOptions]
) -> StructureFound:
    """Search by Sparse Candidate, on the rows as they are and weighted at random."""
    found = _skewed(problem, skews, patience=1)
    return StructureFound.of_parents(problem.the_score, found.parents, complete=found.complete)


@declared
def skewed_sparse_candidate_patient(
    problem: StructureProblem, **skews: Unpack[PatientSkewOptions]
) -> StructureFound:
    """Search with more rounds of skews than the paper's one, and the plain search beside it.

    The answer is the better, by the plain score, of what ordinary Sparse Candidate makes of the
    skewed search's graph and what it finds by itself.
    """
    check_favour(skews["least_favour"], skews["most_favour"])
    _discrete(problem)  # refuses other scores before anything is searched
    plain = refined(problem, required_only(problem), n_candidates=skews["candidates"])
    found = _skewed(problem, skews, patience=skews["patience"]) if plain.complete else plain
    best = found if found.score > plain.score else plain
    return StructureFound.of_parents(problem.the_score, best.parents, complete=found.complete)


def _skewed(problem: StructureProblem, skews: SkewOptions, *, patience: int) -> Climbed:
    """Alternate between the skewed phases until the plain score no longer rises, then refine.

    Refined is the last graph, not the best: of parents that only tell something together, the first
    ones lower the plain score.
    """
    _discrete(problem)
    graph = best = required_only(problem)
    n_unimproved = 0
    try:
        while n_unimproved < patience:
            graph = _round(problem, skews, graph)
            n_unimproved = 0 if graph.score > best.score else n_unimproved + 1
            best = best if n_unimproved else graph
            if not graph.complete:
                return replace(best, complete=False)
    except Cancelled:
        return replace(best, complete=False)
    # When the plain score no longer rises: ordinary Sparse Candidate, from the graph so far.
    return refined(problem, graph, n_candidates=skews["candidates"])


def _round(problem: StructureProblem, skews: SkewOptions, graph: Climbed) -> Climbed:
    """Choose candidates under new skews, change the graph under others, and score it plainly."""
    score = _discrete(problem)

    def drawn(n_weightings: int) -> FloatArray:
        return skewed_weights(
            score.data,
            n_weightings,
            generator=problem.generator,
            least_favour=skews["least_favour"],
            most_favour=skews["most_favour"],
        )

    # Restrict: candidates by the mean of I(X; Y | Pa(X)) over T1 weightings.
    weights = drawn(skews["restrict_skews"])
    restriction = Restriction(problem, skews["candidates"], weights=weights)
    # Search: changes by the mean score over T2 others.
    weighted = WeightedScore(score, drawn(skews["search_skews"]), n_jobs=problem.n_jobs)
    found = climb(
        replace(problem, score=weighted),
        _HALF_OF_THE_FIRST,
        candidates=restriction.of(graph.parents),
        start=edges_of(graph.parents),
    )
    return replace(found, score=plain_score(score, found.parents))


def _discrete(problem: StructureProblem) -> DiscreteScore:
    score = problem.the_score
    if not isinstance(score, DiscreteScore):
        raise ColumnKindError(
            "A skewed search weighs counts, so it needs discrete columns and a score of them, such "
            f"as 'bic' or 'k2_penalised', not {score.name!r}; discretise the columns, or search "
            "with 'sparse_candidate'."
        )
    return score


SKEWED_SPARSE_CANDIDATE = Algorithm(
    skewed_sparse_candidate,
    "Sparse Candidate that also looks at reweighted rows; finds hidden effects.",
    paper="Lantz, Ray & Page 2007",
    returns="directed graph",
    needs=("score",),
    assumes=("discrete columns",),
    kinds=("discrete",),
    exact=False,
    random=True,
    complete_rows=True,
)

SKEWED_SPARSE_CANDIDATE_PATIENT = SKEWED_SPARSE_CANDIDATE.variant(
    skewed_sparse_candidate_patient,
    "Skewed Sparse Candidate with more rounds of skews, and the plain search beside it.",
    paper="Eiderdown's own, after Lantz, Ray & Page 2007",
)
