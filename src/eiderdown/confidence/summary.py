"""The confidence in each feature: the weight of the models that have it.

Pena, Kocka & Nielsen (2004), section 3.2: the share of the distinct local optima with a feature, or
a share in which models weigh by their score.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import get_args

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray
from eiderdown.errors import OptionError
from eiderdown.graphs.features import SYMMETRIC_KINDS, FeatureKind, features_of
from eiderdown.results import FoundModel, GraphFeature, Weighting
from eiderdown.results.graph_features import FEATURE_KINDS, in_order


def model_weights(models: Sequence[FoundModel], weighting: Weighting) -> FloatArray:
    """Say what each model counts, as a number that others are compared with.

    Parameters
    ----------
    models : sequence of FoundModel
        Distinct models.
    weighting : {"distinct", "runs", "score"}
        Each the same; by the number of runs that found it; or in proportion to ``exp(score)``.

    Examples
    --------
    >>> models = [FoundModel((), (), -10.0, 3), FoundModel((("A", "B"),), (), -11.0, 1)]
    >>> model_weights(models, "runs").tolist()
    [3.0, 1.0]
    >>> model_weights(models, "score").round(3).tolist()
    [1.0, 0.368]
    """
    check_weighting(weighting)
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


def check_weighting(weighting: str) -> None:
    """Refuse a weighting that does not exist."""
    if weighting not in get_args(Weighting):
        raise OptionError(f"weighting must be one of {get_args(Weighting)}, not {weighting!r}.")


def summarised(
    models: Sequence[FoundModel], nodes: Sequence[str], *, weighting: Weighting = "distinct"
) -> tuple[GraphFeature, ...]:
    """Return every feature of some models with the confidence in it.

    Parameters
    ----------
    models : sequence of FoundModel
        Distinct models, the best first; it says which features are in the model.
    nodes : sequence of str
        The columns.
    weighting : {"distinct", "runs", "score"}
        What each model counts.

    Examples
    --------
    >>> models = [FoundModel((), (("A", "B"),), None, 9), FoundModel((("A", "B"),), (), None, 1)]
    >>> [str(feature) for feature in summarised(models, ["A", "B"])]
    ['A -> B', 'A -- B', 'A => B', 'A ~ B']
    >>> [feature.confidence for feature in summarised(models, ["A", "B"], weighting="runs")]
    [0.1, 0.9, 0.1, 1.0]
    """
    # Columns that no model speaks of would only make the matrices larger.
    seen = {name for model in models for pair in _all_pairs(model) for name in pair}
    names = sorted(seen.intersection(nodes))
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
    return in_order(
        GraphFeature(
            kind, names[i], names[j], float(summed[kind][i, j] / total), bool(matrix[i, j])
        )
        for kind, matrix in of_best.items()
        for i, j in _places(kind, summed[kind] > 0.0)
    )


def _all_pairs(model: FoundModel) -> Iterator[tuple[str, str]]:
    yield from model.directed
    yield from model.undirected
    yield from model.neighbours or ()


def _matrices(model: FoundModel, names: Sequence[str]) -> dict[FeatureKind, BoolArray]:
    features = features_of(model.graph(names))
    matrices = {kind: features.of_kind(kind) for kind in FEATURE_KINDS}
    if model.neighbours is not None:
        place = {name: i for i, name in enumerate(names)}
        neighbour = np.zeros((len(names), len(names)), dtype=np.bool_)
        for left, right in model.neighbours:
            neighbour[place[left], place[right]] = neighbour[place[right], place[left]] = True
        matrices["neighbour"] = neighbour
    return matrices


def _places(kind: FeatureKind, matrix: BoolArray) -> Iterator[tuple[int, int]]:
    """Yield where a feature is, once where it has no direction: names are in order."""
    wanted = np.triu(matrix) if kind in SYMMETRIC_KINDS else matrix
    rows, columns = np.nonzero(wanted)
    yield from zip(rows.tolist(), columns.tolist(), strict=True)
