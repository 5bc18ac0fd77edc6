import json
import time

import numpy as np
import pytest

from eiderdown.errors import OptionError
from eiderdown.networks import DiscreteNetwork, GaussianNetwork, available, load
from eiderdown.networks.reference import from_document, to_document

# Nodes, arcs and free parameters as listed by the bnlearn repository, and LUCAS as it is drawn.
DISCRETE = {
    "alarm": (37, 46, 509),
    "andes": (223, 338, 1157),
    "asia": (8, 8, 18),
    "cancer": (5, 4, 10),
    "child": (20, 25, 230),
    "diabetes": (413, 602, 429409),
    "earthquake": (5, 4, 10),
    "hailfinder": (56, 66, 2656),
    "hepar2": (70, 123, 1453),
    "insurance": (27, 52, 1008),
    "link": (724, 1125, 14211),
    "lucas": (12, 12, 29),
    "mildew": (35, 46, 540150),
    "munin": (1041, 1397, 80592),
    "munin1": (186, 273, 15622),
    "pathfinder": (109, 195, 72079),
    "pigs": (441, 592, 5618),
    "sachs": (11, 17, 178),
    "survey": (6, 6, 21),
    "water": (32, 66, 10083),
    "win95pts": (76, 112, 574),
}
GAUSSIAN = {
    "arth150": (107, 150),
    "ecoli70": (46, 70),
    "magic-irri": (64, 102),
    "magic-niab": (44, 66),
}


def test_the_list_of_networks_is_complete():
    assert set(available()) == set(DISCRETE) | set(GAUSSIAN)
    for name, (n_nodes, n_edges, *_) in (DISCRETE | GAUSSIAN).items():
        assert (available()[name].n_nodes, available()[name].n_edges) == (n_nodes, n_edges)


@pytest.mark.parametrize("name", DISCRETE)
def test_discrete_networks_have_their_published_size(name):
    start = time.perf_counter()
    network = load(name)
    assert time.perf_counter() - start < 1.0
    assert isinstance(network, DiscreteNetwork)
    assert available()[name].kind == "discrete"
    tables = [network.table(node) for node in network.dag.nodes]
    n_free = sum(table.size - table.size // table.shape[-1] for table in tables)
    assert (network.dag.n_nodes, network.dag.n_edges, n_free) == DISCRETE[name]
    assert max(np.abs(table.sum(axis=-1) - 1).max() for table in tables) < 1e-12


@pytest.mark.parametrize("name", GAUSSIAN)
def test_gaussian_networks_have_their_published_size(name):
    network = load(name)
    assert isinstance(network, GaussianNetwork)
    assert available()[name].kind == "gaussian"
    assert (network.dag.n_nodes, network.dag.n_edges) == GAUSSIAN[name]
    assert np.linalg.eigvalsh(network.covariance()).min() > 0


def test_some_tables_of_alarm_are_as_published():
    alarm = load("alarm")
    assert alarm.states("CVP") == ("LOW", "NORMAL", "HIGH")
    assert alarm.parents("EXPCO2") == ("VENTLUNG", "ARTCO2")
    published = [[0.01, 0.01, 0.98], [0.01, 0.01, 0.98], [0.04, 0.92, 0.04], [0.90, 0.09, 0.01]]
    np.testing.assert_allclose(alarm.table("ARTCO2"), published, atol=1e-12)
    np.testing.assert_allclose(alarm.table("EXPCO2")[1, 1], [0.97, 0.01, 0.01, 0.01], atol=1e-12)
    np.testing.assert_allclose(alarm.table("EXPCO2")[0, 2], [0.01, 0.97, 0.01, 0.01], atol=1e-12)


def test_lucas_is_the_network_of_the_challenge():
    lucas = load("lucas")
    assert lucas.dag.markov_boundary("Lung_Cancer") == {
        "Genetics", "Smoking", "Coughing", "Fatigue", "Allergy"
    }  # fmt: skip
    assert lucas.dag.children("Smoking") == {"Yellow_Fingers", "Lung_Cancer"}
    assert lucas.marginal("Lung_Cancer")[1] == pytest.approx(0.736, abs=5e-4)
    # Tables are asked for by name: parents are in node order, not in the order of the page.
    assert _chance(lucas, "Smoking", Peer_Pressure=1, Anxiety=0) == 0.74591
    assert _chance(lucas, "Lung_Cancer", Genetics=0, Smoking=1) == 0.83934
    assert _chance(lucas, "Coughing", Allergy=1, Lung_Cancer=0) == 0.64592
    assert _chance(lucas, "Fatigue", Lung_Cancer=1, Coughing=0) == 0.56514
    assert _chance(lucas, "Car_Accident", Attention_Disorder=1, Fatigue=0) == 0.779


def _chance(network, node, **parents):
    assert network.dag.parents(node) == set(parents)
    return network.table(node)[tuple(parents[p] for p in network.parents(node))][1]


def test_markers_of_the_magic_network_have_the_spread_of_zero_or_two():
    network = load("magic-irri")
    assert network.intercept("G4744") == 0.1398
    assert network.standard_deviation("G4744") ** 2 == pytest.approx(0.2604, abs=1e-8)
    assert network.coefficients("HT")["FT"] == 1.0564


def test_every_network_can_be_sampled():
    for name in available():
        network = load(name)
        data = network.sample(20, random_state=1)
        assert data.names == network.dag.nodes
        assert np.isfinite(network.log_likelihood(data)).all()


@pytest.mark.parametrize("name", ["hailfinder", "sachs", "ecoli70"])
def test_the_stored_form_survives_json(name):
    network = load(name)
    document = to_document(network)
    again = to_document(from_document(json.loads(json.dumps(document))))
    assert json.dumps(again) == json.dumps(document)


def test_an_unknown_name_lists_the_names_and_the_nearest():
    with pytest.raises(OptionError, match=r"'alrm'; perhaps 'alarm' was meant\.$"):
        load("alrm")
