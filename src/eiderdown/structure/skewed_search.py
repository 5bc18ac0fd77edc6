"""Skewed Sparse Candidate: finds parents of which no single one shows anything, as in parity.

Lantz, Ray & Page (2007). Both phases of :mod:`eiderdown.structure.sparse_candidate` see the rows as
they are and under several skews, and go by the average. Skewing finds parents; whether they are to
stay, ordinary Sparse Candidate decides in the end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from eiderdown.arrays import FloatArray
from eiderdown.errors import ColumnKindError, OptionError
from eiderdown.scores import DiscreteScore, WeightedScore
from eiderdown.structure.hill_climbing import Climbed, climb
from eiderdown.structure.search import StructureFound, StructureSearch
from eiderdown.structure.skewing import check_favour, check_skews, skewed_weights
from eiderdown.structure.sparse_candidate import (
    Restriction,
    edges_of,
    plain_score,
    refined,
    required_only,
)

_LEAST_SHARE = 0.5  # section 3: the search ends at less than half of the first move's improvement


@dataclass(frozen=True)
class _Skewing:
    """The options of a skewed search; see :func:`skewed_sparse_candidate`."""

    candidates: int
    restrict_skews: int
    search_skews: int
    least_favour: float
    most_favour: float
    patience: int

    def __post_init__(self) -> None:
        check_skews("restrict_skews", self.restrict_skews)
        check_skews("search_skews", self.search_skews)
        check_favour(self.least_favour, self.most_favour)
        if self.patience < 1:
            raise OptionError(f"patience must be at least 1, not {self.patience}.")


def skewed_sparse_candidate(
    search: StructureSearch,
    *,
    candidates: int = 6,
    restrict_skews: int = 30,
    search_skews: int = 30,
    least_favour: float = 0.5,
    most_favour: float = 1.0,
    patience: int = 3,
) -> StructureFound:
    """Search by Sparse Candidate, on the rows as they are and weighted at random.

    Parameters
    ----------
    search : StructureSearch
        The question; it needs a score of discrete columns.
    candidates : int
        How many candidates a column has, its present parents included (the paper's k).
    restrict_skews, search_skews : int
        Weightings in the phase that chooses candidates and in the phase that changes the graph,
        the plain one included (the paper's T1 and T2).
    least_favour, most_favour : float
        Between which the strength of a skew is drawn (the paper's s).
    patience : int
        How many rounds in a row that do not raise the plain score end the skewing; the paper's
        is 1.

    Returns
    -------
    StructureFound
        The better, by the plain score, of what ordinary Sparse Candidate makes of the skewed
        search's graph and what it finds by itself. Interrupted with Ctrl-C, the best so far.
    """
    options = _Skewing(
        candidates, restrict_skews, search_skews, least_favour, most_favour, patience
    )
    _discrete(search)  # refuses other scores before anything is searched
    plain = refined(search, required_only(search), n_candidates=candidates)
    found = _skewed(search, options) if plain.complete else plain
    if found.complete:
        found = refined(search, found, n_candidates=candidates)
    best = found if found.score > plain.score else plain
    return StructureFound.of_parents(search.the_score, best.parents, complete=found.complete)


def _skewed(search: StructureSearch, options: _Skewing) -> Climbed:
    """Alternate between the skewed phases until the plain score no longer rises.

    The last graph is the answer, not the best: of parents that only tell something together, the
    first ones lower the plain score.
    """
    graph = best = required_only(search)
    n_idle = 0
    try:
        while n_idle < options.patience:
            graph = _round(search, options, graph)
            n_idle = 0 if graph.score > best.score else n_idle + 1
            best = best if n_idle else graph
            if not graph.complete:
                return replace(best, complete=False)
    except KeyboardInterrupt:
        return replace(best, complete=False)
    return graph


def _round(search: StructureSearch, options: _Skewing, graph: Climbed) -> Climbed:
    """Choose candidates under new skews, change the graph under others, and score it plainly."""
    score = _discrete(search)
    restriction = Restriction(
        search, options.candidates, weights=_drawn(search, options, options.restrict_skews)
    )
    weights = _drawn(search, options, options.search_skews)
    found = climb(
        WeightedScore(score, weights, n_jobs=search.n_jobs),
        knowledge=search.knowledge,
        candidates=restriction.of(graph.parents),
        start=edges_of(graph.parents),
        tabu_length=0,
        patience=0,
        least_share=_LEAST_SHARE,
        trace=search.trace,
    )
    return replace(found, score=plain_score(score, found.parents))


def _drawn(search: StructureSearch, options: _Skewing, n_weightings: int) -> FloatArray:
    return skewed_weights(
        _discrete(search).data,
        n_weightings,
        generator=search.generator,
        least_favour=options.least_favour,
        most_favour=options.most_favour,
    )


def _discrete(search: StructureSearch) -> DiscreteScore:
    score = search.the_score
    if not isinstance(score, DiscreteScore):
        raise ColumnKindError(
            "A skewed search weighs counts, so it needs discrete columns and a score of them, such "
            f"as 'bic' or 'k2_penalised', not {score.name!r}; discretise the columns, or search "
            "with 'sparse_candidate'."
        )
    return score
