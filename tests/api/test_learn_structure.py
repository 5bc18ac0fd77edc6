"""Every registered search, from a table to a graph: accuracy, knowledge, order, workers, kinds."""

import numpy as np
import pytest
from api_tables import continuous_table, mixed_columns

from eiderdown import Dataset, EiderdownWarning, Knowledge, learn_network, learn_region, networks
from eiderdown.errors import KnowledgeError
from eiderdown.graphs import DAG, PDAG, structural_hamming_distance
from eiderdown.structure import NETWORK_ALGORITHMS, REGION_ALGORITHMS

pytestmark = pytest.mark.filterwarnings("ignore:V-structures left out")

# Skewing is for hidden effects; a few distributions are enough to see that it runs.
SKEWED = ("skewed_sparse_candidate", "skewed_sparse_candidate_patient")
QUICK = {name: {"restrict_skews": 5, "search_skews": 5} for name in SKEWED}
GREEDY = ("sparse_candidate", "lookahead_sparse_candidate", *SKEWED)


def learned(data, name, **options):
    """Learn by any algorithm; a region goes around column b."""
    options = {"algorithm": ENTRIES[name](**QUICK.get(name, {})), "progress": False, **options}
    if name in NETWORK_ALGORITHMS.names:
        return learn_network(data, **options)
    return learn_region(data, **{"target": "b", "depth": 2, **options})


ENTRIES = {entry.name: entry for entry in (*NETWORK_ALGORITHMS, *REGION_ALGORITHMS)}
EVERY = list(ENTRIES)
TESTING = [name for name in EVERY if "test" in ENTRIES[name].needs]
SCORING = [name for name in EVERY if "score" in ENTRIES[name].needs]
TRUE_DAG = DAG.from_string("a->b, c->b, b->d, d->e, f")


@pytest.fixture(scope="module")
def table():
    """Five columns that hang together strongly, and one that does not."""
    rng = np.random.default_rng(0)

    def noisy(column, share):
        return np.where(rng.random(3_000) < share, rng.integers(0, 2, 3_000), column)

    a, c, f = rng.integers(0, 2, (3, 3_000))
    b = noisy(a + c, 0.1)
    d = noisy((b > 0).astype(int), 0.2)
    return Dataset.of({"a": a, "b": b, "c": c, "d": d, "e": noisy(d, 0.2), "f": f})


@pytest.mark.parametrize("name", EVERY)
def test_every_search_finds_the_easy_graph(table, name):
    found = learned(table, name)
    truth = TRUE_DAG.to_cpdag()
    if name in REGION_ALGORITHMS.names:
        truth = truth.subgraph(found.nodes)
        assert set(found.nodes) >= set(TRUE_DAG.region("b", 2).nodes)
    if name in GREEDY:
        # A climb without a TABU list can end in a graph with one edge too many.
        assert set(truth.skeleton().edges) <= set(found.cpdag.skeleton().edges)
        assert len(found.edges) <= truth.n_edges + 1
    else:
        assert found.cpdag == truth
    assert found.is_cpdag == isinstance(found.graph, PDAG)
    for edge in found.edges:
        assert (edge.gain is not None) == (name in SCORING)
        assert (edge.test is not None) == (name not in SCORING)
        assert edge.gain is None or edge.gain > 0
    assert (found.run.n_tests > 0) == (name in TESTING)
    assert (found.n_scores > 0) == (name in SCORING)
    assert type(found).from_json(found.to_json()) == found


@pytest.mark.parametrize("name", EVERY)
def test_the_order_of_the_columns_does_not_matter(table, name):
    mirrored = table.select(table.names[::-1])
    first, second = learned(table, name), learned(mirrored, name)
    assert first.cpdag == second.cpdag
    assert first.score == pytest.approx(second.score) if first.score else second.score is None


@pytest.mark.parametrize("name", EVERY)
def test_the_number_of_workers_does_not_matter(table, name):
    first, second = learned(table, name, n_jobs=1), learned(table, name, n_jobs=2)
    assert first.edges == second.edges
    assert first.separating_sets == second.separating_sets


@pytest.mark.parametrize("name", EVERY)
def test_knowledge_is_kept(table, name):
    known = Knowledge(tiers=[["e", "d"], ["a", "b", "c"]], required=[("d", "b")])
    found = learned(table, name, knowledge=known)
    known.check(found.graph)
    assert found.edge("d", "b").left == "d"


@pytest.mark.parametrize("name", EVERY)
def test_a_limit_on_parents_is_kept_or_refused(table, name):
    known = Knowledge(max_parents=1)
    if name not in SCORING or name == "joined_regions":  # each climb sees a part only
        with pytest.raises(KnowledgeError, match=f"'{name}' cannot limit the number of parents"):
            learned(table, name, knowledge=known)
    else:
        graph = learned(table, name, knowledge=known).graph
        directed = graph if isinstance(graph, DAG) else graph.to_dag()
        assert max(map(len, directed.parent_indices)) == 1


@pytest.mark.parametrize("name", TESTING)
def test_continuous_columns_are_found_too(name):
    around = {} if name in NETWORK_ALGORITHMS.names else {"target": "t"}
    found = learned(continuous_table(), name, **around)
    assert found.boundary("t") >= {"c"}
    assert found.run.options["test"] == "FisherZTest"


def test_continuous_columns_have_a_gaussian_score():
    found = learn_network(continuous_table(), algorithm="hill_climbing")
    assert found.boundary("t") == {"p", "q", "c", "s"}
    assert found.score == pytest.approx(
        learn_network(continuous_table(), algorithm="hill_climbing", score="gaussian_bic").score
    )


def test_mixed_columns_can_be_scored_as_they_are():
    data = Dataset.of(mixed_columns(300))
    found = learn_network(data, algorithm="hill_climbing", score="kgv")
    assert found.warnings == ()
    assert {frozenset(("height", "weight")), frozenset(("grade", "colour"))} <= {
        frozenset((edge.left, edge.right)) for edge in found.edges
    }
    both = learn_network(data, algorithm="mmhc", score="kgv")
    assert both.warnings == ()
    assert both.edge("height", "weight") is not None


def test_mixed_columns_are_tested_as_they_are_and_cut_for_scores_that_count():
    data = Dataset.of(mixed_columns(300))
    tested = learn_network(data, algorithm="pc_stable")
    assert tested.warnings == ()
    assert tested.run.options["test"] == "WilksTest"
    assert "numbers and categories" in tested.run.options["why"]
    with pytest.warns(EiderdownWarning, match="Cut into 3 categories"):
        learn_network(data, algorithm="mmhc")
    with pytest.warns(EiderdownWarning, match="Cut into 3 categories"):
        learn_network(data, algorithm="pc_stable", test="g_square")


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("hill_climbing_restarts", 12),
        ("hill_climbing", 30),
        ("mmhc_restarts", 12),
        ("mmhc", 12),
        ("pc_confirmed", 12),
        ("pc_stable", 30),
    ],
)
def test_alarm_is_learned(name, most):
    alarm = networks.load("alarm")
    found = learn_network(alarm.sample(5_000, random_state=0), algorithm=name)
    assert structural_hamming_distance(found.cpdag, alarm.dag.to_cpdag()) <= most


@pytest.mark.parametrize("name", REGION_ALGORITHMS.names)
def test_a_region_of_alarm_is_learned(name):
    alarm = networks.load("alarm")
    data = alarm.sample(5_000, random_state=0)
    found = learn_region(data, target="HYPOVOLEMIA", depth=2, algorithm=name)
    true = alarm.dag.to_cpdag().region("HYPOVOLEMIA", 2)
    assert found.cpdag.region("HYPOVOLEMIA", 2) == true
