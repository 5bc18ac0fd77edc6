"""The kernel generalised variance: against whole Gram matrices, for both kinds of columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored_tables import equivalent_graphs, families

import naive_scores
from eiderdown.data import Dataset
from eiderdown.errors import OptionError
from eiderdown.scores import KGV, BicScore, KernelVarianceScore, make_score
from examples import examples


def mixed_columns(rng, n_rows):
    """Two continuous and two discrete columns that depend on each other, and one on nothing."""
    a = rng.normal(size=n_rows)
    group = rng.integers(0, 3, n_rows)
    b = a**2 + (group == 1) + 0.5 * rng.normal(size=n_rows)
    flag = ((b > 1.0) ^ (rng.random(n_rows) < 0.1)).astype(int)
    return {"a": a, "group": group, "b": b, "flag": flag, "noise": rng.normal(size=n_rows)}


def gram(column, sigma):
    if column.dtype.kind == "i":
        return (column[:, None] == column).astype(float)
    standard = (column - column.mean()) / column.std() / sigma
    return np.exp(-0.5 * (standard[:, None] - standard) ** 2)


@examples(10)
@given(st.data(), st.integers(0, 10_000), st.sampled_from([(0.01, 1.0), (0.05, 0.5)]))
def test_scores_are_those_of_whole_gram_matrices(data, seed, options):
    kappa, sigma = options
    columns = mixed_columns(np.random.default_rng(seed), 50)
    child, parents, _ = data.draw(families(5))
    grams = [gram(column, sigma) for column in columns.values()]
    expected = naive_scores.kernel_variance(grams, child, parents, kappa)
    score = KernelVarianceScore(Dataset.from_columns(columns), kappa=kappa, sigma=sigma)
    assert score.local(child, parents) == pytest.approx(expected, abs=0.05)


@examples(12)
@given(st.data(), st.integers(0, 10_000))
def test_sweeps_are_local_scores_one_by_one(data, seed):
    table = Dataset.from_columns(mixed_columns(np.random.default_rng(seed), 60))
    child, parents, rest = data.draw(families(5))
    one_by_one, swept = make_score("kgv", table), make_score("kgv", table)
    added = [one_by_one.local(child, [*parents, x]) for x in rest]
    assert swept.additions(child, parents, rest) == pytest.approx(added, abs=1e-4)


@examples(12)
@given(st.data(), st.integers(0, 10_000))
def test_equivalent_graphs_tie(data, seed):
    score = make_score("kgv", Dataset.from_columns(mixed_columns(np.random.default_rng(seed), 60)))
    one, other = data.draw(equivalent_graphs(score.names))
    assert score.equivalent
    assert score.total(one) == pytest.approx(score.total(other), abs=1e-4)


def test_edges_of_either_kind_gain_and_noise_does_not():
    columns = mixed_columns(np.random.default_rng(0), 1_000)
    score = make_score("kgv", Dataset.from_columns(columns))
    a, group, b, flag, noise = range(5)
    gains = score.additions(b, [], [a, group, flag, noise]) - score.local(b)
    assert np.all(gains[:3] > 10.0)
    assert gains[3] < 0.0
    assert score.local(b, [a, flag, group]) > score.local(b, [a, flag])


def test_a_pair_of_binary_columns_gains_about_as_much_as_by_bic():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, 2_000)
    y = x ^ (rng.random(2_000) < 0.4)
    table = Dataset.from_columns({"x": x, "y": y})
    kernel, counted = KernelVarianceScore(table, kappa=1e-6), BicScore(table)
    gains = [score.local(1, [0]) - score.local(1) for score in (kernel, counted)]
    assert gains[0] == pytest.approx(gains[1], rel=0.05)


def test_the_order_of_the_rows_does_not_matter():
    columns = mixed_columns(np.random.default_rng(2), 300)
    rows = np.random.default_rng(3).permutation(300)
    moved = {name: column[rows] for name, column in columns.items()}
    one, other = (make_score("kgv", Dataset.from_columns(table)) for table in (columns, moved))
    assert one.local(2, [0, 1]) == pytest.approx(other.local(2, [0, 1]), abs=1e-4)


def test_a_constant_column_has_no_features_and_gains_nothing():
    table = Dataset.from_columns({"x": np.arange(50) / 7.0, "flat": np.full(50, 2.5)})
    score = make_score("kgv", table)
    assert score.local(1) == 0.0
    assert score.local(0, [1]) == score.local(0)


def test_mixed_tables_get_this_score_unasked():
    table = Dataset.from_columns(mixed_columns(np.random.default_rng(4), 30))
    assert make_score("auto", table).description == {"score": "kgv", "kappa": 0.01, "sigma": 1.0}
    assert make_score("auto", table.select(["a", "b"])).name == "gaussian_bic"
    assert make_score("auto", table.select(["group", "flag"])).name == "bic"


@pytest.mark.parametrize("option", ["kappa", "sigma"])
def test_senseless_options_are_refused(option):
    table = Dataset.from_columns({"x": [0.5, 1.5, 3.5]})
    with pytest.raises(OptionError, match=option):
        make_score(KGV(**{option: 0.0}), table)
