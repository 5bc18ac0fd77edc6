"""The explainer says what the SVM computes, for every SVM with a polynomial kernel."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC, SVR, NuSVC, NuSVR

from eiderdown.errors import OptionError
from eiderdown.estimators import PolynomialSVMExplainer

KERNEL = {"kernel": "poly", "gamma": 1.0, "coef0": 1.0}


def explain(svm, feature_names=None, **options):
    return PolynomialSVMExplainer(**options).explain(svm, feature_names)


def evaluated(text, **columns):
    """Compute a printed function by Python's own rules."""
    formula = text.removeprefix("f(x) = ").replace("^", "**")
    formula = re.sub(r"(\d) ([a-z])", r"\1 * \2", formula)
    return eval(formula, {}, columns)


@pytest.fixture(scope="module")
def square():
    """The worked example of the thesis, section II.2: 70 points and a circle."""
    points = np.random.default_rng(70).uniform(-1.0, 1.0, size=(70, 2))
    return points, np.where((points**2).sum(axis=1) > 0.5, 1, -1)


@pytest.fixture(scope="module")
def circle(square):
    return SVC(degree=2, C=1e3, **KERNEL).fit(*square)


@pytest.fixture(scope="module")
def signs():
    X = np.random.default_rng(1).choice([-1.0, 1.0], size=(150, 6))
    return X, X[:, 0] * X[:, 3] * X[:, 5]


def test_squares_lead_on_the_circle(circle):
    (found,) = explain(circle, ["x1", "x2"])
    assert {feature.name for feature in found.monomials[:2]} == {"x1^2", "x2^2"}
    sizes = [abs(feature.weight) for feature in found.monomials]
    assert min(sizes[:2]) > 5.0 * max(sizes[2:])
    assert all(feature.weight > 0.0 for feature in found.monomials[:2])
    assert found.about == "class 1 against -1"


def test_printed_function_has_the_machines_values_on_the_circle(circle, square):
    points, _ = square
    (found,) = explain(circle, ["x1", "x2"])
    printed = evaluated(found.decision_function_text(digits=17), x1=points[:, 0], x2=points[:, 1])
    own = circle.decision_function(points)
    np.testing.assert_allclose(printed, own, atol=1e-8 * np.abs(own).max())
    assert found.check(points) < 1e-8 * np.abs(own).max()


@pytest.mark.parametrize("fold", [True, False])
@pytest.mark.parametrize(
    "svm",
    [
        SVC(degree=3, C=10.0, **KERNEL),
        NuSVC(degree=3, nu=0.2, **KERNEL),
        SVR(degree=3, C=1.0, **KERNEL),
        NuSVR(degree=3, C=1.0, **KERNEL),
        SVC(degree=3, kernel="poly", gamma="scale", coef0=0.5),
    ],
    ids=repr,
)
def test_top_feature_is_the_parity_and_the_function_is_the_machines(svm, fold, signs):
    svm.fit(*signs)
    (found,) = explain(svm, fold=fold, n_monomials=3)
    assert found.monomials[0].name == "x0 * x3 * x5"
    assert found.monomials[0].variables == ("x0", "x3", "x5")
    assert found.monomials[0].degree == 3
    assert found.check(signs[0]) < 1e-7


def test_coefficient_is_what_stands_in_the_function(signs):
    (found,) = explain(SVC(degree=3, **KERNEL).fit(*signs), n_monomials=2)
    first = found.monomials[0]
    assert f"{abs(first.coefficient):.6g} {first.name}" in found.decision_function_text(digits=6)


def test_each_pair_of_classes_has_its_own_function():
    rng = np.random.default_rng(3)
    X = rng.uniform(-1.0, 1.0, size=(200, 4))
    y = np.array(["low", "mid", "top"])[np.digitize(X[:, 0] * X[:, 2], [-0.2, 0.2])]
    svm = SVC(degree=2, C=100.0, **KERNEL).fit(X, y)
    found = explain(svm, n_monomials=4)
    pairs = [(b, a) for a, b in (("low", "mid"), ("low", "top"), ("mid", "top"))]
    assert [pair.model.classes for pair in found] == pairs
    assert [pair.monomials[0].name for pair in found] == ["x0 * x2"] * 3
    assert [pair.check(X) < 1e-6 for pair in found] == [True] * 3
    assert svm.decision_function_shape == "ovr"


def test_sparse_machine_is_explained_and_checked():
    rng = np.random.default_rng(4)
    X = sparse.csr_matrix(rng.integers(0, 2, size=(120, 8)).astype(float))
    y = X.toarray()[:, 1] * X.toarray()[:, 6]
    svm = SVC(degree=2, C=10.0, **KERNEL).fit(X, y)
    (found,) = explain(svm, n_monomials=5)
    assert found.monomials[0].name == "x1 * x6"
    assert found.check(X) < 1e-8
    (dense,) = explain(SVC(degree=2, C=10.0, **KERNEL).fit(X.toarray(), y), n_monomials=5)
    assert [f.name for f in dense.monomials] == [f.name for f in found.monomials]


def test_columns_behind_a_scaler_keep_their_names_and_say_so(square):
    points, classes = square
    frame = pd.DataFrame(10.0 + 3.0 * points, columns=["height", "depth"])
    svm = make_pipeline(StandardScaler(), SVC(degree=2, C=1e3, **KERNEL)).fit(frame, classes)
    (found,) = explain(svm)
    assert {feature.name for feature in found.monomials[:2]} == {"height^2", "depth^2"}
    assert "as they come out of StandardScaler" in found.text()
    assert found.check(frame) < 1e-8 * np.abs(svm.decision_function(frame)).max()


def test_columns_behind_a_selector_are_those_it_keeps(signs):
    X, y = signs
    kept = make_pipeline(
        SelectKBest(lambda X, y: np.arange(6.0), k=3), SVC(degree=3, **KERNEL)
    ).fit(X, y)
    assert explain(kept)[0].names == ("x3", "x4", "x5")
    assert explain(kept, list("abcdef"))[0].names == ("d", "e", "f")


def test_step_that_tells_no_names_leaves_them_alone(signs):
    svm = make_pipeline(FunctionTransformer(np.negative), SVC(degree=3, **KERNEL)).fit(*signs)
    (found,) = explain(svm, list("abcdef"), n_monomials=1)
    assert found.monomials[0].name == "a * d * f"
    assert found.check(signs[0]) < 1e-7


def test_text_has_the_table_the_proof_and_the_function(circle):
    lines = explain(circle, ["x1", "x2"], n_monomials=2)[0].text().splitlines()
    assert lines[0].startswith("Polynomial SVM of degree 2 with ")
    assert lines[0].endswith("support vectors, class 1 against -1")
    assert lines[1].split() == ["monomial", "weight", "coefficient", "degree", "proven"]
    assert [line.split()[0::4] for line in lines[3:5]] == [["x1^2", "yes"], ["x2^2", "yes"]]
    assert "these 2 are proven to have the largest weights." in lines[5]
    assert lines[6].startswith("f(x) = ")


def test_text_states_the_gap_where_nothing_is_proven():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(60, 40)), rng.integers(0, 2, 60)
    svm = SVC(degree=3, **KERNEL).fit(X, y)
    (found,) = explain(svm, method="heur1", max_built=50)
    assert found.top.n_proven == 0
    assert "none of these is proven to be at the top" in found.text(width=400)
    assert f"may weigh up to {found.top.unseen:.4g}." in found.text(width=400)
    assert "f(x)" not in found.text()
    with pytest.raises(OptionError, match=r"has 12,341 terms"):
        found.decision_function_text()


def test_frame_has_a_row_for_each_feature(circle):
    (found,) = explain(circle, ["x1", "x2"])
    frame = found.to_frame()
    assert list(frame.columns) == ["monomial", "weight", "coefficient", "degree", "variables"]
    assert list(frame["monomial"]) == [feature.name for feature in found.monomials]
    assert frame["weight"].abs().is_monotonic_decreasing


def test_plot_has_a_bar_for_each_feature(circle):
    (found,) = explain(circle, ["x1", "x2"])
    axes = found.plot()
    assert [bar.get_width() for bar in axes.patches] == [f.weight for f in found.monomials]
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        f.name for f in found.monomials
    ]
    assert found.plot(axes) is axes


def test_number_of_names_must_fit(circle):
    with pytest.raises(OptionError, match=r"feature_names has 3 names, .* on 2 columns"):
        explain(circle, ["a", "b", "c"])


def test_names_that_a_pipeline_has_seen_cannot_be_changed(square):
    points, classes = square
    frame = pd.DataFrame(points, columns=["height", "depth"])
    svm = make_pipeline(StandardScaler(), SVC(degree=2, **KERNEL)).fit(frame, classes)
    with pytest.raises(OptionError, match="leave feature_names out"):
        explain(svm, ["a", "b"])
    assert explain(svm, ["height", "depth"])[0].names == ("height", "depth")
    assert explain(svm[-1], ["a", "b"])[0].names == ("a", "b")


def test_steps_that_change_nothing_are_not_told(square):
    svm = make_pipeline("passthrough", SVC(degree=2, **KERNEL)).fit(*square)
    (found,) = explain(svm)
    assert found.after == ()
    assert found.check(square[0]) < 1e-8


def test_machines_that_cannot_be_read_are_refused(signs):
    with pytest.raises(OptionError, match="kernel='rbf'"):
        explain(SVC().fit(*signs))
    with pytest.raises(OptionError, match="not fitted yet"):
        explain(SVC(**KERNEL))
    with pytest.raises(NotFittedError):
        explain(make_pipeline(StandardScaler(), SVC(**KERNEL)))
