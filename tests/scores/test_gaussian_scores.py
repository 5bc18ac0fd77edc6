"""Gaussian BIC and BGe: against slow twins, tied where graphs are equivalent."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored_tables import equivalent_graphs, families, measured, mixed_values

import naive_scores
from eiderdown.data import Dataset
from eiderdown.errors import (
    CollinearColumnsError,
    ColumnKindError,
    ConstantColumnError,
    NonFiniteError,
    OptionError,
)
from eiderdown.scores import BGE, BgeScore, GaussianBicScore, LocalScore, make_score
from examples import examples

NAMES = ("gaussian_bic", "bge")


@examples(16)
@given(st.data(), st.integers(0, 10_000))
def test_gaussian_bic_is_that_of_a_regression(data, seed):
    rng = np.random.default_rng(seed)
    values = mixed_values(rng, 5, 60) * rng.lognormal(size=(5, 1)) + 10.0
    child, parents, _ = data.draw(families(5, max_parents=4))
    expected = naive_scores.gaussian_bic(values, child, parents)
    assert GaussianBicScore(measured(values)).local(child, parents) == pytest.approx(
        expected, abs=1e-4
    )


@examples(12)
@given(st.data(), st.integers(0, 10_000))
def test_bge_is_a_chain_of_predictions(data, seed):
    values = mixed_values(np.random.default_rng(seed), 4, 20) + 1.0
    child, parents, _ = data.draw(families(4))
    expected = naive_scores.bge(values, child, parents)
    score = BgeScore(measured(values), standardise=False)
    assert score.local(child, parents) == pytest.approx(expected, abs=1e-4)


@examples(12)
@given(st.data(), st.integers(0, 10_000), st.sampled_from(NAMES))
def test_sweeps_are_local_scores_one_by_one(data, seed, name):
    values = measured(mixed_values(np.random.default_rng(seed), 6, 50))
    child, parents, rest = data.draw(families(6))
    one_by_one, swept = make_score(name, values), make_score(name, values)
    added = [one_by_one.local(child, [*parents, x]) for x in rest]
    assert swept.additions(child, parents, rest) == pytest.approx(added, abs=1e-4)
    without = [one_by_one.local(child, [z for z in parents if z != gone]) for gone in parents]
    assert swept.removals(child, parents).tolist() == without


@examples(16)
@given(st.data(), st.integers(0, 10_000), st.sampled_from(NAMES))
def test_equivalent_graphs_tie(data, seed, name):
    score = make_score(name, measured(mixed_values(np.random.default_rng(seed), 5, 100)))
    one, other = data.draw(equivalent_graphs(score.names))
    assert score.equivalent
    assert score.total(one) == pytest.approx(score.total(other), abs=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_a_pair_gains_exactly_the_same_in_either_direction(name):
    score = make_score(name, measured(mixed_values(np.random.default_rng(0), 30, 500)))
    others = np.arange(1, 30)
    into = [score.local(x, [0]) - score.local(x) for x in others.tolist()]
    assert (score.additions(0, [], others) - score.local(0)).tolist() == into


@examples(12)
@given(st.data(), st.integers(0, 10_000), st.sampled_from(NAMES))
def test_the_order_of_the_columns_does_not_matter(data, seed, name):
    rng = np.random.default_rng(seed)
    columns = dict(zip("abcde", mixed_values(rng, 5, 80), strict=True))
    shuffled = data.draw(st.permutations("abcde"))
    score = make_score(name, Dataset.from_columns(columns))
    moved = make_score(name, Dataset.from_columns({x: columns[x] for x in shuffled}))
    where = [moved.names.index(x) for x in "abcde"]
    expected = score.additions(0, [1, 2], [3, 4]).tolist()
    found = moved.additions(where[0], [where[2], where[1]], [where[3], where[4]])
    assert found.tolist() == expected


def test_units_do_not_change_what_an_edge_gains():
    values = mixed_values(np.random.default_rng(1), 3, 100)
    rescaled = values * np.array([[1e-6], [1.0], [1e6]]) + 5.0
    for name in NAMES:
        one, other = make_score(name, measured(values)), make_score(name, measured(rescaled))
        gains = [score.local(0, [1, 2]) - score.local(0, [1]) for score in (one, other)]
        assert gains[0] == pytest.approx(gains[1], abs=1e-3)


def test_a_strong_prior_shrinks_gains():
    values = measured(mixed_values(np.random.default_rng(2), 2, 50))
    gains = []
    for weight in (2.0, 2_000.0):
        score = BgeScore(values, extra_weight=weight)
        gains.append(score.local(0, [1]) - score.local(0))
    assert gains[1] < gains[0]


def test_a_column_that_others_determine_is_named():
    values = mixed_values(np.random.default_rng(3), 3, 50)
    values[2] = 2.0 * values[0] - values[1]
    score = GaussianBicScore(measured(values))
    with pytest.raises(CollinearColumnsError, match="'c2' is a linear function of 'c0', 'c1'"):
        score.local(2, [0, 1])
    with pytest.raises(CollinearColumnsError, match="'c0' is a linear function of 'c1', 'c2'"):
        score.additions(0, [1], [2])
    assert np.isfinite(BgeScore(measured(values)).local(2, [0, 1]))


def test_parents_that_determine_each_other_are_named():
    values = mixed_values(np.random.default_rng(3), 4, 50)
    values[2] = values[0] + values[1]
    with pytest.raises(CollinearColumnsError, match="'c2' is a linear function of 'c0', 'c1'"):
        GaussianBicScore(measured(values)).local(3, [0, 1, 2])


def test_discrete_and_constant_columns_and_senseless_options_are_refused():
    with pytest.raises(ColumnKindError, match="group"):
        GaussianBicScore(Dataset.from_columns({"x": [0.1, 0.2, 0.4], "group": ["a", "b", "a"]}))
    with pytest.raises(ConstantColumnError, match="flat"):
        BgeScore(Dataset.from_columns({"x": [0.1, 0.2, 0.4], "flat": [1.5, 1.5, 1.5]}))
    values = measured(mixed_values(np.random.default_rng(0), 2, 10))
    with pytest.raises(OptionError, match="extra_weight"):
        make_score(BGE(extra_weight=1.0), values)
    with pytest.raises(OptionError, match="mean_weight"):
        make_score(BGE(mean_weight=-1.0), values)


@pytest.mark.parametrize("name", ["gaussian_bic", "bge", "kgv", "degenerate_gaussian"])
@pytest.mark.parametrize("unit", [1e-300, 1e-170, 1e160, 1e300])
def test_the_unit_of_a_column_changes_no_gain(name, unit):
    rng = np.random.default_rng(4)
    columns = dict(zip("abc", rng.normal(size=(3, 200)), strict=True))
    columns["b"] += columns["a"]
    plain = make_score(name, Dataset.from_columns(columns))
    scaled = make_score(name, Dataset.from_columns({**columns, "a": columns["a"] * unit}))
    for child, parents in [(0, [1]), (1, [0]), (1, [0, 2]), (2, [0])]:
        gains = [score.local(child, parents) - score.local(child) for score in (plain, scaled)]
        assert gains[0] == pytest.approx(gains[1], abs=1e-3)


def test_a_score_that_is_no_number_is_refused_by_name():
    class Broken(LocalScore):
        name = "broken"

        def _local(self, child, parents):
            return np.nan if parents else 0.0

    score = Broken(["a", "b", "c"])
    for ask in (
        lambda: score.local(0, [1]),
        lambda: score.additions(0, [], [1, 2]),
        lambda: score.gains(0, [], [1, 2]),
    ):
        with pytest.raises(NonFiniteError, match="'broken' of column 'a'"):
            ask()
