"""Eiderdown finds the Markov boundary of a variable, and says why.

    >>> import eiderdown
    >>> data = eiderdown.networks.load("asia").sample(5_000, random_state=0)
    >>> boundary = eiderdown.find_boundary(data, target="dysp")
    >>> sorted(boundary.members)
    ['bronc', 'either']

Everything named here is imported when first used, so that ``import eiderdown`` stays quick.
"""

from typing import TYPE_CHECKING

from eiderdown.lazy import imported_when_used

if TYPE_CHECKING:
    from eiderdown import confidence, estimators, export, graphs, independence, networks, testing
    from eiderdown.api import (
        compare_selectors,
        find_all_boundaries,
        find_boundaries,
        find_boundary,
        find_interactions,
        find_parents_children,
        learn_network,
        learn_region,
        measure_confidence,
        measure_optima,
        measure_stability,
        test,
    )
    from eiderdown.data import Dataset, Kind
    from eiderdown.errors import EiderdownError, EiderdownWarning
    from eiderdown.graphs import DAG, PDAG
    from eiderdown.knowledge import Knowledge
    from eiderdown.results import (
        AllBoundaries,
        Boundaries,
        EdgeStability,
        Evidence,
        FeatureConfidence,
        IndependenceAnswer,
        Interactions,
        LearnedNetwork,
        LearnedRegion,
        MarkovBoundary,
        OptimaBySize,
        ParentsChildren,
        SelectorComparison,
        load_result,
    )
else:
    __getattr__ = imported_when_used(
        __name__,
        {
            "api": (
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
            ),
            "confidence": (),
            "data": ("Dataset", "Kind"),
            "errors": ("EiderdownError", "EiderdownWarning"),
            "estimators": (),
            "export": (),
            "graphs": ("DAG", "PDAG"),
            "independence": (),
            "knowledge": ("Knowledge",),
            "networks": (),
            "results": (
                "AllBoundaries",
                "Boundaries",
                "EdgeStability",
                "Evidence",
                "FeatureConfidence",
                "IndependenceAnswer",
                "Interactions",
                "LearnedNetwork",
                "LearnedRegion",
                "MarkovBoundary",
                "OptimaBySize",
                "ParentsChildren",
                "SelectorComparison",
                "load_result",
            ),
            "testing": (),
        },
    )

__version__ = "0.1.0"

__all__ = [
    "DAG",
    "PDAG",
    "AllBoundaries",
    "Boundaries",
    "Dataset",
    "EdgeStability",
    "EiderdownError",
    "EiderdownWarning",
    "Evidence",
    "FeatureConfidence",
    "IndependenceAnswer",
    "Interactions",
    "Kind",
    "Knowledge",
    "LearnedNetwork",
    "LearnedRegion",
    "MarkovBoundary",
    "OptimaBySize",
    "ParentsChildren",
    "SelectorComparison",
    "__version__",
    "compare_selectors",
    "confidence",
    "estimators",
    "export",
    "find_all_boundaries",
    "find_boundaries",
    "find_boundary",
    "find_interactions",
    "find_parents_children",
    "graphs",
    "independence",
    "learn_network",
    "learn_region",
    "load_result",
    "measure_confidence",
    "measure_optima",
    "measure_stability",
    "networks",
    "test",
    "testing",
]


def __dir__() -> list[str]:
    return sorted(__all__)
