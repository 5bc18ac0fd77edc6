from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from random_models import all_monomials, all_sizes, models

from eiderdown.errors import OptionError
from eiderdown.progress import Cancelled
from eiderdown.svm import Monomial, PolynomialModel, top_monomials
from eiderdown.svm.training import fit_polynomial_svm
from eiderdown.svm.weights import search as module
from eiderdown.svm.weights.contributions import space_of
from eiderdown.svm.weights.search import top_monomials_of_all
from eiderdown.svm.weights.top_k import TopK
from examples import examples

EXACT = ("exact", "brute_force")
METHODS = (*EXACT, "heur1", "heur2")


def parity_model(n_rows: int, n_variables: int, degree: int, seed: int = 0) -> PolynomialModel:
    """An SVM in which the product of the first variables stands out from noise."""
    generator = np.random.default_rng(seed)
    vectors = generator.choice([-1.0, 1.0], size=(n_rows, n_variables))
    return PolynomialModel(vectors, vectors[:, :degree].prod(axis=1), degree)


@pytest.mark.parametrize("method", EXACT)
@given(model=models(), n_monomials=st.integers(1, 30), fold=st.booleans())
@examples(32)
def test_exact_methods_return_the_top_features(
    model: PolynomialModel, n_monomials: int, fold: bool, method: str
) -> None:
    found = top_monomials(model, n_monomials, method=method, fold=fold)
    expected = all_sizes(model, fold=fold)[:n_monomials]
    np.testing.assert_allclose(np.abs(found.weights[: len(expected)]), expected, rtol=1e-7)
    assert np.all(np.abs(found.weights[len(expected) :]) < 1e-9)
    assert found.proven
    assert found.gap == 0.0


@pytest.mark.no_cover
@given(
    model=models(),
    n_monomials=st.integers(1, 20),
    max_built=st.integers(1, 200),
    method=st.sampled_from(METHODS),
    rule=st.sampled_from(["largest", "average"]),
    fold=st.booleans(),
)
@examples(40)
def test_the_certificate_never_lies(
    model: PolynomialModel, n_monomials: int, max_built: int, method: str, rule: str, fold: bool
) -> None:
    found = top_monomials(
        model, n_monomials, method=method, max_built=max_built, degree_rule=rule, fold=fold
    )
    expected = all_sizes(model, fold=fold)
    n_sure = min(found.n_proven, len(expected))
    np.testing.assert_allclose(np.abs(found.weights[:n_sure]), expected[:n_sure], rtol=1e-7)
    weights = dict(
        zip(all_monomials(model), np.abs(model.weights(all_monomials(model))), strict=True)
    )
    missed = [weights[q] for q in all_monomials(model, fold=fold) if q not in found.monomials]
    last = float(np.abs(found.weights).min()) if len(found.monomials) == n_monomials else 0.0
    assert max(missed, default=0.0) <= max(found.unseen, last) * (1 + 1e-6) + 1e-9


@given(model=models(), method=st.sampled_from(METHODS), fold=st.booleans())
@examples(32)
def test_reported_weights_are_those_of_the_features(
    model: PolynomialModel, method: str, fold: bool
) -> None:
    found = top_monomials(model, 10, method=method, max_built=50, fold=fold)
    np.testing.assert_allclose(model.weights(found.monomials), found.weights, rtol=1e-7, atol=1e-9)
    assert len(set(found.monomials)) == len(found.monomials)
    assert np.all(np.diff(np.abs(found.weights)) <= 1e-8 * np.abs(found.weights[:-1]))
    assert found.n_total == len(all_monomials(model, fold=fold))
    assert found.n_built <= found.n_total


@given(model=models(max_degree=4), fold=st.booleans())
@examples(24)
def test_sums_below_a_prefix_bound_every_feature_there(model: PolynomialModel, fold: bool) -> None:
    assume(model.degree >= 2)
    space = space_of(model, fold=fold)
    monomials = all_monomials(model, fold=fold)
    sizes = np.abs(model.weights(monomials))
    prefix = (0,)
    products = (
        model.alphas
        * np.asarray(
            model.vectors[:, [0]].todense()
            if hasattr(model.vectors, "todense")
            else model.vectors[:, [0]]
        ).ravel()
    )
    for degree in range(2, model.degree + 1):
        bounds = space.bounds(prefix, degree, products)
        for monomial, size in zip(monomials, sizes, strict=True):
            powers = dict(monomial.factors)
            if monomial.degree != degree or 0 not in powers:
                continue
            powers[0] -= 1
            for variable in (v for v, exponent in powers.items() if exponent):
                assert size <= bounds[variable] * (1 + 1e-9) + 1e-12


@given(model=models())
@examples(20)
def test_lemma_1_a_heur1_answer_above_the_unused_norms_is_the_top(model: PolynomialModel) -> None:
    found = top_monomials(model, 1, method="heur1", max_built=10, fold=False)
    norms = np.sqrt(space_of(model, fold=False).squares.sum(axis=0))
    used = {v for q in found.monomials for v in q.variables}
    if found.proven and len(found.monomials):
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
    found = top_monomials(model, 1, method="heur2", max_built=100, degree_rule=rule)
    assert found.monomials == (Monomial.of([0, 1]),)
    assert found.proven
    assert found.n_built < found.n_total


def test_heur2_goes_by_the_mean_of_squared_weights_unless_it_is_told_otherwise() -> None:
    generator = np.random.default_rng(1)
    model = PolynomialModel(generator.normal(size=(60, 25)), generator.normal(size=60), 3)
    default, average, largest = (
        top_monomials(model, 20, method="heur2", max_built=300, **rule)
        for rule in ({}, {"degree_rule": "average"}, {"degree_rule": "largest"})
    )
    assert default.monomials == average.monomials
    assert default.monomials != largest.monomials
    of_all = top_monomials_of_all([model], model.vectors, 20, method="heur2", max_built=300)
    assert set(of_all.monomials) == set(average.monomials)


@pytest.mark.no_cover
def test_the_exact_search_proves_a_sparse_machine_without_building_all() -> None:
    generator = np.random.default_rng(0)
    vectors = generator.choice([-1.0, 1.0], size=(1_500, 40))
    model = PolynomialModel(vectors, vectors[:, :3].prod(axis=1), 3)
    found = top_monomials(model, 1)
    assert found.monomials == (Monomial.of([0, 1, 2]),)
    assert found.proven
    assert found.n_built < found.n_total / 2


def test_children_are_bounded_where_building_all_would_cost_more() -> None:
    found = top_monomials(parity_model(30, 40, 4), 5)
    brute = top_monomials(parity_model(30, 40, 4), 5, method="brute_force")
    assert found.monomials == brute.monomials
    assert found.proven


def test_a_feature_budget_stops_the_exact_search_and_the_gap_is_told() -> None:
    found = top_monomials(parity_model(200, 60, 3), 50, max_built=3_000)
    assert found.stopped == "monomials"
    assert not found.proven
    assert found.gap > 0
    assert found.n_built < found.n_total


def test_a_time_budget_stops_brute_force() -> None:
    found = top_monomials(parity_model(300, 60, 4), 5, method="brute_force", max_seconds=1e-9)
    assert found.stopped == "seconds"
    assert found.n_proven == 0


@pytest.mark.parametrize("method", METHODS)
def test_ctrl_c_returns_the_best_so_far(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    n_calls = 0
    add = TopK._add

    def interrupted(self, *arguments):
        nonlocal n_calls
        n_calls += 1
        if n_calls > 3:
            raise Cancelled
        return add(self, *arguments)

    monkeypatch.setattr(TopK, "_add", interrupted)
    found = top_monomials(parity_model(50, 20, 3), 500, method=method)
    assert found.stopped == "interrupted"
    assert 0 < len(found.monomials) < 500
    assert not found.proven


def test_the_order_of_the_variables_does_not_matter() -> None:
    model = parity_model(60, 12, 3)
    order = np.random.default_rng(1).permutation(12)
    moved = PolynomialModel(model.vectors[:, order], model.alphas, 3)
    found, again = top_monomials(model, 8), top_monomials(moved, 8)
    renamed = {Monomial.of(int(order[v]) for v in q.variables) for q in again.monomials}
    assert renamed == set(found.monomials)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"method": "guess"}, "method must be one of exact"),
        ({"degree_rule": "sum"}, "degree_rule must be"),
        ({"max_built": 0}, "max_built must be"),
        ({"max_seconds": 0.0}, "max_seconds must be"),
    ],
)
def test_bad_options_are_named(options: dict, sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        top_monomials(parity_model(10, 3, 2), 5, **options)
    with pytest.raises(OptionError, match="n_monomials must be"):
        top_monomials(parity_model(10, 3, 2), 0)


def everything(n_variables, degree):
    """List all monomials but the constant."""
    return [
        Monomial.of(chosen)
        for size in range(1, degree + 1)
        for chosen in combinations_with_replacement(range(n_variables), size)
    ]


def simplest(monomial, signs):
    """Fold powers of the columns that hold -1 and +1."""
    powers = [(v, e % 2 if v in signs else e) for v, e in monomial.factors]
    return Monomial(tuple((v, e) for v, e in powers if e))


def svm(seed, *, n_classes=2, degree=2, signs=()):
    rng = np.random.default_rng(seed)
    matrix = rng.uniform(-1, 1, size=(30, 4))
    matrix[:, list(signs)] = np.sign(matrix[:, list(signs)])
    y = np.arange(30) % n_classes
    return fit_polynomial_svm(matrix, y, degree=degree, C=1.0), matrix


@examples(24)
@given(
    seed=st.integers(0, 10_000),
    n_classes=st.integers(2, 4),
    degree=st.integers(1, 3),
    signs=st.sets(st.integers(0, 3)),
)
def test_features_are_those_of_brute_force_over_all_models_folded(seed, n_classes, degree, signs):
    models, matrix = svm(seed, n_classes=n_classes, degree=degree, signs=sorted(signs))
    found = top_monomials_of_all(models, matrix, 10)
    largest = {}
    for model in models:
        monomials = everything(4, degree)
        for q, weight in zip(monomials, model.weights(monomials), strict=True):
            simple = simplest(q, signs)
            if simple.factors:
                largest[simple] = max(largest.get(simple, 0.0), abs(float(weight)))
    expected = sorted(largest.values(), reverse=True)[: len(found.monomials)]
    np.testing.assert_allclose(np.abs(found.weights), expected, rtol=1e-6, atol=1e-12)
    # A weight of zero is no monomial of the SVM, and rounding may or may not make it one.
    n_weighty = sum(weight > 1e-9 for weight in largest.values())
    assert np.count_nonzero(np.abs(found.weights) > 1e-9) == min(10, n_weighty)
    for q, weight in zip(found.monomials, found.weights, strict=True):
        assert abs(weight) == pytest.approx(largest[q], abs=1e-12)
    assert found.n_proven == len(found.monomials)


def test_the_classes_of_a_feature_are_those_of_the_model_with_its_weight():
    models, matrix = svm(0, n_classes=3)
    found = top_monomials_of_all(models, matrix, 5)
    by_pair = {model.classes: model for model in models}
    for q, weight, pair in zip(found.monomials, found.weights, found.classes, strict=True):
        assert by_pair[pair].weights([q])[0] == pytest.approx(weight)


def test_more_features_are_asked_for_where_many_are_equal(monkeypatch):
    asked = []
    real = module.top_monomials

    def spy(model, n_monomials, **options):
        asked.append(n_monomials)
        return real(model, n_monomials, **options)

    monkeypatch.setattr(module, "top_monomials", spy)
    models, matrix = svm(1, degree=3, signs=(0, 1, 2))
    found = top_monomials_of_all(models, matrix, 14)
    assert asked == [14, 56]
    assert len(found.monomials) == 14


def test_what_is_not_proven_is_not_said_to_be():
    models, matrix = svm(2, n_classes=3, degree=3)
    found = top_monomials_of_all(models, matrix, 8, max_built=9)
    assert found.stopped == "monomials"
    sure = np.abs(found.weights[: found.n_proven])
    assert (sure >= found.unseen * (1 - 1e-9)).all()
    assert found.n_proven < len(found.monomials)


def test_an_interrupt_in_one_model_ends_the_search(monkeypatch):
    models, matrix = svm(0, n_classes=3)
    real, calls = module.top_monomials, []

    def interrupted(model, n_monomials, **options):
        calls.append(model)
        return replace(real(model, n_monomials, **options), stopped="interrupted")

    monkeypatch.setattr(module, "top_monomials", interrupted)
    found = top_monomials_of_all(models, matrix, 3)
    assert found.stopped == "interrupted"
    assert found.n_proven == 0
    assert len(calls) == 1
