"""Tuning gives scikit-learn's grid search, with one matrix of inner products."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from interaction_problems import circle, xor
from scipy import sparse
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from eiderdown.errors import EiderdownWarning, OptionError, TooFewRowsError
from eiderdown.progress import Cancelled, Trace
from eiderdown.svm import trained_folds as module
from eiderdown.svm import training
from eiderdown.svm import tuning as tuning_module
from eiderdown.svm.cross_validation import linear_scores, make_folds
from eiderdown.svm.training import SVMParams
from eiderdown.svm.tuning import GridScore, Tuner, Tuning
from examples import examples

CS = (1e-3, 1e-2, 0.1)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(90, 3))
    return X, (X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=90) > 0).astype(int)


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_the_table_is_that_of_grid_search(regression, is_sparse):
    X, _ = circle(90, 4)
    X = np.where(np.abs(X) < 0.2, 0.0, X)
    target = X[:, 0] + X[:, 0] * X[:, 1] + X[:, 2] ** 2 - 0.3
    target = target if regression else (target > 0).astype(int)
    params = SVMParams(regression=regression, tolerance=1e-5)
    matrix = sparse.csr_matrix(X) if is_sparse else X
    tuning = Tuner.of(matrix, target, params, folds=4, random_state=5).tune((1, 2, 3), CS)
    svm = SVR(kernel="poly", gamma=1, coef0=1, tol=1e-5)
    if not regression:
        svm = SVC(kernel="poly", gamma=1, coef0=1, tol=1e-5)
    splitter = (KFold if regression else StratifiedKFold)(4, shuffle=True, random_state=5)
    search = GridSearchCV(
        svm,
        {"degree": [1, 2, 3], "C": CS},
        cv=splitter,
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
    tuning = Tuner.of(X, y).tune(Cs=10.0 ** np.arange(-3, 3))
    assert tuning.best.degree >= 2
    assert tuning.best.mean > 0.8
    assert max(point.mean for point in tuning.table if point.degree == 1) < 0.65
    assert tuning.complete


@pytest.mark.no_cover
@given(st.integers(0, 2**32 - 1), st.integers(2, 3), st.integers(1, 3))
@examples(10)
def test_skipped_values_of_c_have_the_scores_that_training_would_have_given(
    seed, n_classes, degree
):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 5)), np.arange(40) % n_classes
    tuner = Tuner.of(X, y, folds=3, random_state=1)
    for point in tuner.tune((degree,), (1e-2, 1.0, 1e2, 1e4)).table:
        alone = tuner.score(degree, point.C)
        if point.converged:
            assert point.scores == pytest.approx(alone.scores, abs=0.06)  # a rank or two


def test_values_of_c_that_cannot_change_an_svm_are_not_trained(monkeypatch):
    X, y = xor(60, 30)  # separable in so many monomials
    trained = []
    original = module.solve

    def counted(*arguments, **options):
        trained.append(options["C"])
        return original(*arguments, **options)

    monkeypatch.setattr(module, "solve", counted)
    tuning = Tuner.of(X, y, folds=2).tune((2,), 10.0 ** np.arange(-8, 4))
    assert len(trained) < 2 * 8
    assert len(tuning.table) == 12
    assert len({point.scores for point in tuning.table[-3:]}) == 1


def test_folds_decide_by_the_seed():
    X, y = xor(60, 4, noise=0.3)
    first, same, other = (Tuner.of(X, y, folds=3, random_state=s).score(2, 0.1) for s in (1, 1, 2))
    assert first == same
    assert first.scores != other.scores


def test_of_equal_scores_the_lowest_degree_and_then_the_lowest_c_wins():
    table = tuple(
        GridScore((value, 0.8), degree, C)
        for degree, C, value in [(1, 0.1, 0.5), (2, 0.1, 0.9), (2, 1.0, 0.9), (3, 0.01, 0.9)]
    )
    assert Tuning(table, "AUC").best == table[1]


@pytest.mark.no_cover
def test_the_nested_score_comes_from_rows_that_took_no_part_in_the_choice():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 20)), np.arange(40) % 2
    # A choice among many on pure noise looks good by its own folds, and is worth nothing.
    tuner = Tuner.of(X, y, folds=4)
    nested = tuner.nested()
    assert tuner.tune().best.mean > 0.55
    assert abs(nested.mean - 0.5) < 0.15
    assert len(nested.scores) == len(nested.chosen) == 4
    assert nested.complete
    assert nested.sd == pytest.approx(np.std(nested.scores, ddof=1))


def test_the_nested_score_is_what_its_description_says():
    X, y = circle(80, 3)
    nested = Tuner.of(X, y, folds=3, random_state=7).nested((1, 2), CS)
    for (train, test), value, chosen in zip(
        make_folds(y, 3, 7), nested.scores, nested.chosen, strict=True
    ):
        inner = Tuner.of(X[train], y[train], folds=3, random_state=7).tune((1, 2), CS)
        assert (chosen.degree, chosen.C) == (inner.best.degree, inner.best.C)
        svm = SVC(kernel="poly", degree=chosen.degree, gamma=1, coef0=1, C=chosen.C)
        values = svm.fit(X[train], y[train]).decision_function(X[test])
        assert value == pytest.approx(roc_auc_score(y[test], values), abs=0.02)


def test_nested_folds_are_as_many_as_the_rarest_class_allows(rows):
    X, _ = rows
    few = np.r_[np.zeros(86, int), np.ones(4, int)]
    nested = Tuner(X, few, SVMParams(), 4, 0).nested((1,), (1.0,))
    assert len(nested.scores) == 4
    assert len(nested.chosen[0].scores) == 3
    two = Tuner(X, np.r_[np.zeros(88, int), np.ones(2, int)], SVMParams(), 2, 0)
    assert two.nested((1,), (1.0,)) is None


def test_svms_are_judged_on_the_folds_of_the_tuner(rows):
    X, y = rows
    tuner = Tuner.of(X, y, folds=3)
    expected = []
    for train, test in tuner.folds:
        svm = SVC(kernel="poly", degree=2, gamma=1, coef0=1, C=0.5).fit(X[train], y[train])
        expected.append(roc_auc_score(y[test], svm.decision_function(X[test])))
    np.testing.assert_allclose(tuner.score(2, 0.5).scores, expected, atol=0.01)  # a rank or two
    assert tuner.tune((2,), (0.5,)).best.scores == tuner.score(2, 0.5).scores


@pytest.mark.parametrize("n_classes", [2, 3])
def test_linear_scores_of_classes_are_scikit_learns(rows, n_classes):
    X, _ = rows
    y = np.digitize(X[:, 0] + 0.5 * X[:, 2], np.linspace(-0.4, 0.4, n_classes - 1))
    tuner = Tuner.of(X, y, folds=3)
    for (train, test), found in zip(tuner.folds, tuner.linear(X).scores, strict=True):
        model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[train], y[train])
        p = model.predict_proba(X[test])
        if n_classes == 2:
            expected = roc_auc_score(y[test], p[:, 1])
        else:
            expected = roc_auc_score(y[test], p, multi_class="ovo")
        assert found == pytest.approx(expected, abs=1e-9)


def test_linear_scores_of_numbers_are_scikit_learns(rows):
    X, _ = rows
    y = X[:, 0] - X[:, 1] + 0.1 * np.random.default_rng(1).normal(size=90)
    tuner = Tuner.of(X, y, SVMParams(regression=True), folds=3)
    for (train, test), found in zip(tuner.folds, tuner.linear(X).scores, strict=True):
        model = make_pipeline(StandardScaler(), Ridge()).fit(X[train], y[train])
        assert found == pytest.approx(r2_score(y[test], model.predict(X[test])))


def test_a_column_that_does_not_vary_in_training_does_no_harm():
    columns = np.column_stack([np.arange(20.0), np.r_[np.zeros(10), np.ones(10)]])
    y = np.arange(20) % 2
    halves = np.arange(10), np.arange(10, 20)
    assert len(linear_scores(columns, y, [halves, halves[::-1]]).scores) == 2


class Listening(Trace):
    """Keeps what it is told, and cancels after so many calls."""

    def __init__(self, patience=None):
        super().__init__()
        self.told, self.patience = [], patience

    def progressed(self, phase, n):
        if len(self.told) == self.patience:
            raise Cancelled
        self.told.append((phase, n))


def test_progress_counts_svms():
    X, y = xor(40, 3)
    trace = Listening()
    Tuner.of(X, y, folds=2).tune((1, 2), CS, trace)
    assert trace.told == [("degree 1", 3), ("degree 1", 6), ("degree 2", 9), ("degree 2", 12)]


def test_a_cancellation_returns_what_there_is_so_far():
    X, y = xor(60, 4)
    tuner = Tuner.of(X, y, folds=2)
    full = tuner.tune((1, 2), CS)
    cut = tuner.tune((1, 2), CS, Listening(2))
    assert not cut.complete
    # Degree 1 in both folds, degree 2 in one of them: that is not the best, however good.
    assert [len(point.scores) for point in cut.table] == [2, 2, 2, 1, 1, 1]
    assert cut.table[:3] == full.table[:3]
    assert cut.best.degree == 1
    nested = tuner.nested((1, 2), CS, Listening(5))
    assert not nested.complete
    assert len(nested.scores) == 1


def test_a_cancellation_before_anything_is_one(monkeypatch):
    def cancelled(*_, **__):
        raise Cancelled

    monkeypatch.setattr(module, "solve", cancelled)
    X, y = xor(40, 3)
    tuner = Tuner.of(X, y, folds=2)
    for search in (tuner.tune, tuner.nested):
        with pytest.raises(Cancelled):
            search()


def test_a_rare_class_means_fewer_folds_and_none_at_all_is_refused():
    X, y = xor(40, 3)
    y = (np.arange(40) < 3).astype(int)
    with pytest.warns(EiderdownWarning, match="3 folds, not 5"):
        tuner = Tuner.of(X, y)
    assert len(tuner.score(1, 1.0).scores) == 3
    assert len(tuner.nested((1,), (1.0,)).chosen[0].scores) == 2
    with pytest.raises(TooFewRowsError, match="Class 1"):
        Tuner.of(X, (np.arange(40) < 1).astype(int))
    for nothing in ({"degrees": ()}, {"Cs": ()}):
        with pytest.raises(OptionError, match="at least one"):
            tuner.tune(**nothing)
    with pytest.raises(OptionError, match="C must be positive"):
        tuner.tune(Cs=(1.0, 0.0))
    with pytest.raises(OptionError, match="degree"):
        tuner.tune(degrees=(1, 2.5))


def test_of_many_rows_only_what_may_be_best_is_trained_to_the_end_where_that_takes_long(
    monkeypatch,
):
    rng = np.random.default_rng(0)
    X = rng.lognormal(0, 1.5, size=(200, 10))
    X = 2 * (X - X.min(axis=0)) / np.ptp(X, axis=0) - 1
    y = np.log(X[:, 0] + 1.01) + np.log(X[:, 1] + 1.01) + 2 * rng.normal(size=200) > -6
    slow, original = [], training.low_rank_factor

    def counted(kernel):
        slow.append(len(kernel))
        return original(kernel)

    monkeypatch.setattr(training, "low_rank_factor", counted)
    tuner = Tuner.of(X, y.astype(int), folds=3)
    whole = tuner.tune((3,), (1e-3, 1e-2, 1.0, 10.0))
    n_slow = len(slow)
    monkeypatch.setattr(tuning_module, "_MANY_ROWS", 100)
    quick = tuner.tune((3,), (1e-3, 1e-2, 1.0, 10.0))
    assert n_slow > 0
    assert len(slow) == n_slow
    assert quick.best == whole.best
    for ours, theirs in zip(quick.table, whole.table, strict=True):
        assert ours.mean == pytest.approx(theirs.mean, abs=0.03)
    # Where nothing is behind, everything is trained to the end.
    monkeypatch.setattr(tuning_module, "_BEHIND", 1.0)
    assert tuner.tune((3,), (1e-3, 1e-2, 1.0, 10.0)) == whole
    assert len(slow) == 2 * n_slow
