"""X2 against its own permutations: exact moments, held levels, three answers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from small_data import chained_codes, coded

import naive
from eiderdown.data import Dataset
from eiderdown.errors import OptionError
from eiderdown.independence import Allows, CachedTest, CalibratedChiSquareTest
from eiderdown.independence.kernels.tails import log_shifted_gamma_tail
from examples import examples

PATIENT = examples(16)


def naive_log_p(counts):
    """The p-value from the moments of all arrangements within strata that have four rows."""
    used = [s for s in counts if s.sum() >= 4 and naive.adjusted_dof(s[None]) > 0]
    moments = [naive.central_moments(*naive.permuted_x_squares(s)) for s in used]
    if not used:
        return 0.0, 0.0, 0.0
    excess = variance = skew = 0.0
    for stratum, (m, v, c) in zip(used, moments, strict=True):
        weight = min(1.0, 2 * m / v) if v > 1e-9 else 0.0
        excess += weight * (naive.x_square(stratum[None]) - m)
        variance += weight**2 * v
        # With fewer than six rows the third moment is taken to be that of a gamma.
        skew += weight**3 * (2 * v**2 / m if stratum.sum() < 6 else c)
    mean, x_square = sum(m for m, _, _ in moments), sum(naive.x_square(s[None]) for s in used)
    if variance < 1e-9:
        return x_square, mean, 0.0
    log_p = stats.pearson3.logsf(excess / math.sqrt(variance), max(0.01, skew / variance**1.5))
    floor = sum(map(naive.log_chance_of_table, used)) + math.log(0.5)
    return x_square, mean, min(0.0, max(log_p, floor))


@pytest.mark.no_cover
@PATIENT
@given(seed=st.integers(0, 10_000), n_x=st.integers(2, 4), n_target=st.integers(2, 3))
def test_moments_are_those_of_all_arrangements(seed, n_x, n_target):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 7, 3)
    strata = np.repeat(np.arange(3), sizes)
    x, target = rng.integers(0, n_x, sizes.sum()), rng.integers(0, n_target, sizes.sum())
    counts = naive.table(x, target, [strata], n_x, n_target)
    data = coded([x, target, strata], [n_x, n_target, 3])
    found = CalibratedChiSquareTest(data).test(0, 1, [2])
    x_square, mean, log_p = naive_log_p(counts)
    assert found.statistic == pytest.approx(x_square, abs=1e-8)
    assert found.dof == pytest.approx(mean, abs=1e-8)
    assert found.log_p == pytest.approx(log_p, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize(
    ("shape", "mean", "scale"), [(0.03, 5.0, 40.0), (0.5, 1.0, 2.0), (7.3, 9.0, 1.1), (400, 0.0, 1)]
)
def test_tail_is_that_of_the_shifted_gamma(shape, mean, scale):
    variance, third = shape * scale**2, 2 * shape * scale**3
    for deviations in (-0.5, 0.0, 0.3, 1.0, 4.0, 12.0):
        x = mean + deviations * math.sqrt(variance)
        expected = stats.gamma.logsf((x - mean) / scale + shape, shape)
        found = log_shifted_gamma_tail(x, mean, variance, third)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_tail_goes_far_below_every_float():
    assert log_shifted_gamma_tail(1e6, 1.0, 2.0, 8.0) == pytest.approx(-5e5, rel=1e-4)


@pytest.mark.parametrize(("rare", "positive", "both"), [(2, 42, 2), (10, 42, 6), (30, 42, 11)])
def test_rare_columns_have_no_smaller_p_value_than_half_the_exact_one(rare, positive, both):
    n_rows = 1_909
    target = np.arange(n_rows) < positive
    x = np.zeros(n_rows, dtype=int)
    x[:both] = 1
    x[positive : positive + rare - both] = 1
    found = CalibratedChiSquareTest(coded([x, target.astype(int)], [2, 2])).test(0, 1)
    exact = stats.hypergeom.logsf(both - 1, n_rows, rare, positive)
    assert exact - math.log(2.1) <= found.log_p <= exact + 0.1


def null_log_p(rng, n_tables, n_given, *, n_rows=500, n_x=3):
    """Noise against a binary target that depends on the columns given."""
    found = []
    for _ in range(n_tables):
        codes = rng.integers(0, n_x, (1 + n_given, n_rows))
        chance = 0.3 + 0.4 * (codes[1:].sum(axis=0) % 2 if n_given else 0)
        target = (rng.random(n_rows) < chance).astype(int)
        data = coded([*codes, target], [n_x] * (1 + n_given) + [2])
        test = CalibratedChiSquareTest(data, n_jobs=1)
        found.append(test.test(0, 1 + n_given, range(1, 1 + n_given)).log_p)
    return np.array(found)


@pytest.mark.parametrize("n_given", range(5))
def test_levels_are_held_however_thin_the_strata(n_given):
    log_p = null_log_p(np.random.default_rng(n_given), 400, n_given)
    for alpha in (0.01, 0.05):
        rejected = int(np.count_nonzero(log_p <= math.log(alpha)))
        assert stats.binomtest(rejected, len(log_p), alpha).pvalue > 0.001


def test_half_of_the_p_values_are_below_a_half():
    log_p = null_log_p(np.random.default_rng(0), 300, 2)
    assert stats.kstest(np.exp(log_p), "uniform").pvalue > 0.001


def test_a_function_of_the_set_leaves_nothing_to_test():
    rng = np.random.default_rng(0)
    z, noise = rng.integers(0, 3, 300), rng.integers(0, 2, 300)
    found = CalibratedChiSquareTest(coded([z % 2, noise, z], [2, 2, 3])).test(0, 1, [2])
    assert (found.allows, found.n_used, found.dof) == (Allows.FUNCTION, 0, 0.0)
    assert found.answer(0.05) == "cannot say"
    assert "Nothing is left to test" in found.reason


def test_a_stratum_for_every_row_says_nothing():
    codes = [np.arange(60) % 2, np.arange(60) // 30, np.arange(60)]
    found = CalibratedChiSquareTest(coded(codes, [2, 2, 60])).test(0, 1, [2])
    assert found.allows == Allows.NOTHING
    assert "too few rows" in found.reason


def test_all_different_values_say_nothing_for_every_permutation_is_alike():
    codes = [np.arange(60), np.arange(60) // 30]
    found = CalibratedChiSquareTest(coded(codes, [60, 2])).test(0, 1)
    assert (found.allows, found.log_p) == (Allows.NOTHING, 0.0)


def test_dependence_needs_few_rows_and_independence_more():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, 40)
    noise = rng.integers(0, 2, 40)
    data = coded([x, x ^ (rng.random(40) < 0.1), noise], [2, 2, 2])
    test = CalibratedChiSquareTest(data, detect="small")
    assert test.test(0, 1).answer(0.01) == "dependent"
    found = test.test(0, 2)
    assert (found.allows, found.answer(0.01)) == (Allows.DEPENDENCE, "cannot say")
    assert CalibratedChiSquareTest(data, detect="large").test(0, 2).answer(0.01) == "independent"


def test_detection_is_as_likely_as_said():
    rng = np.random.default_rng(2)
    seen = 0
    for _ in range(200):  # w = 0.3 and so many rows that it is just called visible
        x = rng.integers(0, 2, 64)
        y = np.where(rng.random(64) < 0.3, x, rng.integers(0, 2, 64))
        found = CalibratedChiSquareTest(coded([x, y], [2, 2]), detect="medium").test(0, 1)
        assert found.allows == Allows.BOTH
        seen += found.dependent(0.05)
    assert 0.5 <= seen / 200 <= 0.9


def test_effect_is_cohens_w_without_what_chance_gives():
    rng = np.random.default_rng(3)
    x, noise = rng.integers(0, 2, (2, 20_000))
    y = np.where(rng.random(20_000) < 0.3, x, rng.integers(0, 2, 20_000))
    test = CalibratedChiSquareTest(coded([x, y, noise], [2, 2, 2]))
    assert test.test(0, 1).effect == pytest.approx(0.3, abs=0.02)
    assert test.test(0, 2).effect < 0.02


def test_threads_and_memory_change_not_one_bit():
    codes = chained_codes(np.random.default_rng(4), 400, 300, 3)
    data = coded(codes, [3] * 400)
    one, two = (CalibratedChiSquareTest(data, n_jobs=n) for n in (1, 2))
    candidates = np.arange(3, 400)
    swept = one.sweep(candidates, 0, [1, 2])
    assert np.array_equal(swept.values, two.sweep(candidates, 0, [1, 2]).values)
    single = [one.test(int(x), 0, [2, 1]) for x in candidates[::40]]
    assert [r.log_p for r in single] == swept.log_p[::40].tolist()


def test_search_over_subsets_is_the_naive_one_to_the_last_bit():
    rng = np.random.default_rng(5)
    codes = chained_codes(rng, 8, 150, 3)
    codes[3] = codes[2] % 2  # a function of another
    test = CalibratedChiSquareTest(coded(codes, [3, 3, 3, 2, 3, 3, 3, 3]))
    for alpha in (1e-6, 0.05, 0.9):
        found = CachedTest(test).max_p_over_subsets(
            [1, 2, 3, 4], 0, [2, 3, 5, 6], alpha=alpha, max_given=3
        )
        for result in found:
            expected = naive.max_p_over_subsets(
                test, result.x, 0, [2, 3, 5, 6], alpha=alpha, max_given=3
            )
            assert result == expected


def test_options_are_checked_and_described():
    data = Dataset.from_columns({"a": [0, 1, 0, 1], "b": [0, 1, 1, 0]})
    with pytest.raises(OptionError, match=r"detect must be one of.*'tiny'"):
        CalibratedChiSquareTest(data, detect="tiny")
    described = CalibratedChiSquareTest(data, detect="small").description
    assert described == {"test": "CalibratedChiSquareTest", "detect": "small"}
