"""Which features are discrete, said in the ways that scikit-learn users know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from eiderdown.data import Kind
from eiderdown.errors import OptionError, UnknownColumnError, listed

DiscreteFeatures: TypeAlias = Literal["infer"] | bool | Sequence[bool | int | str] | NDArray[Any]


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
    if isinstance(discrete_features, str):
        if discrete_features != "infer":
            raise OptionError(
                f"discrete_features must be 'infer', a bool, a mask, or names or indices of "
                f"features, not {discrete_features!r}."
            )
        return {}
    discrete = _mask(np.asarray(discrete_features), names)
    return {
        name: Kind.DISCRETE if yes else Kind.CONTINUOUS
        for name, yes in zip(names, discrete, strict=True)
    }


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
        unknown = [str(name) for name in chosen if name not in known]
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
