"""Repeated searches with random choices: which boundaries, how often, how good."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from api_tables import continuous_table, discrete_table
from hypothesis import given
from hypothesis import strategies as st

from eiderdown import (
    Boundaries,
    EiderdownWarning,
    find_boundaries,
    find_boundary,
    load_result,
)
from eiderdown.api import repetition as module
from eiderdown.api.accuracy import Prediction
from eiderdown.boundary import KIAMB
from eiderdown.errors import OptionError, TooFewRowsError, UnknownColumnError
from eiderdown.independence import G_SQUARE
from eiderdown.progress import Cancelled
from eiderdown.progress import Trace as ProgressTrace
from examples import examples

# Small tables seldom rule a dependence out given all that was found, and results say so.
pytestmark = pytest.mark.filterwarnings("ignore:.*could not be (tested|ruled out)")


def equal_columns(n_rows=300, seed=0):
    """T = X = Y, the example of Pena et al. 2007, s. 5."""
    coin = np.random.default_rng(seed).integers(0, 2, n_rows)
    return {"T": coin, "X": coin, "Y": coin}


def transmission(n_rows=400, seed=0):
    """The integer transmission of figure 1 there without noise: two stations send a bit each."""
    sent = np.random.default_rng(seed).integers(0, 4, n_rows)
    return {"T": sent, "I1": sent // 2, "I2": sent % 2, "R": sent}


def sets(found):
    return {frozenset(item.members) for item in found}


def comparable(found):
    """All but the time that it took, and whether the seed was named."""
    still = [
        replace(i, boundary=replace(i.boundary, run=replace(i.boundary.run, seconds=0)))
        for i in found
    ]
    run = replace(found.run, seconds=0.0, call=None)
    return replace(found, alternatives=tuple(still), run=run)


@pytest.mark.parametrize("fraction", [0.0, 0.5])
def test_theorem_10_equal_columns_give_two_boundaries(fraction):
    found = find_boundaries(
        equal_columns(), target="T", algorithm=KIAMB(fraction=fraction), runs=25, random_state=0
    )
    assert sets(found) == {frozenset("X"), frozenset("Y")}
    assert found.interchangeable == (("X", "Y"),)
    assert sum(item.n_runs for item in found) == found.n_runs == 25


@pytest.mark.filterwarnings("ignore:With 400 rows")
@pytest.mark.parametrize("fraction", [0.0, 0.5])
def test_theorem_10_integer_transmission_without_noise_gives_both_boundaries(fraction):
    found = find_boundaries(
        transmission(), target="T", algorithm=KIAMB(fraction=fraction), runs=40, random_state=0
    )
    # A station that came in before R stays: given R nothing is left to test.
    smallest = {one for one in sets(found) if not any(other < one for other in sets(found))}
    assert smallest == {frozenset({"I1", "I2"}), frozenset({"R"})}
    assert (("R",), ("I1", "I2")) in [(item.these, item.those) for item in found.replacements]
    assert all(item.accuracy.balanced == 1.0 for item in found)


def test_greedy_search_finds_but_one_of_them():
    found = find_boundaries(
        transmission(), target="T", algorithm=KIAMB(fraction=1.0), runs=10, random_state=0
    )
    assert sets(found) == {frozenset({"R"})}


def test_chain_of_copies_is_one_group():
    coin = np.random.default_rng(0).integers(0, 2, 300)
    table = {"T": coin, **dict.fromkeys("abcd", coin)}
    found = find_boundaries(
        table, target="T", algorithm=KIAMB(fraction=0.0), runs=60, random_state=0, cv=None
    )
    assert found.interchangeable == (("a", "b", "c", "d"),)
    assert sum(found.member_counts.values()) == 60


@pytest.mark.filterwarnings("ignore:With 1500 rows")
def test_same_seed_gives_the_same_for_any_number_of_workers():
    data = discrete_table(1_500)
    one, two, again = (
        find_boundaries(
            data, target="t", runs=12, algorithm=KIAMB(fraction=0.3), random_state=4, n_jobs=n
        )
        for n in (1, 2, 2)
    )
    assert comparable(one) == comparable(two) == comparable(again)


@pytest.mark.no_cover
@examples(3)
@given(order=st.permutations(["T", "X", "Y", "I1", "I2", "R"]))
def test_order_of_the_columns_changes_nothing(order):
    table = {**transmission(200), **{k: v[:200] for k, v in equal_columns().items() if k != "T"}}
    options = {"target": "T", "algorithm": KIAMB(fraction=0.5), "runs": 8, "random_state": 1}
    ours = find_boundaries(table, **options)
    theirs = find_boundaries({name: table[name] for name in order}, **options)
    assert [(i.members, i.n_runs, i.accuracy) for i in ours] == [
        (i.members, i.n_runs, i.accuracy) for i in theirs
    ]
    assert ours.replacements == theirs.replacements


@pytest.mark.filterwarnings("ignore:With 1500 rows")
def test_runs_remember_what_others_tested():
    data = discrete_table(1_500)
    once = find_boundaries(data, target="t", runs=1, random_state=0, cv=None)
    often = find_boundaries(data, target="t", runs=20, random_state=0, cv=None)
    assert often.run.n_tests < 6 * once.run.n_tests
    assert often.run.n_repeated > 10 * once.run.n_tests


def test_each_boundary_can_be_found_again_by_the_seed_that_it_holds():
    found = find_boundaries(
        transmission(), target="T", algorithm=KIAMB(fraction=0.0), runs=30, random_state=0, cv=None
    )
    for item in found:
        again = find_boundary(
            transmission(),
            target="T",
            algorithm=KIAMB(fraction=0.0),
            random_state=item.boundary.run.random_state,
        )
        assert again.members == item.members
        assert again.evidence == item.boundary.evidence


def test_without_a_seed_the_result_holds_one_that_repeats_it():
    found = find_boundaries(transmission(), target="T", runs=10, cv=None)
    seed = found.run.random_state
    again = find_boundaries(transmission(), target="T", runs=10, cv=None, random_state=seed)
    assert comparable(found) == comparable(again)


def test_result_survives_json_and_a_file(tmp_path):
    found = find_boundaries(transmission(), target="T", runs=10, random_state=0)
    assert Boundaries.from_json(found.to_json()) == found
    found.save(tmp_path / "b.json")
    assert load_result(tmp_path / "b.json") == found


def test_patience_ends_the_runs_when_nothing_new_turns_up():
    found = find_boundaries(equal_columns(), target="T", runs=500, patience=7, random_state=0)
    assert found.n_runs < 100
    assert sets(found) == {frozenset("X"), frozenset("Y")}
    assert found.complete


def test_test_data_replace_cross_validation():
    found = find_boundaries(
        transmission(), target="T", runs=5, random_state=0, test_data=transmission(50, seed=9)
    )
    assert found.predicted_by == "naive Bayes, 50 rows of test data"
    assert found[0].accuracy.score == 1.0


def test_continuous_target_is_scored_by_r2():
    found = find_boundaries(continuous_table(600), target="t", runs=4, random_state=0)
    assert found.predicted_by.startswith("linear regression")
    assert 0.5 < found[0].accuracy.score < 1.0
    assert found[0].accuracy.balanced is None


def test_no_accuracy_is_measured_if_nobody_asks():
    found = find_boundaries(transmission(), target="T", runs=3, random_state=0, cv=None)
    assert found.predicted_by is None
    assert all(item.accuracy is None for item in found)


def test_interrupted_runs_are_those_so_far(monkeypatch):
    real, made = module.run_search, []

    def interrupted(*arguments, **options):
        made.append(real(*arguments, **options))
        return replace(made[-1], complete=len(made) < 4)

    monkeypatch.setattr(module, "run_search", interrupted)
    monkeypatch.setattr(module.KnownRuns, "pay", lambda _: False)
    with pytest.warns(EiderdownWarning, match="Interrupted: 3 of 20 runs are done"):
        found = find_boundaries(transmission(), target="T", runs=20, random_state=0, n_jobs=1)
    assert not found.complete
    assert found.n_runs == 3
    assert found[0].accuracy is not None


def test_interrupt_between_two_runs_keeps_what_was_found(monkeypatch):
    def press_control_c(self, phase, n_done):
        if n_done == 3:
            raise Cancelled

    monkeypatch.setattr(ProgressTrace, "progressed", press_control_c)
    with pytest.warns(EiderdownWarning, match="Interrupted: 3 of 20 runs are done"):
        found = find_boundaries(transmission(), target="T", runs=20, random_state=0, cv=None)
    assert not found.complete
    assert sum(item.n_runs for item in found) == 3


def test_interrupted_measuring_keeps_the_boundaries(monkeypatch):
    def interrupted(*_):
        raise Cancelled

    monkeypatch.setattr(Prediction, "accuracy", interrupted)
    with pytest.warns(EiderdownWarning, match="not every boundary has its accuracy"):
        found = find_boundaries(transmission(), target="T", runs=3, random_state=0)
    assert len(found) >= 1
    assert not found.complete
    assert Boundaries.from_json(found.to_json()) == found


@pytest.mark.filterwarnings("ignore:With 1500 rows")
def test_required_and_excluded_columns_hold_for_every_run():
    found = find_boundaries(
        discrete_table(1_500),
        target="t",
        runs=5,
        required=["n"],
        exclude=["q"],
        random_state=0,
        cv=None,
    )
    assert all("n" in item.members and "q" not in item.members for item in found)


def test_thin_rows_are_told_once():
    options = {
        "runs": 10,
        "random_state": 0,
        "cv": None,
        "test": G_SQUARE(dof="nominal"),
    }
    with pytest.warns(EiderdownWarning) as told:
        found = find_boundaries(discrete_table(100), target="t", **options)
    assert len(told) == len(found.warnings) == 1
    assert "may lack members that could not be tested" in found.warnings[0]


def test_too_few_rows_for_any_test_is_an_error():
    table = {name: np.arange(8) % 4 for name in "abc"}
    test = G_SQUARE(reliability="rows_per_dof")
    with pytest.raises(TooFewRowsError, match="8 rows are too few"):
        find_boundaries(table, target="a", runs=3, cv=2, test=test)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"algorithm": "iamb"}, "'iamb' makes no random choices.*'kiamb', 'kpcmb'"),
        ({"runs": 0}, "runs must be at least 1, not 0"),
        ({"patience": 0}, "patience must be at least 1, not 0"),
        ({"cv": 1}, "cv must be a number of folds.*not 1"),
        ({"cv": "five"}, "cv must be a number of folds.*not 'five'"),
        ({"params": {"fraction": 2.0}}, "find_boundaries.. has no option 'params'"),
        ({"alpha": 0.0}, "alpha must be between 0 and 1"),
    ],
)
def test_bad_options_are_named(options, sentence):
    with pytest.raises(OptionError, match=sentence):
        find_boundaries(transmission(40), target="T", **({"runs": 2} | options))


def test_test_data_without_a_candidate_column_are_refused_before_any_run(monkeypatch):
    monkeypatch.setattr(module, "run_search", None)
    lacking = {name: cells for name, cells in transmission(40).items() if name != "R"}
    with pytest.raises(UnknownColumnError, match="'R'"):
        find_boundaries(transmission(40), target="T", test_data=lacking)


def test_kpcmb_can_be_repeated_too():
    data = discrete_table(3_000)
    found = find_boundaries(data, target="t", algorithm="kpcmb", runs=6, random_state=0, cv=None)
    assert (found.run.algorithm, found.n_runs) == ("kpcmb", 6)
    assert all({"p", "q", "c"} <= set(item.members) for item in found)
    assert found[0].boundary.parents_children is not None


def test_options_of_the_search_are_checked_where_they_are_given():
    with pytest.raises(OptionError, match="fraction must be from 0 to 1, not 2"):
        KIAMB(fraction=2.0)
    with pytest.raises(OptionError, match="'kiamb' has no option 'share'"):
        KIAMB(share=0.5)


def test_too_few_rows_for_the_folds_are_what_is_complained_of():
    with pytest.raises(TooFewRowsError, match="3 rows are too few for cross-validation"):
        find_boundaries({"a": [1, 2, 1], "b": [1, 2, 1], "c": [1, 1, 2]}, "a")
