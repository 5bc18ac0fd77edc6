"""The SVM with the thesis's grid: equal rows are one row of more weight, and probabilities hold."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC

from eiderdown.svm.grid_svm import (
    CS,
    DEGREES,
    THESIS_GRID,
    WIDTHS,
    Grid,
    GridSVM,
    area_under_curve,
    r2,
    scores_on,
)

SMALL = Grid(degrees=(1, 2), widths=(0.1,), Cs=(0.1, 1.0))


def dice(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(n_rows, 2)).astype(float)
    return X, ((X[:, 0] == X[:, 1]) ^ (rng.random(n_rows) < 0.15)).astype(int)


def test_grid_is_that_of_the_thesis():
    assert DEGREES == (1, 2, 3, 4)
    assert WIDTHS == (1e-4, 1e-3, 1e-2, 1e-1, 1.0)
    assert CS == (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
    assert len(THESIS_GRID.points()) == 54


def test_machine_of_merged_rows_is_that_of_all_rows():
    X, y = dice(400)
    svm = GridSVM(grid=Grid(degrees=(2,), widths=(), Cs=(0.1,))).fit(X, y)
    plain = SVC(**svm.best_.kernel(2), C=svm.C_, tol=1e-6).fit(X, y)
    new = dice(9, seed=1)[0]
    assert np.allclose(svm.decision_function(new), plain.decision_function(new), atol=0.01)


def test_area_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    y, decisions = rng.integers(0, 3, 200), rng.normal(size=(200, 3)).round(1)
    expected = np.mean([roc_auc_score(y == k, decisions[:, k]) for k in range(3)])
    assert area_under_curve(y, decisions) == pytest.approx(expected)
    two = (y > 0).astype(int)
    assert area_under_curve(two, decisions[:, 0]) == pytest.approx(
        roc_auc_score(two, decisions[:, 0])
    )
    assert area_under_curve(np.zeros(5, dtype=int), np.zeros(5)) == 0.5
    assert r2(np.ones(5), np.zeros(5)) == 0.0


def test_probabilities_are_shares_among_new_rows():
    def draw(n_rows, seed):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n_rows, 2))
        return X, (rng.random(n_rows) < 1.0 / (1.0 + np.exp(-2.0 * X.sum(axis=1)))).astype(int)

    # More rows than kernel and C are chosen with: probabilities stay on their scale.
    svm = GridSVM(grid=SMALL).fit(*draw(3_000, 0))
    X, y = draw(4_000, 1)
    shares = svm.predict_proba(X)[:, 1]
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        rows = (shares >= low) & (shares < low + 0.2)
        assert abs(shares[rows].mean() - y[rows].mean()) < 0.06


def test_worthless_columns_give_the_shares_of_the_classes():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 2)), (rng.random(200) < 0.3).astype(int)
    found = GridSVM(grid=SMALL).fit(X, y).predict_proba(rng.normal(size=(500, 2)))
    assert abs(found[:, 1].mean() - y.mean()) < 0.1
    assert found[:, 1].std() < 0.15


def test_three_classes_one_of_them_rare_and_numbers():
    X, y = dice(300)
    y[:2] = 2
    svm = GridSVM(grid=SMALL).fit(X, y)
    assert svm.predict_proba(X).shape == (300, 3)
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(200, 2))
    numbers = GridSVM(regression=True, grid=SMALL).fit(Z, 100.0 + 10.0 * Z[:, 0] * Z[:, 1])
    assert numbers.best_.degree == 2
    assert numbers.predict(Z).mean() == pytest.approx(
        100.0 + 10.0 * (Z[:, 0] * Z[:, 1]).mean(), 0.02
    )


def test_each_point_of_a_grid_is_scored_on_other_rows():
    train, test = dice(300), dice(300, seed=4)
    scores = scores_on(train, test, GridSVM(grid=SMALL))
    assert len(scores) == len(SMALL.points())
    assert scores.max() > 0.8 > scores.min()


def test_probabilities_of_three_classes_keep_the_order_of_decisions():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(1_200, 6)).astype(float)
    y = np.minimum(2, X[:, :3].sum(axis=1) + (rng.random(1_200) < 0.1)).astype(int)
    rare = y.copy()
    rare[y == 2] = np.where(rng.random((y == 2).sum()) < 0.1, 2, 1)
    # Tiny Cs: all machines say the same class, and only differences of decisions tell anything.
    svm = GridSVM(grid=Grid(degrees=(), widths=(1.0,), Cs=(1e-4,))).fit(X[:900], rare[:900])
    decisions, shares = svm.decision_function(X[900:]), svm.predict_proba(X[900:])
    judged = area_under_curve(rare[900:], decisions)
    assert judged > 0.8
    assert area_under_curve(rare[900:], shares) > judged - 0.03
