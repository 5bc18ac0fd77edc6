"""Imputed tables: missing values are filled in with values that occur, by chance and by seed."""

from __future__ import annotations

import numpy as np
import pytest

from eiderdown.data import Dataset
from eiderdown.data.impute import imputed_tables
from eiderdown.errors import MissingValuesError


def incomplete(n_rows=120, seed=0):
    generator = np.random.default_rng(seed)
    x = generator.normal(size=n_rows)
    columns = {
        "x": x,
        "y": 3.0 * x + 0.1 * generator.normal(size=n_rows),
        "sex": np.where(x > 0, "f", "m").astype(object),
        "size": np.array(["s", "m", "l"], dtype=object)[np.digitize(x, [-0.5, 0.5])],
        "full": generator.integers(0, 2, n_rows),
    }
    for name in ("y", "sex", "size"):
        columns[name][generator.random(n_rows) < 0.2] = np.nan if name == "y" else None
    return Dataset.from_columns(columns)


def test_what_is_there_stays_and_what_is_not_is_filled_in_from_what_occurs():
    data = incomplete()
    for table in imputed_tables(data, n_tables=3):
        assert table.names == data.names
        assert not table.has_missing.any()
        for i in range(data.n_columns):
            known = ~data.missing(i)
            if data.is_discrete[i]:
                assert table.categories(i) == data.categories(i)
                assert np.array_equal(table.codes(i)[known], data.codes(i)[known])
            else:
                assert np.array_equal(table.values(i)[known], data.values(i)[known])
                assert set(table.values(i)) <= set(data.values(i)[known])


def test_tables_differ_and_seeds_decide():
    data = incomplete()
    prints = [table.fingerprint for table in imputed_tables(data, n_tables=3, seed=1)]
    assert len(set(prints)) == 3
    assert prints == [table.fingerprint for table in imputed_tables(data, n_tables=3, seed=1)]
    assert prints != [table.fingerprint for table in imputed_tables(data, n_tables=3, seed=2)]


def test_the_order_of_the_columns_does_not_matter():
    data = incomplete()
    (one,) = imputed_tables(data, n_tables=1)
    (other,) = imputed_tables(data.select(sorted(data.names, reverse=True)), n_tables=1)
    assert other.select(data.names).fingerprint == one.fingerprint


def test_what_is_filled_in_follows_the_other_columns():
    data = incomplete(600)
    (table,) = imputed_tables(data, n_tables=1)
    missing = data.missing(1)
    assert np.corrcoef(table.values(0)[missing], table.values(1)[missing])[0, 1] > 0.9
    missing = data.missing(2)
    agrees = (table.codes(2) == 0) == (data.values(0) > 0)
    assert agrees[missing].mean() > 0.8


def test_columns_of_nothing_stay_as_they_are():
    data = incomplete().with_columns({"empty": np.full(120, np.nan)})
    (table,) = imputed_tables(data, n_tables=1)
    assert table.has_missing.tolist() == [False] * 5 + [True]


def test_too_many_columns_are_refused_with_a_way_out():
    wide = Dataset.from_numpy(np.full((2, 2_001), np.nan))
    with pytest.raises(MissingValuesError, match="missing='testwise'"):
        imputed_tables(wide)


def test_rows_that_are_alike_have_all_of_their_like_for_donors():
    """Else all get the values of the same five, and noise depends on what predicts it."""
    generator = np.random.default_rng(3)
    x, y = generator.integers(0, 3, (2, 600))
    filled = np.where(generator.random(600) < 0.5, -1, x)
    data = Dataset.from_codes(np.array([filled, y]), names=["x", "y"], categories=[(0, 1, 2)] * 2)
    (table,) = imputed_tables(data, n_tables=1)
    for group in range(3):
        rows = (filled < 0) & (y == group)
        shares = np.bincount(table.codes(0)[rows], minlength=3) / rows.sum()
        assert shares.min() > 0.15
        assert shares.max() < 0.55
