"""Machines for the problems of Brown (2009), chapter II, and searches of their weights."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, islice
from typing import Any

import numpy as np
from brown2009_problems import Problem, Sample, checkerboard, circle, double_xor
from sklearn.metrics import roc_auc_score

from eiderdown.arrays import FloatArray
from eiderdown.svm import (
    Monomial,
    PolynomialModel,
    TopMonomials,
    map_to_monomials,
    top_monomials,
)
from eiderdown.svm.training import fit_polynomial_svm

SEED = 2009
COST = 1e3
N_TEST_ROWS = 1_000


@dataclass(frozen=True)
class Family:
    """A problem in several sizes: those of table II-3, and those of tables II-4 and II-5."""

    name: str
    make: Callable[[int], Problem]
    degree: int
    large: Sequence[int]
    small: Sequence[int]
    n_leading: int
    """Number of features that the classes depend on."""


def _double_xor_of(n_variables: int) -> Problem:
    return double_xor((n_variables - 4) // 37)


FAMILIES = (
    Family("Circle", circle, 2, (400, 500, 600, 700), (250, 350, 450), 2),
    Family("Double-XOR", _double_xor_of, 2, (337, 448, 559, 707), (226, 337, 448), 2),
    Family("Checkerboard", checkerboard, 3, (70, 80, 100, 125), (50, 70, 80), 1),
)


@dataclass(frozen=True)
class Machine:
    """A trained machine with fresh rows to test it."""

    train: Sample
    test: Sample
    model: PolynomialModel

    @classmethod
    def of(cls, problem: Problem, degree: int, n_rows: int, k: int) -> Machine:
        """Train on sample k of a problem."""
        seed = [SEED, problem.n_variables, n_rows, k]
        train = problem.draw(n_rows, np.random.default_rng(seed))
        test = problem.draw(N_TEST_ROWS, np.random.default_rng([*seed, 1]))
        (model,) = fit_polynomial_svm(train.matrix, train.classes, degree=degree, C=COST)
        return cls(train, test, model)

    def search(self, method: str, n_features: int, **options: Any) -> tuple[TopMonomials, float]:
        """Search the largest weights, and take the time."""
        forgetful = replace(self.model)  # computes its inner products anew
        started = time.process_time()
        found = top_monomials(forgetful, n_features, method=method, **options)
        return found, time.process_time() - started

    def auc_ratio(self, features: Sequence[Monomial]) -> float:
        """Divide the machine's AUC by that of a linear SVM on a few features, on test rows."""
        train, test = (map_to_monomials(part.matrix, features) for part in (self.train, self.test))
        (linear,) = fit_polynomial_svm(train, self.train.classes, degree=1, C=COST)
        of_few = linear.decision(test)
        of_all = self.model.decision(self.test.matrix)
        actual = self.test.classes
        return float(roc_auc_score(actual, of_all) / roc_auc_score(actual, of_few))


def seconds_one_by_one(model: PolynomialModel, most: int | None = None) -> float:
    """Compute each weight on its own, one after the other, and take the time.

    The thesis's brute force is vectorised; this one shows what that saves.

    With ``most``, only that many features of the largest degree are computed.
    """
    columns = np.ascontiguousarray(model.vectors.T)
    variables = range(model.n_variables)
    weights = []
    started = time.process_time()
    for degree in [model.degree] if most else range(1, model.degree + 1):
        for first, *rest in islice(combinations_with_replacement(variables, degree), most):
            product = columns[first]
            for other in rest:
                product = product * columns[other]
            weights.append(product @ model.alphas)
    np.sort(np.abs(weights))
    return time.process_time() - started


def norm(weights: FloatArray, r: int) -> float:
    """Return the norm of the r largest weights."""
    return float(np.linalg.norm(weights[:r]))
