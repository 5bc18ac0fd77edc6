"""Partial correlations next to 1: right to the last digits that there are, and then a copy."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from eiderdown import Dataset
from eiderdown.independence.batch import COPY_EFFECT
from eiderdown.independence.registry import FISHER_Z, STUDENT_T, WILKS, make_test

N_ROWS = 40


def columns_with(noise):
    """Return two columns that differ by some noise, and a third."""
    rng = np.random.default_rng(2)
    x, e, z = rng.normal(size=(3, N_ROWS))
    return x, x + noise * e, z


def exact_left(x, y):
    """Return 1 - r^2 of two columns of floats, in many digits."""
    with mpmath.workdps(60):
        x, y = ([mpmath.mpf(float(v)) for v in column] for column in (x, y))
        x = [v - mpmath.fsum(x) / N_ROWS for v in x]
        y = [v - mpmath.fsum(y) / N_ROWS for v in y]
        shared = mpmath.fdot(x, y) ** 2 / (mpmath.fdot(x, x) * mpmath.fdot(y, y))
        return 1 - shared


def exact_log_p(left, test):
    with mpmath.workdps(60):
        if test is FISHER_Z:
            z = mpmath.sqrt(N_ROWS - 3) * mpmath.atanh(mpmath.sqrt(1 - left))
            return float(mpmath.log(mpmath.erfc(z / mpmath.sqrt(2))))
        return float(mpmath.log(mpmath.betainc((N_ROWS - 2) / 2, 0.5, 0, left, regularized=True)))


@pytest.mark.parametrize("test", [STUDENT_T, FISHER_Z, WILKS])
@pytest.mark.parametrize("noise", [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 2e-6])
def test_log_p_next_to_one_is_that_of_many_digits(test, noise):
    x, y, z = columns_with(noise)
    found = make_test(test, Dataset.from_columns({"x": x, "y": y, "z": z}), None, 1).test(0, 1)
    assert found.log_p == pytest.approx(exact_log_p(exact_left(x, y), test), rel=1e-4)
    assert found.dependent(1e-6)
    assert not found.reason


@pytest.mark.parametrize("test", [STUDENT_T, FISHER_Z, WILKS])
@pytest.mark.parametrize("noise", [1e-7, 1e-8, 1e-12, 0.0])
def test_beyond_rounding_two_columns_are_copies_and_log_p_is_a_bound(test, noise):
    x, y, z = columns_with(noise)
    data = Dataset.from_columns({"x": x, "y": y, "z": z})
    found = make_test(test(collinear="drop"), data, None, 1).test(0, 1)
    assert found.effect == COPY_EFFECT
    assert found.reason.startswith("Numerically a copy")
    assert found.dependent(1e-6)
    bound = exact_log_p(mpmath.mpf(1 - COPY_EFFECT**2), test)
    assert found.log_p == pytest.approx(bound, rel=1e-3)
    assert math.isfinite(found.statistic)
