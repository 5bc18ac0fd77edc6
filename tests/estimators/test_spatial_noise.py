"""Smooth fields are taken away, and signals are left, on arrays whose truth is known."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from eiderdown.errors import OptionError
from eiderdown.estimators import SpatialNoiseRemover

SIDE = 13
PLACES = np.column_stack(np.divmod(np.arange(SIDE**2), SIDE)).astype(float)
CALIBRANTS = [i for i, (a, b) in enumerate(PLACES.astype(int)) if a % 3 == 0 and b % 3 == 0]


def made(n_rows=80, seed=0):
    """Signals of size 1 and smooth fields of size 20 or so; calibrants hold no signal."""
    rng = np.random.default_rng(seed)
    signal = rng.normal(size=(n_rows, SIDE**2)) + 5.0 * rng.normal(size=SIDE**2)
    signal[:, CALIBRANTS] = 0.01 * rng.normal(size=(n_rows, len(CALIBRANTS)))
    field = np.zeros_like(signal)
    for _ in range(4):  # waves of random direction, phase and size, in every row others
        angle = rng.uniform(0, 2 * np.pi, n_rows)
        length = rng.uniform(12, 30, n_rows)
        waves = np.column_stack([np.cos(angle), np.sin(angle)]) * (2 * np.pi / length)[:, None]
        phase = rng.uniform(0, 2 * np.pi, (n_rows, 1))
        field += 15.0 * rng.normal(size=(n_rows, 1)) * np.sin(waves @ PLACES.T + phase)
    return signal, field


@parametrize_with_checks(
    [SpatialNoiseRemover(), SpatialNoiseRemover(length_scale=2.0)],
)
def test_scikit_learn_conformance(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("method", "factor"), [("spline", 10.0), ("gaussian_process", 30.0)], ids=str
)
def test_noise_is_reduced_by_a_factor(method, factor):
    signal, field = made()
    remover = SpatialNoiseRemover(method=method, calibrants=CALIBRANTS)
    left = remover.fit_transform(signal + field)
    # What is constant in a column is kept, and says nothing of the signal.
    error = left - signal
    error -= error.mean(axis=0)
    assert error.std() < field.std() / factor
    assert np.corrcoef((left - left.mean(axis=0)).ravel(), (signal - signal.mean(axis=0)).ravel())[
        0, 1
    ] > (0.7 if method == "spline" else 0.9)


def test_new_rows_are_corrected_as_the_training_rows_were():
    (signal, field), (new_signal, new_field) = made(), made(seed=1)
    remover = SpatialNoiseRemover().fit(signal + field)
    # The columns' means belong to the table, not to a row: those of the other table are unknown.
    left = remover.transform(new_signal - new_signal.mean(axis=0) + remover.mean_ + new_field)
    error = left - remover.mean_ - (new_signal - new_signal.mean(axis=0))
    assert error.std() < new_field.std() / 20
    row = remover.transform((signal + field)[3:4])
    np.testing.assert_allclose(row[0], remover.transform(signal + field)[3], atol=1e-9)


def test_the_spline_runs_through_the_calibrants():
    signal, field = made(n_rows=5)
    remover = SpatialNoiseRemover(method="spline", calibrants=CALIBRANTS, positions=PLACES)
    left = remover.fit_transform(signal + field)
    np.testing.assert_allclose(left[:, CALIBRANTS], left[:1, CALIBRANTS].repeat(5, 0), atol=1e-8)


def test_the_length_scale_of_greatest_likelihood_is_near_that_of_the_field():
    rng = np.random.default_rng(0)
    distance = np.linalg.norm(PLACES[:, None] - PLACES[None], axis=2)
    reach = np.sqrt(5) * distance / 6.0
    kernel = (1 + reach + reach**2 / 3) * np.exp(-reach)
    X = 10 * rng.multivariate_normal(np.zeros(SIDE**2), kernel, size=60)
    remover = SpatialNoiseRemover().fit(X + rng.normal(size=X.shape))
    assert remover.length_scale_ == 6.0
    assert remover.white_share_ == pytest.approx(0.01, rel=0.4)


def test_rotated_places_give_the_same_answer():
    signal, field = made(n_rows=20)
    turned = SpatialNoiseRemover(positions=PLACES[:, ::-1] * 2.0, length_scale=8.0)
    plain = SpatialNoiseRemover(length_scale=4.0)
    np.testing.assert_allclose(
        turned.fit_transform(signal + field), plain.fit_transform(signal + field), atol=1e-6
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "spline"}, "needs at least three calibrants"),
        ({"method": "spline", "calibrants": [0, 1, 99]}, "needs at least three calibrants"),
        ({"method": "lowess"}, "method must be"),
        ({"length_scale": -1.0}, "length_scale must be"),
        ({"positions": [[0, 1]]}, "positions must have two numbers for each of the 9 columns"),
    ],
)
def test_what_does_not_fit_is_refused(options, message):
    with pytest.raises(OptionError, match=message):
        SpatialNoiseRemover(**options).fit(np.eye(9))
