"""Features of graphs by name, each with the confidence in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

import numpy as np

from eiderdown.graphs import DAG, PDAG
from eiderdown.graphs.features import SYMMETRIC_KINDS, FeatureKind, features_of

FEATURE_KINDS: tuple[FeatureKind, ...] = get_args(FeatureKind)
_MARKS = {"directed": "->", "undirected": "--", "path": "=>", "neighbour": "~"}


@dataclass(frozen=True)
class Feature:
    """Something that models say about two columns, and how many of them say it.

    Attributes
    ----------
    kind : {"directed", "undirected", "path", "neighbour"}
        A directed edge or a path of them, both from left to right; an undirected edge; or
        Markov-blanket neighbours, that is columns with an edge or with a child in common.
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


def in_order(features: Iterable[Feature]) -> tuple[Feature, ...]:
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
