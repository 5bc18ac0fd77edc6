"""Searches over subsets look at copies once: none is lost to another, none comes in twice."""

from __future__ import annotations

import numpy as np
import pytest
from searching import run

from eiderdown import Dataset, find_all_boundaries, find_boundary, find_parents_children
from eiderdown.boundary import Found, TestProblem
from eiderdown.independence import CachedTest, CalibratedChiSquareTest

SEARCHES = ["pcmb", "mmmb", "hiton_mb", "ipc_mb", "bamb"]


@pytest.fixture(scope="module")
def columns():
    """A target of three causes; without copies every search finds just them."""
    rng = np.random.default_rng(5)
    causes = rng.random((3, 3_000)) < 0.4
    chances = 0.1 + 0.25 * causes.sum(axis=0)
    noise = {f"n{i}": rng.random(3_000) < 0.5 for i in range(5)}
    return {
        "a": causes[0],
        "b": causes[1],
        "c": causes[2],
        "t": rng.random(3_000) < chances,
    } | noise


@pytest.fixture(scope="module")
def copied(columns):
    """The same with three copies of each cause, of which one has the opposite values."""
    more = {}
    for name in "abc":
        more |= {f"{name}1": columns[name], f"{name}2": ~columns[name], f"{name}3": columns[name]}
    return columns | more


@pytest.mark.parametrize("name", SEARCHES)
def test_a_table_with_copies_has_the_members_of_the_one_without(name, columns, copied):
    options = {"target": "t", "algorithm": name, "alpha": 0.001}
    plain = find_boundary(columns, **options)
    assert set(plain.members) == set("abc")
    found = find_boundary(copied, **options)
    assert found.members == plain.members
    ours, theirs = (result.evidence_with("kept") for result in (found, plain))
    assert [item.log_p for item in ours] == [item.log_p for item in theirs]


def test_the_order_of_the_columns_does_not_matter(copied):
    moved = dict(reversed(copied.items()))
    for name in SEARCHES:
        ours, theirs = (find_boundary(t, "t", algorithm=name) for t in (copied, moved))
        assert ours.members == theirs.members


def test_copies_of_members_are_named(copied):
    found = find_boundary(copied, "t", algorithm="pcmb")
    assert {name: found.screen.copies[name] for name in ("a1", "a2", "b3")} == {
        "a1": "a",
        "a2": "a",
        "b3": "b",
    }
    assert "copy of 'a'" in found.screen.why("a1")


def test_a_required_copy_stands_for_the_others(copied):
    found = find_parents_children(copied, "t", algorithm="get_pc", required=["a2"])
    assert set(found.members) == {"a2", "b", "c"}


def test_two_required_copies_both_stay(copied):
    found = find_parents_children(copied, "t", algorithm="get_pc", required=["a2", "a3"])
    assert {"a2", "a3"} <= set(found.members)


def test_a_target_with_copies_has_the_first_of_them(copied):
    data = copied | {"t2": copied["t"], "t1": ~copied["t"]}
    for name in SEARCHES:
        assert find_boundary(data, "t", algorithm=name).members == ("t1",)


def test_sets_shared_by_targets_are_those_of_each_target_alone(copied):
    data = Dataset.of({name: copied[name] for name in ("a3", "a", "b", "a1", "t", "n0")})
    every = find_all_boundaries(data, algorithm="pcmb")
    for name in data.names:
        assert every[name].members == find_boundary(data, name, algorithm="pcmb").members


def test_every_copy_has_its_chance_in_random_searches(copied):
    test = CachedTest(CalibratedChiSquareTest(Dataset.of(copied), n_jobs=1))
    found = {
        frozenset(run("kpcmb", test, "t", seed=seed, params={"fraction": 1.0}).members)
        for seed in range(25)
    }
    assert all(len(members) == 3 for members in found)
    assert set().union(*found) == {f"{name}{k}" for name in "abc" for k in ("", 1, 2, 3)}


def test_classes_are_noted_by_who_stands_for_them():
    column = np.random.default_rng(0).integers(0, 2, 100)
    data = Dataset.from_columns({"b": column, "a": column, "c": 1 - column, "t": column[::-1]})
    problem = TestProblem(CalibratedChiSquareTest(data), 3, np.arange(3), 0.01)
    found = Found()
    assert problem.without_copies(found).candidates.tolist() == [1]
    assert found.copies == {1: [0, 2]}
