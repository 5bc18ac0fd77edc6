"""Plain, frozen records of what was found and why; they survive a trip through JSON unchanged."""

from eiderdown.results.causes import (
    Blanket,
    NeighbourRole,
    Orientation,
    SpouseRole,
    YStructure,
)
from eiderdown.results.comparison import ComparedSelector, SelectorComparison, Trial
from eiderdown.results.confidence import FeatureConfidence, Reference, Weighting
from eiderdown.results.graph_features import ErrorCounts, FoundModel, GraphFeature
from eiderdown.results.independence import IndependenceAnswer
from eiderdown.results.interactions import (
    CrossValidation,
    FittedSVM,
    Interactions,
    KeptMonomial,
    MonomialSearch,
    TriedSVM,
)
from eiderdown.results.local import (
    Accuracy,
    AllBoundaries,
    Allowed,
    AlternativeBoundary,
    Boundaries,
    Decision,
    Evidence,
    LocalResult,
    MarkovBoundary,
    ParentsChildren,
    Replacement,
)
from eiderdown.results.networks import (
    LearnedEdge,
    LearnedGraph,
    LearnedNetwork,
    LearnedRegion,
)
from eiderdown.results.result import Result, Run, issue_warnings, load_result, withheld_warnings
from eiderdown.results.stability import EdgeFrequency, EdgeStability, OptimaBySize, OptimaCount

__all__ = [
    "Accuracy",
    "AllBoundaries",
    "Allowed",
    "AlternativeBoundary",
    "Blanket",
    "Boundaries",
    "ComparedSelector",
    "CrossValidation",
    "Decision",
    "EdgeFrequency",
    "EdgeStability",
    "ErrorCounts",
    "Evidence",
    "FeatureConfidence",
    "FittedSVM",
    "FoundModel",
    "GraphFeature",
    "IndependenceAnswer",
    "Interactions",
    "KeptMonomial",
    "LearnedEdge",
    "LearnedGraph",
    "LearnedNetwork",
    "LearnedRegion",
    "LocalResult",
    "MarkovBoundary",
    "MonomialSearch",
    "NeighbourRole",
    "OptimaBySize",
    "OptimaCount",
    "Orientation",
    "ParentsChildren",
    "Reference",
    "Replacement",
    "Result",
    "Run",
    "SelectorComparison",
    "SpouseRole",
    "Trial",
    "TriedSVM",
    "Weighting",
    "YStructure",
    "issue_warnings",
    "load_result",
    "withheld_warnings",
]
