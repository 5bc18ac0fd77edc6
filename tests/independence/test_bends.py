"""What bends gain, beside regressions written out."""

from __future__ import annotations

import numpy as np
import pytest

from eiderdown.data import Dataset
from eiderdown.independence.bends import _difference
from eiderdown.independence.wilks import WilksTest


@pytest.fixture
def columns():
    """Correlations of a bent table: a depends on b and c, and so does the category k."""
    rng = np.random.default_rng(0)
    b, c = rng.normal(size=(2, 200))
    a = b**2 + c + rng.normal(size=200)
    k = np.where(b**2 + c + rng.normal(size=200) > 1.0, "high", "low")
    table = Dataset.from_columns({"a": a, "b": b, "c": c, "k": k})
    return WilksTest(table, basis="cubic").statistics


def designs(columns, predictors):
    """The columns of the predictors, bent and straight, as a regression takes them."""
    blocks = [columns.unit_columns(x) * np.sqrt(columns.data.n_rows) for x in predictors]
    n_main = [int(columns.n_main[x]) for x in predictors]
    straight = [block[:n] for block, n in zip(blocks, n_main, strict=True)]
    return np.concatenate(blocks).T, np.concatenate(straight).T


def with_ones(design):
    return np.column_stack([np.ones(len(design)), design])


def naive_linear(design, response, train, held_out):
    design = with_ones(design)
    slopes = np.linalg.lstsq(design[train], response[train])[0]
    variance = np.mean((response[train] - design[train] @ slopes) ** 2)
    errors = response[held_out] - design[held_out] @ slopes
    return -sum(
        0.5 * np.log(variance / 2) + 2.5 * np.log(1 + e**2 / (2 * variance)) for e in errors
    )


def naive_logistic(design, is_class, train, held_out):
    """Newton's method, more steps than it takes."""
    design = with_ones(design)
    slopes, prior = np.zeros(design.shape[1]), np.r_[1e-3, np.ones(design.shape[1] - 1)]
    for _ in range(50):
        p = 1 / (1 + np.exp(-design[train] @ slopes))
        curve = design[train].T @ np.diag(p * (1 - p)) @ design[train] + np.diag(prior)
        slopes += np.linalg.solve(curve, design[train].T @ (is_class[train] - p) - prior * slopes)
    p = 1 / (1 + np.exp(-design[held_out] @ slopes))
    return sum(np.log(p[i] if is_class[row] else 1 - p[i]) for i, row in enumerate(held_out))


@pytest.mark.parametrize(("y", "predictors"), [(0, [1, 2]), (0, [1, 3]), (3, [1, 2]), (3, [0])])
def test_what_bends_gain_is_what_two_regressions_say(columns, y, predictors):
    train, held_out = np.arange(0, 150), np.arange(150, 200)
    bent, straight = designs(columns, predictors)
    if y == 3:
        codes = columns.data.codes(3)
        responses, naive = [(codes == c).astype(float) for c in range(2)], naive_logistic
    else:
        responses, naive = [columns.unit_columns(y)[0] * np.sqrt(200)], naive_linear
    expected = sum(
        naive(bent, one, train, held_out) - naive(straight, one, train, held_out)
        for one in responses
    )
    gained = _difference(columns, y, predictors, train, held_out)
    assert gained == pytest.approx(expected, rel=1e-9)
    assert gained != 0.0


def test_categories_do_not_bend(columns):
    assert _difference(columns, 0, [3], np.arange(150), np.arange(150, 200)) == 0.0
