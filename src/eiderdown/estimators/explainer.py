"""``PolynomialSVMExplainer``: read the interactions out of a fitted support vector machine."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from eiderdown.arrays import FloatArray
from eiderdown.errors import OptionError
from eiderdown.svm.model import (
    MOST_TERMS,
    PolynomialModel,
    coefficients,
    decision_function,
    polynomial_models,
)
from eiderdown.svm.monomials import Matrix
from eiderdown.svm.weights.search import Method, affordable, top_monomials
from eiderdown.svm.weights.top_k import TopMonomials

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

_PASSED_OVER = (None, "passthrough")
"""Steps of a pipeline that do nothing."""


@dataclass(frozen=True)
class WeightedMonomial:
    """One monomial of an SVM.

    Attributes
    ----------
    name : str
        Such as ``x3 * x7^2``.
    variables : tuple of str
        The columns in it.
    degree : int
        Sum of the exponents.
    weight : float
        Its weight in the SVM's own, linear function of all monomials; comparable between
        monomials.
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
    """The monomials of largest weight in one decision function of an SVM.

    Attributes
    ----------
    model : PolynomialModel
        The SVM as a polynomial.
    top : TopMonomials
        Its monomials of largest weight, and how they were found.
    names : tuple of str
        Names of the SVM's columns.
    after : tuple of str
        What changes the columns before the SVM sees them, such as ``("StandardScaler",)``.
    folded : bool
        Whether powers that 0/1 and -1/+1 columns do not need were left out.
    decide : callable
        From rows as the user has them to the columns that the SVM sees, and to its own decision
        values.
    """

    model: PolynomialModel
    top: TopMonomials
    names: tuple[str, ...]
    after: tuple[str, ...]
    folded: bool
    decide: Callable[[Any], tuple[Matrix, FloatArray]]

    @cached_property
    def monomials(self) -> tuple[WeightedMonomial, ...]:
        """The monomials, by falling absolute weight."""
        found = coefficients(self.model, self.top.monomials, fold=self.folded)
        return tuple(
            WeightedMonomial(
                name=monomial.name(self.names),
                variables=tuple(self.names[v] for v in monomial.variables),
                degree=monomial.degree,
                weight=float(weight),
                coefficient=float(coefficient),
            )
            for monomial, weight, coefficient in zip(
                self.top.monomials, self.top.weights, found, strict=True
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
        """Return the monomials as a pandas frame with a row for each."""
        import pandas

        columns = ["monomial", "weight", "coefficient", "degree", "variables"]
        rows = [(f.name, f.weight, f.coefficient, f.degree, f.variables) for f in self.monomials]
        return pandas.DataFrame(rows, columns=columns)

    def text(self, width: int = 80) -> str:
        """Write the monomials as a table, with how they were found."""
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
        """Return the largest difference between the written function and the SVM's own values.

        Parameters
        ----------
        X : array, frame or sparse matrix
            Rows as the SVM, or the pipeline around it, takes them.
        max_terms : int, default=10_000
            Refuse to write a longer function.
        """
        found = decision_function(self.model, fold=self.folded, max_terms=max_terms)
        columns, decisions = self.decide(X)
        return float(np.max(np.abs(found.values(columns) - decisions), initial=0.0))


@dataclass(frozen=True, kw_only=True)
class PolynomialSVMExplainer:
    """Tell which products of columns a polynomial support vector machine goes by.

    An SVM with kernel ``(gamma x.x' + coef0)^degree`` is linear in all products of up to
    ``degree`` columns, repeats allowed. The explainer finds those with the largest weights, says
    whether they are proven to be the largest, and writes the decision function out where it is
    small.

    Parameters
    ----------
    n_monomials : int, default=20
        How many monomials to return.
    method : {"exact", "heur1", "heur2", "brute_force"}, default="exact"
        How to look for them; see :func:`eiderdown.svm.top_monomials`.
    max_built : int or None, default=None
        How many monomials to build at most; None for as many as take a minute or two.
    max_seconds : float or None, default=None
        How long to look at most.
    fold : bool, default=True
        In 0/1 and in -1/+1 data leave out powers that change nothing.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.choice([-1.0, 1.0], size=(200, 6))
    >>> y = X[:, 1] * X[:, 4] > 0
    >>> from sklearn.svm import SVC
    >>> svm = SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0).fit(X, y)
    >>> (explanation,) = PolynomialSVMExplainer(n_monomials=3).explain(svm)
    >>> explanation.monomials[0].name
    'x1 * x4'
    >>> explanation.check(X) < 1e-6
    True
    """

    n_monomials: int = 20
    method: Method = "exact"
    max_built: int | None = None
    max_seconds: float | None = None
    fold: bool = True

    def explain(
        self, svm: Any, feature_names: Sequence[str] | None = None
    ) -> tuple[SVMExplanation, ...]:
        """Explain a fitted SVM, or a pipeline that ends in one.

        Parameters
        ----------
        svm : SVC, NuSVC, SVR, NuSVR or Pipeline
            Fitted, with ``kernel="poly"`` and a positive ``coef0``. In a pipeline the columns are
            those that reach the SVM: a monomial ``age^2`` behind a scaler is the square of the
            scaled age.
        feature_names : sequence of str or None
            Names of the columns of X; None for those seen in training, or else x0, x1, ...

        Returns
        -------
        tuple of SVMExplanation
            One for regression or two classes; for more, one for each pair of classes.
        """
        before, svm = _parts(svm)
        models = polynomial_models(svm)
        names = _names(before, svm, models[0].n_variables, feature_names)
        after = () if before is None else tuple(type(step).__name__ for _, step in before.steps)
        return tuple(
            SVMExplanation(
                model=model,
                top=top_monomials(
                    model,
                    self.n_monomials,
                    method=self.method,
                    max_built=(
                        affordable(model, self.method) if self.max_built is None else self.max_built
                    ),
                    max_seconds=self.max_seconds,
                    fold=self.fold,
                ),
                names=names,
                after=after,
                folded=self.fold,
                decide=_Decision(before, svm, position),
            )
            for position, model in enumerate(models)
        )


@dataclass(frozen=True)
class _Decision:
    """The SVM's own decision values for one pair of classes."""

    before: Pipeline | None
    svm: Any
    position: int

    def __call__(self, X: Any) -> tuple[Matrix, FloatArray]:
        seen = X if self.before is None else self.before.transform(X)
        columns = seen if issparse(seen) else np.asarray(seen, dtype=np.float64)
        return columns, self._values(seen)

    def _values(self, seen: Any) -> FloatArray:
        if not hasattr(self.svm, "classes_"):
            return np.asarray(self.svm.predict(seen))
        pairwise = copy.copy(self.svm).set_params(decision_function_shape="ovo")
        values = np.asarray(pairwise.decision_function(seen))
        return values if values.ndim == 1 else values[:, self.position]


def _parts(svm: Any) -> tuple[Pipeline | None, Any]:
    """Take what comes before the SVM apart from it."""
    if not isinstance(svm, Pipeline):
        return None, svm
    check_is_fitted(svm)
    steps = [(name, step) for name, step in svm.steps[:-1] if step not in _PASSED_OVER]
    return (Pipeline(steps) if steps else None), svm[-1]


def _names(
    before: Pipeline | None, svm: Any, n_columns: int, given: Sequence[str] | None
) -> tuple[str, ...]:
    """Name the columns that reach the SVM."""
    first = svm if before is None else before
    n_first = getattr(first, "n_features_in_", n_columns)
    if given is None:
        given = getattr(first, "feature_names_in_", [f"x{i}" for i in range(n_first)])
    if len(given) != n_first:
        raise OptionError(
            f"feature_names has {len(given)} names, but the SVM was trained on {n_first} "
            "columns; give one name for each."
        )
    if before is None:
        return tuple(map(str, given))
    if list(given) != list(getattr(before, "feature_names_in_", given)):
        raise OptionError(
            "The pipeline was trained on columns with other names than feature_names; leave "
            "feature_names out."
        )
    try:
        out = before.get_feature_names_out(np.asarray(given, dtype=object))
    except AttributeError:  # a step that does not tell names, such as a FunctionTransformer
        out = given if n_first == n_columns else [f"x{i}" for i in range(n_columns)]
    return tuple(map(str, out))
