"""A support vector machine with a polynomial kernel, as the polynomial that it is.

The kernel ``(gamma x.x' + coef0)^d`` is the inner product of vectors with one coordinate for each
monomial q of degree at most d, ``c_q x^q`` with

    c_q^2 = d! / (q_0! q_1! ... q_m!) * gamma^|q| * coef0^q_0,    q_0 = d - |q|.

So the SVM is linear in them, and the weight of a monomial is the sum of ``alpha_k c_q x_k^q``
over the support vectors (Brown 2009, section II.2).

In 0/1 and -1/+1 data many monomials have the same values: ``x1``, ``x1^3`` and, for signs, ``x1 *
x2^2``. In the decision function the coefficient of the simplest of them is the sum over all. Nobody
has to list them: a monomial of degree l is a word of l letters, and recurrences count the words
that fold to one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.errors import OptionError
from eiderdown.memory import require_memory
from eiderdown.svm.monomials import (
    Coding,
    Matrix,
    Monomial,
    coding_of,
    count_monomials,
    dense,
    map_to_monomials,
    monomial_bytes,
)

MOST_TERMS = 50
"""A longer function is nothing that a person reads."""


@dataclass(frozen=True, eq=False)
class PolynomialModel:
    """The function ``sum_k alpha_k (gamma x_k.x + coef0)^degree + intercept``.

    Parameters
    ----------
    vectors : array or CSR matrix of shape (n_vectors, n_variables)
        Support vectors.
    alphas : array of shape (n_vectors,)
        Dual coefficients with the sign of their class.
    degree : int
        Degree of the kernel, at least 1.
    gamma, coef0 : float
        Scale and offset of the kernel; both must be positive.
    intercept : float
        What is added to the sum.
    classes : pair or None
        The classes for which the function is negative and positive; None for regression.
    """

    vectors: Matrix
    alphas: FloatArray
    degree: int
    gamma: float = 1.0
    coef0: float = 1.0
    intercept: float = 0.0
    classes: tuple[Any, Any] | None = None

    def __post_init__(self) -> None:
        check_kernel(self.degree, self.gamma, self.coef0)
        if self.vectors.shape[0] != len(self.alphas):
            raise OptionError(
                f"There are {self.vectors.shape[0]} support vectors but {len(self.alphas)} dual "
                "coefficients; give one for each vector."
            )

    @property
    def n_vectors(self) -> int:
        """Number of support vectors."""
        return len(self.alphas)

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return int(self.vectors.shape[1])

    @cached_property
    def coding(self) -> Coding:
        """Which numbers the support vectors hold."""
        return coding_of(self.vectors)

    @cached_property
    def gram(self) -> FloatArray:
        """Inner products of the support vectors."""
        return dense(self.vectors @ self.vectors.T)

    @cached_property
    def by_variable(self) -> FloatArray:
        """Dense support vectors with a row for each variable: some of them are quickly taken."""
        return np.ascontiguousarray(self.vectors.T)

    def decision(self, matrix: Matrix) -> FloatArray:
        """Evaluate the function at the rows of a matrix."""
        products = dense(matrix @ self.vectors.T)
        values: FloatArray = (self.gamma * products + self.coef0) ** self.degree @ self.alphas
        return values + self.intercept

    def degree_factor(self, degree: int) -> float:
        """Return what the terms of degree l are multiplied with: C(d, l) gamma^l coef0^(d - l)."""
        rest = self.degree - degree
        return math.comb(self.degree, degree) * self.gamma**degree * self.coef0**rest

    def scale(self, exponents: Iterable[int]) -> float:
        """Return ``c_q`` of a monomial with these exponents."""
        exponents = tuple(exponents)
        rest = self.degree - sum(exponents)
        ways = math.factorial(self.degree) / math.factorial(rest)
        for exponent in exponents:
            ways /= math.factorial(exponent)
        return math.sqrt(ways * self.gamma ** sum(exponents) * self.coef0**rest)

    def weights(self, monomials: Sequence[Monomial]) -> FloatArray:
        """Return the weights of some monomials."""
        scales = np.array([self.scale(e for _, e in q.factors) for q in monomials])
        columns = map_to_monomials(self.vectors, monomials)
        sums: FloatArray = np.asarray(columns.T @ self.alphas, dtype=np.float64).ravel()
        return scales * sums

    def coefficients(self, monomials: Sequence[Monomial]) -> FloatArray:
        """Return what multiplies the bare monomials: weight times ``c_q``."""
        scales = np.array([self.scale(e for _, e in q.factors) for q in monomials])
        return scales * self.weights(monomials)


def polynomial_models(svm: Any) -> tuple[PolynomialModel, ...]:
    """Read the polynomials out of a fitted support vector machine of scikit-learn.

    Parameters
    ----------
    svm : SVC, NuSVC, SVR or NuSVR
        Fitted, with ``kernel="poly"`` and a positive ``coef0``.

    Returns
    -------
    tuple of PolynomialModel
        One for regression or two classes; for more, one for each pair of classes.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> svm = SVC(kernel="poly", degree=2, gamma=1, coef0=1, C=1e3)
    >>> points = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    >>> (model,) = polynomial_models(svm.fit(points, [0, 1, 1, 0]))
    >>> model.weights([Monomial.of([0, 1]), Monomial.of([0])]).round(3).tolist()
    [-0.707, 0.0]
    """
    _check_machine(svm)
    vectors = svm.support_vectors_
    kernel = {"degree": svm.degree, "gamma": float(svm._gamma), "coef0": svm.coef0}
    check_kernel(**kernel)
    duals = dense(svm.dual_coef_)
    classes = getattr(svm, "classes_", None)
    if classes is None or len(classes) == 2:
        pair = None if classes is None else (classes[0], classes[1])
        intercept = float(svm.intercept_[0])
        return (
            PolynomialModel(vectors, duals[0].copy(), **kernel, intercept=intercept, classes=pair),
        )
    return _models_of_pairs(vectors, duals, svm, kernel)


def _models_of_pairs(
    vectors: Matrix, duals: FloatArray, svm: Any, kernel: dict[str, Any]
) -> tuple[PolynomialModel, ...]:
    """Take one model for each pair of classes out of LIBSVM's compact table.

    Row j of ``duals`` holds, for a vector of class i, its coefficient against class j, or j + 1 if
    j is not below i. LIBSVM's function is positive for the first class of a pair.
    """
    last = np.cumsum(svm.n_support_)
    first = last - svm.n_support_
    models = []
    for position, (i, j) in enumerate(combinations(range(len(svm.classes_)), 2)):
        of_i, of_j = np.arange(first[i], last[i]), np.arange(first[j], last[j])
        alphas = np.concatenate([duals[j - 1, of_i], duals[i, of_j]])
        models.append(
            PolynomialModel(
                vectors[np.concatenate([of_i, of_j])],
                alphas,
                **kernel,
                intercept=float(svm.intercept_[position]),
                classes=(svm.classes_[j], svm.classes_[i]),
            )
        )
    return tuple(models)


def _check_machine(svm: Any) -> None:
    what = type(svm).__name__
    if not all(hasattr(svm, name) for name in ("kernel", "degree", "coef0")):
        raise OptionError(
            f"{what} is no support vector machine with a kernel; give a fitted SVC, NuSVC, SVR or "
            "NuSVR with kernel='poly'."
        )
    if svm.kernel != "poly":
        raise OptionError(
            f"This {what} has kernel={svm.kernel!r}, whose monomials cannot be listed; fit one "
            "with kernel='poly' and coef0=1 (degree=1 for a linear one)."
        )
    if not hasattr(svm, "support_vectors_"):
        raise OptionError(f"This {what} is not fitted yet; call its fit method first.")


def check_kernel(degree: int, gamma: float, coef0: float) -> None:
    """Refuse a kernel that is not the full polynomial kernel of some degree."""
    if isinstance(degree, bool) or int(degree) != degree or degree < 1:
        raise OptionError(f"degree must be a whole number of at least 1, not {degree!r}.")
    if not gamma > 0.0:
        raise OptionError(f"gamma must be positive, not {gamma!r}; 1 is a common choice.")
    if not coef0 > 0.0:
        raise OptionError(
            f"With coef0={coef0!r} the kernel lacks the monomials of lower degrees; fit the SVM "
            "with a positive coef0, such as 1."
        )


@dataclass(frozen=True, eq=False)
class DecisionFunction:
    """A polynomial: a constant and monomials with their coefficients."""

    constant: float
    monomials: tuple[Monomial, ...]
    coefficients: FloatArray

    def values(self, matrix: Matrix) -> FloatArray:
        """Evaluate at the rows of a matrix."""
        columns = map_to_monomials(matrix, self.monomials)
        return self.constant + np.asarray(columns @ self.coefficients).ravel()

    def text(self, names: Sequence[str], digits: int = 4) -> str:
        """Write for people, the largest coefficients first.

        Examples
        --------
        >>> monomials = (Monomial.of([0, 0]), Monomial.of([0, 1]))
        >>> DecisionFunction(1.25, monomials, np.array([-3.0, 0.5])).text(["x1", "x2"])
        'f(x) = 1.25 - 3 x1^2 + 0.5 x1 * x2'
        """
        written = [f"{self.constant:.{digits}g}"]
        terms = [
            (f"{abs(coefficient):.{digits}g}", monomial.name(names), coefficient < 0.0)
            for monomial, coefficient in zip(self.monomials, self.coefficients, strict=True)
        ]
        for size, name, negative in sorted(terms, key=lambda term: (-float(term[0]), term[1])):
            written.append(f"{'-' if negative else '+'} {size} {name}")
        return f"f(x) = {' '.join(written)}"


def decision_function(
    model: PolynomialModel, *, fold: bool = True, max_terms: int = MOST_TERMS
) -> DecisionFunction:
    """Write out the polynomial that an SVM computes.

    Examples
    --------
    >>> points = np.array([[1.0, 1.0], [1.0, -1.0]])
    >>> model = PolynomialModel(points, np.array([0.5, -0.5]), degree=2)
    >>> decision_function(model).text(["a", "b"])
    'f(x) = 0 + 2 a * b + 2 b'
    >>> decision_function(model, fold=False).text(["a", "b"])
    'f(x) = 0 + 2 a * b + 2 b'
    """
    coding, n_variables = model.coding if fold else Coding.NUMBERS, model.n_variables
    words = combinations_with_replacement if coding is Coding.NUMBERS else combinations
    n_terms = count_monomials(n_variables, model.degree)
    if coding is not Coding.NUMBERS:
        n_terms = sum(math.comb(n_variables, size) for size in range(model.degree + 1))
    if n_terms > max_terms:
        raise OptionError(
            f"The decision function has {n_terms:,} terms, more than the {max_terms:,} of "
            "max_terms; read its top monomials instead, or raise max_terms."
        )
    require_memory(
        n_terms * (monomial_bytes(model.degree) + 8.0 * model.n_vectors),
        f"A decision function of {n_terms:,} terms",
        "read its top monomials instead",
    )
    monomials = [
        Monomial.of(variables)  # those that are not folded away, the constant first
        for size in range(model.degree + 1)
        for variables in words(range(n_variables), size)
    ]
    found = coefficients(model, monomials, fold=fold)
    there = [i for i in range(1, n_terms) if found[i] != 0.0]
    return DecisionFunction(
        float(found[0]) + model.intercept, tuple(monomials[i] for i in there), found[there]
    )


def coefficients(
    model: PolynomialModel, monomials: Sequence[Monomial], *, fold: bool = True
) -> FloatArray:
    """Return what multiplies some monomials in the SVM's function.

    With ``fold``, those of 0/1 and -1/+1 data must be folded, and each stands for all that fold to
    it.
    """
    coding = model.coding if fold else Coding.NUMBERS
    if coding is Coding.NUMBERS:
        return model.coefficients(monomials)
    # The sum of c_q^2 over all q that fold to a monomial of each degree.
    counts = _word_counts(coding, model.n_variables, model.degree)
    by_degree = np.array(
        [
            math.fsum(model.degree_factor(degree) * row[size] for degree, row in enumerate(counts))
            for size in range(model.degree + 1)
        ]
    )
    columns = map_to_monomials(model.vectors, monomials)
    sums: FloatArray = np.asarray(columns.T @ model.alphas).ravel()
    sums *= by_degree[[monomial.degree for monomial in monomials]]
    return sums


def _word_counts(coding: Coding, n_letters: int, longest: int) -> list[list[int]]:
    """Count, by length l and size s, the words that fold to a given set of s letters.

    The last letter of such a word is in the set or not. For 0/1 data all letters are in it, and
    without the last one a word has all of them or that one less. For signs the last letter puts
    itself into the set or takes itself out.
    """
    counts = [[1] + [0] * (longest + 1)]
    for _ in range(longest):
        last = counts[-1]
        row = [0] * (longest + 2)
        for size in range(longest + 1):
            fewer = last[size - 1] if size else 0
            if coding is Coding.ZERO_ONE:
                row[size] = size * (fewer + last[size])
            else:
                row[size] = size * fewer + (n_letters - size) * last[size + 1]
        counts.append(row)
    return counts
