"""Logarithms of tails agree with arithmetic of many digits, however small the probability."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy import stats

from eiderdown.independence.kernels.tails import log_beta_tail, log_chi_square_tail

FREEDOMS = (1, 2, 3, 7, 40, 999, 20_000)


def log_student_tails(t, dof):
    """Log of P(|T| >= t): the square of Student's t is an F."""
    return log_beta_tail(0.5 * dof, 0.5, -math.log1p(t * t / dof))


def precise(log_p):
    """Compare relatively, but grant what one rounding of a probability near 1 costs."""
    return pytest.approx(log_p, rel=1e-9, abs=1e-14)


@pytest.mark.parametrize("dof", FREEDOMS)
@pytest.mark.parametrize("deviations", [-6, -1, 0, 0.1, 1, 5, 20])
def test_chi_square_tail_is_right_near_its_mean(dof, deviations):
    statistic = max(1e-3, dof + deviations * np.sqrt(2 * dof))
    with mpmath.workdps(40):
        tail = mpmath.gammainc(mpmath.mpf(dof) / 2, mpmath.mpf(statistic) / 2, regularized=True)
        expected = float(mpmath.log(tail))
    assert log_chi_square_tail(statistic, float(dof)) == precise(expected)


@pytest.mark.parametrize("dof", FREEDOMS)
@pytest.mark.parametrize("statistic", [3e3, 1e5, 2.1e6])
def test_chi_square_tail_is_right_down_to_a_million_below_zero(dof, statistic):
    with mpmath.workdps(40):
        tail = mpmath.gammainc(mpmath.mpf(dof) / 2, mpmath.mpf(statistic) / 2, regularized=True)
        expected = float(mpmath.log(tail))
    assert log_chi_square_tail(statistic, float(dof)) == precise(expected)


def test_the_deepest_chi_square_tail_is_below_minus_a_million():
    assert log_chi_square_tail(2.1e6, 1.0) < -1e6


@pytest.mark.parametrize("dof", [1, 4, 30, 500])
def test_chi_square_tail_agrees_with_scipy_in_the_normal_range(dof):
    for statistic in np.linspace(0.01, dof + 200, 40):
        expected = stats.chi2.logsf(statistic, dof)
        assert log_chi_square_tail(statistic, float(dof)) == precise(expected)


@pytest.mark.parametrize(("statistic", "dof"), [(0.0, 3.0), (5.0, 0.0), (0.0, 0.0), (5.0, 1e290)])
def test_where_nothing_can_be_rejected_the_tail_is_everything(statistic, dof):
    assert log_chi_square_tail(statistic, dof) == 0.0


@pytest.mark.parametrize("dof", FREEDOMS)
@pytest.mark.parametrize("t", [1e-6, 0.3, 1.0, 2.5, 9.0, 80.0, 1e4, 1e8])
def test_student_tails_are_right_for_every_t(dof, t):
    with mpmath.workdps(60):
        a, square = mpmath.mpf(dof) / 2, mpmath.mpf(t) ** 2
        tail = mpmath.betainc(a, mpmath.mpf("0.5"), 0, dof / (dof + square), regularized=True)
        expected = float(mpmath.log(tail))
    assert log_student_tails(t, float(dof)) == precise(expected)


@pytest.mark.parametrize("dof", [1, 10, 1_000])
def test_student_tails_agree_with_scipy_in_the_normal_range(dof):
    for t in np.linspace(0.0, 12.0, 25):
        expected = np.log(2.0) + stats.t.logsf(t, dof)
        assert log_student_tails(t, float(dof)) == precise(expected)


def test_tails_fall_as_the_statistic_grows():
    statistics = np.geomspace(1e-3, 1e7, 400)
    for dof in (1.0, 6.0, 3_000.0):
        tails = np.array([log_chi_square_tail(s, dof) for s in statistics])
        assert np.all(np.diff(tails) <= 0)
        assert np.all(np.isfinite(tails))
