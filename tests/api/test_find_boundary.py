"""find_boundary from a table to named members with evidence."""

from __future__ import annotations

import numpy as np
import pytest
from api_tables import KNOWN_DAG, continuous_table, discrete_table, duplicated
from hypothesis import given
from hypothesis import strategies as st

from eiderdown import find_boundary, networks
from eiderdown.boundary import BOUNDARY_ALGORITHMS
from eiderdown.errors import EiderdownWarning
from eiderdown.graphs import boundary_scores
from eiderdown.independence import (
    AUTO,
    FISHER_Z,
    G_SQUARE,
    TESTS,
    CalibratedChiSquareTest,
    ChiSquareTest,
    FisherZTest,
    StudentTTest,
)
from eiderdown.progress import Cancelled
from eiderdown.progress import Trace as ProgressTrace
from examples import examples

TRUTH = set(KNOWN_DAG.markov_boundary("t"))


@pytest.mark.parametrize("table", [discrete_table, continuous_table])
def test_names_go_in_and_the_true_boundary_comes_out(table):
    found = find_boundary(table(), target="t")
    assert set(found.members) == TRUTH
    assert found.target == "t"
    assert found.complete
    assert found.warnings == ()


def test_any_form_of_table_gives_the_same_boundary():
    data = discrete_table()
    expected = find_boundary(data, target="t").members
    assert find_boundary(data.to_pandas(), target="t").members == expected
    assert find_boundary(data.to_arrow(), target="t").members == expected


@pytest.mark.filterwarnings("ignore:.*could not be ruled out:eiderdown.errors.EiderdownWarning")
def test_most_boundaries_of_the_alarm_network_are_found():
    network = networks.load("alarm")
    data = network.sample(5_000, random_state=0)
    distances = []
    for node in network.dag.nodes[:12]:
        found = find_boundary(data, target=node, max_given=4)
        truth = network.dag.markov_boundary(node)
        distances.append(boundary_scores(set(found.members), truth).distance)
    assert np.mean(distances) < 0.35


@pytest.mark.parametrize(
    ("table", "options", "fresh"),
    [
        (discrete_table, "auto", CalibratedChiSquareTest),
        (discrete_table, "chi_square", ChiSquareTest),
        (continuous_table, "auto", FisherZTest),
        (continuous_table, "student_t", StudentTTest),
    ],
)
def test_every_member_has_kept_evidence_that_a_fresh_test_repeats(table, options, fresh):
    data = table()
    found = find_boundary(data, target="t", test=options)
    kept = found.evidence_with("kept")
    assert tuple(item.variable for item in kept) == found.members
    decided = {item.variable for item in found.evidence}
    assert decided == set(data.names) - {"t"}
    test, target = fresh(data), data.index("t")
    for item in found.evidence:
        again = test.test(data.index(item.variable), target, [data.index(z) for z in item.given])
        assert item.statistic == pytest.approx(again.statistic, rel=1e-9, abs=1e-9)
        assert item.log_p == pytest.approx(again.log_p, rel=1e-9, abs=1e-9)
        assert (item.dof, item.n_used, item.allows) == (
            again.dof,
            again.n_used,
            again.allows.name.lower(),
        )
    assert all(item.log_p <= np.log(0.01) for item in kept)
    assert all(set(item.given) == set(found.members) - {item.variable} for item in kept)


@pytest.mark.parametrize("algorithm", BOUNDARY_ALGORITHMS.names)
def test_every_algorithm_gives_evidence_for_its_members_and_survives_json(algorithm):
    data = discrete_table()
    found = find_boundary(data, target="t", algorithm=algorithm, random_state=0)
    assert set(found.members) >= {"p", "q", "c"}
    assert [item.variable for item in found.evidence_with("kept")] == list(found.members)
    decided = [item.variable for item in found.evidence]
    assert sorted(decided) == sorted(set(data.names) - {"t"})
    assert type(found).from_json(found.to_json()) == found
    turned = data.select(data.names[::-1])
    again = find_boundary(turned, target="t", algorithm=algorithm, random_state=0)
    assert again.members == found.members


def test_the_run_tells_what_was_done():
    data = discrete_table()
    run = find_boundary(data, target="t", alpha=0.02, max_given=5).run
    assert run.algorithm == "consensus"
    assert "right more often" in run.options["chosen"]
    assert run.options["alpha"] == 0.02
    assert run.options["max_given"] == 5
    assert run.options["test"] == "CalibratedChiSquareTest"
    assert (run.n_rows, run.n_columns) == (data.n_rows, data.n_columns)
    assert run.fingerprint == data.fingerprint
    assert run.n_tests > 0
    assert run.n_skipped == 0
    assert {"python", "eiderdown", "numpy", "scipy", "numba"} <= set(run.versions)


def same_but_for_time(ours, theirs):
    return (ours.members, ours.evidence, ours.warnings) == (
        theirs.members,
        theirs.evidence,
        theirs.warnings,
    )


def test_the_number_of_workers_changes_nothing():
    data = discrete_table(20_000)
    one, two, all_ = (find_boundary(data, target="t", n_jobs=n) for n in (1, 2, None))
    assert same_but_for_time(one, two)
    assert same_but_for_time(one, all_)


@pytest.mark.filterwarnings("ignore:With 800 rows")
@pytest.mark.parametrize("table", [discrete_table, continuous_table])
@examples(10)
@given(order=st.permutations(KNOWN_DAG.nodes), seed=st.integers(0, 4))
def test_the_order_of_the_columns_changes_nothing(table, order, seed):
    data = table(800, seed)
    ours, theirs = find_boundary(data, target="t"), find_boundary(data.select(order), target="t")
    assert ours.members == theirs.members
    assert set(ours.evidence) == set(theirs.evidence)


def test_the_order_of_twin_columns_changes_nothing():
    data = duplicated(continuous_table(), ["p", "c"])
    options = AUTO(collinear="shrink")
    turned = data.select(data.names[::-1])
    ours = find_boundary(data, target="t", test=options)
    theirs = find_boundary(turned, target="t", test=options)
    assert ours.members == theirs.members


def test_excluded_columns_are_never_tested():
    found = find_boundary(discrete_table(), target="t", exclude=["p", "n"])
    assert not {"p", "n"} & {item.variable for item in found.evidence}
    assert not {"p", "n"} & {z for item in found.evidence for z in item.given}


@pytest.mark.parametrize("max_given", [0, 1, 2])
def test_max_given_bounds_every_conditioning_set(max_given):
    found = find_boundary(discrete_table(), target="t", max_given=max_given)
    assert max(len(item.given) for item in found.evidence) <= max_given


@pytest.mark.no_cover
@pytest.mark.parametrize("name", TESTS.names)
def test_every_test_can_be_chosen_by_name(name):
    table = continuous_table if name in ("fisher_z", "student_t") else discrete_table
    found = find_boundary(table(), target="t", test=name)
    assert set(found.members) >= {"p", "c"}


def test_of_two_equal_columns_one_is_found():
    data = duplicated(continuous_table(), ["p"])
    dropped = find_boundary(data, target="t")
    assert {name.removesuffix("_copy") for name in dropped.members} == TRUTH
    assert len(dropped.members) == len(TRUTH)
    shrunk = find_boundary(data, target="t", test=FISHER_Z(collinear="shrink"))
    assert {"p", "p_copy"} & set(shrunk.members)


def test_an_interrupted_search_returns_the_best_so_far(monkeypatch):
    def press_control_c(self, phase, n_members):
        if n_members == 2:
            raise Cancelled

    monkeypatch.setattr(ProgressTrace, "progressed", press_control_c)
    with pytest.warns(EiderdownWarning, match="interrupted; this is the best boundary so far"):
        found = find_boundary(discrete_table(), target="t")
    assert not found.complete
    assert len(found.members) == 2
    assert {item.variable for item in found.evidence_with("kept")} == set(found.members)
    assert "interrupted" in found.warnings[0]
    assert type(found).from_json(found.to_json()) == found


def test_an_interrupt_inside_a_test_returns_the_best_so_far(monkeypatch):
    asked = []
    real = CalibratedChiSquareTest._sweep

    def interrupted(self, candidates, target, conditions):
        asked.append(conditions)
        if len(asked) == 3:
            raise Cancelled
        return real(self, candidates, target, conditions)

    monkeypatch.setattr(CalibratedChiSquareTest, "_sweep", interrupted)
    with pytest.warns(EiderdownWarning, match="interrupted"):
        found = find_boundary(discrete_table(), target="t")
    assert len(found.members) == 2


def test_tests_that_lack_rows_are_told_in_a_warning():
    # 100 rows carry nine times four degrees of freedom only once the boundary is small.
    options = G_SQUARE(dof="nominal")
    with pytest.warns(EiderdownWarning, match="could not be ruled out given the"):
        found = find_boundary(discrete_table(100), target="t", test=options, algorithm="iamb")
    assert found.run.n_skipped > 0
    assert "nothing" in {item.allows for item in found.evidence}
    assert {item.allows for item in found.evidence_with("kept")} == {"both"}
