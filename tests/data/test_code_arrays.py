"""Wide arrays of codes are encoded at once, to the same table as column by column."""

from __future__ import annotations

import numpy as np
import pytest

from eiderdown import Dataset
from eiderdown.data import code_arrays
from eiderdown.data.code_arrays import as_code_table


def same(ours, theirs):
    """Say whether two datasets agree in all that they hold."""
    return (
        ours.names == theirs.names
        and ours.fingerprint == theirs.fingerprint
        and [ours.categories(i) for i in range(ours.n_columns)]
        == [theirs.categories(i) for i in range(theirs.n_columns)]
        and {type(c) for i in range(ours.n_columns) for c in ours.categories(i)}
        == {type(c) for i in range(theirs.n_columns) for c in theirs.categories(i)}
        and np.array_equal(ours.n_categories, theirs.n_categories)
        and (ours.notes, dict(ours.left_out)) == (theirs.notes, dict(theirs.left_out))
    )


def column_by_column(make, array, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(code_arrays, "FEWEST_COLUMNS", 10**9)
        return make(array)


@pytest.mark.parametrize("make", [Dataset.of, Dataset.from_numpy])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int8, np.int64, np.uint16])
@pytest.mark.parametrize("n_values", [1, 2, 3, 20])
def test_a_wide_array_of_codes_is_the_same_table(make, order, dtype, n_values, monkeypatch):
    rng = np.random.default_rng(n_values)
    array = np.asarray(rng.integers(0, n_values, (300, 270)), dtype=dtype, order=order)
    array[:, 5], array[:, 6] = 0, 1 if n_values == 2 else 0
    expected = column_by_column(make, array, monkeypatch)
    assert as_code_table(array) is not None
    assert same(make(array), expected)


@pytest.mark.parametrize("make", [Dataset.of, Dataset.from_numpy])
@pytest.mark.parametrize("odd", [[0, 2], [1, 2], [5, 9], [1, 1], [0, 25], [-1, 0]])
def test_columns_that_leave_a_number_out_are_the_same(make, odd, monkeypatch):
    array = np.random.default_rng(1).integers(0, 2, (100, 300))
    array[:, 7] = np.tile(odd, 50)
    assert (as_code_table(array) is None) == (min(odd) < 0 or max(odd) > 19)
    assert same(make(array), column_by_column(make, array, monkeypatch))


def test_tiles_do_not_show():
    array = np.random.default_rng(2).integers(0, 3, (513, 771)).astype(np.int16)
    block, _ = as_code_table(array)
    assert np.array_equal(block.codes, array.T)


def test_the_array_may_change_afterwards():
    array = np.asfortranarray(np.random.default_rng(3).random((50, 300)) < 0.5)
    data = Dataset.of(array)
    before = data.codes(4).copy()
    array[:, 4] ^= True
    assert np.array_equal(data.codes(4), before)


def test_floats_masked_arrays_and_narrow_ones_are_no_code_tables():
    codes = np.random.default_rng(4).integers(0, 2, (50, 300))
    assert as_code_table(codes) is not None
    assert as_code_table(codes[:, :200]) is None
    assert as_code_table(codes[:20]) is None  # such columns may number the rows
    assert as_code_table(codes.astype(float)) is None
    assert as_code_table(np.ma.masked_array(codes, codes == 1)) is None
    assert as_code_table(codes.tolist()) is None
