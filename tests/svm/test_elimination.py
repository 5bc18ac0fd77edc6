"""Recursive elimination finds interactions, and narrows as it says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from interaction_problems import circle, xor
from scipy import sparse
from sklearn.svm import SVC

from eiderdown.errors import InputError, OptionError, TooFewRowsError
from eiderdown.progress import Cancelled, Trace
from eiderdown.svm import elimination
from eiderdown.svm.cross_validation import hold_out
from eiderdown.svm.elimination import Narrowing, SubsetScore, SubsetSelection, recursive_elimination
from eiderdown.svm.training import SVMParams
from examples import examples


@pytest.mark.parametrize("problem", [xor, circle])
def test_the_two_columns_of_an_interaction_are_found_among_thirty(problem):
    X, y = problem(400, 30)
    found = recursive_elimination(X, y, Narrowing(degree=2, C=1000.0, random_state=0))
    assert set(found.members) >= {0, 1}
    assert len(found.members) <= 3
    assert set(found.order[-2:].tolist()) <= {0, 1, *found.members}
    assert found.best.score > 0.95
    finer = recursive_elimination(X, y, Narrowing(degree=2, C=1000.0, keep=0.8, random_state=0))
    assert set(finer.members) == {0, 1}


@pytest.mark.no_cover
def test_noise_does_not_hide_an_interaction_from_few_columns():
    X, y = xor(600, 20, noise=0.3)
    found = recursive_elimination(X, y, Narrowing(degree=2, C=1000.0, random_state=0))
    assert set(found.members) >= {0, 1}
    assert len(found.members) <= 5


def possible_areas(y, values):
    """The least and the largest AUC, if rows that are equal but for the tolerance may go anyhow."""
    leads = np.subtract.outer(values[y == 1], values[y == 0])
    return np.mean(leads > 1e-5), np.mean(leads > -1e-5)


def slow_elimination(X, y, degree, cost, test_share, seed):
    """The definition: III.13 of the thesis with one kernel for each variable left out."""
    train, test = hold_out(y, test_share, seed)
    left, rounds, order = list(range(X.shape[1])), [], []
    while left:
        svm = SVC(kernel="poly", degree=degree, gamma=1, coef0=1, C=cost, tol=1e-7)
        svm.fit(X[np.ix_(train, left)], y[train])
        values = svm.decision_function(X[np.ix_(test, left)])
        rounds.append((len(left), *possible_areas(y[test], values)))
        alphas, vectors = svm.dual_coef_[0], svm.support_vectors_
        whole = alphas @ (vectors @ vectors.T + 1) ** degree @ alphas
        use = []
        for position in range(len(left)):
            rest = np.delete(vectors, position, axis=1)
            use.append(whole - alphas @ (rest @ rest.T + 1) ** degree @ alphas)
        n_kept = len(left) // 2
        ranked = sorted(range(len(left)), key=lambda p: (use[p], -p))
        order += [left[p] for p in ranked[: len(left) - n_kept]]
        left = sorted(left[p] for p in ranked[len(left) - n_kept :])
    return rounds, order


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.booleans())
@examples(10)
def test_rounds_and_order_are_those_of_the_slow_twin(seed, degree, is_sparse):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 9)) * (rng.random((60, 9)) < 0.6)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=60) > 0).astype(int)
    found = recursive_elimination(
        sparse.csr_array(X) if is_sparse else X,
        y,
        Narrowing(degree=degree, C=0.1, random_state=seed, params=SVMParams(tolerance=1e-07)),
    )
    rounds, order = slow_elimination(X, y, degree, 0.1, 0.2, seed)
    assert [item.n_variables for item in found.rounds] == [n for n, *_ in rounds] == [9, 4, 2, 1]
    for item, (_, least, largest) in zip(found.rounds, rounds, strict=True):
        assert least - 1e-9 <= item.score <= largest + 1e-9
    assert found.order.tolist() == order


def test_of_three_classes_each_pair_has_its_say():
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(500, 16))
    y = np.where(X[:, 3] * X[:, 4] > 0, 0, np.where(X[:, 8] > 0, 1, 2))
    found = recursive_elimination(X, y, Narrowing(degree=3, C=10.0, keep=0.75, random_state=0))
    assert set(found.members) == {3, 4, 8}


def test_regression_is_judged_by_the_variance_explained():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 12))
    y = X[:, 5] * X[:, 6] + 0.1 * rng.normal(size=200)
    found = recursive_elimination(
        X,
        y,
        Narrowing(degree=2, C=1.0, keep=0.7, random_state=0, params=SVMParams(regression=True)),
    )
    assert found.measure == "R2"
    assert set(found.members) == {5, 6}
    assert found.best.score > 0.9


@pytest.mark.parametrize(
    ("keep", "sizes"),
    [(0.5, [10, 5, 2, 1]), (0.8, [10, 8, 6, 4, 3, 2, 1]), (0.01, [10, 1])],
)
def test_a_share_is_kept_rounded_down_and_at_least_one_column_goes(keep, sizes):
    X, y = xor(40, 10)
    found = recursive_elimination(X, y, Narrowing(degree=1, C=0.1, keep=keep, random_state=0))
    assert [item.n_variables for item in found.rounds] == sizes
    assert sorted(found.order.tolist()) == list(range(10))
    with pytest.raises(ValueError, match="read-only"):
        found.order[0] = 3


def test_of_equal_scores_the_smaller_set_is_best():
    rounds = (SubsetScore(4, 0.7), SubsetScore(2, 0.9), SubsetScore(1, 0.9 - 1e-12))
    selection = SubsetSelection(rounds, np.array([3, 0, 1, 2]), "AUC")
    assert selection.best.n_variables == 1
    assert selection.members == (2,)


def test_the_order_of_the_columns_changes_nothing():
    X, y = xor(150, 20, noise=0.3)
    X[:, 7] = X[:, 12]  # equal columns: the name decides
    X[:, 15:] = np.random.default_rng(1).normal(size=(150, 5))
    names = [f"v{i}" for i in range(20)]
    first = recursive_elimination(X, y, Narrowing(degree=2, C=1.0, random_state=0), names=names)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(20)
        second = recursive_elimination(
            X[:, order],
            y,
            Narrowing(degree=2, C=1.0, random_state=0),
            names=[names[i] for i in order],
        )
        assert [order[v] for v in second.order] == first.order.tolist()
        assert second.rounds == first.rounds


def test_of_columns_with_equal_use_the_last_by_name_goes_first():
    X, y = xor(60, 4)
    X = X[:, [2, 2, 2, 2]]
    names = ["d", "b", "c", "a"]
    found = recursive_elimination(X, y, Narrowing(degree=2, C=1.0, random_state=0), names=names)
    assert [names[v] for v in found.order] == ["d", "c", "b", "a"]


def test_progress_tells_the_number_of_columns_left_and_an_interruption_gives_the_best_so_far():
    X, y = xor(100, 16)
    told = []

    class Impatient(Trace):
        def progressed(self, phase, n):
            told.append((phase, n))
            if n == 2:
                raise Cancelled

    full = recursive_elimination(X, y, Narrowing(degree=2, C=1.0, random_state=0))
    cut = recursive_elimination(X, y, Narrowing(degree=2, C=1.0, random_state=0), trace=Impatient())
    assert told == [("narrowing", n) for n in (16, 8, 4, 2)]
    assert not cut.complete
    assert cut.rounds == full.rounds[:3]
    assert cut.order[:12].tolist() == full.order[:12].tolist()


def test_an_interruption_before_the_first_round_is_one(monkeypatch):
    def interrupted(*_, **__):
        raise Cancelled

    monkeypatch.setattr(elimination, "train", interrupted)
    X, y = xor(40, 3)
    with pytest.raises(KeyboardInterrupt):
        recursive_elimination(X, y, Narrowing(degree=2, C=1.0))


def test_what_makes_no_sense_is_refused():
    X, y = xor(40, 3)
    for keep in (0.0, 1.0):
        with pytest.raises(OptionError, match="keep"):
            recursive_elimination(X, y, Narrowing(degree=1, C=1.0, keep=keep))
    with pytest.raises(OptionError, match="test_share"):
        recursive_elimination(X, y, Narrowing(degree=1, C=1.0, test_share=1.0))
    with pytest.raises(InputError, match="names"):
        recursive_elimination(X, y, Narrowing(degree=1, C=1.0), names=["a"])
    with pytest.raises(TooFewRowsError, match="Class 1"):
        recursive_elimination(X, (np.arange(40) == 0).astype(int), Narrowing(degree=1, C=1.0))
