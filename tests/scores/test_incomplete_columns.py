"""Node averages: by hand, the score itself where nothing is missing, and true parents are found."""

from __future__ import annotations

import math

import numpy as np
import pytest

from eiderdown.data import Dataset
from eiderdown.errors import MissingValuesError
from eiderdown.scores import BDEU, BIC, BicScore, GaussianBicScore, NodeAverageScore, make_score


def test_a_case_done_by_hand():
    # x and y agree in 6 of 8 complete rows; two more rows have no x, one has no y.
    x = [0, 0, 0, 0, 1, 1, 1, 1, None, None, 0]
    y = [0, 0, 0, 1, 1, 1, 1, 0, 0, 1, None]
    score = make_score("aic", Dataset.from_columns({"x": x, "y": y}))
    n, own, family = 11, 10, 8
    alone = 10 * math.log(0.5) - 1.0  # five of each in the rows that have a y
    assert score.local(1) == pytest.approx(n / own * alone)
    likelihood = 6 * math.log(3 / 4) + 2 * math.log(1 / 4)
    gain = (likelihood - 2.0) - (8 * math.log(0.5) - 1.0)
    r = math.sqrt(1.0 - math.exp(-2.0 * gain / family))
    price = math.sqrt(math.log(n)) * r * math.sqrt(1 / family - 1 / own)
    assert score.local(1, [0]) == pytest.approx(n / own * alone + n * (gain / family - price))


def test_what_differs_by_chance_has_its_price():
    x = [0, 1] * 40 + [None] * 20
    y = [0, 1] * 40 + [0, 1] * 10
    score = make_score("bic", Dataset.from_columns({"x": x, "y": y}))
    gain = -math.log(80) - (80 * math.log(0.5) - 0.5 * math.log(80))
    r = math.sqrt(1.0 - math.exp(-2.0 * gain / 80))
    price = math.sqrt(math.log(100)) * 100 * r * math.sqrt(1 / 80 - 1 / 100)
    alone = 100 * math.log(0.5) - 0.5 * math.log(100)
    assert score.local(1, [0]) == pytest.approx(alone + 100 * gain / 80 - price)


def complete_and_incomplete(kind, n_rows, share, seed):
    generator = np.random.default_rng(seed)
    a, b, noise = generator.normal(size=(3, n_rows))
    columns = {"a": a, "b": b, "c": a + b + 0.5 * generator.normal(size=n_rows), "noise": noise}
    if kind == "discrete":
        columns = {name: (values > 0.0).astype(float) for name, values in columns.items()}
    kinds = dict.fromkeys(columns, kind)
    whole = Dataset.from_columns(columns, kinds=kinds)
    for values in columns.values():
        values[generator.random(n_rows) < share] = np.nan
    return whole, Dataset.from_columns(columns, kinds=kinds)


@pytest.mark.parametrize(
    ("source", "kind"), [(BIC, "discrete"), (BDEU, "discrete"), ("gaussian_bic", "continuous")]
)
def test_families_of_complete_columns_score_as_ever(source, kind):
    whole, _ = complete_and_incomplete(kind, 200, 0.0, 0)
    hole = np.array([np.nan, *np.arange(199.0)])
    incomplete = whole.with_columns({"hole": hole}, kinds={"hole": "continuous"})
    if kind == "discrete":
        cells = [None, *([0, 1] * 100)[:199]]
        incomplete = whole.with_columns({"hole": cells})
    score, ever = make_score(source, incomplete), make_score(source, whole)
    assert isinstance(score, NodeAverageScore)
    for parents in ([], [0], [0, 1], [1, 3]):
        assert score.local(2, parents) == pytest.approx(ever.local(2, parents), abs=1e-3)


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("bic", "discrete"),
        ("bdeu", "discrete"),
        ("gaussian_bic", "continuous"),
        ("bge", "continuous"),
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_true_parents_beat_fewer_and_more(source, kind, seed):
    _, data = complete_and_incomplete(kind, 1_500, 0.15, seed)
    score = make_score(source, data)
    assert not score.equivalent
    best = score.local(2, [0, 1])
    assert best > score.local(2, [0])
    assert best > score.local(2, [1])
    assert best > score.local(2, [0, 1, 3])
    assert score.local(3) > score.local(3, [0])


def test_order_of_columns_does_not_matter():
    _, data = complete_and_incomplete("discrete", 300, 0.2, 1)
    turned = data.select(["noise", "c", "b", "a"])
    one, other = make_score("bic", data), make_score("bic", turned)
    assert one.additions(2, [0], [1, 3]).tolist() == other.additions(1, [3], [2, 0]).tolist()


def test_a_family_without_complete_rows_is_the_worst():
    data = Dataset.from_columns({"x": [0, 1, None, None] * 5, "y": [None, None, 0, 1] * 5})
    score = make_score("bic", data)
    assert score.local(1, [0]) == pytest.approx(score.local(1) - 20)


def test_the_mean_over_imputed_tables():
    whole, data = complete_and_incomplete("discrete", 400, 0.1, 2)
    score = make_score("bic", data, missing="impute", random_state=3)
    assert score.equivalent
    assert score.description["imputed_tables"] == len(score.scores) == 10
    expected = np.mean([one.local(2, [0, 1]) for one in score.scores])
    assert score.local(2, [0, 1]) == pytest.approx(expected)
    assert score.local(2, [0, 1]) > score.local(2, [0])
    assert make_score("bic", whole, missing="impute").description == BicScore(whole).description


@pytest.mark.parametrize("make", [BicScore, GaussianBicScore])
def test_scores_of_complete_tables_say_who_takes_others(make):
    _, data = complete_and_incomplete("discrete" if make is BicScore else "continuous", 50, 0.1, 0)
    with pytest.raises(MissingValuesError, match="make_score"):
        make(data)
