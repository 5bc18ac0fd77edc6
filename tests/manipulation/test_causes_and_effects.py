"""Runs, Y-tests and knowledge combined: probabilities, the thesis's order, spouses, the graph."""

from __future__ import annotations

import numpy as np
import pytest

from eiderdown.data import Dataset
from eiderdown.graphs import DAG, PDAG
from eiderdown.independence import OracleTest
from eiderdown.knowledge import Knowledge
from eiderdown.manipulation import Runs, YTests, combine, engine_for, region_columns, thesis_parents
from eiderdown.manipulation.orientation import y_ratio
from eiderdown.results import NeighbourRole
from eiderdown.structure import StructureProblem
from eiderdown.structure.hybrid.mmhc import MaxMinCandidates

TRUTH = DAG.from_string("a->t, b->t, t->c, s->c")
NAMES = TRUTH.nodes
TEST = OracleTest(TRUTH)


def y_tests():
    candidates = MaxMinCandidates(StructureProblem(len(NAMES), test=TEST))
    nodes = range(len(NAMES))
    return YTests(TEST, candidates.among(nodes), candidates.separating_sets(nodes))


def runs(*graphs):
    found = Runs("t")
    for graph in graphs:
        found.add(PDAG.from_string(graph))
    return found


def test_shares_of_runs_and_y_tests_are_weighed():
    right, open_ = "a->t, b->t, t->c, s->c", "a--t, b->t, t--c, s--c"
    found = combine(runs(right, right, right, open_), y_tests(), NAMES)
    a, b, c = (next(r for r in found.neighbours if r.name == name) for name in "abc")
    assert (a.cause, a.effect, a.undecided) == (0.75, 0.0, 0.25)
    assert (b.cause, b.role, b.parent_tests) == (1.0, "cause", 0)
    assert [str(y) for y in found.y_structures] == ["a -> t <- b, t -> c"]
    assert c.effect == pytest.approx((0.75 + 2.0) / 3.0)  # one Y-test with a p-score of 1
    assert (c.child_tests, c.best_child_score) == (1, 1.0)
    assert c.why == (
        "Of 4 searches with this edge 0 point it to 't' and 3 from it; 1 Y-test makes it an "
        "effect (best p-score 1.00)."
    )
    (spouse,) = found.spouses
    assert (spouse.name, spouse.children, spouse.probability) == ("s", ("c",), 0.75)
    assert "a test confirms that it meets 't' in 'c'" in spouse.why
    assert found.graph == PDAG.from_string("a->t, b->t, t->c, s->c")


def test_y_tests_outweigh_runs_and_rare_edges_are_left_out():
    wrong = "a->t, c->t, b"
    found = combine(runs(wrong, wrong, "b->t, a->t"), y_tests(), NAMES)
    assert {role.name for role in found.neighbours} == {"a", "c"}
    c = found.neighbours[-1]
    assert (c.name, c.role) == ("c", "effect")
    assert ("t", "c") in found.graph.directed


def test_knowledge_decides_before_everything_else():
    known = Knowledge(tiers=[["c"], ["t"]]).of_columns(NAMES)
    found = combine(runs("t->c, a->t"), y_tests(), NAMES, known)
    assert next(role for role in found.neighbours if role.name == "c").cause == 1.0
    assert all(role.role == "cause" for role in found.neighbours)
    required = Knowledge(required=[("t", "a")]).of_columns(NAMES)
    found = combine(runs("t->c, a->t"), y_tests(), NAMES, required)
    assert next(role for role in found.neighbours if role.name == "a").effect == 1.0


def role(name, parent_tests=0, child_tests=0, best=None, cause=0.3, effect=0.3):
    rest = 1.0 - cause - effect
    return NeighbourRole(name, cause, effect, rest, parent_tests, child_tests, best)


def test_the_order_of_the_thesis():
    roles = [
        role("dropped", 3, 1, 0.6),
        role("tail", 1, 2, 0.1),
        role("tie", 1, 1, 0.2),
        role("fewer"),
        role("ratio", 2, 1, 0.2),
        role("parent"),
        role("strong", 1),
    ]
    graph = PDAG.from_string(
        "parent->t, strong->t, tie--t, fewer--t, ratio--t, tail--t, dropped--t"
    )
    assert thesis_parents(roles, graph, "t") == ["strong", "parent", "ratio", "fewer", "tie"]
    assert [y_ratio(item) for item in (role("x"), role("x", 1), role("x", 1, 2))] == [
        1,
        np.inf,
        0.5,
    ]


def test_small_tables_take_part_as_a_whole_and_rings_limit_larger_ones():
    chain = DAG([f"v{i}" for i in range(70)], [(f"v{i}", f"v{i + 1}") for i in range(69)])
    candidates = MaxMinCandidates(StructureProblem(70, test=OracleTest(chain)))
    assert region_columns(candidates, 10, 70, None) == list(range(7, 14))
    assert region_columns(candidates, 10, 70, 1) == [9, 10, 11]
    assert region_columns(candidates, 10, 60, None) == list(range(60))


def test_a_score_can_be_asked_for_by_name():
    data = Dataset.from_columns({"x": [0.1, 0.4, 0.2, 0.9], "y": [1.0, 2.0, 4.0, 3.0]})
    assert engine_for(data, "kgv").description == "GES with kgv"
    assert engine_for(data, "kgv").n_starts == 0
    assert engine_for(data, "bge", "climb").description == "MMHC with bge"
