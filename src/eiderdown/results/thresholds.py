"""Which features pass a threshold of confidence, against those that a model has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray
from eiderdown.errors import OptionError

THRESHOLDS: tuple[float, ...] = tuple(step / 20 for step in range(1, 21))
"""The thresholds of a curve if nobody names others: .05, .10, ... 1."""

_ROUNDING = 1e-9  # a confidence is a sum of shares; 9 of 20 models must count at .45


@dataclass(frozen=True)
class ErrorCounts:
    """What a threshold lets pass and what it holds back.

    Attributes
    ----------
    threshold : float
        Least confidence of a feature that passes.
    true_positives : int
        Features of the model that pass.
    false_positives : int
        Features that pass although the model does not have them.
    false_negatives : int
        Features of the model that do not pass.
    """

    threshold: float
    true_positives: int
    false_positives: int
    false_negatives: int


def passes(confidence: float, threshold: float) -> bool:
    """Tell whether a confidence reaches a threshold, rounding ignored.

    Examples
    --------
    >>> passes(0.1 + 0.2 + 0.15 - 1e-16, 0.45), passes(0.44, 0.45)
    (True, False)
    """
    return confidence >= threshold - _ROUNDING


def count_errors(
    confidences: FloatArray, in_model: BoolArray, thresholds: Sequence[float]
) -> tuple[ErrorCounts, ...]:
    """Count true positives, false positives and false negatives at some thresholds.

    Parameters
    ----------
    confidences : array of float
        Confidence in each feature.
    in_model : array of bool
        Whether the model has the feature.
    thresholds : sequence of float
        Where to count, each above 0 and at most 1.
    """
    for threshold in thresholds:
        check_threshold(threshold)
    least = np.asarray(thresholds, dtype=np.float64) - _ROUNDING
    members, others = np.sort(confidences[in_model]), np.sort(confidences[~in_model])
    missed = np.searchsorted(members, least)
    wrong = len(others) - np.searchsorted(others, least)
    counts = zip(thresholds, wrong.tolist(), missed.tolist(), strict=True)
    return tuple(ErrorCounts(float(t), len(members) - fn, fp, fn) for t, fp, fn in counts)


def cheapest_threshold(
    curve: Sequence[ErrorCounts], *, false_positive_cost: float, false_negative_cost: float
) -> float:
    """Return the threshold of a curve at which the errors cost least.

    Parameters
    ----------
    curve : sequence of ErrorCounts
        The choices, thresholds rising.
    false_positive_cost, false_negative_cost : float
        What one error of each sort costs; only their ratio counts.
    """
    _check_costs(false_positive_cost, false_negative_cost)
    costs = [
        false_positive_cost * point.false_positives + false_negative_cost * point.false_negatives
        for point in curve
    ]
    least = min(costs)
    cheap = [cost <= least + _ROUNDING * max(1.0, least) for cost in costs]
    runs = [[place for place, _ in run] for fits, run in _runs(cheap) if fits]
    # The middle of the longest run: the threshold that can move furthest, or whose features'
    # confidences can change most, before the errors cost more.
    longest = max(runs, key=len)
    return curve[longest[(len(longest) - 1) // 2]].threshold


def check_threshold(threshold: float) -> None:
    """Refuse a threshold that no confidence can be compared with."""
    if not 0.0 < threshold <= 1.0:
        raise OptionError(f"threshold must be above 0 and at most 1, not {threshold}.")


def _runs(flags: Sequence[bool]) -> list[tuple[bool, list[tuple[int, bool]]]]:
    grouped = groupby(enumerate(flags), key=lambda item: item[1])
    return [(flag, list(run)) for flag, run in grouped]


def _check_costs(false_positive_cost: float, false_negative_cost: float) -> None:
    costs = {
        "false_positive_cost": false_positive_cost,
        "false_negative_cost": false_negative_cost,
    }
    for name, cost in costs.items():
        if not (math.isfinite(cost) and cost >= 0.0):
            raise OptionError(f"{name} must be a number that is not negative, not {cost}.")
    if not any(costs.values()):
        raise OptionError(
            "false_positive_cost and false_negative_cost are both 0; give at least one a cost."
        )
