"""Scores of weighted rows: equal weights change nothing, others count by what they are worth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from eiderdown import learn_network
from eiderdown.data import Dataset
from eiderdown.data.rows import with_row_roles
from eiderdown.errors import OptionError
from eiderdown.scores import make_score


def table(kind, n_rows=300, seed=0):
    generator = np.random.default_rng(seed)
    a, b = generator.normal(size=(2, n_rows))
    columns = {"a": a, "b": b, "c": a + b + 0.5 * generator.normal(size=n_rows)}
    if kind == "discrete":
        columns = {name: (values > 0.0).astype(int) for name, values in columns.items()}
    return Dataset.from_columns(columns, kinds=dict.fromkeys(columns, kind))


SOURCES = [
    ("bic", "discrete"),
    ("bdeu", "discrete"),
    ("k2_penalised", "discrete"),
    ("gaussian_bic", "continuous"),
]


@pytest.mark.parametrize(("source", "kind"), SOURCES)
def test_equal_weights_change_nothing(source, kind):
    data = table(kind)
    plain, weighted = (
        make_score(source, data),
        make_score(source, with_row_roles(data, sample_weight=np.full(300, 2.5))),
    )
    for parents in ([], [0], [0, 1]):
        assert weighted.local(2, parents) == pytest.approx(plain.local(2, parents), abs=1e-3)


def test_weights_done_by_hand():
    data = Dataset.from_columns({"x": [0, 0, 1, 1]})
    score = make_score("bic", with_row_roles(data, sample_weight=[1.0, 1.0, 2.0, 2.0]))
    n = 36 / 10  # (1 + 1 + 2 + 2)^2 / (1 + 1 + 4 + 4)
    likelihood = n * (1 / 3 * math.log(1 / 3) + 2 / 3 * math.log(2 / 3))
    assert score.local(0) == pytest.approx(likelihood - 0.5 * math.log(n), abs=1e-6)


@pytest.mark.parametrize(("source", "kind"), SOURCES)
def test_rows_of_no_weight_are_no_rows(source, kind):
    data = table(kind)
    weights = np.repeat([1.0, 0.0], 150)
    weighted = make_score(source, with_row_roles(data, sample_weight=weights))
    half = make_score(source, data.take(range(150)))
    assert weighted.local(2, [0]) == pytest.approx(half.local(2, [0]), abs=1e-3)


def test_weights_and_missing_values_together():
    data = table("discrete")
    cells = data.to_pandas().astype("Int64")
    cells.iloc[:30, 0] = None
    weights = np.random.default_rng(1).uniform(0.5, 2.0, 300)
    score = make_score("bic", with_row_roles(Dataset.of(cells), sample_weight=weights))
    assert score.local(2, [0, 1]) > score.local(2, [1]) > score.local(2)


def test_a_network_of_weighted_rows():
    weights = np.random.default_rng(2).uniform(0.5, 2.0, 300)
    network = learn_network(
        table("continuous"), algorithm="hill_climbing", sample_weight=weights, progress=False
    )
    assert sorted(network.boundary("c")) == ["a", "b"]


def test_scores_that_cannot_be_weighted_say_so():
    weights = np.random.default_rng(2).uniform(0.5, 2.0, 300)
    data = with_row_roles(table("continuous"), sample_weight=weights)
    with pytest.raises(OptionError, match="The score 'bge' cannot take sample_weight"):
        make_score("bge", data)
    with pytest.raises(OptionError, match="A score cannot take groups"):
        make_score("bic", with_row_roles(table("discrete"), groups=np.arange(300) // 3))
