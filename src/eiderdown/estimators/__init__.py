"""Eiderdown as scikit-learn estimators."""

from eiderdown.estimators.discretisers import (
    EqualFrequencyDiscretiser,
    EqualWidthDiscretiser,
    HarteminkDiscretiser,
    MDLDiscretiser,
)
from eiderdown.estimators.selector import MarkovBoundarySelector, ParentsChildrenSelector
from eiderdown.estimators.wrapper import BoundaryWrapper

__all__ = [
    "BoundaryWrapper",
    "EqualFrequencyDiscretiser",
    "EqualWidthDiscretiser",
    "HarteminkDiscretiser",
    "MDLDiscretiser",
    "MarkovBoundarySelector",
    "ParentsChildrenSelector",
]
