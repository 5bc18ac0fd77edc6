"""Records of causes and effects survive JSON unchanged and read as sentences."""

from __future__ import annotations

import pytest

from eiderdown.graphs import PDAG
from eiderdown.results import (
    Blanket,
    NeighbourRole,
    Orientation,
    Run,
    SpouseRole,
    YStructure,
    load_result,
)
from eiderdown.results.codec import of_plain, to_plain

FOUND = Orientation(
    target="t",
    neighbours=(
        NeighbourRole("a", 0.75, 0.0, 0.25, 2, 0, None, True, "Because."),
        NeighbourRole("b", 0.5, 0.5, 0.0),
        NeighbourRole("c", 0.125, 0.625, 0.25, 0, 3, 0.6),
    ),
    spouses=(SpouseRole("s", ("c",), 0.5, "It meets."),),
    y_structures=(YStructure("x", "y", "a", "t", 0.3),),
    graph=PDAG.from_string("a->t, b--t, t->c, s->c"),
    engine="GES",
    run=Run.of("causes", None, {}),
    warnings=("Beware.",),
)


def test_an_orientation_comes_back_from_a_file_unchanged(tmp_path):
    FOUND.save(tmp_path / "found.json")
    assert load_result(tmp_path / "found.json") == FOUND


def test_a_neighbour_is_what_it_is_more_likely_than_not():
    assert (FOUND.causes, FOUND.undecided, FOUND.effects) == (("a",), ("b",), ("c",))
    assert FOUND.neighbour("a") is FOUND.neighbours[0]
    assert FOUND.neighbour("s") is None


def test_a_summary_names_every_column_and_the_engine():
    text = FOUND.summary()
    assert "cause: a (cause 75%, effect 0%). Because." in text
    assert "spouse: s through c (50%)" in text
    assert "GES" in text


@pytest.mark.parametrize("manipulated", [("a", "b"), (), "unknown", None])
def test_a_blanket_goes_to_plain_values_and_back(manipulated):
    blanket = Blanket("t", manipulated, ("a",), {"a": "kept.", "c": "left out."}, False, "Why.")
    assert of_plain(Blanket, to_plain(blanket)) == blanket
    assert blanket.excluded == ("c",)
