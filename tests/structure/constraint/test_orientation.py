"""Which triples are colliders, and what becomes of those that contradict each other."""

from __future__ import annotations

import pytest
from constraint_searches import WrittenTest, asked, named

from eiderdown.graphs import PDAG
from eiderdown.structure.constraint.adjacencies import Adjacencies, separation
from eiderdown.structure.constraint.orientation import Colliders, find_colliders, orient
from eiderdown.structure.constraint.pc_stable import pc_confirmed, pc_stable


def joined(test, *pairs):
    """Make adjacencies with some edges."""
    graph = Adjacencies.of(range(test.n_variables))
    for x, y in pairs:
        graph.add_edge(test.test(test.names.index(x), test.names.index(y)), 0.01)
    return graph


def decisions(test, graph, rule, *, confirmed=True, max_given=2):
    """Decide about the triples; return names."""
    problem = asked(test, max_given=max_given)
    found = find_colliders(problem, graph, rule, confirmed=confirmed)
    colliders = ["".join(test.names[x] for x in triple) for triple in found.colliders]
    return colliders, {"".join(test.names[x] for x in triple) for triple in found.ambiguous}


PATH = ("ac", "bc")


def test_middle_outside_the_separating_set_is_a_collider():
    test = WrittenTest("abc", {"a b": -0.5})
    assert decisions(test, joined(test, *PATH), "standard") == (["acb"], set())


def test_middle_inside_the_separating_set_is_no_collider():
    test = WrittenTest("abc", {"a b | c": -0.5})
    assert decisions(test, joined(test, *PATH), "standard") == ([], set())


@pytest.mark.parametrize(
    ("rule", "undecided"),
    [("standard", set()), ("majority", set()), ("conservative", {"acb"})],
)
def test_collider_that_no_test_shows_is_none(rule, undecided):
    # Only the set {d} separates a and b, but with c given as well they seem independent, too.
    test = WrittenTest("abcd", {"a b | d": -0.5, "a b | c d": -0.5, "c d": -0.5})
    colliders, open_ = decisions(test, joined(test, *PATH, "ad"), rule, max_given=1)
    assert "acb" not in colliders
    assert open_ & {"acb"} == undecided
    colliders, _ = decisions(test, joined(test, *PATH, "ad"), rule, confirmed=False, max_given=1)
    assert "acb" in colliders


@pytest.mark.parametrize(
    ("separating", "majority", "conservative"),
    [
        (["", "d", "e"], "collider", "collider"),
        (["", "d", "c"], "collider", "undecided"),
        (["", "c"], "undecided", "undecided"),
        (["c", "c d", "e"], "no collider", "undecided"),
        (["c", "c d"], "no collider", "no collider"),
    ],
)
def test_majority_counts_separating_sets_and_conservative_wants_them_all(
    separating, majority, conservative
):
    written = {f"a b | {given}": -0.5 for given in separating}
    test = WrittenTest("abcde", written)
    graph = joined(test, *PATH, "ad", "ae", "cd", "ce")
    for rule, expected in (("majority", majority), ("conservative", conservative)):
        colliders, undecided = decisions(test, graph, rule)
        verdict = "collider" if "acb" in colliders else "no collider"
        assert ("undecided" if "acb" in undecided else verdict) == expected


def test_pair_that_nothing_separates_is_undecided_under_every_rule():
    test = WrittenTest("abc", {})
    for rule in ("standard", "majority", "conservative"):
        assert decisions(test, joined(test, *PATH), rule) == ([], {"acb"})


def test_recorded_separation_is_asked_before_any_other():
    test = WrittenTest("abc", {"a b": -0.5, "a b | c": -0.2})
    graph = joined(test, *PATH)
    graph.separate(test.test(0, 1, [2]))
    assert separation(asked(test), graph, frozenset((0, 1))).given == (2,)
    assert decisions(test, graph, "standard") == ([], set())


# On the path a - b - c - d both b and c seem to be colliders, but the edge b - c cannot point both
# ways: the collider whose ends depend more strongly on each other given it counts.
CONFLICT = {"a c": -0.5, "b d": -0.5, "a d": -0.5}


@pytest.mark.parametrize(
    ("strengths", "expected"),
    [
        ({"a c | b": -30.0, "b d | c": -20.0}, "a->b, c->b, c--d"),
        ({"a c | b": -20.0, "b d | c": -30.0}, "b->c, d->c, a--b"),
    ],
)
def test_of_two_colliders_that_contradict_each_other_the_stronger_counts(strengths, expected):
    test = WrittenTest("abcd", CONFLICT | strengths)
    found = pc_confirmed(asked(test))
    assert named(found, test.names) == PDAG.from_string(expected)
    assert "V-structures left out" in found.notes[0]
    assert "1 of 2" in found.notes[0]


@pytest.mark.parametrize(
    ("separations", "expected"),
    [
        ({"a c": -0.1, "b d": -0.5}, "a->b, c->b, c--d"),
        ({"a c": -0.5, "b d": -0.1}, "b->c, d->c, a--b"),
    ],
)
def test_unconfirmed_the_larger_p_value_of_the_separation_counts(separations, expected):
    test = WrittenTest("abcd", CONFLICT | separations)
    assert named(pc_stable(asked(test)), test.names) == PDAG.from_string(expected)


def test_equally_strong_colliders_are_taken_in_the_order_of_names():
    for names in ("abcd", "dcba", "cadb"):
        test = WrittenTest(names, CONFLICT)
        found = named(pc_confirmed(asked(test)), test.names)
        assert found == PDAG.from_string("a->b, c->b, c--d")


def test_directions_that_would_close_a_cycle_are_left_out():
    # Colliders x->a, y->b, z->c each with the next of the circle a, b, c.
    names = "abcxyz"
    test = WrittenTest(names, {})
    graph = joined(test, "ab", "bc", "ac", "xa", "yb", "zc")
    triples = [("xac", "a"), ("yba", "b"), ("zcb", "c")]
    colliders = [
        (min(a, b), middle, max(a, b))
        for triple, _ in triples
        for a, middle, b in [tuple(names.index(letter) for letter in triple)]
    ]
    found = orient(asked(test), graph, Colliders(tuple(colliders)))
    directed = named(found, names)
    assert {("x", "a"), ("c", "a"), ("y", "b"), ("a", "b")} <= set(directed.directed)
    assert ("b", "c") not in directed.directed
    assert "1 of 3" in found.notes[0]


def test_rules_that_lead_round_a_circle_leave_its_last_edge_undirected():
    test = WrittenTest("abcdx", {})
    graph = joined(test, "ab", "bc", "cd", "ad", "xb")
    collider = tuple(test.names.index(letter) for letter in "abx")
    found = orient(asked(test), graph, Colliders((collider,)))
    assert named(found, test.names) == PDAG.from_string("a->b, x->b, b->c, c->d, a--d")


def test_pattern_that_stands_for_no_graph_is_reported():
    test = WrittenTest("abcd", {})
    graph = joined(test, "ab", "bc", "cd", "ad")
    found = orient(asked(test), graph, Colliders())
    assert found.notes == (
        "No directed acyclic graph has these edges and just these v-structures, because some "
        "tests contradict each other.",
    )
    assert orient(asked(test), graph, Colliders(), complete=False).notes == ()
