"""Weighted tables and scores: against loops over rows, and counts where every weight is 1."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored_tables import chained_codes, coded, families

import naive_scores
from eiderdown.data import Dataset
from eiderdown.errors import OptionError
from eiderdown.scores import LikelihoodScore, WeightedCounts, WeightedScore, make_score
from eiderdown.scores.weighted import Terms
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


def naive_sums(data, weights, family, *, marginal, shifts):
    """Sum the terms of a child with its parents, row by row, for each weighting."""
    child, *parents = family
    cells, strata = {}, {}
    for i in range(data.n_rows):
        stratum = tuple(data.codes(z)[i] for z in parents)
        for table, key in ((cells, (*stratum, data.codes(child)[i])), (strata, stratum)):
            table[key] = table.get(key, 0.0) + weights[:, i]

    def term(weight, shift):
        if weight == 0.0:
            return 0.0
        if marginal:
            return math.lgamma(weight + shift) - math.lgamma(shift)
        return weight * math.log(weight)

    return [
        math.fsum(term(weight[t], shifts[0]) for weight in cells.values())
        - math.fsum(term(weight[t], shifts[1]) for weight in strata.values())
        for t in range(len(weights))
    ]


def of_many_categories(rng, n_rows):
    """Return columns of 2 to 90 categories, some of them rare; the last has no bit planes."""
    n_categories = [2, 2, 3, 2, 5, 4, 90]
    shares = [0.9, 0.1, 0.5, 0.5, 0.7, 0.2, 0.5]
    codes = [
        np.where(rng.random(n_rows) < share, 0, rng.integers(0, r, n_rows))
        for r, share in zip(n_categories, shares, strict=True)
    ]
    names = [f"x{i}" for i in range(len(codes))]
    categories = [tuple(map(str, range(r))) for r in n_categories]
    return Dataset.from_codes(np.array(codes, dtype=np.uint8), names=names, categories=categories)


@pytest.mark.parametrize("n_weightings", [1, 3, 4, 17])
@examples(10)
@given(st.data(), st.integers(0, 10_000), st.integers(1, 150), st.booleans())
def test_sums_are_those_of_a_loop_over_the_rows(n_weightings, data, seed, n_rows, marginal):
    rng = np.random.default_rng(seed)
    table = of_many_categories(rng, n_rows)
    weights = rng.exponential(size=(n_weightings, n_rows)) * (rng.random(n_rows) < 0.8)
    child, parents, rest = data.draw(families(table.n_columns))
    candidates = [-1, *rest]
    shifts = rng.random((len(candidates), 2)) + 0.01
    found = WeightedCounts(table, weights).sums(child, parents, candidates, Terms(marginal, shifts))
    assert found.shape == (len(candidates), n_weightings)
    for k, x in enumerate(candidates):
        family = [child, *parents] if x < 0 else [child, *parents, x]
        expected = naive_sums(table, weights, family, marginal=marginal, shifts=shifts[k])
        assert found[k] == pytest.approx(expected, abs=1e-8)


def test_weights_of_very_different_sizes_are_summed_as_in_a_loop():
    rng = np.random.default_rng(4)
    table = of_many_categories(rng, 500)
    weights = np.exp(30.0 * rng.normal(size=(8, 500)))
    weights *= 500 / weights.sum(axis=1)[:, None]
    found = WeightedCounts(table, weights).information(0, [], [1, 3])
    alone = naive_sums(table, weights, [0], marginal=False, shifts=(0, 0))
    for k, x in enumerate([1, 3]):
        sums = naive_sums(table, weights, [0, x], marginal=False, shifts=(0, 0))
        assert found[k] == pytest.approx(np.subtract(sums, alone) / 500, abs=1e-10)


def test_copies_of_a_column_tell_exactly_the_same_wherever_they_stand():
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 2, (9, 300))
    codes[[3, 8]] = codes[1]
    counts = WeightedCounts(coded(codes, [2] * 9), rng.exponential(size=(30, 300)))
    for parents in ([], [2, 4]):
        found = counts.information(0, parents, [1, 5, 3, 6, 8])
        assert np.array_equal(found[0], found[2])
        assert np.array_equal(found[0], found[4])


def test_the_likelihood_gains_as_many_times_the_information_as_there_are_rows():
    codes = chained_codes(np.random.default_rng(6), 5, 200)
    data = coded(codes, [3] * 5)
    information = WeightedCounts(data, np.ones((1, 200))).information(0, [1], [2, 3, 4])
    gains = LikelihoodScore(data).gains(0, [1], [2, 3, 4])
    assert gains == pytest.approx(200 * information[:, 0])


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
    for parents in ([], [1, 2]):
        found = [counts.information(0, parents, range(3, 30)) for counts in (one, two)]
        assert np.array_equal(*found)


@pytest.mark.parametrize("weights", [[[1.0, 2.0]], [1.0, 1.0, 1.0], [[1.0, -1.0, 0.0]]])
def test_weights_that_do_not_fit_are_refused(weights):
    data = coded([np.array([0, 1, 0])], [2])
    with pytest.raises(OptionError, match="weights"):
        WeightedCounts(data, weights)
