"""GES with restarts: rounds that end where they end, whoever does them, and none twice."""

from __future__ import annotations

import json

import numpy as np
import pytest

from eiderdown import learn_network, networks
from eiderdown.forked import ForkedWorker, WorkerLostError
from eiderdown.progress import Cancellation, Cancelled, Trace
from eiderdown.scores import make_score
from eiderdown.statistics import cost
from eiderdown.structure.equivalence import ges_restarts
from eiderdown.structure.equivalence.ges import run_ges
from eiderdown.structure.equivalence.ges_restarts import run_ges_restarts
from eiderdown.structure.equivalence.rounds import Place, Rounds
from eiderdown.structure.equivalence.search import EquivalenceSearch


@pytest.fixture(autouse=True)
def _forks_where_it_may(monkeypatch):
    monkeypatch.setattr(ges_restarts, "_FORK_PAYS_FROM", 0.0)
    monkeypatch.setattr(cost, "available_cores", lambda: 2)


def searched(name="child", score="bic", n_rows=500):
    data = networks.load(name).sample(n_rows, random_state=1)
    return EquivalenceSearch(make_score(score, data, n_jobs=1))


def place_at(number, step):
    """A place of a search that only counts: its class is a number."""
    return Place(step, np.full((6, 1, 1), number, dtype=np.uint64), float(number), 0)


class Counting:
    """Rounds lead from each number to half of it; nothing comes after 1."""

    def __init__(self, search):
        self.done, self.rounds = [], Rounds(self.go, search, n_jobs=1, trace=None)

    def go(self, place):
        number = int(place.score)
        self.done.append(number)
        return place_at(number // 2, "halve" if number > 3 else None)._replace(n_steps=1)


def test_rounds_that_begin_in_the_same_class_are_one():
    counting = Counting(searched("asia"))
    with counting.rounds as rounds:
        ends = rounds.ends_of([place_at(number, "halve") for number in (8, 9, 17, 8, 5)])
        assert [int(place.score) for place in ends] == [1] * 5
        assert sorted(counting.done) == [2, 4, 5, 8, 9, 17]
        assert rounds.n_steps == 6
        rounds.ends_of([place_at(16, "halve")])
        assert len(counting.done) == 7


@pytest.mark.parametrize("score", ["bic", "bdeu", "gaussian_bic"])
def test_one_process_and_two_find_and_count_the_same(score):
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


@pytest.mark.parametrize("lost_at", ["begin", "outcome"])
def test_what_a_lost_process_had_to_do_is_done_here(lost_at, monkeypatch):
    expected = run_ges_restarts(searched(), generator=np.random.default_rng(3))

    def lose(*_args):
        raise WorkerLostError

    monkeypatch.setattr(ForkedWorker, lost_at, lose)
    found = run_ges_restarts(searched(), generator=np.random.default_rng(3), n_jobs=2)
    assert found == expected


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
