"""Calls of the estimators."""

from __future__ import annotations

import corpus_tables as tables
import neutral
from calls import (
    MACHINE,
    call,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC

from eiderdown import estimators


@call("estimator/markov_boundary_selector")
def markov_boundary_selector():
    X, y = tables.frame_of(tables.alarm(), "HR")
    discrete = estimators.MarkovBoundarySelector(algorithm="pcmb", n_jobs=1).fit(X, y)
    Z, z = tables.frame_of(tables.genes(), "lacA")
    continuous = estimators.MarkovBoundarySelector(algorithm="iamb", alpha=0.05, n_jobs=1)
    continuous.fit(Z, z)
    return {
        "discrete": [discrete.get_feature_names_out(), neutral.local(discrete.boundary_)],
        "continuous": [continuous.get_feature_names_out(), continuous.transform(Z).shape],
    }


@call("estimator/parents_children_selector")
def parents_children_selector():
    X, y = tables.frame_of(tables.alarm(), "HR")
    selector = estimators.ParentsChildrenSelector(algorithm="get_pc", required=["PAP"], n_jobs=1)
    selector.fit(X, y)
    return [selector.get_feature_names_out(), neutral.local(selector.parents_children_)]


@call("estimator/region_selector", changes="region_mmhc: one climb; today's restarts=0")
def region_selector():
    X, y = tables.frame_of(tables.child(), "Disease")
    found = estimators.RegionSelector(depth=2, algorithm="region_mmhc", n_jobs=1).fit(X, y)
    return [found.get_feature_names_out(), neutral.learned(found.region_)]


@call("estimator/bayesian_network_learner", changes="mmhc: one climb; today's restarts=0")
def bayesian_network_learner():
    frame = tables.asia().to_pandas()
    numbers = tables.ten_genes().to_pandas()
    learner = estimators.BayesianNetworkLearner(algorithm="mmhc", n_jobs=1).fit(frame)
    gaussian = estimators.BayesianNetworkLearner(
        algorithm="ges", network_score="bge", n_jobs=1
    ).fit(numbers)
    return {
        "discrete": neutral.learned(learner.network_),
        "tables": neutral.discrete_network(learner.parameters_),
        "samples": learner.score_samples(frame)[:10],
        "score": learner.score(frame),
        "continuous": neutral.learned(gaussian.network_),
        "numbers": None
        if gaussian.parameters_ is None
        else neutral.gaussian_network(gaussian.parameters_),
    }


@call("estimator/feature_space_selector", tolerance=MACHINE)
def feature_space_selector():
    X, y = tables.features_of(tables.xor())
    found = {}
    for output in ("variables", "features"):
        kind = {"features": "monomials"}.get(output, output)
        selector = estimators.FeatureSpaceSelector(output=kind, n_jobs=1).fit(X, y)
        found[output] = [
            selector.get_feature_names_out(),
            selector.transform(X).sum(axis=0),
            sorted(selector.variables_),
            [neutral.kept(item) for item in selector.monomials_],
        ]
    return found


@call("estimator/polynomial_rfe", tolerance=MACHINE)
def polynomial_rfe():
    X, y = tables.features_of(tables.xor(200, 16))
    Z, z = tables.features_of(tables.product(150, 8))
    return [
        neutral.subset_selection(
            estimators.PolynomialRFE(C=100.0, random_state=0).fit(X, y).selection_
        ),
        neutral.subset_selection(
            estimators.PolynomialRFE(keep=0.8, random_state=0).fit(Z, z).selection_
        ),
    ]


@call("estimator/relief_selector", tolerance=MACHINE)
def relief_selector():
    X, y = tables.features_of(tables.xor(200, 16))
    Z, z = tables.features_of(tables.product(150, 8))
    return [
        neutral.subset_selection(
            estimators.ReliefSelector(C=100.0, random_state=0).fit(X, y).selection_
        ),
        neutral.subset_selection(
            estimators.ReliefSelector(n_neighbours=3, random_state=0).fit(Z, z).selection_
        ),
    ]


@call("estimator/boundary_wrapper", tolerance=MACHINE)
def boundary_wrapper():
    X, y = tables.frame_of(tables.alarm(), "HYPOVOLEMIA")
    estimator = make_pipeline(OneHotEncoder(handle_unknown="ignore"), SVC())
    wrapper = estimators.BoundaryWrapper(estimator=estimator, cv=3).fit(X, y)
    return {
        "boundary": wrapper.selector_.get_feature_names_out(),
        "dropped": [[step.feature, step.score] for step in wrapper.dropped_],
        "score": wrapper.boundary_score_,
        "left": wrapper.get_feature_names_out(),
    }


@call("estimator/discretisers")
def discretisers():
    frame = tables.ten_genes().to_pandas()
    classes = (frame["lacA"] > frame["lacA"].median()).to_numpy()
    made = {
        "equal width": estimators.EqualWidthDiscretiser(n_bins=4),
        "equal frequency": estimators.EqualFrequencyDiscretiser(n_bins=3),
        "mdl": estimators.MDLDiscretiser(),
        "hartemink": estimators.HarteminkDiscretiser(n_bins=3, n_initial_bins=20),
    }
    found = {}
    for name, discretiser in made.items():
        codes = discretiser.fit(frame, classes).transform(frame)
        found[name] = [dict(discretiser.cuts_), codes[:5]]
    return found
