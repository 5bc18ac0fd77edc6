"""Hill climbing: every step is the best one, plateaus are crossed, and nothing else decides."""

from __future__ import annotations

import numpy as np
import pytest
from climbs import climb_on
from exact_scores import ExactScore, RandomScore, dag_of, every_dag, graphs_near
from hypothesis import given
from hypothesis import strategies as st

from eiderdown import networks
from eiderdown.graphs import DAG, random_dag
from eiderdown.networks import random_network
from eiderdown.progress import Cancelled, Trace
from eiderdown.scores import make_score
from eiderdown.structure.climbing.hill_climbing import hill_climbing
from eiderdown.structure.climbing.search_state import SearchState, Strategy
from eiderdown.structure.problem import StructureProblem
from examples import examples

NAMES = tuple("ABCDEF")

seeds = st.integers(0, 10_000)
sizes = st.integers(2, 6)


def everyone(score):
    return dict.fromkeys(range(score.n_variables), np.arange(score.n_variables))


def present_graph(state, score):
    """The graph a state is at, whether or not it is the best."""
    edges, columns = state._graph.edges, state._columns
    held = np.flatnonzero(edges.present)
    pairs = zip(columns[edges.parent[held]], columns[edges.child[held]], strict=True)
    return DAG(score.names, [(score.names[p], score.names[c]) for p, c in pairs])


@examples(16)
@given(n=sizes, seed=seeds)
def test_every_step_gains_as_much_as_the_best_of_all_single_changes(n, seed):
    score = RandomScore(NAMES[:n], seed)
    state = SearchState(score, everyone(score))
    for _ in range(8):
        before = present_graph(state, score)
        best = max(score.total(dag) for dag in graphs_near(before)) - score.total(before)
        state.go_up(Strategy(), Trace(), most_moves=1)
        after = present_graph(state, score)
        assert score.total(after) - score.total(before) == pytest.approx(best, abs=1e-9)


@examples(16)
@given(n=sizes, seed=seeds, patience=st.integers(0, 15), restarts=st.integers(0, 2))
def test_no_single_change_improves_the_answer(n, seed, patience, restarts):
    score = RandomScore(NAMES[:n], seed)
    found = climb_on(score, patience=patience, restarts=restarts)
    dag = dag_of(score, found.parents)
    assert found.score == pytest.approx(score.total(dag), abs=1e-9)
    assert found.complete
    assert max(map(score.total, graphs_near(dag))) <= found.score + 1e-9


@examples(16)
@given(n=sizes, seed=seeds)
def test_patience_and_restarts_never_lose(n, seed):
    score = RandomScore(NAMES[:n], seed)
    plain = climb_on(score, patience=0)
    patient = climb_on(score, patience=15)
    again = climb_on(score, patience=15, restarts=2)
    assert plain.score <= patient.score <= again.score


@examples(10)
@given(n=st.integers(3, 6), seed=seeds, length=st.sampled_from([1, 5, 20]))
def test_no_graph_comes_back_while_it_is_on_the_list(n, seed, length):
    score = RandomScore(NAMES[:n], seed)
    state = SearchState(score, everyone(score), tabu_length=length)
    seen = [present_graph(state, score)]
    for _ in range(30):
        n_before = state.n_moves
        state.go_up(Strategy(), Trace(), most_moves=1)
        if state.n_moves == n_before:
            break
        now = present_graph(state, score)
        assert now not in seen[-length - 1 :]
        seen.append(now)
    assert len(seen) > 2


def test_patience_finds_the_best_of_all_543_graphs_where_plain_climbing_often_does_not():
    missed_plain = missed_patient = 0
    graphs = list(every_dag(["v0", "v1", "v2", "v3"]))
    assert len(graphs) == 543
    for seed in range(40):
        dag = random_dag(4, edge_probability=0.6, random_state=seed)
        score = ExactScore(random_network(dag, random_state=seed))
        best = max(map(score.total, graphs))
        missed_plain += climb_on(score, patience=0).score < best - 1e-6
        missed_patient += climb_on(score).score < best - 1e-6
    assert missed_plain >= 5
    assert missed_patient == 0


@pytest.mark.parametrize("seed", range(25))
def test_with_a_consistent_score_the_true_class_is_found(seed):
    dag = random_dag(6, edge_probability=0.4, random_state=seed)
    score = ExactScore(random_network(dag, random_state=seed))
    found = dag_of(score, climb_on(score, restarts=1).parents)
    assert found.to_cpdag() == dag.to_cpdag()


@examples(12)
@given(order=st.permutations(NAMES), seed=seeds)
def test_order_of_columns_decides_nothing(order, seed):
    here, there = RandomScore(NAMES, seed), RandomScore(order, seed)
    options = {"restarts": 1}
    one, other = climb_on(here, **options), climb_on(there, **options)
    assert set(dag_of(here, one.parents).edges) == set(dag_of(there, other.parents).edges)
    assert one.n_moves == other.n_moves


def test_order_of_real_columns_decides_nothing_though_equivalent_graphs_tie():
    data = networks.load("insurance").sample(500, random_state=3)
    score = make_score("bdeu", data)
    shuffled = np.random.default_rng(0).permutation(data.n_columns)
    other = make_score("bdeu", data.select([data.names[i] for i in shuffled]))
    first = dag_of(score, climb_on(score, restarts=1).parents)
    second = dag_of(other, climb_on(other, restarts=1).parents)
    assert set(first.edges) == set(second.edges)


def test_same_seed_same_answer():
    score = RandomScore([f"v{i}" for i in range(9)], 5)

    def run(seed):
        return climb_on(score, restarts=2, generator=np.random.default_rng(seed))

    assert run(1) == run(1)
    assert len({run(seed).n_moves for seed in range(6)}) > 1


def test_climb_ends_when_a_change_gains_too_small_a_share_of_the_first():
    class Steps(RandomScore):
        """Each column gains by its right neighbour alone, and each time half as much."""

        def _local(self, child, parents):
            return 2.0**-child - 2.0 * (len(parents) - 1) if child + 1 in parents else 0.0

    score = Steps(NAMES)
    assert sum(map(len, climb_on(score).parents)) == 5
    found = climb_on(score, least_share=0.3)
    assert [len(family) for family in found.parents] == [1, 1, 0, 0, 0, 0]


class Interrupted(RandomScore):
    """Behaves as if somebody pressed Ctrl-C while it computes."""

    n_left = 40

    def _additions(self, child, parents, candidates):
        self.n_left -= 1
        if self.n_left == 0:
            raise Cancelled
        return super()._additions(child, parents, candidates)


@pytest.mark.parametrize("n_before", [7, 8, 9, 12, 15, 20])
def test_interrupted_climb_returns_the_best_so_far(n_before):
    score = Interrupted(NAMES, 4, price=-0.5)
    score.n_left = n_before
    found = climb_on(score, restarts=5, patience=20)
    assert not found.complete
    assert found.score == pytest.approx(score.total(dag_of(score, found.parents)), abs=1e-9)


def test_progress_is_told():
    class Listener(Trace):
        def __init__(self):
            self.steps = []

        def progressed(self, phase, n_members):
            self.steps.append((phase, n_members))

    listener = Listener()
    found = climb_on(RandomScore(NAMES, 3), trace=listener)
    assert {phase for phase, _ in listener.steps} == {"climbing"}
    n_moves = [n for _, n in listener.steps]
    assert n_moves == sorted(n_moves)
    assert n_moves[-1] == found.n_moves


def test_network_search_describes_what_the_climb_found():
    data = networks.load("asia").sample(5_000, random_state=0)
    score = make_score("bic", data)
    found = hill_climbing(StructureProblem(data.n_columns, score=score))
    top = climb_on(score)
    assert found.directed == tuple(
        sorted((p, c) for c, family in enumerate(top.parents) for p in family)
    )
    assert found.score == pytest.approx(top.score)
    assert found.nodes == tuple(range(8))
    assert min(found.edge_evidence.values()) > 0
    assert set(found.edge_evidence) == set(found.directed)
