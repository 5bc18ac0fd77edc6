import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import norm

from eiderdown.data import Kind
from eiderdown.errors import NetworkFormatError, OptionError, UnseenCategoryError
from eiderdown.graphs import DAG
from eiderdown.networks import MixedNetwork, random_mixed_network

STATES = {"b": ["x", "y", "z"], "d": ["no", "yes"]}


def small():
    """Numbers a and c, categories b and d; every kind is a parent of every kind."""
    return MixedNetwork(
        DAG(["d", "c", "b", "a"], [("a", "b"), ("a", "c"), ("b", "c"), ("b", "d"), ("c", "d")]),
        STATES,
        {"a": 1.0, "b": [0.0, 0.5, -0.5], "c": -1.0, "d": [0.0, 0.3]},
        {
            "b": {"a": [[0.0, 1.0, -1.0]]},
            "c": {"a": [[2.0]], "b": [[1.0], [0.0], [-1.0]]},
            "d": {"b": [[0.0, 1.0], [0.0, 0.0], [0.0, -1.0]], "c": [[0.0, 0.7]]},
        },
        {"a": 0.5, "c": 0.2},
    )


def density(a, b, c, d):
    """The density of one row, straight from the definition."""
    of_b = softmax(np.array([0.0, 0.5, -0.5]) + a * np.array([0.0, 1.0, -1.0]))
    mean_c = -1.0 + 2.0 * a + [1.0, 0.0, -1.0][b]
    of_d = softmax([0.0, 0.3 + [1.0, 0.0, -1.0][b] + 0.7 * c])
    return norm(1.0, 0.5).pdf(a) * of_b[b] * norm(mean_c, 0.2).pdf(c) * of_d[d]


def test_log_likelihood_is_the_product_of_the_definition():
    data = small().sample(40, random_state=0)
    a, c = (data.values(data.index(v)) for v in "ac")
    b, d = (data.codes(data.index(v)) for v in "bd")
    expected = [np.log(density(*row)) for row in zip(a, b, c, d, strict=True)]
    np.testing.assert_allclose(small().log_likelihood(data), expected, rtol=1e-9)


def test_samples_follow_the_definition():
    data = small().sample(100_000, random_state=1)
    a, c = (data.values(data.index(v)) for v in "ac")
    b, d = (data.codes(data.index(v)) for v in "bd")
    residual = c - (-1.0 + 2.0 * a + np.array([1.0, 0.0, -1.0])[b])
    assert residual.std() == pytest.approx(0.2, abs=0.002)
    chances = softmax(np.array([0.0, 0.5, -0.5]) + a[:, None] * [0.0, 1.0, -1.0], axis=1)
    shares = np.bincount(b, minlength=3) / len(b)
    np.testing.assert_allclose(shares, chances.mean(axis=0), atol=0.006)
    of_d = softmax(np.stack([0 * c, 0.3 + np.array([1.0, 0.0, -1.0])[b] + 0.7 * c], axis=1), axis=1)
    for state in range(3):
        rows = b == state
        assert d[rows].mean() == pytest.approx(of_d[rows, 1].mean(), abs=0.02)


def test_kinds_names_and_seed():
    first, again = (small().sample(50, random_state=3) for _ in range(2))
    assert first.fingerprint == again.fingerprint
    assert first.names == ("d", "c", "b", "a")
    assert [first.kind(i) for i in range(4)] == [Kind.DISCRETE, Kind.CONTINUOUS] * 2
    assert small().states("b") == ("x", "y", "z")
    assert small().states("a") is None


def test_do_sets_numbers_and_categories_and_severs_them():
    acted = small().do({"a": 2.0, "b": "z", "c": (5.0, 3.0), "d": {"yes": 0.25, "no": 0.75}})
    assert acted.dag.n_edges == 0
    data = acted.sample(20_000, random_state=0)
    assert set(data.values(data.index("a"))) == {2.0}
    assert set(data.codes(data.index("b"))) == {2}
    c = data.values(data.index("c"))
    assert (c.mean(), c.std()) == (pytest.approx(5.0, abs=0.1), pytest.approx(3.0, abs=0.1))
    assert data.codes(data.index("d")).mean() == pytest.approx(0.25, abs=0.02)


def test_what_does_not_fit_is_refused():
    with pytest.raises(UnseenCategoryError, match="'b' cannot be set to 'w'"):
        small().do({"b": "w"})
    with pytest.raises(NetworkFormatError, match="'a' is a number and cannot be set to 'x'"):
        small().do({"a": "x"})
    pair = DAG.from_string("a->b")
    with pytest.raises(NetworkFormatError, match="effects on node 'b' are of no node"):
        MixedNetwork(pair, {}, {"a": 0.0, "b": 0.0}, {}, {"a": 1.0, "b": 1.0})
    with pytest.raises(NetworkFormatError, match=r"'b' has numbers of shape \(1,\)"):
        MixedNetwork(
            pair, {"b": ["x", "y"]}, {"a": 0.0, "b": 0.0}, {"b": {"a": [[0, 1]]}}, {"a": 1.0}
        )


def test_random_networks_are_half_numbers_and_the_same_for_a_seed():
    first, again = (random_mixed_network(11, random_state=4) for _ in range(2))
    assert sum(first.states(node) is None for node in first.dag.nodes) == 6
    assert (
        first.sample(20, random_state=0).fingerprint == again.sample(20, random_state=0).fingerprint
    )
    with pytest.raises(OptionError, match="n_states"):
        random_mixed_network(5, n_states=(3, 2))
