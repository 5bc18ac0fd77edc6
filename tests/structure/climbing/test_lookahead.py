"""Two parents at once: who becomes a candidate, which pairs are added, and what is found by it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_skewed_sparse_candidate import boundary, coded, named, question, with_exclusive_or
from test_sparse_candidate import naive_information

from eiderdown.data import Dataset
from eiderdown.errors import OptionError
from eiderdown.graphs import DAG
from eiderdown.knowledge import Knowledge
from eiderdown.progress import Cancelled, Trace
from eiderdown.structure.climbing import lookahead
from eiderdown.structure.climbing.lookahead import (
    PairRestriction,
    climb_by_pairs,
    lookahead_sparse_candidate,
)
from eiderdown.structure.climbing.sparse_candidate import required_only, sparse_candidate
from examples import examples


@pytest.mark.parametrize("n_categories", [2, 3])
def test_exclusive_or_is_found_exactly_and_plain_search_sees_nothing(n_categories):
    for seed in range(5):
        data = with_exclusive_or(seed, n_categories=n_categories)
        assert boundary(sparse_candidate(question(data)), data, "x11") == set()
        assert named(lookahead_sparse_candidate(question(data)), data) in (
            {("x00", "x11"), ("x01", "x11")},
            {("x00", "x01"), ("x11", "x01")},  # each of the three is the sum of the other two
            {("x01", "x00"), ("x11", "x00")},
        )


def test_of_the_parity_of_three_no_pair_shows_anything():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (8, 1_000))
    codes[7] = codes[0] ^ codes[1] ^ codes[2]
    data = coded(codes)
    assert not lookahead_sparse_candidate(question(data)).directed


@examples(8)
@given(st.integers(0, 10_000), st.integers(0, 2))
def test_a_candidate_is_worth_the_most_it_tells_given_at_most_one_other(seed, n_parents):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (7, 60))
    codes[5] = codes[0] ^ codes[1]
    data = coded(codes)
    child, *family = rng.permutation(7)[: 1 + n_parents].tolist()
    families = tuple(tuple(sorted(family)) if i == child else () for i in range(7))
    found = PairRestriction(question(data), n_parents + 3).of(families)[child].tolist()
    assert found[:n_parents] == sorted(family)
    others = sorted(set(range(7)) - {child, *family})

    def worth(x):
        given = [family, *([*family, z] for z in others if z != x)]
        return max(naive_information(data, child, x, known) for known in given)

    least_chosen = min(worth(x) for x in found[n_parents:])
    assert all(worth(x) <= least_chosen + 1e-12 for x in set(others).difference(found))


def changes(graph, names):
    """List the graphs that one change of an edge, or two new parents of a node, lead to."""
    edges = set(graph.edges)
    pairs = [(a, b) for a in names for b in names if a != b]
    absent = [edge for edge in pairs if edge not in edges and edge[::-1] not in edges]
    found = [edges | {edge} for edge in absent]
    found += [edges - {edge} for edge in edges]
    found += [edges - {edge} | {edge[::-1]} for edge in edges]
    found += [edges | {e, f} for e, f in combinations(absent, 2) if e[1] == f[1]]
    for each in found:
        try:
            yield DAG(names, each)
        except ValueError:  # a cycle
            continue


def naive_climb(score, names):
    """Take the best change as long as one gains, all graphs scored from scratch."""
    graph = DAG(names, [])
    while True:
        best = max(changes(graph, names), key=score.total)
        if score.total(best) <= score.total(graph) + 1e-9:
            return graph
        graph = best


@examples(10)
@given(st.integers(0, 10_000), st.integers(40, 300))
def test_the_climb_takes_the_best_of_all_single_changes_and_pairs(seed, n_rows):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (5, n_rows))
    codes[3] = codes[0] ^ codes[1] ^ (rng.random(n_rows) < 0.05)
    codes[4] = (codes[2] & codes[3]) ^ (rng.random(n_rows) < 0.1)
    data = coded(codes)
    search = question(data)
    everyone = [np.delete(np.arange(5), i) for i in range(5)]
    found = climb_by_pairs(search, everyone, required_only(search))
    expected = naive_climb(search.score, data.names)
    assert found.score == pytest.approx(search.score.total(expected))
    assert found.score == pytest.approx(
        sum(search.score.local(i, family) for i, family in enumerate(found.parents))
    )


def test_the_order_of_the_columns_and_the_number_of_workers_do_not_matter():
    data = with_exclusive_or(3, n_columns=20)
    turned = data.select(np.random.default_rng(0).permutation(data.names).tolist())
    expected = lookahead_sparse_candidate(question(data))
    for other, n_jobs in ((data, 2), (turned, 1)):
        found = lookahead_sparse_candidate(question(other, n_jobs=n_jobs))
        assert named(found, other) == named(expected, data)
        assert found.score == expected.score


def test_knowledge_is_kept():
    data = with_exclusive_or(5)
    known = Knowledge(tiers=[["x11"], ["x00", "x01"]], required=[("x05", "x06")])
    found = lookahead_sparse_candidate(question(data, knowledge=known))
    known.check(DAG(data.names, named(found, data)))
    assert boundary(found, data, "x11") == {"x00", "x01"}


def test_a_column_that_may_have_one_parent_gets_no_pair():
    data = with_exclusive_or(6)
    found = lookahead_sparse_candidate(question(data, knowledge=Knowledge(max_parents=1)))
    assert boundary(found, data, "x11") == set()


def test_continuous_columns_are_searched_by_their_score():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 6))
    rows[:, 3] = rows[:, 0] + rows[:, 1] + 0.3 * rng.normal(size=300)
    data = Dataset.from_numpy(rows, names=list("abcdef"))
    found = lookahead_sparse_candidate(question(data, score="gaussian_bic"), candidates=3)
    assert boundary(found, data, "d") == {"a", "b"}


class _InterruptsAfter(Trace):
    def __init__(self, n_steps):
        self._left = n_steps

    def progressed(self, phase, n):
        self._left -= 1
        if self._left == 0:
            raise Cancelled


@pytest.mark.parametrize("n_steps", [1, 5, 13])
def test_an_interrupted_search_returns_the_best_so_far_and_says_so(n_steps):
    data = with_exclusive_or(6)
    found = lookahead_sparse_candidate(question(data, trace=_InterruptsAfter(n_steps)))
    assert not found.complete
    assert bool(found.directed) == (n_steps > 12)  # one step for each column, then the pair


def test_too_many_columns_are_refused(monkeypatch):
    monkeypatch.setattr(lookahead, "MOST_COLUMNS", 5)
    with pytest.raises(OptionError, match="skewed_sparse_candidate_patient"):
        lookahead_sparse_candidate(question(with_exclusive_or(0)))
