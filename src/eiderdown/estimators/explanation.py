"""What a polynomial support vector machine looks at, for one pair of classes."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.svm.decision_function import (
    MOST_TERMS,
    coefficients,
    decision_function,
)
from eiderdown.svm.monomials import Matrix
from eiderdown.svm.polynomial_model import PolynomialModel
from eiderdown.svm.pool import TopFeatures

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class WeightedFeature:
    """One feature of a machine.

    Attributes
    ----------
    name : str
        Such as ``x3 * x7^2``.
    variables : tuple of str
        The columns in it.
    degree : int
        Sum of the exponents.
    weight : float
        Its weight in the machine's own, linear function of all features; comparable between
        features.
    coefficient : float
        What multiplies the bare product of columns in the decision function.
    """

    name: str
    variables: tuple[str, ...]
    degree: int
    weight: float
    coefficient: float


@dataclass(frozen=True, eq=False)
class SVMExplanation:
    """The features of largest weight in one decision function of a machine.

    Attributes
    ----------
    model : PolynomialModel
        The machine as a polynomial.
    top : TopFeatures
        Its features of largest weight, and how they were found.
    names : tuple of str
        Names of the machine's columns.
    after : tuple of str
        What changes the columns before the machine sees them, such as ``("StandardScaler",)``.
    folded : bool
        Whether powers that 0/1 and -1/+1 columns do not need were left out.
    decide : callable
        From rows as the user has them to the columns that the machine sees, and to its own decision
        values.
    """

    model: PolynomialModel
    top: TopFeatures
    names: tuple[str, ...]
    after: tuple[str, ...]
    folded: bool
    decide: Callable[[Any], tuple[Matrix, FloatArray]]

    @cached_property
    def features(self) -> tuple[WeightedFeature, ...]:
        """The features, by falling absolute weight."""
        found = coefficients(self.model, self.top.features, fold=self.folded)
        return tuple(
            WeightedFeature(
                name=monomial.name(self.names),
                variables=tuple(self.names[v] for v in monomial.variables),
                degree=monomial.degree,
                weight=float(weight),
                coefficient=float(coefficient),
            )
            for monomial, weight, coefficient in zip(
                self.top.features, self.top.weights, found, strict=True
            )
        )

    @property
    def about(self) -> str:
        """Which function this is, for people.

        Positive values speak for the class named first.
        """
        if self.model.classes is None:
            return "regression"
        against, favoured = self.model.classes
        return f"class {favoured} against {against}"

    def to_frame(self) -> pandas.DataFrame:
        """Return the features as a pandas frame with a row for each."""
        import pandas

        columns = ["feature", "weight", "coefficient", "degree", "variables"]
        rows = [(f.name, f.weight, f.coefficient, f.degree, f.variables) for f in self.features]
        return pandas.DataFrame(rows, columns=columns)

    def text(self, width: int = 80) -> str:
        """Write the features as a table, with how they were found."""
        from rich.console import Console

        from eiderdown.report.svm import render_explanation

        stream = io.StringIO()
        render_explanation(self, Console(file=stream, width=width))
        return stream.getvalue().rstrip()

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the weights as bars.

        Parameters
        ----------
        ax : matplotlib.axes.Axes or None
            Where to draw; None for a new figure (``plot().figure.savefig("weights.png")``).
        """
        from eiderdown.report.svm import plot_weights

        return plot_weights(self, ax)

    def decision_function_text(self, *, digits: int = 4, max_terms: int = MOST_TERMS) -> str:
        """Write out the whole decision function, if it is small.

        Parameters
        ----------
        digits : int, default=4
            Digits of each coefficient; 17 lose nothing.
        max_terms : int, default=50
            Refuse to write a longer one.
        """
        found = decision_function(self.model, fold=self.folded, max_terms=max_terms)
        return found.text(self.names, digits)

    def check(self, X: Any, *, max_terms: int = 10_000) -> float:
        """Return the largest difference between the written function and the machine's own values.

        Parameters
        ----------
        X : array, frame or sparse matrix
            Rows as the machine, or the pipeline around it, takes them.
        max_terms : int, default=10_000
            Refuse to write a longer function.
        """
        found = decision_function(self.model, fold=self.folded, max_terms=max_terms)
        columns, decisions = self.decide(X)
        return float(np.max(np.abs(found.values(columns) - decisions), initial=0.0))
