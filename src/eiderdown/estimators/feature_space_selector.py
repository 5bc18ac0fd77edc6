"""The Feature Space Markov Blanket of the target as a feature selector."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from eiderdown.api import find_interactions
from eiderdown.arrays import BoolArray
from eiderdown.data import Dataset
from eiderdown.errors import OptionError
from eiderdown.estimators.features import (
    DiscreteFeatures,
    FeatureOptions,
    feature_names,
    features_of,
    validated,
)
from eiderdown.estimators.selector import TargetSelector
from eiderdown.options import Option, stores_params
from eiderdown.results import Interactions, KeptMonomial
from eiderdown.shared_options import WorkOptions
from eiderdown.svm.approximation import ApproximationOptions
from eiderdown.svm.interaction_options import MonomialSearchOptions
from eiderdown.svm.monomials import Monomial, map_to_monomials
from eiderdown.svm.numeric import NumericCoding, learn_coding

Output: TypeAlias = Literal["variables", "monomials"]


class FeatureSpaceParams(
    MonomialSearchOptions, ApproximationOptions, FeatureOptions, WorkOptions, total=False
):
    """The parameters of :class:`FeatureSpaceSelector`."""

    degree: Annotated[
        int | None,
        Option(
            "degree of the kernel: how many features a product may have; None to choose from 1 to "
            "4 by cross-validation",
            default=2,
        ),
    ]
    C: Annotated[
        float | None,
        Option(
            "what a row on the wrong side costs the SVM; None to choose from 1e-8 to 1e3",
            default=1.0,
            between=(0, 1e30),
        ),
    ]
    output: Annotated[
        Output,
        Option(
            "whether transform gives the columns of the kept products, or the products",
            default="variables",
        ),
    ]


class FeatureSpaceSelector(TargetSelector):
    """Keep the features that interact about the target, or make the products themselves.

    A support vector machine with a polynomial kernel is trained, the products with its largest
    weights are computed, and a local search finds the target's boundary among them; see
    :func:`eiderdown.find_interactions`.

    Parameters
    ----------
    **params

    Attributes
    ----------
    result_ : Interactions
        Everything that was found; features without names are called x0, x1, ...
    monomials_ : tuple of KeptMonomial
        The kept products with their evidence.
    variables_ : tuple of str
        The features in them, those of the strongest product first.
    support_ : ndarray of bool
        Which features those are.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of str
        Names of the features, where X has them.

    Examples
    --------
    >>> import numpy as np
    >>> from eiderdown.estimators import FeatureSpaceSelector
    >>> X = np.random.default_rng(1).normal(size=(300, 5))
    >>> y = X[:, 1] * X[:, 4] > 0
    >>> selector = FeatureSpaceSelector(output="monomials", alpha=0.001).fit(X, y)
    >>> selector.variables_, selector.get_feature_names_out().tolist()
    (('x1', 'x4'), ['x1 * x4'])
    """

    _verb = staticmethod(find_interactions)
    _result_name = "result_"
    degree: int | None
    C: float | None
    output: Output
    result_: Interactions
    monomials_: tuple[KeptMonomial, ...]
    variables_: tuple[str, ...]
    support_: BoolArray

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        return tags

    @stores_params
    def __init__(self, **params: Unpack[FeatureSpaceParams]) -> None: ...

    def _options(self) -> dict[str, Any]:
        is_chosen = self.degree is None or self.C is None
        return super()._options() | {"folds": 5 if is_chosen else 0, "nested": False}

    def _search(self, data: Dataset) -> None:
        self._check_output()
        super()._search(data)
        self.monomials_ = self.result_.monomials
        self.variables_ = self.result_.variables
        self.support_ = np.isin(feature_names(self), self.variables_)
        self._kinds: BoolArray = data.is_discrete[: self.n_features_in_]
        self._coding: NumericCoding = learn_coding(data, data.names[: self.n_features_in_])
        place = {name: index for index, name in enumerate(self._coding.names)}
        self._products = tuple(
            Monomial.of(place[name] for name, exponent in kept.factors for _ in range(exponent))
            for kept in self.monomials_
        )

    def transform(self, X: Any) -> Any:
        """Return the selected columns, or the kept products.

        Parameters
        ----------
        X : array, frame or binary sparse matrix of shape (n_samples, n_features)
            The features.

        Returns
        -------
        array, frame or sparse matrix
            Columns in the order of ``get_feature_names_out``.
        """
        check_is_fitted(self)
        if self._check_output() == "variables":
            return super().transform(X)
        X = validated(self, X, reset=False, accept_sparse=("csc", "csr"))
        kinds: DiscreteFeatures = "infer" if issparse(X) else self._kinds
        matrix = self._coding.matrix(features_of(self, X, kinds))
        return map_to_monomials(matrix, self._products)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the selected columns, or of the kept products.

        Parameters
        ----------
        input_features : array-like of str or None
            Names of the features, if fit did not see them.

        Returns
        -------
        ndarray of str
        """
        variables = np.asarray(super().get_feature_names_out(input_features))
        if self._check_output() == "variables":
            return variables
        return np.array([kept.name for kept in self.monomials_], dtype=object)

    def inverse_transform(self, X: Any) -> Any:
        """Put selected columns back in their places, with zeros elsewhere; products cannot be.

        Parameters
        ----------
        X : array of shape (n_samples, n_selected)
            What ``transform`` gave.
        """
        if self._check_output() == "monomials":
            raise OptionError(
                "Products cannot be turned back into the columns that they were made of; use "
                "output='variables'."
            )
        return super().inverse_transform(X)

    def _check_output(self) -> Output:
        if self.output not in ("variables", "monomials"):
            raise OptionError(f"output must be 'variables' or 'monomials', not {self.output!r}.")
        return self.output
