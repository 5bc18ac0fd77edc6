"""The PC algorithm: exact with the oracle, and as its slow twin on data."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from constraint_searches import ORIENTATIONS, WrittenTest, asked, named, random_dags
from hypothesis import given
from hypothesis import strategies as st

from eiderdown import networks
from eiderdown.errors import KnowledgeError, OptionError
from eiderdown.graphs import DAG, PDAG, cpdag_distance
from eiderdown.independence import (
    CachedTest,
    CalibratedChiSquareTest,
    ChiSquareTest,
    FisherZTest,
    GSquareTest,
    OracleTest,
)
from eiderdown.knowledge import Knowledge
from eiderdown.progress import Cancelled, Trace
from eiderdown.structure.constraint.pc_stable import PC_STABLE, pc_confirmed, pc_stable
from examples import examples

BOTH = (pc_stable, pc_confirmed)


def learned(test, search=pc_confirmed, *, orientation="standard", **options):
    return named(search(asked(test, **options), orientation=orientation), test.names)


@pytest.mark.no_cover
@pytest.mark.parametrize("orientation", ORIENTATIONS)
@given(dag=random_dags())
@examples(24)
def test_with_the_oracle_both_find_the_cpdag_of_the_graph(dag, orientation):
    found = learned(OracleTest(dag), pc_stable, orientation=orientation)
    assert found == dag.to_cpdag()
    found = learned(OracleTest(dag), max_given=dag.n_nodes, orientation=orientation)
    assert found == dag.to_cpdag()


@pytest.mark.no_cover
@given(dag=random_dags(), n_tiers=st.integers(1, 4), seed=st.integers(0, 10_000))
@examples(24)
def test_with_the_oracle_and_tiers_it_finds_what_follows_from_both(dag, n_tiers, seed):
    tiers = np.array_split(dag.topological_order, n_tiers)
    tier_of = {name: number for number, tier in enumerate(tiers) for name in tier}
    # Columns in no tier are free.
    free = np.random.default_rng(seed).random(dag.n_nodes) < 0.2
    for name in np.array(dag.nodes)[free]:
        del tier_of[name]
    known = Knowledge(tiers=[[x for x in tier if x in tier_of] for tier in tiers])
    across = [
        (x, y) for x, y in dag.edges if x in tier_of and y in tier_of and tier_of[x] < tier_of[y]
    ]
    expected = dag.to_cpdag().apply_meek_rules(known=across)
    for search in BOTH:
        found = learned(OracleTest(dag), search, max_given=dag.n_nodes, known=known)
        assert found == expected


def slow_skeleton(test, alpha, max_given):
    """PC's edges as in the paper: one test at a time, neighbours fixed for each level."""
    edges = {frozenset(pair) for pair in combinations(range(test.n_variables), 2)}
    for size in range(max_given + 1):
        near = {x: {y for e in edges if x in e for y in e} - {x} for x in range(test.n_variables)}
        edges -= {
            edge
            for edge in edges
            for x, y in (sorted(edge), sorted(edge)[::-1])
            for z in combinations(sorted(near[x] - {y}), size)
            if test.test(x, y, z).independent(alpha)
        }
    return {frozenset(test.names[x] for x in edge) for edge in edges}


@pytest.mark.parametrize(
    ("network", "n_rows", "kind"),
    [("alarm", 500, GSquareTest), ("insurance", 300, GSquareTest), ("ecoli70", 80, FisherZTest)],
)
@pytest.mark.parametrize("max_given", [2, None])
def test_its_edges_are_those_of_the_slow_twin(network, n_rows, kind, max_given):
    data = networks.load(network).sample(n_rows, random_state=0)
    # Fewer columns, for the twin is slow indeed.
    test = kind(data.select(sorted(data.names)[:20]))
    found = pc_stable(asked(test, max_given=max_given, alpha=0.05))
    edges = {frozenset(test.names[x] for x in edge) for edge in found.directed + found.undirected}
    assert edges == slow_skeleton(test, 0.05, 8 if max_given is None else max_given)
    assert len(edges) > 5


@pytest.mark.parametrize(
    ("network", "n_rows", "kind"),
    [
        ("insurance", 2_000, CalibratedChiSquareTest),
        ("child", 500, GSquareTest),
        ("child", 300, ChiSquareTest),
        ("ecoli70", 100, FisherZTest),
    ],
)
@pytest.mark.parametrize("known", [None, "tiers"])
def test_compiled_levels_find_what_single_tests_find(network, n_rows, kind, known, monkeypatch):
    data = networks.load(network).sample(n_rows, random_state=0)
    test = kind(data.select(data.names[:14]))
    if known is not None:
        known = Knowledge(tiers=[test.names[:6], test.names[6:12]])
    quick = asked(test, alpha=0.05, known=known)
    found = pc_stable(quick)
    slow = asked(test, alpha=0.05, known=known)
    assert slow.test.compiled_levels(np.arange(14)) is not None
    monkeypatch.setattr(CachedTest, "compiled_levels", lambda *_: None)
    expected = pc_stable(slow)
    assert found.edge_evidence == expected.edge_evidence
    assert found.separating_sets == expected.separating_sets
    assert (found.directed, found.undirected) == (expected.directed, expected.undirected)
    assert found.notes == expected.notes
    assert quick.test.counts == slow.test.counts
    assert max(map(len, found.separating_sets.values())) > 1


@pytest.mark.parametrize("search", BOTH)
@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_order_of_columns_decides_nothing(orientation, search):
    data = networks.load("alarm").sample(300, random_state=3)
    answers = []
    for names in (data.names, data.names[::-1], np.random.default_rng(0).permutation(data.names)):
        test = GSquareTest(data.select(list(names)))
        found = search(asked(test, alpha=0.05), orientation=orientation)
        sets = {
            frozenset(test.names[x] for x in pair): frozenset(test.names[z] for z in given)
            for pair, given in found.separating_sets.items()
        }
        answers.append((named(found, test.names), sets, sorted(found.notes)))
    assert answers[0] == answers[1] == answers[2]
    assert answers[0][0].directed


def test_every_edge_has_a_test_that_it_survived_and_every_recorded_pair_one_that_it_did_not():
    test = GSquareTest(networks.load("alarm").sample(1_000, random_state=0))
    found = pc_confirmed(asked(test))
    assert set(found.edge_evidence) == {*found.directed, *found.undirected}
    for (x, y), evidence in found.edge_evidence.items():
        assert (evidence.x, evidence.y) == (x, y)
        assert evidence.dependent(0.01)
        assert test.test(x, y, evidence.given).log_p == evidence.log_p
    assert set(map(len, found.separating_sets.values())) == {0, 1, 2}
    for pair, separating in found.separating_sets.items():
        assert test.test(*sorted(pair), separating).independent(0.01)
    assert not {frozenset(edge) for edge in found.edge_evidence} & set(found.separating_sets)


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("network", "n_samples", "alpha", "most"),
    [
        ("alarm", 5, 0.01, 5),
        ("child", 5, 0.01, 2),
        pytest.param("alarm", 20, 0.01, 5, marks=pytest.mark.slow),
        pytest.param("alarm", 20, 0.05, 5, marks=pytest.mark.slow),
        pytest.param("child", 20, 0.01, 2, marks=pytest.mark.slow),
    ],
)
def test_with_5000_rows_few_edges_are_wrong_on_average(network, n_samples, alpha, most):
    truth = networks.load(network)
    samples = (truth.sample(5_000, random_state=seed) for seed in range(n_samples))
    found = [learned(GSquareTest(sample), alpha=alpha) for sample in samples]
    assert np.mean([cpdag_distance(graph, truth.dag) for graph in found]) <= most


def test_it_needs_sets_as_large_as_it_is_allowed():
    dag = DAG.from_string("A->X, B->X, C->X, A->Y, B->Y, C->Y")
    joined = frozenset(("X", "Y"))
    for max_given, expected in ((None, True), (2, True), (3, False)):
        found = learned(OracleTest(dag), max_given=max_given)
        assert (joined in map(frozenset, found.skeleton().edges)) == expected
    found = learned(OracleTest(dag), pc_stable)
    assert joined not in map(frozenset, found.skeleton().edges)


def test_forbidden_pairs_are_not_joined_and_required_edges_stay():
    oracle = OracleTest(DAG.from_string("A->B->C, D"))
    known = Knowledge(forbidden=[("A", "B"), ("B", "A")], required=[("D", "A")])
    found = learned(oracle, known=known)
    assert found == PDAG.from_string("D->A, B--C")
    known.check(found)


def test_knowledge_that_would_direct_a_circle_costs_the_weakest_edge():
    written = {"a b": -30.0, "b c": -20.0, "a c": -10.0}
    written |= {f"{pair} | {z}": -40.0 for pair, z in (("a b", "c"), ("b c", "a"), ("a c", "b"))}
    test = WrittenTest("abc", written)
    known = Knowledge(forbidden=[("b", "a"), ("c", "b"), ("a", "c")])
    found = pc_stable(asked(test, known=known))
    assert named(found, test.names) == PDAG.from_string("a->b->c")
    assert "what is known would direct them in a cycle: 1." in found.notes[0]


@given(seed=st.integers(0, 10_000))
@examples(12)
def test_whatever_the_data_say_knowledge_is_kept(seed):
    generator = np.random.default_rng(seed)
    data = networks.load("child").sample(200, random_state=seed)
    names = generator.permutation(data.names)[:10].tolist()
    test = GSquareTest(data.select(names))
    pairs = [tuple(generator.choice(names, 2, replace=False)) for _ in range(12)]
    known = Knowledge(tiers=[names[:4], names[4:8]], required=[(names[0], names[9])])
    forbidden = [(str(x), str(y)) for x, y in pairs if (x, y) != (names[0], names[9])]
    known = Knowledge(tiers=known.tiers, required=known.required, forbidden=forbidden)
    known.check(learned(test, alpha=0.2, known=known))
    known.check(learned(test, pc_stable, alpha=0.2, known=known))


def test_limit_on_parents_is_refused():
    known = Knowledge(max_parents=2)
    with pytest.raises(KnowledgeError, match="'pc_stable' cannot limit the number of parents"):
        learned(OracleTest(DAG.from_string("A->B")), pc_stable, known=known)


def test_unknown_orientation_is_refused():
    with pytest.raises(OptionError, match="orientation must be one of"):
        PC_STABLE(orientation="random")


def test_test_that_the_data_cannot_carry_removes_no_edge():
    carried = WrittenTest("abc", {"a c | b": -0.5})
    assert not learned(carried).skeleton().adjacent("a") >= {"c"}
    uncarried = WrittenTest("abc", {"a c | b": None})
    assert learned(uncarried).skeleton().adjacent("a") >= {"c"}


def test_pair_without_any_test_has_no_edge_and_is_reported():
    test = WrittenTest("abc", {"a b": None, "a b | c": None})
    found = pc_stable(asked(test))
    assert named(found, test.names) == PDAG.from_string("a--c, b--c")
    assert found.notes[0].startswith("Pairs of columns of which the tests cannot say anything")
    assert "Triples that may or may not be v-structures: 1" in found.notes[1]


class Interrupting(Trace):
    """Presses Ctrl-C at the first step of a phase."""

    def __init__(self, phase):
        self.phase = phase

    def progressed(self, phase, n_members):
        if phase == self.phase:
            raise Cancelled


def test_interrupted_it_returns_the_edges_so_far_without_directions():
    oracle = OracleTest(DAG.from_string("A->C<-B, C->D"))
    found = pc_stable(asked(oracle, trace=Interrupting("separating by sets of 1")))
    assert not found.complete
    assert found.directed == ()
    edges = {frozenset(oracle.names[x] for x in edge) for edge in found.undirected}
    # A, C and B, C, as all pairs that are dependent given nothing: also A, D and B, D.
    assert edges == {frozenset(pair) for pair in ("AC", "BC", "CD", "AD", "BD")}


def test_interrupted_in_compiled_levels_it_returns_the_edges_before_the_level():
    test = CalibratedChiSquareTest(networks.load("child").sample(500, random_state=0))
    whole = pc_stable(asked(test, max_given=0))
    found = pc_stable(asked(test, trace=Interrupting("separating by sets of 1")))
    assert whole.complete
    assert not found.complete
    edges = {frozenset(edge) for edge in whole.directed + whole.undirected}
    assert set(map(frozenset, found.undirected)) == edges


def test_progress_is_told():
    steps = []

    class Listening(Trace):
        def progressed(self, phase, n_members):
            steps.append((phase, n_members))

    pc_stable(asked(OracleTest(DAG.from_string("A->B->C")), trace=Listening()))
    assert steps[2] == ("testing pairs", 3)
    assert ("separating by sets of 1", 1) in steps
