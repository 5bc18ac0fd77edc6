"""Causal graphs: DAGs, their CPDAGs and skeletons, and distances between them."""

from __future__ import annotations

from eiderdown.graphs.dag import DAG, random_dag
from eiderdown.graphs.metrics import (
    SetScores,
    adjacency_scores,
    boundary_scores,
    cpdag_distance,
    sensitivity_specificity_distance,
    structural_hamming_distance,
)
from eiderdown.graphs.named_graph import Skeleton
from eiderdown.graphs.pdag import PDAG
from eiderdown.graphs.separation import reachable

__all__ = [
    "DAG",
    "PDAG",
    "SetScores",
    "Skeleton",
    "adjacency_scores",
    "boundary_scores",
    "cpdag_distance",
    "random_dag",
    "reachable",
    "sensitivity_specificity_distance",
    "structural_hamming_distance",
]
