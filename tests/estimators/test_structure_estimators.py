"""Networks and regions are scikit-learn's citizens, and say what the library says."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.utils.estimator_checks import parametrize_with_checks

from eiderdown import EiderdownWarning, Knowledge, learn_network, learn_region, networks
from eiderdown.errors import ColumnKindError, UnseenCategoryError
from eiderdown.estimators import BayesianNetworkLearner, RegionSelector
from eiderdown.networks import fit_network
from eiderdown.structure import MMHC


@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
@pytest.mark.filterwarnings("ignore:No features were selected")
@parametrize_with_checks([BayesianNetworkLearner(), RegionSelector()])
def test_scikit_learn_finds_nothing_to_object_to(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
@pytest.mark.filterwarnings("ignore:No features were selected")
@parametrize_with_checks(
    [
        BayesianNetworkLearner(algorithm="hill_climbing"),
        BayesianNetworkLearner(algorithm="pc_stable"),
        RegionSelector(algorithm="gpc", depth=2),
    ],
)
def test_scikit_learn_finds_nothing_to_object_to_in_other_settings(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def asia():
    return networks.load("asia").sample(4_000, random_state=0)


@pytest.fixture(scope="module")
def frame(asia):
    return asia.to_pandas()


def test_the_learner_learns_what_learn_network_learns(asia, frame):
    options = {"algorithm": MMHC(patience=5), "alpha": 0.05}
    learner = BayesianNetworkLearner(network_score="bdeu", **options).fit(frame)
    assert learner.network_.edges == learn_network(asia, score="bdeu", **options).edges


def test_rows_are_as_likely_as_by_the_fitted_network(asia, frame):
    learner = BayesianNetworkLearner(algorithm="hill_climbing", equivalent_sample_size=4.0)
    learner.fit(frame)
    graph = learn_network(asia, algorithm="hill_climbing").graph
    expected = fit_network(graph, asia, equivalent_sample_size=4.0).log_likelihood(asia)
    assert learner.score_samples(frame).tolist() == expected.tolist()
    assert learner.score(frame) == pytest.approx(expected.mean())


def test_numbers_have_densities():
    network = networks.random_gaussian_network(5, max_parents=2, random_state=0)
    X = network.sample(2_000, random_state=0).to_pandas().to_numpy()
    learner = BayesianNetworkLearner(algorithm="hill_climbing").fit(X[:1_000])
    truth = network.log_likelihood(network.sample(2_000, random_state=0))[1_000:].mean()
    assert learner.score(X[1_000:]) == pytest.approx(truth, abs=0.05)


def test_the_likelihood_of_new_rows_chooses_options(frame):
    search = GridSearchCV(
        BayesianNetworkLearner(algorithm="hill_climbing"),
        {"knowledge": [None, Knowledge(max_parents=0)]},
        cv=3,
    ).fit(frame)
    assert search.best_params_ == {"knowledge": None}


def test_features_of_both_kinds_have_no_likelihood(frame):
    mixed = frame[["smoke", "lung"]].assign(age=np.random.default_rng(0).normal(size=len(frame)))
    with pytest.warns(EiderdownWarning, match="Cut into 3 categories"):
        learner = BayesianNetworkLearner().fit(mixed)
    assert learner.parameters_ is None
    with pytest.raises(ColumnKindError, match="features are of both kinds"):
        learner.score(mixed)


def test_integers_stay_of_the_kind_they_had(asia):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 50, (300, 3))
    learner = BayesianNetworkLearner(algorithm="hill_climbing").fit(X)
    assert np.isfinite(learner.score_samples(X[:2])).all()


def test_levels_never_seen_are_refused(frame):
    learner = BayesianNetworkLearner(algorithm="hill_climbing").fit(frame)
    odd = frame.astype(str).replace({"smoke": {"yes": "maybe"}})
    with pytest.raises(UnseenCategoryError, match="Column 'smoke' holds 'maybe'"):
        learner.score(odd)


def test_a_learner_must_be_fitted_first(frame):
    with pytest.raises(NotFittedError):
        BayesianNetworkLearner().score(frame)


def test_the_region_keeps_the_features_within_reach(asia, frame):
    X, y = frame.drop(columns="either"), frame["either"]
    for depth in (1, 2):
        selector = RegionSelector(depth=depth, alpha=0.05).fit(X, y)
        direct = learn_region(asia, target="either", depth=depth, alpha=0.05)
        assert set(selector.get_feature_names_out()) == set(direct.nodes) - {"either"}
        assert set(map(str, selector.region_.edges)) == set(map(str, direct.edges))
        assert selector.region_.target == "either"


def test_the_selector_works_in_a_pipeline(frame):
    X, y = frame.drop(columns="dysp"), frame["dysp"]
    pipeline = make_pipeline(RegionSelector(), OrdinalEncoder(), CategoricalNB()).fit(X, y)
    assert pipeline.score(X, y) > 0.8


@pytest.mark.parametrize("estimator", [BayesianNetworkLearner(), RegionSelector(depth=2)])
def test_copies_of_a_fitted_estimator_are_equal(frame, estimator):
    X, y = frame.drop(columns="dysp"), frame["dysp"]
    fitted = clone(estimator).fit(X, y)
    copy = pickle.loads(pickle.dumps(fitted))
    name = "network_" if isinstance(estimator, BayesianNetworkLearner) else "region_"
    assert getattr(copy, name) == getattr(fitted, name)
