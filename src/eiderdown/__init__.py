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
    from eiderdown import estimators, graphs, independence, networks, testing
    from eiderdown.api import (
        EvidenceOptions,
        find_all_boundaries,
        find_boundaries,
        find_boundary,
        find_neighbours,
    )
    from eiderdown.data import Dataset, Kind
    from eiderdown.errors import EiderdownError, EiderdownWarning
    from eiderdown.graphs import DAG, PDAG
    from eiderdown.independence import Reliability
    from eiderdown.results import (
        AllBoundaries,
        Boundaries,
        Evidence,
        MarkovBoundary,
        ParentsChildren,
        load_result,
    )

__version__ = "0.1.0"

__all__ = [
    "DAG",
    "PDAG",
    "AllBoundaries",
    "Boundaries",
    "Dataset",
    "EiderdownError",
    "EiderdownWarning",
    "Evidence",
    "EvidenceOptions",
    "Kind",
    "MarkovBoundary",
    "ParentsChildren",
    "Reliability",
    "__version__",
    "estimators",
    "find_all_boundaries",
    "find_boundaries",
    "find_boundary",
    "find_neighbours",
    "graphs",
    "independence",
    "load_result",
    "networks",
    "testing",
]

_HOME = {
    "AllBoundaries": "results",
    "Boundaries": "results",
    "DAG": "graphs",
    "Dataset": "data",
    "EiderdownError": "errors",
    "EiderdownWarning": "errors",
    "Evidence": "results",
    "EvidenceOptions": "api",
    "Kind": "data",
    "MarkovBoundary": "results",
    "ParentsChildren": "results",
    "PDAG": "graphs",
    "Reliability": "independence",
    "find_all_boundaries": "api",
    "find_boundaries": "api",
    "find_boundary": "api",
    "find_neighbours": "api",
    "load_result": "results",
}
_SUBPACKAGES = ("estimators", "graphs", "independence", "networks", "testing")


def __getattr__(name: str) -> Any:
    if name in _SUBPACKAGES:
        return import_module(f"eiderdown.{name}")
    if name in _HOME:
        return getattr(import_module(f"eiderdown.{_HOME[name]}"), name)
    raise AttributeError(f"module 'eiderdown' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
