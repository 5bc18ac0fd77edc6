"""Features and targets as scikit-learn users have them, as columns of a dataset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from eiderdown.data import Dataset, Kind
from eiderdown.data.encode import MAX_INTEGER_CATEGORIES
from eiderdown.errors import ColumnKindError, OptionError, UnknownColumnError, listed
from eiderdown.option_types import shown
from eiderdown.options import Option, checked_options, options_of

TargetKind: TypeAlias = Literal["infer", "discrete", "continuous"]
DiscreteFeatures: TypeAlias = Literal["infer"] | bool | Sequence[bool | int | str] | NDArray[Any]
TargetKindOption: TypeAlias = Annotated[
    TargetKind,
    Option(
        "whether the target is a class or a number; 'infer' takes text, booleans, and at most 20 "
        "distinct whole numbers for classes",
        default="infer",
    ),
]


class KindOptions(TypedDict, total=False):
    """What estimators take about the kinds of features."""

    discrete_features: Annotated[
        DiscreteFeatures,
        Option(
            "the discrete features: a bool for all, a mask, or names or indices; 'infer' takes "
            "text, categories, booleans, and integers with few distinct values",
            default="infer",
        ),
    ]


class FeatureOptions(KindOptions, total=False):
    """What selectors take about the kinds of features and target."""

    target_kind: TargetKindOption


class NetworkScoreOptions(TypedDict, total=False):
    """What estimators that learn graphs take; ``score`` is a method of scikit-learn's."""

    network_score: Annotated[
        Any,
        Option(
            "score of graphs, for searches that score: a name, a configured score such as "
            "BDEU(equivalent_sample_size=1), or a function that makes one from a Dataset",
            default="auto",
        ),
    ]


def checked_params(estimator: Any) -> dict[str, Any]:
    """Return the declared parameters of an estimator in their types, or say what one must be."""
    kind: Any = type(estimator)
    known = options_of(kind)
    own = estimator.get_params(deep=False)
    given = {name: own[name] for name in known if name in own}
    return checked_options(known, given, kind.__name__)


def feature_kinds(discrete_features: DiscreteFeatures, names: Sequence[str]) -> dict[str, Kind]:
    """Return the kind of every feature, or nothing where kinds are to be inferred.

    Parameters
    ----------
    discrete_features : "infer", bool, mask, or names or indices of features
        The discrete features; those not listed are continuous.
    names : sequence of str
        All features.

    Examples
    --------
    >>> feature_kinds(["sex"], ["age", "sex"])
    {'age': <Kind.CONTINUOUS: 'continuous'>, 'sex': <Kind.DISCRETE: 'discrete'>}
    >>> feature_kinds("infer", ["age", "sex"])
    {}
    """
    if isinstance(discrete_features, str) and discrete_features == "infer":
        return {}
    discrete = _mask(_array_of(discrete_features), names)
    return {
        name: Kind.DISCRETE if yes else Kind.CONTINUOUS
        for name, yes in zip(names, discrete, strict=True)
    }


def _array_of(discrete_features: DiscreteFeatures) -> NDArray[Any]:
    """Return what was given as an array, which a text or a mapping is not."""
    is_plain = isinstance(discrete_features, bool | np.ndarray | Sequence)
    if not is_plain or isinstance(discrete_features, str | bytes):
        raise OptionError(
            "discrete_features must be 'infer', a bool, a mask, or names or indices of features, "
            f"not {shown(discrete_features)}."
        )
    try:
        return np.asarray(discrete_features)
    except ValueError:  # lists of several lengths
        return np.empty((0, 0))


def _mask(chosen: NDArray[Any], names: Sequence[str]) -> NDArray[np.bool_]:
    if chosen.dtype == np.bool_:
        if chosen.shape not in ((), (len(names),)):
            raise OptionError(
                f"discrete_features is a mask of shape {chosen.shape}, but there are {len(names)} "
                "features; give one bool for each."
            )
        return np.broadcast_to(chosen, len(names))
    if chosen.ndim == 1 and (chosen.dtype.kind in "iu" or chosen.size == 0):
        return _mask_of_indices(chosen.astype(np.int64), len(names))
    if chosen.ndim == 1 and chosen.dtype.kind in "UO":
        known = set(names)
        unknown = [str(name) for name in chosen if not isinstance(name, str) or name not in known]
        if unknown:
            raise UnknownColumnError(
                f"discrete_features names {listed(unknown)}, but X has no such feature; "
                f"it has {listed(names)}."
            )
        return np.isin(names, chosen.astype(str))
    raise OptionError(
        "discrete_features must be 'infer', a bool, a mask, or names or indices of features; "
        f"an array of shape {chosen.shape} and type {chosen.dtype} is none of these."
    )


def _mask_of_indices(indices: NDArray[np.int64], n_features: int) -> NDArray[np.bool_]:
    outside = indices[(indices < 0) | (indices >= n_features)]
    if len(outside):
        raise UnknownColumnError(
            f"discrete_features holds the index {outside[0]}, but X has {n_features} features; "
            f"give indices from 0 to {n_features - 1}."
        )
    mask = np.zeros(n_features, dtype=np.bool_)
    mask[indices] = True
    return mask


def feature_names(estimator: Any) -> list[str]:
    """Return the names of the features that an estimator was fitted with: x0, x1, ... for none."""
    unnamed = [f"x{i}" for i in range(estimator.n_features_in_)]
    return list(getattr(estimator, "feature_names_in_", unnamed))


def is_frame(X: Any) -> bool:
    """Whether X is a pandas or polars frame."""
    return hasattr(X, "columns") and hasattr(X, "dtypes")


class SelectorWithTarget(SelectorMixin, BaseEstimator):
    """What all selectors share: their ``fit`` needs a target, and they keep what it supports."""

    support_: NDArray[np.bool_]
    n_features_in_: int

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        # Sparse matrices are taken only if they are binary, and the tag has no word for that.
        tags.input_tags.sparse = False
        return tags


def validated(estimator: Any, X: Any, *, reset: bool, **checks: Any) -> Any:
    """Check features; a frame stays a frame, because an array loses its kinds."""
    if is_frame(X):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return X
    return validate_data(estimator, X, reset=reset, **checks)


def features_of(estimator: Any, X: Any, discrete_features: DiscreteFeatures) -> Dataset:
    """Make a dataset of features that an estimator has validated; say which are discrete."""
    names = feature_names(estimator)
    kinds = feature_kinds(discrete_features, names)
    if issparse(X):
        _refuse_continuous(kinds)
        return Dataset.from_sparse(X, names=names)
    if is_frame(X):
        # All of them, whatever they hold: what is selected is told by their positions.
        columns = [X[label] for label in X.columns]
        return Dataset.from_columns(dict(zip(names, columns, strict=True)), kinds=kinds)
    return Dataset.from_numpy(X, names=names, kinds=kinds)


def _refuse_continuous(kinds: dict[str, Kind]) -> None:
    continuous = [name for name, kind in kinds.items() if kind is Kind.CONTINUOUS]
    if continuous:
        raise ColumnKindError(
            f"X is sparse, so its columns hold 0 and 1 and cannot be continuous: "
            f"{listed(continuous)}; leave discrete_features as 'infer', or give X as a dense array."
        )


def unused_name(label: object, names: Sequence[str]) -> str:
    """Name the target after its series, and as no feature is named."""
    name = label if isinstance(label, str) and label else "target"
    while name in names:
        name += "_"
    return name


def target_kinds(y: NDArray[Any], target: str, wanted: TargetKind) -> dict[str, Kind]:
    """Return the target's kind, or nothing where a dataset infers the right one."""
    if isinstance(wanted, str) and wanted == "infer":
        # Scikit-learn users write classes as 0.0 and 1.0, too; to a dataset these are numbers.
        known = y[~np.isnan(y)] if y.dtype.kind == "f" else y
        classes = y.dtype.kind == "f" and type_of_target(known) in ("binary", "multiclass")
        few = classes and len(np.unique(known)) <= MAX_INTEGER_CATEGORIES
        return {target: Kind.DISCRETE} if few else {}
    try:
        return {target: Kind(wanted)}
    except (TypeError, ValueError):
        raise OptionError(
            f"target_kind must be 'infer', 'discrete' or 'continuous', not {shown(wanted)}."
        ) from None
