"""KES and GES: what they find with exact evidence, beside another library, and by their manners."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from climbs import climb_on
from exact_scores import ExactScore, RandomScore
from hypothesis import given
from hypothesis import strategies as st

from eiderdown import learn_network, memory, networks
from eiderdown.data import Dataset
from eiderdown.errors import InsufficientMemoryError, OptionError
from eiderdown.graphs import DAG, PDAG, random_dag
from eiderdown.kernels import PATIENCE
from eiderdown.knowledge import Knowledge
from eiderdown.networks import random_gaussian_network, random_network
from eiderdown.progress import Cancelled, Trace
from eiderdown.scores import make_score
from eiderdown.scores.kernels import score_sweeps
from eiderdown.structure.equivalence import gain_table, sparse_gains
from eiderdown.structure.equivalence import search as search_module
from eiderdown.structure.equivalence.ges import run_ges
from eiderdown.structure.equivalence.ges_restarts import run_ges_restarts
from eiderdown.structure.equivalence.kes import run_kes
from eiderdown.structure.equivalence.operators import Operators
from eiderdown.structure.equivalence.scored_steps import IN_PYTHON
from eiderdown.structure.equivalence.search import EquivalenceSearch, SearchState
from eiderdown.structure.equivalence.sparse_gains import SparseGainTable
from examples import examples

PEERS = json.loads((Path(__file__).parent / "peer_classes.json").read_text())["tables"]


def pattern_of(found, names):
    return PDAG(
        names,
        [(names[a], names[b]) for a, b in found.directed],
        [(names[a], names[b]) for a, b in found.undirected],
    )


def run(search, seed, k=0.8):
    return run_kes(search, k=k, generator=np.random.default_rng(seed))


def peer_table(name):
    columns = PEERS[name]["columns"]
    codes = {column: np.array([int(c) for c in text]) for column, text in columns.items()}
    return Dataset.of(codes, kinds=dict.fromkeys(codes, "discrete"))


@pytest.mark.parametrize("k", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("seed", range(10))
def test_theorem_1_kes_finds_the_class_of_a_faithful_network(seed, k):
    network = random_network(
        random_dag(7, edge_probability=0.35, random_state=seed), random_state=1
    )
    search = EquivalenceSearch(ExactScore(network, n_rows=10**9))
    found = run(search, seed, k)
    assert pattern_of(found, network.dag.nodes) == network.dag.to_cpdag()
    assert pattern_of(run_ges(search), network.dag.nodes) == network.dag.to_cpdag()


class WithoutHidden(ExactScore):
    """The exact score of some variables of a network; the others were not measured."""

    def __init__(self, network, names, n_rows=10**9):
        super().__init__(network, n_rows)
        self.joint = network.marginal(*names)
        super(ExactScore, self).__init__(names)


HIDDEN = DAG.from_string("a->b, h->b, h->c, d->c")
OPTIMAL = {
    DAG.from_string("a->b, b->c, a->c, d->c").to_cpdag(),
    DAG.from_string("a->b, c->b, d->b, d->c").to_cpdag(),
}


def same_nodes(pattern):
    """Put the nodes in the order of names, so that patterns can be compared."""
    return PDAG(sorted(pattern.nodes), pattern.directed, pattern.undirected)


def score_without_h(seed):
    network = random_network(HIDDEN, n_states=(3, 3), random_state=seed)
    return WithoutHidden(network, ("a", "b", "c", "d"))


@pytest.mark.parametrize("k", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_theorem_2_without_faithfulness_kes_finds_an_inclusion_optimal_class(seed, k):
    # a and c are independent, and so are b and d, a and d; no DAG of a, b, c, d says just that.
    score = score_without_h(seed)
    found = same_nodes(pattern_of(run(EquivalenceSearch(score), seed, k), score.names))
    assert found in {same_nodes(pattern) for pattern in OPTIMAL}


def test_theorem_3_with_k_0_kes_finds_every_inclusion_optimal_class():
    score = score_without_h(0)
    search = EquivalenceSearch(score)
    found = {same_nodes(pattern_of(run(search, seed, 0.0), score.names)) for seed in range(60)}
    assert found == {same_nodes(pattern) for pattern in OPTIMAL}


@pytest.mark.parametrize("name", PEERS)
def test_two_phases_find_the_class_that_another_library_finds(name):
    peer = PEERS[name]
    score = make_score("bic", peer_table(name), n_jobs=1)
    found = run_ges(EquivalenceSearch(score))
    expected = PDAG(
        score.names, [tuple(e) for e in peer["directed"]], [tuple(e) for e in peer["undirected"]]
    )
    assert found.score == pytest.approx(peer["score"], abs=1e-6)
    assert pattern_of(found, score.names) == expected


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("name", "score_name"),
    [
        ("asia", "bdeu"),
        ("insurance", "bic"),
        pytest.param("asia", "bic", marks=pytest.mark.slow),
        pytest.param("insurance", "bdeu", marks=pytest.mark.slow),
    ],
)
def test_retries_never_score_lower_and_the_score_is_that_of_the_class(name, score_name):
    score = make_score(score_name, peer_table(name), n_jobs=1)
    search = EquivalenceSearch(score)
    plain, full = run_ges(search), run_ges_restarts(search)
    assert full.score >= plain.score
    pattern = pattern_of(full, score.names)
    assert pattern.is_cpdag
    assert score.total(pattern.to_dag()) == pytest.approx(full.score, abs=1e-6)


@pytest.mark.no_cover
def test_retries_find_what_greed_alone_does_not():
    score = make_score("bic", networks.load("alarm").sample(5_000, random_state=0), n_jobs=1)
    search = EquivalenceSearch(score)
    found = run_ges_restarts(search)
    assert found.score > run_ges(search).score + 100.0
    assert found.score > climb_on(score, restarts=1).score


def test_continuous_columns_and_more_nodes_than_a_word_has_bits():
    dag = random_dag(80, expected_degree=2.0, random_state=3)
    data = random_gaussian_network(dag, random_state=3).sample(2_000, random_state=0)
    score = make_score("gaussian_bic", data)
    found = run_ges(EquivalenceSearch(score))
    pattern = pattern_of(found, score.names)
    assert pattern.is_cpdag
    assert score.total(pattern.to_dag()) == pytest.approx(found.score, abs=1e-3)
    joined, truly = ({frozenset(e) for e in g.skeleton().edges} for g in (pattern, dag))
    # BIC takes a few chance correlations among 3,160 pairs for edges, and misses none.
    assert truly <= joined
    assert found.score > score.total(dag)


def test_the_order_of_the_columns_does_not_matter():
    data = networks.load("child").sample(1_000, random_state=0)
    shuffled = data.select(np.random.default_rng(0).permutation(data.names).tolist())
    for seed in range(5):
        one, other = (
            same_nodes(pattern_of(run(EquivalenceSearch(make_score("bic", d)), seed, 0.5), d.names))
            for d in (data, shuffled)
        )
        assert one == other


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("name", "n_runs"),
    [
        ("bic", 10),
        ("bdeu", 10),
        ("gaussian_bic", 10),
        pytest.param("bic", 100, marks=pytest.mark.slow),
        pytest.param("bdeu", 100, marks=pytest.mark.slow),
        pytest.param("gaussian_bic", 100, marks=pytest.mark.slow),
    ],
)
def test_runs_in_threads_share_the_memory_and_find_the_same(name, n_runs):
    # BDeu tabulates what it needs as it goes, so that threads must not ask it at the same time.
    data = networks.load("alarm").sample(1_000, random_state=0)
    if name == "gaussian_bic":
        dag = random_dag(30, expected_degree=3.0, random_state=0)
        data = random_gaussian_network(dag, random_state=0).sample(1_000, random_state=0)
    alone, shared = (EquivalenceSearch(make_score(name, data, n_jobs=1)) for _ in range(2))
    one_by_one = [run(alone, seed, 0.5) for seed in range(n_runs)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda seed: run(shared, seed, 0.5), range(n_runs)))
    assert together == one_by_one


def test_later_runs_compute_next_to_nothing():
    search = EquivalenceSearch(
        make_score("bic", networks.load("alarm").sample(2_000, random_state=0), n_jobs=1)
    )
    counts = []
    for seed in range(12):
        run(search, seed)
        counts.append(search.counts.n_computed)
    first, last = counts[0], counts[11] - counts[10]
    assert first > 2_000
    assert last < first / 10
    run(search, 0)
    assert search.counts.n_computed == counts[11]


def test_a_memory_that_is_too_small_only_costs_time(monkeypatch):
    score = make_score("bic", networks.load("child").sample(500, random_state=0), n_jobs=1)
    expected = [run(EquivalenceSearch(score), seed) for seed in range(3)]
    monkeypatch.setattr(gain_table, "FIRST_ROWS", 32)
    monkeypatch.setattr(gain_table, "FIRST_ROWS_EACH", 1)
    monkeypatch.setattr(gain_table, "MOST_BYTES", 64 * 8 * score.n_variables)
    small = EquivalenceSearch(score)
    assert [run(small, seed) for seed in range(3)] == expected


def test_k_1_makes_no_random_choice_and_smaller_k_does():
    search = EquivalenceSearch(make_score("bic", peer_table("insurance")))
    assert len({run(search, seed, 1.0) for seed in range(5)}) == 1
    assert len({run(search, seed, 0.3) for seed in range(5)}) > 1


def test_turned_edges_lead_to_better_optima_on_average():
    score = make_score("bic", peer_table("insurance"))
    search = EquivalenceSearch(score)
    rng = np.random.default_rng
    plain = [run_kes(search, k=0.5, generator=rng(i)).score for i in range(40)]
    turned = [run_kes(search, k=0.5, turning=True, generator=rng(i)).score for i in range(40)]
    assert np.mean(turned) > np.mean(plain)


@pytest.mark.no_cover
@examples(12)  # a rare example takes a minute
@given(st.data())
def test_knowledge_is_respected(data):
    names = peer_table("asia").names
    tiers = data.draw(st.permutations(names))
    cut = data.draw(st.integers(0, len(names)))
    pairs = st.tuples(st.sampled_from(names), st.sampled_from(names)).filter(lambda p: p[0] != p[1])
    forbidden = data.draw(st.lists(pairs, max_size=8))
    tier_of = {name: int(tiers.index(name) >= cut) for name in names}
    order = data.draw(st.permutations(names))
    required = [
        (a, b)
        for a, b in data.draw(st.lists(pairs, max_size=3))
        if order.index(a) < order.index(b) and tier_of[a] <= tier_of[b] and (a, b) not in forbidden
    ]
    known = Knowledge(
        tiers=(tuple(tiers[:cut]), tuple(tiers[cut:])) if 0 < cut < len(names) else (),
        required=tuple(dict.fromkeys(required)),
        forbidden=tuple(dict.fromkeys(forbidden)),
    )
    score = make_score("bic", peer_table("asia"))
    search = EquivalenceSearch(score, knowledge=known.of_columns(score.names))
    for found in (run_ges_restarts(search), run(search, 0, 0.5)):
        pattern = pattern_of(found, score.names)
        known.check(pattern)
        families = [(names[p], names[c]) for c, family in enumerate(found.parents) for p in family]
        dag = DAG(names, families)
        known.check(dag)
        assert dag.skeleton() == pattern.skeleton()
        assert set(pattern.directed) <= set(dag.edges)
        assert score.total(dag) == pytest.approx(found.score, abs=1e-6)


@pytest.mark.no_cover
def test_no_larger_sets_than_max_parents_are_scored(monkeypatch):
    monkeypatch.setattr(search_module, "scoring_kernel", lambda *_: None)
    score = make_score("bic", peer_table("asia"))
    sizes = []
    relative_scores = score.relative_scores
    score.relative_scores = lambda packed: (
        sizes.extend(len(parents) + 1 for _, parents, _ in packed.sweeps())
        or relative_scores(packed)
    )
    run_ges_restarts(EquivalenceSearch(score, max_parents=1))
    assert max(sizes) == 1
    run_ges_restarts(EquivalenceSearch(score))
    assert max(sizes) > 1


@pytest.mark.parametrize("k", [-0.1, 1.1])
def test_a_share_that_is_none_is_refused(k):
    search = EquivalenceSearch(make_score("bic", peer_table("asia")))
    with pytest.raises(OptionError, match="k must be from 0 to 1"):
        run_kes(search, k=k)


def test_a_score_that_tells_equivalent_graphs_apart_is_refused():
    with pytest.raises(OptionError, match="can differ between equivalent graphs"):
        EquivalenceSearch(make_score("k2", peer_table("asia")))
    with pytest.raises(OptionError, match="max_parents must be at least 1"):
        EquivalenceSearch(make_score("bic", peer_table("asia")), max_parents=0)


def test_more_columns_than_memory_are_refused_before_anything_is_scored(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 2**30)
    score = RandomScore([f"v{i}" for i in range(20_000)])
    score.equivalent = True
    score.name = "random"
    sentence = "class to class of 20,000 columns needs about 5.12 GB .*; use mmhc, or leave columns"
    with pytest.raises(InsufficientMemoryError, match=sentence):
        EquivalenceSearch(score)


def test_a_list_of_operators_that_outgrows_the_memory_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 2**20)
    monkeypatch.setattr(memory, "SMALL", 0)
    with pytest.raises(
        InsufficientMemoryError, match=r"A list of 4,096 changes of a graph .* mmhc"
    ):
        Operators.none(2_000, 2_048).with_room()


@pytest.mark.no_cover
@pytest.mark.parametrize("name", ["bic", "gaussian_bic"])
def test_sparse_rows_of_gains_lead_where_whole_rows_do(name, monkeypatch):
    data = networks.load("child").sample(500, random_state=0)
    if name == "gaussian_bic":
        dag = random_dag(70, expected_degree=3.0, random_state=1)
        data = random_gaussian_network(dag, random_state=1).sample(400, random_state=0)
    found = []
    for most_dense in (search_module.MOST_DENSE, 0):
        monkeypatch.setattr(search_module, "MOST_DENSE", most_dense)
        search = EquivalenceSearch(make_score(name, data, n_jobs=1))
        assert isinstance(search.gains, SparseGainTable) == (most_dense == 0)
        by_chance = [run(search, seed, 0.5) for seed in range(4)]
        with_turns = run_kes(search, turning=True, generator=np.random.default_rng(0))
        found.append([run_ges(search), *by_chance, with_turns])
    assert found[0] == found[1]


@pytest.mark.no_cover
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("name", ["bic", "bdeu"])
@pytest.mark.parametrize("known", [False, True])
def test_gains_that_kernels_compute_on_the_way_are_those_that_python_asks_for(
    name, known, n_jobs, monkeypatch
):
    data = networks.load("child").sample(700, random_state=0)
    names = list(data.names)
    knowledge = Knowledge(forbidden=((names[0], names[1]),), max_parents=3).of_columns(names)
    monkeypatch.setattr(gain_table, "FIRST_ROWS", 64)  # so that room is missing at times
    monkeypatch.setattr(gain_table, "FIRST_ROWS_EACH", 1)
    score_sweeps.compile()
    monkeypatch.setattr(IN_PYTHON, "_seconds", PATIENCE)
    found, counts = [], []
    for on_the_way in (True, False):
        if not on_the_way:
            monkeypatch.setattr(search_module, "scoring_kernel", lambda *_: None)
        score = make_score(name, data, n_jobs=n_jobs)
        search = EquivalenceSearch(score, knowledge=knowledge if known else None)
        assert (SearchState(search)._kernel_score is not None) == on_the_way
        found.append([run_ges(search), run(search, 3, 0.5)])
        found[-1].append(run_ges_restarts(search, generator=np.random.default_rng(0)))
        counts.append((search.counts, score.counts))
    assert found[0] == found[1]
    assert counts[0] == counts[1]


@pytest.mark.no_cover
def test_sparse_rows_serve_restarts_and_knowledge(monkeypatch):
    data = networks.load("child").sample(500, random_state=0)
    names = list(data.names)
    known = Knowledge(forbidden=((names[0], names[1]),), max_parents=3).of_columns(names)
    found = []
    for most_dense in (search_module.MOST_DENSE, 0):
        monkeypatch.setattr(search_module, "MOST_DENSE", most_dense)
        search = EquivalenceSearch(make_score("bic", data, n_jobs=1), knowledge=known)
        found.append(run_ges_restarts(search, generator=np.random.default_rng(0)))
    assert found[0] == found[1]


def test_a_sparse_memory_that_is_too_small_only_costs_time(monkeypatch):
    score = make_score("bic", networks.load("child").sample(500, random_state=0), n_jobs=1)
    expected = [run(EquivalenceSearch(score), seed) for seed in range(3)]
    monkeypatch.setattr(search_module, "MOST_DENSE", 0)
    monkeypatch.setattr(gain_table, "FIRST_ROWS", 32)
    monkeypatch.setattr(sparse_gains, "MOST_BYTES", 64 * 96)
    monkeypatch.setattr(sparse_gains, "_FIRST_NUMBERS", 8)
    small = EquivalenceSearch(score)
    assert [run(small, seed) for seed in range(3)] == expected


def test_interrupted_it_returns_the_class_it_had_reached():
    class Interrupting(Trace):
        def progressed(self, phase, n_members):
            if n_members >= 5:
                raise Cancelled

    score = make_score("bic", peer_table("insurance"))
    found = run_ges_restarts(EquivalenceSearch(score), trace=Interrupting())
    assert not found.complete
    assert pattern_of(found, score.names).is_cpdag


@pytest.mark.no_cover
def test_interrupted_in_a_retry_it_returns_the_best_class_so_far():
    score = make_score("bic", peer_table("insurance"))
    search = EquivalenceSearch(score)
    plain, moves = run_ges(search), run_ges_restarts(search).n_steps

    class Interrupting(Trace):
        def __init__(self, after):
            super().__init__()
            self.after = after

        def progressed(self, phase, n_members):
            if n_members >= self.after:
                raise Cancelled

    for after in range(plain.n_steps + 1, moves, moves // 4):
        found = run_ges_restarts(search, trace=Interrupting(after))
        assert not found.complete
        assert found.score >= plain.score
        assert pattern_of(found, score.names).is_cpdag


@pytest.mark.parametrize("algorithm", ["ges", "ges_restarts", "kes"])
def test_learn_network_gives_the_essential_graph_with_evidence_for_each_edge(algorithm):
    data = networks.load("asia").sample(5_000, random_state=0)
    network = learn_network(data, algorithm=algorithm, progress=False)
    assert network.is_cpdag
    assert network.graph.is_cpdag
    assert network.edges
    assert all(edge.gain is not None and edge.gain > 0 for edge in network.edges)
