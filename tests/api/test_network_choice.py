"""Which search learns a network where nobody names one, and what the run says about it."""

from __future__ import annotations

import numpy as np
import pytest

from eiderdown import learn_network, networks
from eiderdown.api.network_choice import chosen_search
from eiderdown.data import Dataset
from eiderdown.errors import EiderdownWarning
from eiderdown.estimators import BayesianNetworkLearner
from eiderdown.options import options_of
from eiderdown.structure import BOSS

DEFAULTS = {name: option.default for name, option in options_of(learn_network).items()}


def chosen(data, **options):
    return chosen_search(Dataset.of(data), {**DEFAULTS, **options})


def table(n_columns=3, n_rows=50):
    rng = np.random.default_rng(0)
    return {f"v{i}": rng.integers(2, size=n_rows) for i in range(n_columns)}


def test_categories_are_searched_among_orders_by_qnml_and_numbers_by_their_own_score():
    noise = np.random.default_rng(1).normal(size=50)
    numbers = {name: column + noise for name, column in table().items()}
    assert (chosen(table()).algorithm.name, chosen(table()).score) == ("boss_restarts", "qnml")
    assert (chosen(numbers).algorithm.name, chosen(numbers).score) == ("boss_restarts", None)
    mixed = {**table(), "number": numbers["v0"]}
    assert chosen(mixed).score == "qnml"


def test_a_score_that_was_named_is_kept():
    assert chosen(table(), score="bic").score is None
    network = learn_network(table(), score="bic")
    assert network.run.options["score"] == "bic"
    assert network.run.algorithm == "boss_restarts"


@pytest.mark.parametrize(
    ("data", "options", "reason"),
    [
        (table(2_001, 4), {}, "2,000 columns"),
        ({**table(), "gap": [None, 1] * 25}, {}, "values are missing"),
        (table(), {"test": "g_square"}, "a test was asked for"),
    ],
    ids=["many columns", "missing values", "a test"],
)
def test_other_tables_are_searched_by_mmhc_and_the_choice_says_why(data, options, reason):
    choice = chosen(data, **options)
    assert choice.algorithm.name == "mmhc_restarts"
    assert choice.score is None
    assert reason in choice.why


def test_columns_that_are_excluded_and_values_that_are_filled_in_do_not_count():
    many = table(2_001, 4)
    assert chosen(many, exclude=["v0"]).algorithm.name == "boss_restarts"
    gaps = {**table(), "gap": [None, 1] * 25}
    assert chosen(gaps, missing="impute").algorithm.name == "boss_restarts"


def test_a_search_that_was_named_is_taken_and_nothing_is_said():
    assert chosen(table(), algorithm=BOSS).algorithm is BOSS
    network = learn_network(table(), algorithm="boss")
    assert "chosen" not in network.run.options


def test_the_run_says_what_was_chosen_and_why():
    network = learn_network(networks.load("asia").sample(500, random_state=0))
    assert network.run.algorithm == "boss_restarts"
    assert network.run.options["chosen"].startswith("boss_restarts: ")
    assert network.run.random_state == 0


def test_a_learner_keeps_features_of_a_single_value_as_nodes():
    X = np.random.default_rng(0).normal(size=(100, 3))
    X[:, 1] = 3.0
    with pytest.warns(
        EiderdownWarning, match="Without edges because they have a single value: 'x1'"
    ):
        learner = BayesianNetworkLearner().fit(X)
    assert learner.network_.nodes == ("x0", "x1", "x2")
    assert np.isfinite(learner.score(X))
