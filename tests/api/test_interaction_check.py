"""The alarm rings where pairwise tests are blind, and only there."""

from __future__ import annotations

import numpy as np
import pytest
from interaction_tables import coins, double_xor, named, noisy, parity, product

from eiderdown import MarkovBoundary, find_boundary, networks
from eiderdown.api import interaction_check
from eiderdown.errors import EiderdownWarning
from eiderdown.progress import Cancelled
from eiderdown.progress import Trace as ProgressTrace

SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("table", "interaction"),
    [
        (double_xor(600, 20), r"(x1 \* x2|x3 \* x4)"),
        (parity(800, 12), r"x1 \* x2 \* x3"),
        (product(400), r"x1 \* x2"),
    ],
)
def test_a_missed_interaction_is_named(table, interaction):
    with pytest.warns(EiderdownWarning, match=rf"strongest monomial .* is {interaction}\. See"):
        found = find_boundary(table, target="t", check_interactions=True)
    check = found.run.options["interaction_check"]
    assert max(check["feature_space"], check["elimination"]) > check["boundary"] + 0.1
    assert "outside the boundary of 't'" in found.warnings[-1]
    assert MarkovBoundary.from_json(found.to_json()) == found


@pytest.mark.parametrize(
    ("target", "n_rows"),
    [
        ("dysp", 1_000),
        *(pytest.param(x, 1_500, marks=SLOW) for x in ("smoke", "lung", "either", "dysp")),
    ],
)
def test_nothing_is_said_about_asia(target, n_rows):
    data = networks.load("asia").sample(n_rows, random_state=1)
    found = find_boundary(data, target=target, check_interactions=True)
    assert found.warnings == ()
    check = found.run.options["interaction_check"]
    assert check["n_rows_trained"] + check["n_rows_tested"] == n_rows
    assert check["boundary"] >= max(check["feature_space"], check["elimination"]) - 0.05


@pytest.mark.filterwarnings("ignore:With 1000 rows")
@pytest.mark.parametrize("target", ["HISTORY", pytest.param("HRBP", marks=SLOW)])
def test_nothing_is_said_where_the_whole_boundary_was_found(target):
    alarm = networks.load("alarm")
    data = alarm.sample(1_000, random_state=0)
    found = find_boundary(data, target=target, check_interactions=True)
    assert set(found.members) == alarm.dag.markov_boundary(target)
    assert not [sentence for sentence in found.warnings if "outside the boundary" in sentence]


def test_the_boundary_itself_is_the_same_with_and_without_the_check():
    data = networks.load("asia").sample(1_000, random_state=1)
    plain = find_boundary(data, target="dysp")
    checked = find_boundary(data, target="dysp", check_interactions=True)
    assert checked.members == plain.members
    assert checked.evidence == plain.evidence
    assert "interaction_check" not in plain.run.options


def test_many_rows_are_sampled_and_halved(monkeypatch):
    monkeypatch.setattr(interaction_check, "_MOST_ROWS", 200)
    rng = np.random.default_rng(0)
    x = coins(1_000, 4, rng)
    table = {**named(x), "t": noisy(x[:, 0], rng, 0.2)}
    found = find_boundary(table, target="t", check_interactions=True)
    check = found.run.options["interaction_check"]
    assert check["n_rows_trained"] + check["n_rows_tested"] == pytest.approx(200, abs=2)
    assert abs(check["n_rows_trained"] - check["n_rows_tested"]) <= 2
    again = find_boundary(table, target="t", check_interactions=True)
    assert again.run.options["interaction_check"] == check


def test_a_rare_class_is_told_and_not_checked():
    table = double_xor(300, 6)
    table["t"] = np.r_[np.ones(19, int), np.zeros(281, int)]
    with pytest.warns(
        EiderdownWarning, match=r"not looked for: of 300 rows fewer than 20 are .* 't'"
    ):
        found = find_boundary(table, target="t", check_interactions=True)
    assert "interaction_check" not in found.run.options


def test_a_class_that_a_sample_of_the_rows_lacks_is_not_checked(monkeypatch):
    monkeypatch.setattr(interaction_check, "_MOST_ROWS", 50)
    table = {**named(coins(2_000, 3, np.random.default_rng(0))), "t": np.zeros(2_000, int)}
    table["t"][:20] = 1
    with pytest.warns(EiderdownWarning, match="not looked for: of 50 rows fewer than 20"):
        find_boundary(table, target="t", check_interactions=True)


def test_excluded_columns_take_no_part():
    with pytest.warns(EiderdownWarning, match=r"strongest monomial .* is x3 \* x4\. See"):
        found = find_boundary(
            double_xor(600, 8), target="t", exclude=["x1"], check_interactions=True
        )
    assert "x1" not in found.warnings[-1].split()


@pytest.mark.parametrize("phase", ["degree 2", "searching its monomials", "narrowing"])
def test_an_interrupt_keeps_the_boundary(monkeypatch, phase):
    def progressed(self, step, n_done):
        if step == phase:
            raise Cancelled

    monkeypatch.setattr(ProgressTrace, "progressed", progressed)
    data = networks.load("asia").sample(1_000, random_state=1)
    with pytest.warns(EiderdownWarning, match="Interrupted while looking for interactions"):
        found = find_boundary(data, target="dysp", check_interactions=True)
    assert not found.complete
    assert set(found.members) == {"bronc", "either"}
