"""Interactions that no pairwise test can see: polynomial machines read feature by feature."""

from eiderdown.feature_space.contributions import contributions, variable_norms
from eiderdown.feature_space.monomials import (
    Coding,
    Monomial,
    coding_of,
    map_to_monomials,
    n_monomials,
)
from eiderdown.feature_space.polynomial_model import PolynomialModel, polynomial_models
from eiderdown.feature_space.pool import TopFeatures
from eiderdown.feature_space.svm_weights import top_features

__all__ = [
    "Coding",
    "Monomial",
    "PolynomialModel",
    "TopFeatures",
    "coding_of",
    "contributions",
    "map_to_monomials",
    "n_monomials",
    "polynomial_models",
    "top_features",
    "variable_norms",
]
