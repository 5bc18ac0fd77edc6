"""Consensus: exact given an oracle; a vote, with its shares, on data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from searching import random_dags
from sklearn.datasets import load_breast_cancer
from table_oracle import TableOracle

from eiderdown import Dataset, find_all_boundaries, find_boundary, find_parents_children, networks
from eiderdown.boundary import CONSENSUS, CONSENSUS_PC, TestProblem
from eiderdown.boundary.problem import LearnedGraph
from eiderdown.data.prepare import prepare_target
from eiderdown.errors import OptionError
from eiderdown.graphs import DAG
from eiderdown.independence import OracleTest
from eiderdown.independence.registry import make_test
from eiderdown.progress import Cancelled, Trace

pytestmark = pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")


def graphs_of(dag, test, n_scores=2):
    """Learn as a score that makes no mistakes would: parents are the boundary among those before.

    Variables that are not asked about are as good as hidden.
    """
    order = {name: i for i, name in enumerate(dag.topological_order)}

    def learn(columns):
        in_order = sorted(columns, key=lambda x: order[test.names[x]])
        parents = {}
        for k, x in enumerate(in_order):
            before = in_order[:k]
            parents[x] = tuple(
                p for p in before if test.test(p, x, [z for z in before if z != p]).dependent(0.01)
            )
        return [LearnedGraph(f"score {k}", parents) for k in range(n_scores)]

    return learn


def found_around(dag, target, algorithm=CONSENSUS, **problem):
    test = TableOracle(dag)
    t = test.names.index(target)
    others = np.array([i for i in range(dag.n_nodes) if i != t], dtype=np.int64)
    learn = problem.pop("learn_graphs", graphs_of(dag, OracleTest(dag)))
    found = algorithm.run(TestProblem(test, t, others, 0.01, learn_graphs=learn, **problem))
    return {test.names[x] for x in found.members}, found


@pytest.mark.no_cover
@pytest.mark.parametrize(("n_nodes", "n_graphs"), [(3, 40), (4, 30), (5, 20), (6, 10), (8, 3)])
def test_it_is_exact_given_an_oracle(n_nodes, n_graphs):
    check_exactness(n_nodes, n_graphs, seed=n_nodes)


@pytest.mark.slow
@pytest.mark.parametrize(("n_nodes", "n_graphs"), [(3, 60), (4, 60), (5, 60), (6, 40), (8, 10)])
def test_it_is_exact_on_more_graphs_given_an_oracle(n_nodes, n_graphs):
    check_exactness(n_nodes, n_graphs, seed=100 + n_nodes)


def check_exactness(n_nodes, n_graphs, seed):
    for dag in random_dags({n_nodes: n_graphs}, seed=seed):
        for node in dag.nodes:
            members, found = found_around(dag, node)
            adjacent = {*dag.parents(node), *dag.children(node)}
            assert members == dag.markov_boundary(node), (node, dag.edges)
            assert {dag.nodes[x] for x in found.parents_children} == adjacent
            for spouse, child in found.spouses.items():
                assert {node, dag.nodes[spouse]} <= set(dag.parents(dag.nodes[child]))
            assert members - adjacent == {dag.nodes[x] for x in found.spouses}
            assert found_around(dag, node, CONSENSUS_PC)[0] == adjacent


def test_a_second_graph_is_learned_only_where_the_first_and_tests_disagree():
    dag = DAG.from_string("A->T, T->B, C->B")
    asked = []

    def learner(*graphs):
        def learn(columns):
            for graph in graphs:
                asked.append(graph)
                found = dict.fromkeys(columns, ())
                parents = found | {x: p for x, p in graph.items() if x in found}
                yield LearnedGraph(f"score {len(asked)}", parents)

        return learn

    a, t, b, c = (dag.nodes.index(x) for x in "ATBC")
    right, poor = {t: (a,), b: (t, c)}, {t: (a,)}
    members, found = found_around(dag, "T", learn_graphs=learner(right, poor))
    assert (members, asked) == ({"A", "B", "C"}, [right])
    assert set(found.probabilities.values()) == {1.0}
    asked.clear()
    found_around(dag, "T", CONSENSUS(threshold=0.9), learn_graphs=learner(right, poor))
    assert asked == [right, poor]


def test_graphs_cannot_vote_out_what_tests_find_beyond_doubt():
    dag = DAG.from_string("A->T, T->B, C->B")
    members, found = found_around(
        dag, "T", learn_graphs=lambda columns: [LearnedGraph("any", dict.fromkeys(columns, ()))] * 2
    )
    assert members == {"A", "B", "C"}
    assert set(found.probabilities.values()) == {2 / 3}


@pytest.mark.parametrize(("scores", "has_d"), [(("a", "a"), False), (("a", "b"), True)])
def test_graphs_by_one_score_do_not_elect_whom_a_test_refutes(scores, has_d):
    dag = DAG.from_string("A->T, T->B, C->B, A->D, D->E")
    a, t, b, c, d = (dag.nodes.index(x) for x in "ATBCD")

    def learn(columns):
        wrong = dict.fromkeys(columns, ()) | {t: (a, d), b: (t, c)}
        return [LearnedGraph(score, wrong) for score in scores]

    members, found = found_around(dag, "T", learn_graphs=learn)
    assert members == {"A", "B", "C", *(["D"] if has_d else [])}
    assert found.probabilities[d] == 2 / 3


def test_a_threshold_within_a_mixed_table_is_not_taken_for_a_member():
    """A cut number explains what bends in the number, so that linear scores want it."""
    generator = np.random.default_rng(0)
    age, pressure = generator.normal(size=(2, 20_000))
    risk = 1 / (1 + np.exp(-(age + 0.7 * pressure - 1.5)))
    event = generator.random(20_000) < risk
    drug = (pressure > 0.6) & (generator.random(20_000) < 0.8)
    columns = {"age": age, "pressure": pressure, "drug": drug, "event": event}
    data = Dataset.from_columns({name: list(column) for name, column in columns.items()})
    boundary = find_boundary(data, "event", progress=False)
    assert boundary.members == ("age", "pressure")


def test_a_search_by_tests_that_was_interrupted_is_not_taken_for_finished():
    class Stopping(Trace):
        def __init__(self):
            self.n_told = 0

        def progressed(self, phase, count):
            self.n_told += 1
            if self.n_told == 2:
                raise Cancelled

        def silent(self):
            return self

    data = networks.load("alarm").sample(300, random_state=0)
    prepared = prepare_target(data, "HR")
    test = make_test("auto", prepared)
    problem = TestProblem(test, prepared.target, prepared.candidates, 0.01, trace=Stopping())
    found = CONSENSUS.run(replace(problem, learn_graphs=lambda _: []))
    assert not found.complete
    assert len(found.members) == 2


def test_many_targets_find_what_each_finds_alone_and_roles_agree_with_the_other_verb():
    data = networks.load("asia").sample(800, random_state=3)
    together = find_all_boundaries(data, algorithm="consensus")
    for target in ("either", "bronc"):
        alone = find_boundary(data, target=target, algorithm="consensus")
        assert together[target].members == alone.members
        assert together[target].adjacency == alone.adjacency
        next_to_it = find_parents_children(data, target=target, algorithm="consensus_pc")
        assert set(next_to_it.members) == set(alone.parents_children)


def test_a_smaller_significance_level_asks_more_of_graphs_too():
    data = networks.load("asia").sample(800, random_state=3)
    strict = find_boundary(data, target="either", algorithm="consensus", alpha=1e-100)
    assert strict.members == ()


def test_members_are_those_of_more_searches_than_the_threshold_says():
    data = networks.load("alarm").sample(1_000, random_state=3)
    found = {
        threshold: find_boundary(data, target="HR", algorithm=CONSENSUS(threshold=threshold))
        for threshold in (0.0, 0.5, 0.9)
    }
    shares = found[0.5].probabilities
    assert set(shares.values()) <= {0.0, 1 / 3, 2 / 3, 1.0}
    for threshold, boundary in found.items():
        assert set(boundary.members) == {x for x, share in shares.items() if share > threshold}
    assert set(found[0.9].members) < set(found[0.0].members)
    assert list(shares.values()) == sorted(shares.values(), reverse=True)


@pytest.mark.parametrize("network", ["alarm", "ecoli70"])
def test_the_order_of_the_columns_does_not_matter(network):
    frame = networks.load(network).sample(300, random_state=1).to_pandas()
    target = frame.columns[4]
    one = find_boundary(frame, target=target, algorithm="consensus")
    other = find_boundary(frame[frame.columns[::-1]], target=target, algorithm="consensus")
    assert (one.members, one.probabilities) == (other.members, other.probabilities)


def test_missing_values_required_columns_and_mixed_kinds_are_taken():
    frame = networks.load("asia").sample(500, random_state=1).to_pandas()
    frame["number"] = np.random.default_rng(0).normal(size=500) + (frame["dysp"] == "yes")
    frame.loc[::7, "bronc"] = None
    found = find_boundary(frame, target="dysp", algorithm="consensus", required=["asia"])
    assert {"bronc", "number", "asia"} <= set(found.members)
    assert found.probabilities["asia"] == 1.0


def test_without_scores_it_says_what_it_needs():
    test = OracleTest(DAG.from_string("A->T"))
    with pytest.raises(OptionError, match="needs scores"):
        CONSENSUS.run(TestProblem(test, 1, np.array([0]), 0.01))


def test_it_finds_more_of_alarm_than_iamb_does():
    network = networks.load("alarm")
    data = network.sample(500, random_state=77)
    right = {"iamb": 0.0, "consensus": 0.0}
    for target in network.dag.nodes[::4]:
        truth = network.dag.markov_boundary(target)
        for algorithm in right:
            members = set(find_boundary(data, target=target, algorithm=algorithm).members)
            right[algorithm] += 2 * len(members & truth) / max(1, len(members) + len(truth))
    assert right["consensus"] > right["iamb"]


def test_graphs_that_join_most_of_a_table_do_not_decide_alone():
    table = load_breast_cancer(as_frame=True)
    data = Dataset.of(table.data.assign(diagnosis=table.target_names[table.target]))
    tested = find_boundary(data, "diagnosis", algorithm="iamb")
    found = find_boundary(data, "diagnosis", algorithm="consensus")
    assert sum(share > 0.5 for share in found.probabilities.values()) > 15
    assert 5 <= len(found.members) < 15
    assert set(found.members) <= set(tested.members)
