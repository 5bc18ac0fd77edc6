"""What a score leaves of a true graph: its edges that tell less than they cost are taken out."""

from __future__ import annotations

from eiderdown import DAG
from eiderdown.graphs.metrics import KINDS_OF_GROUP
from eiderdown.results.graph_features import pairs_in
from eiderdown.scores import LocalScore


def pruned(dag: DAG, score: LocalScore) -> DAG:
    """Remove edges as long as that raises the score, always the one that raises it most."""
    best, highest = dag, score.total(dag)
    smaller = [DAG(dag.nodes, [e for e in dag.edges if e != edge]) for edge in dag.edges]
    for candidate in smaller:
        total = score.total(candidate)
        if total > highest:
            best, highest = candidate, total
    return dag if best is dag else pruned(best, score)


def graph_errors(found: DAG, true: DAG) -> dict[str, tuple[int, int]]:
    """Count, by group of features, what only the first essential graph has and only the second."""
    first, second = (pairs_in(dag.to_cpdag()) for dag in (found, true))
    return {
        group: (
            sum(len(first[kind] - second[kind]) for kind in kinds),
            sum(len(second[kind] - first[kind]) for kind in kinds),
        )
        for group, kinds in KINDS_OF_GROUP.items()
    }
