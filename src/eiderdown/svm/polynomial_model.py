"""A support vector machine with a polynomial kernel, as the polynomial that it is.

The kernel ``(gamma x.x' + coef0)^d`` is the inner product of vectors with one coordinate for each
monomial q of degree at most d, ``c_q x^q`` with

    c_q^2 = d! / (q_0! q_1! ... q_m!) * gamma^|q| * coef0^q_0,    q_0 = d - |q|.

So the machine is linear in them, and the weight of a monomial is the sum of ``alpha_k c_q x_k^q``
over the support vectors (Brown 2009, section II.2).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.errors import OptionError
from eiderdown.svm.monomials import Coding, Matrix, Monomial, coding_of, map_to_monomials


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
        product = self.vectors @ self.vectors.T
        return np.asarray(product.toarray() if hasattr(product, "toarray") else product)

    @cached_property
    def by_variable(self) -> FloatArray:
        """Dense support vectors with a row for each variable: some of them are quickly taken."""
        return np.ascontiguousarray(self.vectors.T)

    def decision(self, matrix: Matrix) -> FloatArray:
        """Evaluate the function at the rows of a matrix."""
        product = matrix @ self.vectors.T
        dense = np.asarray(product.toarray() if hasattr(product, "toarray") else product)
        values: FloatArray = (self.gamma * dense + self.coef0) ** self.degree @ self.alphas
        return values + self.intercept

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


def polynomial_models(machine: Any) -> tuple[PolynomialModel, ...]:
    """Read the polynomials out of a fitted support vector machine of scikit-learn.

    Parameters
    ----------
    machine : SVC, NuSVC, SVR or NuSVR
        Fitted, with ``kernel="poly"`` and a positive ``coef0``.

    Returns
    -------
    tuple of PolynomialModel
        One for regression or two classes; for more, one for each pair of classes.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> machine = SVC(kernel="poly", degree=2, gamma=1, coef0=1, C=1e3)
    >>> points = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    >>> (model,) = polynomial_models(machine.fit(points, [0, 1, 1, 0]))
    >>> model.weights([Monomial.of([0, 1]), Monomial.of([0])]).round(3).tolist()
    [-0.707, 0.0]
    """
    _check_machine(machine)
    vectors = machine.support_vectors_
    kernel = {"degree": machine.degree, "gamma": float(machine._gamma), "coef0": machine.coef0}
    check_kernel(**kernel)
    duals = machine.dual_coef_
    duals = np.asarray(duals.toarray() if hasattr(duals, "toarray") else duals)
    classes = getattr(machine, "classes_", None)
    if classes is None or len(classes) == 2:
        pair = None if classes is None else (classes[0], classes[1])
        intercept = float(machine.intercept_[0])
        return (
            PolynomialModel(vectors, duals[0].copy(), **kernel, intercept=intercept, classes=pair),
        )
    return _models_of_pairs(vectors, duals, machine, kernel)


def _models_of_pairs(
    vectors: Matrix, duals: FloatArray, machine: Any, kernel: dict[str, Any]
) -> tuple[PolynomialModel, ...]:
    """Take one model for each pair of classes out of LIBSVM's compact table.

    Row j of ``duals`` holds, for a vector of class i, its coefficient against class j, or j + 1 if
    j is not below i. LIBSVM's function is positive for the first class of a pair.
    """
    last = np.cumsum(machine.n_support_)
    first = last - machine.n_support_
    models = []
    for position, (i, j) in enumerate(combinations(range(len(machine.classes_)), 2)):
        of_i, of_j = np.arange(first[i], last[i]), np.arange(first[j], last[j])
        alphas = np.concatenate([duals[j - 1, of_i], duals[i, of_j]])
        models.append(
            PolynomialModel(
                vectors[np.concatenate([of_i, of_j])],
                alphas,
                **kernel,
                intercept=float(machine.intercept_[position]),
                classes=(machine.classes_[j], machine.classes_[i]),
            )
        )
    return tuple(models)


def _check_machine(machine: Any) -> None:
    what = type(machine).__name__
    if not all(hasattr(machine, name) for name in ("kernel", "degree", "coef0")):
        raise OptionError(
            f"{what} is no support vector machine with a kernel; give a fitted SVC, NuSVC, SVR or "
            "NuSVR with kernel='poly'."
        )
    if machine.kernel != "poly":
        raise OptionError(
            f"This {what} has kernel={machine.kernel!r}, whose features cannot be listed; fit one "
            "with kernel='poly' and coef0=1 (degree=1 for a linear one)."
        )
    if not hasattr(machine, "support_vectors_"):
        raise OptionError(f"This {what} is not fitted yet; call its fit method first.")


def check_kernel(degree: int, gamma: float, coef0: float) -> None:
    """Refuse a kernel that is not the full polynomial kernel of some degree."""
    if isinstance(degree, bool) or int(degree) != degree or degree < 1:
        raise OptionError(f"degree must be a whole number of at least 1, not {degree!r}.")
    if not gamma > 0.0:
        raise OptionError(f"gamma must be positive, not {gamma!r}; 1 is a common choice.")
    if not coef0 > 0.0:
        raise OptionError(
            f"With coef0={coef0!r} the kernel lacks the features of lower degrees; fit the machine "
            "with a positive coef0, such as 1."
        )
