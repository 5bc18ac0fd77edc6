"""Eiderdown finds the Markov boundary of a variable, and says why.

    >>> import eiderdown
    >>> data = eiderdown.networks.load("asia").sample(5_000, random_state=0)
    >>> boundary = eiderdown.find_boundary(data, target="dysp")
    >>> sorted(boundary.members)
    ['bronc', 'either']

Everything named here is imported when first used, so that ``import eiderdown`` stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
        Interactions,
        LearnedNetwork,
        LearnedRegion,
        MarkovBoundary,
        OptimaBySize,
        ParentsChildren,
        SelectorComparison,
        load_result,
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
    "testing",
]

_HOME = {
    "AllBoundaries": "results",
    "Boundaries": "results",
    "DAG": "graphs",
    "Dataset": "data",
    "EdgeStability": "results",
    "EiderdownError": "errors",
    "EiderdownWarning": "errors",
    "Evidence": "results",
    "FeatureConfidence": "results",
    "Interactions": "results",
    "Kind": "data",
    "Knowledge": "knowledge",
    "LearnedNetwork": "results",
    "LearnedRegion": "results",
    "MarkovBoundary": "results",
    "OptimaBySize": "results",
    "ParentsChildren": "results",
    "PDAG": "graphs",
    "SelectorComparison": "results",
    "compare_selectors": "api",
    "find_all_boundaries": "api",
    "find_boundaries": "api",
    "find_boundary": "api",
    "find_interactions": "api",
    "find_parents_children": "api",
    "learn_network": "api",
    "learn_region": "api",
    "load_result": "results",
    "measure_confidence": "api",
    "measure_optima": "api",
    "measure_stability": "api",
}
_SUBPACKAGES = (
    "confidence",
    "estimators",
    "export",
    "graphs",
    "independence",
    "networks",
    "testing",
)


def __getattr__(name: str) -> Any:
    if name in _SUBPACKAGES:
        return import_module(f"eiderdown.{name}")
    if name in _HOME:
        return getattr(import_module(f"eiderdown.{_HOME[name]}"), name)
    raise AttributeError(f"module 'eiderdown' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
