import numpy as np
import pytest

from eiderdown.errors import OptionError
from eiderdown.graphs import DAG
from eiderdown.networks import random_fan_in_dag, random_gaussian_network, random_network


def test_fan_in_is_uniform_from_zero_to_the_most():
    dag = random_fan_in_dag(6_000, random_state=1)
    counts = np.bincount([len(parents) for parents in dag.parent_indices])
    assert len(counts) == 6
    np.testing.assert_allclose(counts / 6_000, 1 / 6, atol=0.02)


def test_fan_in_from_one_to_five_has_as_many_edges_as_the_thesis():
    # Brown 2009, IV-1: RN50, RN100 and RN500 have 138, 284 and 1,497 edges. With 500 nodes 1 to 5
    # parents make 1,492 on average with a standard deviation of 31; 0 to 5 make 1,242.
    counts = [random_fan_in_dag(500, min_parents=1, random_state=seed).n_edges for seed in range(8)]
    assert all(abs(count - 1_492) < 3 * 31.5 for count in counts)
    assert abs(np.mean(counts) - 1_492) < 63
    assert abs(1_497 - 1_492) < 63 < abs(random_fan_in_dag(500, random_state=0).n_edges - 1_492)


def test_only_the_first_nodes_have_fewer_parents_than_the_least():
    dag = random_fan_in_dag(300, min_parents=3, max_parents=4, random_state=5)
    sizes = sorted(len(parents) for parents in dag.parent_indices)
    assert sizes[:3] == [0, 1, 2]
    assert set(sizes[3:]) == {3, 4}


def test_the_node_order_is_not_the_order_of_the_edges():
    dag = random_fan_in_dag(50, random_state=2)
    backward = sum(dag.index(a) > dag.index(b) for a, b in dag.edges)
    assert 0.2 < backward / dag.n_edges < 0.8


def test_max_parents_is_respected_and_zero_means_no_edges():
    assert max(map(len, random_fan_in_dag(100, max_parents=2, random_state=0).parent_indices)) == 2
    assert random_fan_in_dag(100, max_parents=0, random_state=0).n_edges == 0


def test_tables_have_legal_rows_and_two_or_three_levels():
    network = random_network(60, random_state=3)
    assert set(network.n_states.tolist()) == {2, 3}
    for node in network.dag.nodes:
        table = network.table(node)
        shape = (
            *(len(network.states(p)) for p in network.parents(node)),
            len(network.states(node)),
        )
        assert table.shape == shape
        assert (table >= 0).all()
        np.testing.assert_allclose(table.sum(axis=-1), 1.0, atol=1e-12)


def test_a_given_graph_is_kept():
    dag = DAG.from_string("a->b, c->b")
    assert random_network(dag, random_state=0).dag == dag
    assert random_gaussian_network(dag, random_state=0).dag == dag


def test_a_low_concentration_gives_rows_nearer_to_certainty():
    sharp, blunt = (random_network(40, concentration=c, random_state=5) for c in (0.1, 10.0))
    sizes = [
        np.mean([network.table(v).max(axis=-1).mean() for v in network.dag.nodes])
        for network in (sharp, blunt)
    ]
    assert sizes[0] > 0.85
    assert sizes[1] < 0.65


def test_same_seed_gives_the_same_network():
    one, two, three = (random_network(10, random_state=s) for s in (1, 1, 2))
    assert one.dag == two.dag
    assert one.dag != three.dag
    assert all(np.array_equal(one.table(v), two.table(v)) for v in one.dag.nodes)


def test_gaussian_parameters_stay_in_their_ranges():
    network = random_gaussian_network(
        50, coefficient_sizes=(0.2, 0.4), standard_deviations=(1.0, 2.0), random_state=1
    )
    nodes = network.dag.nodes
    sizes = np.array([c for v in nodes for c in network.coefficients(v).values()])
    assert ((np.abs(sizes) >= 0.2) & (np.abs(sizes) <= 0.4)).all()
    assert (sizes > 0).any()
    assert (sizes < 0).any()
    assert all(1.0 <= network.standard_deviation(v) <= 2.0 for v in nodes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_states": (3, 2)}, "n_states"),
        ({"n_states": (0, 2)}, "n_states"),
        ({"concentration": 0.0}, "concentration"),
        ({"max_parents": -1}, "max_parents"),
        ({"min_parents": -1}, "min_parents"),
        ({"min_parents": 3, "max_parents": 2}, "min_parents must be at most"),
    ],
)
def test_illegal_options_of_a_discrete_network_are_named(options, message):
    with pytest.raises(OptionError, match=message):
        random_network(5, random_state=0, **options)


@pytest.mark.parametrize("option", ["coefficient_sizes", "standard_deviations"])
def test_illegal_ranges_of_a_gaussian_network_are_named(option):
    with pytest.raises(OptionError, match=option):
        random_gaussian_network(5, random_state=0, **{option: (2.0, 1.0)})
