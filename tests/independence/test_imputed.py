"""Tests pooled over imputed tables: the rule by hand, exact where nothing is missing, its size."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from eiderdown.data import Dataset
from eiderdown.independence import make_test
from eiderdown.independence.missing import pooled


@pytest.mark.parametrize("dof", [1.0, 4.0, 7.5])
def test_d2_as_published(dof):
    p = np.array([0.02, 0.10, 0.03, 0.05, 0.01])
    d = stats.chi2.isf(p, dof)
    r = (1 + 1 / 5) * np.var(np.sqrt(d), ddof=1)
    d2 = (d.mean() / dof - 6 / 4 * r) / (1 + r)
    v = dof ** (-3 / 5) * 4 * (1 + 1 / r) ** 2
    statistic, log_p = pooled(np.log(p)[:, None], np.array([dof]))
    assert statistic[0] == pytest.approx(dof * d2)
    assert math.exp(log_p[0]) == pytest.approx(stats.f.sf(d2, dof, v))


def test_tiny_p_values_stay_finite_and_in_order():
    log_p = np.array([[-650.0, -3_000.0], [-651.0, -3_001.0], [-649.0, -2_999.0]])
    statistic, found = pooled(log_p, np.ones(2))
    assert np.isfinite(found).all()
    assert found[1] < found[0] < -100.0
    assert statistic[1] > statistic[0]


def incomplete(seed, n_rows=150, effect=0.0):
    generator = np.random.default_rng([seed, 12])
    z = generator.normal(size=n_rows)
    x = z + generator.normal(size=n_rows)
    y = z + effect * x + generator.normal(size=n_rows)
    x[generator.random(n_rows) < 0.2] = np.nan
    z[generator.random(n_rows) < 0.1] = np.nan
    return Dataset.from_columns({"x": x, "y": y, "z": z, "w": generator.normal(size=n_rows)})


def test_questions_about_complete_columns_are_answered_exactly():
    data = incomplete(0)
    found = make_test("fisher_z", data, missing="impute").test(1, 3)
    assert found == make_test("fisher_z", data.select(["y", "w"])).test(0, 1).__class__(
        **{**vars(make_test("fisher_z", data.select(["y", "w"])).test(0, 1)), "x": 1, "y": 3}
    )


def test_dependence_is_found_and_all_rows_are_used():
    found = make_test("fisher_z", incomplete(1, effect=0.8), missing="impute").test(0, 1, [2])
    assert found.dependent(0.001)
    assert found.n_used == 150


@pytest.mark.no_cover
@pytest.mark.parametrize("n_tables", [20, pytest.param(100, marks=pytest.mark.slow)])
def test_noise_is_rejected_about_as_often_as_it_should(n_tables):
    tests = [make_test("fisher_z", incomplete(seed), missing="impute") for seed in range(n_tables)]
    p = [math.exp(test.test(0, 1, [2]).log_p) for test in tests]
    # More of them below .05 would be a surprise (1 in 100).
    assert np.sum(np.array(p) < 0.05) <= stats.binom.isf(0.01, n_tables, 0.05)
    assert np.mean(np.array(p) < 0.5) == pytest.approx(0.5, abs=1.5 / math.sqrt(n_tables))


def test_the_seed_decides_what_is_filled_in():
    data = incomplete(2)
    one, same, other = (
        make_test("fisher_z", data, missing="impute", random_state=seed).test(0, 1)
        for seed in (0, 0, 1)
    )
    assert one == same
    assert one.log_p != other.log_p
