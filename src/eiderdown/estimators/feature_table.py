"""The features that scikit-learn hands over, as a dataset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scipy.sparse import issparse

from eiderdown.data import Dataset, Kind
from eiderdown.errors import ColumnKindError, listed
from eiderdown.estimators.feature_kinds import DiscreteFeatures, feature_kinds


def is_frame(X: Any) -> bool:
    """Whether X is a pandas or polars frame."""
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def features_of(
    X: Any, names: Sequence[str], discrete_features: DiscreteFeatures, *, named: bool
) -> Dataset:
    """Make a dataset of validated features.

    Parameters
    ----------
    X : array, frame or binary sparse matrix
        The features.
    names : sequence of str
        Their names.
    discrete_features : "infer", bool, mask, or names or indices of features
        The discrete ones.
    named : bool
        Whether the names are a frame's own.
    """
    kinds = feature_kinds(discrete_features, names)
    if issparse(X):
        _refuse_continuous(kinds)
        return Dataset.from_sparse(X, names=names)
    if is_frame(X):
        # Names that are not text are no feature names to scikit-learn.
        return Dataset.of(X if named else X.set_axis(names, axis=1), kinds=kinds)
    return Dataset.from_numpy(X, names=names, kinds=kinds)


def _refuse_continuous(kinds: dict[str, Kind]) -> None:
    continuous = [name for name, kind in kinds.items() if kind is Kind.CONTINUOUS]
    if continuous:
        raise ColumnKindError(
            f"X is sparse, so its columns hold 0 and 1 and cannot be continuous: "
            f"{listed(continuous)}; leave discrete_features as 'infer', or give X as a dense array."
        )
