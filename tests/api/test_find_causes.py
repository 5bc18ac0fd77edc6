"""``find_causes``: directions with probabilities, the same however the work is done."""

from __future__ import annotations

import numpy as np
import pytest

from eiderdown import Orientation, find_causes, networks
from eiderdown.errors import EiderdownWarning, OptionError
from eiderdown.graphs import DAG
from eiderdown.networks.random import random_gaussian_network

ASIA = networks.load("asia").sample(3_000, random_state=100)
QUIET = {"progress": False}


@pytest.fixture(scope="module")
def found():
    return find_causes(ASIA, "either", n_jobs=1, **QUIET)


def test_causes_and_effects_of_asia_are_told_apart(found):
    assert {"lung", "tub"} <= set(found.causes)
    assert set(found.effects) == {"xray", "dysp"}
    assert (found.spouses[0].name, found.spouses[0].probability) == ("bronc", 1.0)
    assert found.spouses[0].children == ("dysp",)
    assert ("lung", "either") in found.graph.directed


def test_shares_sum_to_one_and_every_role_has_its_evidence(found):
    for role in found.neighbours:
        assert role.cause + role.effect + role.undecided == pytest.approx(1.0)
        assert "'either'" in role.why
    y_tests = [(y.c, y.d) for y in found.y_structures]
    for role in found.neighbours:
        assert role.child_tests == y_tests.count(("either", role.name))
        assert role.parent_tests == y_tests.count((role.name, "either"))
    likely = [role.likely_cause for role in found.neighbours]
    assert likely[0] > 0.5 > likely[-1]


def test_the_result_is_the_same_for_any_number_of_threads_and_comes_back_from_json(found):
    again = find_causes(ASIA, "either", n_jobs=2, **QUIET)
    assert (again.neighbours, again.spouses, again.graph) == (
        found.neighbours,
        found.spouses,
        found.graph,
    )
    assert Orientation.from_json(found.to_json()) == found
    assert "BDeu" in found.engine
    assert found.run.options["resamples"] == 20


def test_the_order_of_the_columns_decides_nothing(found):
    turned = find_causes(ASIA.select(ASIA.names[::-1]), "either", n_jobs=1, **QUIET)
    assert turned.neighbours == found.neighbours
    assert turned.graph == found.graph


def test_knowledge_decides():
    tiers = {"tiers": [["smoke"], ["bronc"]]}
    assert find_causes(ASIA, "bronc", knowledge=tiers, resamples=5, **QUIET).causes[0] == "smoke"
    other = find_causes(ASIA, "smoke", knowledge=tiers, resamples=5, **QUIET)
    assert other.neighbour("bronc").effect == 1.0
    assert other.neighbour("bronc").why.startswith("Known before")
    climbed = find_causes(
        ASIA, "smoke", knowledge=tiers, resamples=5, search="climb", n_jobs=1, **QUIET
    )
    assert "bronc" in climbed.effects
    assert climbed.engine.startswith("MMHC")


def test_without_directions_nothing_is_decided():
    data = networks.load("asia").sample(3_000, random_state=100).select(["smoke", "bronc"])
    (role,) = find_causes(data, "bronc", resamples=5, **QUIET).neighbours
    assert (role.role, role.undecided, role.likely_cause) == ("undecided", 1.0, 0.5)


def numbers(n_rows=600):
    dag = DAG.from_string("A->C<-B, C->D")
    network = random_gaussian_network(dag, random_state=3)
    return network.sample(n_rows, random_state=100)


def test_numbers_use_a_gaussian_score_and_bent_ones_the_kernel_score():
    straight = find_causes(numbers(), "C", resamples=5, **QUIET)
    assert straight.engine == "GES with the Gaussian BIC and BGe, for straight relations"
    assert (set(straight.causes), straight.effects) == ({"A", "B"}, ("D",))
    generator = np.random.default_rng(100)
    a, b = generator.normal(size=(2, 600))
    c = a**2 + b + 0.5 * generator.normal(size=600)
    d = np.tanh(2 * c) + 0.3 * generator.normal(size=600)
    bent = find_causes({"a": a, "b": b, "c": c, "d": d}, "c", resamples=5, **QUIET)
    assert bent.engine.endswith("for bent relations")
    assert set(bent.causes) == {"a", "b"}
    noise = generator.normal(size=600)
    table = {"a": np.where(a > 0, "high", "low"), "b": b, "c": np.sign(a) + b + noise}
    mixed = find_causes(table, "c", resamples=5, **QUIET)
    assert "for both kinds of columns" in mixed.engine
    assert set(mixed.causes) == {"a", "b"}


def test_rings_limit_the_region():
    data = networks.load("alarm").sample(1_000, random_state=100)
    near = find_causes(data, "HYPOVOLEMIA", depth=1, resamples=2, **QUIET)
    assert 1 < len(near.graph.nodes) < 10


def test_undeclared_indicators_are_warned_of():
    generator = np.random.default_rng(100)
    colour = generator.integers(0, 3, 500)
    table = {f"colour_{k}": (colour == k).astype(int) for k in range(3)}
    table["y"] = (generator.random(500) < 0.2 + 0.3 * colour).astype(int)
    with pytest.warns(EiderdownWarning, match="look like indicators of one category"):
        find_causes(table, "y", resamples=2, **QUIET)
    groups = {"colour": ["colour_0", "colour_1", "colour_2"]}
    found = find_causes(table, "y", resamples=2, column_groups=groups, **QUIET)
    assert [role.name for role in found.neighbours] == ["colour"]
    assert found.warnings == ()


def test_weighted_and_grouped_rows_are_taken():
    weights = np.random.default_rng(100).uniform(0.5, 1.5, ASIA.n_rows)
    weighted = find_causes(ASIA, "either", sample_weight=weights, resamples=3, **QUIET)
    assert weighted.engine.startswith("MMHC with BDeu")
    assert "xray" in [role.name for role in weighted.neighbours]
    grouped = find_causes(ASIA, "either", groups=np.arange(ASIA.n_rows) // 3, resamples=3, **QUIET)
    assert grouped.engine.startswith("GES with BDeu")
    assert "xray" in grouped.effects


def test_a_time_limit_returns_what_there_is():
    with pytest.warns(EiderdownWarning, match="Interrupted"):
        found = find_causes(ASIA, "either", time_limit=0, **QUIET)
    assert not found.complete
    assert found.neighbours == ()


def test_wrong_options_are_refused():
    with pytest.raises(OptionError, match="search must be"):
        find_causes(ASIA, "either", search="magic")
    with pytest.raises(OptionError, match="resamples must be at least 1"):
        find_causes(ASIA, "either", resamples=0)
