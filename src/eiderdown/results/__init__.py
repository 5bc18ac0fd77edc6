"""Plain, frozen records of what was found and why; they survive a trip through JSON unchanged."""

from eiderdown.results.all_boundaries import AllBoundaries
from eiderdown.results.comparison import ComparedSelector, SelectorComparison, Trial
from eiderdown.results.confidence import FeatureConfidence, Reference, Weighting
from eiderdown.results.evidence import Decision, Evidence
from eiderdown.results.features import Feature
from eiderdown.results.found_model import FoundModel
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
from eiderdown.results.optima import OptimaBySize, OptimaCount
from eiderdown.results.run import Run, issue_warnings, withheld_warnings
from eiderdown.results.stability import EdgeFrequency, EdgeStability
from eiderdown.results.trade_off import ErrorCounts

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
    "ErrorCounts",
    "Evidence",
    "Feature",
    "FeatureConfidence",
    "FeatureSearch",
    "FoundModel",
    "Interactions",
    "KeptFeature",
    "LearnedEdge",
    "LearnedGraph",
    "LearnedNetwork",
    "LearnedRegion",
    "LocalResult",
    "Machine",
    "MarkovBoundary",
    "OptimaBySize",
    "OptimaCount",
    "ParentsChildren",
    "Reference",
    "Replacement",
    "Run",
    "SelectorComparison",
    "Trial",
    "TriedMachine",
    "Weighting",
    "issue_warnings",
    "load_result",
    "withheld_warnings",
]
