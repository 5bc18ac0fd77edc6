"""What changed between two results, and why."""

from __future__ import annotations

from dataclasses import replace

import pytest

from eiderdown import (
    ResultChanges,
    compare_results,
    find_boundary,
    find_parents_children,
    learn_network,
    measure_confidence,
    networks,
)
from eiderdown.errors import OptionError
from eiderdown.results import Evidence, LearnedEdge, LearnedNetwork, MarkovBoundary, Run

pytestmark = pytest.mark.filterwarnings("ignore::eiderdown.EiderdownWarning")


def run_of(**changed):
    run = Run.of("iamb", None, {"alpha": 0.01})
    return replace(run, n_rows=100, n_columns=5, fingerprint="a", **changed)


def decided(name, log_p, decision="kept", allows="both"):
    return Evidence(name, decision, (), 9.0, 1.0, log_p, 100, 0.1, allows)


def boundary(*tests, run=None, **others):
    members = tuple(test.variable for test in tests if test.decision == "kept")
    return MarkovBoundary("T", members, tests, run_of() if run is None else run, **others)


def sorts(changes):
    return {(change.sort, change.what) for change in changes.changes}


def test_members_that_come_and_go_are_told_with_their_tests():
    a = boundary(decided("x", -90.0), decided("y", -5.0))
    b = boundary(decided("x", -80.0), decided("y", -4.0, "removed"), decided("z", -40.0))
    found = compare_results(a, b)
    assert sorts(found) == {("left", "y"), ("entered", "z")}
    assert found.n_same == 1
    (gone,) = found.of_sort("left")
    assert gone.before == "member (p 0.00674)"
    assert gone.after == "absent (p 0.0183)"
    assert "just below alpha 0.01" in gone.why
    assert "p 0.0183 in the second, just above alpha 0.01" in gone.why
    assert found.of_sort("entered")[0].why == ""


def test_insufficient_data_is_a_reason():
    a = boundary(decided("x", -90.0))
    b = boundary(decided("x", -1.0, "not_admitted", "nothing"))
    (change,) = compare_results(a, b).changes
    assert change.why == "insufficient data in the second"


def test_roles_change_but_not_to_what_a_search_cannot_tell():
    tests = (decided("x", -90.0), decided("y", -90.0))
    a = boundary(*tests, parents_children=("x",), spouses={"y": "x"})
    b = boundary(*tests, parents_children=("x", "y"))
    unknown = boundary(*tests)
    (change,) = compare_results(a, b).changes
    assert (change.sort, change.what) == ("changed", "y")
    assert (change.before[:11], change.after[:15]) == ("spouse by '", "parent or child")
    assert compare_results(a, unknown).changes == ()


def test_runs_say_what_was_different():
    before = boundary(decided("x", -90.0))
    run = run_of(random_state=3)
    run = replace(run, algorithm="pcmb", options={"alpha": 0.05, "symmetry": "or"})
    run = replace(run, fingerprint="b", n_rows=200, versions={**run.versions, "numpy": "9.9"})
    reasons = compare_results(before, replace(before, run=run, complete=False)).reasons
    assert "the second search was interrupted" in reasons
    assert "the table had 100 rows x 5 columns and has 200 rows x 5 columns" in reasons
    assert "the search was iamb and is pcmb" in reasons
    assert "alpha was 0.01 and is 0.05" in reasons
    assert "symmetry was None and is or" in reasons
    assert "the random state was None and is 3" in reasons
    assert any(reason.startswith("numpy was version") for reason in reasons)
    same_size = replace(before, run=run_of(), complete=True)
    other = replace(same_size, run=replace(run_of(), fingerprint="c"))
    assert compare_results(same_size, other).reasons == (
        "the table has the same size but other contents",
    )


def test_directions_that_are_not_compelled_are_no_change():
    def network(*edges):
        return LearnedNetwork(nodes=("a", "b", "c"), edges=edges, is_cpdag=False, run=run_of())

    forth, back = LearnedEdge("a", "b"), LearnedEdge("b", "a")
    assert compare_results(network(forth), network(back)).changes == ()
    compelled = LearnedEdge("b", "a", compelled=True)
    found = compare_results(network(forth), network(compelled, LearnedEdge("b", "c")))
    assert sorts(found) == {("changed", "'a' - 'b'"), ("entered", "'b' - 'c'")}
    assert found.of_sort("changed")[0].after == "b -> a"


def test_a_result_and_itself_do_not_differ():
    data = networks.load("asia").sample(500, random_state=0)
    for result in (
        find_boundary(data, "dysp", progress=False),
        find_parents_children(data, "dysp", progress=False),
        learn_network(data, algorithm="ges", progress=False),
        measure_confidence(data, runs=20, progress=False),
    ):
        found = compare_results(result, type(result).from_json(result.to_json()))
        assert found.changes == ()
        assert found.reasons == ()
        assert found.n_same > 0
        assert "nothing changed" in str(found)


def test_other_rows_change_confidences_and_columns_that_took_no_part_are_told():
    few, many = (networks.load("asia").sample(n, random_state=0) for n in (200, 2_000))
    confidences = (measure_confidence(data, runs=30, progress=False) for data in (few, many))
    found = compare_results(*confidences)
    assert found.changes
    assert found.reasons[0].startswith("the table had 200 rows")
    assert ResultChanges.from_json(found.to_json()) == found
    without, whole = (
        find_boundary(many, "dysp", algorithm="iamb", exclude=exclude, progress=False)
        for exclude in (["bronc"], [])
    )
    (entered,) = [c for c in compare_results(without, whole).changes if c.what == "bronc"]
    assert (entered.sort, entered.why) == ("entered", "it took no part in the first")


def test_only_alike_results_can_be_compared():
    a = boundary(decided("x", -90.0))
    with pytest.raises(OptionError, match="about 'T' and the second about 'U'"):
        compare_results(a, replace(a, target="U"))
    network = LearnedNetwork(nodes=("a",), edges=(), is_cpdag=True, run=run_of())
    with pytest.raises(OptionError, match="compare two of one kind"):
        compare_results(a, network)
    with pytest.raises(OptionError, match="Cannot compare a result changes"):
        compare_results(compare_results(a, a), a)
