"""``FeatureAnalysis`` behaves as scikit-learn's objects do, and takes models from elsewhere."""

from __future__ import annotations

import warnings

import pytest

from eiderdown import PDAG, find_boundaries, learn_network, networks
from eiderdown.confidence import FeatureAnalysis
from eiderdown.errors import EiderdownWarning, OptionError
from eiderdown.graphs import DAG, Skeleton
from eiderdown.results import MarkovBoundary, ParentsChildren, Run

RUN = Run("x", {}, 0, 0, 0, 0.0, 60, 4, "", 0, {})


@pytest.fixture(scope="module")
def asia():
    return networks.load("asia").sample(500, random_state=0)


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EiderdownWarning)
        return function(*arguments, **options)


def of_models(models, **options):
    return quietly(FeatureAnalysis(**options).fit_models, models).result_


# The object.


def test_constructor_stores_and_checks_nothing():
    analysis = FeatureAnalysis(runs=-1, k=7, score="nonsense", state="nowhere/x.json")
    assert (analysis.runs, analysis.k, analysis.score) == (-1, 7, "nonsense")
    with pytest.raises(OptionError, match="runs must be"):
        analysis.fit({"a": [0, 1], "b": [0, 1]})


def test_representation_tells_what_differs_from_the_defaults():
    assert repr(FeatureAnalysis()) == "FeatureAnalysis()"
    analysis = FeatureAnalysis(runs=50, score="bdeu", target="smoke")
    assert repr(analysis) == "FeatureAnalysis(runs=50, score='bdeu', target='smoke')"


@pytest.mark.parametrize("name", ["edges_", "paths_", "boundaries_", "model_", "n_distinct_"])
def test_before_fit_there_is_nothing_to_see(name):
    assert not hasattr(FeatureAnalysis(), name)
    with pytest.raises(AttributeError, match=r"call fit\(data\) or fit_models"):
        getattr(FeatureAnalysis(), name)
    with pytest.raises(AttributeError, match="nothing yet"):
        FeatureAnalysis().boundary("a")


def test_fit_returns_itself_with_frames_and_the_best_model(asia):
    analysis = FeatureAnalysis(runs=400, k=0.3, progress=False)
    assert analysis.fit(asia.to_pandas()) is analysis
    result = analysis.result_
    assert analysis.model_ == result.model
    assert analysis.n_distinct_ == result.n_distinct > 50
    assert set(analysis.edges_.kind) == {"directed", "undirected"}
    assert set(analysis.paths_.kind) == {"path"}
    assert len(analysis.boundaries_) == len(result.of_group("boundaries"))
    assert analysis.boundary("dysp", 0.9) == {"bronc": 1.0}
    assert analysis.boundary("dysp") == result.boundary("dysp")


def test_fit_goes_on_from_earlier_runs(asia):
    part = quietly(FeatureAnalysis(runs=10, progress=False).fit, asia)
    whole = quietly(FeatureAnalysis(runs=40, progress=False).fit, asia)
    resumed = quietly(FeatureAnalysis(runs=40, progress=False).fit, asia, resume=part.result_)
    assert resumed.result_.models == whole.result_.models
    assert resumed.result_.n_runs == 40


def test_warnings_are_issued_and_kept(asia):
    with pytest.warns(EiderdownWarning) as caught:
        found = FeatureAnalysis(runs=10, progress=False).fit(asia)
    assert [str(item.message) for item in caught] == list(found.result_.warnings)
    assert {item.filename for item in caught} == {__file__}


# Models from elsewhere.


def test_graphs_from_elsewhere_count_as_models():
    graphs = [DAG.from_string("a->b->c"), PDAG.from_string("a--b--c"), PDAG.from_string("b->c, a")]
    found = of_models([*graphs, Skeleton.from_string("a--c")])
    assert [m.n_runs for m in found.models] == [2, 1, 1]
    assert found.nodes == ("a", "b", "c")
    assert found.confidence_of("undirected", "a", "b") == pytest.approx(1 / 3)
    by_runs = of_models([*graphs, Skeleton.from_string("a--c")], weighting="runs")
    assert by_runs.confidence_of("undirected", "a", "b") == 0.5
    assert (by_runs.source, by_runs.n_runs, by_runs.complete) == ("given models", 4, True)


def test_networks_bring_their_scores(asia):
    learned = [
        learn_network(asia, algorithm=name, progress=False)
        for name in ("hill_climbing", "hill_climbing_restarts", "sparse_candidate")
    ]
    found = of_models(learned, weighting="score", target="dysp")
    assert found.models[0].score == max(network.score for network in learned)
    assert found.run.fingerprint == asia.fingerprint
    assert found.run.options["algorithms"] == [
        "hill_climbing",
        "hill_climbing_restarts",
        "sparse_candidate",
    ]
    assert found.target == "dysp"
    other = learn_network(asia.take(range(400)), algorithm="hill_climbing", progress=False)
    with pytest.raises(OptionError, match="compares scores on one table"):
        of_models([*learned, other], weighting="score")


@pytest.mark.filterwarnings("ignore:With 500 rows")
def test_boundaries_bring_their_runs_and_their_target(asia):
    boundaries = find_boundaries(
        asia, target="dysp", runs=60, cv=None, random_state=0, progress=False
    )
    found = of_models(boundaries, weighting="runs")
    assert found.n_runs == 60
    assert found.target == "dysp"
    for member, count in boundaries.member_counts.items():
        assert found.confidence_of("boundary", "dysp", member) == count / 60


def test_what_does_not_go_together_is_refused():
    boundary, near = MarkovBoundary("t", ("a",), (), RUN), ParentsChildren("t", ("a",), (), RUN)
    for mixed in ([boundary, near], [boundary, DAG(["t", "a"])]):
        with pytest.raises(OptionError, match="analyse each sort by itself"):
            of_models(mixed)
    with pytest.raises(OptionError, match="several targets, 't', 'u'"):
        of_models([boundary, MarkovBoundary("u", ("a",), (), RUN)])
    with pytest.raises(OptionError, match="several targets, 't', 'u'"):
        of_models([boundary], target="u")
    with pytest.raises(OptionError, match="There are no models to analyse"):
        of_models([])
    with pytest.raises(OptionError, match="Target 'z' is in none of the models"):
        of_models([DAG(["a", "b"])], target="z")
    with pytest.raises(OptionError, match="A model is a graph"):
        of_models(["a->b"])


def test_parents_and_children_are_edges():
    found = of_models([ParentsChildren("t", ("a",), (), RUN), ParentsChildren("t", (), (), RUN)])
    assert found.confidence_of("undirected", "a", "t") == 0.5
