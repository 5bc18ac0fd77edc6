"""Correlations between blocks of columns are those of numpy, wherever the columns stand."""

from __future__ import annotations

import numpy as np
import pytest

from eiderdown.data import Dataset
from eiderdown.statistics import MomentStatistics, moments
from eiderdown.statistics.moments import SHRINKAGE, Coding


def dataset(columns):
    return Dataset.from_columns(columns, kinds=dict.fromkeys(columns, "continuous"))


def named(values):
    return dataset({f"v{i}": column for i, column in enumerate(values)})


def correlated(rng, n_columns, n_rows):
    return rng.normal(size=(n_columns, n_columns)) @ rng.normal(size=(n_columns, n_rows))


@pytest.mark.parametrize("n_rows", [3, 8, 200, 5_000])
def test_correlations_equal_numpy(n_rows):
    values = correlated(np.random.default_rng(0), 7, n_rows)
    statistics = MomentStatistics(named(values))
    found = np.concatenate([statistics.correlations(i) for i in range(7)])
    np.testing.assert_allclose(found, np.corrcoef(values), atol=1e-13)


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1.0, 1e200, 1e300])
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_scale_and_offset_of_a_column_do_not_change_its_correlations(scale, offset):
    rng = np.random.default_rng(3)
    x = rng.normal(size=300)
    y = x + rng.normal(size=300)
    plain = MomentStatistics(named([x, y])).correlations(1)[0, 0]
    moved = MomentStatistics(named([scale * (x + offset), y + offset]))
    for found in (moved.correlations(1)[0, 0], moved.correlations(0)[0, 1]):
        assert found == pytest.approx(plain, abs=1e-6 if offset else 1e-12)


def test_a_column_that_varies_only_in_its_last_digits_is_not_constant():
    steps = np.random.default_rng(4).integers(0, 3, 200).astype(float)
    clock = 1e15 + steps  # exact in a float
    found = MomentStatistics(named([clock, steps])).correlations(1)[0, 0]
    assert found == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("value", [0.0, 0.1, -3e200, 1e-300])
def test_a_constant_column_correlates_with_nothing_not_even_itself(value):
    y = np.random.default_rng(5).normal(size=(2, 50))
    statistics = MomentStatistics(named([np.full(50, value), *y]))
    assert statistics.correlations(0).tolist() == [[0.0, 0.0, 0.0]]
    assert statistics.correlations(1)[0, 0] == 0.0
    assert statistics.correlations(1)[0, 2] != 0.0


def mixed():
    rng = np.random.default_rng(6)
    codes = rng.integers(0, 4, 300)
    return Dataset.from_columns(
        {
            "number": codes + rng.normal(size=300),
            "letter": np.array(list("abcd"))[codes],
            "flag": rng.random(300) < 0.3,
            "other": rng.normal(size=300),
        }
    )


@pytest.mark.parametrize("coding", [Coding(), Coding("quadratic"), Coding("cubic", ranks=True)])
def test_blocks_are_orthogonal_and_correlate_as_their_columns_do(coding):
    statistics = MomentStatistics(mixed(), coding=coding)
    columns = np.concatenate([statistics.unit_columns(v) for v in range(4)])
    assert len(columns) == 2 * coding.degree + 3 + 1
    expected = columns @ columns.T
    found = np.concatenate([statistics.correlations(v) for v in range(4)])
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(columns.sum(axis=1), 0.0, atol=1e-10)
    for v in range(4):
        own = slice(statistics.first[v], statistics.first[v + 1])
        np.testing.assert_allclose(expected[own, own], np.eye(own.stop - own.start), atol=1e-12)


def test_shrinking_makes_all_correlations_a_little_smaller():
    exact, shrunk = (
        MomentStatistics(mixed(), collinear=way).correlations(0)[0] for way in ("drop", "shrink")
    )
    np.testing.assert_allclose(shrunk[1:], exact[1:] * (1 - SHRINKAGE), atol=1e-15)
    assert shrunk[0] == exact[0] == 1.0


def test_forgotten_correlations_are_computed_again(monkeypatch):
    values = correlated(np.random.default_rng(7), 20, 50)
    monkeypatch.setattr(moments, "_CACHE_BYTES", 8 * 20 * 8)
    statistics = MomentStatistics(named(values))
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
    found = MomentStatistics(named(values)).correlations(3)[0]
    assert found[1] == found[6] == found[12]
