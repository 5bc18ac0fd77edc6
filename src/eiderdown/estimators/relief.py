"""Relief as a feature selector."""

from __future__ import annotations

from typing import Any, Literal

from numpy.typing import NDArray

from eiderdown.estimators.features import TargetKind
from eiderdown.estimators.narrowing_selector import NarrowingSelector
from eiderdown.svm.relief import relief_selection
from eiderdown.svm.subset_wrapper import SubsetSelection


class ReliefSelector(NarrowingSelector):
    """Rank features by how they tell near neighbours of different classes apart.

    The ranking is ReliefF's, or RReliefF's for a numeric target. Like :class:`PolynomialRFE`, it
    drops the lower half of the features again and again, and keeps the set with which a polynomial
    support vector machine does best on rows that were held out.

    Parameters
    ----------
    n_neighbours : int, default=5
        Neighbours of each row in each class.
    degree, C, keep, test_share, gamma, coef0, class_weight, scale, target_kind, random_state
        As in :class:`PolynomialRFE`.

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
    >>> selector = ReliefSelector(C=100.0, random_state=0).fit(X, X[:, 3] != X[:, 8])
    >>> selector.get_support(indices=True)
    array([3, 8])
    """

    def __init__(
        self,
        *,
        n_neighbours: int = 5,
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
        self.n_neighbours = n_neighbours

    def _select(self, X: Any, y: NDArray[Any], **options: Any) -> SubsetSelection:
        return relief_selection(X, y, n_neighbours=self.n_neighbours, **options)
