"""A recorded test computes every question once, counts what it did, and forgets in bounds."""

from __future__ import annotations

import numpy as np
import pytest
from small_data import chained_codes, coded

from eiderdown.graphs import DAG
from eiderdown.independence import (
    Allows,
    CachedTest,
    GSquareTest,
    IndependenceBatch,
    OracleTest,
    cache,
)
from eiderdown.independence.base import IndependenceTest
from eiderdown.independence.batch import ALLOWS, N_VALUES
from eiderdown.independence.cache import _BYTES_PER_WIDE_RESULT, _WIDE
from eiderdown.independence.kernels.cache import (
    COMPUTED,
    EVICTED,
    STORED,
    ResultTable,
    absorb,
    recall,
    remember,
)
from naive import TwoGenerations


class Counted(IndependenceTest):
    """Passes questions on and writes down what it was asked."""

    def __init__(self, inner):
        super().__init__(inner.names)
        self.inner = inner
        self.asked = []

    def _sweep(self, candidates, target, given):
        self.asked.append((candidates.tolist(), target, given))
        return self.inner.sweep(candidates, target, given)


@pytest.fixture
def counted():
    codes = chained_codes(np.random.default_rng(0), 6, 80, 2)
    return Counted(GSquareTest(coded(codes)))


def test_a_repeated_question_is_not_computed_again(counted):
    test = CachedTest(counted)
    first = test.test(1, 2, [3, 4])
    assert test.test(1, 2, [4, 3]) == first
    assert len(counted.asked) == 1
    assert (test.counts.n_tests, test.counts.n_repeated) == (1, 1)


def test_the_swapped_question_is_the_same_question(counted):
    test = CachedTest(counted)
    forward, backward = test.test(1, 2, [3]), test.test(2, 1, [3])
    assert len(counted.asked) == 1
    assert (backward.x, backward.y) == (2, 1)
    assert (backward.log_p, backward.effect) == (forward.log_p, forward.effect)


def test_only_the_unknown_part_of_a_sweep_is_computed_and_order_is_kept(counted):
    test = CachedTest(counted)
    test.sweep([1, 4], 0, [2])
    batch = test.sweep([5, 4, 3, 1], 0, [2])
    assert counted.asked == [([1, 4], 0, (2,)), ([5, 3], 0, (2,))]
    assert batch.x.tolist() == [5, 4, 3, 1]
    assert batch.y.tolist() == [0] * 4
    fresh = counted.inner.sweep([5, 4, 3, 1], 0, [2])
    np.testing.assert_array_equal(batch.log_p, fresh.log_p)
    assert (test.counts.n_tests, test.counts.n_repeated) == (4, 2)


def test_another_conditioning_set_is_another_question(counted):
    test = CachedTest(counted)
    for conditions in ([], [2], [2, 3], [3]):
        test.test(0, 1, conditions)
    assert test.counts.n_tests == 4
    assert test.counts.n_repeated == 0


def test_skipped_tests_are_counted_once():
    codes = chained_codes(np.random.default_rng(1), 4, 30, 2)
    inner = GSquareTest(coded(codes), dof="nominal", min_rows=20.0)
    test = CachedTest(inner)
    test.sweep([1, 2], 0)  # one degree of freedom needs 20 of the 30 rows
    test.sweep([1, 2], 0, [3])  # two need 40
    test.sweep([1, 2], 0, [3])
    assert (test.counts.n_tests, test.counts.n_skipped, test.counts.n_repeated) == (4, 2, 2)


def test_all_shapes_share_one_memory(counted):
    test = CachedTest(counted)
    test.each_given_rest([1, 2, 3], 0)
    test.pairs([(1, 0, [2, 3]), (0, 2, [1, 3])])
    test.max_p_over_subsets([3], 0, [1, 2], alpha=1 - 1e-9, max_given=2)  # nothing separates
    assert test.counts.n_tests == 3 + 3
    assert test.counts.n_repeated == 2 + 1


class Numbered(IndependenceTest):
    """Gives every question a statistic of its own, and asks no data."""

    def __init__(self, n_variables):
        super().__init__([f"v{i:05d}" for i in range(n_variables)])

    def _sweep(self, candidates, target, given):
        low, high = np.minimum(candidates, target), np.maximum(candidates, target)
        number = low * 1_000.0 + high + sum(1e6 * 7.0**z for z in given)
        return IndependenceBatch.of_sweep(
            candidates,
            target,
            given,
            statistic=number,
            dof=number + 1,
            log_p=-number,
            n_used=5,
            effect=number / 3,
            allows=np.where(number % 2 == 0, Allows.BOTH, Allows.NOTHING),
        )


def test_no_question_gets_the_answer_to_another():
    plain, rng = Numbered(30), np.random.default_rng(2)
    recorded = CachedTest(plain)
    asked = set()
    for _ in range(4_000):  # enough to outgrow the first memory
        target, *rest = rng.permutation(30)[:9].tolist()
        conditions, xs = rest[: rng.integers(0, 4)], rest[4:]
        found, fresh = recorded.sweep(xs, target, conditions), plain.sweep(xs, target, conditions)
        assert list(found) == list(fresh)
        asked |= {(frozenset((x, target)), frozenset(conditions)) for x in xs}
    assert recorded.counts.n_tests == len(asked)
    assert recorded.counts.n_repeated == 4_000 * 4 - len(asked)


def test_a_full_memory_forgets_the_oldest_answers_and_computes_them_again():
    plain = Numbered(4_000)
    recorded = CachedTest(plain, memory=1)  # the smallest there is: 2,048 results
    everyone = np.arange(1, 4_000)
    recorded.sweep(everyone, 0)
    n_forgotten = recorded.counts.n_evicted
    again = recorded.sweep(everyone, 0)
    np.testing.assert_array_equal(again.statistic, plain.sweep(everyone, 0).statistic)
    assert recorded.counts.n_repeated == len(everyone) - n_forgotten
    assert 1_024 <= recorded.counts.n_repeated <= 2_048
    assert recorded.counts.n_tests + recorded.counts.n_repeated == 2 * len(everyone)
    before = recorded.counts
    for _ in range(2):  # of the newest half nothing is ever forgotten
        recorded.sweep(everyone[-1_000:], 0, [4])
    assert recorded.counts.since(before).n_repeated == 1_000


@pytest.mark.parametrize("seed", range(20))
def test_the_table_remembers_and_forgets_as_its_naive_twin_does(seed):
    rng = np.random.default_rng(seed)
    table = ResultTable.for_tests(int(rng.integers(1, 100)))
    twin = TwoGenerations(table.room // 2)
    for _ in range(400):
        target, *xs = rng.permutation(12)[: rng.integers(2, 10)].tolist()
        given = tuple(z for z in range(12, 15) if rng.random() < 0.3)
        candidates, set_ = np.array(xs), np.array(given, dtype=np.int64)
        values, found = rng.random((len(xs), N_VALUES)), np.empty((len(xs), N_VALUES))
        n_unknown = recall(table, candidates, target, set_, found)
        known = [twin.recalled(x, target, given) for x in xs]
        assert n_unknown == known.count(None)
        for row, expected in zip(found, known, strict=True):
            assert np.isnan(row[ALLOWS]) if expected is None else row.tolist() == expected
        remember(table, candidates, target, set_, values)
        for x, row in zip(xs, values.tolist(), strict=True):
            twin.remember(x, target, given, row)
    assert table.counters[STORED] == len(twin)
    assert table.counters[EVICTED] == twin.n_evicted > 0


def test_what_a_larger_table_takes_over_is_known_there():
    rng, small = np.random.default_rng(0), ResultTable.for_tests(100)
    everyone, none = np.arange(1, small.room + 1), np.array([], dtype=np.int64)
    values = rng.random((len(everyone), N_VALUES))
    remember(small, everyone, 0, none, values)
    assert small.counters[EVICTED] == 0  # full, but not more than that
    larger = ResultTable.for_tests(2 * small.room)
    absorb(larger, small)
    found = np.empty_like(values)
    assert recall(larger, everyone, 0, none, found) == 0
    np.testing.assert_array_equal(found, values)
    assert larger.counters[COMPUTED] == len(everyone)


def test_with_room_for_all_nothing_is_computed_twice():
    recorded = CachedTest(Numbered(4_000))
    for _ in range(2):
        recorded.sweep(np.arange(1, 4_000), 0)
    assert (recorded.counts.n_tests, recorded.counts.n_repeated) == (3_999, 3_999)


@pytest.fixture
def wide():
    names = [f"v{i}" for i in range(_WIDE + 3)]
    return Counted(OracleTest(DAG(names, [("v0", "v1"), ("v1", "v2")])))


def test_wide_sweeps_are_remembered_whole(wide):
    test = CachedTest(wide)
    everyone = np.arange(1, _WIDE + 3)
    first = test.sweep(everyone, 0)
    again = test.sweep(everyone, 0)
    np.testing.assert_array_equal(first.log_p, again.log_p)
    assert len(wide.asked) == 1
    assert (test.counts.n_tests, test.counts.n_repeated) == (len(everyone), len(everyone))


def test_a_wide_sweep_over_other_candidates_is_computed(wide):
    test = CachedTest(wide)
    test.sweep(np.arange(1, _WIDE + 3), 0)
    test.sweep(np.arange(1, _WIDE + 3)[::-1], 0)
    assert test.counts.n_repeated == 0
    assert len(wide.asked) == 2


def test_wide_sweeps_are_forgotten_within_the_budget(wide, monkeypatch):
    monkeypatch.setattr(cache, "_WIDE_SHARE", 1.0)
    test = CachedTest(wide, memory=(_WIDE + 10) * _BYTES_PER_WIDE_RESULT)
    test.sweep(np.arange(2, _WIDE + 3), 0)
    test.sweep(np.arange(2, _WIDE + 3), 0, [1])
    test.sweep(np.arange(2, _WIDE + 3), 0)
    assert test.counts.n_repeated == 0
    test.sweep(np.arange(2, _WIDE + 3), 0)
    assert test.counts.n_repeated == _WIDE + 1
    assert test.counts.n_evicted == 2 * (_WIDE + 1)


def test_a_few_sweeps_are_remembered_however_wide(wide, monkeypatch):
    monkeypatch.setattr(cache, "_WIDE_SHARE", 0.0)
    test = CachedTest(wide)
    everyone = np.arange(2, _WIDE + 3)
    for given in ([], [1], [], [1]):
        test.sweep(everyone, 0, given)
    assert test.counts.n_repeated == test.counts.n_tests == 2 * len(everyone)


def test_it_describes_the_test_it_wraps(counted):
    assert CachedTest(counted.inner).description == counted.inner.description
    assert CachedTest(counted.inner).names == counted.names


@pytest.mark.parametrize("given", [(), (5,)])
def test_what_is_taken_from_a_sweep_keeps_its_sets(counted, given):
    batch = CachedTest(counted).sweep([1, 2, 3, 4], 0, given)
    mixed = IndependenceBatch.joined([batch, CachedTest(counted).sweep([1, 2], 0, [3])])
    for some in (batch, mixed):
        every = list(some)
        assert list(some.take(np.array([3, 0]))) == [every[3], every[0]]
        assert list(some.take(some.x > 4)) == []
        assert list(some.take(some.x == 2)) == [r for r in every if r.x == 2]
    assert batch.has_one_set
    assert not mixed.has_one_set
    assert not batch.take(batch.x > 4).has_one_set


def test_it_tries_no_set_that_the_test_it_wraps_leaves_out(counted, monkeypatch):
    def up_to_one(_xs, _target, pool, _max_given, always):
        return counted._subset_rows(pool, 1, always)

    monkeypatch.setattr(counted, "_sets_to_try", up_to_one)
    CachedTest(counted).max_p_over_subsets([0, 5], 2, [1, 3, 4], alpha=1.0, max_given=3)
    assert {given for _, _, given in counted.asked} == {(), (1,), (3,), (4,)}
