"""The decision function of a machine, written out monomial by monomial.

In 0/1 and -1/+1 data many monomials have the same values: ``x1``, ``x1^3`` and, for signs, ``x1 *
x2^2``. The coefficient of the simplest of them is the sum over all. Nobody has to list them: a
monomial of degree l is a word of l letters, and recurrences count the words that fold to one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.errors import OptionError
from eiderdown.svm.contributions import level_factor
from eiderdown.svm.monomials import (
    Coding,
    Matrix,
    Monomial,
    map_to_monomials,
    n_monomials,
)
from eiderdown.svm.polynomial_model import PolynomialModel

MOST_TERMS = 50
"""A longer function is nothing that a person reads."""


@dataclass(frozen=True, eq=False)
class DecisionFunction:
    """A polynomial: a constant and monomials with their coefficients.

    Parameters
    ----------
    constant : float
        What it is where all monomials are zero.
    monomials : tuple of Monomial
        Each once, without the constant and without those whose coefficient is zero.
    coefficients : array of shape (n_monomials,)
        What multiplies each.
    """

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
    """Write out the polynomial that a machine computes.

    Parameters
    ----------
    model : PolynomialModel
        The machine.
    fold : bool, default=True
        Join the monomials that are equal in 0/1 and in -1/+1 data. The function is then that of
        such data only.
    max_terms : int, default=50
        Refuse to write a longer one.

    Examples
    --------
    >>> points = np.array([[1.0, 1.0], [1.0, -1.0]])
    >>> model = PolynomialModel(points, np.array([0.5, -0.5]), degree=2)
    >>> decision_function(model).text(["a", "b"])
    'f(x) = 0 + 2 a * b + 2 b'
    >>> decision_function(model, fold=False).text(["a", "b"])
    'f(x) = 0 + 2 a * b + 2 b'
    """
    coding = model.coding if fold else Coding.NUMBERS
    n_terms = _n_terms(model, coding)
    if n_terms > max_terms:
        raise OptionError(
            f"The decision function has {n_terms:,} terms, more than the {max_terms:,} of "
            "max_terms; read its top features instead, or raise max_terms."
        )
    monomials = list(_all_monomials(model, coding))
    found = coefficients(model, monomials, fold=fold)
    there = [i for i in range(1, n_terms) if found[i] != 0.0]
    return DecisionFunction(
        float(found[0]) + model.intercept, tuple(monomials[i] for i in there), found[there]
    )


def coefficients(
    model: PolynomialModel, monomials: Sequence[Monomial], *, fold: bool = True
) -> FloatArray:
    """Return what multiplies some monomials in the machine's function.

    With ``fold``, those of 0/1 and -1/+1 data must be folded, and each stands for all that fold to
    it.
    """
    coding = model.coding if fold else Coding.NUMBERS
    if coding is Coding.NUMBERS:
        return model.coefficients(monomials)
    by_degree = np.array(_factors(model, coding))
    columns = map_to_monomials(model.vectors, monomials)
    sums: FloatArray = np.asarray(columns.T @ model.alphas).ravel()
    sums *= by_degree[[monomial.degree for monomial in monomials]]
    return sums


def _n_terms(model: PolynomialModel, coding: Coding) -> int:
    if coding is Coding.NUMBERS:
        return n_monomials(model.n_variables, model.degree)
    return sum(math.comb(model.n_variables, size) for size in range(model.degree + 1))


def _all_monomials(model: PolynomialModel, coding: Coding) -> Iterator[Monomial]:
    """Yield every monomial that is not folded away, the constant first."""
    words = combinations_with_replacement if coding is Coding.NUMBERS else combinations
    for size in range(model.degree + 1):
        for variables in words(range(model.n_variables), size):
            yield Monomial.of(variables)


def _factors(model: PolynomialModel, coding: Coding) -> list[float]:
    """Return the sum of ``c_q^2`` over all q that fold to a monomial of each degree."""
    counts = _word_counts(coding, model.n_variables, model.degree)
    return [
        math.fsum(level_factor(model, level) * row[size] for level, row in enumerate(counts))
        for size in range(model.degree + 1)
    ]


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
