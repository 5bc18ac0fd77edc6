"""Eiderdown as scikit-learn estimators."""

from eiderdown.estimators.selector import MarkovBoundarySelector

__all__ = [
    "MarkovBoundarySelector",
]
