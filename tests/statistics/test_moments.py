"""Correlations and partial correlations agree with regressions and inverse covariances."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from eiderdown.data import Dataset
from eiderdown.errors import CollinearColumnsError, ColumnKindError, OptionError
from eiderdown.statistics import MomentStatistics
from eiderdown.statistics.moments import SHRINKAGE

PATIENT = settings(max_examples=60, deadline=None, derandomize=True)


def dataset(columns):
    return Dataset.from_columns(columns, kinds=dict.fromkeys(columns, "continuous"))


def named(values):
    return dataset({f"v{i}": column for i, column in enumerate(values)})


def correlated(rng, n_columns, n_rows):
    return rng.normal(size=(n_columns, n_columns)) @ rng.normal(size=(n_columns, n_rows))


def test_correlations_equal_numpy():
    values = correlated(np.random.default_rng(0), 7, 200)
    statistics = MomentStatistics(named(values))
    found = np.stack([statistics.correlations(i) for i in range(7)])
    np.testing.assert_allclose(found, np.corrcoef(values), atol=1e-13)


@PATIENT
@given(
    n_columns=st.integers(2, 8),
    n_spare=st.integers(3, 60),
    seed=st.integers(0, 10_000),
    data=st.data(),
)
def test_partial_correlations_equal_those_of_two_regressions(n_columns, n_spare, seed, data):
    rng = np.random.default_rng(seed)
    values = correlated(rng, n_columns, n_columns + n_spare)
    target, *rest = rng.permutation(n_columns).tolist()
    n_given = data.draw(st.integers(0, len(rest) - 1))
    conditions, candidates = rest[:n_given], rest[n_given:]
    found = MomentStatistics(named(values)).partial_correlations(
        np.array(candidates), target, tuple(conditions)
    )
    expected = [
        naive.partial_correlation(values[x], values[target], [values[z] for z in conditions])
        for x in candidates
    ]
    np.testing.assert_allclose(found.r, expected, atol=1e-8)
    assert not found.determined.any()


def test_given_everything_else_they_are_the_scaled_inverse_covariance():
    values = correlated(np.random.default_rng(1), 6, 500)
    precision = np.linalg.inv(np.cov(values))
    statistics = MomentStatistics(named(values))
    for x in range(1, 6):
        rest = tuple(z for z in range(1, 6) if z != x)
        found = statistics.partial_correlations(np.array([x]), 0, rest).r[0]
        expected = -precision[0, x] / np.sqrt(precision[0, 0] * precision[x, x])
        assert found == pytest.approx(expected, abs=1e-10)


def test_the_order_of_the_conditions_does_not_matter():
    values = correlated(np.random.default_rng(2), 6, 80)
    statistics = MomentStatistics(named(values))
    first = statistics.partial_correlations(np.array([4, 5]), 0, (1, 2, 3)).r
    second = statistics.partial_correlations(np.array([4, 5]), 0, (3, 1, 2)).r
    np.testing.assert_allclose(first, second, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1.0, 1e200, 1e300])
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_scale_and_offset_of_a_column_do_not_change_its_correlations(scale, offset):
    rng = np.random.default_rng(3)
    x = rng.normal(size=300)
    y, z = x + rng.normal(size=300), x + rng.normal(size=300)
    plain = MomentStatistics(named([x, y, z])).partial_correlations(np.array([0]), 1, (2,))
    moved = named([scale * (x + offset), y + offset, scale * z])
    found = MomentStatistics(moved).partial_correlations(np.array([0]), 1, (2,))
    assert found.r[0] == pytest.approx(plain.r[0], abs=1e-6 if offset else 1e-12)


def test_a_column_that_varies_only_in_its_last_digits_is_not_constant():
    rng = np.random.default_rng(4)
    steps = rng.integers(0, 3, 200).astype(float)
    clock = 1e15 + steps  # exact in a float
    found = MomentStatistics(named([clock, steps])).partial_correlations(np.array([0]), 1, ())
    assert found.r[0] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("value", [0.0, 0.1, -3e200, 1e-300])
def test_a_constant_column_correlates_with_nothing(value):
    y = np.random.default_rng(5).normal(size=(2, 50))
    statistics = MomentStatistics(named([np.full(50, value), *y]))
    found = statistics.partial_correlations(np.array([0, 2]), 1, ())
    assert found.r[0] == 0.0
    assert found.r[1] != 0.0


def test_a_constant_condition_is_refused_by_name():
    y = np.random.default_rng(5).normal(size=(2, 50))
    data = dataset({"flat": np.full(50, 0.1), "a": y[0], "b": y[1]})
    with pytest.raises(CollinearColumnsError, match=r"constant.*'flat'"):
        MomentStatistics(data).partial_correlations(np.array([1]), 2, (0,))


def collinear_table():
    rng = np.random.default_rng(6)
    a, b, y = rng.normal(size=(3, 100))
    return dataset(
        {"a": a, "b": b, "sum": 2 * a - b + 1, "y": y + a, "other": rng.normal(size=100)}
    )


@pytest.mark.parametrize(
    ("candidates", "target", "conditions"),
    [([2], 3, (0, 1)), ([3], 2, (0, 1)), ([4], 3, (0, 1, 2)), ([4, 2], 3, (0, 1))],
)
def test_collinear_columns_are_refused_by_name(candidates, target, conditions):
    statistics = MomentStatistics(collinear_table())
    with pytest.raises(CollinearColumnsError, match=r"linear functions of 'a', 'b'.*'sum'"):
        statistics.partial_correlations(np.array(candidates), target, conditions)


def test_dropping_ignores_what_a_collinear_condition_repeats():
    data = collinear_table()
    dropping = MomentStatistics(data, collinear="drop")
    with_sum = dropping.partial_correlations(np.array([4]), 3, (0, 1, 2)).r
    without = MomentStatistics(data).partial_correlations(np.array([4]), 3, (0, 1)).r
    np.testing.assert_allclose(with_sum, without, atol=1e-12)


def test_dropping_says_which_candidates_are_determined_and_gives_them_zero():
    statistics = MomentStatistics(collinear_table(), collinear="drop")
    found = statistics.partial_correlations(np.array([2, 4]), 3, (0, 1))
    assert found.determined.tolist() == [True, False]
    assert found.r[0] == 0.0
    assert found.r[1] != 0.0


def test_shrinking_makes_collinear_columns_regular_and_changes_others_little():
    data = collinear_table()
    shrinking = MomentStatistics(data, collinear="shrink")
    found = shrinking.partial_correlations(np.array([2, 4]), 3, (0, 1))
    assert not found.determined.any()
    assert np.all(np.abs(found.r) < 1)
    exact = MomentStatistics(data).correlations(3)
    np.testing.assert_allclose(
        np.delete(shrinking.correlations(3), 3), np.delete(exact, 3) * (1 - SHRINKAGE), atol=1e-15
    )
    assert shrinking.correlations(3)[3] == 1.0


def test_an_unknown_policy_is_refused():
    with pytest.raises(OptionError, match="'error', 'drop' or 'shrink', not 'ignore'"):
        MomentStatistics(collinear_table(), collinear="ignore")


@pytest.mark.parametrize(("candidates", "target"), [([0], 1), ([1], 0)])
def test_a_discrete_column_is_refused_by_name(candidates, target):
    data = Dataset.from_columns({"sex": ["f", "m", "f"], "height": [1.5, 2.5, 3.5]})
    with pytest.raises(ColumnKindError, match="'sex'"):
        MomentStatistics(data).partial_correlations(np.array(candidates), target, ())


def test_forgotten_correlations_are_computed_again():
    values = correlated(np.random.default_rng(7), 20, 50)
    statistics = MomentStatistics(named(values))
    statistics._most_rows = 8
    first = [statistics.correlations(i).copy() for i in range(20)]
    assert len(statistics._rows) == 8
    for i in range(20):
        np.testing.assert_array_equal(statistics.correlations(i), first[i])


def test_equal_columns_have_equal_correlations_wherever_they_stand():
    rng = np.random.default_rng(8)
    twin, y = rng.normal(size=(2, 501))
    values = rng.normal(size=(13, 501))
    values[[1, 6, 12]] = twin
    values[3] = y
    found = MomentStatistics(named(values)).correlations(3)
    assert found[1] == found[6] == found[12]
