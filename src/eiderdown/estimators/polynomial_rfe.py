"""Recursive feature elimination with a polynomial kernel, as a feature selector."""

from __future__ import annotations

from typing import Any, Literal

from numpy.typing import NDArray

from eiderdown.estimators.features import TargetKind
from eiderdown.estimators.narrowing_selector import NarrowingSelector
from eiderdown.svm.elimination import recursive_elimination
from eiderdown.svm.subset_wrapper import SubsetSelection


class PolynomialRFE(NarrowingSelector):
    """Drop the features that a polynomial support vector machine makes least use of, and repeat.

    Unlike scikit-learn's ``RFE``, it takes non-linear kernels: the use of a feature is the sum of
    the squared weights of all products that contain it. A share of the rows is held out, and the
    set of features with which the machine does best on them is kept.

    Parameters
    ----------
    degree : int, default=2
        Degree of the kernel.
    C : float, default=1.0
        Cost of errors.
    keep : float, default=0.5
        Share of the features that is kept in each round.
    test_share : float, default=0.2
        Share of the rows that is held out.
    gamma, coef0 : float, default=1.0
        The kernel is ``(gamma x.x' + coef0)^degree``.
    class_weight : "balanced" or None, default=None
        Whether rare classes count as much as others.
    scale : bool, default=True
        Bring features to [-1, 1] first (sparse ones by their largest absolute value).
    target_kind : {"infer", "discrete", "continuous"}, default="infer"
        Whether the target is a class or a number. By inference it is a class if it is text,
        boolean, or whole numbers with at most 20 distinct values.
    random_state : int or None, default=None
        Decides which rows are held out.

    Attributes
    ----------
    selection_ : SubsetSelection
        Every round with its score, and the order in which features went.
    support_ : ndarray of bool
        Which features are kept.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of str
        Names of the features, where X has them.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).choice([0, 1], size=(200, 16))
    >>> selector = PolynomialRFE(degree=2, C=100.0, random_state=0).fit(X, X[:, 3] != X[:, 8])
    >>> selector.get_support(indices=True)
    array([3, 8])
    """

    def __init__(
        self,
        *,
        degree: int = 2,
        C: float = 1.0,
        keep: float = 0.5,
        test_share: float = 0.2,
        gamma: float = 1.0,
        coef0: float = 1.0,
        class_weight: Literal["balanced"] | None = None,
        scale: bool = True,
        target_kind: TargetKind = "infer",
        random_state: int | None = None,
    ) -> None:
        super().__init__(
            degree=degree,
            C=C,
            keep=keep,
            test_share=test_share,
            gamma=gamma,
            coef0=coef0,
            class_weight=class_weight,
            scale=scale,
            target_kind=target_kind,
            random_state=random_state,
        )

    def _select(self, X: Any, y: NDArray[Any], **options: Any) -> SubsetSelection:
        return recursive_elimination(X, y, **options)
