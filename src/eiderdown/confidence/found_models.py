"""From graphs and boundaries to models that can be compared, and equal ones put together.

A model is known by its features: columns without any edge do not tell two models apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from eiderdown.arrays import without_rounding
from eiderdown.data import Dataset
from eiderdown.errors import OptionError
from eiderdown.graphs import DAG
from eiderdown.graphs.named_graph import NamedGraph
from eiderdown.results import (
    AlternativeBoundary,
    FoundModel,
    LearnedGraph,
    LocalResult,
    MarkovBoundary,
)

Pairs: TypeAlias = tuple[tuple[str, str], ...]
ModelSource: TypeAlias = NamedGraph | LearnedGraph | LocalResult | AlternativeBoundary
"""Whatever says which columns are joined: a graph, or a result that holds one or a boundary."""

ModelLearner: TypeAlias = Callable[[Dataset, int], ModelSource]
"""Learns from a table; the number is a seed for random choices."""


def found_model(source: ModelSource) -> FoundModel:
    """Write down what a graph or a boundary says, in the order of names.

    Parameters
    ----------
    source : graph or result
        A DAG, which stands for its essential graph; a PDAG or a Skeleton, taken as it stands; a
        learned network or region; parents and children; or a Markov boundary, which says nothing
        about edges.

    Examples
    --------
    >>> found_model(DAG.from_string("C->B->A")).undirected
    (('A', 'B'), ('B', 'C'))
    """
    if isinstance(source, AlternativeBoundary):
        return replace(found_model(source.boundary), n_runs=source.n_runs)
    if isinstance(source, LocalResult):
        around = _pairs((source.target, member) for member in source.members)
        is_boundary = isinstance(source, MarkovBoundary)
        return FoundModel(
            (), () if is_boundary else around, None, 1, around if is_boundary else None
        )
    if isinstance(source, LearnedGraph):
        return replace(found_model(source.cpdag), score=source.score)
    if isinstance(source, NamedGraph):
        directed, undirected = _edges_of(source)
        return FoundModel(tuple(sorted(directed)), _pairs(undirected), None, 1)
    raise OptionError(
        f"A model is a graph, a learned network or region, or a boundary, not a "
        f"{type(source).__name__}; give one of these."
    )


def columns_in(source: ModelSource) -> tuple[str, ...]:
    """Return the columns that a graph or a boundary speaks of."""
    if isinstance(source, AlternativeBoundary):
        return columns_in(source.boundary)
    if isinstance(source, LocalResult):
        return (source.target, *source.members)
    return source.nodes


def numbered_model(
    names: Sequence[str],
    directed: Iterable[tuple[int, int]],
    undirected: Iterable[tuple[int, int]],
    score: float,
) -> FoundModel:
    """Put names to an essential graph over numbered columns."""
    arrows = sorted((names[tail], names[head]) for tail, head in directed)
    return FoundModel(tuple(arrows), _pairs((names[i], names[j]) for i, j in undirected), score, 1)


class ModelCollection:
    """Distinct models, each with the number of runs that found it.

    Parameters
    ----------
    models : iterable of FoundModel
        What to begin with.

    Examples
    --------
    >>> from eiderdown.graphs import PDAG
    >>> collection = ModelCollection()
    >>> for edges in ("A->B", "A->B, C", "B--C"):
    ...     collection.add(found_model(PDAG.from_string(edges)))
    >>> [(model.n_edges, model.n_runs) for model in collection.ranked()]
    [(1, 2), (1, 1)]
    """

    def __init__(self, models: Iterable[FoundModel] = ()) -> None:
        self._models: dict[tuple[Pairs, Pairs, Pairs | None], FoundModel] = {}
        for model in models:
            self.add(model)

    def __len__(self) -> int:
        return len(self._models)

    @property
    def n_runs(self) -> int:
        """How many runs there were."""
        return sum(model.n_runs for model in self._models.values())

    def add(self, model: FoundModel) -> None:
        """Take a model in; of equal ones the first keeps its score."""
        key = (model.directed, model.undirected, model.neighbours)
        known = self._models.get(key)
        if known is not None:
            model = replace(known, n_runs=known.n_runs + model.n_runs)
        self._models[key] = model

    def ranked(self) -> tuple[FoundModel, ...]:
        """Return the models: by score, then by number of runs, by agreement and by names.

        Models without a score, each found by one run, are led by the one whose edges most others
        have, too.
        """
        models = list(self._models.values())
        scores = np.array([-np.inf if m.score is None else m.score for m in models], np.float64)
        # Sums in another order differ in their last bits, which must not decide.
        rounded = without_rounding(scores).tolist()
        agreement = _agreement(models)
        order = sorted(
            range(len(models)),
            key=lambda i: (-rounded[i], -models[i].n_runs, -agreement[i], _pairs_of(models[i])),
        )
        return tuple(models[i] for i in order)


def _agreement(models: Sequence[FoundModel]) -> list[int]:
    """Count for each model by how many runs more its pairs were found than not found."""
    counts: Counter[tuple[str, tuple[str, str]]] = Counter()
    for model in models:
        counts.update(dict.fromkeys(_sorted_pairs(model), model.n_runs))
    n_runs = sum(model.n_runs for model in models)
    return [sum(2 * counts[pair] - n_runs for pair in _sorted_pairs(m)) for m in models]


def _sorted_pairs(model: FoundModel) -> Iterator[tuple[str, tuple[str, str]]]:
    for sort, pairs in zip(("directed", "undirected", "neighbours"), _pairs_of(model), strict=True):
        yield from ((sort, pair) for pair in pairs)


def _pairs_of(model: FoundModel) -> tuple[Pairs, Pairs, Pairs]:
    return model.directed, model.undirected, model.neighbours or ()


def _edges_of(graph: NamedGraph) -> tuple[Pairs, Pairs]:
    """Return directed and undirected edges; those of a DAG's essential graph."""
    whole = graph.to_cpdag() if isinstance(graph, DAG) else graph
    edges = tuple(whole.marked_edges())
    return (
        tuple((edge.left, edge.right) for edge in edges if edge.arrow == "->"),
        tuple((edge.left, edge.right) for edge in edges if edge.arrow == "--"),
    )


def _pairs(pairs: Iterable[tuple[str, str]]) -> Pairs:
    return tuple(sorted((min(pair), max(pair)) for pair in pairs))
