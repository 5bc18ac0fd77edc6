"""Every way of counting gives the integers that counting row by row gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse import csc_array

import naive
from eiderdown.data import Dataset
from eiderdown.errors import ColumnKindError, OptionError
from eiderdown.statistics import CountStatistics, Path
from examples import examples
from random_tables import mixed_table, tables

ANY_PATH = pytest.mark.parametrize("path", [None, *Path], ids=lambda p: p.value if p else "auto")
PATIENT = examples(24)


def naive_tables(table, candidates, target, conditions):
    return [
        naive.table(
            table.codes[x],
            table.codes[target],
            [table.codes[z] for z in conditions],
            table.n_categories[x],
            table.n_categories[target],
        )
        for x in candidates
    ]


def assert_counts_right(table, path, candidates, target, conditions, **options):
    statistics = CountStatistics(table.data, path=path, **options)
    found = statistics.tables(candidates, target, conditions)
    for ours, theirs in zip(
        found, naive_tables(table, candidates, target, conditions), strict=True
    ):
        assert ours.dtype == np.int32
        np.testing.assert_array_equal(ours, theirs)


@st.composite
def sweeps(draw):
    table = draw(tables())
    target, *rest = draw(st.permutations(range(len(table.codes))))
    n_given = draw(st.integers(0, min(5, len(rest) - 1)))
    return table, rest[n_given:], target, tuple(rest[:n_given])


@ANY_PATH
@PATIENT
@given(sweep=sweeps())
def test_counts_equal_naive_counts_on_awkward_tables(path, sweep):
    table, candidates, target, conditions = sweep
    assert_counts_right(table, path, candidates, target, conditions)


@ANY_PATH
@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 129, 16_383, 16_385, 65_600])
def test_counts_are_right_where_words_tiles_and_row_types_end(path, n_rows):
    rng = np.random.default_rng(n_rows)
    dense = [rng.integers(0, categories, n_rows) for categories in (2, 3, 16)]
    listed = [(rng.random(n_rows) < share).astype(int) for share in (0.02, 0.0, 1.0)]
    table = mixed_table(dense, [2, 3, 16], listed)
    assert_counts_right(table, path, [0, 1, 2, 3, 5], 4, ())


@ANY_PATH
def test_target_and_condition_may_live_in_the_sparse_block(path):
    rng = np.random.default_rng(5)
    listed = [(rng.random(150) < 0.3).astype(int) for _ in range(5)]
    table = mixed_table([rng.integers(0, 4, 150)], [4], listed)
    assert_counts_right(table, path, [1, 3, 4, 5], 0, (2,))


@ANY_PATH
def test_five_conditions_leave_empty_cells_but_no_empty_strata(path):
    rng = np.random.default_rng(6)
    dense = [rng.integers(0, categories, 129) for categories in (2, 3, 2, 4, 2, 3, 5)]
    table = mixed_table(dense, [2, 3, 2, 4, 2, 3, 5], [np.ones(129, dtype=int)])
    assert_counts_right(table, path, [0, 1], 7, (2, 3, 4, 5, 6))
    found = CountStatistics(table.data, path=path).tables([1], 7, (2, 3, 4, 5, 6))[0]
    assert found.sum(axis=(1, 2)).min() > 0


@ANY_PATH
def test_columns_of_200_and_300_levels_count_against_each_other(path):
    rng = np.random.default_rng(7)
    dense = [rng.integers(0, categories, 500) for categories in (200, 300, 2, 256, 257)]
    table = mixed_table(dense, [200, 300, 2, 256, 257], [rng.integers(0, 2, 500)])
    assert_counts_right(table, path, [0, 1, 3, 4, 5], 2, ())
    assert_counts_right(table, path, [1, 2, 3], 4, (0,))


@ANY_PATH
def test_many_candidates_with_many_cells_exceed_one_block_and_still_complete(path):
    rng = np.random.default_rng(8)
    dense = [rng.integers(0, 16, 3_000) for _ in range(62)]
    table = mixed_table(dense, [16] * 62, [rng.integers(0, 2, 3_000)])
    candidates = list(range(3, 63))  # 60 candidates x 16^4 cells: fifteen blocks
    statistics = CountStatistics(table.data, path=path)
    found = statistics.tables(candidates, 1, (2,))
    for position in (0, 31, 59):
        (expected,) = naive_tables(table, [candidates[position]], 1, (2,))
        np.testing.assert_array_equal(found[position], expected)
    assert all(counts.sum() == 3_000 for counts in found)


@ANY_PATH
def test_two_threads_count_the_same_as_one(path):
    rng = np.random.default_rng(9)
    dense = [rng.integers(0, 3, 20_000) for _ in range(40)]
    table = mixed_table(dense, [3] * 40, [rng.integers(0, 2, 20_000)])
    candidates = list(range(2, 41))
    one, two = (
        CountStatistics(table.data, path=path, n_jobs=n).tables(candidates, 1, (0,)) for n in (1, 2)
    )
    for counts, others in zip(one, two, strict=True):
        np.testing.assert_array_equal(counts, others)


@ANY_PATH
def test_a_million_rows_are_counted_exactly(path):
    rng = np.random.default_rng(10)
    n_rows = 1_000_000
    codes = np.stack(
        [rng.integers(0, categories, n_rows, dtype=np.uint8) for categories in (2, 3, 4, 2)]
    )
    categories = [tuple(range(count)) for count in (2, 3, 4, 2)]
    data = Dataset.from_codes(codes, names=["x", "t", "z", "y"], categories=categories)
    found = CountStatistics(data, path=path).tables([0, 3], 1, (2,))
    for x, counts in zip((0, 3), found, strict=True):
        keys = (codes[2].astype(np.int64) * 3 + codes[1]) * 2 + codes[x]
        expected = np.bincount(keys, minlength=24).reshape(4, 3, 2)
        np.testing.assert_array_equal(counts, expected)


@ANY_PATH
def test_no_candidates_give_no_tables(path):
    table = mixed_table([np.array([0, 1, 0])], [2], [np.array([1, 0, 0])])
    assert CountStatistics(table.data, path=path).tables([], 0) == []


def test_sparse_and_dense_storage_of_one_table_count_the_same():
    rng = np.random.default_rng(11)
    matrix = (rng.random((300, 6)) < 0.2).astype(np.int64)
    sparse = CountStatistics(Dataset.from_sparse(csc_array(matrix)))
    dense = CountStatistics(Dataset.from_numpy(matrix))
    for ours, theirs in zip(
        sparse.tables([2, 3, 4, 5], 0, (1,)), dense.tables([2, 3, 4, 5], 0, (1,)), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("xs", "target", "conditions"), [([0], 1, ()), ([1], 0, ()), ([1], 2, (0,))]
)
def test_a_continuous_column_is_refused_by_name(xs, target, conditions):
    data = Dataset.from_columns({"height": [1.5, 2.5], "sex": ["f", "m"], "ill": ["n", "y"]})
    with pytest.raises(ColumnKindError, match="'height'"):
        CountStatistics(data).tables(xs, target, conditions)


def test_fewer_than_one_worker_is_refused():
    data = Dataset.from_columns({"a": ["x", "y"]})
    with pytest.raises(OptionError, match="n_jobs must be at least 1"):
        CountStatistics(data, n_jobs=0)


def naive_counts_without_missing(columns, x, t, given):
    """Count row by row the combinations in which nothing is None."""
    counts = {}
    for row in zip(*columns, strict=True):
        if None not in (row[x], row[t], *(row[z] for z in given)):
            key = (tuple(row[z] for z in given), row[t], row[x])
            counts[key] = counts.get(key, 0) + 1
    return sorted(counts.values())


@pytest.mark.parametrize("path", [None, *Path])
@examples(12)
@given(st.integers(1, 150), st.integers(0, 3), st.floats(0.0, 0.6), st.integers(0, 1_000))
def test_rows_with_missing_values_count_for_nothing(path, n_rows, n_given, share, seed):
    generator = np.random.default_rng(seed)
    columns = [generator.integers(0, k, n_rows).astype(object) for k in (2, 3, 5, 2, 17, 3)]
    for k in range(5):
        columns[k][generator.random(n_rows) < share] = None
    data = Dataset.from_columns({f"c{k}": column for k, column in enumerate(columns)})
    assume(data.is_discrete.all())
    conditions = [3, 4, 2][:n_given]
    statistics = CountStatistics(data, n_jobs=1, path=path)
    for target in (1, 5):
        xs = [x for x in range(6) if x not in (target, *conditions)]
        for x, table in zip(xs, statistics.tables(xs, target, conditions), strict=True):
            expected = naive_counts_without_missing(columns, x, target, conditions)
            assert sorted(table[table > 0].tolist()) == expected
            assert table.shape[1:] == (data.n_categories[target], data.n_categories[x])
