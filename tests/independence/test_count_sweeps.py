"""Compiled sweeps give the values of counted blocks, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown import kernels, networks
from eiderdown.data import Dataset
from eiderdown.independence import CalibratedChiSquareTest, GSquareTest, count_sweeps
from eiderdown.independence.contingency import ContingencyTest
from examples import examples
from random_tables import tables


@pytest.fixture(autouse=True)
def always_compiled(monkeypatch):
    monkeypatch.setattr(kernels.Patience, "is_over", True)


def both(test: ContingencyTest, candidates, target, conditions):
    xs = np.array(candidates, dtype=np.int64)
    ordered = test._checked(xs, target, conditions)
    assert test._compiled_sweeps is not None
    assert test._compiled_sweeps.takes(xs, target, ordered)
    swept = test._sweep(xs, target, ordered)
    return swept.values, test.sweeps([(xs, target, ordered)])[0].values


@pytest.mark.no_cover
@examples(60)
@given(
    table=tables(),
    order=st.randoms(use_true_random=False),
    n_given=st.integers(0, 4),
    kind=st.sampled_from([CalibratedChiSquareTest, GSquareTest]),
)
def test_values_of_awkward_columns_are_the_same(table, order, n_given, kind):
    dense = {f"d{i}": codes for i, codes in enumerate(table.codes) if codes.max() < 256}
    data = Dataset.from_columns(dense, kinds=dict.fromkeys(dense, "discrete"))
    target, *rest = order.sample(range(data.n_columns), data.n_columns)
    conditions, candidates = rest[:n_given], rest[n_given:]
    found, expected = both(kind(data), candidates, target, conditions)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", [CalibratedChiSquareTest, GSquareTest])
@pytest.mark.parametrize("n_given", [0, 1, 2, 4, 7, 12])
def test_values_of_a_network_are_the_same_by_planes_and_by_rows(kind, n_given):
    data = networks.load("alarm").sample(2_000, random_state=0)
    rng = np.random.default_rng(n_given)
    for n_jobs in (1, 2):
        target, *rest = rng.permutation(data.n_columns).tolist()
        test = kind(data, n_jobs=n_jobs)
        found, expected = both(test, rest[n_given:], target, rest[:n_given])
        np.testing.assert_array_equal(found, expected)


def test_a_target_that_is_a_function_of_many_columns_says_so():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (4_000, 7))
    codes[:, 0] = codes[:, 1:7].sum(axis=1) % 3
    data = Dataset.from_numpy(codes[:, [0, 1, 2, 3, 4, 5, 6, 6]])
    found, expected = both(CalibratedChiSquareTest(data), [7], 0, [1, 2, 3, 4, 5, 6])
    np.testing.assert_array_equal(found, expected)


def test_sparse_and_long_tables_go_by_blocks(monkeypatch):
    data = networks.load("asia").sample(300, random_state=0)
    monkeypatch.setattr(count_sweeps, "_MOST_ROWS", 299)
    assert GSquareTest(data)._compiled_sweeps is None


@pytest.mark.parametrize("kind", [CalibratedChiSquareTest, GSquareTest])
def test_what_rows_were_sorted_by_before_changes_nothing(kind):
    data = networks.load("alarm").sample(1_000, random_state=0)
    rng, test = np.random.default_rng(0), kind(data, n_jobs=1)
    for step in range(60):
        if step % 20 == 0:
            target, members = int(rng.integers(data.n_columns)), []
        outside = [x for x in range(data.n_columns) if x != target and x not in members]
        if len(members) > 2 and rng.random() < 0.4:
            outside.append(members.pop(int(rng.integers(len(members)))))
        else:
            members.append(outside.pop(int(rng.integers(len(outside)))))
        found, expected = both(test, outside, target, members)
        np.testing.assert_array_equal(found, expected)
    (room,) = test._compiled_sweeps._idle
    assert room.sorted_by[0] > 0  # some were from sorted rows
