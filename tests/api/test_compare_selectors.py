"""Comparisons are honest: rows that judge choose nothing, and nothing is lost in silence."""

import time
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.svm import SVC, SVR

from eiderdown import EiderdownWarning, SelectorComparison, compare_selectors
from eiderdown.api import compare
from eiderdown.api.selection import SelectionTable
from eiderdown.api.selectors import COMMON, Selector
from eiderdown.data.prepare import prepare_target
from eiderdown.errors import OptionError, TooFewRowsError
from eiderdown.progress import Cancelled
from eiderdown.registry import Registry

FIXED = {"degrees": [2], "Cs": [1.0]}
GRID = {"degrees": [1, 2], "Cs": [0.01, 1.0], "inner_folds": 3}


def parity(n_rows=160, n_columns=8, noise=0.05, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(n_rows, n_columns))
    y = (X[:, 2] ^ X[:, 5]) ^ (rng.random(n_rows) < noise)
    return pd.DataFrame(X, columns=[f"x{i}" for i in range(n_columns)]).assign(y=y)


def playing(monkeypatch, **functions):
    """Replace the registered selectors."""
    entries = [Selector(function, f"{name}.", name=name) for name, function in functions.items()]
    monkeypatch.setattr(compare, "SELECTORS", Registry(entries))
    return list(functions)


@pytest.mark.no_cover
def test_interaction_is_found_by_those_who_can():
    found = compare_selectors(parity(), target="y", folds=2, **{**GRID, "inner_folds": 2})
    assert [row.name for row in found] == list(COMMON)
    assert found.complete
    assert found["fsmb"].score > 0.85
    assert all({"x2", "x5"} <= set(trial.variables) for trial in found["fsmb"].trials)
    assert found["hiton_mb"].score < 0.7
    assert found["none"].n_variables == 8
    assert {trial.degree for trial in found["none"].trials} == {2}
    assert SelectorComparison.from_json(found.to_json()) == found


def test_score_of_classes_is_scikit_learns_auc():
    table = parity(noise=0.2)
    prepared = prepare_target(table, "y")
    ((train, test),) = SelectionTable(prepared, **FIXED).splits(5, 0.3, 4)
    X, y = 2.0 * table.drop(columns="y").to_numpy() - 1.0, table["y"].to_numpy()
    svm = SVC(kernel="poly", degree=2, C=1.0, gamma=1.0, coef0=1.0)
    svm.fit(X[train], y[train])
    expected = roc_auc_score(y[test], svm.decision_function(X[test]))
    found = compare_selectors(
        table, target="y", selectors=["none"], test_share=0.3, random_state=4, **FIXED
    )
    assert found["none"].score == pytest.approx(expected, abs=0.01)
    assert found.measure == "AUC"
    assert len(test) == 48
    assert found.tested_on == "48 rows kept aside"


def test_score_of_numbers_is_scikit_learns_r2():
    rng = np.random.default_rng(5)
    X = rng.uniform(-1.0, 1.0, size=(120, 3))
    y = X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=120)
    table = pd.DataFrame(X, columns=list("abc")).assign(y=y)
    prepared = prepare_target(table, "y")
    ((train, test),) = SelectionTable(prepared, **FIXED).splits(5, 0.25, 0)
    scaled = 2.0 * (X - X.min(axis=0)) / np.ptp(X, axis=0) - 1.0
    numbers = (y - y.mean()) / y.std()
    svm = SVR(kernel="poly", degree=2, C=1.0, gamma=1.0, coef0=1.0)
    svm.fit(scaled[train], numbers[train])
    expected = r2_score(numbers[test], svm.predict(scaled[test]))
    found = compare_selectors(table, target="y", selectors=["none"], test_share=0.25, **FIXED)
    assert found.measure == "R2"
    assert found["none"].score == pytest.approx(expected, abs=0.01)


def test_rows_that_judge_choose_nothing():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(150, 6))
    y = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=150)
    table = pd.DataFrame(X, columns=list("abcdef")).assign(y=y)
    names = ["none", "rfe_50", "f_test_50", "elastic_net", "iamb", "fsmb"]
    options = {"target": "y", "selectors": names, "test_share": 0.3, **GRID}
    prepared = prepare_target(table, "y")
    ((_, test),) = SelectionTable(prepared, **GRID).splits(5, 0.3, 0)
    muddled = y.copy()
    muddled[test] = np.roll(y[test], 7)
    honest = compare_selectors(table, **options)
    other = compare_selectors(table.assign(y=muddled), **options)
    for row in honest:
        (first,), (second,) = row.trials, other[row.name].trials
        assert first.variables == second.variables
        assert (first.degree, first.C) == (second.degree, second.C)
        assert first.score != second.score


@pytest.mark.no_cover
def test_order_of_columns_and_number_of_workers_change_nothing():
    table = parity(noise=0.2)
    shuffled = table[list(np.random.default_rng(1).permutation(table.columns))]
    options = {"target": "y", "test_share": 0.5, "random_state": 3, **FIXED}

    def told(table, **more):
        found = compare_selectors(table, **options, **more)
        return [(r.name, [(t.variables, t.score) for t in r.trials]) for r in found]

    assert told(shuffled, n_jobs=2) == told(table, n_jobs=1)


def test_broken_selector_is_reported_and_the_others_go_on(monkeypatch):
    def broken(task):
        raise ZeroDivisionError("by nothing\nat all")

    def refusing(task):
        raise OptionError("It wants more columns.")

    names = playing(monkeypatch, broken=broken, refusing=refusing, fine=lambda task: ("x2", "x5"))
    found = compare_selectors(parity(), target="y", selectors=names, folds=2, **FIXED)
    assert found["broken"].problem == "failed on split 1 of 2: ZeroDivisionError: by nothing"
    assert found["refusing"].problem == "failed on split 1 of 2: It wants more columns."
    assert found["broken"].score is None
    assert found["fine"].problem is None
    assert len(found["fine"].trials) == 2
    assert found.complete


def test_slow_selector_is_given_up_and_the_others_go_on(monkeypatch):
    def slow(task):
        end = time.perf_counter() + 20.0
        while time.perf_counter() < end:
            task.trace.progressed("waiting", 0)
        return ()

    def deaf(task):
        time.sleep(0.3)
        return ()

    names = playing(monkeypatch, slow=slow, deaf=deaf, fine=lambda task: ("x2",))
    found = compare_selectors(
        parity(), target="y", selectors=names, folds=2, max_seconds_each=0.2, **FIXED
    )
    for name in ("slow", "deaf"):
        assert found[name].problem == "given up on split 1 of 2: it took more than 0.2 seconds."
    assert len(found["fine"].trials) == 2
    assert found.run.seconds < 10.0


def test_selections_done_before_an_interrupt_are_kept(monkeypatch):
    calls = []

    def impatient(task):
        calls.append(1)
        if len(calls) == 2:
            raise Cancelled
        return ("x1",)

    names = playing(
        monkeypatch, fine=lambda task: ("x2",), impatient=impatient, last=lambda task: ("x3",)
    )
    with pytest.warns(EiderdownWarning, match="Interrupted: 4 of 9 selections are done"):
        found = compare_selectors(parity(), target="y", selectors=names, folds=3, **FIXED)
    assert not found.complete
    assert [len(row.trials) for row in found] == [2, 1, 1]
    assert found["last"].problem == "interrupted after 1 of 3 splits."
    assert found["fine"].problem == "interrupted after 2 of 3 splits."


def test_empty_selection_is_as_good_as_guessing(monkeypatch):
    names = playing(monkeypatch, nothing=lambda task: ())
    found = compare_selectors(parity(), target="y", selectors=names, folds=2, **GRID)
    assert found["nothing"].score == 0.5
    assert found["nothing"].trials[0].degree is None


def test_warnings_are_gathered_by_sort_with_those_who_gave_them(monkeypatch):
    calls = []

    def first(task):
        calls.append(1)
        warnings.warn(
            f"With {len(calls)} rows 'x{len(calls)}' is odd.", EiderdownWarning, stacklevel=1
        )
        return ("x1",)

    def second(task):
        warnings.warn("With 9 rows 'x2' is odd.", EiderdownWarning, stacklevel=1)
        return ("x1",)

    names = playing(monkeypatch, first=first, second=second)
    with pytest.warns(EiderdownWarning, match="is odd"):
        found = compare_selectors(parity(), target="y", selectors=names, folds=3, **FIXED)
    assert found.warnings == ("first, second: With 1 rows 'x1' is odd.",)


@pytest.mark.filterwarnings("ignore:.*some may belong to the boundary")
def test_level_or_value_that_only_judging_rows_have_does_no_harm():
    table = parity(60).assign(rare="no", lone=0.0)
    table.loc[[7, 31], "rare"] = "yes"
    table.loc[31, "rare"] = "perhaps"
    table.loc[3, "lone"] = 1.5
    found = compare_selectors(
        table, target="y", selectors=["none", "rfe_50", "elastic_net", "fsmb"], folds=5, **FIXED
    )
    assert [row.problem for row in found] == [None] * 4
    assert min(trial.n_variables for trial in found["none"].trials) < 10


def test_rare_class_leaves_fewer_folds_and_says_so():
    table = parity(80)
    table["y"] = np.where(np.arange(80) < 4, "rare", table["y"].astype(str))
    with pytest.warns(EiderdownWarning) as said:
        found = compare_selectors(
            table, target="y", selectors=["none"], folds=2, degrees=[1, 2], Cs=[1.0]
        )
    sentences = [str(warning.message) for warning in said]
    assert "Class 'rare' of target 'y' has only 4 rows, too few to learn much from." in sentences
    assert any("chosen with 2 folds, because only 2 rows of class 'rare'" in s for s in sentences)
    assert len(found["none"].trials) == 2
    table.loc[1:3, "y"] = "True"
    with pytest.raises(TooFewRowsError, match="Class 'rare' of target 'y' has a single row"):
        compare_selectors(table, target="y", selectors=["none"], folds=2, **FIXED)


@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
def test_class_too_rare_to_choose_with_is_named():
    table = parity(80)
    table["y"] = np.where(np.arange(80) < 2, "rare", table["y"].astype(str))
    with pytest.raises(TooFewRowsError, match=r"Class 'rare' .* single row to choose"):
        compare_selectors(table, target="y", selectors=["none"], folds=2, **GRID)


def test_excluded_and_constant_columns_take_no_part():
    table = parity().assign(same=1, identifier=np.arange(160.0))
    with pytest.warns(EiderdownWarning, match="single value: 'same'"):
        found = compare_selectors(
            table, target="y", selectors=["none"], exclude=["identifier"], folds=2, **FIXED
        )
    assert found.n_variables == 8
    assert set(found["none"].trials[0].variables) == {f"x{i}" for i in range(8)}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"selectors": ["rfe_5"]}, "did you mean 'rfe_50'"),
        ({"selectors": []}, "No selector was named"),
        ({"folds": 1}, "folds must be a whole number of at least 2, not 1"),
        ({"test_share": 1.5}, "test_share must be between 0 and 1, not 1.5"),
        ({"degrees": []}, "degrees and Cs must each name at least one"),
        ({"degrees": [0]}, "degree must be a whole number of at least 1, not 0"),
        ({"Cs": [1.0, -1.0]}, "C must be positive, not -1.0"),
        ({"max_seconds_each": 0.0}, "max_seconds_each must be positive or None, not 0.0"),
        ({"inner_folds": 1, "degrees": [1, 2]}, "folds must be a whole number"),
        ({"random_state": -1}, "random_state must be at least 0"),
    ],
)
def test_bad_options_are_named(options, sentence):
    with pytest.raises(OptionError, match=sentence):
        compare_selectors(parity(), target="y", **{"selectors": ["none"], **FIXED, **options})


def test_one_name_and_the_word_all_are_understood(monkeypatch):
    names = playing(monkeypatch, a=lambda task: ("x1",), b=lambda task: ("x2",))
    both = compare_selectors(parity(), target="y", selectors="all", folds=2, **FIXED)
    assert [row.name for row in both] == names
    one = compare_selectors(parity(), target="y", selectors="b", folds=2, **FIXED)
    assert [row.name for row in one] == ["b"]


def test_time_is_limited_with_what_was_done_until_then(monkeypatch):
    def slow(task):
        while True:
            task.trace.progressed("waiting", 0)

    names = playing(monkeypatch, fine=lambda task: ("x2",), slow=slow)
    with pytest.warns(EiderdownWarning, match="Interrupted: 1 of 4 selections are done"):
        found = compare_selectors(
            parity(), target="y", selectors=names, folds=2, time_limit=1.0, **FIXED
        )
    assert not found.complete
    assert found["slow"].problem == "interrupted after 0 of 2 splits."
