"""``PolynomialSVMExplainer``: read the interactions out of a fitted support vector machine."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from eiderdown.arrays import FloatArray
from eiderdown.errors import OptionError
from eiderdown.estimators.explanation import SVMExplanation
from eiderdown.svm.monomials import Matrix
from eiderdown.svm.polynomial_model import polynomial_models
from eiderdown.svm.svm_weights import Method, affordable, top_features

_IDLE = (None, "passthrough")
"""Steps of a pipeline that do nothing."""


@dataclass(frozen=True, kw_only=True)
class PolynomialSVMExplainer:
    """Tell which products of columns a polynomial support vector machine goes by.

    A machine with kernel ``(gamma x.x' + coef0)^degree`` is linear in all products of up to
    ``degree`` columns, repeats allowed. The explainer finds those with the largest weights, says
    whether they are proven to be the largest, and writes the decision function out where it is
    small.

    Parameters
    ----------
    n_features : int, default=20
        How many features to return.
    method : {"exact", "heur1", "heur2", "brute_force"}, default="exact"
        How to look for them; see :func:`eiderdown.svm.top_features`.
    max_built : int or None, default=None
        How many features to build at most; None for as many as take a minute or two.
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
    >>> machine = SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0).fit(X, y)
    >>> (explanation,) = PolynomialSVMExplainer(n_features=3).explain(machine)
    >>> explanation.features[0].name
    'x1 * x4'
    >>> explanation.check(X) < 1e-6
    True
    """

    n_features: int = 20
    method: Method = "exact"
    max_built: int | None = None
    max_seconds: float | None = None
    fold: bool = True

    def explain(
        self, machine: Any, feature_names: Sequence[str] | None = None
    ) -> tuple[SVMExplanation, ...]:
        """Explain a fitted machine, or a pipeline that ends in one.

        Parameters
        ----------
        machine : SVC, NuSVC, SVR, NuSVR or Pipeline
            Fitted, with ``kernel="poly"`` and a positive ``coef0``. In a pipeline the columns are
            those that reach the machine: a feature ``age^2`` behind a scaler is the square of the
            scaled age.
        feature_names : sequence of str or None
            Names of the columns of X; None for those seen in training, or else x0, x1, ...

        Returns
        -------
        tuple of SVMExplanation
            One for regression or two classes; for more, one for each pair of classes.
        """
        before, machine = _parts(machine)
        models = polynomial_models(machine)
        names = _names(before, machine, models[0].n_variables, feature_names)
        after = () if before is None else tuple(type(step).__name__ for _, step in before.steps)
        return tuple(
            SVMExplanation(
                model=model,
                top=top_features(
                    model,
                    self.n_features,
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
                decide=_Decision(before, machine, position),
            )
            for position, model in enumerate(models)
        )


@dataclass(frozen=True)
class _Decision:
    """The machine's own decision values for one pair of classes."""

    before: Pipeline | None
    machine: Any
    position: int

    def __call__(self, X: Any) -> tuple[Matrix, FloatArray]:
        seen = X if self.before is None else self.before.transform(X)
        columns = seen if issparse(seen) else np.asarray(seen, dtype=np.float64)
        return columns, self._values(seen)

    def _values(self, seen: Any) -> FloatArray:
        if not hasattr(self.machine, "classes_"):
            return np.asarray(self.machine.predict(seen))
        pairwise = copy.copy(self.machine).set_params(decision_function_shape="ovo")
        values = np.asarray(pairwise.decision_function(seen))
        return values if values.ndim == 1 else values[:, self.position]


def _parts(machine: Any) -> tuple[Pipeline | None, Any]:
    """Take what comes before the machine apart from it."""
    if not isinstance(machine, Pipeline):
        return None, machine
    check_is_fitted(machine)
    steps = [(name, step) for name, step in machine.steps[:-1] if step not in _IDLE]
    return (Pipeline(steps) if steps else None), machine[-1]


def _names(
    before: Pipeline | None, machine: Any, n_columns: int, given: Sequence[str] | None
) -> tuple[str, ...]:
    """Name the columns that reach the machine."""
    first = machine if before is None else before
    n_first = getattr(first, "n_features_in_", n_columns)
    if given is None:
        given = getattr(first, "feature_names_in_", [f"x{i}" for i in range(n_first)])
    if len(given) != n_first:
        raise OptionError(
            f"feature_names has {len(given)} names, but the machine was trained on {n_first} "
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
