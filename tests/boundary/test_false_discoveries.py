"""Searches at a false discovery rate: the level fits what is found, and chance finds nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from eiderdown import Dataset, find_all_boundaries, find_boundary, find_parents_children
from eiderdown.boundary import BOUNDARY_ALGORITHMS, PARENTS_CHILDREN_ALGORITHMS, Found, TestProblem
from eiderdown.boundary.false_discoveries import search_at_rate
from eiderdown.errors import OptionError
from eiderdown.estimators import MarkovBoundarySelector
from eiderdown.independence import IndependenceBatch, IndependenceTest

REFUSED = {"iamb_fdr": "controls that rate itself", "koller_sahami": "as it is asked for",
           "consensus": "scores decide"}  # fmt: skip
BY_TESTS = [a.name for a in BOUNDARY_ALGORITHMS if a.name not in REFUSED]
N_COLUMNS = 120


@pytest.fixture(scope="module")
def table():
    """A target that depends on four of 120 columns."""
    generator = np.random.default_rng(1)
    columns = generator.normal(size=(300, N_COLUMNS))
    target = columns[:, :4] @ [1.0, 0.8, 0.6, 0.5] + generator.normal(size=300)
    return Dataset.from_numpy(
        np.column_stack([columns, target]), names=[*(f"x{i}" for i in range(N_COLUMNS)), "t"]
    )


@pytest.mark.parametrize("rate", ["fdr", "fdr_positive"])
@pytest.mark.parametrize("name", BY_TESTS)
def test_members_pass_the_level_that_their_number_allows(table, name, rate):
    found = find_boundary(
        table, "t", algorithm=name, alpha=0.05, error_rate=rate, progress=False, random_state=0
    )
    price = sum(1 / k for k in range(1, N_COLUMNS + 1)) if rate == "fdr" else 1.0
    level = found.run.options["level"]
    assert {"x0", "x1"} <= set(found.members)
    assert level <= 0.05 * len(found.members) / (N_COLUMNS * price) * (1 + 1e-9)
    assert all(item.log_p <= math.log(level) for item in found.evidence_with("kept"))
    assert found.run.options["error_rate"] == rate


@pytest.mark.parametrize("name", ["iamb", "bamb"])
def test_chance_is_found_by_tests_at_alpha_and_not_at_the_rate(table, name):
    generator = np.random.default_rng(4)
    noise = table.drop(["t"]).with_columns({"t": generator.normal(size=300)})
    how = {"algorithm": name, "alpha": 0.05, "progress": False}
    assert len(find_boundary(noise, "t", **how).members) >= 3
    assert find_boundary(noise, "t", error_rate="fdr_positive", **how).members == ()


@pytest.mark.parametrize("name", REFUSED)
def test_searches_that_tests_alone_do_not_decide_refuse_it(table, name):
    with pytest.raises(OptionError, match=rf"does not go with '{name}': .*{REFUSED[name]}"):
        find_boundary(table, "t", algorithm=name, error_rate="fdr")


BY_TESTS = [entry.name for entry in PARENTS_CHILDREN_ALGORITHMS if "score" not in entry.needs]


@pytest.mark.parametrize("search", BY_TESTS)
def test_sets_of_many_targets_are_those_of_each_alone(search):
    generator = np.random.default_rng(2)
    columns = generator.normal(size=(200, 8)).cumsum(axis=1)
    data = Dataset.from_numpy(columns, names=list("abcdefgh"))
    how = {"algorithm": search, "alpha": 0.05, "error_rate": "fdr", "progress": False}
    every = find_all_boundaries(data, **how)
    for name in data.names:
        alone = find_parents_children(data, name, **how)
        assert every[name].members == alone.members
        assert every[name].run.options["level"] == alone.run.options["level"]


def test_the_selector_takes_it(table):
    frame = table.to_pandas()
    selector = MarkovBoundarySelector(algorithm="iamb", error_rate="fdr", alpha=0.05)
    selector.fit(frame.drop(columns="t"), frame["t"])
    direct = find_boundary(table, "t", algorithm="iamb", error_rate="fdr", alpha=0.05)
    assert set(selector.get_feature_names_out()) == set(direct.members)


class Written(IndependenceTest):
    """P-values that are written down, the same whatever is given."""

    def __init__(self, p_values):
        super().__init__([*(f"x{i}" for i in range(len(p_values))), "t"])
        self.p_values = np.array(p_values)

    def _sweep(self, candidates, target, given):
        return IndependenceBatch.of_sweep(
            candidates, target, given, log_p=np.log(self.p_values[candidates])
        )


def everyone(problem: TestProblem) -> Found:
    """Return everyone who depends on the target, and note the level."""
    found = Found()
    batch = problem.sweep(problem.candidates, [])
    for result in batch.take(batch.dependent(problem.alpha)):
        found.admit(result)
    LEVELS.append(problem.alpha)
    return found


LEVELS: list[float] = []


def at_rate(p_values, search=everyone, required=()):
    LEVELS.clear()
    test = Written(p_values)
    n = len(p_values)
    problem = TestProblem(test, n, np.arange(n), 0.1, required=required)
    return search_at_rate(search, problem, "positive")


def test_of_plain_p_values_it_is_benjamini_and_hochberg():
    assert sorted(at_rate([0.001, 0.03, 0.04, 0.05, 0.9]).found.members) == [0, 1, 2, 3]
    assert sorted(at_rate([0.001, 0.05, 0.07, 0.9, 0.9]).found.members) == [0]
    assert at_rate([0.5] * 5).found.members == {}
    assert pytest.approx([0.02]) == LEVELS


def half(problem):
    """Find every other of those that depend on the target."""
    found = everyone(problem)
    for x in sorted(found.members)[1::2]:
        del found.members[x]
    return found


def test_the_level_falls_until_it_fits_what_is_found():
    at = at_rate([0.001, 0.03, 0.04, 0.05, 0.9], half)
    assert pytest.approx([0.08, 0.04]) == LEVELS
    assert list(at.found.members) == [0, 2]
    assert at.level == pytest.approx(0.04)


def test_required_members_are_no_discoveries():
    def with_required(problem):
        found = everyone(problem)
        found.require(problem)
        return found

    at = at_rate([0.001, 0.03, 0.9, 0.9, 0.9], with_required, required=(0,))
    assert sorted(at.found.members) == [0]
    assert at.level == pytest.approx(0.1 / 4)
