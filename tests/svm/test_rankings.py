"""Relief is what its slow twin says, dense and sparse, and it sees interactions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from interaction_problems import circle, xor
from scipy import sparse
from scipy.stats import kruskal

import naive
from eiderdown.errors import ConstantColumnError, OptionError, TooFewRowsError
from eiderdown.svm import rankings
from eiderdown.svm.elimination import Narrowing
from eiderdown.svm.rankings import (
    kruskal_wallis_scores,
    relief_scores,
    relief_selection,
    signal_to_noise_scores,
)
from eiderdown.svm.training import SVMParams
from examples import examples


@st.composite
def tables(draw, min_rows=2):
    """Columns of two values, of few, of many, and of one; rows of a few classes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows = draw(st.integers(min_rows, 25))
    kinds = draw(st.lists(st.sampled_from(["01", "-10", "+-", "few", "many", "one"]), min_size=1))
    makers = {
        "01": lambda: rng.integers(0, 2, n_rows),
        "-10": lambda: -3.0 * rng.integers(0, 2, n_rows),
        "+-": lambda: rng.choice([-1.0, 1.0], n_rows),
        "few": lambda: rng.integers(-1, 3, n_rows),
        "many": lambda: rng.normal(size=n_rows),
        "one": lambda: np.full(n_rows, rng.integers(0, 2)),
    }
    X = np.column_stack([makers[kind]() for kind in kinds[:8]]).astype(float)
    y = rng.integers(0, draw(st.integers(2, 4)), n_rows)
    y[:2] = 0, 1
    return X, y


@given(tables(), st.integers(1, 6))
@examples(32)
def test_scores_of_classes_are_those_of_the_slow_twin(table, n_neighbours):
    X, y = table
    expected = naive.relief(X.tolist(), y.tolist(), n_neighbours)
    for matrix in (X, sparse.csr_matrix(X), sparse.csc_array(X)):
        found = relief_scores(matrix, y, n_neighbours=n_neighbours)
        np.testing.assert_allclose(found, expected, atol=1e-9)


@given(tables(), st.integers(1, 6))
@examples(32)
def test_ratios_are_those_of_the_slow_twin(table, n_neighbours):
    X, y = table
    expected = naive.relief_ratio(X.tolist(), y.tolist(), n_neighbours)
    for matrix in (X, sparse.csr_matrix(X)):
        found = relief_scores(matrix, y, n_neighbours=n_neighbours, criterion="ratio")
        np.testing.assert_allclose(found, expected, rtol=1e-7)


def test_ratio_of_numbers_ranks_what_differs_with_the_target_first():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 10))
    scores = relief_scores(X, np.abs(X[:, 2] - X[:, 5]), regression=True, criterion="ratio")
    assert set(np.argsort(-scores)[:2]) == {2, 5}
    assert scores.min() > 0.0


@given(tables(min_rows=3), st.integers(1, 6), st.integers(0, 2**32 - 1))
@examples(20)
def test_scores_of_numbers_are_those_of_the_slow_twin(table, n_neighbours, seed):
    X, _ = table
    y = np.random.default_rng(seed).normal(size=len(X))
    expected = naive.relief_of_numbers(X.tolist(), y.tolist(), n_neighbours)
    for matrix in (X, sparse.csr_array(X)):
        found = relief_scores(matrix, y, n_neighbours=n_neighbours, regression=True)
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_blocks_do_not_change_the_scores(monkeypatch):
    X, y = circle(120, 6)
    X[:, 3:] = X[:, 3:] > 0
    whole = relief_scores(X, y)
    for n_bytes in (1, 5_000):
        monkeypatch.setattr(rankings, "_BLOCK_BYTES", n_bytes)
        np.testing.assert_allclose(relief_scores(X, y), whole, atol=1e-12)
        np.testing.assert_allclose(relief_scores(sparse.csr_array(X), y), whole, atol=1e-12)


def test_stored_zeros_of_a_sparse_matrix_are_zeros():
    X, y = xor(60, 4)
    X = (X + 1.0) / 2.0
    padded = sparse.csr_array(X + 2.0)
    padded.data -= 2.0
    assert (padded.data == 0.0).any()
    np.testing.assert_allclose(relief_scores(padded, y), relief_scores(X, y), atol=1e-12)


@pytest.mark.parametrize("criterion", ["difference", "ratio"])
@pytest.mark.parametrize("problem", [xor, circle])
def test_both_members_of_an_interaction_lead_and_are_selected(problem, criterion):
    X, y = problem(400, 30)
    assert set(np.argsort(-relief_scores(X, y, criterion=criterion))[:2]) == {0, 1}
    how = Narrowing(degree=2, C=1000.0, random_state=0)
    found = relief_selection(X, y, how, criterion=criterion)
    assert set(found.members) >= {0, 1}
    assert len(found.members) <= 3
    assert found.best.score > 0.95


def test_a_difference_of_two_columns_is_seen_in_regression():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 10))
    y = np.abs(X[:, 2] - X[:, 5])
    assert set(np.argsort(-relief_scores(X, y, regression=True))[:2]) == {2, 5}
    found = relief_selection(
        X,
        y,
        Narrowing(degree=2, C=1.0, random_state=0, params=SVMParams(regression=True, epsilon=0.01)),
    )
    assert set(found.members) >= {2, 5}
    assert found.measure == "R2"


def test_the_order_of_the_columns_changes_nothing():
    X, y = xor(150, 20, noise=0.3)
    X[:, 7] = X[:, 12]  # equal columns: the name decides
    X[:, 15:] = np.random.default_rng(1).normal(size=(150, 5))
    names = [f"v{i}" for i in range(20)]
    first = relief_selection(X, y, Narrowing(degree=2, C=1.0, random_state=0), names=names)
    order = np.random.default_rng(2).permutation(20)
    second = relief_selection(
        X[:, order], y, Narrowing(degree=2, C=1.0, random_state=0), names=[names[i] for i in order]
    )
    assert [order[v] for v in second.order] == first.order.tolist()
    assert second.rounds == first.rounds


def test_what_makes_no_sense_is_refused():
    X, y = xor(20, 3)
    for n_neighbours in (0, 1.5, True):
        with pytest.raises(OptionError, match="n_neighbours"):
            relief_scores(X, y, n_neighbours=n_neighbours)
    with pytest.raises(OptionError, match="criterion must be one of"):
        relief_scores(X, y, criterion="product")
    with pytest.raises(TooFewRowsError, match="one class"):
        relief_scores(X, np.zeros(20, dtype=int))
    with pytest.raises(ConstantColumnError, match="one value"):
        relief_scores(X, np.zeros(20), regression=True)


def table(seed, n_rows, n_columns, n_classes, binary):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2 if binary else 5, size=(n_rows, n_columns)).astype(float)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_rows - n_classes)])
    X[:, 0] = 1.0
    return X, y


TABLES = st.builds(
    table,
    st.integers(0, 10_000),
    st.integers(8, 30),
    st.integers(2, 6),
    st.integers(2, 4),
    st.booleans(),
)


def naive_kruskal(column, y):
    if np.ptp(column) == 0.0:
        return 0.0
    return kruskal(*(column[y == c] for c in np.unique(y))).statistic


def naive_signal_to_noise(column, y):
    parts = [column[y == c] for c in np.unique(y)]
    pairs = [(a, b) for i, a in enumerate(parts) for b in parts[:i]]
    found = [0.0]
    for a, b in pairs:
        difference, noise = abs(a.mean() - b.mean()), a.std() + b.std()
        found.append(0.0 if difference == 0.0 else difference / noise if noise else np.inf)
    return max(found)


@examples(24)
@given(TABLES)
def test_kruskal_wallis_is_scipys(made):
    X, y = made
    expected = [naive_kruskal(column, y) for column in X.T]
    for matrix in (X, sparse.csr_array(X)):
        np.testing.assert_allclose(kruskal_wallis_scores(matrix, y), expected, atol=1e-9)


@examples(24)
@given(TABLES)
def test_signal_to_noise_is_its_definition(made):
    X, y = made
    expected = [naive_signal_to_noise(column, y) for column in X.T]
    for matrix in (X, sparse.csr_matrix(X)):
        np.testing.assert_allclose(
            signal_to_noise_scores(matrix, y), expected, rtol=1e-7, atol=1e-9
        )


@pytest.mark.parametrize("cells", [1, 60, 10**6])
def test_blocks_of_columns_change_nothing(monkeypatch, cells):
    X, y = table(5, 20, 7, 3, binary=False)
    whole = kruskal_wallis_scores(X, y)
    monkeypatch.setattr(rankings, "_BLOCK_CELLS", cells)
    np.testing.assert_array_equal(kruskal_wallis_scores(X, y), whole)
