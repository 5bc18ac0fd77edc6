"""How sure we are of what was found."""

from eiderdown.confidence.feature_analysis import FeatureAnalysis
from eiderdown.confidence.found_models import ModelCollection, found_model
from eiderdown.confidence.multiplicity import interchangeable, replacements, run_seeds, tallied
from eiderdown.confidence.resampling import Resampled, Resampling, learn_resampled
from eiderdown.confidence.stability import Learner, Tally
from eiderdown.confidence.summary import model_weights, summarised

__all__ = [
    "FeatureAnalysis",
    "Learner",
    "ModelCollection",
    "Resampled",
    "Resampling",
    "Tally",
    "found_model",
    "interchangeable",
    "learn_resampled",
    "model_weights",
    "replacements",
    "run_seeds",
    "summarised",
    "tallied",
]
