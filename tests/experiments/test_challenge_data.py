"""The lists of the challenge are whole, and the calibrants lie where its page says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture(autouse=True)
def _beside_each_other(monkeypatch):
    monkeypatch.syspath_prepend(str(EXPERIMENTS))


def test_lists_have_the_published_lengths_and_no_calibrant_is_manipulated():
    from challenge_data import CALIBRANTS, MARTI1, REGED1, named

    for numbers, n, last in ((REGED1, 100, 999), (MARTI1, 100, 1024), (CALIBRANTS, 25, 1024)):
        columns = [int(name[1:]) for name in named(numbers)]
        assert len(set(columns)) == n
        assert columns == sorted(columns)
        assert columns[0] >= 1
        assert columns[-1] <= last
    assert not set(named(MARTI1)) & set(named(CALIBRANTS))


def test_calibrants_are_regularly_spread_over_the_array():
    from challenge_data import CALIBRANTS, SIDE, named

    places = [divmod(int(name[1:]) - 1, SIDE) for name in named(CALIBRANTS)]
    rows = {row for row, _ in places}
    assert rows == set(range(1, SIDE, 5))
    for row in rows:
        along = np.diff(sorted(place for other, place in places if other == row))
        assert set(along) == {10}
