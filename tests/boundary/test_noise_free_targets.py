"""A target without noise has the columns that determine it for its boundary."""

from __future__ import annotations

import numpy as np
import pytest

from eiderdown import find_boundary
from eiderdown.boundary import Found, TestProblem
from eiderdown.boundary.grow_shrink import shrink
from eiderdown.data import Dataset
from eiderdown.independence import Allows, CalibratedChiSquareTest, FisherZTest, WilksTest


def drawn(kind, seed, n_rows=500):
    """Draw a target that is a function of a and b, and 20 columns of noise."""
    rng = np.random.default_rng([seed, 31])
    if kind == "numbers":
        columns = dict(zip(("a", "b"), rng.normal(size=(2, n_rows)), strict=True))
        noise = rng.normal(size=(20, n_rows))
        target = columns["a"] + columns["b"]
    else:
        columns = dict(zip(("a", "b"), rng.integers(0, 3, (2, n_rows)), strict=True))
        noise = rng.integers(0, 3, (20, n_rows))
        target = 3 * columns["a"] + columns["b"]
    return columns | {f"noise{i:02d}": noise[i] for i in range(20)} | {"y": target}


@pytest.mark.parametrize("kind", ["numbers", "categories"])
@pytest.mark.parametrize("algorithm", ["iamb", "inter_iamb", "fbed", "gs"])
def test_the_boundary_of_a_function_of_two_columns_is_those_two(kind, algorithm):
    for seed in range(3):
        assert set(find_boundary(drawn(kind, seed), "y", algorithm=algorithm).members) == {"a", "b"}


@pytest.mark.parametrize(
    ("kind", "test"), [("numbers", FisherZTest), ("categories", CalibratedChiSquareTest)]
)
def test_a_chance_member_stays_and_is_unconfirmed(kind, test):
    evidence = test(Dataset.of(drawn(kind, 7)))
    found = Found()
    for x in (2, 0, 1):  # a column of noise came in before the others
        found.admit(evidence.test(x, 22))
    assert evidence.test(2, 22, [0, 1]).allows == Allows.FUNCTION
    shrink(TestProblem(evidence, 22, np.arange(22), 0.01), found)
    assert (set(found.members), found.unconfirmed) == ({0, 1, 2}, {2})


def test_a_member_that_is_a_function_of_another_stays():
    """Which of the two is needless nobody can tell."""
    rng = np.random.default_rng(3)
    a = rng.normal(size=300)
    columns = {"a": a, "copy": 2.0 * a, "noise": rng.normal(size=300)}
    evidence = FisherZTest(Dataset.of(columns | {"y": a + rng.normal(size=300)}))
    found = Found()
    for x in (0, 1):
        found.admit(evidence.test(x, 3))
    shrink(TestProblem(evidence, 3, np.arange(3), 0.01), found)
    assert set(found.members) == {0, 1}


@pytest.mark.parametrize("basis", ["quadratic", "cubic"])
def test_powers_of_a_target_that_is_determined_are_no_evidence(basis):
    rng = np.random.default_rng(4)
    a, b, noise = rng.normal(size=(3, 200))
    test = WilksTest(Dataset.of({"a": a, "b": b, "noise": noise, "y": a + b}), basis=basis)
    assert test.test(2, 3, [0, 1]).allows == Allows.FUNCTION
    assert test.test(3, 2, [0, 1]).allows == Allows.FUNCTION
