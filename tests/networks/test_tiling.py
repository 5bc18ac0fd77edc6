import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.errors import OptionError
from eiderdown.networks import load, random_network, tile
from eiderdown.networks.tiling import random_table_with_marginal
from examples import examples


def copy_of(name):
    return int(re.search(r"_t(\d+)$", name)[1])


@examples(32)
@given(
    seed=st.integers(0, 10_000),
    n_nodes=st.integers(1, 5),
    n_tiles=st.integers(1, 4),
    max_new_parents=st.integers(0, 3),
    concentration=st.sampled_from([0.05, 0.3, 1.0, 5.0]),
)
def test_every_copy_keeps_the_joint_distribution_of_the_original(
    seed, n_nodes, n_tiles, max_new_parents, concentration
):
    small = random_network(n_nodes, max_parents=2, concentration=concentration, random_state=seed)
    large = tile(small, n_tiles, max_new_parents=max_new_parents, random_state=seed)
    for k in range(n_tiles):
        copied = large.marginal(*(f"{node}_t{k}" for node in small.dag.nodes))
        np.testing.assert_allclose(copied, small.joint(), rtol=0, atol=1e-9)


@examples(16)
@given(seed=st.integers(0, 10_000), max_new_parents=st.integers(0, 3))
def test_only_roots_receive_parents_and_only_from_earlier_copies(seed, max_new_parents):
    small = random_network(6, max_parents=2, random_state=seed)
    large = tile(small, 4, max_new_parents=max_new_parents, random_state=seed)
    inside = {(a, b) for a, b in large.dag.edges if copy_of(a) == copy_of(b)}
    assert inside == {(f"{a}_t{k}", f"{b}_t{k}") for a, b in small.dag.edges for k in range(4)}
    for a, b in set(large.dag.edges) - inside:
        assert copy_of(a) < copy_of(b)
        assert not small.dag.parents(b.rsplit("_t", 1)[0])
    assert max(len(large.dag.parents(v)) for v in large.dag.nodes) <= max(max_new_parents, 2)


def test_every_copy_after_the_first_is_joined_to_an_earlier_one():
    large = tile(load("alarm"), 20, random_state=1)
    joined = {copy_of(b) for a, b in large.dag.edges if copy_of(a) != copy_of(b)}
    assert joined == set(range(1, 20))


def test_new_edges_are_dependences():
    large = tile(load("asia"), 6, random_state=1)
    new = [(a, b) for a, b in large.dag.edges if copy_of(a) != copy_of(b)]
    assert len(new) >= 5
    for a, b in new:
        joint = large.marginal(a, b)
        independent = np.outer(large.marginal(a), large.marginal(b))
        assert np.abs(joint - independent).max() > 1e-6


def test_zero_new_parents_leave_the_copies_apart():
    large = tile(load("asia"), 3, max_new_parents=0, random_state=1)
    assert large.dag.n_edges == 3 * 8


@pytest.mark.parametrize(
    ("name", "n_tiles", "n_nodes"), [("alarm", 135, 4_995), ("hailfinder", 90, 5_040)]
)
def test_five_thousand_variables_keep_their_marginals(name, n_tiles, n_nodes):
    small = load(name)
    large = tile(small, n_tiles, random_state=7)
    assert large.dag.n_nodes == n_nodes
    by_size = sorted(large.dag.nodes, key=lambda v: len(large.dag.ancestors(v)))
    for node in by_size[:: n_nodes // 20][:12]:
        original = small.marginal(node.rsplit("_t", 1)[0])
        np.testing.assert_allclose(large.marginal(node), original, rtol=0, atol=1e-9)


def test_same_seed_gives_the_same_network():
    one, two, three = (tile(load("asia"), 4, random_state=s) for s in (1, 1, 2))
    assert one.dag == two.dag
    assert one.dag != three.dag
    assert all(np.array_equal(one.table(v), two.table(v)) for v in one.dag.nodes)


def test_illegal_options_are_named():
    with pytest.raises(OptionError, match="n_tiles"):
        tile(load("asia"), 0)
    with pytest.raises(OptionError, match="max_new_parents"):
        tile(load("asia"), 2, max_new_parents=-1)


@examples(40)
@given(seed=st.integers(0, 10_000), n_rows=st.integers(1, 12), n_columns=st.integers(1, 6))
def test_fitted_tables_give_back_the_marginal_even_with_impossible_levels(seed, n_rows, n_columns):
    generator = np.random.default_rng(seed)
    weights = generator.dirichlet(np.full(n_rows, 0.3)) * (generator.random(n_rows) < 0.8)
    weights = weights / weights.sum() if weights.sum() > 0 else np.full(n_rows, 1 / n_rows)
    marginal = np.where(generator.random(n_columns) < 0.8, generator.random(n_columns), 0.0)
    marginal = (
        marginal / marginal.sum() if marginal.sum() > 0 else np.full(n_columns, 1 / n_columns)
    )
    table = random_table_with_marginal(weights, marginal, generator=generator)
    np.testing.assert_allclose(table.sum(axis=1), 1.0, atol=1e-13)
    np.testing.assert_allclose(weights @ table, marginal, rtol=0, atol=1e-12)
    assert (table[:, marginal == 0] == 0).all()


def test_nodes_whose_marginal_is_too_costly_give_no_new_edges(monkeypatch):
    monkeypatch.setattr("eiderdown.networks.tiling._MAX_CELLS", 4)
    large = tile(load("asia"), 20, random_state=1)
    new_parents = {a.rsplit("_t", 1)[0] for a, b in large.dag.edges if copy_of(a) != copy_of(b)}
    assert new_parents == {"asia", "smoke", "tub", "lung", "bronc"}
