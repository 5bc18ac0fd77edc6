"""GS, IAMB and their relatives: exact with an oracle, and each true to what sets it apart."""

from __future__ import annotations

import numpy as np
import pytest
from fake_tests import UNDECIDED, WrittenTest, answers
from searching import Spy, random_dags, run, wrong_answers

from eiderdown.boundary import fbed, gs, iamb_fdr, inter_iamb, kiamb
from eiderdown.data import Dataset
from eiderdown.errors import OptionError
from eiderdown.graphs import DAG
from eiderdown.independence import GSquareTest, OracleTest
from eiderdown.networks import load
from eiderdown.testing import check_boundary_search

EXACT = [
    ("gs", {}),
    ("inter_iamb", {}),
    ("kiamb", {"fraction": 0.0}),
    ("kiamb", {"fraction": 0.5}),
    ("kiamb", {"fraction": 1.0}),
    ("fbed", {"runs": 1}),
    ("iamb_fdr", {}),
]
IDS = [f"{name}{'_'.join(['', *map(str, options.values())])}" for name, options in EXACT]


@pytest.mark.no_cover
@pytest.mark.parametrize(("algorithm", "params"), EXACT, ids=IDS)
def test_every_boundary_of_30_graphs_is_exact_given_the_oracle(algorithm, params):
    """30 graphs of 3 to 8 nodes for each search; the slow set has more."""
    for dag in random_dags(dict.fromkeys(range(3, 9), 5), seed=IDS.index(_id(algorithm, params))):
        assert wrong_answers(algorithm, OracleTest(dag), dag.markov_boundary, params) == {}, (
            dag.edges
        )


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "params"), EXACT, ids=IDS)
def test_every_boundary_of_2100_graphs_is_exact_given_the_oracle(algorithm, params):
    """For each search 2,000 graphs of 3 to 8 nodes and 100 of 9 to 12."""
    sizes = {3: 200, 4: 300, 5: 400, 6: 400, 7: 400, 8: 300, 9: 25, 10: 25, 11: 25, 12: 25}
    for dag in random_dags(sizes, seed=99):
        assert wrong_answers(algorithm, OracleTest(dag), dag.markov_boundary, params) == {}, (
            dag.edges
        )


def _id(algorithm, params):
    return IDS[EXACT.index((algorithm, params))]


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "search", [gs, inter_iamb, kiamb, fbed, iamb_fdr], ids=lambda search: search.__name__
)
def test_the_family_conforms(search):
    check_boundary_search(search, n_graphs=10)


@pytest.mark.parametrize("algorithm", ["gs", "iamb", "inter_iamb", "fbed", "iamb_fdr"])
def test_more_required_members_than_may_be_given_stay_and_nothing_is_asked(algorithm):
    spy = Spy(OracleTest(DAG.from_string("A->T, B->A, C->B, D->C")))
    answer = run(algorithm, spy, "T", required=["B", "C", "D"], max_given=1)
    assert answer.members == {"B", "C", "D"}
    assert max(len(result.given) for result in spy.answers) <= 1


def test_gs_admits_in_the_order_of_the_first_look_and_iamb_does_not():
    # Given nothing the order is a, b, c; given a the strongest is c.
    written = answers(
        a=-9, b=-7, c=-5, b_given_a=-6, c_given_a=-8, c_given_ab=-5, b_given_ac=-5, a_given_bc=-5,
    )  # fmt: skip
    names = ["t", "a", "b", "c"]
    first, second = WrittenTest(names, written), WrittenTest(names, written)
    run("gs", first, "t")
    run("iamb", second, "t")
    assert frozenset("ab") in first.asked[:4]
    assert frozenset("ac") in second.asked[:3]


def test_gs_comes_back_to_a_candidate_that_was_independent_before():
    spy = Spy(OracleTest(DAG.from_string("T->C, S->C")))
    assert run("gs", spy, "T").members == {"C", "S"}


def test_inter_iamb_removes_before_it_goes_on_growing():
    # x hides that it is idle given a; IAMB grows to {x, a, b} first, inter-IAMB never sees it.
    written = answers(
        x=-9, a_given_x=-8, x_given_a=0, b_given_ax=-7, a=-6, b_given_a=-7, a_given_b=-6,
        x_given_ab=0, a_given_bx=-6,
    )  # fmt: skip
    names = ["t", "a", "b", "x"]
    inter, plain = WrittenTest(names, written), WrittenTest(names, written)
    assert run("inter_iamb", inter, "t").members == {"a", "b"}
    assert run("iamb", plain, "t").members == {"a", "b"}
    assert frozenset("ax") not in inter.asked
    assert frozenset("ax") in plain.asked


def test_inter_iamb_ends_when_answers_go_in_circles():
    written = answers(x=-9, y_given_x=-9, x_given_y=0, y=0)
    assert run("inter_iamb", WrittenTest(["t", "x", "y"], written), "t").members <= {"x", "y"}


THREE_TWINS = np.random.default_rng(0).integers(0, 2, 200)


def test_kiamb_finds_each_of_two_boundaries_where_target_and_two_columns_are_equal():
    """Theorem 10 of Pena et al. (2007): with K = 0 every boundary has a chance."""
    columns = {"T": THREE_TWINS, "X": THREE_TWINS, "Y": THREE_TWINS}
    test = GSquareTest(Dataset.from_columns(columns), n_jobs=1)
    found = [
        run("kiamb", test, "T", params={"fraction": 0.0}, seed=seed).members for seed in range(20)
    ]
    assert {frozenset(members) for members in found} == {frozenset("X"), frozenset("Y")}
    assert run("iamb", test, "T").members == {"X"}


def test_kiamb_of_all_candidates_is_iamb_test_for_test():
    test = GSquareTest(load("asia").sample(2_000, random_state=3), n_jobs=1)
    for node in test.names:
        whole = run("kiamb", test, node, params={"fraction": 1.0}, seed=7)
        plain = run("iamb", test, node)
        assert whole.found.members == plain.found.members
        assert whole.found.removed == plain.found.removed


def test_kiamb_repeats_itself_for_the_same_seed_in_any_order_of_columns():
    data = load("asia").sample(500, random_state=3)
    turned = data.select(data.names[::-1])
    for seed in range(10):
        ours, theirs = (
            run("kiamb", GSquareTest(table, n_jobs=1), "either", seed=seed).members
            for table in (data, turned)
        )
        assert ours == theirs


def test_kiamb_never_draws_an_independent_candidate():
    test = WrittenTest(["t", *"abcdefg"], answers(g=-9))
    for seed in range(20):
        assert run("kiamb", test, "t", params={"fraction": 0.0}, seed=seed).members == {"g"}


@pytest.mark.parametrize("fraction", [-0.1, 1.5, float("nan")])
def test_kiamb_refuses_a_share_that_is_none(fraction):
    with pytest.raises(OptionError, match="fraction must be"):
        run("kiamb", WrittenTest(["t", "a"], answers()), "t", params={"fraction": fraction})


def test_fbed_without_extra_runs_loses_the_spouse_of_the_smallest_collider():
    oracle = OracleTest(DAG.from_string("T->C, S->C"))
    assert run("fbed", oracle, "T", params={"runs": 0}).members == {"C"}
    assert run("fbed", oracle, "T", params={"runs": 1}).members == {"C", "S"}


def test_fbed_looks_once_a_run_at_a_candidate_that_is_independent():
    test = WrittenTest(["t", *"abcn"], answers(a=-9, b=-8, c=-7, b_given_a=-9, c_given_ab=-9))
    spy = Spy(test)
    run("fbed", spy, "t", params={"runs": 0})
    looks = [result for result in spy.answers if test.names[result.x] == "n"]
    assert [result.given for result in looks] == [()]


def test_fbed_tells_for_everybody_outside_the_test_that_dropped_it_last():
    written = answers(a=-9, b=-8, b_given_a=-9, a_given_b=-9, c=-6)
    answer = run("fbed", WrittenTest(["t", *"abcn"], written), "t", params={"runs": 5})
    assert answer.members == {"a", "b"}
    assert sorted(answer.found.outside.x.tolist()) == [3, 4]
    assert set(answer.found.outside.given) == {(1, 2)}


def test_fbed_ends_after_a_run_that_adds_nobody():
    test = WrittenTest(["t", *"ab"], answers(a=-9))
    run("fbed", test, "t", params={"runs": 1_000_000})
    assert len(test.asked) < 10


def test_fbed_refuses_a_negative_number_of_runs():
    with pytest.raises(OptionError, match="runs must be at least 0"):
        run("fbed", WrittenTest(["t", "a"], answers()), "t", params={"runs": -1})


def test_fbed_admits_nobody_by_an_undecided_test():
    test = WrittenTest(["t", *"ab"], answers(a=UNDECIDED, b=-9, a_given_b=UNDECIDED))
    assert run("fbed", test, "t").members == {"b"}
