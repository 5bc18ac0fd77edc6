"""Tallies of boundaries, and which variables stand for which."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from eiderdown.confidence import RunSeeds, distinct_boundaries, interchangeable, replacements
from eiderdown.results import MarkovBoundary, Replacement, Run
from examples import examples

RUN = Run("kiamb", {}, 1, 0, 0, 0.1, 10, 3, "f", None, {})
SETS = st.frozensets(st.sampled_from("abcdef"), max_size=4)
FAMILIES = st.lists(SETS, unique=True, max_size=7)


def boundary(*members, seed=None):
    return MarkovBoundary("t", members, (), replace(RUN, random_state=seed))


def test_the_most_frequent_boundary_comes_first_and_ties_go_by_name():
    found = [boundary("z"), boundary("b"), boundary("a"), boundary("z")]
    assert [(item.members, n) for item, n in distinct_boundaries(found)] == [
        (("z",), 2),
        (("a",), 1),
        (("b",), 1),
    ]


def test_members_in_another_order_are_the_same_boundary_and_the_first_run_speaks():
    ((first, n),) = distinct_boundaries([boundary("a", "b", seed=1), boundary("b", "a", seed=2)])
    assert n == 2
    assert first.run.random_state == 1


def test_more_runs_begin_with_the_seeds_of_fewer_and_seeds_differ():
    assert list(RunSeeds(7, 50))[:20] == list(RunSeeds(7, 20))
    assert len(set(RunSeeds(7, 50))) == 50
    assert list(RunSeeds(7, 3)) != list(RunSeeds(8, 3))


def test_swap_in_several_pairs_is_counted():
    family = [{"a", "x"}, {"a", "y"}, {"b", "x"}, {"b", "y"}]
    assert replacements(family) == (
        Replacement(("a",), ("b",), 2),
        Replacement(("x",), ("y",), 2),
    )


def test_variables_that_occur_together_do_not_stand_for_each_other():
    assert replacements([{"x", "a"}, {"y", "a"}, {"x", "y"}]) == ()


def test_one_variable_may_stand_for_several():
    assert replacements([{"i1", "i2"}, {"r"}]) == (Replacement(("r",), ("i1", "i2"), 1),)


def test_a_boundary_inside_another_shows_no_replacement():
    assert replacements([{"a"}, {"a", "b"}]) == ()


def test_groups_join_chains_and_stay_apart_otherwise():
    found = replacements([{"a", "p"}, {"b", "p"}, {"b", "q"}, {"c", "q"}])
    assert interchangeable(found) == (("a", "b", "c"), ("p", "q"))
    assert interchangeable([Replacement(("r",), ("i1", "i2"), 1)]) == ()


@examples(32)
@given(family=FAMILIES, order=st.randoms(use_true_random=False))
def test_the_order_of_boundaries_changes_nothing(family, order):
    turned = list(family)
    order.shuffle(turned)
    assert replacements(turned) == replacements(family)


@examples(32)
@given(family=FAMILIES)
def test_swaps_are_those_that_a_slow_and_obvious_search_finds(family):
    expected = {}
    for x, y in combinations("abcdef", 2):
        together = any({x, y} <= member for member in family)
        pairs = [
            (one, two)
            for one in family
            for two in family
            if one - {x} | {y} == two - {x}
            and x in one
            and x not in two
            and y not in one
            and y in two
        ]
        if pairs and not together:
            expected[x, y] = len(pairs)
    found = [item for item in replacements(family) if len(item.those) == 1]
    assert {(item.these[0], item.those[0]): item.n_pairs for item in found} == expected
