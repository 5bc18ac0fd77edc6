"""What a climb remembers of families: no room is too small, and nothing else decides."""

from __future__ import annotations

import math
from contextlib import nullcontext

import numpy as np
import pytest
from climbs import climb_on
from exact_scores import RandomScore

from eiderdown import Dataset, networks
from eiderdown.progress import Cancelled, Trace
from eiderdown.scores import make_score
from eiderdown.structure.climbing import scored_families, search_state

NAMES = tuple("ABCDEF")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("price", [-0.5, 0.5])
def test_a_memory_that_begins_anew_and_small_rooms_change_nothing(seed, price, monkeypatch):
    whole = climb_on(RandomScore(NAMES, seed, price=price), restarts=2)
    monkeypatch.setattr(search_state, "_MOST_REMEMBERED", 40)
    monkeypatch.setattr(scored_families, "_FIRST_ROWS", 2)
    monkeypatch.setattr(scored_families, "_FIRST_EACH", 1)
    monkeypatch.setattr(
        scored_families.Questions.none.__func__, "__defaults__", (1,)
    )  # families of one parent, at first
    assert climb_on(RandomScore(NAMES, seed, price=price), restarts=2) == whole


def test_the_number_of_threads_decides_nothing():
    data = networks.load("insurance").sample(2_000, random_state=7)
    found = [climb_on(make_score("bdeu", data, n_jobs=n), restarts=1) for n in (1, 2)]
    assert found[0] == found[1]


class Ready:
    """Stands for how long climbs go step by step: for ever, or no longer."""

    def __init__(self, is_over):
        self.is_over = is_over

    def measured(self):
        return nullcontext()


def climbed(score, monkeypatch, *, in_kernels, **options):
    """Climb with scores from Python or in kernels; return where it ended, and the work."""
    monkeypatch.setattr(search_state, "_IN_PYTHON", Ready(in_kernels))
    return climb_on(score, **options), score.counts


@pytest.mark.parametrize("name", ["bic", "bdeu", "qnml"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_kernels_score_as_python_does(name, n_jobs, monkeypatch):
    data = networks.load("insurance").sample(1_000, random_state=5)
    found = [
        climbed(make_score(name, data, n_jobs=n_jobs), monkeypatch, in_kernels=given, restarts=1)
        for given in (False, True)
    ]
    assert found[0] == found[1]


def test_kernels_leave_what_is_too_large_to_python(monkeypatch):
    table = np.random.default_rng(0).integers(0, 2, (50, 48))
    data = Dataset.from_columns({f"v{i:02d}": table[:, i] for i in range(48)})
    start = [(parent, 0) for parent in range(1, 46)]  # 2 ** 45 strata, and fewer on the way down
    found = [
        climbed(make_score("bic", data), monkeypatch, in_kernels=given, start=start, patience=3)
        for given in (False, True)
    ]
    assert found[0] == found[1]
    assert len(found[0][0].parents[0]) < 10


def test_kernels_in_small_rooms_change_nothing(monkeypatch):
    data = networks.load("asia").sample(500, random_state=1)
    whole = climbed(make_score("k2", data), monkeypatch, in_kernels=True, restarts=2)[0]
    monkeypatch.setattr(search_state, "_MOST_REMEMBERED", 40)
    monkeypatch.setattr(scored_families, "_FIRST_ROWS", 2)
    monkeypatch.setattr(scored_families, "_FIRST_EACH", 1)
    monkeypatch.setattr(scored_families.Questions.none.__func__, "__defaults__", (1,))
    assert climbed(make_score("k2", data), monkeypatch, in_kernels=True, restarts=2)[0] == whole


@pytest.mark.parametrize("n_steps", [1, 2, 3, 5])
def test_a_climb_in_kernels_can_be_cancelled(n_steps, monkeypatch):
    class Impatient(Trace):
        n_left = n_steps

        def progressed(self, phase, n):
            self.n_left -= 1
            if self.n_left == 0:
                raise Cancelled

    data = networks.load("insurance").sample(1_000, random_state=5)
    score = make_score("bic", data)
    found, _ = climbed(score, monkeypatch, in_kernels=True, restarts=2, trace=Impatient())
    assert not found.complete
    families = enumerate(found.parents)
    assert found.score == math.fsum(score.local(child, family) for child, family in families)
