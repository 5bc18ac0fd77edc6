"""What a climb remembers of families: no room is too small, and nothing else decides."""

from __future__ import annotations

import pytest
from climbs import climb_on
from exact_scores import RandomScore

from eiderdown import networks
from eiderdown.scores import make_score
from eiderdown.structure.climbing import hill_climbing, scored_families

NAMES = tuple("ABCDEF")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("price", [-0.5, 0.5])
def test_a_memory_that_begins_anew_and_small_rooms_change_nothing(seed, price, monkeypatch):
    whole = climb_on(RandomScore(NAMES, seed, price=price), restarts=2)
    monkeypatch.setattr(hill_climbing, "_MOST_REMEMBERED", 40)
    monkeypatch.setattr(scored_families, "_FIRST_ROWS", 2)
    monkeypatch.setattr(
        scored_families.Questions.none.__func__, "__defaults__", (1,)
    )  # families of one parent, at first
    assert climb_on(RandomScore(NAMES, seed, price=price), restarts=2) == whole


def test_the_number_of_threads_decides_nothing():
    data = networks.load("insurance").sample(2_000, random_state=7)
    found = [climb_on(make_score("bdeu", data, n_jobs=n), restarts=1) for n in (1, 2)]
    assert found[0] == found[1]
