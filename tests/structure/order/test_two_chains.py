"""BOSS with restarts in two threads: the same answers, what a score raises, interrupts."""

from __future__ import annotations

import numpy as np
import pytest
from exact_scores import RandomScore

from eiderdown import learn_network, networks
from eiderdown.errors import EiderdownWarning, NonFiniteError
from eiderdown.knowledge import Knowledge
from eiderdown.progress import Cancellation, Cancelled, Trace
from eiderdown.scores import make_score
from eiderdown.structure import BOSS_RESTARTS, StructureProblem
from eiderdown.structure.order.boss_restarts import boss_restarts


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


@pytest.mark.parametrize("name", ["child", "alarm"])
def test_two_threads_find_what_one_finds(name):
    assert facts(found_with(1, name=name)) == facts(found_with(2, name=name))


def test_knowledge_holds_in_two_threads():
    known = Knowledge(required=[("Age", "Disease"), ("XrayReport", "Disease")], max_parents=3)
    assert facts(found_with(1, knowledge=known)) == facts(found_with(2, knowledge=known))


class FailingScore(RandomScore):
    """Knows no families of three parents."""

    name = "failing"

    def _local(self, child, parents):
        return np.nan if len(parents) > 2 else super()._local(child, parents)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_a_score_raises_ends_the_search(n_jobs):
    score = FailingScore([f"v{i}" for i in range(6)])
    with pytest.raises(NonFiniteError, match="'failing'"):
        boss_restarts(StructureProblem(6, score=score, n_jobs=n_jobs))


class Interrupting(Trace):
    def __init__(self, after):
        super().__init__(Cancellation())
        self.after = after

    def progressed(self, phase, n):
        self.after -= 1
        if self.after < 0:
            self.cancel()
            raise Cancelled


@pytest.mark.parametrize("after", [0, 3, 30, 60])
def test_interrupted_with_two_threads_it_returns_what_it_has(after):
    found, _ = found_with(2, trace=Interrupting(after))
    assert not found.complete
    assert np.isfinite(found.score)


def test_a_time_limit_ends_both_threads():
    data = networks.load("child").sample(500, random_state=0)
    endless = BOSS_RESTARTS(shakes=10**9)
    with pytest.warns(EiderdownWarning, match="interrupted"):
        found = learn_network(data, algorithm=endless, n_jobs=2, time_limit=0.3)
    assert not found.complete


def test_a_problem_in_the_first_thread_ends_the_second():
    class Failing(Trace):
        def progressed(self, _phase, _n):
            raise RuntimeError

    score = make_score("bic", networks.load("child").sample(500, random_state=0), n_jobs=1)
    problem = StructureProblem(score.n_variables, score=score, n_jobs=2, trace=Failing())
    with pytest.raises(RuntimeError):
        boss_restarts(problem, shakes=10**9)
