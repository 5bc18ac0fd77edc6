"""Regions are compared as the experiment on Brown (2009), chapter IV, says."""

from __future__ import annotations

import runpy
from itertools import product
from pathlib import Path
from statistics import fmean
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.graphs import PDAG
from eiderdown.networks import random_fan_in_dag
from examples import examples

FOLDER = Path(__file__).parents[2] / "experiments"
measures = SimpleNamespace(**runpy.run_path(str(FOLDER / "brown2009_region_measures.py")))
published = SimpleNamespace(**runpy.run_path(str(FOLDER / "brown2009_published_regions.py")))
pairs = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda pair: tuple(map(float, pair))),
    min_size=2,
    max_size=7,
)


def share_of_flips(first, second):
    """Flip the signs of differences in all ways; how often is the mean as far from zero?"""
    differences = np.subtract(first, second)
    means = [abs(fmean(differences * signs)) for signs in product((1, -1), repeat=len(first))]
    return fmean(mean >= means[0] - 1e-12 for mean in means)


@examples(16)
@given(pairs)
def test_the_p_value_of_few_pairs_is_the_share_of_all_exchanges(drawn):
    first, second = zip(*drawn, strict=True)
    found = measures.p_value(first, second, seed=0)
    assert found == pytest.approx(share_of_flips(first, second))


def test_the_p_value_of_many_pairs_is_near_the_exact_one():
    generator = np.random.default_rng(1)
    first, second = generator.normal(0.35, 1.0, 18), generator.normal(0.0, 1.0, 18)
    exact = share_of_flips(first, second)
    assert 0.01 < exact < 0.5
    assert measures.p_value(first, second, seed=2) == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize(
    ("found", "true", "distance"),
    [
        ("A->B<-C", "A->B<-C", 0),
        ("A--B", "A->B<-C", 2),  # one to direct, one to add
        ("A->B", "B->A", 1),
        ("A--B, C", "A--B, D", 0),  # nodes without edges do not count
        ("A--B--C", "A--D--E", 4),
    ],
)
def test_a_region_is_as_far_as_it_has_edges_to_add_delete_or_direct(found, true, distance):
    distances = [
        measures.region_distance(*map(PDAG.from_string, graphs))
        for graphs in ((found, true), (true, found))
    ]
    assert distances == [distance, distance]


def test_the_distance_from_a_lone_target_is_the_number_of_edges():
    for seed in range(5):
        pattern = random_fan_in_dag(30, max_parents=3, random_state=seed).to_cpdag()
        region = pattern.region("x3", 2)
        assert measures.region_distance(PDAG(["x3"]), region) == region.n_edges


def test_growth_is_the_power_of_the_size():
    sizes = (10, 30, 100)
    assert measures.growth(sizes, [2.0 * n for n in sizes]) == pytest.approx(1.0)
    assert measures.growth(sizes, [0.1 * n**2 for n in sizes]) == pytest.approx(2.0)


def test_the_published_tables_agree_with_the_text_of_the_thesis():
    shares = np.array(list(published.TIME_SHARES.values()))
    assert shares.mean(axis=0).round().tolist() == [12, 22, 34, 44, 54]
    distances = np.array(list(published.GPC_DISTANCES.values()))
    assert (distances.size, int((distances > 0).sum())) == (85, 9)
    assert published.TIME_SHARES.keys() == published.DISTANCES.keys()
    assert {name for name, _ in published.TIME_SHARES} == published.NETWORKS.keys()


@pytest.fixture
def outcomes(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return SimpleNamespace(**runpy.run_path(str(FOLDER / "brown2009_region_outcomes.py")))


def test_outcomes_are_means_over_samples_and_targets(outcomes):
    def cell(seconds, distances):
        """One sample, one target at five depths; a local search of half the whole's seconds."""
        local = [[[seconds / 2, seconds / 4, 3, distance]] for distance in distances]
        return {
            "whole": {"mmhc": [seconds, seconds / 2, 7]},
            "regions": {"mmhc": [[[1]] for _ in distances], "region_mmhc": local},
        }

    found = outcomes.Outcome([cell(2.0, (0, 1, 2, 3, 4)), cell(4.0, (2, 3, 4, 5, 6))])
    assert found.has("region_mmhc")
    assert not found.has("gpc")
    assert found.seconds("mmhc", 1) == [2.0, 4.0]
    assert found.time_share("region_mmhc", "mmhc", 1) == pytest.approx(50.0)
    assert found.time_share("region_mmhc", "mmhc", 1, outcomes.BEFORE_CLIMB) == pytest.approx(50.0)
    assert [found.excess("region_mmhc", "mmhc", d) for d in (1, 5)] == [0.0, 4.0]
    assert found.n_nodes("region_mmhc", 2) == 3.0
    assert found.whole("mmhc", 2) == 7.0
