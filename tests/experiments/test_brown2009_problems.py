"""The simulated problems of Brown (2009) are what their descriptions claim."""

from __future__ import annotations

import runpy
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import chi2, ncx2

FOLDER = Path(__file__).parents[2] / "experiments"
problems = SimpleNamespace(**runpy.run_path(str(FOLDER / "brown2009_problems.py")))
published = SimpleNamespace(**runpy.run_path(str(FOLDER / "brown2009_published_boundaries.py")))
CORES = {"double_xor": problems.double_xor_core(), "redundant": problems.redundant_core()}
core_and_tiles = pytest.mark.parametrize(("core", "n_tiles"), [("double_xor", 4), ("redundant", 7)])


def correlation(table):
    """Return the correlation of two binary variables with this joint distribution."""
    (a, b), (c, d) = table
    return (a * d - b * c) / np.sqrt(table.sum(axis=0).prod() * table.sum(axis=1).prod())


def chance_to_be_seen(strength, n_rows):
    """Return the power of a chi-square test at 5 % with one degree of freedom."""
    return ncx2.sf(chi2.ppf(0.95, 1), 1, n_rows * strength**2)


def test_no_variable_and_only_two_pairs_of_the_double_xor_tell_anything_about_the_target():
    core = CORES["double_xor"]
    others = [node for node in core.dag.nodes if node != "T"]
    for node in others:
        assert correlation(core.marginal(node, "T")) == pytest.approx(0.0, abs=1e-15)
    telling = set()
    for pair in combinations(others, 2):
        joint = core.marginal(*pair, "T")
        product = np.outer(joint.sum(axis=2).ravel(), joint.sum(axis=(0, 1)))
        if not np.allclose(joint.reshape(4, 2), product):
            telling.add(pair)
    assert telling == {("x1", "x2"), ("x3", "x4")}


def test_noisy_xor_holds_with_probability_seven_tenths():
    joint = CORES["double_xor"].marginal("x1", "x2", "T")
    agreeing = sum(joint[a, b, a ^ b] for a in (0, 1) for b in (0, 1))
    assert agreeing == pytest.approx(0.7)


def test_redundant_mechanism_hides_x1_completely_and_shows_it_given_x2():
    core = CORES["redundant"]
    assert correlation(core.marginal("x1", "T")) == pytest.approx(0.0, abs=1e-15)
    given_x2 = core.marginal("x1", "T", "x2")
    assert all(abs(correlation(given_x2[..., level])) > 0.05 for level in (0, 1))


def test_strengths_of_the_redundant_mechanism_are_those_its_description_states():
    core = CORES["redundant"]
    joint = core.joint()
    product = np.stack([joint[0, 1] + joint[1, 0], joint[0, 0] + joint[1, 1]])
    rows = np.array([500, 1000, 1500, 2000])
    for table, stated in (
        (core.marginal("x2", "T"), [12, 19, 26, 33]),
        (product, [76, 97, 100, 100]),
    ):
        seen = 100 * chance_to_be_seen(correlation(table), rows)
        np.testing.assert_allclose(seen, stated, atol=0.6)


@core_and_tiles
def test_embedding_keeps_the_joint_distribution_of_the_core(core, n_tiles):
    small = CORES[core]
    large = problems.embedded(small, n_tiles)
    np.testing.assert_allclose(large.marginal(*small.dag.nodes), small.joint(), atol=1e-15)


@core_and_tiles
def test_embedding_adds_one_edge_to_each_tile_and_none_from_the_target(core, n_tiles):
    small = CORES[core]
    large = problems.embedded(small, n_tiles)
    bridges = [(a, b) for a, b in large.dag.edges if a in small.dag.nodes and "_t" in b]
    assert sorted(b.rpartition("_t")[2] for _, b in bridges) == [str(k) for k in range(n_tiles)]
    assert {a for a, _ in bridges} == set(small.dag.nodes) - {"T"}


@core_and_tiles
def test_hung_root_depends_on_its_hook_but_keeps_its_marginal(core, n_tiles):
    alarm = problems.networks.load("alarm")
    small = CORES[core]
    large = problems.embedded(small, n_tiles)
    for hook, root in large.dag.edges:
        if hook in small.dag.nodes and "_t" in root:
            original = alarm.table(root.rpartition("_t")[0])
            np.testing.assert_allclose(large.marginal(root), original, atol=1e-9)
            assert not np.allclose(*large.table(root), atol=1e-3)


@core_and_tiles
def test_every_variable_of_a_tile_is_superfluous_but_connected_to_the_target(core, n_tiles):
    small = CORES[core]
    dag = problems.embedded(small, n_tiles).dag
    boundary = set(small.dag.nodes) - {"T"}
    assert dag.markov_boundary("T") == boundary
    reached, front = {"T"}, ["T"]
    while front:
        near = {other for edge in dag.edges if front[-1] in edge for other in edge}
        front = front[:-1] + sorted(near - reached)
        reached |= near
    assert reached == set(dag.nodes)


@pytest.mark.parametrize(
    ("make", "n_tiles", "n_variables"),
    [
        ("double_xor", 0, 4),
        ("double_xor", 4, 152),
        ("double_xor", 19, 707),
        ("redundant_mechanism", 0, 2),
        ("redundant_mechanism", 7, 261),
        ("redundant_mechanism", 12, 446),
    ],
)
def test_embedded_problems_have_the_sizes_of_the_thesis(make, n_tiles, n_variables):
    problem = getattr(problems, make)(n_tiles)
    sample = problem.draw(20, np.random.default_rng(0))
    assert problem.n_variables == n_variables
    assert sample.matrix.shape == (20, n_variables)
    assert sample.matrix.min() >= -1.0
    assert sample.matrix.max() <= 1.0


def test_levels_become_evenly_spaced_numbers_and_the_table_is_discrete():
    sample = problems.double_xor(4).draw(400, np.random.default_rng(1))
    table = sample.table()
    assert table.n_columns == 153
    assert set(table.categories(table.index("MINVOLSET_t0"))) == {-1.0, 0.0, 1.0}
    assert table.categories(table.index("T")) == (0, 1)
    column = np.array(table.categories(0))[table.codes(0)]
    np.testing.assert_array_equal(column, sample.matrix[:, 0])


def test_class_of_circle_and_checkerboard_follows_from_the_relevant_variables():
    inside = problems.circle(5).draw(200, np.random.default_rng(2))
    x1, x2 = inside.matrix[:, 0], inside.matrix[:, 1]
    np.testing.assert_array_equal(inside.classes, np.hypot(x1, x2) < np.sqrt(0.5))
    board = problems.checkerboard(5).draw(200, np.random.default_rng(2))
    n_negative = (board.matrix[:, :3] < 0).sum(axis=1)
    np.testing.assert_array_equal(board.classes, n_negative % 2 == 0)


def test_parity_is_switched_as_often_as_the_noise_says():
    sample = problems.parity(3, 10, 0.2).draw(20_000, np.random.default_rng(3))
    assert set(np.unique(sample.matrix)) == {-1.0, 1.0}
    n_negative = (sample.matrix[:, :3] < 0).sum(axis=1)
    switched = sample.classes != (n_negative % 2 == 0)
    assert switched.mean() == pytest.approx(0.2, abs=0.01)


@pytest.mark.parametrize("make", ["circle", "checkerboard"])
def test_same_seed_draws_the_same_rows(make):
    problem = getattr(problems, make)(4)
    first, second = (problem.draw(30, np.random.default_rng(7)) for _ in range(2))
    np.testing.assert_array_equal(first.matrix, second.matrix)
    np.testing.assert_array_equal(first.classes, second.classes)


def test_published_distances_are_possible_given_published_sensitivity_and_specificity():
    # A mean distance is at least the distance of the means; a slip of the pen would show.
    for by_rows in published.BOUNDARIES.values():
        for cells in by_rows.values():
            for cell in cells.values():
                least = np.hypot(1 - cell.sensitivity, 1 - cell.specificity)
                assert least - 0.002 <= cell.distance <= np.sqrt(2)
