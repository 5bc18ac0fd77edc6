import numpy as np
import pytest
from scipy.stats import multivariate_normal

from eiderdown.data import Kind
from eiderdown.errors import GraphError, NetworkFormatError
from eiderdown.graphs import DAG
from eiderdown.networks import GaussianNetwork, random_gaussian_network

PAIR = DAG.from_string("a->b")


def diamond():
    return GaussianNetwork(
        DAG(["d", "b", "c", "a"], [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]),
        {"a": 1.0, "b": 0.0, "c": -1.0, "d": 2.0},
        {"b": {"a": 2.0}, "c": {"a": -1.0}, "d": {"c": 1.0, "b": 0.5}},
        {"a": 1.0, "b": 0.5, "c": 2.0, "d": 0.1},
    )


def test_mean_and_covariance_by_hand():
    # b = 2a + .5e, c = -1 - a + 2f, d = 2 + b/2 + c + .1g = 1 + .25e + 2f + .1g: a cancels
    np.testing.assert_allclose(diamond().mean(), [1.0, 2.0, -2.0, 1.0], atol=1e-14)
    expected = [
        [0.0625 + 4 + 0.01, 0.125, 4.0, 0.0],
        [0.125, 4.25, -2.0, 2.0],
        [4.0, -2.0, 5.0, -1.0],
        [0.0, 2.0, -1.0, 1.0],
    ]
    np.testing.assert_allclose(diamond().covariance(), expected, atol=1e-13)


@pytest.mark.parametrize("seed", range(4))
def test_sample_moments_approach_the_exact_ones(seed):
    network = random_gaussian_network(6, max_parents=2, random_state=seed)
    data = network.sample(200_000, random_state=seed)
    values = np.stack([data.values(i) for i in range(6)])
    spread = np.sqrt(np.diag(network.covariance()))
    np.testing.assert_allclose(values.mean(axis=1) / spread, network.mean() / spread, atol=0.015)
    scale = np.outer(spread, spread)
    np.testing.assert_allclose(np.cov(values) / scale, network.covariance() / scale, atol=0.02)


def test_log_likelihood_is_the_multivariate_normal_density():
    network = diamond()
    data = network.sample(50, random_state=0)
    values = np.stack([data.values(i) for i in range(4)], axis=1)
    expected = multivariate_normal(network.mean(), network.covariance()).logpdf(values)
    np.testing.assert_allclose(network.log_likelihood(data), expected, rtol=1e-9)


def test_same_seed_gives_same_rows_of_continuous_columns():
    first, again = (diamond().sample(100, random_state=9) for _ in range(2))
    assert first.fingerprint == again.fingerprint
    assert first.names == ("d", "b", "c", "a")
    assert first.kind(0) is Kind.CONTINUOUS


def test_do_fixes_the_node_and_severs_it():
    acted = diamond().do({"b": 1.5})
    assert acted.dag.parents("b") == frozenset()
    np.testing.assert_allclose(acted.mean(), [0.75 - 2 + 2, 1.5, -2.0, 1.0], atol=1e-14)
    assert acted.covariance()[1].tolist() == [0.0, 0.0, 0.0, 0.0]
    sample = acted.sample(10, random_state=0)
    assert set(sample.values(1).tolist()) == {1.5}


def test_do_takes_a_mean_and_a_standard_deviation():
    acted = diamond().do({"b": (1.0, 3.0)})
    assert acted.covariance()[1, 1] == pytest.approx(9.0)
    assert acted.covariance()[1, 3] == 0.0


def test_do_of_an_unknown_node_names_it():
    with pytest.raises(GraphError, match="zebra"):
        diamond().do({"zebra": 1.0})


def test_there_is_no_density_without_noise():
    acted = diamond().do({"b": 1.5})
    with pytest.raises(NetworkFormatError, match="'b' has no noise"):
        acted.log_likelihood(acted.sample(5, random_state=0))


@pytest.mark.parametrize(
    ("intercepts", "coefficients", "deviations", "message"),
    [
        ({"a": 0.0}, {"b": {"a": 1.0}}, {"a": 1.0, "b": 1.0}, "no intercept for 'b'"),
        ({"a": 0.0, "b": 0.0}, {"b": {"a": 1.0}}, {"a": 1.0}, "no standard deviation for 'b'"),
        ({"a": 0.0, "b": 0.0}, {}, {"a": 1.0, "b": 1.0}, "'b' are for no node, .* are 'a'"),
        (
            {"a": 0.0, "b": 0.0},
            {"a": {"b": 1.0}, "b": {"a": 1.0}},
            {"a": 1.0, "b": 1.0},
            "'a' are for 'b', but its parents are none",
        ),
        (
            {"a": 0.0, "b": 0.0},
            {"b": {"a": 1.0}, "c": {}},
            {"a": 1.0, "b": 1.0},
            "coefficients for 'c'",
        ),
        ({"a": 0.0, "b": 0.0}, {"b": {"a": 1.0}}, {"a": 1.0, "b": -1.0}, "'b' is negative"),
        ({"a": np.nan, "b": 0.0}, {"b": {"a": 1.0}}, {"a": 1.0, "b": 1.0}, "intercept of .*'a'"),
        ({"a": 0.0, "b": 0.0}, {"b": {"a": np.inf}}, {"a": 1.0, "b": 1.0}, "coefficient of .*'b'"),
    ],
)
def test_an_inconsistent_network_is_refused_by_name(intercepts, coefficients, deviations, message):
    with pytest.raises(NetworkFormatError, match=message):
        GaussianNetwork(PAIR, intercepts, coefficients, deviations)
