"""Time limits where there are no signals to wait for: in event loops, and in their threads."""

from __future__ import annotations

import asyncio
import signal

import numpy as np
import pytest
from odd_options import tiny

from eiderdown import Dataset, find_boundaries
from eiderdown.boundary import PCMB, TestProblem
from eiderdown.boundary.compiled import CompiledSearch
from eiderdown.independence import (
    CachedTest,
    CalibratedChiSquareTest,
    FisherZTest,
    IndependenceTest,
    cache,
    contingency,
)
from eiderdown.progress import Cancelled, watched

pytestmark = pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")


def endless():
    return find_boundaries(
        tiny("discrete"), "t", runs=2**40, patience=None, cv=None, time_limit=0.3, progress=False
    )


def test_time_limits_hold_in_a_running_event_loop_as_in_notebooks():
    async def cell():
        return endless()

    assert not asyncio.run(cell()).complete


def test_time_limits_hold_in_a_thread_of_an_event_loop():
    async def cell():
        return await asyncio.gather(*(asyncio.to_thread(endless) for _ in range(2)))

    assert [found.complete for found in asyncio.run(cell())] == [False, False]


def test_whoever_handles_ctrl_c_still_does_afterwards():
    before = signal.getsignal(signal.SIGINT)
    for handler in (signal.SIG_IGN, lambda *_: None, signal.default_int_handler):
        signal.signal(signal.SIGINT, handler)
        try:
            endless()
            assert signal.getsignal(signal.SIGINT) is handler
        finally:
            signal.signal(signal.SIGINT, before)


# --- searches over subsets, which may take long in a single call ---


@pytest.fixture
def copied_test():
    """A test of columns that repeat each other with noise, so that many subsets are tried."""
    rng = np.random.default_rng(4)
    hidden = rng.random((4, 500)) < 0.5
    near = {f"x{i:02d}": hidden[i % 4] ^ (rng.random(500) < 0.2) for i in range(40)}
    return CachedTest(CalibratedChiSquareTest(Dataset.of(near | {"t": hidden[0]}), n_jobs=1))


def asked(test):
    """Ask of 36 candidates over the subsets of four others."""
    return test.max_p_over_subsets(
        np.arange(4, 40), 40, [0, 1, 2, 3], alpha=1e-9, max_given=3, always=()
    )


def test_a_search_over_subsets_is_the_same_in_parts(copied_test, monkeypatch):
    whole = asked(CachedTest(copied_test.inner))
    for at_once in (1, 150, 300):
        monkeypatch.setattr(cache, "_MOST_TESTS_AT_ONCE", at_once)
        test = CachedTest(copied_test.inner)
        parts = asked(test)
        assert np.array_equal(parts.values, whole.values)
        assert list(parts.given) == list(whole.given)
        assert asked(test).values.tolist() == whole.values.tolist()  # from memory
        assert test.counts.n_tests == test.counts.n_repeated > len(whole)


def cancelling(monkeypatch, trace, n_parts):
    """Let the work be cancelled while a part is done; return where the parts are counted."""
    done = []
    search = contingency.ContingencyTest._search

    def part(*args):
        done.append(args)
        if len(done) == n_parts:
            trace.cancel()
        return search(*args)

    monkeypatch.setattr(cache, "_MOST_TESTS_AT_ONCE", 1)
    monkeypatch.setattr(contingency.ContingencyTest, "_search", part)
    return done


@pytest.mark.parametrize("n_parts", [1, 3])
def test_a_search_over_subsets_ends_with_the_part_in_which_it_is_cancelled(
    copied_test, monkeypatch, n_parts
):
    with watched("", progress=False) as trace:
        done = cancelling(monkeypatch, trace, n_parts)
        with pytest.raises(Cancelled):
            asked(copied_test)
    assert len(done) == n_parts


def test_a_search_over_subsets_by_sweeps_ends_with_the_sweep_in_which_it_is_cancelled(monkeypatch):
    rng = np.random.default_rng(0)
    test = FisherZTest(Dataset.from_numpy(rng.normal(size=(50, 12))))
    sweep, done = FisherZTest.sweep, []
    with watched("", progress=False) as trace:

        def one(*args):
            done.append(args)
            trace.cancel()
            return sweep(*args)

        monkeypatch.setattr(FisherZTest, "sweep", one)
        with pytest.raises(Cancelled):
            IndependenceTest.max_p_over_subsets(
                test, np.arange(4), 11, [5, 6, 7], alpha=0.999999, max_given=2
            )
    assert len(done) == 1


def test_a_search_that_is_cancelled_within_a_step_returns_the_best_so_far(copied_test, monkeypatch):
    target, others = 40, np.arange(40)
    monkeypatch.setattr(CompiledSearch, "rooms_for", lambda *_: None)  # whose steps are not these
    with watched("", progress=False) as trace:
        done = cancelling(monkeypatch, trace, 5)
        found = PCMB.run(TestProblem(copied_test, target, others, 1e-9, trace=trace))
    assert not found.complete
    assert found.members
    assert len(done) == 5
