"""Skewed weights are what the paper's product says, and skewed search finds what plain cannot."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.data import Dataset
from eiderdown.errors import ColumnKindError, OptionError
from eiderdown.graphs import DAG
from eiderdown.knowledge import Knowledge
from eiderdown.progress import Cancelled, Trace
from eiderdown.scores import make_score
from eiderdown.structure.climbing import sparse_candidate as plain_module
from eiderdown.structure.climbing.sparse_candidate import (
    SKEWED_SPARSE_CANDIDATE_PATIENT,
    skewed_weights,
    sparse_candidate,
)
from eiderdown.structure.climbing.sparse_candidate import (
    skewed_sparse_candidate_patient as skewed_sparse_candidate,
)
from eiderdown.structure.problem import StructureProblem
from examples import examples


def coded(codes, n_categories=2, names=None):
    names = names or [f"x{i:02d}" for i in range(len(codes))]
    categories = [tuple(map(str, range(n_categories)))] * len(codes)
    return Dataset.from_codes(np.array(codes, dtype=np.uint8), names=names, categories=categories)


def with_exclusive_or(seed, n_columns=12, n_rows=600, n_categories=2):
    """Return even columns, the last the sum of the first two modulo their categories."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_categories, (n_columns, n_rows))
    codes[-1] = (codes[0] + codes[1]) % n_categories
    return coded(codes, n_categories)


def question(data, *, score="k2_penalised", knowledge=None, seed=0, n_jobs=1, trace=None):
    return StructureProblem(
        data.n_columns,
        score=make_score(score, data, n_jobs=n_jobs),
        knowledge=None if knowledge is None else knowledge.of_columns(data.names),
        trace=trace or Trace(),
        generator=np.random.default_rng(seed),
        n_jobs=n_jobs,
    )


def named(found, data):
    return {(data.names[parent], data.names[child]) for parent, child in found.directed}


def boundary(found, data, name):
    return DAG(data.names, named(found, data)).markov_boundary(name)


@examples(20)
@given(
    st.integers(1, 40),
    st.integers(1, 8),
    st.integers(2, 4),
    st.integers(0, 10_000),
    st.floats(0.501, 0.999),
)
def test_a_weight_is_the_product_over_the_columns_of_s_or_one_less_s(
    n_rows, n_columns, n_categories, seed, s
):
    rng = np.random.default_rng(seed)
    data = coded(rng.integers(0, n_categories, (n_columns, n_rows)), n_categories)
    _, found = skewed_weights(
        data, 2, generator=np.random.default_rng(seed), least_favour=s, most_favour=s
    )
    again = np.random.default_rng(seed)
    again.random()
    favoured = again.integers([n_categories] * n_columns)
    expected = np.ones(n_rows)
    for i in range(n_rows):
        for column in range(n_columns):
            expected[i] *= s if data.codes(column)[i] == favoured[column] else 1 - s
    assert found == pytest.approx(expected * n_rows / expected.sum())


def test_the_first_weighting_is_the_plain_data_and_all_sum_to_the_rows():
    data = coded(np.random.default_rng(0).integers(0, 2, (30, 500)))
    weights = skewed_weights(data, 20, generator=np.random.default_rng(1))
    assert weights.shape == (20, 500)
    assert np.array_equal(weights[0], np.ones(500))
    assert weights.sum(axis=1) == pytest.approx(np.full(20, 500.0))
    assert len({tuple(row) for row in weights.round(6)}) == 20


def test_weights_of_many_columns_do_not_underflow():
    data = coded(np.random.default_rng(0).integers(0, 2, (3_000, 50)))
    weights = skewed_weights(data, 10, generator=np.random.default_rng(1))
    assert np.all(np.isfinite(weights))
    assert weights.sum(axis=1) == pytest.approx(np.full(10, 50.0))


def test_weights_do_not_depend_on_the_order_of_the_columns():
    data = with_exclusive_or(0, n_categories=3)
    turned = data.select(data.names[::-1])
    one, two = (skewed_weights(d, 5, generator=np.random.default_rng(3)) for d in (data, turned))
    assert np.array_equal(one, two)


def test_the_strongest_skew_keeps_only_the_rows_nearest_to_the_favoured_levels():
    codes = [[0, 0, 1, 1], [0, 1, 0, 1]]
    weights = skewed_weights(
        coded(codes), 2, generator=np.random.default_rng(0), least_favour=1.0, most_favour=1.0
    )
    assert sorted(weights[1].round(9)) == [0.0, 0.0, 0.0, 4.0]


def test_skewed_search_finds_exclusive_or_that_plain_search_cannot_see():
    seen = {"plain": 0, "skewed": 0}
    for seed in range(5):
        data = with_exclusive_or(seed)
        truth = {"x00", "x01"}
        seen["plain"] += boundary(sparse_candidate(question(data)), data, "x11") == truth
        found = skewed_sparse_candidate(question(data, seed=seed))
        seen["skewed"] += boundary(found, data, "x11") == truth
    assert seen == {"plain": 0, "skewed": 5}


def test_skewed_search_finds_a_hidden_sum_of_columns_with_three_levels():
    data = with_exclusive_or(1, n_rows=1_500, n_categories=3)
    assert not boundary(sparse_candidate(question(data)), data, "x11")
    found = skewed_sparse_candidate(question(data))
    assert boundary(found, data, "x11") == {"x00", "x01"}


def test_skewed_search_works_with_every_discrete_score():
    data = with_exclusive_or(2)
    for score in ("bic", "aic", "bdeu", "k2"):
        found = skewed_sparse_candidate(question(data, score=score))
        assert boundary(found, data, "x11") >= {"x00", "x01"}, score


@examples(10)
@given(st.integers(0, 10_000))
def test_skewed_search_never_scores_lower_than_plain_search(seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (8, 80))
    codes[5] = codes[0] & codes[1] | codes[2]
    codes[6] = codes[3] ^ codes[4] ^ (rng.random(80) < 0.1)
    data = coded(codes)
    plain = sparse_candidate(question(data))
    skewed = skewed_sparse_candidate(question(data, seed=seed), restrict_skews=5, search_skews=5)
    assert skewed.score >= plain.score
    assert skewed.score == pytest.approx(
        question(data).score.total(DAG(data.names, named(skewed, data)))
    )


def test_the_order_of_the_columns_and_the_number_of_workers_do_not_matter():
    data = with_exclusive_or(3, n_columns=20)
    turned = data.select(np.random.default_rng(0).permutation(data.names).tolist())
    expected = skewed_sparse_candidate(question(data))
    for other, n_jobs in ((data, 2), (turned, 1)):
        found = skewed_sparse_candidate(question(other, n_jobs=n_jobs))
        assert named(found, other) == named(expected, data)
        assert found.score == expected.score


def test_one_weighting_is_no_skewing():
    data = with_exclusive_or(4)
    found = skewed_sparse_candidate(question(data), restrict_skews=1, search_skews=1)
    assert found.directed == sparse_candidate(question(data)).directed


def test_skewed_search_keeps_to_the_knowledge():
    data = with_exclusive_or(5)
    known = Knowledge(
        tiers=[["x11"], ["x00", "x01"]], required=[("x05", "x06")], forbidden=[("x11", "x01")]
    )
    found = skewed_sparse_candidate(question(data, knowledge=known))
    known.check(DAG(data.names, named(found, data)))
    assert boundary(found, data, "x11") == {"x00", "x01"}


class _InterruptsAfter(Trace):
    def __init__(self, n_steps):
        self._left = n_steps

    def progressed(self, phase, n_members):
        self._left -= 1
        if self._left == 0:
            raise Cancelled


@pytest.mark.parametrize("n_steps", [1, 2, 3, 5, 8])
def test_an_interrupted_search_returns_a_graph_and_says_so(n_steps):
    data = with_exclusive_or(6)
    trace = _InterruptsAfter(n_steps)
    found = skewed_sparse_candidate(question(data, trace=trace))
    assert not found.complete
    empty = math.fsum(question(data).score.local(i) for i in range(data.n_columns))
    assert found.score >= empty


def test_an_interruption_between_two_searches_is_survived(monkeypatch):
    data = with_exclusive_or(7)
    n_calls = iter(range(100))

    def interrupted(self, families):
        if next(n_calls) == 3:
            raise Cancelled
        return [np.setdiff1d(np.arange(data.n_columns), [i]) for i in range(data.n_columns)]

    monkeypatch.setattr(plain_module.Restriction, "of", interrupted)
    assert not skewed_sparse_candidate(question(data)).complete


@pytest.mark.parametrize(
    ("options", "named_option"),
    [
        ({"restrict_skews": 0}, "restrict_skews"),
        ({"search_skews": 0}, "search_skews"),
        ({"least_favour": 0.4}, "least_favour"),
        ({"most_favour": 1.1}, "most_favour"),
        ({"least_favour": 0.9, "most_favour": 0.6}, "least_favour"),
        ({"patience": 0}, "patience"),
        ({"candidates": 0}, "candidates"),
    ],
)
def test_options_that_cannot_be_are_refused(options, named_option):
    with pytest.raises(OptionError, match=named_option):
        SKEWED_SPARSE_CANDIDATE_PATIENT(**options).run(question(with_exclusive_or(0)))


def test_continuous_columns_are_refused():
    rows = np.random.default_rng(0).normal(size=(50, 3))
    data = Dataset.from_numpy(rows, names=["a", "b", "c"])
    with pytest.raises(ColumnKindError, match="discrete"):
        skewed_sparse_candidate(question(data, score="gaussian_bic"))
