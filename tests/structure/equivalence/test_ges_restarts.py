"""GES with restarts: rounds that end where they end, whoever does them, and none twice."""

from __future__ import annotations

import json

import numpy as np
import pytest

from eiderdown import learn_network, networks
from eiderdown.progress import Cancellation, Cancelled, Trace
from eiderdown.scores import make_score
from eiderdown.statistics import cost
from eiderdown.structure.equivalence import ges_restarts
from eiderdown.structure.equivalence.ges import run_ges, two_phases
from eiderdown.structure.equivalence.ges_restarts import run_ges_restarts
from eiderdown.structure.equivalence.retries import retry_around_edges
from eiderdown.structure.equivalence.rounds import Place, Rounds
from eiderdown.structure.equivalence.search import EquivalenceSearch, SearchState


@pytest.fixture(autouse=True)
def _two_cores(monkeypatch):
    monkeypatch.setattr(cost, "available_cores", lambda: 2)


def searched(name="child", score="bic", n_rows=500):
    data = networks.load(name).sample(n_rows, random_state=1)
    return EquivalenceSearch(make_score(score, data, n_jobs=1))


def place_at(number, step):
    """A place of a search that only counts: its class is a number."""
    return Place(step, np.full((6, 1, 1), number, dtype=np.uint64), float(number), 0)


class Counting:
    """Rounds lead from each number to half of it; nothing comes after 1."""

    def __init__(self, search, n_jobs):
        self.done, self.rounds = [], Rounds(self.go, search, n_jobs=n_jobs)

    def go(self, place):
        number = int(place.score)
        self.done.append(number)
        return place_at(number // 2, "halve" if number > 3 else None)._replace(n_steps=1)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_rounds_that_begin_in_the_same_class_are_one(n_jobs):
    counting = Counting(searched("asia"), n_jobs)
    with counting.rounds as rounds:
        ends = rounds.ends_of([place_at(number, "halve") for number in (8, 9, 17, 8, 5)])
        assert [int(place.score) for place in ends] == [1] * 5
        assert sorted(counting.done) == [2, 4, 5, 8, 9, 17]
        assert rounds.n_steps == 6
        rounds.ends_of([place_at(16, "halve")])
        assert len(counting.done) == 7


@pytest.mark.parametrize("score", ["bic", "bdeu", "gaussian_bic"])
def test_one_thread_and_two_find_and_count_the_same(score):
    network = networks.load("insurance")
    if score == "gaussian_bic":
        network = networks.random_gaussian_network(networks.load("child").dag, random_state=1)
    data, found = network.sample(400, random_state=2), []
    for n_jobs in (1, 2):
        result = learn_network(
            data, algorithm="ges_restarts", score=score, n_jobs=n_jobs, progress=False
        ).to_dict()
        del result["run"]["seconds"]
        found.append(json.dumps(result))
    assert found[0] == found[1]


@pytest.mark.parametrize("failing", range(4))
def test_a_problem_in_either_thread_ends_both(failing):
    def fail(place):
        if place.score == failing:
            raise RuntimeError
        return place._replace(step=None)

    with Rounds(fail, searched("asia"), n_jobs=2) as rounds, pytest.raises(RuntimeError):
        rounds.ends_of([place_at(number, "fail") for number in range(4)])


@pytest.mark.parametrize(("name", "n_rows"), [("insurance", 300), ("child", 200), ("alarm", 500)])
@pytest.mark.parametrize("at_once", [1, 32])
def test_attempts_in_one_call_are_those_made_one_by_one(name, n_rows, at_once):
    def in_few_calls(state):
        retry_around_edges(state, ges_restarts._CLIMBS, at_once=at_once)

    search, found = searched(name, n_rows=n_rows), []
    for retry in (ges_restarts._retry_one_by_one, in_few_calls):
        state = SearchState(search, np.random.default_rng(5))
        two_phases(state, k=1.0)
        before = state.score
        retry(state)
        drawn = state.generator.random()
        found.append((drawn, state.n_steps, pytest.approx(state.score), state.saved().edges))
        assert state.score >= before
    assert found[0][:3] == found[1][:3]
    assert np.array_equal(found[0][3], found[1][3])


def test_seeds_matter_and_order_of_starts_does_not_come_from_elsewhere():
    found = [
        run_ges_restarts(searched("insurance"), generator=np.random.default_rng(seed)).n_steps
        for seed in (0, 0, 1)
    ]
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_cancelled_it_keeps_the_best_so_far(n_jobs):
    search = searched("insurance", n_rows=2_000)
    plain = run_ges(search)

    class Cancelling(Trace):
        def __init__(self):
            super().__init__(Cancellation())

        def progressed(self, phase, n):
            if n > plain.n_steps + 200:
                self.cancel()
            super().progressed(phase, n)

    found = run_ges_restarts(search, trace=Cancelling(), n_jobs=n_jobs)
    assert not found.complete
    assert found.score >= plain.score


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_cancelled_at_once_it_has_what_ges_had(n_jobs):
    class Cancelling(Trace):
        def progressed(self, phase, n):
            raise Cancelled

    found = run_ges_restarts(searched(), trace=Cancelling(), n_jobs=n_jobs)
    assert not found.complete
