"""BOSS with restarts in two processes: the same answers, lost processes, interrupts, pipes."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

from eiderdown import learn_network, networks
from eiderdown.errors import EiderdownWarning
from eiderdown.forked import ForkedWorker, can_fork
from eiderdown.knowledge import Knowledge
from eiderdown.progress import Cancellation, Cancelled, Trace
from eiderdown.scores import make_score
from eiderdown.statistics.cost import available_cores
from eiderdown.structure import BOSS_RESTARTS, StructureProblem
from eiderdown.structure.order import boss_restarts as module
from eiderdown.structure.order import second_chain
from eiderdown.structure.order.answers import Answers, Pipes
from eiderdown.structure.order.boss_restarts import boss_restarts

forking = pytest.mark.skipif(
    not can_fork() or available_cores() < 2, reason="needs forks and two cores"
)


@pytest.fixture
def forked(forks, monkeypatch):
    """Fork whatever the size; list the processes."""
    made = []

    class Listed(ForkedWorker):
        def __init__(self, function):
            super().__init__(function)
            made.append(self)

    monkeypatch.setattr(module, "_FORK_PAYS_FROM", 0.0)
    monkeypatch.setattr(second_chain, "ForkedWorker", Listed)
    return made


def found_with(n_jobs, *, name="child", trace=None, knowledge=None):
    score = make_score("bic", networks.load(name).sample(500, random_state=0), n_jobs=1)
    problem = StructureProblem(
        score.n_variables,
        score=score,
        n_jobs=n_jobs,
        trace=trace or Trace(),
        knowledge=None if knowledge is None else knowledge.of_columns(score.names),
        generator=np.random.default_rng(3),
    )
    return boss_restarts(problem), score


def facts(answer):
    found, score = answer
    return found.directed, found.undirected, found.score, score.counts.n_computed


@forking
@pytest.mark.parametrize("name", ["child", "alarm"])
def test_two_processes_find_what_one_finds(forked, name):
    alone, shared = found_with(1, name=name), found_with(2, name=name)
    assert facts(alone) == facts(shared)
    assert len(forked) == 1


@forking
def test_knowledge_holds_in_two_processes(forked):
    known = Knowledge(required=[("Age", "Disease"), ("XrayReport", "Disease")], max_parents=3)
    assert facts(found_with(1, knowledge=known)) == facts(found_with(2, knowledge=known))
    assert forked


@forking
@pytest.mark.parametrize("after", [0, 1])
def test_a_chain_that_was_lost_with_its_process_is_gone_through_again(monkeypatch, forked, after):
    begin = second_chain.SecondChain.begin
    begun = []

    def begin_and_kill(self, part):
        begin(self, part)
        begun.append(part)
        if len(begun) == after + 1:
            os.kill(forked[0]._pid, signal.SIGKILL)

    alone = found_with(1)
    monkeypatch.setattr(second_chain.SecondChain, "begin", begin_and_kill)
    assert facts(found_with(2)) == facts(alone)


class Interrupting(Trace):
    def __init__(self, after):
        super().__init__(Cancellation())
        self.after = after

    def progressed(self, phase, n):
        self.after -= 1
        if self.after < 0:
            self.cancel()
            raise Cancelled


@forking
@pytest.mark.parametrize("after", [0, 3, 100, 400])
def test_interrupted_with_two_processes_it_returns_what_it_has(forked, after):
    found, _ = found_with(2, trace=Interrupting(after))
    assert forked
    assert not found.complete
    assert np.isfinite(found.score)


@forking
def test_a_time_limit_ends_both_processes(forked):
    data = networks.load("child").sample(500, random_state=0)
    endless = BOSS_RESTARTS(shakes=10**9)
    with pytest.warns(EiderdownWarning, match="interrupted"):
        found = learn_network(data, algorithm=endless, n_jobs=2, time_limit=0.3)
    assert not found.complete
    assert forked


def test_a_search_that_is_too_small_stays_in_one_process(monkeypatch):
    monkeypatch.setattr(module, "_FORK_PAYS_FROM", np.inf)
    monkeypatch.setattr(second_chain, "ForkedWorker", lambda _: pytest.fail("forked"))
    data = networks.load("asia").sample(500, random_state=0)
    learn_network(data, algorithm="boss_restarts", n_jobs=2)


@pytest.mark.skipif(not can_fork(), reason="pipes are only made where there are forks")
@pytest.mark.parametrize("n_told", [1, 30, 20_000])
def test_answers_are_told_and_a_full_pipe_makes_nobody_wait(n_told):
    pipes, one, other = Pipes(), Answers(), Answers()
    one.connect(pipes.here)
    other.connect(pipes.there)
    for k in range(n_told):
        assert one.of((k,), lambda k=k: [k, [0.1] * 20]) == [k, [0.1] * 20]
    heard = [other.of((k,), lambda: None) for k in range(min(n_told, 20))]
    assert heard == ([[k, [0.1] * 20] for k in range(20)] if n_told > 1 else [None])
    pipes.close()
