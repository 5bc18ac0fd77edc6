"""Verbs whose runs are shared out answer the same, counts of tests too, for any number of jobs."""

from __future__ import annotations

import time
from functools import partial

import pytest

from eiderdown import (
    find_boundaries,
    find_causes,
    measure_confidence,
    measure_optima,
    measure_stability,
    networks,
)
from eiderdown.boundary import KIAMB
from eiderdown.boundary.known_runs import KnownRuns
from eiderdown.confidence import ordered_runs
from eiderdown.forked import ForkedWorker, WorkerLostError, is_forked
from eiderdown.independence import CachedTest
from eiderdown.statistics import cost

pytestmark = pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")

WILD = KIAMB(fraction=0.2)

VERBS = {
    "kes": partial(measure_confidence, runs=80, k=0.3),
    "resamples": partial(measure_confidence, source="resamples", runs=6),
    "boundaries": partial(
        measure_confidence, target="either", source="boundaries", runs=40, algorithm=WILD
    ),
    "stability": partial(measure_stability, resamples=5, algorithm="pc_stable"),
    "optima": partial(measure_optima, runs=15, repeats=2),
    "find_boundaries": partial(find_boundaries, target="either", runs=40, algorithm=WILD),
    "patience": partial(find_boundaries, target="either", runs=400, algorithm=WILD, patience=9),
    "causes": partial(find_causes, target="either", resamples=5),
}


@pytest.fixture(autouse=True)
def eager_forks(forks, monkeypatch):
    """Three cores, and processes for work however short, also where runs need no search."""
    monkeypatch.setattr(KnownRuns, "pay", lambda _: False)
    monkeypatch.setattr(cost, "available_cores", lambda: 1 if is_forked() else 3)
    monkeypatch.setattr(ordered_runs, "_TRIAL", 0.0)
    monkeypatch.setattr(ordered_runs, "_FEWEST_TRIED", 1)
    monkeypatch.setattr(ordered_runs, "_WORTH_FORKING", 0.0)


@pytest.fixture
def n_workers(monkeypatch):
    made, plain = [], ForkedWorker.__init__

    def init(self, function):
        made.append(function)
        plain(self, function)

    monkeypatch.setattr(ForkedWorker, "__init__", init)
    return made


def without_times(stored):
    if isinstance(stored, dict):
        left = {"seconds", "call"}
        return {key: without_times(value) for key, value in stored.items() if key not in left}
    return [without_times(item) for item in stored] if isinstance(stored, list) else stored


@pytest.mark.parametrize("verb", VERBS)
def test_answers_and_counts_are_those_of_one_job(verb, n_workers):
    data = networks.load("asia").sample(400, random_state=1)
    one, two, three = (
        without_times(VERBS[verb](data, random_state=0, n_jobs=n_jobs).to_dict())
        for n_jobs in (1, 2, 3)
    )
    assert one == two == three
    assert len(n_workers) >= 3 or not ordered_runs.can_fork()


@pytest.fixture
def wild_runs():
    data = networks.load("asia").sample(400, random_state=1)
    return partial(find_boundaries, data, "either", runs=300, algorithm=WILD, random_state=0)


@pytest.mark.parametrize("n_batches", [1, 2, 4])
def test_runs_of_a_lost_process_are_counted_in_their_turn(n_batches, wild_runs, monkeypatch):
    called, plain = [], ForkedWorker.__call__

    def call(self, numbers):
        called.append(numbers)
        if len(called) > n_batches:
            time.sleep(0.02)  # while later runs are made here
            raise WorkerLostError
        return plain(self, numbers)

    one = without_times(wild_runs(n_jobs=1).to_dict())
    monkeypatch.setattr(ForkedWorker, "__call__", call)
    assert without_times(wild_runs(n_jobs=2).to_dict()) == one
    assert len(called) > n_batches or not ordered_runs.can_fork()


def test_as_soon_as_tests_may_be_forgotten_runs_are_made_one_after_the_other(
    wild_runs, monkeypatch
):
    one = without_times(wild_runs(n_jobs=1).to_dict())
    asked = []

    def has_room(self, n_new):
        asked.append(n_new)
        return self.counts.n_tests + n_new < one["run"]["n_tests"] / 2

    monkeypatch.setattr(CachedTest, "has_room", has_room)
    assert without_times(wild_runs(n_jobs=2).to_dict()) == one
    assert asked or not ordered_runs.can_fork()
