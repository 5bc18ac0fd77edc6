import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from network_examples import naive_joint, sprinkler
from scipy.stats import chisquare

from eiderdown.data import Dataset
from eiderdown.errors import (
    GraphError,
    NetworkFormatError,
    OptionError,
    TooManyCellsError,
    UnknownColumnError,
    UnseenCategoryError,
)
from eiderdown.graphs import DAG
from eiderdown.networks import DiscreteNetwork, load, random_network
from examples import examples

COIN = DAG.from_string("coin")
PAIR = DAG.from_string("a->b")
TWO = {"a": ["lo", "hi"], "b": ["lo", "hi"]}


def observed_counts(network, data):
    codes = [data.codes(i) for i in range(data.n_columns)]
    shape = tuple(network.n_states)
    cells = np.ravel_multi_index(codes, shape)
    return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape)


@pytest.mark.parametrize("seed", range(5))
def test_sampled_cells_follow_the_exact_joint(seed):
    network = sprinkler()
    n_rows = 100_000
    counts = observed_counts(network, network.sample(n_rows, random_state=seed))
    joint = network.joint()
    assert counts[joint == 0].sum() == 0
    possible = joint > 0
    assert chisquare(counts[possible], n_rows * joint[possible]).pvalue > 1e-4


def test_sampled_marginals_of_alarm_follow_the_exact_ones():
    alarm = load("alarm")
    data = alarm.sample(200_000, random_state=4)
    for i, node in enumerate(alarm.dag.nodes):
        frequencies = np.bincount(data.codes(i), minlength=len(alarm.states(node))) / data.n_rows
        np.testing.assert_allclose(frequencies, alarm.marginal(node), atol=0.006)


def test_same_seed_gives_same_rows_and_another_seed_does_not():
    network = sprinkler()
    first, again, other = (network.sample(500, random_state=s) for s in (1, 1, 2))
    assert first.fingerprint == again.fingerprint
    assert first.fingerprint != other.fingerprint


def test_sample_has_a_column_per_node_with_the_declared_levels():
    data = sprinkler().sample(3, random_state=0)
    assert data.names == ("wet", "rain", "cloud", "sprinkler")
    assert data.categories(2) == ("clear", "some", "grey")
    assert data.codes(2).dtype == np.uint8


def test_sampling_more_rows_than_one_block_fills_all_of_them():
    always = DiscreteNetwork(COIN, {"coin": ["h", "t"]}, {"coin": [0.0, 1.0]})
    codes = always.sample(70_000, random_state=0).codes(0)
    assert codes.sum() == 70_000


def test_a_node_with_300_levels_is_sampled_over_all_of_them():
    wide = DiscreteNetwork(
        COIN, {"coin": [f"{i:03}" for i in range(300)]}, {"coin": np.full(300, 1 / 300)}
    )
    codes = wide.sample(20_000, random_state=0).codes(0)
    assert len(np.unique(codes)) == 300


@examples(24)
@given(seed=st.integers(0, 10_000), n_nodes=st.integers(1, 6))
def test_joint_equals_the_product_of_the_tables(seed, n_nodes):
    network = random_network(n_nodes, max_parents=3, random_state=seed)
    np.testing.assert_allclose(network.joint(), naive_joint(network), atol=1e-14)


@examples(24)
@given(seed=st.integers(0, 10_000), data=st.data())
def test_marginal_sums_the_joint_in_the_order_asked(seed, data):
    network = random_network(6, max_parents=3, random_state=seed)
    nodes = network.dag.nodes
    wanted = data.draw(st.permutations(nodes).map(lambda p: p[:3]))
    axes = [network.dag.index(node) for node in wanted]
    summed = naive_joint(network).sum(axis=tuple(set(range(6)) - set(axes)))
    expected = summed.transpose(np.argsort(np.argsort(axes)))
    np.testing.assert_allclose(network.marginal(*wanted), expected, atol=1e-13)


def test_known_marginals_of_asia():
    asia = load("asia")
    np.testing.assert_allclose(asia.marginal("tub"), [0.0104, 0.9896], atol=1e-12)
    np.testing.assert_allclose(asia.marginal("lung"), [0.055, 0.945], atol=1e-12)
    np.testing.assert_allclose(asia.marginal("either"), [0.064828, 0.935172], atol=1e-12)


def test_joint_beyond_the_limit_is_refused():
    with pytest.raises(TooManyCellsError, match=r"1\.73e\+16 cells over 37 nodes"):
        load("alarm").joint()


def test_marginal_refuses_a_repeated_node():
    with pytest.raises(OptionError, match="'rain', 'rain'"):
        sprinkler().marginal("rain", "rain")


def test_marginal_of_an_unknown_node_names_it():
    with pytest.raises(GraphError, match="snow"):
        sprinkler().marginal("snow")


def test_do_follows_the_truncated_factorisation():
    network = sprinkler()
    acted = network.do({"sprinkler": "on"})
    assert acted.dag.parents("sprinkler") == frozenset()
    assert acted.dag.parents("wet") == {"rain", "sprinkler"}
    truncated = np.zeros(tuple(network.n_states))
    cloud, rain, wet = (network.table(v) for v in ("cloud", "rain", "wet"))
    for w, r, c in np.ndindex(2, 2, 3):
        truncated[w, r, c, 1] = cloud[c] * rain[c, r] * wet[r, 1, w]
    np.testing.assert_allclose(acted.joint(), truncated, atol=1e-15)


def test_do_severs_the_node_from_its_causes_in_samples():
    data = sprinkler().do({"sprinkler": "on"}).sample(1_000, random_state=1)
    assert set(data.codes(data.index("sprinkler")).tolist()) == {1}


def test_do_does_not_change_the_causes():
    acted = sprinkler().do({"wet": "damp"})
    np.testing.assert_allclose(acted.marginal("rain"), sprinkler().marginal("rain"))


def test_do_takes_a_distribution_over_levels():
    acted = sprinkler().do({"cloud": {"grey": 0.25, "clear": 0.75}})
    np.testing.assert_allclose(acted.marginal("cloud"), [0.75, 0.0, 0.25])


def test_do_leaves_the_original_alone():
    network = sprinkler()
    network.do({"rain": "yes"})
    assert network.dag.parents("rain") == {"cloud"}


def test_do_names_an_unknown_level_and_an_unknown_node():
    with pytest.raises(UnseenCategoryError, match=r"'rain' cannot be set to 'heavy'.*'no', 'yes'"):
        sprinkler().do({"rain": "heavy"})
    with pytest.raises(GraphError, match="snow"):
        sprinkler().do({"snow": "yes"})
    with pytest.raises(NetworkFormatError, match=r"'rain' without parents sum to 0.5"):
        sprinkler().do({"rain": {"yes": 0.5}})


def test_log_likelihood_is_the_log_of_the_joint_cell():
    network = sprinkler()
    data = network.sample(200, random_state=3)
    cells = tuple(data.codes(i) for i in range(4))
    np.testing.assert_allclose(network.log_likelihood(data), np.log(network.joint()[cells]))


def test_log_likelihood_matches_levels_by_name_not_by_code():
    network = DiscreteNetwork(COIN, {"coin": ["tails", "heads"]}, {"coin": [0.9, 0.1]})
    data = Dataset.from_columns({"coin": ["heads", "tails"]})
    np.testing.assert_allclose(network.log_likelihood(data), np.log([0.1, 0.9]))


def test_log_likelihood_of_an_impossible_row_is_minus_infinity():
    network = DiscreteNetwork(COIN, {"coin": ["h", "t"]}, {"coin": [1.0, 0.0]})
    data = Dataset.from_columns({"coin": ["h", "t"]})
    assert network.log_likelihood(data).tolist() == [0.0, -np.inf]


def test_log_likelihood_names_an_unseen_level_and_a_missing_column():
    network = DiscreteNetwork(COIN, {"coin": ["h", "t"]}, {"coin": [0.5, 0.5]})
    with pytest.raises(UnseenCategoryError, match="'coin' holds 'edge'"):
        network.log_likelihood(Dataset.from_columns({"coin": ["h", "edge"]}))
    with pytest.raises(UnknownColumnError, match="coin"):
        network.log_likelihood(Dataset.from_columns({"die": ["h", "t"]}))


def test_rows_near_one_are_rescaled_and_stored_read_only():
    network = DiscreteNetwork(COIN, {"coin": ["h", "t"]}, {"coin": [0.333333, 0.666666]})
    table = network.table("coin")
    assert table.sum() == pytest.approx(1.0, abs=1e-15)
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 1.0


def test_later_changes_to_the_given_table_do_not_show():
    given = np.array([0.5, 0.5])
    network = DiscreteNetwork(COIN, {"coin": ["h", "t"]}, {"coin": given})
    given[0] = 0.9
    assert network.table("coin").tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("states", "tables", "message"),
    [
        (TWO, {"a": [0.5, 0.5], "b": [[0.5, 0.5], [0.5, 0.4]]}, "'b' given a='hi' sum to 0.9"),
        (TWO, {"a": [0.5, 0.5], "b": [[0.5, 0.5], [1.5, -0.5]]}, "'b' given a='hi' must be"),
        (TWO, {"a": [0.5, np.nan], "b": np.full((2, 2), 0.5)}, "'a' without parents must be"),
        (TWO, {"a": [0.5, 0.5], "b": [0.5, 0.5]}, r"'b' has shape \(2,\).*\(2, 2\)"),
        (TWO, {"a": [0.5, 0.5]}, "no table for 'b'"),
        ({"a": ["lo", "hi"]}, {"a": [0.5, 0.5], "b": [0.5, 0.5]}, "no list of states for 'b'"),
        (TWO | {"c": ["x"]}, {}, "states for 'c', which the graph does not have"),
        (TWO | {"b": ["x", "x"]}, dict.fromkeys("ab", 0), "'b' has a state twice"),
        (TWO | {"b": []}, dict.fromkeys("ab", 0), "'b' has no states"),
    ],
)
def test_an_inconsistent_network_is_refused_by_name(states, tables, message):
    with pytest.raises(NetworkFormatError, match=message):
        DiscreteNetwork(PAIR, states, tables)


@pytest.mark.parametrize("n_rows", [-1, 0, 2.5, True])
def test_sample_refuses_a_row_count_that_is_not_one(n_rows):
    with pytest.raises(OptionError, match=r"n_rows.*at least 1"):
        sprinkler().sample(n_rows)
