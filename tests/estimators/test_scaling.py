"""Numbers are standardised, two values become 0 and 1, and nothing else happens."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from eiderdown.estimators import MixedScaler


@parametrize_with_checks([MixedScaler()])
def test_scikit_learn_conformance(estimator, check):
    check(estimator)


def test_binary_columns_become_0_and_1_and_numbers_are_standardised():
    rng = np.random.default_rng(0)
    binary = rng.integers(0, 2, size=200)
    X = np.column_stack([binary, binary * 3 - 7, rng.normal(5, 2, 200), np.full(200, 0.1)])
    scaler = MixedScaler().fit(X)
    Z = scaler.transform(X)
    assert scaler.is_binary_.tolist() == [True, True, False, False]
    assert np.array_equal(Z[:, 0], binary)
    assert np.array_equal(Z[:, 1], binary)
    assert (Z[:, 2].mean(), Z[:, 2].std()) == (pytest.approx(0), pytest.approx(1))
    np.testing.assert_allclose(Z[:, 3], 0.0, atol=1e-12)


def test_new_rows_are_put_on_the_scale_of_the_training_rows():
    scaler = MixedScaler().fit([[0.0, 1.0], [2.0, 3.0], [0.0, 5.0]])
    spread = np.std([1.0, 3.0, 5.0])
    np.testing.assert_allclose(scaler.transform([[1.0, 9.0]]), [[0.5, 6.0 / spread]])
