"""Marks where hidden variables may be causes: what they say is true of the graph behind them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from constraint_searches import WrittenTest, asked
from exact_scores import ExactScore
from hidden_variables import HidingOracle, causes
from hypothesis import given
from hypothesis import strategies as st

from eiderdown import learn_region, networks
from eiderdown.data import Dataset
from eiderdown.graphs import DAG, random_dag
from eiderdown.graphs.ancestral import MarkedGraph, drawn
from eiderdown.networks import random_network
from eiderdown.progress import Cancelled, Trace
from eiderdown.structure.constraint.gpc import gpc
from eiderdown.structure.constraint.hidden_causes import with_ends
from eiderdown.structure.hybrid.mmhc import region_mmhc
from eiderdown.structure.problem import StructureFound, StructureProblem
from examples import examples


def marks(dag, hidden=(), *, target=None, depth=9):
    """The edges that GPC finds around a node, with their marks."""
    oracle = HidingOracle(dag, set(hidden))
    around = target or oracle.names[0]
    problem = asked(
        oracle, target=around, depth=depth, max_given=oracle.n_variables, hidden_causes=True
    )
    return named_ends(gpc(problem), oracle.names)


def named_ends(found, names):
    return {(names[x], names[y]): ends for (x, y), ends in found.ends.items()}


def lines(found):
    """Edges as texts, the earlier name first."""
    return sorted(
        f"{x} {drawn(ends)} {y}" if x < y else f"{y} {drawn(ends[::-1])} {x}"
        for (x, y), ends in found.items()
    )


def untrue(dag, found):
    """The marks that contradict the graph behind the data."""
    behind = causes(dag)
    return [
        (x, y, ends)
        for (x, y), ends in found.items()
        for one, other, mark in ((x, y, ends[0]), (y, x, ends[1]))
        if mark != "circle" and (one in behind[other]) != (mark == "tail")
    ]


def hiding(seed):
    """A random graph, and some of its nodes."""
    generator = np.random.default_rng(seed)
    n_nodes = int(generator.integers(5, 10))
    dag = random_dag(
        n_nodes, edge_probability=float(generator.uniform(0.15, 0.5)), random_state=seed
    )
    n_hidden = int(generator.integers(0, n_nodes // 3 + 1))
    return dag, generator.choice(dag.nodes, size=n_hidden, replace=False).tolist()


@given(seed=st.integers(0, 2**32 - 1), depth=st.integers(1, 4))
@examples(150)
def test_every_mark_is_true_of_the_graph_with_its_hidden_nodes(seed, depth):
    dag, hidden = hiding(seed)
    assert untrue(dag, marks(dag, hidden, depth=depth)) == []


def test_all_marks_come_up():
    found = Counter(
        drawn(tuple(sorted(ends))) for seed in range(60) for ends in marks(*hiding(seed)).values()
    )
    assert set(found) == {"<-o", "o-o", "<--", "<->"}


@pytest.mark.parametrize(
    ("graph", "hidden", "expected"),
    [
        ("A->C<-B, C->D", "", ["A o-> C", "B o-> C", "C --> D"]),
        # Both collide with an edge at either end: a hidden cause.
        ("A->X, B->Y, H->X, H->Y", "H", ["A o-> X", "B o-> Y", "X <-> Y"]),
        ("X->Y, H->X, H->Y", "H", ["X o-o Y"]),
        ("A->B->C", "", ["A o-o B", "B o-o C"]),
        # R3: the third way into B.
        ("A->B<-C, D->A, D->C, D->B", "", ["A o-> B", "A o-o D", "B <-o C", "B <-o D", "C o-o D"]),
    ],
)
def test_marks_of_small_graphs(graph, hidden, expected):
    assert lines(marks(DAG.from_string(graph), hidden)) == expected


def test_a_discriminating_path_tells_of_its_last_node_but_one():
    # Q *-> V <-> B, V --> Y, and Q, Y separated: whether B is in the set decides (R4).
    shared = "Q->V, P->Q, V->Y, H->V, H->B"
    with_cause = marks(DAG.from_string(f"{shared}, B->Y"), "H")
    hidden_cause = marks(DAG.from_string(f"{shared}, G->B, G->Y"), "HG")
    assert "B --> Y" in lines(with_cause)
    assert "B <-> Y" in lines(hidden_cause)


def test_the_climb_of_a_region_is_marked_as_well():
    network = random_network(7, max_parents=2, random_state=3)
    problem = StructureProblem(
        7,
        test=HidingOracle(network.dag, set()),
        score=ExactScore(network),
        max_given=7,
        target=0,
        depth=2,
        hidden_causes=True,
    )
    found = region_mmhc(problem)
    assert found.ends.keys() == {*found.directed}
    assert untrue(network.dag, named_ends(found, network.dag.nodes)) == []
    assert any("arrow" in ends for ends in found.ends.values())


def test_a_separating_set_with_something_to_spare_is_reduced():
    oracle = HidingOracle(DAG.from_string("A->M->B, A->S"), set())
    a, m, b, s = (oracle.names.index(x) for x in "AMBS")
    found = StructureFound(
        nodes=(0, 1, 2, 3),
        undirected=tuple(sorted(tuple(sorted(e)) for e in ((a, m), (m, b), (a, s)))),
        separating_sets={frozenset((a, b)): (m, s), frozenset((s, m)): (a,)},
    )
    marked = with_ends(asked(oracle), found)
    assert set(marked.ends.values()) == {("circle", "circle")}


def test_a_collider_that_is_not_confirmed_stays_open():
    test = WrittenTest("AMB", {"A B |": -0.1, "A B | M": -0.2})
    found = StructureFound(
        nodes=(0, 1, 2), undirected=((0, 1), (1, 2)), separating_sets={frozenset((0, 2)): ()}
    )
    assert set(with_ends(asked(test), found).ends.values()) == {("circle", "circle")}


def test_contradictions_make_no_cycle():
    graph = MarkedGraph(
        {0: [1, 2, 3], 1: [0, 2, 4], 2: [0, 1, 5], 3: [0], 4: [1], 5: [2]},
        no_colliders=[(3, 0, 1), (4, 1, 2), (5, 2, 0)],
        separated=[],
    )
    for outer, inner in ((3, 0), (4, 1), (5, 2)):
        graph._arrow(outer, inner)
    graph.apply_rules(lambda _: None)
    tails = [(x, y) for x, y in ((0, 1), (1, 2), (2, 0)) if graph.ends(x, y) == ("tail", "arrow")]
    assert len(tails) == 2


def test_the_order_of_the_columns_does_not_matter():
    data = networks.load("alarm").sample(800, random_state=3)
    shuffled = data.select(np.random.default_rng(0).permutation(data.names).tolist())
    found = [
        {
            frozenset((e.left, e.right)): {e.left: e.ends[0], e.right: e.ends[1]}
            for e in learn_region(
                table, target="CO", depth=3, algorithm="gpc", hidden_causes=True
            ).edges
        }
        for table in (data, shuffled)
    ]
    assert found[0] == found[1]
    assert found[0]


def test_a_cancelled_search_has_no_marks_and_says_so():
    class Ending(Trace):
        def progressed(self, phase, _n):
            if phase == "marking ends":
                raise Cancelled

    oracle = HidingOracle(DAG.from_string("A->C<-B"), set())
    problem = asked(oracle, target="A", depth=1, hidden_causes=True, trace=Ending())
    found = gpc(problem)
    assert not found.complete
    assert found.ends == {}


def test_edges_say_what_their_marks_mean():
    data = Dataset.of(networks.load("alarm").sample(5_000, random_state=0))
    plain, marked = (
        learn_region(data, target="HYPOVOLEMIA", depth=2, hidden_causes=asked_for)
        for asked_for in (False, True)
    )
    assert {(e.marks, e.meaning) for e in plain.edges} == {("", "")}
    assert [str(e) for e in plain.edges] == [str(e) for e in marked.edges]
    edge = marked.edge("STROKEVOLUME", "CO")
    assert (edge.marks, edge.meaning) == ("-->", "STROKEVOLUME causes CO")
    assert marked.run.options["hidden_causes"] is True
    assert type(marked).from_dict(marked.to_dict()) == marked
    assert "ends" not in plain.to_dict()["edges"][0]
    assert "of 7 edges 3 between a cause and an effect" in str(marked)
