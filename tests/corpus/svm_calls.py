"""Calls for interactions, selectors side by side, and monomials of a machine."""

from __future__ import annotations

import corpus_tables as tables
import neutral
from calls import (
    MACHINE,
    call,
    interacting,
)
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

import eiderdown
from eiderdown import estimators


@call("interactions/methods", tolerance=MACHINE, changes="folds are scikit-learn's")
def interactions_by_each_method():
    return {
        method: neutral.interactions(interacting(tables.xor(), method=method, folds=3))
        for method in ("exact", "heur1", "heur2", "brute_force")
    }


@call("interactions/tables", tolerance=MACHINE, changes="folds are scikit-learn's")
def interactions_of_each_table():
    return {
        "circle": neutral.interactions(interacting(tables.circle(), folds=3, strict=True)),
        "three classes": neutral.interactions(
            interacting(tables.three_classes(), folds=0, strict=False, class_weight="balanced")
        ),
        "number": neutral.interactions(interacting(tables.product(), folds=3, cost=10.0)),
        "columns": neutral.interactions(
            interacting(
                tables.xor(),
                required=["x5"],
                exclude=["x8"],
                coding="zero_one",
                algorithm="mmpc",
                n_monomials=20,
                folds=0,
            )
        ),
    }


@call(
    "interactions/chosen_machine",
    tolerance=MACHINE,
    changes="folds and scores may become scikit-learn's own",
)
def interactions_with_a_chosen_machine():
    return neutral.interactions(interacting(tables.xor(120, 5), degree=None, cost=None, folds=3))


@call(
    "compare_selectors",
    tolerance=MACHINE,
    changes="splitters, scorers and cross-validation become scikit-learn's own",
)
def compare_selectors():
    found = eiderdown.compare_selectors(
        tables.xor(120, 5),
        target="t",
        selectors="all",
        test_share=0.3,
        degrees=(1, 2),
        Cs=(1.0,),
        inner_folds=2,
        random_state=0,
        n_jobs=1,
        progress=False,
    )
    folded = eiderdown.compare_selectors(
        tables.product(100, 4),
        target="t",
        selectors=["none", "iamb", "f_test_50", "rfe_50"],
        folds=3,
        degrees=(2,),
        Cs=(1.0, 10.0),
        inner_folds=2,
        random_state=0,
        n_jobs=1,
        progress=False,
    )
    return {"all": neutral.comparison(found), "folds": neutral.comparison(folded)}


@call("svm/top_monomials", tolerance=MACHINE)
def top_monomials():
    from eiderdown.svm import contributions, polynomial_models, variable_norms
    from eiderdown.svm import top_monomials as found

    X, y = tables.features_of(tables.xor(100, 8))
    (model,) = polynomial_models(SVC(kernel="poly", degree=3, gamma=1.0, coef0=1.0).fit(X, y))
    uneven, z = tables.features_of(tables.product(100, 6))
    (curve,) = polynomial_models(
        SVR(kernel="poly", degree=2, gamma=0.5, coef0=2.0, tol=1e-6).fit(uneven, z)
    )
    methods = ("exact", "heur1", "heur2", "brute_force")
    return {
        "signs": {m: neutral.top_monomials(found(model, 5, method=m)) for m in methods},
        "numbers": {m: neutral.top_monomials(found(curve, 5, method=m)) for m in methods},
        "unfolded": neutral.top_monomials(found(model, 5, fold=False)),
        "contributions": contributions(curve),
        "norms": variable_norms(curve),
    }


@call("svm/explainer", tolerance=MACHINE)
def explainer():
    X, y = tables.features_of(tables.three_classes(120, 4))
    machine = make_pipeline(
        StandardScaler(), SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0, tol=1e-6)
    ).fit(X, y)
    explained = estimators.PolynomialSVMExplainer(n_monomials=5).explain(machine)
    return [
        [
            [
                [item.name, sorted(item.variables), item.degree, item.weight, item.coefficient]
                for item in explanation.monomials
            ],
            explanation.check(X) < 1e-6,
        ]
        for explanation in explained
    ]


@call("predict", tolerance=MACHINE)
def predict():
    answers = {}
    for manipulated in (None, ["dysp"], "unknown"):
        found = eiderdown.predict(
            tables.asia(600),
            tables.asia(20),
            "bronc",
            manipulated=manipulated,
            estimator=LogisticRegression(),
            candidates=("boundary", "all"),
            resamples=5,
            cv=3,
            progress=False,
        )
        answers[str(manipulated)] = {
            "used": found.used.columns,
            "left out": found.used.left_out,
            "probabilities": found.probabilities,
            "score": found.score,
            "compared": [[s.name, s.columns, s.score, s.chosen] for s in found.used.compared],
        }
    return answers
