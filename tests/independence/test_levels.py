"""A level of PC-stable in compiled code answers, bit for bit, what single tests answer."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from eiderdown import networks
from eiderdown.data import Dataset
from eiderdown.independence import (
    CachedTest,
    CalibratedChiSquareTest,
    ChiSquareTest,
    FisherZTest,
    GSquareTest,
    WilksTest,
    count_levels,
    levels,
)
from eiderdown.independence.batch import N_VALUES
from eiderdown.independence.levels import LevelQuestion, separate_level
from examples import examples

COUNTING = (CalibratedChiSquareTest, GSquareTest, ChiSquareTest)


def columns_of(seed, n_columns, n_rows, most_categories):
    """Columns that depend on some before them, of uneven categories."""
    rng = np.random.default_rng(seed)
    columns = {}
    for j in range(n_columns):
        n = int(rng.integers(2, most_categories + 1))
        codes = (rng.random(n_rows) ** 2 * n).astype(int)
        for other in list(columns.values())[-3:]:
            copied = rng.random(n_rows) < rng.choice([0.0, 0.3, 0.9])
            codes[copied] = other[copied] % n
        columns[f"c{(7 * j) % 10}{j}"] = codes
    return Dataset.from_columns(columns, kinds=dict.fromkeys(columns, "discrete"))


def asked(test, size, *, alpha=0.05, seed=0):
    """All pairs as edges, and pools that differ from end to end."""
    rng = np.random.default_rng(seed)
    order = np.argsort(test.name_rank).tolist()
    pools = [
        np.array([z for z in order if z != x and rng.random() < 0.8], dtype=np.int64)
        for x in range(test.n_variables)
    ]
    edges = np.array(list(combinations(order, 2)))
    weakest = np.zeros((len(edges), N_VALUES))
    weakest[:, 2], weakest[:, 4] = -1e9, 2.0
    starts = np.append(0, np.cumsum([len(pool) for pool in pools])).astype(np.int64)
    members = np.concatenate(pools)
    possible = levels.n_possible(edges, starts, members)
    return LevelQuestion(size, edges, possible, starts, members, weakest, alpha)


def searched(test, question):
    return separate_level(test, question, lambda: None)


def one_by_one(test, question, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(type(test), "compiled_levels", lambda *_: None)
        return searched(test, question)


def assert_same(answers, expected):
    for name, found, wanted in zip(answers._fields, answers, expected, strict=True):
        np.testing.assert_array_equal(found, wanted, err_msg=name)


@pytest.mark.no_cover
@pytest.mark.parametrize("kind", COUNTING)
@given(
    seed=st.integers(0, 10_000),
    n_rows=st.sampled_from([3, 40, 150, 400]),
    most=st.sampled_from([2, 4, 12]),
    size=st.integers(1, 3),
)
@examples(12)
def test_a_level_is_the_naive_one_to_the_last_bit(kind, seed, n_rows, most, size):
    test = CachedTest(kind(columns_of(seed, 6, n_rows, most), n_jobs=1))
    question = asked(test, size, seed=seed)
    answers = searched(test, question)
    expected = naive.separate_level(
        CachedTest(test.inner), question.edges.tolist(), question.pools, size=size, alpha=0.05
    )
    for i, found in enumerate(expected):
        kept = zip(answers[::2], answers[1::2], strict=True)
        for (values, sets), wanted in zip(kept, found, strict=True):
            assert (sets[i, 0] < 0) == (wanted is None)
            if wanted is not None:
                assert tuple(sets[i].tolist()) == wanted.given
                assert (values[i, 0], values[i, 2]) == (wanted.statistic, wanted.log_p)
                assert values[i, 5] == wanted.n_used


@pytest.mark.parametrize("kind", COUNTING)
def test_planes_and_sorted_rows_and_single_sweeps_agree(kind, monkeypatch):
    data = networks.load("hailfinder").sample(300, random_state=1)
    data = data.select(sorted(data.names)[::-1][:8])
    for size in (1, 2, 4):
        slow = CachedTest(kind(data, n_jobs=1))
        question = asked(slow, size)
        expected = one_by_one(slow, question, monkeypatch)
        for most in (0, 256):
            monkeypatch.setattr(count_levels, "MOST_PLANE_CELLS", most)
            quick = CachedTest(kind(data, n_jobs=1))
            assert_same(searched(quick, question), expected)
            assert quick.counts == slow.counts


@pytest.mark.parametrize("kind", [FisherZTest, WilksTest])
def test_a_level_of_numbers_is_that_of_single_sweeps(kind, monkeypatch):
    data = networks.load("ecoli70").sample(60, random_state=1)
    test = CachedTest(kind(data.select(sorted(data.names)[:9])))
    for size in (1, 3):
        question = asked(test, size)
        expected = one_by_one(test, question, monkeypatch)
        computed = test.counts.n_tests
        test = CachedTest(test.inner)
        assert_same(searched(test, question), expected)
        assert test.counts.n_tests == computed
        test = CachedTest(test.inner)


@pytest.mark.parametrize("kind", [CalibratedChiSquareTest, WilksTest])
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_threads_and_interruptions_change_nothing(kind, n_jobs, monkeypatch):
    data = networks.load("alarm").sample(300, random_state=1)
    data = data.select(data.names[:10])
    alone = CachedTest(kind(data, n_jobs=1))
    question = asked(alone, 2)
    expected = searched(alone, question)
    for budget in ("_BUDGET", "_FEWEST_TESTS"):
        monkeypatch.setattr(levels, budget, 1)  # a look at the clock after every few tests
    many = kind(data, n_jobs=2)
    many.statistics.workers.n_jobs = n_jobs  # also where there is one core
    many = CachedTest(many)
    told = []
    assert_same(separate_level(many, question, lambda: told.append(1)), expected)
    assert len(told) > 10
    assert many.counts == alone.counts


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("kind", [*COUNTING, FisherZTest, WilksTest])
def test_all_pairs_given_nothing_are_tested_as_by_sweeps(kind, n_jobs):
    numbers = kind in (FisherZTest, WilksTest)
    for n_rows in (3, 90):
        data = networks.load("ecoli70" if numbers else "hailfinder").sample(n_rows, random_state=1)
        plain = kind(data.select(sorted(data.names)[::-1][:25]))
        plain.statistics.workers.n_jobs = n_jobs
        order = np.argsort(plain.name_rank)
        pairs = np.array(list(combinations(order.tolist(), 2)))
        slow, quick = CachedTest(plain), CachedTest(plain)
        expected = levels.test_pairs(slow, None, pairs, 0.05, lambda: None)
        compiled = levels.levels_for_pairs(quick)
        assert (compiled is None) == (kind is ChiSquareTest)
        found = levels.test_pairs(quick, compiled, pairs, 0.05, lambda: None)
        np.testing.assert_array_equal(found, expected)
        assert quick.counts == slow.counts
        assert quick.n_known == slow.n_known == len(pairs)
        assert levels.levels_for_pairs(quick) is None  # what is known is not asked again


def test_tasks_with_the_most_tests_come_first():
    test = CalibratedChiSquareTest(columns_of(0, 8, 50, 3))
    level = asked(test, 2).turn(0, test.name_rank)
    by_size, n_tests = levels._by_size(level, 50)
    work = by_size.n_sets * (by_size.stops - by_size.starts)
    assert work.sum() == n_tests
    assert work.tolist() == sorted(work.tolist(), reverse=True)
    assert sorted(by_size.targets.tolist()) == sorted(level.targets.tolist())


def test_what_it_cannot_compile_is_asked_one_by_one():
    data = columns_of(0, 5, 200, 3)
    incomplete = data.to_pandas().astype(object)
    incomplete.iloc[:20, 0] = None
    test = CalibratedChiSquareTest(Dataset.of(incomplete))
    variables = np.arange(5)
    assert test.compiled_levels(variables) is None
    assert test.compiled_levels(variables[1:]) is not None
    wide = Dataset.from_columns({"a": np.arange(600) % 300, "b": np.arange(600) % 2})
    assert CalibratedChiSquareTest(wide).compiled_levels(np.arange(2)) is None
