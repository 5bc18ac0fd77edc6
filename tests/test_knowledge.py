"""Background knowledge: the same by name and by number, and free of contradictions."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.errors import KnowledgeError, UnknownColumnError
from eiderdown.graphs import DAG, PDAG
from eiderdown.knowledge import Knowledge
from examples import examples

NAMES = tuple("abcdef")


@st.composite
def statements(draw):
    """Consistent knowledge about some of the names; required edges follow a hidden order."""
    order = draw(st.permutations(NAMES))
    cuts = sorted(draw(st.lists(st.integers(0, 5), max_size=2)))
    tiers = [order[i:j] for i, j in zip([0, *cuts], [*cuts, 5], strict=True) if i < j]
    forward = [(p, c) for i, p in enumerate(order) for c in order[i + 1 :]]
    within = draw(st.booleans())
    free = Knowledge(tiers=tiers, forbid_within=within)
    possible = [edge for edge in forward if free.allows(*edge)]
    required = draw(st.lists(st.sampled_from(possible), max_size=3)) if possible else []
    pairs = [(p, c) for p in NAMES for c in NAMES if p != c and (p, c) not in required]
    forbidden = draw(st.lists(st.sampled_from(pairs), max_size=4))
    return Knowledge(tiers=tiers, required=required, forbidden=forbidden, forbid_within=within)


@examples(32)
@given(statements(), st.permutations(NAMES))
def test_numbers_allow_what_names_allow(known, columns):
    by_number = known.of_columns(columns)
    for child, name in enumerate(columns):
        allowed = by_number.allowed(child, np.arange(6))
        assert allowed.tolist() == [known.allows(parent, name) for parent in columns]
        parents = {columns[i] for i in by_number.required_parents(child)}
        assert parents == {p for p, c in known.required if c == name}
    edges = {(columns[p], columns[c]) for p, c in by_number.required_edges()}
    assert edges == set(known.required)


@examples(32)
@given(statements())
def test_what_is_required_is_allowed_and_its_reverse_is_not(known):
    for parent, child in known.required:
        assert known.allows(parent, child)
        assert not known.allows(child, parent)
    for parent, child in known.forbidden:
        assert not known.allows(parent, child)


@examples(32)
@given(statements(), st.data())
def test_a_graph_passes_only_with_every_required_and_no_unwanted_edge(known, data):
    order = data.draw(st.permutations(NAMES))
    pairs = [(p, c) for i, p in enumerate(order) for c in order[i + 1 :]]
    dag = DAG(NAMES, data.draw(st.lists(st.sampled_from(pairs), unique=True, max_size=6)))
    fine = all(known.allows(*edge) for edge in dag.edges) and set(known.required) <= set(dag.edges)
    if fine:
        known.check(dag)
    else:
        with pytest.raises(KnowledgeError, match="graph"):
            known.check(dag)


def test_tiers_forbid_edges_back_and_leave_other_columns_free():
    known = Knowledge(tiers=[["a", "b"], ["c"]])
    assert known.allows("a", "c")
    assert not known.allows("c", "a")
    assert known.allows("a", "b")
    assert known.allows("b", "a")
    assert known.allows("z", "a")
    assert known.allows("c", "z")
    assert not Knowledge(tiers=[["a", "b"], ["c"]], forbid_within=True).allows("a", "b")


def test_an_undirected_edge_passes_if_one_direction_is_allowed():
    pattern = PDAG.from_string("a--b")
    Knowledge(forbidden=[("a", "b")]).check(pattern)
    Knowledge(required=[("a", "b")]).check(pattern)
    with pytest.raises(KnowledgeError, match="joins 'a' and 'b'"):
        Knowledge(forbidden=[("a", "b"), ("b", "a")]).check(pattern)


def test_the_first_edge_that_breaks_it_is_named():
    known = Knowledge(tiers=[["a"], ["b"]], max_parents=1)
    with pytest.raises(KnowledgeError, match=r"'b' -> 'a', but 'b' is in a later tier"):
        known.check(DAG.from_string("b->a"))
    with pytest.raises(KnowledgeError, match=r"'c' 2 parents, but max_parents is 1"):
        known.check(DAG.from_string("a->c<-b"))
    with pytest.raises(KnowledgeError, match=r"lacks the edge 'a' -> 'b'"):
        Knowledge(required=[("a", "b")]).check(DAG(["a", "b"]))
    Knowledge(required=[("a", "b")]).check(DAG(["a", "c"]))


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ({"required": [("a", "b")], "forbidden": [("a", "b")]}, "required, but 'a' -> 'b' is forb"),
        ({"required": [("a", "b")], "tiers": [["b"], ["a"]]}, "later tier"),
        ({"required": [("a", "b")], "tiers": [["a", "b"]], "forbid_within": True}, "in one tier"),
        ({"required": [("a", "b"), ("b", "a")]}, "is required"),
        ({"required": [("a", "b"), ("b", "c"), ("c", "a")]}, "cycle"),
        ({"required": [("a", "a")]}, "its own parent"),
        ({"required": [("a", "c"), ("b", "c")], "max_parents": 1}, "2 required"),
        ({"tiers": [["a"], ["a"]]}, "two tiers"),
        ({"tiers": ["ab"]}, "lists of column names"),
        ({"tiers": "ab"}, "tiers"),
        ({"tiers": 3}, "tiers"),
        ({"tiers": [[["a"]]]}, "tiers"),
        ({"required": ["ab"]}, "pairs"),
        ({"required": None}, "required"),
        ({"forbidden": [("a", "b", "c")]}, "pairs"),
        ({"max_parents": -1}, "max_parents"),
        ({"max_parents": 1.5}, "max_parents"),
        ({"forbid_within": "no"}, "forbid_within"),
        ({"forbiden": []}, "forbiden"),
    ],
)
def test_contradictions_and_misspellings_are_refused_in_one_sentence(said, answer):
    with pytest.raises(KnowledgeError, match=answer) as raised:
        Knowledge.from_dict(said)
    assert str(raised.value).count(". ") == 0


def test_a_column_that_the_table_lacks_is_refused_with_the_closest_name():
    with pytest.raises(UnknownColumnError, match="'smoke'"):
        Knowledge(tiers=[["smok"]]).of_columns(["smoke", "lung"])


@examples(16)
@given(statements())
def test_a_file_holds_all_of_it(known):
    assert Knowledge.from_dict(json.loads(json.dumps(known.to_dict()))) == known


def test_a_hundred_thousand_columns_take_memory_for_what_was_said_only():
    names = [f"x{i}" for i in range(100_000)]
    known = Knowledge(tiers=[names[:50_000], names[50_000:]], forbidden=[("x1", "x2")])
    by_number = known.of_columns(names)
    assert by_number.tier.nbytes <= 800_000
    assert by_number.allowed(2, np.arange(100_000)).sum() == 49_998
    assert by_number.allowed(99_999, np.arange(100_000)).sum() == 99_999


def test_no_knowledge_restricts_nothing():
    nothing = Knowledge().of_columns(NAMES)
    assert nothing.allowed(0, np.arange(6)).tolist() == [False, *[True] * 5]
