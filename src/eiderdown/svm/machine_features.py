"""The features with the largest weights in any model of a machine, each in its simplest form.

A machine for more than two classes is one model for each pair of them; a feature's weight is then
the largest that it has in any model. In columns that hold two values only, powers are redundant:
of features that are equal for that reason the simplest one stands for all, with the largest weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, frozen, without_rounding
from eiderdown.svm.monomials import Coding, Matrix, Monomial, coding_of
from eiderdown.svm.polynomial_model import PolynomialModel
from eiderdown.svm.pool import Stop, TopFeatures
from eiderdown.svm.svm_weights import Method, affordable, top_features

Weights: TypeAlias = dict[Monomial, tuple[float, tuple[Any, Any] | None]]
"""For each feature its weight, and the classes of the model that the weight is of."""

_STEP = 4
_MOST_STEPS = 3
"""How often more features are asked for, because too many of them were equal."""

_SLACK = 1e-9  # weights as close as this are equal


@dataclass(frozen=True, eq=False)
class MachineFeatures:
    """The features with the largest weights.

    Attributes
    ----------
    features : tuple of Monomial
        By falling size of the weight.
    weights : array
        Their weights.
    classes : tuple of pairs or None
        For each feature the classes of the model that the weight is of; None in regression.
    n_built, n_total, n_proven, unseen, stopped, seconds
        As in :class:`TopFeatures`; built features and seconds of all models together.
    """

    features: tuple[Monomial, ...]
    weights: FloatArray
    classes: tuple[tuple[Any, Any] | None, ...]
    n_built: int
    n_total: int
    n_proven: int
    unseen: float
    stopped: Stop | None
    seconds: float


def machine_features(
    models: Sequence[PolynomialModel],
    matrix: Matrix,
    n_features: int,
    *,
    method: Method = "exact",
    max_built: int | None = None,
    max_seconds: float | None = None,
) -> MachineFeatures:
    """Find the features with the largest weights in any of some models.

    Parameters
    ----------
    models : sequence of PolynomialModel
        One, or one for each pair of classes.
    matrix : array or sparse matrix of shape (n_rows, n_variables)
        The rows that they were trained on.
    n_features : int
        How many different features to return.
    method, max_built, max_seconds
        As in :func:`top_features`; the limits hold for each model. An exact search without a limit
        builds as many features as take a minute or two.
    """
    seconds = 0.0
    for step in range(_MOST_STEPS + 1):
        wanted = n_features * _STEP**step
        found = _searched(models, wanted, method, max_built, max_seconds)
        seconds += sum(top.seconds for top in found)
        merged = _merged(models, found, matrix)
        # What a model has below the last weight that it gave may still be above another model's.
        cut = max((abs(top.weights[-1]) for top in found if len(top.features) == wanted), default=0)
        n_above = sum(abs(weight) >= cut * (1.0 - _SLACK) for weight, _ in merged.values())
        if n_above >= n_features or cut == 0 or found[-1].stopped == "interrupted":
            break
    # Weights that differ by rounding only are equal.
    sizes = without_rounding(np.array([abs(weight) for weight, _ in merged.values()]))
    size_of = dict(zip(merged, sizes.tolist(), strict=True))
    largest = sorted(merged, key=lambda q: (-size_of[q], q.degree, q.factors))[:n_features]
    weights = np.array([merged[q][0] for q in largest], dtype=np.float64)
    unseen = max(top.unseen for top in found)
    all_searched = len(found) == len(models)
    sure = all_searched & (np.abs(weights) >= max(unseen, cut) * (1.0 - _SLACK))
    return MachineFeatures(
        features=tuple(largest),
        weights=frozen(weights),
        classes=tuple(merged[q][1] for q in largest),
        n_built=sum(top.n_built for top in found),
        n_total=found[0].n_total,
        n_proven=len(sure) if sure.all() else int(np.argmin(sure)),
        unseen=unseen,
        stopped=next((top.stopped for top in found if top.stopped), None),
        seconds=seconds,
    )


def weights_with(
    found: MachineFeatures, models: Sequence[PolynomialModel], required: Sequence[Monomial]
) -> Weights:
    """Return the weights of the features that were found, and of some that are required.

    Parameters
    ----------
    found : MachineFeatures
        The features that were found.
    models : sequence of PolynomialModel
        The models in which they were.
    required : sequence of Monomial
        Features to add, whatever their weights.
    """
    weights: Weights = {
        q: (float(weight), pair)
        for q, weight, pair in zip(found.features, found.weights, found.classes, strict=True)
    }
    for q in required:
        of_models = [float(model.weights([q])[0]) for model in models]
        largest = int(np.argmax(np.abs(of_models)))
        weights.setdefault(q, (of_models[largest], models[largest].classes))
    return weights


def _searched(
    models: Sequence[PolynomialModel],
    wanted: int,
    method: Method,
    max_built: int | None,
    max_seconds: float | None,
) -> list[TopFeatures]:
    found: list[TopFeatures] = []
    for model in models:
        most = affordable(model, method) if max_built is None else max_built
        found.append(
            top_features(model, wanted, method=method, max_built=most, max_seconds=max_seconds)
        )
        if found[-1].stopped == "interrupted":
            break
    return found


def _merged(
    models: Sequence[PolynomialModel], found: Sequence[TopFeatures], matrix: Matrix
) -> Weights:
    """Give each feature its largest weight, and the classes of the model that has it."""
    columns = matrix.tocsc() if hasattr(matrix, "tocsc") else matrix

    @cache
    def coding(variable: int) -> Coding:
        return coding_of(columns[:, [variable]])

    merged: Weights = {}
    for model, top in zip(models, found, strict=False):
        for feature, weight in zip(top.features, top.weights, strict=True):
            powers = ((v, coding(v).fold(exponent)) for v, exponent in feature.factors)
            simple = Monomial(tuple((v, exponent) for v, exponent in powers if exponent))
            is_larger = simple not in merged or abs(weight) > abs(merged[simple][0])
            if simple.factors and is_larger:
                merged[simple] = float(weight), model.classes
    return merged
