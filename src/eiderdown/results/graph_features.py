"""Features of graphs with the confidence in each, and the models that have them.

In files, models and features are columns of small integers: a thousand models share most of their
edges, so each edge is written once, and models hold the numbers of theirs. Columns of the table are
numbered, too.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias, TypeVar, get_args

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray
from eiderdown.errors import OptionError
from eiderdown.graphs import DAG, PDAG
from eiderdown.graphs.metrics import SYMMETRIC_KINDS, FeatureKind, features_of
from eiderdown.results.codec import SHARE, of_plain

FEATURE_KINDS: tuple[FeatureKind, ...] = get_args(FeatureKind)
_MARKS = {"directed": "->", "undirected": "--", "path": "=>", "boundary": "~"}


@dataclass(frozen=True)
class GraphFeature:
    """Something that models say about two columns, and how many of them say it.

    Attributes
    ----------
    kind : {"directed", "undirected", "path", "boundary"}
        A directed edge or a path of them, both from left to right; an undirected edge; or
        columns of which one is in the Markov boundary of the other, because they have an edge or a
        child in common.
    left, right : str
        The columns; in the order of their names where the kind has no direction.
    confidence : float
        Share of the models that have the feature.
    in_model : bool
        Whether the reported model has it.
    """

    kind: FeatureKind
    left: str
    right: str
    confidence: float
    in_model: bool

    def __str__(self) -> str:
        return f"{self.left} {_MARKS[self.kind]} {self.right}"


def in_order(features: Iterable[GraphFeature]) -> tuple[GraphFeature, ...]:
    """Sort by kind, then the most confident first, then by names."""
    rank = {kind: place for place, kind in enumerate(FEATURE_KINDS)}
    return tuple(sorted(features, key=lambda f: (rank[f.kind], -f.confidence, f.left, f.right)))


def pair_of(kind: FeatureKind, left: str, right: str) -> tuple[str, str]:
    """Put two columns in the order in which a feature of this kind has them."""
    return (right, left) if kind in SYMMETRIC_KINDS and right < left else (left, right)


def pairs_in(graph: DAG | PDAG) -> dict[FeatureKind, set[tuple[str, str]]]:
    """Return the pairs that have each kind of feature in a graph as it stands.

    Examples
    --------
    >>> pairs_in(PDAG.from_string("B--A"))["undirected"]
    {('A', 'B')}
    """
    features, nodes = features_of(graph), graph.nodes
    return {
        kind: {
            pair_of(kind, nodes[i], nodes[j])
            for i, j in np.argwhere(features.of_kind(kind)).tolist()
        }
        for kind in FEATURE_KINDS
    }


@dataclass(frozen=True)
class FoundModel:
    """A model and how often it was found.

    Attributes
    ----------
    directed : tuple of (str, str)
        The directed edges of its essential graph, as (tail, head).
    undirected : tuple of (str, str)
        The undirected ones.
    score : float or None
        Its score, where the search has one.
    n_runs : int
        How many runs found it.
    boundary : tuple of (str, str) or None
        The target with each member, for a boundary that was found by itself; None for a graph,
        where boundaries follow from the edges.
    """

    directed: tuple[tuple[str, str], ...]
    undirected: tuple[tuple[str, str], ...]
    score: float | None
    n_runs: int
    boundary: tuple[tuple[str, str], ...] | None = None

    @property
    def n_edges(self) -> int:
        """Number of edges of either sort."""
        return len(self.directed) + len(self.undirected)

    def graph(self, nodes: Iterable[str]) -> PDAG:
        """Return the essential graph over some columns.

        Examples
        --------
        >>> FoundModel((("A", "B"),), (("B", "C"),), -10.0, 3).graph(["A", "B", "C"])
        PDAG.from_string('A->B, B--C')
        """
        return PDAG(nodes, self.directed, self.undirected)


# --- in files ------------------------------------------------------------------------------------

Pairs: TypeAlias = tuple[tuple[str, str], ...]
Columns: TypeAlias = dict[str, Any]
_Thing = TypeVar("_Thing", bound=Hashable)
_Picked = TypeVar("_Picked")

_SORTS = {"directed": "directed", "undirected": "undirected", "boundary": "neighbours"}
"""Sorts of pairs, and under which name each is stored."""


def columns_of_models(models: Sequence[FoundModel], nodes: Sequence[str]) -> Columns:
    """Write models as columns."""
    place = {name: i for i, name in enumerate(nodes)}
    columns: Columns = {
        "score": [model.score for model in models],
        "n_runs": [model.n_runs for model in models],
    }
    for sort, stored in _SORTS.items():
        lists: list[Pairs | None] = [getattr(model, sort) for model in models]
        numbers = _numbered(pair for pairs in lists for pair in pairs or ())
        columns[stored] = {
            "pairs": [[place[left], place[right]] for left, right in numbers],
            "of_model": [
                None if pairs is None else [numbers[pair] for pair in pairs] for pairs in lists
            ],
        }
    return columns


def models_of_columns(columns: Columns, nodes: Sequence[str]) -> tuple[FoundModel, ...]:
    """Read back what :func:`columns_of_models` wrote."""
    lists: dict[str, list[Any]] = {}
    for sort, stored in _SORTS.items():
        pairs = of_plain(tuple[tuple[int, int], ...], columns[stored]["pairs"])
        table = [_picked(nodes, pair) for pair in pairs]
        of_model = of_plain(tuple[tuple[int, ...] | None, ...], columns[stored]["of_model"])
        lists[sort] = [None if own is None else _picked(table, own) for own in of_model]
    scores = of_plain(tuple[float | None, ...], columns["score"])
    rows = zip(scores, _whole(columns, "n_runs"), *lists.values(), strict=True)
    return tuple(
        FoundModel(directed, undirected, score, n_runs, boundary)
        for score, n_runs, directed, undirected, boundary in rows
    )


def columns_of_features(features: Sequence[GraphFeature], nodes: Sequence[str]) -> Columns:
    """Write features as columns."""
    place = {name: i for i, name in enumerate(nodes)}
    shares = _numbered(feature.confidence for feature in features)
    return {
        "kind": [FEATURE_KINDS.index(feature.kind) for feature in features],
        "left": [place[feature.left] for feature in features],
        "right": [place[feature.right] for feature in features],
        "confidences": list(shares),
        "confidence": [shares[feature.confidence] for feature in features],
        "in_model": [int(feature.in_model) for feature in features],
    }


def features_of_columns(columns: Columns, nodes: Sequence[str]) -> tuple[GraphFeature, ...]:
    """Read back what :func:`columns_of_features` wrote."""
    shares = of_plain(tuple[float, ...], columns["confidences"])
    if not all(SHARE[0] <= share <= SHARE[1] for share in shares):
        raise ValueError("a confidence is not from 0 to 1")
    rows = zip(
        _picked(FEATURE_KINDS, _whole(columns, "kind")),
        _picked(nodes, _whole(columns, "left")),
        _picked(nodes, _whole(columns, "right")),
        _picked(shares, _whole(columns, "confidence")),
        _picked((False, True), _whole(columns, "in_model")),
        strict=True,
    )
    return tuple(GraphFeature(*row) for row in rows)


def _whole(columns: Columns, name: str) -> tuple[int, ...]:
    """Read a column of numbers, which count or are places."""
    numbers: tuple[int, ...] = of_plain(tuple[int, ...], columns[name])
    if any(number < 0 for number in numbers):
        raise ValueError(f"{name} has a negative number")
    return numbers


def _picked(things: Sequence[_Picked], places: Iterable[int]) -> tuple[_Picked, ...]:
    """Return the things at some places, which must be there."""
    found = tuple(places)
    if found and not 0 <= min(found) <= max(found) < len(things):
        raise ValueError(f"there is no thing number {min(found)} or {max(found)}")
    return tuple(things[place] for place in found)


def _numbered(things: Iterable[_Thing]) -> dict[_Thing, int]:
    """Give distinct things numbers, in the order in which they first come up."""
    return {thing: i for i, thing in enumerate(dict.fromkeys(things))}


# --- thresholds ----------------------------------------------------------------------------------

THRESHOLDS: tuple[float, ...] = tuple(step / 20 for step in range(1, 21))
"""The thresholds of a curve if nobody names others: .05, .10, ... 1."""

_ROUNDING = 1e-9  # a confidence is a sum of shares; 9 of 20 models must count at .45


@dataclass(frozen=True)
class ErrorCounts:
    """What a threshold lets pass and what it holds back.

    Attributes
    ----------
    threshold : float
        Least confidence of a feature that passes.
    true_positives : int
        Features of the model that pass.
    false_positives : int
        Features that pass although the model does not have them.
    false_negatives : int
        Features of the model that do not pass.
    """

    threshold: float
    true_positives: int
    false_positives: int
    false_negatives: int


def passes(confidence: float, threshold: float) -> bool:
    """Tell whether a confidence reaches a threshold, rounding ignored.

    Examples
    --------
    >>> passes(0.1 + 0.2 + 0.15 - 1e-16, 0.45), passes(0.44, 0.45)
    (True, False)
    """
    return confidence >= threshold - _ROUNDING


def count_errors(
    confidences: FloatArray, in_model: BoolArray, thresholds: Sequence[float]
) -> tuple[ErrorCounts, ...]:
    """Count true positives, false positives and false negatives at some thresholds."""
    for threshold in thresholds:
        check_threshold(threshold)
    least = np.asarray(thresholds, dtype=np.float64) - _ROUNDING
    members, others = np.sort(confidences[in_model]), np.sort(confidences[~in_model])
    missed = np.searchsorted(members, least)
    wrong = len(others) - np.searchsorted(others, least)
    counts = zip(thresholds, wrong.tolist(), missed.tolist(), strict=True)
    return tuple(ErrorCounts(float(t), len(members) - fn, fp, fn) for t, fp, fn in counts)


def cheapest_threshold(
    curve: Sequence[ErrorCounts], *, false_positive_cost: float, false_negative_cost: float
) -> float:
    """Return the threshold of a curve at which the errors cost least."""
    _check_costs(false_positive_cost, false_negative_cost)
    costs = [
        false_positive_cost * point.false_positives + false_negative_cost * point.false_negatives
        for point in curve
    ]
    least = min(costs)
    cheap = [cost <= least + _ROUNDING * max(1.0, least) for cost in costs]
    grouped = groupby(enumerate(cheap), key=lambda item: item[1])
    runs = [[place for place, _ in run] for fits, run in grouped if fits]
    # The middle of the longest run: the threshold that can move furthest, or whose features'
    # confidences can change most, before the errors cost more.
    longest = max(runs, key=len)
    return curve[longest[(len(longest) - 1) // 2]].threshold


def check_threshold(threshold: float) -> None:
    """Refuse a threshold that no confidence can be compared with."""
    if not 0.0 < threshold <= 1.0:
        raise OptionError(f"threshold must be above 0 and at most 1, not {threshold}.")


def _check_costs(false_positive_cost: float, false_negative_cost: float) -> None:
    costs = {
        "false_positive_cost": false_positive_cost,
        "false_negative_cost": false_negative_cost,
    }
    for name, cost in costs.items():
        if not (math.isfinite(cost) and cost >= 0.0):
            raise OptionError(f"{name} must be a number that is not negative, not {cost}.")
    if not any(costs.values()):
        raise OptionError(
            "false_positive_cost and false_negative_cost are both 0; give at least one a cost."
        )
