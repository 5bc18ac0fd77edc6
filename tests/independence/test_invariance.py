"""What must not matter does not: order of rows and columns, names of categories, who is x."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_data import chained_codes, coded, measured, mixed_values

from eiderdown.independence import (
    CalibratedChiSquareTest,
    ChiSquareTest,
    FisherZTest,
    GSquareTest,
    StudentTTest,
)
from examples import examples

PATIENT = examples(16)
SUMS_OF_INTEGERS = (GSquareTest, CalibratedChiSquareTest)
DISCRETE, CONTINUOUS = (*SUMS_OF_INTEGERS, ChiSquareTest), (FisherZTest, StudentTTest)
EVERY_KIND = pytest.mark.parametrize("kind", [*DISCRETE, *CONTINUOUS])
QUESTIONS = [(0, 1, []), (2, 4, [1]), (3, 0, [4, 2]), (1, 3, [0, 2, 4])]


def table(kind, seed):
    rng = np.random.default_rng(seed)
    if kind in DISCRETE:
        return coded(chained_codes(rng, 5, 150, 3), [3] * 5)
    return measured(mixed_values(rng, 5, 50))


def assert_close(ours, theirs, kind):
    if kind in SUMS_OF_INTEGERS:  # ties stay exact
        assert (ours.statistic, ours.log_p) == (theirs.statistic, theirs.log_p)
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-9)
    assert ours.log_p == pytest.approx(theirs.log_p, rel=1e-8, abs=1e-8)
    assert (ours.dof, ours.allows) == (theirs.dof, theirs.allows)
    assert ours.dependent(0.01) == theirs.dependent(0.01)


@EVERY_KIND
@PATIENT
@given(seed=st.integers(0, 10_000))
def test_x_and_y_may_change_places(kind, seed):
    test = kind(table(kind, seed))
    for x, y, conditions in QUESTIONS:
        assert_close(test.test(x, y, conditions), test.test(y, x, conditions), kind)


@EVERY_KIND
@PATIENT
@given(seed=st.integers(0, 10_000))
def test_the_order_of_the_rows_does_not_matter(kind, seed):
    data = table(kind, seed)
    shuffled = data.take(np.random.default_rng(seed).permutation(data.n_rows))
    for question in QUESTIONS:
        assert_close(kind(shuffled).test(*question), kind(data).test(*question), kind)


@EVERY_KIND
@PATIENT
@given(seed=st.integers(0, 10_000), order=st.permutations(range(5)))
def test_the_order_of_the_columns_changes_not_one_bit(kind, seed, order):
    data = table(kind, seed)
    moved = data.select([data.names[i] for i in order])
    for x, y, conditions in QUESTIONS:
        ours = kind(data).test(x, y, conditions)
        theirs = kind(moved).test(
            order.index(x), order.index(y), [order.index(z) for z in conditions]
        )
        assert (ours.statistic, ours.log_p) == (theirs.statistic, theirs.log_p)
        assert [data.names[z] for z in ours.given] == [moved.names[z] for z in theirs.given]


@pytest.mark.parametrize("kind", DISCRETE)
@PATIENT
@given(seed=st.integers(0, 10_000), order=st.permutations(range(3)))
def test_the_names_of_the_levels_do_not_matter(kind, seed, order):
    codes = chained_codes(np.random.default_rng(seed), 5, 150, 3)
    relabelled = np.array(order)[codes]
    for question in QUESTIONS:
        ours = kind(coded(codes, [3] * 5)).test(*question)
        assert_close(ours, kind(coded(relabelled, [3] * 5)).test(*question), kind)


@pytest.mark.parametrize("kind", CONTINUOUS)
@PATIENT
@given(seed=st.integers(0, 10_000), scale=st.sampled_from([-1e-6, 0.3, 1e9]))
def test_units_do_not_matter(kind, seed, scale):
    values = mixed_values(np.random.default_rng(seed), 5, 50)
    for question in QUESTIONS:
        ours = kind(measured(values)).test(*question)
        theirs = kind(measured(values * scale)).test(*question)
        assert ours.log_p == pytest.approx(theirs.log_p, rel=1e-6, abs=1e-6)
