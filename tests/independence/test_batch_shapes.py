"""The four batch shapes answer what single tests answer, and refuse questions about themselves."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_data import chained_codes, coded, measured, mixed_values

import naive
from eiderdown.errors import OptionError, TargetAmongCandidatesError
from eiderdown.independence import (
    Allows,
    CachedTest,
    CalibratedChiSquareTest,
    ChiSquareTest,
    FisherZTest,
    GSquareTest,
    IndependenceBatch,
    IndependenceResult,
    StudentTTest,
    WilksTest,
)
from examples import examples

PATIENT = examples(16)
N_COLUMNS = 7


def discrete(kind):
    def make(rng, undecided=False):
        data = coded(chained_codes(rng, N_COLUMNS, 120, 3))
        rule = {"detect": "small"} if kind is CalibratedChiSquareTest else {"min_rows": 9.0}
        return kind(data, **rule) if undecided else kind(data)

    return make


def continuous(kind):
    def make(rng, undecided=False):
        data = measured(mixed_values(rng, N_COLUMNS, 33))
        return kind(data) if undecided else kind(data, detect="large")

    return make


MAKERS = {
    "g_square": discrete(GSquareTest),
    "chi_square": discrete(ChiSquareTest),
    "calibrated": discrete(CalibratedChiSquareTest),
    "fisher_z": continuous(FisherZTest),
    "student_t": continuous(StudentTTest),
    "wilks": continuous(WilksTest),
    "recorded_calibrated": lambda rng, **options: CachedTest(MAKERS["calibrated"](rng, **options)),
    "recorded": lambda rng, **options: CachedTest(MAKERS["g_square"](rng, **options)),
    "recorded_wilks": lambda rng, **options: CachedTest(MAKERS["wilks"](rng, **options)),
}
EVERY_TEST = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def assert_same(ours, theirs):
    assert (ours.x, ours.y) == (theirs.x, theirs.y)
    assert sorted(ours.given) == sorted(theirs.given)
    assert ours.allows == theirs.allows
    np.testing.assert_allclose(astuple(ours)[3:8], astuple(theirs)[3:8], rtol=1e-9, atol=1e-9)


@EVERY_TEST
@PATIENT
@given(seed=st.integers(0, 10_000), n_given=st.integers(0, 3))
def test_a_sweep_is_its_single_tests(make, seed, n_given):
    test = make(np.random.default_rng(seed))
    conditions, candidates = list(range(1, 1 + n_given)), [6, 4, 5]
    batch = test.sweep(candidates, 0, conditions)
    assert batch.x.tolist() == candidates
    for x, found in zip(candidates, batch, strict=True):
        assert_same(found, test.test(x, 0, conditions))


@EVERY_TEST
@PATIENT
@given(seed=st.integers(0, 10_000))
def test_each_given_rest_is_its_single_tests(make, seed):
    test = make(np.random.default_rng(seed))
    batch = test.each_given_rest([5, 1, 3], 0, always=[6])
    for x, rest, found in zip([5, 1, 3], [[1, 3], [5, 3], [5, 1]], batch, strict=True):
        assert_same(found, test.test(x, 0, [*rest, 6]))


@EVERY_TEST
@PATIENT
@given(seed=st.integers(0, 10_000))
def test_pairs_are_their_single_tests(make, seed):
    test = make(np.random.default_rng(seed))
    questions = [(0, 1, []), (2, 1, [4, 3]), (5, 6, [0])]
    for question, found in zip(questions, test.pairs(questions), strict=True):
        assert_same(found, test.test(*question))


@EVERY_TEST
@PATIENT
@given(
    seed=st.integers(0, 10_000),
    max_given=st.integers(1, 4),
    alpha=st.sampled_from([0.001, 0.05, 0.5]),
)
def test_max_p_over_subsets_is_the_naive_search_over_subsets(make, seed, max_given, alpha):
    test = make(np.random.default_rng(seed), undecided=True)
    candidates, pool, always = [1, 2, 6], [2, 3, 4, 5], (5,)
    batch = test.max_p_over_subsets(
        candidates, 0, pool, alpha=alpha, max_given=max_given, always=always
    )
    assert batch.x.tolist() == candidates
    for x, found in zip(candidates, batch, strict=True):
        expected = naive.max_p_over_subsets(
            test, x, 0, pool, alpha=alpha, max_given=max_given, always=always
        )
        assert_same(found, expected)


def test_max_p_over_subsets_stops_asking_once_a_subset_separates():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (6, 500))
    codes[1] = codes[0]
    recorded = CachedTest(GSquareTest(coded(codes)))
    found = recorded.max_p_over_subsets([2], 0, [3, 4, 5], alpha=0.001, max_given=3)
    assert found[0].given == ()
    assert recorded.counts.n_tests == 1
    recorded.max_p_over_subsets([1], 0, [3, 4, 5], alpha=0.001, max_given=3)
    assert recorded.counts.n_tests == 1 + 8


def test_max_p_over_subsets_without_a_decided_test_keeps_the_first():
    codes = np.random.default_rng(2).integers(0, 2, (4, 30))
    test = GSquareTest(coded(codes), dof="nominal", min_rows=1_000.0)
    found = test.max_p_over_subsets([1], 0, [2, 3], alpha=0.05, max_given=2)
    assert found[0].given == ()
    assert found[0].allows == Allows.NOTHING


@EVERY_TEST
def test_an_empty_sweep_is_an_empty_batch(make):
    batch = make(np.random.default_rng(3)).sweep([], 0, [1])
    assert len(batch) == 0
    assert list(batch) == []


@EVERY_TEST
@pytest.mark.parametrize(
    ("x", "y", "conditions", "name"),
    [(1, 1, [], "c1"), (1, 2, [1], "c1"), (1, 2, [3, 2], "c2"), (0, 2, [0], "c0")],
)
def test_a_variable_may_not_appear_twice_in_a_question(make, x, y, conditions, name):
    test = make(np.random.default_rng(4))
    with pytest.raises(TargetAmongCandidatesError, match=f"'{name}' appears twice"):
        test.test(x, y, conditions)
    with pytest.raises(TargetAmongCandidatesError, match=f"'{name}' appears twice"):
        test.pairs([(3, 4, []), (x, y, conditions)])


@EVERY_TEST
def test_max_p_over_subsets_refuses_overlaps_and_impossible_limits(make):
    test = make(np.random.default_rng(5))
    with pytest.raises(TargetAmongCandidatesError, match="'c1' appears twice"):
        test.max_p_over_subsets([1], 0, [2, 3], alpha=0.05, max_given=2, always=[1])
    with pytest.raises(TargetAmongCandidatesError, match="'c0' appears twice"):
        test.max_p_over_subsets([1], 0, [0, 3], alpha=0.05, max_given=2)
    with pytest.raises(OptionError, match="max_given is 0, but 1 variables are always given"):
        test.max_p_over_subsets([1], 0, [2, 3], alpha=0.05, max_given=0, always=[4])


@EVERY_TEST
@pytest.mark.parametrize("conditions", [(0,), (0, 3), ()])
def test_the_conditioning_set_may_be_an_array(make, conditions):
    test = make(np.random.default_rng(6))
    found = test.test(1, 2, np.array(conditions, dtype=np.int64))
    assert found.given == conditions
    assert_same(found, test.test(1, 2, conditions))


@EVERY_TEST
def test_a_repeated_condition_counts_once(make):
    test = make(np.random.default_rng(7))
    assert test.test(1, 2, [3, 0, 3]).given == (0, 3)


def answer(x, *, log_p=-1.0, statistic=1.0, allows=Allows.BOTH):
    return IndependenceResult(x, 9, (), statistic, 1.0, log_p, 10, 0.1, allows)


def test_strength_ranks_by_log_p_then_statistic_then_name_with_silent_ones_last():
    answers = [
        answer(0, log_p=-5.0, allows=Allows.NOTHING),
        answer(1, log_p=-2.0, statistic=3.0),
        answer(2, log_p=-2.0, statistic=4.0),
        answer(3, log_p=-2.0, statistic=4.0),
        answer(4, log_p=-3.0),
    ]
    name_rank = np.array([0, 1, 3, 2, 4])
    order = IndependenceBatch.of(answers).by_strength(name_rank)
    assert order.tolist() == [4, 3, 2, 1, 0]


def test_a_batch_gives_back_the_results_it_was_made_of():
    answers = [answer(0), answer(1, log_p=-9.0, allows=Allows.NOTHING)]
    batch = IndependenceBatch.of(answers)
    assert list(batch) == answers
    assert batch.dependent(0.5).tolist() == [r.dependent(0.5) for r in answers] == [True, False]
    assert batch.independent(0.2).tolist() == [r.independent(0.2) for r in answers] == [True, False]


@pytest.mark.parametrize("seed", range(20))
def test_the_strongest_few_are_the_first_of_all_by_strength(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    batch = IndependenceBatch.of_sweep(
        np.arange(n),
        n,
        (),
        log_p=-rng.integers(0, 4, n).astype(float),  # with many ties
        statistic=rng.integers(0, 3, n),
        allows=rng.integers(-1, 3, n),
    )
    rank = rng.permutation(n + 1)
    for few in (0, 1, 5, n, n + 3):
        expected = batch.by_strength(rank)[:few]
        assert batch.strongest_few(rank, few).tolist() == expected.tolist()
