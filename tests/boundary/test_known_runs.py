"""Runs along known steps are those that a search would have made."""

from __future__ import annotations

import signal
from functools import partial

import numpy as np
import pytest

from eiderdown import find_boundaries, networks
from eiderdown.api import repetition
from eiderdown.boundary import KIAMB, known_runs
from eiderdown.boundary.kernels.seeded_draws import (
    N_POOL,
    N_WORDS,
    least_of_some,
    seed_generator,
)
from eiderdown.boundary.known_runs import KnownRuns
from eiderdown.errors import EiderdownWarning
from eiderdown.independence import CachedTest

pytestmark = pytest.mark.filterwarnings(f"ignore::{EiderdownWarning.__module__}.EiderdownWarning")

SEEDS = [0, 1, 7, 2**16, 2**31, 2**32 - 1]


@pytest.mark.parametrize("seed", SEEDS)
def test_kernels_draw_what_numpy_draws(seed):
    generator, shapes = np.random.default_rng(seed), np.random.default_rng(1)
    state, pool = np.zeros(N_WORDS, dtype=np.uint64), np.zeros(N_POOL, dtype=np.uint64)
    seed_generator(state, np.uint64(seed), pool)
    for _ in range(200):
        n = int(shapes.integers(1, 400))
        n_drawn = int(shapes.integers(1, min(n, 12) + 1))
        values = shapes.integers(0, 10_000, (n + 3, 2))
        is_drawn = np.zeros(n, dtype=np.uint8)
        expected = values[3 + generator.choice(n, n_drawn, replace=False), 0].min()
        assert least_of_some(state, values, 3, n, n_drawn, is_drawn) == expected
        assert not is_drawn.any()


def test_numpy_draws_what_kernels_draw():
    assert known_runs._draws_as_numpy.__wrapped__()


class Reversed(np.random.Generator):
    """Draws as a NumPy of other days may."""

    def choice(self, n, size, replace):
        return n - 1 - super().choice(n, size, replace=replace)


def test_if_numpy_draws_otherwise_nothing_is_made_here(monkeypatch):
    monkeypatch.setattr(np.random, "default_rng", lambda seed: Reversed(np.random.PCG64(seed)))
    assert not known_runs._draws_as_numpy.__wrapped__()
    monkeypatch.setattr(known_runs, "_draws_as_numpy", lambda: False)
    assert not KnownRuns.pay(10**6)


@pytest.fixture(scope="module")
def asia():
    return networks.load("asia").sample(400, random_state=1)


@pytest.fixture
def searched(monkeypatch):
    """Which runs were searched, and not made by a kernel."""
    numbers, plain = [], repetition._Searches.boundary

    def boundary(self, number):
        numbers.append(number)
        return plain(self, number)

    monkeypatch.setattr(repetition._Searches, "boundary", boundary)
    return numbers


def told(found):
    def without_times(stored):
        if isinstance(stored, dict):
            left = {"seconds", "call"}
            return {key: without_times(value) for key, value in stored.items() if key not in left}
        return [without_times(item) for item in stored] if isinstance(stored, list) else stored

    return without_times(found.to_dict())


ASKED = {
    "greedy": {"algorithm": KIAMB},
    "wild": {"algorithm": KIAMB(fraction=0.2)},
    "any": {"algorithm": KIAMB(fraction=0.0)},
    "max_given": {"algorithm": KIAMB(fraction=0.2), "max_given": 1},
    "required": {"algorithm": KIAMB(fraction=0.2), "required": ["smoke", "asia"]},
    "patience": {"algorithm": KIAMB(fraction=0.2), "patience": 25},
}


@pytest.mark.parametrize("asked", ASKED)
def test_runs_along_known_steps_are_those_of_searches(asked, asia, monkeypatch, searched):
    verb = partial(
        find_boundaries, asia, "either", runs=600, random_state=0, n_jobs=1, cv=None, **ASKED[asked]
    )
    monkeypatch.setattr(KnownRuns, "pay", lambda _: False)
    expected = verb()
    n_searched = len(searched)
    assert n_searched == expected.n_runs
    monkeypatch.setattr(KnownRuns, "pay", lambda _: True)
    assert told(verb()) == told(expected)
    assert len(searched) - n_searched < n_searched


def test_a_search_at_a_false_discovery_rate_is_made_each_time(asia, searched):
    find_boundaries(asia, "either", runs=20, random_state=0, cv=None, error_rate="fdr")
    assert len(searched) == 20


def test_once_tests_were_forgotten_runs_are_searched(asia, monkeypatch, searched):
    monkeypatch.setattr(KnownRuns, "pay", lambda _: True)
    monkeypatch.setattr(CachedTest, "forgets", True)
    find_boundaries(asia, "either", runs=20, random_state=0, cv=None)
    assert len(searched) == 20


def test_a_run_that_goes_round_too_often_is_searched(asia, monkeypatch, searched):
    monkeypatch.setattr(KnownRuns, "pay", lambda _: True)
    monkeypatch.setattr(known_runs, "_MOST_ROUNDS", 1)
    find_boundaries(asia, "either", runs=20, random_state=0, cv=None)
    assert len(searched) == 20


def test_interrupted_between_known_runs_those_so_far_count(asia, monkeypatch):
    plain = KnownRuns.made

    def interrupted(self, seeds):
        ended = plain(self, seeds)
        if ended:
            signal.raise_signal(signal.SIGINT)
        return ended

    monkeypatch.setattr(KnownRuns, "pay", lambda _: True)
    verb = partial(find_boundaries, asia, "either", random_state=0, cv=None)
    with monkeypatch.context() as patched:
        patched.setattr(KnownRuns, "made", interrupted)
        found = verb(runs=600)
    assert not found.complete
    assert 0 < found.n_runs < 600
    so_far = verb(runs=found.n_runs)
    assert [told(item.boundary) for item in so_far] == [told(item.boundary) for item in found]
    assert [item.n_runs for item in so_far] == [item.n_runs for item in found]


def test_few_runs_are_not_worth_compiling(monkeypatch):
    monkeypatch.setattr(known_runs, "_draws_as_numpy", lambda: True)
    for is_ready, n_runs, expected in ((True, 1, True), (False, 999, False), (False, 1_000, True)):
        monkeypatch.setattr(type(known_runs.make_runs), "is_ready", is_ready)
        assert KnownRuns.pay(n_runs) == expected
