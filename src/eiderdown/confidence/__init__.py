"""How sure we are of what was found."""

from eiderdown.confidence.feature_analysis import FeatureAnalysis
from eiderdown.confidence.features import (
    DistinctModels,
    confidence_from,
    confidence_warnings,
    feature_confidences,
    model_of,
    model_weights,
)
from eiderdown.confidence.resamples import EdgeCounts, Resampled, Resampling, learn_resampled
from eiderdown.confidence.runs import distinct_boundaries, interchangeable, replacements, run_seeds

__all__ = [
    "DistinctModels",
    "EdgeCounts",
    "FeatureAnalysis",
    "Resampled",
    "Resampling",
    "confidence_from",
    "confidence_warnings",
    "distinct_boundaries",
    "feature_confidences",
    "interchangeable",
    "learn_resampled",
    "model_of",
    "model_weights",
    "replacements",
    "run_seeds",
]
