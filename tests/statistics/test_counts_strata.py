"""Strata are the combinations that occur, however they are found."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import naive
from eiderdown.data import Dataset
from eiderdown.statistics.counts import Strata, StrataCache
from examples import examples
from random_tables import tables

PATIENT = examples(32)


@PATIENT
@given(table=tables(), seed=st.integers(0, 1_000))
def test_strata_are_labelled_in_the_order_of_the_combinations(table, seed):
    n_columns = len(table.codes)
    rng = np.random.default_rng(seed)
    conditions = rng.permutation(n_columns)[: rng.integers(0, min(5, n_columns) + 1)].tolist()
    found = StrataCache(table.data).of(tuple(conditions))
    expected = naive.strata([table.codes[z] for z in conditions], table.data.n_rows)
    assert found.labels.tolist() == expected
    assert found.n_strata == max(expected) + 1


@PATIENT
@given(
    n_rows=st.integers(1, 200),
    n_strata=st.integers(1, 40),
    n_categories=st.sampled_from([1, 2, 7, 200, 300]),
    seed=st.integers(0, 1_000),
)
def test_strata_by_sorting_equal_strata_by_table(n_rows, n_strata, n_categories, seed):
    rng = np.random.default_rng(seed)
    _, labels = np.unique(rng.integers(0, n_strata, n_rows), return_inverse=True)
    strata = Strata(labels.astype(np.int32), int(labels.max()) + 1)
    codes = rng.integers(0, n_categories, n_rows).astype(
        np.uint8 if n_categories <= 256 else np.uint16
    )
    by_sorting = strata._refined_by_sorting(codes, n_categories)
    by_rule = strata.refined_by(codes, n_categories)
    np.testing.assert_array_equal(by_sorting.labels, by_rule.labels)
    assert by_sorting.n_strata == by_rule.n_strata


def test_more_keys_than_a_table_should_hold_are_sorted():
    rng = np.random.default_rng(3)
    codes = np.stack([rng.integers(0, 300, 400), rng.integers(0, 300, 400)])
    categories = [tuple(range(300))] * 2
    data = Dataset.from_codes(codes, names=["a", "b"], categories=categories)
    found = StrataCache(data).of((0, 1))
    assert found.labels.tolist() == naive.strata(list(codes), 400)


def test_forgotten_strata_are_found_again():
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 3, (6, 100))
    data = Dataset.from_codes(codes, names=list("abcdef"), categories=[(0, 1, 2)] * 6)
    cache = StrataCache(data, max_bytes=1)
    for conditions in [(0, 1, 2), (3, 4), (5,), (0, 1, 2), (2, 1, 0)]:
        expected = naive.strata([codes[z] for z in conditions], 100)
        assert cache.of(conditions).labels.tolist() == expected
    assert len(cache._recent) == 2


def test_a_longer_set_starts_from_the_strata_already_known():
    data = Dataset.from_codes(
        np.zeros((3, 10), dtype=int), names=list("abc"), categories=[(0, 1)] * 3
    )
    cache = StrataCache(data)
    first = cache.of((0, 1))
    cache.of((0, 1, 2))
    assert cache.of((0, 1)) is first
    assert list(cache._recent) == [(0,), (0, 1, 2), (0, 1)]
