"""Interactions that no pairwise test can see: polynomial SVMs read monomial by monomial."""

from eiderdown.svm.model import PolynomialModel, polynomial_models
from eiderdown.svm.monomials import (
    Coding,
    Monomial,
    coding_of,
    count_monomials,
    map_to_monomials,
)
from eiderdown.svm.sparse import SparsePolynomial, fit_sparse_svm
from eiderdown.svm.weights.contributions import contributions, variable_norms
from eiderdown.svm.weights.search import top_monomials
from eiderdown.svm.weights.top_k import TopMonomials

__all__ = [
    "Coding",
    "Monomial",
    "PolynomialModel",
    "SparsePolynomial",
    "TopMonomials",
    "coding_of",
    "contributions",
    "count_monomials",
    "fit_sparse_svm",
    "map_to_monomials",
    "polynomial_models",
    "top_monomials",
    "variable_norms",
]
