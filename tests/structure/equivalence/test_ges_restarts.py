"""GES with restarts: where a round ends follows from where it begins, and none is done twice."""

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
from eiderdown.structure.equivalence.search import EquivalenceSearch, SearchState


@pytest.fixture(autouse=True)
def _two_cores(monkeypatch):
    monkeypatch.setattr(cost, "available_cores", lambda: 2)


def searched(name="child", score="bic", n_rows=500):
    data = networks.load(name).sample(n_rows, random_state=1)
    return EquivalenceSearch(make_score(score, data, n_jobs=1))


@pytest.mark.parametrize("seed", range(3))
def test_no_round_is_done_twice_and_one_place_leads_to_one_end(seed, monkeypatch):
    begun, go = [], ges_restarts._Rounds._go

    def noted(self, place, *ahead):
        begun.append(place.key)
        return go(self, place, *ahead)

    monkeypatch.setattr(ges_restarts._Rounds, "_go", noted)
    search = searched("asia", n_rows=200)
    run_ges_restarts(search, generator=np.random.default_rng(seed))
    assert len(set(begun)) == len(begun)
    state = SearchState(search, np.random.default_rng(0))
    place = ges_restarts.Place("climb", *state.saved(), seed)
    ends = [ges_restarts._Rounds(search, None, 0).end_of(place) for _ in range(2)]
    assert ends[0].score == ends[1].score > place.score
    assert np.array_equal(ends[0].edges, ends[1].edges)


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


def test_cancelled_it_keeps_the_best_so_far():
    search = searched("insurance", n_rows=2_000)
    plain = run_ges(search)

    class Cancelling(Trace):
        def __init__(self):
            super().__init__(Cancellation())

        def progressed(self, phase, n):
            if n > plain.n_steps + 200:
                self.cancel()
            super().progressed(phase, n)

    found = run_ges_restarts(search, trace=Cancelling())
    assert not found.complete
    assert found.score >= plain.score


def test_cancelled_at_once_it_has_what_ges_had():
    class Cancelling(Trace):
        def progressed(self, phase, n):
            raise Cancelled

    found = run_ges_restarts(searched(), trace=Cancelling())
    assert not found.complete
