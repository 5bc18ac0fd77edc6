"""What is judged on a workbench is what scikit-learn says about the same folds."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from eiderdown.svm.linear_scores import linear_scores
from eiderdown.svm.svm_settings import SVMSettings
from eiderdown.svm.workbench import Workbench


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(90, 3))
    return X, (X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=90) > 0).astype(int)


def bench(X, y, **params):
    return Workbench(X, y, SVMSettings(**params), 3, 0)


def test_machines_are_judged_on_the_folds_of_the_workbench(rows):
    X, y = rows
    work = bench(X, y)
    expected = []
    for test in work.folds:
        train = np.setdiff1d(np.arange(len(y)), test)
        machine = SVC(kernel="poly", degree=2, gamma=1, coef0=1, C=0.5).fit(X[train], y[train])
        expected.append(roc_auc_score(y[test], machine.decision_function(X[test])))
    np.testing.assert_allclose(work.score(2, 0.5).scores, expected, atol=1e-3)
    assert work.tune((2,), (0.5,)).best.scores == work.score(2, 0.5).scores


@pytest.mark.parametrize("n_classes", [2, 3])
def test_linear_scores_of_classes_are_scikit_learns(rows, n_classes):
    X, _ = rows
    y = np.digitize(X[:, 0] + 0.5 * X[:, 2], np.linspace(-0.4, 0.4, n_classes - 1))
    work = bench(X, y)
    for test, found in zip(work.folds, work.linear(X).scores, strict=True):
        train = np.setdiff1d(np.arange(len(y)), test)
        model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[train], y[train])
        p = model.predict_proba(X[test])
        if n_classes == 2:
            expected = roc_auc_score(y[test], p[:, 1])
        else:
            pairs = [(i, j) for j in range(3) for i in range(j)]
            expected = np.mean(
                [
                    roc_auc_score(y[test][among] == j, p[among, j] / p[among, i])
                    for i, j in pairs
                    for among in [np.isin(y[test], (i, j))]
                ]
            )
        assert found == pytest.approx(expected, abs=1e-9)


def test_linear_scores_of_numbers_are_scikit_learns(rows):
    X, _ = rows
    y = X[:, 0] - X[:, 1] + 0.1 * np.random.default_rng(1).normal(size=90)
    work = bench(X, y, regression=True)
    for test, found in zip(work.folds, work.linear(X).scores, strict=True):
        train = np.setdiff1d(np.arange(len(y)), test)
        model = make_pipeline(StandardScaler(), Ridge()).fit(X[train], y[train])
        assert found == pytest.approx(r2_score(y[test], model.predict(X[test])))


def test_a_column_that_does_not_vary_in_training_does_no_harm():
    columns = np.column_stack([np.arange(20.0), np.r_[np.zeros(10), np.ones(10)]])
    y = np.arange(20) % 2
    folds = (np.arange(10, 20), np.arange(10))
    assert len(linear_scores(columns, y, folds).scores) == 2


def test_nested_folds_are_as_many_as_the_rarest_class_allows(rows):
    X, _ = rows
    few = np.r_[np.zeros(86, int), np.ones(4, int)]
    work = Workbench(X, few, SVMSettings(), 4, 0)
    nested = work.nested((1,), (1.0,))
    assert len(nested.scores) == 4
    assert len(nested.chosen[0].scores) == 3
    two = Workbench(X, np.r_[np.zeros(88, int), np.ones(2, int)], SVMSettings(), 2, 0)
    assert two.nested((1,), (1.0,)) is None
