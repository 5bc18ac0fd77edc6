"""Searches whose evidence is regression: classes, counts and times, among columns of any kind."""

import numpy as np
import pytest

import eiderdown
from eiderdown import find_boundary, find_parents_children, learn_network
from eiderdown.independence import CONFIRMED, REGRESSION


def causes(seed, n=600):
    """Eight columns of both kinds; what follows depends on "dose", "place" and "age"."""
    rng = np.random.default_rng(seed)
    age = rng.normal(size=n)
    table = {
        "age": age,
        "weight": 0.7 * age + rng.normal(size=n),
        "dose": np.exp(rng.normal(size=n)),
        "place": rng.choice(["north", "south", "west"], n),
        "group": rng.choice(["a", "b"], n),
        **{f"noise{i}": rng.normal(size=n) for i in range(3)},
    }
    effect = 0.8 * age + 0.8 * table["dose"] + 1.2 * (table["place"] == "west")
    return table, effect - effect.mean(), rng


def test_boundary_of_a_class_among_columns_of_both_kinds():
    table, effect, rng = causes(101)
    table["sick"] = np.where(effect + rng.logistic(size=600) > 0, "yes", "no")
    for test in ("regression", "confirmed"):
        found = find_boundary(table, target="sick", test=test)
        assert set(found.members) == {"age", "dose", "place"}
        assert found.run.options["family"] == "logistic"
        assert found.warnings == ()


def test_boundary_of_a_count():
    table, effect, rng = causes(102)
    table["visits"] = rng.poisson(np.exp(0.6 * effect) * rng.gamma(2.0, 0.5, 600)).astype(float)
    found = find_boundary(
        eiderdown.Dataset.of(table, kinds={"visits": "continuous"}),
        target="visits",
        test="regression",
    )
    assert set(found.members) == {"age", "dose", "place"}
    assert found.run.options["family"] == "negative_binomial"


def test_boundary_of_a_time_with_censored_rows():
    table, effect, rng = causes(103)
    time, end = rng.exponential(np.exp(-effect)), rng.exponential(1.0, size=600)
    table["months"], table["died"] = np.minimum(time, end), (time <= end).astype(int)
    cox = REGRESSION(event="died")
    found = find_boundary(table, target="months", test=cox)
    assert set(found.members) == {"age", "dose", "place"}
    assert found.run.options["family"] == "cox"
    assert "died" not in {item.variable for item in found.evidence}
    answer = eiderdown.test(table, "dose", "months", given=["age"], test=cox)
    assert answer.answer == "dependent"
    assert "regression (cox)" in str(answer)


def test_boundary_of_categories_in_order():
    table, effect, rng = causes(104)
    table["grade"] = np.digitize(effect + rng.logistic(size=600), [-1.0, 0.0, 1.0])
    found = find_boundary(table, target="grade", test=REGRESSION(family="ordinal"))
    assert set(found.members) == {"age", "dose", "place"}


@pytest.mark.parametrize("test", ["regression", "confirmed"])
def test_other_searches_take_it(test):
    table, effect, rng = causes(105)
    table["sick"] = np.where(effect + rng.logistic(size=600) > 0, "yes", "no")
    near = find_parents_children(table, target="sick", algorithm="mmpc", test=test)
    assert {"age", "place"} <= set(near.members)
    columns = {name: table[name] for name in ("age", "weight", "place", "sick")}
    network = learn_network(columns, algorithm="pc_stable", test=test, progress=False)
    assert "weight" in network.boundary("age")


def test_only_unclear_answers_are_confirmed():
    table, effect, rng = causes(106)
    table["sick"] = np.where(effect + rng.logistic(size=600) > 0, "yes", "no")
    asked = [
        eiderdown.test(table, x, "sick", test=test)
        for x in ("age", "group")
        for test in ("wilks", CONFIRMED(clear_below=0.4, clear_above=0.5), "regression")
    ]
    clear, unclear = asked[:3], asked[3:]
    assert clear[0].log_p == clear[1].log_p != clear[2].log_p
    assert unclear[0].log_p != unclear[2].log_p
    never_clear = CONFIRMED(clear_below=1e-300, clear_above=1.0 - 1e-12)
    assert eiderdown.test(table, "group", "sick", test=never_clear).log_p == unclear[2].log_p
