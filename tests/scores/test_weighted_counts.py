"""Weighted tables and scores: against loops over rows, and counts where every weight is 1."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored_tables import chained_codes, coded, families

import naive_scores
from eiderdown.errors import OptionError
from eiderdown.scores import WeightedCounts, WeightedScore, make_score
from eiderdown.statistics import CountStatistics
from examples import examples
from random_tables import tables


def swept(counts, child, parents, candidates):
    found = [None] * len(candidates)

    def keep(k, table):
        found[k] = table

    counts.each(child, parents, candidates, keep)
    return found


@examples(20)
@given(st.data(), tables())
def test_weights_of_one_count_rows(data, table):
    child, parents, rest = data.draw(families(len(table.codes)))
    counts = WeightedCounts(table.data, np.ones((1, table.data.n_rows)))
    plain = CountStatistics(table.data)
    expected = plain.tables(rest, child, parents)
    for found, counted in zip(swept(counts, child, parents, rest), expected, strict=True):
        assert np.array_equal(found[..., 0], counted)
    family = counts.family(child, parents)[:, :, 0]
    assert np.array_equal(family, plain.cells(child, tuple(parents)).table)


def test_each_weighting_has_its_own_table():
    rng = np.random.default_rng(0)
    codes = chained_codes(rng, 3, 100)
    weights = rng.random((4, 100))
    (found,) = swept(WeightedCounts(coded(codes, [3] * 3), weights), 0, [1], [2])
    assert found.shape == (3, 3, 3, 4)
    for t in range(4):
        expected = np.zeros((3, 3, 3))
        for i in range(100):
            expected[codes[1][i], codes[0][i], codes[2][i]] += weights[t, i]
        assert found[..., t] == pytest.approx(expected)


@examples(12)
@given(st.data(), st.integers(0, 10_000), st.sampled_from(list(naive_scores.DISCRETE)))
def test_weights_of_one_score_as_plain_rows(data, seed, name):
    codes = chained_codes(np.random.default_rng(seed), 6, 100)
    plain = make_score(name, coded(codes, [3] * 6))
    weighted = WeightedScore(plain, np.ones((2, 100)))
    child, parents, rest = data.draw(families(6))
    assert weighted.local(child, parents) == pytest.approx(plain.local(child, parents))
    expected = plain.additions(child, parents, rest)
    assert weighted.additions(child, parents, rest) == pytest.approx(expected)


@pytest.mark.parametrize("name", list(naive_scores.DISCRETE))
def test_whole_weights_score_as_repeated_rows(name):
    rng = np.random.default_rng(1)
    codes = chained_codes(rng, 3, 60)
    weights = rng.integers(0, 4, (2, 60))
    score = make_score(name, coded(codes, [3] * 3))
    found = WeightedScore(score, weights).additions(0, [1], [2])[0]
    price = score.price(9, 3)
    repeated = []
    for times in weights:
        again = make_score(name, coded(np.repeat(codes, times, axis=1), [3] * 3))
        repeated.append(again.local(0, [1, 2]) + again.price(9, 3))
    assert found == pytest.approx(np.mean(repeated) - price)


def test_information_is_what_the_likelihood_gains_per_row():
    rng = np.random.default_rng(2)
    codes = chained_codes(rng, 5, 200)
    counts = WeightedCounts(coded(codes, [3] * 5), np.stack([np.ones(200), rng.random(200)]))
    found = counts.information(0, [1], [2, 3, 4])
    before = naive_scores.log_likelihood(codes, 0, [1])
    gains = [naive_scores.log_likelihood(codes, 0, [1, x]) - before for x in (2, 3, 4)]
    assert found[:, 0] == pytest.approx(np.array(gains) / 200)
    assert not np.allclose(found[:, 0], found[:, 1])


def test_the_number_of_workers_does_not_matter():
    rng = np.random.default_rng(3)
    data = coded(chained_codes(rng, 30, 2_000), [3] * 30)
    weights = rng.random((30, 2_000))
    one, two = (WeightedCounts(data, weights, n_jobs=n) for n in (1, 2))
    found = [counts.information(0, [1, 2], range(3, 30)) for counts in (one, two)]
    assert np.array_equal(*found)


@pytest.mark.parametrize("weights", [[[1.0, 2.0]], [1.0, 1.0, 1.0], [[1.0, -1.0, 0.0]]])
def test_weights_that_do_not_fit_are_refused(weights):
    data = coded([np.array([0, 1, 0])], [2])
    with pytest.raises(OptionError, match="weights"):
        WeightedCounts(data, weights)
