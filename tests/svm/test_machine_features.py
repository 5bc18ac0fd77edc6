"""The largest weights of a machine, in the simplest form and over all pairs of classes."""

from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eiderdown.svm import machine_features as module
from eiderdown.svm.machine_features import machine_features
from eiderdown.svm.monomials import Monomial
from eiderdown.svm.training import fit_polynomial_svm


def everything(n_variables, degree):
    """List all monomials but the constant."""
    return [
        Monomial.of(chosen)
        for level in range(1, degree + 1)
        for chosen in combinations_with_replacement(range(n_variables), level)
    ]


def simplest(monomial, signs):
    """Fold powers of the columns that hold -1 and +1."""
    powers = [(v, e % 2 if v in signs else e) for v, e in monomial.factors]
    return Monomial(tuple((v, e) for v, e in powers if e))


def machine(seed, *, n_classes=2, degree=2, signs=()):
    rng = np.random.default_rng(seed)
    matrix = rng.uniform(-1, 1, size=(30, 4))
    matrix[:, list(signs)] = np.sign(matrix[:, list(signs)])
    y = np.arange(30) % n_classes
    return fit_polynomial_svm(matrix, y, degree=degree, C=1.0), matrix


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n_classes=st.integers(2, 4),
    degree=st.integers(1, 3),
    signs=st.sets(st.integers(0, 3)),
)
def test_features_are_those_of_brute_force_over_all_models_folded(seed, n_classes, degree, signs):
    models, matrix = machine(seed, n_classes=n_classes, degree=degree, signs=sorted(signs))
    found = machine_features(models, matrix, 10)
    largest = {}
    for model in models:
        monomials = everything(4, degree)
        for q, weight in zip(monomials, model.weights(monomials), strict=True):
            simple = simplest(q, signs)
            if simple.factors:
                largest[simple] = max(largest.get(simple, 0.0), abs(float(weight)))
    expected = sorted(largest.values(), reverse=True)[: len(found.features)]
    np.testing.assert_allclose(np.abs(found.weights), expected, rtol=1e-6, atol=1e-12)
    # A weight of zero is no feature of the machine, and rounding may or may not make it one.
    n_weighty = sum(weight > 1e-9 for weight in largest.values())
    assert np.count_nonzero(np.abs(found.weights) > 1e-9) == min(10, n_weighty)
    for q, weight in zip(found.features, found.weights, strict=True):
        assert abs(weight) == pytest.approx(largest[q], abs=1e-12)
    assert found.n_proven == len(found.features)


def test_the_classes_of_a_feature_are_those_of_the_model_with_its_weight():
    models, matrix = machine(0, n_classes=3)
    found = machine_features(models, matrix, 5)
    by_pair = {model.classes: model for model in models}
    for q, weight, pair in zip(found.features, found.weights, found.classes, strict=True):
        assert by_pair[pair].weights([q])[0] == pytest.approx(weight)


def test_more_features_are_asked_for_where_many_are_equal(monkeypatch):
    asked = []
    real = module.top_features

    def spy(model, n_features, **options):
        asked.append(n_features)
        return real(model, n_features, **options)

    monkeypatch.setattr(module, "top_features", spy)
    models, matrix = machine(1, degree=3, signs=(0, 1, 2))
    found = machine_features(models, matrix, 14)
    assert asked == [14, 56]
    assert len(found.features) == 14


def test_what_is_not_proven_is_not_said_to_be():
    models, matrix = machine(2, n_classes=3, degree=3)
    found = machine_features(models, matrix, 8, max_built=9)
    assert found.stopped == "features"
    sure = np.abs(found.weights[: found.n_proven])
    assert (sure >= found.unseen * (1 - 1e-9)).all()
    assert found.n_proven < len(found.features)


def test_an_interrupt_in_one_model_ends_the_search(monkeypatch):
    models, matrix = machine(0, n_classes=3)
    real, calls = module.top_features, []

    def interrupted(model, n_features, **options):
        calls.append(model)
        return replace(real(model, n_features, **options), stopped="interrupted")

    monkeypatch.setattr(module, "top_features", interrupted)
    found = machine_features(models, matrix, 3)
    assert found.stopped == "interrupted"
    assert found.n_proven == 0
    assert len(calls) == 1
