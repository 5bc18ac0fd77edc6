"""Steps that are known are not made again, and counted as if they were."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from eiderdown.boundary import known_steps
from eiderdown.boundary.known_steps import KnownSteps
from eiderdown.data import Dataset
from eiderdown.independence import CachedTest, GSquareTest, IndependenceBatch

KEY = ("growing", 0.05, frozenset({3}))


class Asked(NamedTuple):
    tests: IndependenceBatch


@pytest.fixture
def test():
    rng = np.random.default_rng(0)
    columns = {f"c{i}": rng.integers(0, 2, 100).tolist() for i in range(4)}
    return CachedTest(GSquareTest(Dataset.from_columns(columns)))


def make(test):
    return Asked(test.sweep([1, 2], 0, [3]))


def test_a_known_step_counts_as_if_it_were_asked_again(test):
    steps = KnownSteps(test)
    first = steps.step(KEY, lambda: make(test))
    assert steps.step(KEY, lambda: pytest.fail("made again")) is first
    assert (test.counts.n_tests, test.counts.n_repeated) == (2, 2)


@pytest.mark.parametrize(
    "other", [("shrinking", *KEY[1:]), (KEY[0], 0.01, KEY[2]), (*KEY[:2], frozenset({2}))]
)
def test_another_step_is_made(other, test):
    steps = KnownSteps(test)
    steps.step(KEY, lambda: make(test))
    made = make(test)
    assert steps.step(other, lambda: made) is made


def test_what_was_forgotten_is_asked_again(test, monkeypatch):
    steps = KnownSteps(test)
    first = steps.step(KEY, lambda: make(test))
    monkeypatch.setattr(CachedTest, "forgets", True)
    assert steps.step(KEY, lambda: make(test)) is not first


def test_there_is_an_end_to_what_is_kept(test, monkeypatch):
    monkeypatch.setattr(known_steps, "MOST_RESULTS", 1)
    steps = KnownSteps(test)
    first = steps.step(KEY, lambda: make(test))
    assert steps.step(KEY, lambda: make(test)) is not first
