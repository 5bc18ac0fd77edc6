"""Plain, frozen records of what was found and why; they survive a trip through JSON unchanged."""

from eiderdown.results.all_boundaries import AllBoundaries
from eiderdown.results.comparison import ComparedSelector, SelectorComparison, Trial
from eiderdown.results.evidence import Decision, Evidence, Run
from eiderdown.results.interactions import (
    CrossValidation,
    FeatureSearch,
    Interactions,
    KeptFeature,
    Machine,
    TriedMachine,
)
from eiderdown.results.loading import AnyResult, load_result
from eiderdown.results.local import LocalResult, MarkovBoundary, ParentsChildren
from eiderdown.results.multiplicity import (
    Accuracy,
    AlternativeBoundary,
    Boundaries,
    Replacement,
)
from eiderdown.results.networks import (
    LearnedEdge,
    LearnedGraph,
    LearnedNetwork,
    LearnedRegion,
)
from eiderdown.results.stability import EdgeFrequency, EdgeStability

__all__ = [
    "Accuracy",
    "AllBoundaries",
    "AlternativeBoundary",
    "AnyResult",
    "Boundaries",
    "ComparedSelector",
    "CrossValidation",
    "Decision",
    "EdgeFrequency",
    "EdgeStability",
    "Evidence",
    "FeatureSearch",
    "Interactions",
    "KeptFeature",
    "LearnedEdge",
    "LearnedGraph",
    "LearnedNetwork",
    "LearnedRegion",
    "LocalResult",
    "Machine",
    "MarkovBoundary",
    "ParentsChildren",
    "Replacement",
    "Run",
    "SelectorComparison",
    "Trial",
    "TriedMachine",
    "load_result",
]
