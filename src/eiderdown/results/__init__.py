"""Plain, frozen records of what was found and why; they survive a trip through JSON unchanged."""

from eiderdown.results.boundary_check import BoundaryCheck, CheckAnswer
from eiderdown.results.causes import (
    Blanket,
    NeighbourRole,
    Orientation,
    SpouseRole,
    YStructure,
)
from eiderdown.results.changes import Change, ResultChanges
from eiderdown.results.comparison import compare_results
from eiderdown.results.confidence import FeatureConfidence, Reference, Weighting
from eiderdown.results.evidence import Allowed, Decision, Evidence, IndependenceAnswer
from eiderdown.results.graph_features import ErrorCounts, FoundModel, GraphFeature
from eiderdown.results.local import (
    AllBoundaries,
    LocalResult,
    MarkovBoundary,
    ParentsChildren,
)
from eiderdown.results.multiplicity import (
    Accuracy,
    AlternativeBoundary,
    Boundaries,
    Replacement,
    Substitution,
)
from eiderdown.results.networks import (
    LearnedEdge,
    LearnedGraph,
    LearnedNetwork,
    LearnedRegion,
)
from eiderdown.results.path import BoundaryPath
from eiderdown.results.prediction import ComparedColumns, Predictions, UsedColumns
from eiderdown.results.predictive_columns import JudgedColumns, PredictiveColumns, Substitute
from eiderdown.results.provenance import Call, ColumnSummary, TableSummary
from eiderdown.results.result import Result, Run, issue_warnings, load_result, withheld_warnings
from eiderdown.results.screen import ColumnScreen
from eiderdown.results.skeleton import LearnedSkeleton
from eiderdown.results.stability import EdgeFrequency, EdgeStability, OptimaBySize, OptimaCount
from eiderdown.results.svm import (
    ComparedSelector,
    CrossValidation,
    FittedSVM,
    Interactions,
    KeptMonomial,
    MonomialSearch,
    SelectorComparison,
    Trial,
    TriedSVM,
)

__all__ = [
    "Accuracy",
    "AllBoundaries",
    "Allowed",
    "AlternativeBoundary",
    "Blanket",
    "Boundaries",
    "BoundaryCheck",
    "BoundaryPath",
    "Call",
    "Change",
    "CheckAnswer",
    "ColumnScreen",
    "ColumnSummary",
    "ComparedColumns",
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
    "JudgedColumns",
    "KeptMonomial",
    "LearnedEdge",
    "LearnedGraph",
    "LearnedNetwork",
    "LearnedRegion",
    "LearnedSkeleton",
    "LocalResult",
    "MarkovBoundary",
    "MonomialSearch",
    "NeighbourRole",
    "OptimaBySize",
    "OptimaCount",
    "Orientation",
    "ParentsChildren",
    "Predictions",
    "PredictiveColumns",
    "Reference",
    "Replacement",
    "Result",
    "ResultChanges",
    "Run",
    "SelectorComparison",
    "SpouseRole",
    "Substitute",
    "Substitution",
    "TableSummary",
    "Trial",
    "TriedSVM",
    "UsedColumns",
    "Weighting",
    "YStructure",
    "compare_results",
    "issue_warnings",
    "load_result",
    "withheld_warnings",
]
