"""What is set is as it was said, what it does not cause is as before, and nothing else is told."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency, ks_2samp, kstest

from eiderdown.data import Kind
from eiderdown.errors import GraphError, OptionError
from eiderdown.networks import (
    load,
    random_actions,
    random_gaussian_network,
    random_mixed_network,
    random_network,
    simulate_intervention,
)

NETWORKS = {
    "discrete": random_network(12, max_parents=3, random_state=5),
    "gaussian": random_gaussian_network(12, max_parents=3, random_state=5),
    "mixed": random_mixed_network(12, max_parents=3, random_state=5),
}
ROWS = 4_000


def made(kind, **options):
    return simulate_intervention(
        NETWORKS[kind], n_train=ROWS, n_test=ROWS, random_state=1, **options
    )


def p_value(first, second, node):
    """The p-value of a difference in distribution of a column between two tables."""
    column = first.index(node)
    if first.kind(column) is Kind.DISCRETE:
        n = len(first.categories(column))
        codes = [data.codes(data.index(node)) for data in (first, second)]
        counts = np.array([np.bincount(own, minlength=n) for own in codes])
        counts = counts[:, counts.sum(axis=0) > 0]
        return 1.0 if counts.shape[1] == 1 else chi2_contingency(counts).pvalue
    return ks_2samp(*(data.values(data.index(node)) for data in (first, second))).pvalue


@pytest.mark.parametrize("kind", NETWORKS)
def test_what_is_not_caused_by_the_manipulated_keeps_its_distribution(kind):
    dag = NETWORKS[kind].dag
    node = max(dag.nodes, key=lambda v: len(dag.parents(v)) * len(dag.descendants(v)))
    assert dag.parents(node)
    assert dag.descendants(node)
    drawn = made(kind, manipulated=[node])
    others = [v for v in dag.nodes if v != node and v not in dag.descendants(node)]
    assert min(p_value(drawn.train, drawn.test, v) for v in others) > 0.05 / len(dag.nodes) / 10
    assert drawn.network.dag.parents(node) == frozenset()


@pytest.mark.parametrize("kind", NETWORKS)
def test_what_is_set_at_random_is_even_or_normal_and_depends_on_nothing_before(kind):
    dag = NETWORKS[kind].dag
    drawn = made(kind, manipulated=1.0, spared=["x0"])
    assert drawn.manipulated == tuple(v for v in dag.nodes if v != "x0")
    for node in drawn.manipulated:
        column = drawn.test.index(node)
        if drawn.test.kind(column) is Kind.DISCRETE:
            shares = np.bincount(drawn.test.codes(column)) / ROWS
            np.testing.assert_allclose(shares, 1 / len(shares), atol=0.04)
        else:
            mean, spread = drawn.actions[node]
            before = drawn.train.values(drawn.train.index(node))
            assert mean == pytest.approx(before.mean(), abs=0.1 * spread)
            assert spread == pytest.approx(before.std(), rel=0.06)
            values = (drawn.test.values(column) - mean) / spread
            assert kstest(values, "norm").pvalue > 1e-4


def test_a_random_half_is_drawn_among_the_others_and_hidden_columns_are_left_out():
    drawn = made("discrete", manipulated=0.5, spared=["x3"], hidden=["x1", "x2", "x5"])
    assert len(drawn.manipulated) == 4
    assert not {"x3", "x1", "x2", "x5"} & set(drawn.manipulated)
    assert drawn.hidden == ("x1", "x2", "x5")
    assert drawn.train.names == drawn.test.names
    assert not set(drawn.hidden) & set(drawn.train.names)
    again = made("discrete", manipulated=0.5, spared=["x3"], hidden=["x1", "x2", "x5"])
    assert again.manipulated == drawn.manipulated
    assert again.test.fingerprint == drawn.test.fingerprint


def test_nothing_manipulated_is_the_same_network():
    drawn = made("gaussian", manipulated=0.0)
    assert drawn.manipulated == ()
    assert drawn.network.dag == NETWORKS["gaussian"].dag
    assert drawn.train.fingerprint != drawn.test.fingerprint
    assert random_actions(NETWORKS["gaussian"], []) == {}


def test_given_values_are_used_as_they_are():
    drawn = simulate_intervention(
        load("lucas"),
        manipulated={"Smoking": "yes", "Allergy": {"yes": 0.9, "no": 0.1}},
        n_test=5_000,
        random_state=0,
    )
    test = drawn.test
    assert drawn.manipulated == ("Smoking", "Allergy")
    assert set(test.codes(test.index("Smoking"))) == {1}
    assert test.codes(test.index("Allergy")).mean() == pytest.approx(0.9, abs=0.02)
    assert test.codes(test.index("Lung_Cancer")).mean() == pytest.approx(
        load("lucas").do({"Smoking": "yes"}).marginal("Lung_Cancer")[1], abs=0.02
    )


def test_what_cannot_be_manipulated_is_refused():
    with pytest.raises(OptionError, match="a share from 0 to 1, not 2"):
        simulate_intervention(load("asia"), manipulated=2)
    with pytest.raises(GraphError, match="lungs"):
        simulate_intervention(load("asia"), manipulated=["lungs"])
    with pytest.raises(GraphError, match="lungs"):
        simulate_intervention(load("asia"), hidden=["lungs"])
    with pytest.raises(OptionError, match="No node is left"):
        simulate_intervention(load("asia"), spared=load("asia").dag.nodes)
