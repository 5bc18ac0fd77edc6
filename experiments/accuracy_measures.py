"""How far sets and graphs are from the truth, for ``accuracy.py``.

Sets: precision, recall, F1 and the distance sqrt((1 - precision)^2 + (1 - recall)^2) of Pena et
al. (2007), of each target, then their means. Nothing found has precision 1, nothing to find has
recall 1: so an empty answer is right (F1 1) where the true set is empty, and has F1 0 elsewhere.

Graphs are compared as CPDAGs. CPDAG F1: an edge is right if the true CPDAG has the same edge with
the same mark (directed that way, or undirected). Adjacency F1 ignores marks, arrowhead F1 is that
of the directed edges alone. SHD: edges to add, delete or mark otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import fmean

from eiderdown.graphs import DAG, PDAG, structural_hamming_distance
from eiderdown.graphs.metrics import adjacency_scores, boundary_scores

SET_MEASURES = ("f1", "precision", "recall", "distance")
GRAPH_MEASURES = ("f1", "adjacency", "arrowheads", "shd")


def set_measures(
    found: Mapping[str, Iterable[str]], truth: Mapping[str, Iterable[str]]
) -> dict[str, float]:
    """Return the means over the targets of what was found."""
    scores = [boundary_scores(members, truth[target]) for target, members in found.items()]
    return {name: fmean(getattr(score, name) for score in scores) for name in SET_MEASURES}


def graph_measures(learned: PDAG, truth: PDAG) -> dict[str, float]:
    """Compare two CPDAGs; nodes that the learned one lacks stand alone in it."""
    whole = PDAG(truth.nodes, learned.directed, learned.undirected)
    marked, true_marked = marks(whole), marks(truth)
    arrows, true_arrows = ({m for m in own if "->" in m} for own in (marked, true_marked))
    return {
        "f1": boundary_scores(marked, true_marked).f1,
        "adjacency": adjacency_scores(whole, truth).f1,
        "arrowheads": boundary_scores(arrows, true_arrows).f1,
        "shd": structural_hamming_distance(whole, truth),
    }


def marks(graph: PDAG) -> set[str]:
    """Return the edges with their marks, each in one way only."""
    return {
        f"{a} -> {b}" if arrow == "->" else " -- ".join(sorted((a, b)))
        for a, arrow, b in graph.marked_edges()
    }


def true_sets(dag: DAG, targets: Iterable[str]) -> dict[str, dict[str, frozenset[str]]]:
    """Return the true boundary, and the true parents and children, of each target."""
    targets = list(targets)
    return {
        "boundary": {target: frozenset(dag.markov_boundary(target)) for target in targets},
        "parents_children": {target: frozenset(dag.adjacent(target)) for target in targets},
    }
