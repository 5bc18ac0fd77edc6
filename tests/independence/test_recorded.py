"""What was asked elsewhere, retold in turn, is counted and remembered as if it was asked here."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.data import Dataset
from eiderdown.independence import CachedTest, GSquareTest
from eiderdown.independence.recorded import RecordedTest, n_of, take_over
from examples import examples

N_COLUMNS = 7
TABLE = Dataset.from_columns(
    {
        f"c{i}": np.random.default_rng(i).integers(0, 2 + i % 2, 200).tolist()
        for i in range(N_COLUMNS)
    }
)

sweeps = st.tuples(
    st.lists(st.integers(1, 4), min_size=1, max_size=4, unique=True),
    st.lists(st.integers(5, 6), max_size=2, unique=True),
)
searches = st.lists(st.lists(sweeps, max_size=5), min_size=1, max_size=6)


def ask(test, search):
    for candidates, conditions in search:
        test.sweep(candidates, 0, conditions)


def state(test):
    keys = test.known.keys
    return test.counts, sorted(zip(*keys[:, keys[0] != 0].tolist(), strict=True)), test.forgets


@given(searches=searches, order=st.randoms(use_true_random=False), memory=st.sampled_from([0, 1]))
@examples(40)
def test_retold_in_order_it_is_as_asked_in_order(searches, order, memory):
    inner, n_bytes = GSquareTest(TABLE), [10_000_000, 1_000][memory]
    asked_here, told = (CachedTest(inner, memory=n_bytes) for _ in range(2))
    for search in searches:
        ask(asked_here, search)
    processes, made = [RecordedTest(told), RecordedTest(told)], [-1, -1]
    asked = {}
    numbers = list(range(len(searches)))
    order.shuffle(numbers)
    for number in numbers:
        which = order.randrange(2)
        if number < made[which]:  # what later ones asked is new to this one
            processes[which] = RecordedTest(told)
        made[which] = number
        ask(processes[which], searches[number])
        asked[number] = processes[which].taken()
        take_over(processes[1 - which], asked[number][1])
    has_room = True
    for number, search in enumerate(searches):
        has_room = has_room and told.has_room(n_of(asked[number][1]))
        if has_room:
            told.count_repeated(asked[number][0])
            take_over(told, asked[number][1])
        else:
            ask(told, search)
    assert state(told) == state(asked_here)


def test_a_recorded_test_answers_as_another_and_says_why():
    plain = CachedTest(GSquareTest(TABLE))
    plain.why = "because"
    recorded = RecordedTest(plain)
    assert recorded.why == "because"
    assert recorded.test(1, 0, [2, 3]) == plain.test(1, 0, [2, 3])
    assert n_of(recorded.taken()[1]) == 1
    assert recorded.taken() == (0, None)


@pytest.mark.parametrize("n_times", [1, 3])
def test_values_are_written_down_once(n_times):
    recorded = RecordedTest(CachedTest(GSquareTest(TABLE)))
    for _ in range(n_times):
        recorded.sweep([1, 2], 0, [3])
    recorded.count_repeated(2)
    n_repeated, new = recorded.taken()
    assert (n_repeated, len(new)) == (2 * n_times, 1)
