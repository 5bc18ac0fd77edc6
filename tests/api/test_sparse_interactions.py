"""Products that a sparse SVM proposes, and columns with mean 0 and standard deviation 1."""

import numpy as np
import pytest
from interaction_tables import circle, parity

from eiderdown import find_interactions
from eiderdown.errors import OptionError
from eiderdown.estimators import FeatureSpaceSelector
from eiderdown.svm import fit_sparse_svm

SPARSE = {"penalty": "l1", "degree": 2, "C": 0.01, "folds": 0, "progress": False}


@pytest.fixture(scope="module")
def lamp():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (300, 10))
    columns = {f"s{i}": column for i, column in enumerate(X.T)}
    return columns | {"y": np.where(X[:, 2] ^ X[:, 5] ^ (rng.random(300) < 0.1), "on", "off")}


def test_one_product_is_proposed_and_kept(lamp):
    found = find_interactions(lamp, target="y", **SPARSE)
    assert [q.name for q in found.monomials] == ["s2 * s5"]
    assert found.search.n_found == 1
    assert found.search.proven
    assert found.search.method == "l1, C=0.01"
    X = 2.0 * np.column_stack([lamp[f"s{i}"] for i in range(10)]) - 1.0
    direct = fit_sparse_svm(X, lamp["y"] == "on", degree=2, C=0.01)
    assert found.monomials[0].weight == pytest.approx(direct.weights[0], abs=1e-6)


def test_fewer_products_are_proposed_than_by_an_l2_svm(lamp):
    spread = find_interactions(lamp, target="y", **SPARSE | {"penalty": "l2"})
    assert spread.search.n_found > find_interactions(lamp, target="y", **SPARSE).search.n_found
    assert spread.variables == ("s2", "s5")


def test_cost_is_chosen_if_it_is_not_given(lamp):
    found = find_interactions(
        lamp, target="y", penalty="l1", degree=2, folds=3, nested=False, progress=False
    )
    assert [q.name for q in found.monomials] == ["s2 * s5"]
    assert found.search.method.startswith("l1, C=")


def test_required_columns_and_no_products_at_all(lamp):
    found = find_interactions(lamp, target="y", required=["s7"], **SPARSE)
    assert {q.name: q.weight for q in found.monomials}["s7"] == 0.0
    with pytest.warns(match="none to judge"):
        nothing = find_interactions(lamp, target="y", **SPARSE | {"C": 1e-6})
    assert nothing.monomials == ()


def test_parity_of_three_and_a_circle():
    options = SPARSE | {"degree": 3, "C": 0.003, "alpha": 1e-4}
    found = find_interactions(parity(n_columns=12), target="t", **options)
    assert [q.name for q in found.monomials] == ["x1 * x2 * x3"]
    found = find_interactions(circle(), target="t", **SPARSE | {"C": 0.05, "alpha": 1e-4})
    assert set(found.variables) == {"x1", "x2"}


def test_numbers_as_the_target_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(OptionError, match="penalty='l1' is for classes, but target 'a'"):
        find_interactions({"a": rng.normal(size=50), "b": rng.normal(size=50)}, "a", penalty="l1")


def test_selector_takes_the_penalty(lamp):
    X = np.column_stack([lamp[f"s{i}"] for i in range(10)])
    selector = FeatureSpaceSelector(penalty="l1", C=0.01).fit(X, lamp["y"])
    assert selector.get_support(indices=True).tolist() == [2, 5]


def test_standard_columns_find_the_same_product(lamp):
    found = find_interactions(
        lamp, target="y", coding="standard", degree=2, C=1.0, folds=0, progress=False
    )
    assert [q.name for q in found.monomials] == ["s2 * s5"]
