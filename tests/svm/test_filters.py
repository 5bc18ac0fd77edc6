"""Scores of single columns are those of SciPy, column by column, and those of the definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import kruskal

from eiderdown.svm import filters
from eiderdown.svm.filters import kruskal_wallis_scores, signal_to_noise_scores


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


@settings(max_examples=60, deadline=None)
@given(TABLES)
def test_kruskal_wallis_is_scipys(made):
    X, y = made
    expected = [naive_kruskal(column, y) for column in X.T]
    for matrix in (X, sparse.csr_array(X)):
        np.testing.assert_allclose(kruskal_wallis_scores(matrix, y), expected, atol=1e-9)


@settings(max_examples=60, deadline=None)
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
    monkeypatch.setattr(filters, "_BLOCK_CELLS", cells)
    np.testing.assert_array_equal(kruskal_wallis_scores(X, y), whole)
