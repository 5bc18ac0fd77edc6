"""How sure we are of what was found."""

from eiderdown.confidence.multiplicity import interchangeable, replacements, run_seeds, tallied
from eiderdown.confidence.stability import Learner, Resampling, Tally, learn_resampled

__all__ = [
    "Learner",
    "Resampling",
    "Tally",
    "interchangeable",
    "learn_resampled",
    "replacements",
    "run_seeds",
    "tallied",
]
