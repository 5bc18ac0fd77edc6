"""Interactions that no pairwise test can see: polynomial machines read feature by feature."""

from eiderdown.svm.contributions import contributions, variable_norms
from eiderdown.svm.monomials import (
    Coding,
    Monomial,
    coding_of,
    map_to_monomials,
    n_monomials,
)
from eiderdown.svm.polynomial_model import PolynomialModel, polynomial_models
from eiderdown.svm.pool import TopFeatures
from eiderdown.svm.svm_weights import top_features

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
