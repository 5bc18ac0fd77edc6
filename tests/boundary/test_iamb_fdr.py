"""IAMB with control of the false discovery rate."""

from __future__ import annotations

import numpy as np
import pytest
from fake_tests import UNDECIDED, WrittenTest, answers
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control
from searching import run

from eiderdown.boundary.iamb_fdr import discoveries
from eiderdown.data import Dataset
from eiderdown.errors import OptionError
from eiderdown.independence import GSquareTest
from examples import examples

SCIPY_METHOD = {"positive": "bh", "arbitrary": "by"}


@pytest.mark.parametrize("dependence", SCIPY_METHOD)
@examples(40)
@given(
    p=st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=30),
    alpha=st.sampled_from([0.01, 0.05, 0.3]),
)
def test_discoveries_are_those_of_scipy(dependence, p, alpha):
    adjusted = false_discovery_control(p, method=SCIPY_METHOD[dependence])
    far = np.abs(adjusted - alpha) > 1e-9  # where rounding cannot decide
    found = discoveries(np.log(p), np.ones(len(p), dtype=bool), alpha, dependence)
    assert found[far].tolist() == (adjusted <= alpha)[far].tolist()


def test_p_values_that_underflow_do_not_tie_and_those_that_allow_nothing_do_not_count():
    log_p = np.array([-2000.0, -3000.0, np.log(0.04), -5000.0])
    counted = np.array([True, True, True, False])
    assert discoveries(log_p, counted, 0.05, "positive").tolist() == [True, True, True, False]
    assert discoveries(log_p, counted, 1e-300, "positive").tolist() == [True, True, False, False]


def test_nothing_counted_is_no_discovery():
    assert not discoveries(np.array([-9.0]), np.array([False]), 0.05, "arbitrary").any()


def test_many_candidates_make_a_weak_one_no_discovery():
    names = ["t", *(f"n{i}" for i in range(50)), "a"]
    weak = answers(a=np.log(0.005))
    assert run("iamb", WrittenTest(names, weak), "t").members == {"a"}
    assert run("iamb_fdr", WrittenTest(names, weak), "t").members == set()


def test_positive_dependence_finds_what_arbitrary_dependence_does_not():
    names = ["t", *(f"n{i}" for i in range(9)), "a"]
    test = WrittenTest(names, answers(a=np.log(0.0009)))
    assert run("iamb_fdr", test, "t", params={"dependence": "positive"}).members == {"a"}
    assert run("iamb_fdr", test, "t", params={"dependence": "arbitrary"}).members == set()


def test_a_member_that_later_members_explain_is_removed_before_anybody_is_admitted():
    written = answers(
        x=-20, a_given_x=-15, x_given_a=0, a=-15, b_given_ax=-9, b_given_a=-12, a_given_b=-12,
        x_given_ab=0,
    )  # fmt: skip
    test = WrittenTest(["t", "a", "b", "x"], written)
    answer = run("iamb_fdr", test, "t")
    assert answer.members == {"a", "b"}
    assert frozenset("bx") not in test.asked  # which {a, b, x} would have asked
    assert answer.found.removed[3].given == (1,)


def test_an_undecided_test_neither_admits_nor_removes():
    written = answers(a=-20, b=UNDECIDED, b_given_a=-20, a_given_b=UNDECIDED)
    assert run("iamb_fdr", WrittenTest(["t", "a", "b"], written), "t").members == {"a", "b"}


def test_among_independent_columns_the_share_of_runs_with_a_member_is_at_most_alpha():
    generator = np.random.default_rng(1)
    found = []
    for _ in range(60):
        table = generator.integers(0, 2, (300, 21))
        test = GSquareTest(Dataset.from_numpy(table), n_jobs=1)
        found.append(bool(run("iamb_fdr", test, "x0", alpha=0.1).members))
    assert np.mean(found) <= 0.1  # without correction nearly nine in ten would have one


def test_an_unknown_dependence_is_refused_by_name():
    with pytest.raises(OptionError, match=r"dependence must be one of .*'arbitrary'.* not 'none'"):
        run("iamb_fdr", WrittenTest(["t", "a"], answers()), "t", params={"dependence": "none"})
