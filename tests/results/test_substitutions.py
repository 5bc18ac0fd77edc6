"""What stands for each member of the most frequent boundary, in a line each."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from eiderdown import find_boundaries
from eiderdown.confidence.runs import interchangeable, replacements
from eiderdown.results import AlternativeBoundary, Boundaries, MarkovBoundary, Run


def boundaries(*found):
    """Make a result of boundaries, each as its members and the number of its runs."""
    run = Run.of("kiamb", None, {"alpha": 0.01})
    ranked = sorted(found, key=lambda item: -item[1])
    alternatives = tuple(
        AlternativeBoundary(MarkovBoundary("T", tuple(members), (), run), n)
        for members, n in ranked
    )
    stand_ins = replacements([members for members, _ in ranked])
    total = sum(n for _, n in found)
    return Boundaries("T", alternatives, total, stand_ins, interchangeable(stand_ins), run)


def as_dict(result):
    return {item.member: (item.n_runs, dict(item.by)) for item in result.substitutions}


def test_a_column_stands_for_the_member_that_it_replaces():
    found = boundaries((("a", "x"), 5), (("a", "y"), 3), (("a", "z"), 1))
    assert as_dict(found) == {"a": (9, {}), "x": (5, {"y": 3, "z": 1})}


def test_several_columns_may_stand_for_one():
    found = boundaries((("r",), 4), (("i1", "i2"), 3))
    assert as_dict(found) == {"r": (4, {"i1": 3, "i2": 3})}
    other_way = boundaries((("i1", "i2"), 4), (("r",), 3))
    assert as_dict(other_way) == {"i1": (4, {"r": 3}), "i2": (4, {"r": 3})}


def test_columns_that_are_never_together_stand_for_each_other_where_nothing_is_known():
    found = boundaries((("a", "b"), 5), (("x", "y"), 2))
    assert as_dict(found) == {"a": (5, {"x": 2, "y": 2}), "b": (5, {"x": 2, "y": 2})}


def test_thousands_of_boundaries_are_a_line_for_each_member():
    choices = [[f"{name}{k}" for k in range(4)] for name in "abcdef"]
    found = boundaries(*((members, 1) for members in list(product(*choices))[:400]))
    lines = found.substitutions
    assert len(lines) == 6
    assert all(len(line.by) <= 3 for line in lines)
    assert as_dict(found)["f0"] == (100, {"f1": 100, "f2": 100, "f3": 100})


@pytest.mark.filterwarnings("ignore::eiderdown.EiderdownWarning")
def test_counts_are_of_runs():
    coin = np.random.default_rng(0).integers(0, 2, 300)
    table = {"T": coin, **dict.fromkeys("abcd", coin)}
    found = find_boundaries(table, "T", runs=40, random_state=0, cv=None, progress=False)
    (line,) = found.substitutions
    assert line.n_runs + sum(line.by.values()) == 40
    assert {line.member, *line.by} <= set("abcd")
