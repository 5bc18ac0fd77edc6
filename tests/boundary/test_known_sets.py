"""What is kept for other targets is bounded, and answers do not depend on the bound."""

from __future__ import annotations

import numpy as np
import pytest

from eiderdown import find_all_boundaries, networks
from eiderdown.api import local
from eiderdown.boundary.known_sets import KnownSets
from eiderdown.boundary.problem import Found
from eiderdown.independence import CachedTest, IndependenceBatch
from eiderdown.independence.registry import make_test

ASIA = networks.load("asia").sample(400, random_state=1)


def key(target: int):
    return (find_all_boundaries, 0.01, target)


def record(test: CachedTest, target: int) -> Found:
    others = np.array([x for x in range(8) if x != target])
    alone, given = test.sweep(others, target), test.sweep(others[2:], target, others[:1])
    return Found(separated=[alone.take(alone.x > 1), given], outside=alone)


def same(one: IndependenceBatch, other: IndependenceBatch) -> bool:
    return list(one) == list(other)


@pytest.mark.parametrize("most_results", [0, 15, 10_000])
def test_a_record_is_whole_again_whatever_was_left_out(most_results):
    test, known = make_test("auto", ASIA), KnownSets(most_results)
    for target in range(4):
        known[key(target)] = record(test, target)
    for target in range(4):
        whole, expected = known.whole(key(target), test), record(test, target)
        assert all(map(same, whole.separated, expected.separated))
        assert len(whole.separated) == 2
        assert same(whole.outside, expected.outside)


def test_the_oldest_tests_given_nothing_are_left_out_first_and_no_others():
    test, known = make_test("auto", ASIA), KnownSets(most_results=30)
    for target in range(4):
        known[key(target)] = record(test, target)
    kept = [known.get(key(target)) for target in range(4)]
    assert [found.outside is None for found in kept] == [True, True, False, False]
    assert [len(found.separated) for found in kept] == [1, 1, 2, 2]
    assert all(found.separated[-1].given[0] for found in kept)
    assert known.get(key(7)) is None


@pytest.mark.parametrize("algorithm", ["pcmb", "mmpc", "hiton_mb", "get_pc"])
@pytest.mark.parametrize("symmetry", ["and", "or"])
def test_answers_do_not_depend_on_what_is_left_out(monkeypatch, algorithm, symmetry):
    from eiderdown.boundary import ALGORITHMS

    data = networks.load("alarm").sample(300, random_state=2)
    search = ALGORITHMS[algorithm](symmetry=symmetry)
    whole = find_all_boundaries(data, algorithm=search)
    monkeypatch.setattr(local, "BYTES_PER_RESULT", 2**20)  # room for 128
    short = find_all_boundaries(data, algorithm=search)
    for target, found in whole.items():
        assert found.evidence == short[target].evidence
        assert found.warnings == short[target].warnings
        assert found.parents_children == short[target].parents_children
        assert found.spouses == short[target].spouses
    assert short.run.n_repeated > whole.run.n_repeated
