"""Eiderdown as scikit-learn estimators."""

from eiderdown.estimators.discretisers import (
    EqualFrequencyDiscretiser,
    EqualWidthDiscretiser,
    HarteminkDiscretiser,
    MDLDiscretiser,
)
from eiderdown.estimators.selector import MarkovBoundarySelector

__all__ = [
    "EqualFrequencyDiscretiser",
    "EqualWidthDiscretiser",
    "HarteminkDiscretiser",
    "MDLDiscretiser",
    "MarkovBoundarySelector",
]
