"""Separating sets in arrays say what a dictionary of them says."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.results.networks import NamedSets
from eiderdown.structure.separating_sets import SeparatingSets

N = 7
NAMES = tuple("gcafbed")

variables = st.integers(0, N - 1)
separated = st.tuples(variables, variables, st.lists(variables, max_size=3).map(tuple))


def parts_of(tests):
    return [(x, np.array([y]), [given] if given else None) for x, y, given in tests if x != y]


def naive(tests):
    found = {}
    for x, y, sets in tests:
        if x != y:
            found.setdefault(frozenset((x, y)), sets)
    return found


@given(
    st.lists(separated, max_size=30), st.sets(variables), st.lists(st.tuples(variables, variables))
)
def test_arrays_say_what_a_dictionary_says(tests, kept, edges):
    found, expected = SeparatingSets.of(N, parts_of(tests)), naive(tests)
    assert found == expected
    assert dict(found) == dict(found.items()) == expected
    assert len(found) == len(expected)
    assert all(
        (pair in found) == (pair in expected)
        for pair in map(frozenset, [*edges, (0, 1)])
        if len(pair) == 2
    )
    assert found.among(kept) == {pair: z for pair, z in expected.items() if pair <= kept}
    gone = set(map(frozenset, edges))
    assert found.without(edges) == {pair: z for pair, z in expected.items() if pair not in gone}


@given(st.lists(separated, max_size=30))
def test_names_say_what_numbers_say(tests):
    found = NamedSets(NAMES, SeparatingSets.of(N, parts_of(tests)))
    expected = {
        tuple(NAMES[x] for x in sorted(pair)): tuple(NAMES[z] for z in given)
        for pair, given in naive(tests).items()
    }
    assert found == expected
    assert expected == found
    assert list(found) == [pair for pair, _ in found.items()]
    assert all(found[pair] == given for pair, given in expected.items())
    assert repr(found) == repr(dict(found))
    assert pickle.loads(pickle.dumps(found)) == expected


def test_of_each_pair_the_first_set_counts():
    parts = [(0, np.array([1, 2]), None), (2, np.array([0, 3]), [(1,), (1,)])]
    assert SeparatingSets.of(4, parts) == {
        frozenset((0, 1)): (),
        frozenset((0, 2)): (),
        frozenset((2, 3)): (1,),
    }


def test_pairs_that_are_not_known_are_missing():
    found = NamedSets(NAMES, SeparatingSets.of(N, [(0, np.array([1]), None)]))
    assert found["g", "c"] == ()
    for pair in (("c", "g"), ("g", "a"), ("g", "g"), ("g", "nobody")):
        with pytest.raises(KeyError):
            found[pair]
        assert found.get(pair) is None
