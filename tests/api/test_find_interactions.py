"""find_interactions from a table to named products with evidence."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from interaction_tables import circle, coins, double_xor, named, noisy, parity, product
from scipy import sparse
from sklearn.svm import SVC

from eiderdown import (
    Dataset,
    find_boundary,
    find_interactions,
    load_result,
)
from eiderdown.api import interactions as api_module
from eiderdown.boundary import HITON_MB
from eiderdown.errors import EiderdownWarning
from eiderdown.independence import CalibratedChiSquareTest, FisherZTest
from eiderdown.results import Interactions
from eiderdown.svm import Monomial, fsmb, polynomial_models
from examples import examples

FIXED = {"degree": 2, "C": 1.0, "alpha": 1e-4}
"""At this level none of some hundred features gets in by chance."""


def names(found):
    return {feature.name for feature in found.monomials}


@pytest.mark.parametrize("n_columns", [4, 40])
def test_both_halves_of_a_double_xor_are_found(n_columns):
    table = double_xor(n_columns=n_columns)
    assert not {"x1", "x2", "x3", "x4"} & set(find_boundary(table, target="t").members)
    found = find_interactions(table, target="t", **FIXED)
    assert names(found) == {"x1 * x2", "x3 * x4"}
    assert set(found.variables) == set(found.members) == {"x1", "x2", "x3", "x4"}
    assert found.complete
    assert found.warnings == ()
    assert set(found.beyond_chance) == names(found)


def test_strict_tests_keep_nothing_by_chance():
    table, options = double_xor(n_columns=60), {"degree": 2, "C": 1.0, "folds": 0}
    loose = find_interactions(table, target="t", strict=False, **options)
    strict = find_interactions(table, target="t", strict=True, **options)
    assert names(loose) > names(strict) == {"x1 * x2", "x3 * x4"}
    assert set(loose.beyond_chance) == names(strict)
    assert strict.run.options["alpha"] == loose.boundary.run.options["alpha"] == 0.05
    assert strict.boundary.run.options["alpha"] == 0.05 / strict.search.n_total
    assert set(strict.beyond_chance) == names(strict)


def test_chance_is_left_out_where_something_is_beyond_it():
    table, options = double_xor(n_columns=60), {"degree": 2, "C": 1.0, "folds": 0}
    loose = find_interactions(table, target="t", strict=False, **options)
    found = find_interactions(table, target="t", **options)
    assert set(found.beyond_chance) == names(found) == {"x1 * x2", "x3 * x4"}
    assert {item.name for item in found.by_chance} == names(loose) - names(found)
    assert loose.by_chance == ()
    assert Interactions.from_json(found.to_json()) == found


def test_nothing_is_left_out_where_the_machine_had_no_choice():
    table, options = double_xor(n_columns=60), {"degree": 2, "C": 1.0, "folds": 0}
    everything = find_interactions(table, target="t", n_monomials=10_000, **options)
    assert everything.by_chance == ()
    assert {"x1 * x2", "x3 * x4"} <= names(everything)


def test_parity_of_three_is_found():
    found = find_interactions(parity(), target="t", degree=3, C=1.0, alpha=1e-4)
    assert names(found) == {"x1 * x2 * x3"}
    assert found.monomials[0].degree == 3


def test_squares_are_found_in_continuous_data_and_tested_with_fishers_z():
    found = find_interactions(circle(), target="t", **FIXED)
    assert names(found) == {"x1^2", "x2^2"}
    assert found.boundary.run.options["test"] == "FisherZTest"
    assert found.monomials[0].factors in ((("x1", 2),), (("x2", 2),))
    assert found.monomials[0].classes == ("in", "out")


def test_a_product_is_found_for_a_target_of_numbers():
    found = find_interactions(product(), target="t", **FIXED)
    assert names(found) == {"x1 * x2"}
    assert found.svm.score.measure == found.linear_score.measure == "R2"
    assert found.svm.score.mean > 0.9
    assert found.linear_score.mean > 0.9
    assert found.monomials[0].classes is None


def test_degree_and_cost_are_chosen_if_not_given(monkeypatch):
    monkeypatch.setattr(fsmb, "DEGREES", (1, 2, 3))
    monkeypatch.setattr(fsmb, "CS", (1e-4, 1.0))
    found = find_interactions(double_xor(300, 8), target="t", folds=3)
    assert found.svm.degree == 2
    assert {(item.degree, item.C) for item in found.svm.tried} == {
        (degree, cost) for degree in (1, 2, 3) for cost in (1e-4, 1.0)
    }
    best = max(found.svm.tried, key=lambda item: item.mean)
    assert found.svm.score.mean == best.mean
    assert found.svm.score.standard_error == best.standard_error
    assert 0.6 < found.svm.nested_score.mean < 0.9
    assert found.svm.nested_score.n_folds == 3


def test_what_is_given_is_not_chosen():
    found = find_interactions(double_xor(200, 6), target="t", degree=2, nested=False, folds=3)
    assert {item.degree for item in found.svm.tried} == {2}
    assert len(found.svm.tried) == 12
    assert found.svm.nested_score is None
    given_both = find_interactions(double_xor(200, 6), target="t", **FIXED)
    assert given_both.svm.tried == ()
    assert given_both.svm.nested_score is None
    assert given_both.svm.score.n_folds == 5


def test_text_with_several_levels_is_judged_level_by_level():
    rng = np.random.default_rng(0)
    colour = np.array(["blue", "green", "red"])[rng.integers(0, 3, 600)]
    x = coins(600, 5, rng)
    t = np.where(colour == "red", x[:, 0], 1 - x[:, 0])
    table = {**named(x), "colour": colour, "t": np.where(noisy(t, rng, 0.1), "yes", "no")}
    found = find_interactions(table, target="t", **FIXED)
    strongest = found.monomials[0]
    assert strongest.factors == (("colour=red", 1), ("x1", 1))
    assert strongest.variables == ("colour", "x1")
    assert set(found.variables) == {"colour", "x1"}


def test_several_classes_have_one_machine_for_each_pair():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=(450, 4))
    mixed = x[:, 0] * x[:, 1]
    table = {**named(x), "t": np.digitize(mixed, [-0.15, 0.15])}
    found = find_interactions(table, target="t", **FIXED)
    assert found.boundary.run.options["test"] == "WilksTest"
    assert found.monomials[0].name == "x1 * x2"
    assert set(found.monomials[0].classes) < {"0", "1", "2"}
    assert found.svm.score.mean > 0.8


@pytest.fixture(scope="module")
def thin():
    rng = np.random.default_rng(0)
    matrix = (rng.random((400, 60)) < 0.3).astype(int)
    both = matrix[:, 7] & matrix[:, 8]
    return matrix, noisy(both, rng, 0.05)


def test_sparse_data_stay_sparse_and_give_the_dense_answer(thin, monkeypatch):
    matrix, t = thin
    seen = []
    real = api_module.FSMB.__init__

    def spy(self, *args, **options):
        real(self, *args, **options)
        seen.append(self._tuner.X)

    monkeypatch.setattr(api_module.FSMB, "__init__", spy)
    data = Dataset.from_sparse(sparse.csr_array(matrix), extra={"t": t})
    ours = find_interactions(data, target="t", **FIXED)
    dense = Dataset.from_numpy(matrix).with_columns({"t": t})
    theirs = find_interactions(dense, target="t", coding="zero_one", **FIXED)
    assert sparse.issparse(seen[0])
    assert not sparse.issparse(seen[1])
    assert ours.monomials[0].name == theirs.monomials[0].name == "x7 * x8"
    assert names(ours) == names(theirs)


@pytest.mark.no_cover
@examples(4)
@given(seed=st.integers(0, 1_000), order=st.randoms(use_true_random=False))
def test_the_order_of_the_columns_changes_nothing(seed, order):
    table = double_xor(120, 6, seed)
    table["x6"] = np.random.default_rng(seed).normal(size=120)
    shuffled = list(table)
    order.shuffle(shuffled)
    options = {"target": "t", "degree": 2, "C": 0.1, "alpha": 0.2, "folds": 2}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EiderdownWarning)
        ours = find_interactions(table, **options)
        theirs = find_interactions({name: table[name] for name in shuffled}, **options)
    assert ours.monomials == theirs.monomials
    assert ours.variables == theirs.variables
    assert (ours.svm, ours.linear_score) == (theirs.svm, theirs.linear_score)


def test_the_number_of_workers_changes_nothing():
    one, two = (find_interactions(double_xor(), target="t", n_jobs=n, **FIXED) for n in (1, 2))
    assert one.monomials == two.monomials


@pytest.mark.parametrize("algorithm", ["hiton_pc", "mmpc", "iamb", "pcmb", "kiamb", "get_pc"])
def test_any_local_search_judges_the_features_and_the_result_survives_json(algorithm, tmp_path):
    found = find_interactions(double_xor(), target="t", algorithm=algorithm, **FIXED)
    assert names(found) >= {"x1 * x2"}
    assert found.boundary.run.algorithm == algorithm
    assert type(found).from_json(found.to_json()) == found
    found.save(tmp_path / "found.json")
    assert load_result(tmp_path / "found.json") == found


def test_a_correction_by_symmetry_has_to_be_asked_for():
    table = double_xor(200, 6)
    assert find_interactions(table, target="t", **FIXED).run.options["symmetry"] == "none"
    asked = find_interactions(table, target="t", algorithm=HITON_MB(symmetry="and"), **FIXED)
    assert asked.run.options["symmetry"] == "and"


def test_evidence_of_a_feature_is_what_a_fresh_test_says():
    table = double_xor()
    found = find_interactions(table, target="t", **FIXED)
    columns = {
        feature.name: np.prod([2 * table[v] - 1 for v in feature.variables], axis=0)
        for feature in found.monomials
    }
    data = Dataset.from_columns({**columns, "t": table["t"]})
    test = CalibratedChiSquareTest(data)
    for feature in found.monomials:
        item = feature.evidence
        again = test.test(
            data.index(item.variable), data.index("t"), [data.index(z) for z in item.given]
        )
        assert item.statistic == pytest.approx(again.statistic, rel=1e-9)
        assert item.log_p == pytest.approx(again.log_p, rel=1e-9)


def test_weights_are_those_of_scikit_learns_machine():
    table = double_xor(200, 5)
    found = find_interactions(table, target="t", **FIXED)
    X = np.column_stack([2.0 * table[f"x{i}"] - 1 for i in range(1, 6)])
    svm = SVC(kernel="poly", degree=2, gamma=1, coef0=1, C=1.0).fit(X, table["t"])
    (model,) = polynomial_models(svm)
    for feature in found.monomials:
        q = Monomial.of([int(name[1:]) - 1 for name, _ in feature.factors])
        assert feature.weight == pytest.approx(model.weights([q])[0], rel=0.02)
    assert found.svm.n_support_vectors == pytest.approx(model.n_vectors, abs=3)


def test_numbers_of_the_search_are_told():
    found = find_interactions(double_xor(n_columns=40), target="t", n_monomials=20, **FIXED)
    assert found.search.n_total == math.comb(40, 2) + 40
    assert found.search.n_found == found.search.n_proven == 20
    assert found.search.proven
    assert 20 <= found.search.n_built <= found.search.n_total
    run = found.run
    assert run.algorithm == "fsmb"
    assert run.options["local"] == "hiton_mb"
    assert (run.options["n_monomials"], run.options["degree"]) == (20, 2)
    assert (run.n_rows, run.n_columns, run.random_state) == (500, 41, 0)
    assert "scikit-learn" in run.versions


def test_required_columns_are_kept_and_excluded_ones_never_seen():
    table = double_xor()
    found = find_interactions(table, target="t", required=["x9"], exclude=["x1"], **FIXED)
    assert "x9" in found.variables
    assert "x9" in names(found)
    tested = {item.variable for item in found.boundary.evidence}
    assert not any("x1" in name.split(" * ") for name in tested)


def test_equal_features_are_judged_once_and_told():
    table = double_xor(n_columns=6)
    table["y3"] = 1 - table["x3"]
    found = find_interactions(table, target="t", **FIXED)
    (twin,) = [feature for feature in found.monomials if feature.same_as]
    assert twin.name == "x3 * x4"
    assert twin.same_as == ("x4 * y3",)
    assert found.search.n_repeated > 0


def test_without_folds_nothing_is_measured():
    found = find_interactions(double_xor(), target="t", folds=0, **FIXED)
    assert names(found) == {"x1 * x2", "x3 * x4"}
    assert found.svm.score is None
    assert found.linear_score is None


def test_the_test_can_be_chosen():
    table = double_xor()
    found = find_interactions(table, target="t", test="fisher_z", **FIXED)
    assert found.boundary.run.options["test"] == "FisherZTest"
    assert names(found) == {"x1 * x2", "x3 * x4"}
    with pytest.warns(EiderdownWarning, match="Cut into 3 categories"):
        cut = find_interactions(circle(), target="t", test="chi_square", **FIXED)
    assert cut.boundary.run.options["test"] == "ChiSquareTest"
    own = find_interactions(
        circle(), target="t", test=lambda data: FisherZTest(data, collinear="drop"), **FIXED
    )
    assert names(own) == {"x1^2", "x2^2"}
