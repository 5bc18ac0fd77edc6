"""Models of a table, the graph features they share, and the confidence in each.

Pena, Kocka & Nielsen (2004), section 3.2: the confidence in a feature is the share of the distinct
models that have it, or a share in which models weigh by their score. A model is known by its
features: columns without any edge do not tell two models apart.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Any, Final, TypeAlias, get_args

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, without_rounding
from eiderdown.data import Dataset
from eiderdown.errors import OptionError
from eiderdown.graphs import DAG
from eiderdown.graphs.metrics import SYMMETRIC_KINDS, FeatureKind, features_of
from eiderdown.graphs.named_graph import NamedGraph
from eiderdown.memory import require_memory
from eiderdown.results import (
    AlternativeBoundary,
    FeatureConfidence,
    FoundModel,
    GraphFeature,
    LearnedGraph,
    LocalResult,
    MarkovBoundary,
    Weighting,
)
from eiderdown.results.graph_features import FEATURE_KINDS

Pairs: TypeAlias = tuple[tuple[str, str], ...]
ModelSource: TypeAlias = NamedGraph | LearnedGraph | LocalResult | AlternativeBoundary
"""Whatever says which columns are joined: a graph, or a result that holds one or a boundary."""

ModelLearner: TypeAlias = Callable[[Dataset, int], ModelSource]
"""Learns from a table; the number is a seed for random choices."""

ENOUGH: Final = 50
"""Models (or runs) from which on a share has two digits worth reading."""

_NEARLY_ALL = 0.9  # of the runs, each with a model of its own; or of the weight, for one model


# --- models --------------------------------------------------------------------------------------


def model_of(source: ModelSource) -> FoundModel:
    """Write down what a graph or a boundary says, in the order of names.

    Parameters
    ----------
    source : graph or result
        A DAG, which stands for its essential graph; a PDAG or a Skeleton, taken as it stands; a
        learned network or region; parents and children; or a Markov boundary, which says nothing
        about edges.

    Examples
    --------
    >>> model_of(DAG.from_string("C->B->A")).undirected
    (('A', 'B'), ('B', 'C'))
    """
    if isinstance(source, AlternativeBoundary):
        return replace(model_of(source.boundary), n_runs=source.n_runs)
    if isinstance(source, MarkovBoundary):
        return FoundModel((), (), None, 1, _around(source))
    if isinstance(source, LocalResult):
        return FoundModel((), _around(source), None, 1)
    if isinstance(source, LearnedGraph):
        return replace(model_of(source.cpdag), score=source.score)
    if isinstance(source, NamedGraph):
        edges = tuple((source.to_cpdag() if isinstance(source, DAG) else source).marked_edges())
        directed = sorted((left, right) for left, arrow, right in edges if arrow == "->")
        undirected = _in_order((left, right) for left, arrow, right in edges if arrow == "--")
        return FoundModel(tuple(directed), undirected, None, 1)
    raise OptionError(
        f"A model is a graph, a learned network or region, or a boundary, not a "
        f"{type(source).__name__}; give one of these."
    )


def columns_of(source: ModelSource) -> tuple[str, ...]:
    """Return the columns that a graph or a boundary speaks of."""
    if isinstance(source, AlternativeBoundary):
        return columns_of(source.boundary)
    if isinstance(source, LocalResult):
        return (source.target, *source.members)
    return source.nodes


def model_of_edges(
    names: Sequence[str],
    directed: Iterable[tuple[int, int]],
    undirected: Iterable[tuple[int, int]],
    score: float,
) -> FoundModel:
    """Put names to an essential graph over numbered columns."""
    arrows = sorted((names[tail], names[head]) for tail, head in directed)
    lines = _in_order((names[i], names[j]) for i, j in undirected)
    return FoundModel(tuple(arrows), lines, score, 1)


def _around(source: LocalResult) -> Pairs:
    return _in_order((source.target, member) for member in source.members)


def _in_order(pairs: Iterable[tuple[str, str]]) -> Pairs:
    return tuple(sorted((min(pair), max(pair)) for pair in pairs))


class DistinctModels:
    """Distinct models, each with the number of runs that found it.

    Examples
    --------
    >>> from eiderdown.graphs import PDAG
    >>> distinct = DistinctModels()
    >>> for edges in ("A->B", "A->B, C", "B--C"):
    ...     distinct.add(model_of(PDAG.from_string(edges)))
    >>> [(model.n_edges, model.n_runs) for model in distinct.ranked()]
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
        """Count a model; of equal ones the first keeps its score."""
        key = (model.directed, model.undirected, model.boundary)
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
    marked = [
        [(sort, pair) for sort, pairs in enumerate(_pairs_of(model)) for pair in pairs]
        for model in models
    ]
    counts: Counter[tuple[int, tuple[str, str]]] = Counter()
    for model, pairs in zip(models, marked, strict=True):
        counts.update(dict.fromkeys(pairs, model.n_runs))
    n_runs = sum(model.n_runs for model in models)
    return [sum(2 * counts[pair] - n_runs for pair in pairs) for pairs in marked]


def _pairs_of(model: FoundModel) -> tuple[Pairs, Pairs, Pairs]:
    return model.directed, model.undirected, model.boundary or ()


# --- confidences ---------------------------------------------------------------------------------


def confidence_from(
    models: tuple[FoundModel, ...], nodes: tuple[str, ...], weighting: Weighting, **more: Any
) -> FeatureConfidence:
    """Measure the confidence in every feature of distinct models, the best first."""
    return FeatureConfidence(
        nodes=nodes,
        features=feature_confidences(models, nodes, weighting=weighting),
        models=models,
        weighting=weighting,
        n_runs=sum(model.n_runs for model in models),
        **more,
    )


def model_weights(models: Sequence[FoundModel], weighting: Weighting) -> FloatArray:
    """Return what each model counts, as a number that others are compared with.

    Each the same; by the number of runs that found it; or in proportion to ``exp(score)``.

    Examples
    --------
    >>> models = [FoundModel((), (), -10.0, 3), FoundModel((("A", "B"),), (), -11.0, 1)]
    >>> model_weights(models, "runs").tolist()
    [3.0, 1.0]
    >>> model_weights(models, "score").round(3).tolist()
    [1.0, 0.368]
    """
    if weighting not in get_args(Weighting):
        raise OptionError(f"weighting must be one of {get_args(Weighting)}, not {weighting!r}.")
    if weighting == "distinct":
        return np.ones(len(models))
    if weighting == "runs":
        return np.array([model.n_runs for model in models], dtype=np.float64)
    scores = [model.score for model in models if model.score is not None]
    if len(scores) < len(models):
        raise OptionError(
            "weighting='score' needs a score of every model, which these models do not have; "
            "choose 'distinct' or 'runs'."
        )
    return np.exp(np.array(scores) - max(scores))


def feature_confidences(
    models: Sequence[FoundModel], nodes: Sequence[str], *, weighting: Weighting = "distinct"
) -> tuple[GraphFeature, ...]:
    """Return every graph feature of some models with the confidence in it.

    The best model comes first; it says which features are in the model.

    Examples
    --------
    >>> models = [FoundModel((), (("A", "B"),), None, 9), FoundModel((("A", "B"),), (), None, 1)]
    >>> [str(feature) for feature in feature_confidences(models, ["A", "B"])]
    ['A -> B', 'A -- B', 'A => B', 'A ~ B']
    >>> [found.confidence for found in feature_confidences(models, ["A", "B"], weighting="runs")]
    [0.1, 0.9, 0.1, 1.0]
    """
    # Columns that no model speaks of would only make the matrices larger.
    joined = {
        name for model in models for pairs in _pairs_of(model) for pair in pairs for name in pair
    }
    names = sorted(joined.intersection(nodes))
    require_memory(
        48.0 * len(names) ** 2,  # sums of four kinds, what a model has, and what the best has
        f"Confidence in the features of {len(names):,} columns",
        "give fewer columns, or take models with fewer edges",
    )
    summed = {kind: np.zeros((len(names), len(names))) for kind in FEATURE_KINDS}
    of_best: dict[FeatureKind, BoolArray] = {}
    total = 0.0
    for model, weight in zip(models, model_weights(models, weighting).tolist(), strict=True):
        matrices = _matrices(model, names)
        for kind, matrix in matrices.items():
            summed[kind] += weight * matrix
        # Summed as the features are, so that what all models have comes to 1 exactly.
        total += weight
        of_best = of_best or matrices
    return tuple(
        feature
        for kind, matrix in of_best.items()
        for feature in _features(kind, names, summed[kind] / total, matrix)
    )


def _matrices(model: FoundModel, names: Sequence[str]) -> dict[FeatureKind, BoolArray]:
    features = features_of(model.graph(names))
    matrices = {kind: features.of_kind(kind) for kind in FEATURE_KINDS}
    if model.boundary is not None:
        number = {name: i for i, name in enumerate(names)}
        matrix = np.zeros((len(names), len(names)), dtype=np.bool_)
        for left, right in model.boundary:
            matrix[number[left], number[right]] = matrix[number[right], number[left]] = True
        matrices["boundary"] = matrix
    return matrices


def _features(
    kind: FeatureKind, names: Sequence[str], confidence: FloatArray, in_model: BoolArray
) -> Iterator[GraphFeature]:
    """Yield features of one kind, the most confident first, then by names, which are in order.

    Where a feature has no direction it is there once.
    """
    known = confidence > 0.0
    rows, columns = np.nonzero(np.triu(known) if kind in SYMMETRIC_KINDS else known)
    order = np.argsort(-confidence[rows, columns], kind="stable")
    rows, columns = rows[order], columns[order]
    return map(
        GraphFeature,
        repeat(kind),
        map(names.__getitem__, rows.tolist()),
        map(names.__getitem__, columns.tolist()),
        confidence[rows, columns].tolist(),
        in_model[rows, columns].tolist(),
    )


# --- warnings ------------------------------------------------------------------------------------


def confidence_warnings(
    models: Sequence[FoundModel], *, weighting: Weighting, same_rows: bool, more: str = "more runs"
) -> Iterator[str]:
    """Say how far confidences can be trusted, in a sentence for those who need it.

    With ``same_rows`` nothing but the choices of the search differed between the runs; ``more``
    might find other models.

    Examples
    --------
    >>> one = FoundModel((), (), None, 100)
    >>> warnings = list(confidence_warnings([one], weighting="distinct", same_rows=True))
    >>> warnings[0].split(":")[0]
    'All 100 runs found the same model'
    """
    n_runs = sum(model.n_runs for model in models)
    if n_runs == 1:
        yield "A single run says nothing about confidence; make more of them."
    elif len(models) == 1 and same_rows:
        yield (
            f"All {n_runs:,} runs found the same model: a confidence of 1 says that the search is "
            "certain, not that other rows of the same kind would give this model; resampled rows "
            "(source='resamples') can tell."
        )
    elif len(models) == 1 or weighting == "runs":
        if n_runs < ENOUGH:
            yield f"There are only {n_runs:,} runs; {_standard_error(n_runs)}"
    elif weighting == "score":
        weights = model_weights(models, "score")
        heaviest = float(weights.max() / weights.sum())
        if heaviest > _NEARLY_ALL:
            yield (
                f"By its score the best of {len(models):,} models has {heaviest:.0%} of the "
                "weight, so the confidences say little more than that model does; "
                "weighting='distinct' counts all models alike."
            )
    elif len(models) > max(_NEARLY_ALL * n_runs, 1):
        yield (
            f"Nearly every run found another model ({len(models):,} of {n_runs:,}), so there are "
            f"many more; {_standard_error(len(models))}"
        )
    elif len(models) < ENOUGH:
        yield (
            f"The {n_runs:,} runs found only {len(models):,} different models, so confidences go "
            f"in steps of {1.0 / len(models):.2g}; {more} may find others."
        )


def _standard_error(n: int) -> str:
    return (
        f"a confidence of 0.5 has a standard error of {math.sqrt(0.25 / n):.2g}, which more runs "
        "make smaller."
    )
