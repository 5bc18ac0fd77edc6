"""Elimination and Relief are scikit-learn's citizens, and find what depends on nothing alone."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from eiderdown.errors import ConstantColumnError, OptionError
from eiderdown.estimators import PolynomialRFE, ReliefSelector
from eiderdown.progress import Cancelled
from eiderdown.svm.elimination import Narrowing, recursive_elimination

BOTH = [PolynomialRFE(C=100.0, random_state=0), ReliefSelector(C=100.0, random_state=0)]


@parametrize_with_checks([PolynomialRFE(random_state=0), ReliefSelector(random_state=0)])
def test_scikit_learn_finds_nothing_to_object_to(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        PolynomialRFE(degree=1, target_kind="continuous", test_share=0.5, random_state=0),
        ReliefSelector(n_neighbours=1, scale=False, keep=0.8, random_state=0),
    ],
)
def test_scikit_learn_finds_nothing_to_object_to_in_other_settings(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def parity():
    X = np.random.default_rng(0).integers(0, 2, size=(300, 20))
    return X, X[:, 4] != X[:, 11]


@pytest.mark.parametrize("selector", BOTH, ids=repr)
def test_exclusive_or_is_found_in_numbers_frames_and_sparse_matrices(selector, parity):
    X, y = parity
    dense = clone(selector).fit(X, y)
    assert dense.get_support(indices=True).tolist() == [4, 11]
    thin = clone(selector).fit(sparse.csr_array(X), y)
    assert thin.get_support(indices=True).tolist() == [4, 11]
    assert sparse.issparse(thin.transform(sparse.csr_array(X)))
    frame = pd.DataFrame(X, columns=[f"c{i:02}" for i in range(20)])
    named = clone(selector).set_output(transform="pandas").fit_transform(frame, y)
    assert list(named.columns) == ["c04", "c11"]


@pytest.mark.parametrize("selector", BOTH, ids=repr)
def test_order_of_named_columns_changes_nothing(selector, parity):
    frame = pd.DataFrame(parity[0], columns=[f"c{i:02}" for i in range(20)])
    y = parity[1] ^ (np.random.default_rng(1).random(300) < 0.2)
    shuffled = frame.iloc[:, np.random.default_rng(2).permutation(20)]
    first, second = (clone(selector).fit(table, y) for table in (frame, shuffled))
    assert set(first.get_feature_names_out()) == set(second.get_feature_names_out())
    assert first.selection_.rounds == second.selection_.rounds


@pytest.mark.parametrize("selector", BOTH, ids=repr)
def test_numbers_can_be_the_target(selector):
    rng = np.random.default_rng(3)
    X = rng.uniform(-1.0, 1.0, size=(400, 12))
    y = 1_000.0 * X[:, 2] * X[:, 7] + rng.normal(size=400)
    fitted = clone(selector).fit(X, y)
    assert fitted.selection_.measure == "R2"
    assert {2, 7} <= set(fitted.get_support(indices=True))
    assert fitted.support_.sum() < 12


def test_selector_equals_the_function_on_scaled_columns(parity):
    X, y = parity
    direct = recursive_elimination(2.0 * X - 1.0, y, Narrowing(degree=2, C=100.0, random_state=0))
    fitted = PolynomialRFE(C=100.0, random_state=0).fit(X, y)
    assert fitted.selection_.rounds == direct.rounds
    assert tuple(fitted.selection_.order) == tuple(direct.order)


@pytest.mark.no_cover
def test_scale_of_columns_does_not_matter_unless_they_are_left_alone(parity):
    X, y = parity
    stretched = X * np.logspace(0, 6, 20)
    expected = PolynomialRFE(C=100.0, random_state=0).fit(X, y).selection_
    scaled = PolynomialRFE(C=100.0, random_state=0).fit(stretched, y).selection_
    raw = PolynomialRFE(C=100.0, scale=False, random_state=0).fit(stretched, y).selection_
    assert tuple(scaled.order) == tuple(expected.order)
    assert tuple(raw.order) != tuple(expected.order)


def test_pipeline_selects_within_the_folds(parity):
    svm = SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0)
    scores = cross_val_score(make_pipeline(BOTH[0], svm), *parity, cv=3)
    assert scores.min() == 1.0


@pytest.mark.no_cover
def test_whole_numbers_with_many_values_are_numbers(parity):
    X, _ = parity
    y = np.arange(300)
    assert PolynomialRFE(random_state=0).fit(X, y).selection_.measure == "R2"
    few = PolynomialRFE(random_state=0).fit(X, y % 3)
    assert few.selection_.measure == "AUC"


def test_bad_options_are_told_at_fit(parity):
    with pytest.raises(OptionError, match="keep must be between 0 and 1, not 2"):
        PolynomialRFE(keep=2).fit(*parity)
    with pytest.raises(OptionError, match=r"target_kind must be one of 'infer'.* not 'class'"):
        PolynomialRFE(target_kind="class").fit(*parity)
    with pytest.raises(OptionError, match="n_neighbours must be at least 1"):
        ReliefSelector(n_neighbours=0).fit(*parity)
    with pytest.raises(ConstantColumnError, match="y has one value"):
        PolynomialRFE(target_kind="continuous").fit(parity[0], np.ones(300))


def test_interrupted_fit_is_interrupted(parity, monkeypatch):
    calls = []

    def interrupt(*args, **options):
        calls.append(1)
        if len(calls) == 2:
            raise Cancelled
        return train(*args, **options)

    from eiderdown.svm.elimination import train

    monkeypatch.setattr("eiderdown.svm.elimination.train", interrupt)
    selector = PolynomialRFE(random_state=0)
    with pytest.raises(KeyboardInterrupt):
        selector.fit(*parity)
    assert not hasattr(selector, "selection_")
