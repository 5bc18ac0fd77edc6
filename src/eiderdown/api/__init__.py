"""The one place that wires data, statistics, evidence and search together."""

from typing import TYPE_CHECKING

from eiderdown.lazy import imported_when_used

if TYPE_CHECKING:
    from eiderdown.api.boundary import find_all_boundaries, find_boundary, find_parents_children
    from eiderdown.api.compare import compare_selectors
    from eiderdown.api.confidence import measure_confidence, measure_optima
    from eiderdown.api.independence import test
    from eiderdown.api.interactions import find_interactions
    from eiderdown.api.learners import LEARNERS
    from eiderdown.api.multiplicity import find_boundaries
    from eiderdown.api.network import learn_network, learn_region
    from eiderdown.api.stability import measure_stability
else:
    __getattr__ = imported_when_used(
        __name__,
        {
            "boundary": ("find_all_boundaries", "find_boundary", "find_parents_children"),
            "compare": ("compare_selectors",),
            "confidence": ("measure_confidence", "measure_optima"),
            "independence": ("test",),
            "interactions": ("find_interactions",),
            "learners": ("LEARNERS",),
            "multiplicity": ("find_boundaries",),
            "network": ("learn_network", "learn_region"),
            "stability": ("measure_stability",),
        },
    )

__all__ = [
    "LEARNERS",
    "compare_selectors",
    "find_all_boundaries",
    "find_boundaries",
    "find_boundary",
    "find_interactions",
    "find_parents_children",
    "learn_network",
    "learn_region",
    "measure_confidence",
    "measure_optima",
    "measure_stability",
    "test",
]
