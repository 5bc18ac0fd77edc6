"""What a search has found, and who was separated by what."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.boundary import Found
from eiderdown.independence import Allows, IndependenceBatch, IndependenceResult

batches = st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=4)


def found_with(batches):
    """Each test with a statistic of its own, in batches about some variables."""
    found, statistic = Found(), 0.0
    for xs in batches:
        tests = []
        for x in xs:
            statistic += 1.0
            tests.append(
                IndependenceResult(x, 10, (11,), statistic, 1.0, -0.5, 50, 0.0, Allows.BOTH)
            )
        found.separated.append(IndependenceBatch.of(tests))
    return found


def naive_separation(found, x):
    for batch in reversed(found.separated):
        for test in batch:
            if test.x == x:
                return test
    return None


@given(batches=batches, asked=st.lists(st.integers(0, 12)))
def test_of_several_tests_that_separated_one_the_last_batchs_first_counts(batches, asked):
    found = found_with(batches)
    tests = {x: naive_separation(found, x) for x in asked}
    assert found.separations(asked) == {x: test for x, test in tests.items() if test is not None}
    assert [found.separation(x) for x in asked] == list(map(tests.__getitem__, asked))


def test_what_removed_a_member_counts_before_what_separated_it():
    found = found_with([[0, 1]])
    removed = IndependenceResult(1, 10, (12, 13), 9.0, 1.0, -0.5, 50, 0.0, Allows.BOTH)
    found.removed[1] = removed
    assert found.given_of(np.array([1, 0, 5])) == {1: (12, 13), 0: (11,)}
