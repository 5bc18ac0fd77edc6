"""Sparse polynomial SVMs: a linear SVM with an L1 penalty on all monomials, few of them built.

An SVM with a kernel spreads its weights over very many monomials; Brown (2009, II.5.1) names
L1-norm SVMs, which do not, as future work. Here is one. On the features ``c_q x^q`` of the kernel
``(x.x' + 1)^d`` it minimises

    sum_q |w_q| + sum_i C_i max(0, 1 - y_i f(x_i))^2,    f(x) = sum_q w_q c_q x^q + b.

A monomial outside can lower this only if its derivative, ``sum_i a_i c_q x_i^q`` with
``a_i = 2 C_i y_i max(0, 1 - y_i f(x_i))``, is above 1 in size. That is the weight of a polynomial
model with the dual coefficients a: the search for the largest weights finds it among all monomials
(``weights.search``). So columns are generated until that search says that none is above 1: then the
SVM is proven to be the best of all monomials, though most were never built. LIBLINEAR solves the
problem on the columns that there are. The intercept is penalised too, a hundredth as much.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, frozen
from eiderdown.errors import OptionError
from eiderdown.svm.cross_validation import make_folds, score
from eiderdown.svm.model import PolynomialModel, check_kernel
from eiderdown.svm.monomials import Matrix, Monomial, is_sparse, map_to_monomials, numeric_matrix
from eiderdown.svm.training import SVMParams
from eiderdown.svm.weights.search import (
    Method,
    affordable,
    largest_weights,
    merged_weights,
    top_monomials,
)
from eiderdown.svm.weights.top_k import ClassPair, Stop, TopMonomials

CS = tuple(10.0**power for power in range(-3, 2))
"""From which C is chosen if it is not given."""

_INTERCEPT_SCALE = 100.0
_N_NEW = 50  # monomials that one round adds at most
_MOST_ROUNDS = 200
_TOLERANCE = 1e-3  # of a derivative: LIBLINEAR comes only so close
_ZERO = 1e-9  # relative to the largest weight


@dataclass(frozen=True, eq=False)
class SparsePolynomial:
    """A polynomial SVM with few monomials.

    Attributes
    ----------
    monomials : tuple of Monomial
        Those with a weight, the largest first.
    weights : array
        Their weights, of the features ``c_q x^q`` of the kernel.
    intercept : float
        What is added.
    degree, C : int, float
        As they were given.
    proven : bool
        Whether no other monomial of the degree could make the SVM better.
    n_built, n_total : int
        Monomials that the searches built at most in one round, and how many there are.
    stopped : {"monomials", "seconds", "interrupted"} or None
        Which limit ended the last search.
    seconds : float
        How long it took.
    classes : pair or None
        The classes for which the function is negative and positive.
    """

    monomials: tuple[Monomial, ...]
    weights: FloatArray
    intercept: float
    degree: int
    C: float
    proven: bool
    n_built: int
    n_total: int
    stopped: Stop | None
    seconds: float
    classes: ClassPair = None

    def decision(self, matrix: Matrix) -> FloatArray:
        """Evaluate the function at the rows of a matrix."""
        if not self.monomials:
            return np.full(matrix.shape[0], self.intercept)
        columns = map_to_monomials(matrix, self.monomials)
        coefficients = _scales(self.monomials, self.degree) * self.weights
        values: FloatArray = np.asarray(columns @ coefficients, dtype=np.float64).ravel()
        return values + self.intercept


SparseModels: TypeAlias = tuple[SparsePolynomial, ...]
"""One SVM for two classes; for more one for each pair of them."""


def fit_sparse_svm(
    X: Matrix,
    y: Any,
    *,
    degree: int = 2,
    C: float = 1.0,
    class_weight: Literal["balanced"] | None = None,
    method: Method = "exact",
    max_built: int | None = None,
    max_seconds: float | None = None,
) -> SparsePolynomial:
    """Train an L1-penalised SVM on all monomials of at most a degree, for two classes.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_rows, n_variables)
        The variables as numbers, best between -1 and 1.
    y : array-like of shape (n_rows,)
        Two classes.
    degree : int
        Largest degree of a monomial.
    C : float
        What a row on the wrong side costs; the smaller, the fewer monomials.
    class_weight : "balanced" or None
        Whether an error on the rare class costs more.
    method : {"exact", "heur1", "heur2", "brute_force"}
        How monomials to add are searched; only an exact search or brute force prove the result.
    max_built : int or None
        Monomials that one such search may build, as in :func:`top_monomials`.
    max_seconds : float or None
        Time limit of all searches; then the SVM is the best on the monomials so far.

    Returns
    -------
    SparsePolynomial
        The monomials that have a weight.

    Examples
    --------
    >>> X = np.random.default_rng(0).choice([-1.0, 1.0], size=(200, 30))
    >>> svm = fit_sparse_svm(X, X[:, 3] * X[:, 8] * X[:, 21] > 0, degree=3, C=0.01)
    >>> svm.monomials[0].variables, len(svm.monomials), svm.n_total, svm.proven
    ((3, 8, 21), 1, 4525, True)
    """
    check_kernel(degree, 1.0, 1.0)
    if not C > 0.0:
        raise OptionError(f"C must be positive, not {C!r}.")
    matrix = numeric_matrix(X)
    codes = SVMParams(class_weight=class_weight).target(y, matrix.shape[0])
    classes = np.unique(codes)
    if len(classes) != 2:
        raise OptionError(f"A sparse SVM is for two classes, not {len(classes)}; train one a pair.")
    signs = np.where(codes == classes[1], 1.0, -1.0)
    costs = np.full(len(signs), float(C))
    if class_weight == "balanced":
        n_positive = np.count_nonzero(signs > 0.0)
        rows_of_own = np.where(signs > 0.0, n_positive, len(signs) - n_positive)
        costs *= len(signs) / (2.0 * rows_of_own)
    problem = _Problem(matrix, signs, costs, degree)
    return problem.solve(C, method, max_built, math.inf if max_seconds is None else max_seconds)


class _Problem:
    """The columns that were generated, and the best SVM on them."""

    def __init__(self, matrix: Matrix, signs: FloatArray, costs: FloatArray, degree: int) -> None:
        self._matrix, self._signs, self._costs, self._degree = matrix, signs, costs, degree
        self._active: list[Monomial] = []
        self._weights: FloatArray = np.empty(0)
        # Without monomials: the value between -1 and 1 that the errors of the classes pull to.
        self._intercept = float(np.dot(costs, signs) / costs.sum())
        self._decision: FloatArray = np.full(len(signs), self._intercept)

    def solve(
        self, C: float, method: Method, max_built: int | None, max_seconds: float
    ) -> SparsePolynomial:
        """Add monomials until none could lower the objective, or a limit is reached."""
        started = time.perf_counter()
        n_built, proven, left = 0, False, max_seconds
        for _ in range(_MOST_ROUNDS):
            found = self._search(method, max_built, left if math.isfinite(left) else None)
            n_built = max(n_built, found.n_built)
            known, sizes = set(self._active), np.abs(found.weights)
            above = sizes > 1.0 + _TOLERANCE
            new = [
                q
                for q, is_above in zip(found.monomials, above, strict=True)
                if is_above and q not in known
            ]
            if new:
                # 3. The best SVM on the columns that there are now.
                self._active += new
                self._train()
            else:
                # 4. None is above 1: the SVM is the best of all, if the search was not cut short.
                proven = found.unseen <= 1.0 + _TOLERANCE and not above.any()
            left = max_seconds - (time.perf_counter() - started)
            if not new or left <= 0.0 or found.stopped in ("seconds", "interrupted"):
                break
        sizes = np.abs(self._weights)
        kept = np.flatnonzero(sizes > _ZERO * sizes.max(initial=0.0))
        order = sorted(kept, key=lambda k: (-round(float(sizes[k]), 9), self._active[k].factors))
        return SparsePolynomial(
            monomials=tuple(self._active[k] for k in order),
            weights=frozen(self._weights[order]),
            intercept=self._intercept,
            degree=self._degree,
            C=C,
            proven=proven,
            n_built=n_built,
            n_total=found.n_total,
            stopped=found.stopped,
            seconds=time.perf_counter() - started,
        )

    def _search(
        self, method: Method, max_built: int | None, max_seconds: float | None
    ) -> TopMonomials:
        # 1. Derivatives of the loss, as the dual coefficients of a polynomial model.
        slack = np.maximum(0.0, 1.0 - self._signs * self._decision)
        alphas = 2.0 * self._costs * self._signs * slack
        model = PolynomialModel(self._matrix, alphas, self._degree)
        # 2. The monomials with the largest derivatives of all.
        most = affordable(model, method) if max_built is None else max_built
        return top_monomials(model, _N_NEW, method=method, max_built=most, max_seconds=max_seconds)

    def _train(self) -> None:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.svm import LinearSVC

        columns = map_to_monomials(self._matrix, self._active)
        scales = _scales(self._active, self._degree)
        columns = columns.multiply(scales).tocsr() if is_sparse(columns) else columns * scales
        svm = LinearSVC(
            penalty="l1",
            dual=False,
            C=1.0,
            tol=1e-6,
            max_iter=10_000,
            intercept_scaling=_INTERCEPT_SCALE,
            random_state=0,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # then nothing is proven
            svm.fit(columns, self._signs, sample_weight=self._costs)
        self._weights, self._intercept = svm.coef_[0], float(svm.intercept_[0])
        self._decision = svm.decision_function(columns)


def _scales(monomials: Sequence[Monomial], degree: int) -> FloatArray:
    kernel = PolynomialModel(np.empty((0, 0)), np.empty(0), degree)
    return np.array([kernel.scale(e for _, e in q.factors) for q in monomials], dtype=np.float64)


# --- more classes, and the choice of C -----------------------------------------------------------


def fit_sparse_svms(X: Matrix, y: Any, *, degree: int, C: float, **how: Any) -> SparseModels:
    """Train a sparse SVM for each pair of classes, on the rows of the two."""
    codes = np.unique(np.asarray(y)).tolist()
    found = []
    for pair in combinations(codes, 2):
        rows = np.flatnonzero(np.isin(y, pair))
        svm = fit_sparse_svm(X[rows], y[rows], degree=degree, C=C, **how)
        found.append(replace(svm, classes=pair))
    return tuple(found)


def choose_sparse_cost(
    X: Matrix, y: Any, *, degree: int, folds: int, random_state: int | None, **how: Any
) -> float:
    """Choose C by cross-validated AUC; of equals the smallest, which has the fewest monomials.

    Examples
    --------
    >>> X = np.random.default_rng(0).choice([-1.0, 1.0], size=(200, 12))
    >>> choose_sparse_cost(X, X[:, 3] * X[:, 8] > 0, degree=2, folds=3, random_state=0)
    0.01
    """
    target = np.asarray(y)
    splits = make_folds(target, folds, random_state)
    means = []
    for C in CS:
        areas = []
        for train, test in splits:
            models = fit_sparse_svms(X[train], target[train], degree=degree, C=C, **how)
            decisions = np.column_stack([model.decision(X[test]) for model in models])
            areas.append(score(target[test], decisions, [model.classes for model in models]))
        means.append(np.mean(areas))
    return CS[int(np.argmax(np.array(means) >= max(means) - 1e-9))]


def largest_of_sparse(models: SparseModels, matrix: Matrix, n_monomials: int) -> TopMonomials:
    """Return the monomials with the largest weights in any of some sparse SVMs."""
    found = [
        TopMonomials(
            monomials=svm.monomials,
            weights=svm.weights,
            method="l1",
            n_built=svm.n_built,
            n_total=svm.n_total,
            n_proven=len(svm.monomials) if svm.proven else 0,
            unseen=0.0 if svm.proven else math.inf,
            stopped=svm.stopped,
            seconds=svm.seconds,
        )
        for svm in models
    ]
    merged = merged_weights([svm.classes for svm in models], found, matrix)
    return largest_weights(merged, found, n_monomials, method="l1", cut=0.0)
