"""Permutation within strata: reproducible, sequential, and of one mind with the calibrated test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from small_data import chained_codes, coded

import naive
from eiderdown.errors import OptionError
from eiderdown.independence import Allows, CalibratedChiSquareTest, PermutationTest
from eiderdown.independence.calibrated import ENOUGH
from eiderdown.testing import check_independence_test


@pytest.mark.no_cover
def test_it_conforms():
    check_independence_test(
        lambda data: PermutationTest(data, permutations=999), kind="discrete", alpha=0.01
    )


@pytest.mark.parametrize("seed", range(6))
def test_p_value_is_the_share_of_all_arrangements(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 3, 7), rng.integers(0, 2, 7)
    x[:4] = y[:4]
    stratum = naive.table(x, y, [], 3, 2)[0]
    values, chances = naive.permuted_x_squares(stratum)
    exact = chances[values >= naive.x_square(stratum[None]) - 1e-6].sum()
    found = PermutationTest(coded([x, y], [3, 2])).test(0, 1)
    assert math.exp(found.log_p) == pytest.approx(exact, rel=0.8, abs=0.002)


def test_it_agrees_with_the_calibrated_test_on_thin_tables():
    ours, theirs = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        codes = chained_codes(rng, 5, 200, 3)
        codes[1] = rng.integers(0, 2, 200)
        data = coded(codes, [3, 2, 3, 3, 3])
        theirs.append(PermutationTest(data).test(0, 1, [2, 3, 4]).log_p)
        ours.append(CalibratedChiSquareTest(data).test(0, 1, [2, 3, 4]).log_p)
    ours, theirs = np.exp(ours), np.exp(theirs)
    # A p-value by ENOUGH exceedances has a standard error of itself times 1 / sqrt(ENOUGH).
    error = (ours - theirs) / np.maximum(theirs, 0.001)
    assert np.abs(error).max() < 5 / math.sqrt(ENOUGH)
    assert abs(error.mean()) < 0.15


def test_levels_are_held():
    rng = np.random.default_rng(1)
    p = []
    for _ in range(200):
        codes = rng.integers(0, 3, (3, 90))
        p.append(PermutationTest(coded(codes, [3] * 3), permutations=499).test(0, 1, [2]).log_p)
    rejected = int(np.count_nonzero(np.array(p) <= math.log(0.05)))
    assert stats.binomtest(rejected, len(p), 0.05).pvalue > 0.001


def test_neither_the_order_of_questions_nor_of_columns_matters():
    data = coded(chained_codes(np.random.default_rng(0), 4, 80, 3))
    turned = data.select(data.names[::-1])
    one, other = PermutationTest(data), PermutationTest(turned)
    expected = one.test(0, 1, [2, 3]).log_p
    one.test(2, 3)
    assert one.test(1, 0, [3, 2]).log_p == expected == other.test(3, 2, [0, 1]).log_p
    assert PermutationTest(data, random_state=1).test(0, 1, [2, 3]).log_p != expected


def test_p_is_never_zero_and_what_cannot_be_tested_is_not():
    x = np.arange(100) % 2
    test = PermutationTest(coded([x, x, x], [2, 2, 2]), permutations=99)
    assert test.test(0, 1).log_p == pytest.approx(math.log(1 / 100))
    assert test.test(0, 1, [2]).allows == Allows.FUNCTION


def test_options_are_checked():
    with pytest.raises(OptionError, match="permutations must be at least 99"):
        PermutationTest(coded([[0, 1], [0, 1]]), permutations=5)
