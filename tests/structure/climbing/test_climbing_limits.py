"""Hill climbing keeps to what it is told: knowledge, candidates, first graph, options, memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from climbs import climb_on
from exact_scores import RandomScore, dag_of
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.errors import OptionError
from eiderdown.knowledge import Knowledge
from eiderdown.scores import LocalScore
from eiderdown.structure.climbing.ancestors import MOST_NODES_WITH_BITS
from eiderdown.structure.climbing.hill_climbing import (
    HILL_CLIMBING_RESTARTS,
    MOST_COLUMNS,
    hill_climbing,
)
from eiderdown.structure.problem import StructureProblem
from examples import examples

NAMES = tuple("ABCDEF")

seeds = st.integers(0, 10_000)


@st.composite
def some_knowledge(draw):
    order = draw(st.permutations(NAMES))
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    required = draw(st.lists(st.sampled_from(pairs), max_size=3, unique=True))
    backward = [(b, a) for a, b in pairs]
    forbidden = draw(st.lists(st.sampled_from(backward), max_size=6, unique=True))
    cut = draw(st.integers(0, 6))
    return Knowledge(
        tiers=(order[:cut], order[cut:]),
        required=required,
        forbidden=forbidden,
        max_parents=draw(st.sampled_from([None, 3, 4])),
    )


@examples(24)
@given(knowledge=some_knowledge(), seed=seeds, restarts=st.integers(0, 1))
def test_knowledge_is_kept(knowledge, seed, restarts):
    # Edges pay, so the climb would take every one that it may.
    score = RandomScore(NAMES, seed, price=-1.0)
    found = climb_on(score, knowledge=knowledge.of_columns(NAMES), restarts=restarts)
    dag = dag_of(score, found.parents)
    knowledge.check(dag)
    assert set(knowledge.required) <= set(dag.edges)


def test_no_column_has_more_parents_than_is_known():
    score = RandomScore(NAMES, 1, price=-1.0)
    known = Knowledge(max_parents=3).of_columns(NAMES)
    assert max(map(len, climb_on(score).parents)) > 3
    assert max(map(len, climb_on(score, knowledge=known).parents)) == 3


def test_candidates_limit_the_parents():
    score = RandomScore(NAMES, 2, price=-1.0)
    allowed = [np.array([(c + 1) % 6]) for c in range(6)]
    found = climb_on(score, candidates=allowed)
    assert all(set(family) <= set(allowed[c].tolist()) for c, family in enumerate(found.parents))
    assert sum(map(len, found.parents)) == 5  # six would be a cycle


def test_columns_that_a_mapping_does_not_name_take_no_part():
    score = RandomScore(NAMES, 2, price=-1.0)
    found = climb_on(score, candidates={0: np.arange(6), 3: np.arange(6)})
    assert [set(family) - {0, 3} for family in found.parents] == [set()] * 6
    assert sum(map(len, found.parents)) == 1
    assert found.score == pytest.approx(sum(score.local(c, found.parents[c]) for c in (0, 3)))


def test_climb_begins_where_it_is_told():
    class Indifferent(RandomScore):
        def _local(self, child, parents):
            return 0.0

    score = Indifferent(NAMES)
    assert climb_on(score, start=[(0, 1), (2, 1)]).parents[1] == (0, 2)
    assert climb_on(score).parents == ((),) * 6


@pytest.mark.parametrize(
    "start", [[(0, 1), (1, 2), (2, 0)], [(1, 0), (2, 0), (3, 0)], [(3, 4)], [(0, 5)]]
)
def test_impossible_first_graph_is_refused_with_the_edge(start):
    known = Knowledge(forbidden=[("D", "E")], max_parents=2).of_columns(NAMES)
    candidates = dict.fromkeys(range(5), np.arange(5))
    parent, child = start[-1]
    with pytest.raises(OptionError, match=f"{NAMES[parent]!r} -> {NAMES[child]!r}"):
        climb_on(RandomScore(NAMES), candidates=candidates, start=start, knowledge=known)


def test_too_many_columns_for_all_pairs_are_refused_with_a_way_out():
    score = RandomScore([f"v{i}" for i in range(MOST_COLUMNS + 1)])
    with pytest.raises(OptionError, match=r"5,001 columns are too many.*use mmhc"):
        hill_climbing(StructureProblem(MOST_COLUMNS + 1, score=score))


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("tabu_length", -1),
        ("patience", -1),
        ("restarts", -2),
    ],
)
def test_option_out_of_range_is_refused_by_name(option, value):
    with pytest.raises(OptionError, match=option):
        HILL_CLIMBING_RESTARTS(**{option: value})


class Chain(LocalScore):
    """Every hundredth column wants its neighbour as parent; many columns, little to compute."""

    def _local(self, child, parents):
        wanted = child % 100 == 0 and child + 1 in parents
        return (1.0 if wanted else 0.0) - 0.1 * len(parents)


@pytest.mark.slow
def test_memory_grows_with_the_candidates_and_not_with_all_pairs():
    n = MOST_NODES_WITH_BITS + 100
    score = Chain([f"v{i:05d}" for i in range(n)])
    candidates = [np.array([(c + 1) % n]) for c in range(n)]
    tracemalloc.start()
    found = climb_on(score, candidates=candidates, patience=0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(map(len, found.parents)) == n // 100
    assert peak < 40e6  # a bit for each pair would be 50 MB, a byte 400 MB
