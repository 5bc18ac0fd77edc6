import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from random_models import all_features, all_sizes, models

from eiderdown.errors import OptionError
from eiderdown.svm import Monomial, PolynomialModel, top_features
from eiderdown.svm.families import family_of

EXACT = ("exact", "brute_force")
METHODS = (*EXACT, "heur1", "heur2")


def parity_model(n_rows: int, n_variables: int, degree: int, seed: int = 0) -> PolynomialModel:
    """A machine in which the product of the first variables stands out from noise."""
    generator = np.random.default_rng(seed)
    vectors = generator.choice([-1.0, 1.0], size=(n_rows, n_variables))
    return PolynomialModel(vectors, vectors[:, :degree].prod(axis=1), degree)


@pytest.mark.parametrize("method", EXACT)
@given(model=models(), n_features=st.integers(1, 30), fold=st.booleans())
@settings(max_examples=80, deadline=None)
def test_exact_methods_return_the_top_features(
    model: PolynomialModel, n_features: int, fold: bool, method: str
) -> None:
    found = top_features(model, n_features, method=method, fold=fold)
    expected = all_sizes(model, fold=fold)[:n_features]
    np.testing.assert_allclose(np.abs(found.weights[: len(expected)]), expected, rtol=1e-7)
    assert np.all(np.abs(found.weights[len(expected) :]) < 1e-9)
    assert found.proven
    assert found.gap == 0.0


@given(
    model=models(),
    n_features=st.integers(1, 20),
    max_built=st.integers(1, 200),
    method=st.sampled_from(METHODS),
    rule=st.sampled_from(["largest", "average"]),
    fold=st.booleans(),
)
@settings(max_examples=250, deadline=None)
def test_the_certificate_never_lies(
    model: PolynomialModel, n_features: int, max_built: int, method: str, rule: str, fold: bool
) -> None:
    found = top_features(
        model, n_features, method=method, max_built=max_built, level_rule=rule, fold=fold
    )
    expected = all_sizes(model, fold=fold)
    n_sure = min(found.n_proven, len(expected))
    np.testing.assert_allclose(np.abs(found.weights[:n_sure]), expected[:n_sure], rtol=1e-7)
    weights = dict(
        zip(all_features(model), np.abs(model.weights(all_features(model))), strict=True)
    )
    missed = [weights[q] for q in all_features(model, fold=fold) if q not in found.features]
    last = float(np.abs(found.weights).min()) if len(found.features) == n_features else 0.0
    assert max(missed, default=0.0) <= max(found.unseen, last) * (1 + 1e-6) + 1e-9


@given(model=models(), method=st.sampled_from(METHODS), fold=st.booleans())
@settings(max_examples=80, deadline=None)
def test_reported_weights_are_those_of_the_features(
    model: PolynomialModel, method: str, fold: bool
) -> None:
    found = top_features(model, 10, method=method, max_built=50, fold=fold)
    np.testing.assert_allclose(model.weights(found.features), found.weights, rtol=1e-7, atol=1e-9)
    assert len(set(found.features)) == len(found.features)
    assert np.all(np.diff(np.abs(found.weights)) <= 1e-8 * np.abs(found.weights[:-1]))
    assert found.n_total == len(all_features(model, fold=fold))
    assert found.n_built <= found.n_total


@given(model=models(max_degree=4), fold=st.booleans())
@settings(max_examples=60, deadline=None)
def test_sums_below_a_prefix_bound_every_feature_there(model: PolynomialModel, fold: bool) -> None:
    assume(model.degree >= 2)
    family = family_of(model, fold=fold)
    features = all_features(model, fold=fold)
    sizes = np.abs(model.weights(features))
    prefix = (0,)
    products = (
        model.alphas
        * np.asarray(
            model.vectors[:, [0]].todense()
            if hasattr(model.vectors, "todense")
            else model.vectors[:, [0]]
        ).ravel()
    )
    for level in range(2, model.degree + 1):
        bounds = family.bounds(prefix, level, products)
        for feature, size in zip(features, sizes, strict=True):
            powers = dict(feature.factors)
            if feature.degree != level or 0 not in powers:
                continue
            powers[0] -= 1
            for variable in (v for v, exponent in powers.items() if exponent):
                assert size <= bounds[variable] * (1 + 1e-9) + 1e-12


@given(model=models())
@settings(max_examples=50, deadline=None)
def test_lemma_1_a_heur1_answer_above_the_unused_norms_is_the_top(model: PolynomialModel) -> None:
    found = top_features(model, 1, method="heur1", max_built=10, fold=False)
    norms = np.sqrt(family_of(model, fold=False).squares.sum(axis=0))
    used = {v for q in found.features for v in q.variables}
    if found.proven and len(found.features):
        assert abs(found.weights[0]) >= all_sizes(model, fold=False)[:1].max(initial=0) * (1 - 1e-7)
    if found.n_built == found.n_total:
        assert found.proven
    assert used <= set(range(len(norms)))


@pytest.mark.parametrize("rule", ["largest", "average"])
def test_lemma_2_heur2_proves_a_sparse_machine_by_what_is_left(rule: str) -> None:
    generator = np.random.default_rng(0)
    vectors = np.zeros((40, 30))
    vectors[:, :2] = generator.choice([-1.0, 1.0], size=(40, 2))
    vectors[:, 2:] = generator.normal(scale=1e-4, size=(40, 28))
    model = PolynomialModel(vectors, vectors[:, 0] * vectors[:, 1], 2)
    found = top_features(model, 1, method="heur2", max_built=100, level_rule=rule)
    assert found.features == (Monomial.of([0, 1]),)
    assert found.proven
    assert found.n_built < found.n_total


def test_the_exact_search_proves_a_sparse_machine_without_building_all() -> None:
    generator = np.random.default_rng(0)
    vectors = generator.choice([-1.0, 1.0], size=(4_000, 60))
    model = PolynomialModel(vectors, vectors[:, :3].prod(axis=1), 3)
    found = top_features(model, 1)
    assert found.features == (Monomial.of([0, 1, 2]),)
    assert found.proven
    assert found.n_built < found.n_total / 2


def test_children_are_bounded_where_building_all_would_cost_more() -> None:
    found = top_features(parity_model(30, 40, 4), 5)
    brute = top_features(parity_model(30, 40, 4), 5, method="brute_force")
    assert found.features == brute.features
    assert found.proven


def test_a_feature_budget_stops_the_exact_search_and_the_gap_is_told() -> None:
    found = top_features(parity_model(200, 60, 3), 50, max_built=3_000)
    assert found.stopped == "features"
    assert not found.proven
    assert found.gap > 0
    assert found.n_built < found.n_total


def test_a_time_budget_stops_brute_force() -> None:
    found = top_features(parity_model(300, 60, 4), 5, method="brute_force", max_seconds=1e-9)
    assert found.stopped == "seconds"
    assert found.n_proven == 0


@pytest.mark.parametrize("method", METHODS)
def test_ctrl_c_returns_the_best_so_far(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from eiderdown.svm import pool

    n_calls = 0
    take = pool.Pool._take

    def interrupted(self, *arguments):
        nonlocal n_calls
        n_calls += 1
        if n_calls > 3:
            raise KeyboardInterrupt
        return take(self, *arguments)

    monkeypatch.setattr(pool.Pool, "_take", interrupted)
    found = top_features(parity_model(50, 20, 3), 500, method=method)
    assert found.stopped == "interrupted"
    assert 0 < len(found.features) < 500
    assert not found.proven


def test_the_order_of_the_variables_does_not_matter() -> None:
    model = parity_model(60, 12, 3)
    order = np.random.default_rng(1).permutation(12)
    moved = PolynomialModel(model.vectors[:, order], model.alphas, 3)
    found, again = top_features(model, 8), top_features(moved, 8)
    renamed = {Monomial.of(int(order[v]) for v in q.variables) for q in again.features}
    assert renamed == set(found.features)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"method": "guess"}, "method must be one of exact"),
        ({"level_rule": "sum"}, "level_rule must be"),
        ({"max_built": 0}, "max_built must be"),
        ({"max_seconds": 0.0}, "max_seconds must be"),
    ],
)
def test_bad_options_are_named(options: dict, sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        top_features(parity_model(10, 3, 2), 5, **options)
    with pytest.raises(OptionError, match="n_features must be"):
        top_features(parity_model(10, 3, 2), 0)
