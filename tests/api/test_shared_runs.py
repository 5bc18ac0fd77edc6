"""Verbs whose runs are shared out answer the same, counts of tests too, for any number of jobs."""

from __future__ import annotations

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
from eiderdown.confidence import ordered_runs
from eiderdown.forked import ForkedWorker, is_forked
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
    """Three cores, and processes for work however short."""
    monkeypatch.setattr(cost, "available_cores", lambda: 1 if is_forked() else 3)
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
