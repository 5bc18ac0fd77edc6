"""A prediction for manipulated rows never looks at what is excluded, and says what it uses."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from eiderdown.errors import InputError, OptionError, UnknownColumnError
from eiderdown.estimators import CausalPredictor
from eiderdown.graphs import PDAG
from eiderdown.results import NeighbourRole, Orientation, Run, SpouseRole
from eiderdown.svm.standard_coding import Features

QUICK = {"candidates": ("boundary",), "cv": 2}
EVERY = [None, ["cough"], ["cough", "smoke", "hat"], "unknown"]


@parametrize_with_checks(
    [
        CausalPredictor(task="classification", estimator=GaussianNB(), **QUICK),
        CausalPredictor(task="regression", estimator=LinearRegression(), **QUICK),
    ]
)
def test_scikit_learn_finds_nothing_to_object_to(estimator, check):
    check(estimator)


def lungs(n_rows=1_500, seed=0):
    """Two causes, two effects, a cause of one effect, a category, and noise."""
    rng = np.random.default_rng(seed)
    smoke, genes, allergy = (rng.random((3, n_rows)) < 0.4).astype(int)
    cancer = (rng.random(n_rows) < 0.05 + 0.45 * smoke + 0.45 * genes).astype(int)
    table = pd.DataFrame(
        {
            "smoke": smoke,
            "genes": np.where(genes, "yes", "no"),
            "allergy": allergy,
            "cough": (rng.random(n_rows) < 0.05 + 0.5 * cancer + 0.4 * allergy).astype(int),
            "weight": rng.normal(size=n_rows) - 1.5 * cancer,
            "hat": rng.choice(["red", "blue", "green"], size=n_rows),
        }
    )
    return table, pd.Series(np.where(cancer, "ill", "well"), name="cancer")


@pytest.fixture(scope="module")
def learned():
    X, y = lungs()
    return CausalPredictor(estimator=GaussianNB(), candidates=("boundary", "all"), cv=3).fit(X, y)


def test_it_keeps_causes_and_leaves_out_effects_that_are_set(learned):
    assert learned.used_columns() == ("allergy", "cough", "genes", "smoke", "weight")
    assert learned.used_columns(["cough"]) == ("genes", "smoke", "weight")
    assert learned.used_columns(["cough", "smoke"]) == ("genes", "smoke", "weight")
    assert learned.used_columns("unknown") == ("genes", "smoke")
    assert set(learned.boundary_.members) == {"allergy", "cough", "genes", "smoke", "weight"}
    assert set(learned.orientation_.causes) == {"genes", "smoke"}
    assert learned.region_.parents("cancer") == {"genes", "smoke"}


@pytest.mark.parametrize("manipulated", EVERY, ids=str)
def test_what_is_excluded_does_not_change_a_single_bit(learned, manipulated):
    X, _ = lungs(300, seed=1)
    before = learned.predict_proba(X, manipulated)
    excluded = [name for name in X if name not in learned.used_columns(manipulated)]
    assert excluded
    for corrupt in (lambda column: column[::-1].to_numpy(), lambda _: np.nan, lambda _: "new"):
        spoiled = X.copy()
        for name in excluded:
            spoiled[name] = corrupt(spoiled[name])
        assert (learned.predict_proba(spoiled, manipulated) == before).all()
        assert (learned.predict(spoiled, manipulated) == learned.predict(X, manipulated)).all()
    # What is used does matter.
    used = learned.used_columns(manipulated)
    spoiled = X.copy()
    spoiled[list(used)] = spoiled[list(used)].iloc[::-1].to_numpy()
    assert (learned.predict_proba(spoiled, manipulated) != before).any()


def parity(n_rows=500, seed=0):
    """An exclusive or of two causes, of which neither alone tells anything, and an effect."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 2, size=(n_rows, 5)), columns=list("abcde"))
    y = X["a"] ^ X["b"] ^ (rng.random(n_rows) < 0.1)
    X["effect"] = y ^ (rng.random(n_rows) < 0.2)
    return X, y


def test_products_go_with_any_of_their_factors():
    X, y = parity()
    predictor = CausalPredictor(
        estimator=LogisticRegression(), candidates=("boundary", "fsmb"), cv=3
    )
    predictor.fit(X, y)
    assert predictor.explain().products == ("a * b",)
    assert predictor.explain().columns == ("a", "b", "effect")
    assert predictor.score(X, y) > 0.85
    set_b = predictor.explain(["b"])
    assert set_b.products == ()
    assert "b" not in set_b.columns
    spoiled = X.assign(b=7)
    assert (predictor.predict_proba(spoiled, ["b"]) == predictor.predict_proba(X, ["b"])).all()


def test_a_product_is_kept_as_long_as_its_factors_are():
    X, y = parity()
    predictor = CausalPredictor(
        estimator=LogisticRegression(), candidates=("boundary", "fsmb"), cv=3
    )
    explained = predictor.fit(X, y).explain(["c"])
    assert explained.products == ("a * b",)
    assert explained.columns == ("a", "b", "effect")


@pytest.mark.parametrize("manipulated", EVERY, ids=str)
def test_order_of_columns_and_rows_of_a_batch_change_nothing(learned, manipulated):
    X, y = lungs()
    order = ["hat", "weight", "smoke", "allergy", "genes", "cough"]
    other = clone(learned).fit(X[order], y)
    new, _ = lungs(200, seed=2)
    found = learned.predict_proba(new, manipulated)
    assert (other.predict_proba(new[order], manipulated) == found).all()
    assert np.allclose(learned.predict_proba(new[:7], manipulated), found[:7])


def test_names_and_numbers_of_columns_mean_the_same():
    X, y = lungs(800)
    numbers = X.assign(genes=X["genes"] == "yes", hat=X["hat"].factorize()[0]).astype(float)
    predictor = CausalPredictor(estimator=GaussianNB(), **QUICK)
    array = clone(predictor).fit(numbers.to_numpy(), y.to_numpy())
    assert array.used_columns([3]) == array.used_columns(["x3"])
    assert "x3" not in array.used_columns([3])
    assert list(array.classes_) == ["ill", "well"]


def test_target_and_unknown_names_are_refused(learned):
    X, _ = lungs(10)
    with pytest.raises(InputError, match="target 'cancer' is among the manipulated columns"):
        learned.predict(X, ["cancer"])
    with pytest.raises(UnknownColumnError, match="names 'coughing', but the table has no such"):
        learned.used_columns(["coughing"])
    with pytest.raises(UnknownColumnError, match="'99'"):
        learned.explain([99])


def test_options_are_refused_in_a_sentence():
    X, y = lungs(50)
    with pytest.raises(OptionError, match="caution must be"):
        CausalPredictor(caution="wild").fit(X, y)
    with pytest.raises(OptionError, match="candidates must be"):
        CausalPredictor(candidates=("none",)).fit(X, y)
    with pytest.raises(OptionError, match="cv must be at least 2"):
        CausalPredictor(cv=1).fit(X, y)


def test_it_says_what_it_uses_and_why(learned):
    explained = learned.explain(["cough"])
    assert explained.left_out == ("allergy", "cough")
    assert "set from outside" in explained.reasons["cough"]
    text = explained.text()
    assert text.startswith("'cancer' with cough set from outside: predicted from genes, smoke")
    assert "allergy: left out" in text
    assert "on untouched rows, chosen" in text
    assert "any column set" in learned.explain("unknown").text()


def test_theorem_is_not_claimed_where_its_condition_fails():
    X, y = lungs(300)
    predictor = CausalPredictor(estimator=GaussianNB(), **QUICK).fit(X, y)
    predictor._predictor.orientation = Orientation(
        target="cancer",
        neighbours=(
            NeighbourRole("smoke", 1.0, 0.0, 0.0),
            NeighbourRole("cough", 0.0, 1.0, 0.0),
            NeighbourRole("weight", 0.0, 1.0, 0.0),
        ),
        graph=PDAG.from_string("smoke->cancer, cancer->cough->weight, cancer->weight"),
        engine="by hand",
        run=Run.of("by hand", None, {}),
    )
    explained = predictor.explain(["cough"])
    assert "weight" in explained.columns
    assert not explained.holds
    assert "'cough', an effect of 'cancer', is set from outside" in explained.offence
    assert f"Beware: {explained.offence}" in explained.text()
    assert predictor.explain(["smoke"]).holds


def test_tags_follow_the_task():
    X, y = lungs(200)
    predictor = CausalPredictor(estimator=GaussianNB(), **QUICK)
    assert not is_classifier(predictor)
    assert not is_regressor(predictor)
    assert is_classifier(clone(predictor).set_params(task="classification"))
    assert is_classifier(predictor.fit(X, y))
    numbers = clone(predictor).set_params(estimator=LinearRegression(), task="regression")
    assert is_regressor(numbers)
    assert not hasattr(numbers, "predict_proba")
    found = clone(numbers).set_params(task="auto").fit(X[["smoke", "hat"]], X["weight"])
    assert is_regressor(found)
    assert not hasattr(found, "predict_proba")


def test_one_model_for_each_set_of_columns(learned):
    X, _ = lungs(20)
    first, again = (clone(learned).fit(*lungs(600)) for _ in range(2))
    assert len(first._predictor.models) == 1
    for manipulated in (None, ["cough"], ["cough", "hat"], ["cough"], []):
        first.predict(X, manipulated)
    assert len(first._predictor.models) == 2
    assert (first.predict_proba(X, ["cough"]) == again.predict_proba(X, ["cough"])).all()


def test_an_estimator_without_probabilities_gets_calibrated_ones():
    X, y = lungs()
    predictor = CausalPredictor(estimator=LinearSVC(), **QUICK).fit(X, y)
    new, truth = lungs(3_000, seed=5)
    found = predictor.predict_proba(new)[:, 0]
    for low, high in ((0.1, 0.4), (0.4, 0.7), (0.7, 1.0)):
        rows = (found >= low) & (found < high)
        assert abs(found[rows].mean() - (truth[rows] == "ill").mean()) < 0.1


def test_default_machine_is_tuned_and_calibrated():
    X, y = lungs(400)
    predictor = CausalPredictor(candidates=("boundary",), cv=3).fit(X, y)
    new, truth = lungs(2_000, seed=5)
    assert predictor.score(new, truth) > 0.8
    found = predictor.predict_proba(new)[:, 0]
    assert abs(found.mean() - (truth == "ill").mean()) < 0.05
    assert np.allclose(predictor.predict_proba(new).sum(axis=1), 1.0)


def test_rows_of_classes_and_categories_never_seen_before():
    X, y = lungs(300)
    rare = y.copy()
    rare.iloc[0] = "odd"
    predictor = CausalPredictor(**QUICK, estimator=GaussianNB()).fit(X, rare)
    assert predictor.predict_proba(X).shape == (300, 3)
    strange = X.assign(genes="perhaps")
    assert np.isfinite(predictor.predict_proba(strange)).all()


def test_unknown_manipulation_is_an_average_over_what_may_be_causes():
    X, y = lungs(300)
    predictor = CausalPredictor(estimator=GaussianNB(), **QUICK).fit(X, y)
    predictor._predictor.orientation = Orientation(
        target="cancer",
        neighbours=(
            NeighbourRole("smoke", 1.0, 0.0, 0.0),
            NeighbourRole("genes", 0.6, 0.4, 0.0),
            NeighbourRole("cough", 0.0, 1.0, 0.0),
            NeighbourRole("weight", 0.0, 1.0, 0.0),
        ),
        spouses=(SpouseRole("allergy", ("cough",), 1.0),),
        graph=PDAG.from_string("smoke->cancer, genes->cancer, cancer->cough, cancer->weight"),
        engine="by hand",
        run=Run.of("by hand", None, {}),
    )
    explained = predictor.explain("unknown")
    assert explained.columns == ("genes", "smoke")
    assert explained.weights == pytest.approx({"genes": 0.59, "smoke": 1.0})
    assert explained.reasons["genes"].startswith("kept with weight 59%")
    whole, part = (
        predictor._predictor.probabilities(predictor._rows(X, columns), ((1.0, features),))
        for columns in [("genes", "smoke")]
        for features in [Features(("genes", "smoke")), Features(("smoke",))]
    )
    assert np.allclose(predictor.predict_proba(X, "unknown"), 0.59 * whole + 0.41 * part)
    strict = predictor.set_params(caution="strict").fit(X, y)
    assert all(weight == 1.0 for weight in strict.explain("unknown").weights.values())


def test_numbers_are_predicted_under_manipulation():
    rng = np.random.default_rng(0)
    cause, other, fourth = rng.normal(size=(3, 1_000))
    target = cause + other + 0.7 * rng.normal(size=1_000)
    effect = target + fourth + 0.5 * rng.normal(size=1_000)
    X = pd.DataFrame({"cause": cause, "other": other, "fourth": fourth, "effect": effect})
    predictor = CausalPredictor(estimator=LinearRegression(), **QUICK).fit(X, target)
    spoiled = X.assign(effect=rng.normal(size=1_000), fourth=rng.normal(size=1_000))
    assert predictor.used_columns(["effect"]) == ("cause", "other")
    right = predictor.score(spoiled, target, manipulated=["effect"])
    assert right > 0.7 > predictor.score(spoiled, target)
    assert predictor.score(X, target) > right


def test_a_class_with_a_single_row_is_no_hindrance():
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = (np.arange(60) == 0).astype(int)
    predictor = CausalPredictor(estimator=LogisticRegression()).fit(X, y)
    assert predictor.predict_proba(X)[:, 1] == pytest.approx(1 / 60, abs=0.05)
