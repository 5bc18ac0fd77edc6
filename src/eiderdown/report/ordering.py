"""In which order things are shown: the strongest evidence and the steadiest members first."""

from __future__ import annotations

from eiderdown.results import BoundaryPath, LearnedEdge


def edge_strength(edge: LearnedEdge) -> tuple[float, float, str]:
    """Return what sorts edges from the strongest evidence to the weakest."""
    if edge.test is not None:
        return (edge.test.log_p, -abs(edge.test.statistic), str(edge))
    return (0.0 if edge.gain is None else -edge.gain, 0.0, str(edge))


def by_levels(result: BoundaryPath) -> list[str]:
    """Return the columns of a path, those that are members at most levels first."""
    return sorted(result.columns, key=lambda x: (-sum(result.levels_of(x)), x))
