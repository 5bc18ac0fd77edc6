"""Tuning gives scikit-learn's grid search, with one matrix of inner products."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from interaction_problems import circle, xor
from scipy import sparse
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC, SVR

from eiderdown.errors import EiderdownWarning, OptionError, TooFewRowsError
from eiderdown.svm import grid_search
from eiderdown.svm.folds import make_folds
from eiderdown.svm.grid_scores import GridScore, Tuning
from eiderdown.svm.inner_products import linear_gram
from eiderdown.svm.tuning import (
    choose_degree_and_cost,
    cross_validated_score,
    nested_score,
)

COSTS = (1e-3, 1e-2, 0.1)


def splits(y, folds, seed, regression=False):
    parts = make_folds(y, folds, np.random.default_rng(seed), regression=regression)
    return [(np.setdiff1d(np.arange(len(y)), part), part) for part in parts]


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_the_table_is_that_of_grid_search(regression, is_sparse):
    X, _ = circle(90, 4)
    X = np.where(np.abs(X) < 0.2, 0.0, X)
    target = X[:, 0] + X[:, 0] * X[:, 1] + X[:, 2] ** 2 - 0.3
    target = target if regression else (target > 0).astype(int)
    tuning = choose_degree_and_cost(
        sparse.csr_matrix(X) if is_sparse else X,
        target,
        degrees=(1, 2, 3),
        costs=COSTS,
        folds=4,
        random_state=5,
        regression=regression,
        tolerance=1e-5,
    )
    machine = SVR(kernel="poly", gamma=1, coef0=1, tol=1e-5)
    if not regression:
        machine = SVC(kernel="poly", gamma=1, coef0=1, tol=1e-5)
    search = GridSearchCV(
        machine,
        {"degree": [1, 2, 3], "C": COSTS},
        cv=splits(target, 4, 5, regression),
        scoring="r2" if regression else "roc_auc",
    ).fit(X, target)
    theirs = search.cv_results_
    ours = {(point.degree, point.C): point for point in tuning.table}
    assert tuning.measure == ("R2" if regression else "AUC")
    assert len(ours) == 9
    for position, options in enumerate(theirs["params"]):
        point = ours[options["degree"], options["C"]]
        assert point.mean == pytest.approx(theirs["mean_test_score"][position], abs=0.005)
        scores = [theirs[f"split{fold}_test_score"][position] for fold in range(4)]
        assert point.scores == pytest.approx(scores, abs=0.01)
        assert point.sd == pytest.approx(np.std(scores, ddof=1), abs=0.01)
    assert tuning.best.mean == pytest.approx(search.best_score_, abs=0.005)


def test_a_degree_that_holds_the_interaction_is_chosen():
    X, y = xor(200, 6, noise=0.1)
    tuning = choose_degree_and_cost(X, y, costs=10.0 ** np.arange(-3, 3), random_state=0)
    assert tuning.best.degree >= 2
    assert tuning.best.mean > 0.8
    assert max(point.mean for point in tuning.table if point.degree == 1) < 0.65
    assert tuning.complete


@given(st.integers(0, 2**32 - 1), st.integers(2, 3), st.integers(1, 3))
@settings(max_examples=10, deadline=None)
def test_skipped_costs_have_the_scores_that_training_would_have_given(seed, n_classes, degree):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 5)), np.arange(40) % n_classes
    costs = (1e-2, 1.0, 1e2, 1e4)
    tuning = choose_degree_and_cost(X, y, degrees=(degree,), costs=costs, folds=3, random_state=1)
    for point in tuning.table:
        alone = cross_validated_score(X, y, degree=degree, C=point.C, folds=3, random_state=1)
        if point.converged:
            assert point.scores == pytest.approx(alone.scores, abs=0.06)  # a rank or two


def test_costs_that_cannot_change_a_machine_are_not_trained(monkeypatch):
    X, y = xor(60, 30)  # separable in so many features
    trained = []
    original = grid_search.solve

    def counted(*arguments, **options):
        trained.append(options["cost"])
        return original(*arguments, **options)

    monkeypatch.setattr(grid_search, "solve", counted)
    costs = 10.0 ** np.arange(-8, 4)
    tuning = choose_degree_and_cost(X, y, degrees=(2,), costs=costs, folds=2, random_state=0)
    assert len(trained) < 2 * 8
    assert len(tuning.table) == 12
    assert len({point.scores for point in tuning.table[-3:]}) == 1


def test_inner_products_can_be_given_and_folds_decide_by_the_seed():
    X, y = xor(60, 4, noise=0.3)
    options = {"degree": 2, "C": 0.1, "folds": 3}
    first = cross_validated_score(X, y, random_state=1, **options)
    same = cross_validated_score(X, y, random_state=1, gram=linear_gram(X), **options)
    other = cross_validated_score(X, y, random_state=2, **options)
    assert first == same
    assert first.scores != other.scores


def test_of_equal_scores_the_lowest_degree_and_then_the_lowest_cost_wins():
    table = tuple(
        GridScore((value, 0.8), degree, cost)
        for degree, cost, value in [(1, 0.1, 0.5), (2, 0.1, 0.9), (2, 1.0, 0.9), (3, 0.01, 0.9)]
    )
    assert Tuning(table, "AUC").best == table[1]


def test_the_nested_score_comes_from_rows_that_took_no_part_in_the_choice():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 20)), np.arange(60) % 2
    # A choice among many on pure noise looks good by its own folds, and is worth nothing.
    tuning = choose_degree_and_cost(X, y, folds=4, random_state=0)
    nested = nested_score(X, y, folds=4, random_state=0)
    assert tuning.best.mean > 0.55
    assert abs(nested.mean - 0.5) < 0.15
    assert len(nested.scores) == len(nested.chosen) == 4
    assert nested.complete
    assert nested.sd == pytest.approx(np.std(nested.scores, ddof=1))


def test_the_nested_score_is_what_its_description_says():
    X, y = circle(80, 3)
    options = {"degrees": (1, 2), "costs": COSTS}
    nested = nested_score(X, y, folds=3, inner_folds=2, random_state=7, **options)
    generator = np.random.default_rng(7)
    for test, value, chosen in zip(
        make_folds(y, 3, generator), nested.scores, nested.chosen, strict=True
    ):
        train = np.setdiff1d(np.arange(80), test)
        inner = choose_degree_and_cost(
            X[train], y[train], folds=2, random_state=generator, **options
        )
        assert (chosen.degree, chosen.C) == (inner.best.degree, inner.best.C)
        machine = SVC(kernel="poly", degree=chosen.degree, gamma=1, coef0=1, C=chosen.C)
        values = machine.fit(X[train], y[train]).decision_function(X[test])
        ranks = (values[y[test] == 1][:, None] > values[y[test] == 0]).mean()
        assert value == pytest.approx(ranks, abs=0.02)


def test_progress_counts_machines():
    X, y = xor(40, 3)
    told = []
    choose_degree_and_cost(
        X,
        y,
        degrees=(1, 2),
        costs=COSTS,
        folds=2,
        random_state=0,
        progress=lambda phase, n: told.append((phase, n)),
    )
    assert told == [("degree 1", 3), ("degree 1", 6), ("degree 2", 9), ("degree 2", 12)]


def interrupted_after(n_calls):
    left = iter(range(n_calls))

    def progress(*_):
        if next(left, None) is None:
            raise KeyboardInterrupt

    return progress


def test_an_interruption_returns_what_there_is_so_far():
    X, y = xor(60, 4)
    options = {"costs": COSTS, "folds": 2, "random_state": 0}
    full = choose_degree_and_cost(X, y, degrees=(1, 2), **options)
    cut = choose_degree_and_cost(X, y, degrees=(1, 2), progress=interrupted_after(2), **options)
    assert not cut.complete
    # Degree 1 in both folds, degree 2 in one of them: that is not the best, however good.
    assert [len(point.scores) for point in cut.table] == [2, 2, 2, 1, 1, 1]
    assert cut.table[:3] == full.table[:3]
    assert cut.best.degree == 1
    nested = nested_score(X, y, degrees=(1, 2), progress=interrupted_after(5), **options)
    assert not nested.complete
    assert len(nested.scores) == 1


def test_an_interruption_before_anything_is_one(monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(grid_search, "solve", interrupted)
    X, y = xor(40, 3)
    for search in (choose_degree_and_cost, nested_score):
        with pytest.raises(KeyboardInterrupt):
            search(X, y, folds=2, random_state=0)


def test_a_rare_class_means_fewer_folds_and_none_at_all_is_refused():
    X, y = xor(40, 3)
    y = (np.arange(40) < 3).astype(int)
    with pytest.warns(EiderdownWarning, match="3 folds, not 5"):
        assert len(cross_validated_score(X, y, degree=1, C=1.0, random_state=0).scores) == 3
    with pytest.warns(EiderdownWarning, match="2 folds, not 3"):
        nested_score(X, y, degrees=(1,), costs=(1.0,), folds=3, random_state=0)
    with pytest.raises(TooFewRowsError, match="Class 1"):
        choose_degree_and_cost(X, (np.arange(40) < 1).astype(int))
    for nothing in ({"degrees": ()}, {"costs": ()}):
        with pytest.raises(OptionError, match="at least one"):
            choose_degree_and_cost(X, y, **nothing)
    with pytest.raises(OptionError, match="C must be positive"):
        choose_degree_and_cost(X, y, costs=(1.0, 0.0))
    with pytest.raises(OptionError, match="degree"):
        choose_degree_and_cost(X, y, degrees=(1, 2.5))
