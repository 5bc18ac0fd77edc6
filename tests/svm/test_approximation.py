"""SVMs of fewer rows: what is drawn, what is found, and that it is said."""

from __future__ import annotations

import numpy as np
import pytest

from eiderdown import compare_selectors, find_interactions
from eiderdown.errors import EiderdownWarning, OptionError
from eiderdown.estimators import FeatureSpaceSelector, PolynomialRFE
from eiderdown.svm.approximation import Approximation, stratified_sample

FIXED = {"C": 1e-3, "folds": 0, "progress": False}
SMALL = {"sample": {"max_rows": 600}, "nystroem": {"n_landmarks": 150}}


def parity(n_rows, order, n_columns=12, *, noise=0.1, seed=0):
    """Coins; the target is the parity of the first ones, as in the thesis, with noise."""
    rng = np.random.default_rng(seed)
    coins = rng.integers(0, 2, size=(n_rows, n_columns))
    y = coins[:, :order].sum(axis=1) % 2 ^ (rng.random(n_rows) < noise)
    return {f"x{i}": column for i, column in enumerate(coins.T)} | {"y": y}


def names(found):
    return [monomial.name for monomial in found.monomials]


@pytest.mark.parametrize("how", SMALL)
@pytest.mark.parametrize("order", [2, 3])
def test_the_same_products_are_found_as_by_the_svm_of_all_rows(how, order):
    table = parity(2_500, order)
    exact = find_interactions(table, "y", degree=order, **FIXED)
    with pytest.warns(EiderdownWarning, match="2,500 rows"):
        found = find_interactions(table, "y", degree=order, approximate=how, **SMALL[how], **FIXED)
    assert names(found) == names(exact) == [" * ".join(f"x{i}" for i in range(order))]
    # The SVM proposes with fewer rows, but the tests have them all.
    assert found.monomials[0].evidence.n_used == exact.monomials[0].evidence.n_used == 2_500
    assert found.run.options["approximate"] == how
    assert found.run.options.items() >= SMALL[how].items()
    assert "approximate" not in exact.run.options


@pytest.mark.parametrize("how", SMALL)
def test_twenty_thousand_rows_need_no_matrix_of_all_pairs(how):
    with pytest.warns(EiderdownWarning, match="20,000 rows"):
        found = find_interactions(
            parity(20_000, 3), "y", degree=3, approximate=how, **SMALL[how], **FIXED
        )
    assert names(found) == ["x0 * x1 * x2"]


@pytest.mark.parametrize("how", SMALL)
def test_neither_the_order_of_columns_nor_threads_matter(how):
    table = parity(1_200, 2)
    turned = {name: table[name] for name in reversed(table)}
    options = {"degree": 2, "approximate": how, **SMALL[how], **FIXED}
    with pytest.warns(EiderdownWarning):
        first = find_interactions(table, "y", n_jobs=1, **options)
    with pytest.warns(EiderdownWarning):
        other = find_interactions(turned, "y", n_jobs=2, **options)
    assert set(first.variables) == set(other.variables) == {"x0", "x1"}
    weights = [abs(found.monomials[0].weight) for found in (first, other)]
    assert weights[0] == pytest.approx(weights[1], rel=1e-6)


@pytest.mark.parametrize("how", ["sample", "nystroem"])
def test_with_few_rows_nothing_changes_and_nothing_is_said(how):
    table = parity(400, 2)
    options = {"degree": 2, "max_rows": 400, "n_landmarks": 400, **FIXED}
    exact, found = (find_interactions(table, "y", approximate=h, **options) for h in ("no", how))
    assert found.monomials == exact.monomials
    assert found.svm == exact.svm
    assert found.run.options == exact.run.options


@pytest.mark.parametrize("how", SMALL)
def test_degree_and_c_are_chosen_and_linear_models_judged_on_the_same_rows(how):
    with pytest.warns(EiderdownWarning, match="Products were tested with all rows"):
        found = find_interactions(
            parity(1_500, 2, 6), "y", C=1e-2, folds=2, approximate=how, **SMALL[how], progress=False
        )
    assert found.svm.degree >= 2
    assert names(found) == ["x0 * x1"]
    assert found.linear_score.mean == pytest.approx(found.svm.score.mean, abs=0.05)


def test_samples_keep_shares_and_depend_on_the_target_and_the_seed_alone():
    y = np.random.default_rng(0).permutation(np.repeat([0, 1, 2], [7_000, 2_900, 100]))
    rows = stratified_sample(y, 1_000, 0, least=20)
    assert (np.diff(rows) > 0).all()
    assert np.bincount(y[rows]).tolist() == [700, 290, 20]
    assert (rows == stratified_sample(y, 1_000, 0, least=20)).all()
    assert (rows[:1000] != stratified_sample(y, 1_000, 1, least=20)[:1000]).any()
    assert stratified_sample(y, 10_000, 0).tolist() == list(range(10_000))
    assert len(stratified_sample(y * 0.5, 1_000, 0, regression=True)) == 1_000


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"approximate": "maybe"}, "approximate must be one of no, sample, nystroem, not 'maybe'."),
        ({"max_rows": 1}, "max_rows must be a whole number of at least 2, not 1."),
        ({"n_landmarks": 0}, "n_landmarks must be a whole number of at least 1, not 0."),
    ],
)
def test_bad_options_are_refused_in_a_sentence(how, said):
    with pytest.raises(OptionError) as raised:
        Approximation(**how)
    assert str(raised.value) == said


@pytest.mark.parametrize("how", SMALL)
def test_estimators_take_the_same_options(how):
    table = parity(1_500, 2, 8, noise=0.0)
    y = table.pop("y")
    X = np.column_stack(list(table.values()))
    for selector in (
        PolynomialRFE(degree=2, C=0.1, approximate=how, **SMALL[how]),
        FeatureSpaceSelector(degree=2, C=0.01, alpha=1e-3, approximate=how, **SMALL[how]),
    ):
        with pytest.warns(EiderdownWarning, match="rows"):
            selector.fit(X, y)
        assert selector.get_support(indices=True).tolist() == [0, 1]


def test_a_comparison_of_selectors_says_and_records_it():
    with pytest.warns(EiderdownWarning, match="a sample of about 300 of 800 rows"):
        found = compare_selectors(
            parity(1_000, 2, 6, noise=0.0),
            "y",
            selectors=["rfe_50", "fsmb"],
            test_share=0.2,
            degrees=[2],
            Cs=[0.01],
            approximate="sample",
            max_rows=300,
            progress=False,
        )
    assert found.run.options["approximate"] == "sample"
    assert found.run.options["max_rows"] == 300
    assert all({"x0", "x1"} <= set(row.trials[0].variables) for row in found.selectors)
