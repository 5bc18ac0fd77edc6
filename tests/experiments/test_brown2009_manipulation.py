"""The measures of the experiment on manipulation are what their names say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from eiderdown.data import Dataset
from eiderdown.graphs import DAG
from eiderdown.results import NeighbourRole, Orientation, Run, YStructure

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture(autouse=True)
def _beside_each_other(monkeypatch):
    monkeypatch.syspath_prepend(str(EXPERIMENTS))


def test_relations_are_those_of_figure_v_5():
    from brown2009_manipulation_measures import relation

    dag = DAG.from_string("G->P->T->C->D, S->C, P->R, X")
    found = {node: relation(dag, node, "T") for node in dag.nodes if node != "T"}
    assert found == {
        "P": "direct causes",
        "C": "direct effects",
        "G": "other causes",
        "D": "other effects",
        "S": "spouses",
        "R": "other relatives",
        "X": "unrelated",
    }


def test_the_equal_model_scores_sets_of_columns_and_nothing_at_half():
    from brown2009_manipulation_measures import EqualModel

    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, 400)
    y = np.where(rng.random(400) < 0.9, x, rng.integers(0, 3, 400))
    data = Dataset.from_columns(
        {"x": x, "y": y, "z": rng.integers(0, 2, 400)}, kinds=dict.fromkeys("xyz", "discrete")
    )
    model = EqualModel(data, "y")
    assert model.score(["x"], data) > 0.9
    assert model.score([], data) == 0.5
    assert model.score(["z"], data) < 0.6
    numbers = Dataset.from_columns({"a": np.arange(9.0) ** 2 + 0.5, "b": np.arange(9.0) ** 2 + 1.5})
    assert EqualModel(numbers, "b").score(["a"], numbers) > 0.95
    assert EqualModel(numbers, "b").score([], numbers) == pytest.approx(0.0)


def test_half_is_set_and_known_in_test_1_and_all_in_test_2():
    from brown2009_manipulation_networks import studies

    seen, hidden = studies(4, ["Child"], seed=7)
    assert seen.targets == hidden.targets
    assert not set(hidden.hidden) & set(hidden.targets)
    assert all(len(hidden.dag.children(node)) >= 2 for node in hidden.hidden)
    target = seen.targets[0]
    known = seen.manipulated(target, 1)
    assert len(known) == 9
    assert (seen.manipulated(target, 0), seen.manipulated(target, 2)) == (None, "unknown")
    assert not set(hidden.hidden) & set(hidden.test(target, 2).names)
    again = studies(4, ["Child"], seed=7)[0]
    assert again.test(target, 1).fingerprint == seen.test(target, 1).fingerprint
    assert again.train(100).fingerprint == seen.train(100).fingerprint


def test_y_tests_are_counted_where_the_graph_lets_them_succeed():
    from brown2009_manipulation_networks import Study
    from brown2009_manipulation_strategies import y_test_counts

    from eiderdown.networks import random_network

    network = random_network(DAG.from_string("A->C<-B, C->T->E, F->T"), random_state=0)
    study = Study("small", network, (), ("T",))
    found = Orientation(
        target="T",
        neighbours=(NeighbourRole("C", 1.0, 0.0, 0.0),),
        y_structures=(YStructure("A", "B", "C", "T", 0.4), YStructure("C", "F", "E", "T", 0.3)),
        graph=network.dag.to_cpdag(),
        engine="none",
        run=Run.of("causes", None, {}),
    )
    # C -> T by A and B; T -> E by C and F.
    counts = y_test_counts(study, found, {("C", "T")})
    assert counts == {"found": 2, "right": 1, "findable": 2, "found of them": 1}


def test_the_interval_holds_the_mean():
    from brown2009_manipulation_measures import interval

    mean, low, high = interval([0.0, 1.0, 2.0, 3.0])
    assert low < mean == 1.5 < high
    assert interval([2.0, 2.0]) == (2.0, 2.0, 2.0)
