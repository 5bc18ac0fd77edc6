"""``measure_stability``: edges that come back on resampled rows, by any search."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from eiderdown import EdgeStability, measure_stability, networks
from eiderdown.api import LEARNERS, learn_network
from eiderdown.api.learners import verb_of
from eiderdown.boundary import GET_PC, KIAMB
from eiderdown.data import Dataset, cells
from eiderdown.errors import ConstantColumnError, EiderdownWarning, OptionError
from eiderdown.graphs import DAG, Skeleton
from eiderdown.independence import GSquareTest
from eiderdown.progress import Cancelled
from eiderdown.results import EdgeFrequency
from eiderdown.structure.constraint.pc_stable import PC_STABLE


@pytest.fixture(scope="module")
def asia():
    return networks.load("asia").sample(1_000, random_state=0)


def measured(data, **options):
    options = {"resamples": 8, "random_state": 0, "progress": False} | options
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EiderdownWarning)
        return measure_stability(data, **options)


def test_directions_that_equivalent_graphs_do_not_share_are_not_counted(asia):
    found = measured(asia.select(["smoke", "bronc"]), algorithm="hill_climbing", score="bic")
    assert found.n_resamples == 8
    assert found.edges == (EdgeFrequency("bronc", "smoke", 1.0, 0.0, 0.0),)
    assert found.run.algorithm == "hill_climbing"
    assert found.run.options["resamples"] == 8


def test_same_seed_finds_the_same_with_any_number_of_threads(asia):
    one = measured(asia, algorithm="pc_stable", n_jobs=1)
    two = measured(asia, algorithm="pc_stable", n_jobs=2)
    assert one.edges == two.edges
    assert one.nodes == two.nodes
    assert (one.run.n_tests, one.run.n_skipped) == (two.run.n_tests, two.run.n_skipped)
    assert one.run.n_tests > 100


def test_region_and_parents_children_by_name(asia):
    region = measured(asia, algorithm="gpc", target="smoke", depth=1)
    assert region.edge("smoke", "bronc").adjacent == 1.0
    assert min(region.nodes.values()) <= 1.0
    near = measured(asia, algorithm="get_pc", target="smoke", alpha=0.05)
    assert near.edge("smoke", "bronc") == EdgeFrequency("bronc", "smoke", 1.0, 0.0, 0.0)
    assert near.run.options["alpha"] == 0.05


def test_function_of_ones_own(asia):
    def strongest(data, seed):
        return Skeleton(["smoke", "lung"], [("smoke", "lung")])

    found = measured(asia, algorithm=strongest)
    assert found.edges == (EdgeFrequency("lung", "smoke", 1.0, 0.0, 0.0),)
    assert found.run.algorithm == "strongest"
    assert EdgeStability.from_json(found.to_json()) == found


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"algorithm": "no_such"}, "There is no search for graphs 'no_such'"),
        ({"algorithm": "pc_stable", "target": "smoke"}, "'pc_stable' learns the whole network"),
        ({"algorithm": "gpc"}, "'gpc' searches around a column; name it as target"),
        ({"algorithm": "get_pc", "target": "smoke", "score": "bic"}, "has no option 'score'"),
        ({"algorithm": "pc_stable", "n_workers": 2}, "no option 'n_workers'"),
        ({"algorithm": len, "alpha": 0.1}, "'alpha' must go into the function"),
        ({"algorithm": "pc_stable", "resamples": 0}, "resamples must be at least 1"),
        ({"algorithm": "pc_stable", "random_state": -1}, "random_state must be"),
        ({"algorithm": "pc_stable", "alpha": 7.0}, "alpha must be between 0 and 1"),
    ],
)
def test_impossible_wishes_are_refused_in_a_sentence(asia, options, reason):
    with pytest.raises(OptionError, match=reason):
        measured(asia, **options)


def test_what_most_searches_warn_of_is_said_once():
    rows = np.arange(400)
    constant = Dataset.from_columns({"a": rows % 2, "b": rows % 3, "c": np.ones(400)})
    with pytest.warns(EiderdownWarning) as caught:
        found = measure_stability(
            constant, algorithm="pc_stable", resamples=5, random_state=0, progress=False
        )
    assert found.warnings == ("Without edges because they have a single value: 'c'.",)
    assert [str(item.message) for item in caught] == list(found.warnings)


def test_refused_resamples_are_reported():
    rare = Dataset.from_columns({"a": [0] * 39 + [1], "b": np.arange(40) % 2})
    with pytest.warns(EiderdownWarning, match="of 20 resamples gave no graph; the first: Target"):
        found = measure_stability(
            rare, algorithm="get_pc", target="a", resamples=20, random_state=0, progress=False
        )
    assert 0 < found.n_resamples < 20
    assert found.complete


def test_if_every_resample_is_refused_the_reason_is_raised():
    constant = Dataset.from_columns({"a": [0] * 40, "b": np.arange(40) % 2})
    with pytest.raises(ConstantColumnError, match="'a'"):
        measured(constant, algorithm="get_pc", target="a")


def test_interrupted_before_the_first_graph_it_is_an_interruption(asia):
    def interrupted(data, seed):
        raise Cancelled

    with pytest.raises(KeyboardInterrupt):
        measured(asia, algorithm=interrupted, n_jobs=1)


def test_interrupted_later_it_says_how_many_are_done(asia):
    n_calls = []

    def interrupted(data, seed):
        n_calls.append(seed)
        if len(n_calls) == 4:
            raise Cancelled
        return DAG(["smoke"])

    with pytest.warns(EiderdownWarning, match="Interrupted: 3 of 8 resamples are done"):
        found = measure_stability(
            asia, algorithm=interrupted, n_jobs=1, resamples=8, progress=False
        )
    assert (found.complete, found.n_resamples) == (False, 3)


def test_interrupted_search_does_not_count(asia):
    tests = []

    class Interrupted(GSquareTest):
        def _sweep(self, candidates, target, given):
            if len(tests) == 3:
                raise Cancelled
            return super()._sweep(candidates, target, given)

    def make(data):
        tests.append(Interrupted(data, n_jobs=1))
        return tests[-1]

    found = measured(asia, algorithm="pc_stable", test=make, n_jobs=1)
    assert (found.complete, found.n_resamples) == (False, 2)


def test_time_limit_returns_the_resamples_so_far(asia):
    measured(asia, algorithm="pc_stable", resamples=1, n_jobs=1)  # compiles
    found = measured(asia, algorithm="pc_stable", resamples=1_000_000, time_limit=2.0, n_jobs=1)
    assert 0 < found.n_resamples < 1_000_000
    assert not found.complete


# Searches that can be named.


def test_every_search_has_one_name_and_a_verb():
    assert len(LEARNERS.names) > 20
    assert {"mmhc", "gpc", "get_pc", "iamb"} <= set(LEARNERS.names)
    assert {verb_of(search).__name__ for search in LEARNERS} == {
        "learn_network",
        "learn_region",
        "find_parents_children",
        "find_boundary",
    }
    assert LEARNERS["kiamb"].with_texts({"fraction": "0.3"}) == KIAMB(fraction=0.3)


def test_configured_searches_and_searches_of_ones_own(asia):
    near = measured(asia, algorithm=GET_PC(alpha=0.05), target="smoke")
    assert near.edges == measured(asia, algorithm="get_pc", alpha=0.05, target="smoke").edges
    own = replace(PC_STABLE, name="my_pc")
    assert verb_of(own) is learn_network
    assert measured(asia, algorithm=own).run.algorithm == "my_pc"


def test_boundaries_have_no_edges_to_count(asia):
    with pytest.raises(OptionError, match="'iamb' is no choice here: it finds the Markov"):
        measured(asia, algorithm="iamb", target="smoke")


def test_nobody_takes_the_fingerprint_of_a_resample(monkeypatch):
    data, taken = networks.load("asia").sample(300, random_state=0), []
    plain = cells.fingerprint_of

    def fingerprint_of(names, categories, blocks, finer):
        taken.append(blocks)
        return plain(names, categories, blocks, finer)

    monkeypatch.setattr(cells, "fingerprint_of", fingerprint_of)
    with warnings.catch_warnings(action="ignore"):
        found = measure_stability(data, algorithm="mmhc", resamples=3, random_state=0, n_jobs=1)
    assert taken == [data.blocks]
    assert found.run.fingerprint == data.fingerprint
