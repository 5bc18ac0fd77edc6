"""Wilks' test of blocks agrees with regressions, analyses of variance and MANOVA made elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.multivariate.cancorr import CanCorr

import naive
from eiderdown.data import Dataset
from eiderdown.independence import CachedTest, RegressionTest, StudentTTest, WilksTest
from examples import examples

PATIENT = examples(20)


def mixed_table(rng, n_columns, n_rows):
    """Let each column depend on an earlier one; every second one is cut into two to four."""
    values = [rng.normal(size=n_rows)]
    for _ in range(n_columns - 1):
        values.append(values[rng.integers(len(values))] + rng.normal(size=n_rows))
    columns = {}
    for i, column in enumerate(values):
        if i % 2:
            cuts = np.quantile(column, np.sort(rng.random(rng.integers(1, 4))))
            columns[f"c{i}"] = np.array(["p", "q", "r", "s"])[np.searchsorted(cuts, column)]
        else:
            columns[f"c{i}"] = column
    return Dataset.from_columns(columns)


def indicators(data, i):
    """The columns of one variable: a number, or indicators of all categories seen but the first."""
    if not data.is_discrete[i]:
        return [data.values(i)]
    codes = data.codes(i)
    return [(codes == c).astype(float) for c in np.unique(codes)[1:]]


@st.composite
def questions(draw, max_columns=6):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_columns = draw(st.integers(2, max_columns))
    data = mixed_table(rng, n_columns, draw(st.integers(60, 200)))
    x, y, *rest = rng.permutation(n_columns).tolist()
    return data, x, y, rest[: draw(st.integers(0, len(rest)))]


@PATIENT
@given(question=questions())
def test_wilks_equals_the_canonical_correlations_of_residuals(question):
    data, x, y, conditions = question
    blocks = [indicators(data, i) for i in (x, y)]
    if not (blocks[0] and blocks[1]):
        return
    lambda_, dof, _, log_p = naive.wilks(
        *blocks, [column for z in conditions for column in indicators(data, z)]
    )
    found = WilksTest(data).test(x, y, conditions)
    assert found.dof == dof
    assert found.log_p == pytest.approx(log_p, rel=1e-7, abs=1e-9)
    size = min(map(len, blocks))
    assert abs(found.effect) == pytest.approx(np.sqrt(1 - lambda_ ** (1 / size)), abs=1e-7)


def test_wilks_agrees_with_the_canonical_correlations_of_statsmodels():
    data = mixed_table(np.random.default_rng(3), 4, 150)
    blocks = [np.column_stack(indicators(data, i)) for i in (1, 3)]
    table = CanCorr(*blocks).corr_test().stats_mv.loc["Wilks' lambda"]
    found = WilksTest(data).test(1, 3)
    assert found.dof == table["Num DF"]
    assert found.log_p == pytest.approx(np.log(float(table["Pr > F"])), rel=1e-8)


def test_a_category_and_a_number_give_the_f_of_an_analysis_of_covariance():
    data = mixed_table(np.random.default_rng(1), 5, 120)
    shared = np.column_stack([data.values(0), *indicators(data, 3)])
    small = sm.OLS(data.values(4), sm.add_constant(shared)).fit()
    large = sm.OLS(
        data.values(4), sm.add_constant(np.column_stack([shared, *indicators(data, 1)]))
    ).fit()
    _, p, dof = large.compare_f_test(small)
    found = WilksTest(data).test(1, 4, [0, 3])
    assert found.log_p == pytest.approx(np.log(p), rel=1e-8)
    assert found.dof == dof


@PATIENT
@given(seed=st.integers(0, 10_000))
def test_two_numbers_give_students_t(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(4, 4)) @ rng.normal(size=(4, 40))
    data = Dataset.from_columns({f"c{i}": row for i, row in enumerate(values)})
    ours, theirs = WilksTest(data).test(0, 1, [2, 3]), StudentTTest(data).test(0, 1, [2, 3])
    assert (ours.log_p, ours.effect) == (theirs.log_p, theirs.effect)


def test_far_tails_keep_their_order():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 200_000)
    noise = rng.normal(size=200_000)
    data = Dataset.from_columns({"t": codes, "near": codes + 0.01 * noise, "far": codes + noise})
    near, far = WilksTest(data).sweep([1, 2], 0).log_p
    assert near < -100_000 < far < -1_000


def test_what_the_conditioning_set_determines_can_not_be_tested():
    rng = np.random.default_rng(2)
    colour = rng.integers(0, 3, 200)
    warm = colour > 0
    data = Dataset.from_columns({"colour": colour, "warm": warm, "y": rng.normal(size=200)})
    test = WilksTest(data)
    for found in (test.test(1, 2, [0]), test.test(2, 1, [0])):
        assert not found.dependent(0.5)
        assert not found.independent(0.5)
    assert test.test(0, 2, [1]).dof == 1.0  # one contrast of the colours is left


def test_columns_that_repeat_others_in_the_conditioning_set_change_nothing():
    data = mixed_table(np.random.default_rng(4), 5, 100)
    repeated = data.with_columns({"again": data.values(2) * 3 - 1})
    ours = WilksTest(repeated).test(0, 1, [2, 3, 5])
    theirs = WilksTest(data).test(0, 1, [2, 3])
    assert ours.log_p == pytest.approx(theirs.log_p, abs=1e-9)
    assert ours.dof == theirs.dof


def test_too_many_categories_for_the_rows_say_nothing_and_are_noted():
    rng = np.random.default_rng(5)
    data = Dataset.from_columns(
        {"street": rng.permutation(100).astype(str), "y": rng.normal(size=100)},
        kinds={"street": "discrete"},
    )
    test = WilksTest(data)
    assert "'street'" in test.notes[0]
    assert not test.test(0, 1).dependent(0.99)


@pytest.mark.parametrize(("basis", "seen"), [("linear", False), ("quadratic", True)])
def test_a_basis_sees_what_bends(basis, seen):
    rng = np.random.default_rng(6)
    x = rng.normal(size=300)
    data = Dataset.from_columns({"x": x, "y": x**2 + rng.normal(size=300)})
    assert WilksTest(data, basis=basis).test(0, 1).dependent(1e-6) is seen


def test_a_basis_takes_the_strongest_of_three_tests_one_of_both_straight_each_time():
    rng = np.random.default_rng(7)
    x, z = rng.normal(size=(2, 150))
    y = x * 0.2 + z**3 + rng.normal(size=150)
    data = Dataset.from_columns({"x": x, "y": y, "z": z})
    powers = [[v, v**2, v**3] for v in (x, y, z)]
    sides = {3 / 4: ([x], [y]), 1 / 8: (powers[0], [y]), 0.125000001: ([x], powers[1])}
    strongest = min(naive.wilks(*pair, powers[2])[3] - np.log(a) for a, pair in sides.items())
    found = WilksTest(data, basis="cubic").test(0, 1, [2])
    assert found.log_p == pytest.approx(min(0.0, strongest), rel=1e-6)


def test_bends_of_a_straight_table_are_found_no_more_often_than_chance():
    rng = np.random.default_rng(12)
    z = rng.normal(size=(2, 400))
    rejected = 0
    for _ in range(300):
        x, y = z.sum(axis=0) + rng.normal(size=(2, 400))
        data = Dataset.from_columns({"x": x, "y": y, "z0": z[0], "z1": z[1]})
        rejected += WilksTest(data, basis="cubic").test(0, 1, [2, 3]).dependent(0.05)
    assert rejected <= 0.05 * 300 + 3 * np.sqrt(0.05 * 300)


def test_a_power_that_repeats_is_no_column():
    data = Dataset.from_columns(
        {"x": np.tile([-1.0, 1.0], 50), "y": np.random.default_rng(8).normal(size=100)}
    )
    assert WilksTest(data, basis="cubic").statistics.first.tolist() == [0, 1, 4]


def test_ranks_do_not_care_for_one_wild_value():
    rng = np.random.default_rng(9)
    x = rng.normal(size=200)
    y = x + rng.normal(size=200)
    y[0], x[1] = 1e9, 1e9
    data = Dataset.from_columns({"x": x, "y": y})
    assert not WilksTest(data).test(0, 1).dependent(0.01)
    assert WilksTest(data, ranks=True).test(0, 1).dependent(1e-9)


@PATIENT
@given(seed=st.integers(0, 10_000), order=st.permutations(range(5)))
def test_the_order_of_the_columns_changes_not_one_bit(seed, order):
    data = mixed_table(np.random.default_rng(seed), 5, 90)
    moved = data.select([data.names[i] for i in order])
    for x, y, conditions in [(0, 1, []), (2, 4, [1]), (3, 0, [4, 2]), (1, 3, [0, 2, 4])]:
        ours = WilksTest(data, basis="quadratic").test(x, y, conditions)
        places = [order.index(z) for z in conditions]
        theirs = WilksTest(moved, basis="quadratic").test(order.index(x), order.index(y), places)
        assert (ours.statistic, ours.log_p) == (theirs.statistic, theirs.log_p)


def test_threads_change_not_one_bit():
    rng = np.random.default_rng(10)
    data = Dataset.from_columns({f"v{i}": rng.normal(size=500) for i in range(3_000)})
    one, two = (WilksTest(data, n_jobs=n).sweep(range(5, 3_000), 0, [1, 2, 3]) for n in (1, 2))
    np.testing.assert_array_equal(one.values, two.values)


@PATIENT
@given(seed=st.integers(0, 10_000), alpha=st.sampled_from([1e-6, 0.05, 0.5]))
def test_the_compiled_search_over_subsets_finds_what_single_tests_find(seed, alpha):
    data = mixed_table(np.random.default_rng(seed), 6, 80)
    test = CachedTest(WilksTest(data))
    found = test.max_p_over_subsets([1, 2, 3], 0, [3, 4, 5], alpha=alpha, max_given=2)
    single = WilksTest(data)
    for result in found:
        expected = naive.max_p_over_subsets(
            single, result.x, 0, [3, 4, 5], alpha=alpha, max_given=2
        )
        assert (result.given, result.log_p) == (expected.given, expected.log_p)


def test_sparse_and_dense_columns_give_the_same():
    from scipy.sparse import csr_array

    rng = np.random.default_rng(11)
    dense = (rng.random((300, 4)) < 0.2).astype(int)
    y = dense[:, 0] + rng.normal(size=300)
    names = [f"s{i}" for i in range(4)]
    sparse = Dataset.of(csr_array(dense)).with_columns({"y": y})
    plain = Dataset.from_columns({**dict(zip(names, dense.T, strict=True)), "y": y})
    ours, theirs = (WilksTest(data).sweep([0, 1, 2], 4, [3]) for data in (sparse, plain))
    np.testing.assert_allclose(ours.log_p, theirs.log_p, rtol=1e-9)


def strong_numbers(rng, n_rows=600):
    """Two categories that both follow a number and a category, and have nothing else in common."""
    z, w = rng.normal(size=n_rows), rng.integers(0, 3, n_rows)
    columns = {"z": z, "w": np.array(list("abc"))[w]}
    for name in "xy":
        values = 1.5 * z + w + rng.normal(size=n_rows)
        codes = np.digitize(values, np.quantile(values, [0.33, 0.67]))
        columns[name] = np.array(list("pqr"))[codes]
    return Dataset.from_columns(columns)


@pytest.mark.no_cover
def test_two_categories_given_numbers_are_confirmed_by_regression():
    rng = np.random.default_rng(12)
    plain = confirmed = 0
    for _ in range(60):
        data = strong_numbers(rng)
        plain += WilksTest(data).test(2, 3, [0, 1]).dependent(0.05)
        confirmed += WilksTest(data, confirm=True).test(2, 3, [0, 1]).dependent(0.05)
    assert plain > 20
    assert confirmed < 9


def test_confirmation_takes_the_answer_of_the_regression_and_no_other():
    data = strong_numbers(np.random.default_rng(13))
    test, regression = WilksTest(data, confirm=True), RegressionTest(data)
    assert WilksTest(data).test(2, 3, [0]).log_p < np.log(0.1)  # else nothing is confirmed
    assert test.test(2, 3, [0]).log_p == regression.test(2, 3, [0]).log_p
    assert test.test(2, 3, [0]).log_p == test.test(3, 2, [0]).log_p
    for question in ((2, 3, []), (2, 3, [1]), (0, 2, [1, 3]), (1, 2, [])):
        assert test.test(*question) == WilksTest(data).test(*question)


@examples(10)
@given(seed=st.integers(0, 10_000))
def test_confirmed_tests_are_the_same_in_a_search_over_subsets(seed):
    data = mixed_table(np.random.default_rng(seed), 6, 80)
    test = CachedTest(WilksTest(data, confirm=True))
    found = test.max_p_over_subsets([0, 3, 5], 1, [2, 4, 5], alpha=0.05, max_given=2)
    single = WilksTest(data, confirm=True)
    for result in found:
        expected = naive.max_p_over_subsets(single, result.x, 1, [2, 4, 5], alpha=0.05, max_given=2)
        assert (result.given, result.log_p) == (expected.given, expected.log_p)
