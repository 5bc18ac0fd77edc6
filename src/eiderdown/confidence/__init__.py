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
from eiderdown.confidence.runs import RunSeeds, distinct_boundaries, interchangeable, replacements

__all__ = [
    "DistinctModels",
    "EdgeCounts",
    "FeatureAnalysis",
    "Resampled",
    "Resampling",
    "RunSeeds",
    "confidence_from",
    "confidence_warnings",
    "distinct_boundaries",
    "feature_confidences",
    "interchangeable",
    "learn_resampled",
    "model_of",
    "model_weights",
    "replacements",
]
