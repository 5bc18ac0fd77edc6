"""Plain, frozen records of what was found and why; they survive a trip through JSON unchanged."""

from eiderdown.results.all_boundaries import AllBoundaries
from eiderdown.results.evidence import Decision, Evidence, Run
from eiderdown.results.loading import AnyResult, load_result
from eiderdown.results.local import LocalResult, MarkovBoundary, ParentsChildren
from eiderdown.results.multiplicity import (
    Accuracy,
    AlternativeBoundary,
    Boundaries,
    Replacement,
)

__all__ = [
    "Accuracy",
    "AllBoundaries",
    "AlternativeBoundary",
    "AnyResult",
    "Boundaries",
    "Decision",
    "Evidence",
    "LocalResult",
    "MarkovBoundary",
    "ParentsChildren",
    "Replacement",
    "Run",
    "load_result",
]
