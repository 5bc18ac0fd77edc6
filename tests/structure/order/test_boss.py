"""BOSS: with exact evidence, beside a naive twin, with knowledge, and by its manners."""

from __future__ import annotations

import numpy as np
import pytest
from exact_scores import ExactScore, RandomScore
from hypothesis import given
from hypothesis import strategies as st

import naive
from eiderdown import learn_network, networks
from eiderdown.errors import OptionError
from eiderdown.graphs import DAG, PDAG, random_dag
from eiderdown.knowledge import Knowledge
from eiderdown.networks import random_gaussian_network, random_network
from eiderdown.progress import Cancelled, Trace
from eiderdown.scores import make_score
from eiderdown.statistics import cost
from eiderdown.structure import BOSS_RESTARTS, StructureProblem
from eiderdown.structure.order.boss import OrderSearch, boss
from eiderdown.structure.order.boss_restarts import boss_restarts
from examples import examples

SEARCHES = {"boss": boss, "boss_restarts": boss_restarts}


def problem_of(score, **more):
    known = more.pop("knowledge", None)
    columns = None if known is None else known.of_columns(score.names)
    return StructureProblem(score.n_variables, score=score, knowledge=columns, **more)


def cpdag_of(found, names):
    return PDAG(
        names,
        [(names[a], names[b]) for a, b in found.directed],
        [(names[a], names[b]) for a, b in found.undirected],
    )


@pytest.fixture(scope="module")
def asia():
    return make_score("bic", networks.load("asia").sample(1_000, random_state=0), n_jobs=1)


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_the_class_of_a_faithful_network_is_found(search):
    for seed in range(8):
        dag = random_dag(6, edge_probability=0.35, random_state=seed)
        network = random_network(dag, random_state=1)
        found = search(problem_of(ExactScore(network, n_rows=10**9)))
        assert cpdag_of(found, dag.nodes) == dag.to_cpdag()


@pytest.mark.parametrize("seed", range(3))
def test_no_move_of_a_column_improves_the_order_in_which_boss_ends(seed):
    dag = random_dag(7, edge_probability=0.4, random_state=seed)
    data = random_network(dag, random_state=seed).sample(200, random_state=0)
    score = make_score("bic", data, n_jobs=1)
    search = OrderSearch(problem_of(score))
    order = search.started(np.random.default_rng(seed).permutation(7))
    while search.improve(order, order.order.copy()):
        pass
    reached = search.columns[order.order].tolist()
    best = naive.order_score(score, reached)
    assert search.score_of(order) == pytest.approx(best, abs=1e-6)
    for x in reached:
        rest = [y for y in reached if y != x]
        moved = [naive.order_score(score, [*rest[:i], x, *rest[i:]]) for i in range(7)]
        assert max(moved) <= best + 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_an_order_with_remembered_families_never_scores_lower_than_without(seed):
    data = networks.load("child").sample(300, random_state=seed)
    score = make_score("bic", data, n_jobs=1)
    search = OrderSearch(problem_of(score), remembering=True)
    generator = np.random.default_rng(seed)
    for _ in range(3):
        order = search.started(generator.permutation(search.n_nodes))
        order.chance[:] = generator.random(search.n_nodes)
        search.improve(order, generator.permutation(search.n_nodes))
        reached = search.columns[order.order].tolist()
        assert search.score_of(order) >= naive.order_score(score, reached) - 1e-6


def test_restarts_find_what_one_search_does_not():
    score = make_score("bic", networks.load("alarm").sample(5_000, random_state=0), n_jobs=1)
    plain, more = boss(problem_of(score)), boss_restarts(problem_of(score))
    assert more.score > plain.score + 100.0
    assert cpdag_of(more, score.names).is_cpdag
    dag = cpdag_of(more, score.names).to_dag()
    assert score.total(dag) == pytest.approx(more.score, abs=1e-6)


def test_continuous_columns():
    dag = random_dag(30, expected_degree=2.0, random_state=3)
    data = random_gaussian_network(dag, random_state=3).sample(2_000, random_state=0)
    score = make_score("gaussian_bic", data)
    found = boss(problem_of(score))
    assert {frozenset(e) for e in dag.edges} <= {
        frozenset((score.names[a], score.names[b])) for a, b in (*found.directed, *found.undirected)
    }
    assert found.score >= score.total(dag)


@st.composite
def knowledge_of(draw, names):
    order = draw(st.permutations(names))
    cut = draw(st.integers(1, len(names) - 1))
    pairs = st.tuples(st.sampled_from(names), st.sampled_from(names)).filter(lambda p: p[0] != p[1])
    forbidden = draw(st.lists(pairs, max_size=6))
    required = [
        (a, b)
        for a, b in draw(st.lists(pairs, max_size=3))
        if order.index(a) < order.index(b) and (a, b) not in forbidden
    ]
    return Knowledge(
        tiers=(order[:cut], order[cut:]),
        required=tuple(dict.fromkeys(required)),
        forbidden=tuple(dict.fromkeys(forbidden)),
        max_parents=draw(st.sampled_from([None, 3])),
    )


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
@examples(10)
@given(data=st.data())
def test_knowledge_is_respected(search, data):
    score = make_score("bic", networks.load("asia").sample(1_000, random_state=0), n_jobs=1)
    known = data.draw(knowledge_of(score.names))
    found = search(problem_of(score, knowledge=known))
    known.check(cpdag_of(found, score.names))


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_a_required_edge_that_gains_nothing_stays_and_max_parents_holds(search, asia):
    known = Knowledge(required=[("xray", "asia"), ("asia", "smoke")], max_parents=1)
    graph = cpdag_of(search(problem_of(asia, knowledge=known)), asia.names)
    assert {("xray", "asia"), ("asia", "smoke")} <= set(graph.directed)
    assert max(len(graph.parents(name)) for name in asia.names) == 1


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_a_score_that_tells_equivalent_graphs_apart_gives_a_directed_graph(search):
    score = RandomScore([f"v{i}" for i in range(6)])
    found = search(problem_of(score))
    assert not found.is_cpdag
    names = score.names
    dag = DAG(names, [(names[a], names[b]) for a, b in found.directed])
    assert score.total(dag) == pytest.approx(found.score)
    empty = sum(score.local(i) for i in range(6))
    assert found.score > empty


class Interrupting(Trace):
    def __init__(self, after):
        super().__init__()
        self.after = after

    def progressed(self, phase, n):
        self.after -= 1
        if self.after < 0:
            raise Cancelled


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
@pytest.mark.parametrize("after", [0, 2, 4])
def test_interrupted_it_returns_the_graph_it_had_reached(search, after):
    score = make_score("bic", networks.load("child").sample(500, random_state=0), n_jobs=1)
    known = Knowledge(required=[("Age", "Disease")])
    found = search(problem_of(score, knowledge=known, trace=Interrupting(after)))
    assert not found.complete
    known.check(cpdag_of(found, score.names))
    assert found.score > -np.inf


def test_too_many_columns_are_refused_before_anything_is_scored():
    with pytest.raises(OptionError, match="2,001 are too many"):
        boss(problem_of(RandomScore([f"v{i}" for i in range(2_001)])))


def test_without_shakes_and_with_the_same_seed_it_is_the_same():
    data = networks.load("child").sample(500, random_state=0)
    one, other = (learn_network(data, algorithm=BOSS_RESTARTS(shakes=0)) for _ in range(2))
    assert one.graph == other.graph
    assert one.run.options["shakes"] == 0


@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_one_thread_and_two_find_and_count_the_same(score, monkeypatch):
    monkeypatch.setattr(cost, "available_cores", lambda: 2)
    data, found = networks.load("alarm").sample(2_000, random_state=0), []
    for n_jobs in (1, 2):
        result = learn_network(data, algorithm="boss", score=score, n_jobs=n_jobs, progress=False)
        told = result.to_dict()
        del told["run"]["seconds"]
        found.append(told)
    assert found[0] == found[1]
