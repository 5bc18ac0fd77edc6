"""Models and features as columns of small integers, so that their JSON stays small.

A thousand models share most of their edges: each edge is written once, and models hold the numbers
of theirs. Columns are numbered, too.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from eiderdown.graphs.features import FeatureKind
from eiderdown.results.features import FEATURE_KINDS, Feature
from eiderdown.results.found_model import FoundModel

Pairs: TypeAlias = tuple[tuple[str, str], ...]
Columns: TypeAlias = dict[str, Any]
_Thing = TypeVar("_Thing", bound=Hashable)

_SORTS = ("directed", "undirected", "neighbours")


def columns_of_models(models: Sequence[FoundModel], nodes: Sequence[str]) -> Columns:
    """Write models as columns."""
    place = {name: i for i, name in enumerate(nodes)}
    columns: Columns = {
        "score": [model.score for model in models],
        "n_runs": [model.n_runs for model in models],
    }
    for sort in _SORTS:
        lists: list[Pairs | None] = [getattr(model, sort) for model in models]
        numbers = _numbered(pair for pairs in lists for pair in pairs or ())
        columns[sort] = {
            "pairs": [[place[left], place[right]] for left, right in numbers],
            "of_model": [_written(pairs, numbers) for pairs in lists],
        }
    return columns


def models_of_columns(columns: Columns, nodes: Sequence[str]) -> tuple[FoundModel, ...]:
    """Read back what :func:`columns_of_models` wrote."""
    lists: dict[str, list[Any]] = {}
    for sort in _SORTS:
        table = [(nodes[i], nodes[j]) for i, j in columns[sort]["pairs"]]
        lists[sort] = [_read(numbers, table) for numbers in columns[sort]["of_model"]]
    rows = zip(columns["score"], columns["n_runs"], *lists.values(), strict=True)
    return tuple(
        FoundModel(directed, undirected, score, n_runs, neighbours)
        for score, n_runs, directed, undirected, neighbours in rows
    )


def columns_of_features(features: Sequence[Feature], nodes: Sequence[str]) -> Columns:
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


def features_of_columns(columns: Columns, nodes: Sequence[str]) -> tuple[Feature, ...]:
    """Read back what :func:`columns_of_features` wrote."""
    kinds: tuple[FeatureKind, ...] = FEATURE_KINDS
    names = ("kind", "left", "right", "confidence", "in_model")
    rows = zip(*(columns[name] for name in names), strict=True)
    shares = columns["confidences"]
    return tuple(
        Feature(kinds[kind], nodes[left], nodes[right], shares[share], bool(in_model))
        for kind, left, right, share, in_model in rows
    )


def _numbered(things: Iterable[_Thing]) -> dict[_Thing, int]:
    """Give distinct things numbers, in the order in which they first come up."""
    return {thing: i for i, thing in enumerate(dict.fromkeys(things))}


def _written(pairs: Pairs | None, numbers: Mapping[tuple[str, str], int]) -> list[int] | None:
    return None if pairs is None else [numbers[pair] for pair in pairs]


def _read(numbers: Sequence[int] | None, table: Sequence[tuple[str, str]]) -> Pairs | None:
    return None if numbers is None else tuple(table[number] for number in numbers)
