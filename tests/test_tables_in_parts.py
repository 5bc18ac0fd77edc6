"""Every test, score and verb says of a table in parts what it says of the same rows in memory.

New entries of the registries are covered by themselves; what needs all rows is named in the table
of docs/scale.md, and nothing else.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eiderdown import api
from eiderdown.errors import EiderdownError, InsufficientMemoryError
from eiderdown.independence.registry import TESTS, make_test
from eiderdown.scores.registry import SCORES, make_score
from tables_in_parts import (
    CUTS,
    TARGETS,
    configured,
    differences,
    in_parts,
    whole_table,
)

TOLERANCE = 1e-9
"""As independence/partitioned_regression.py and docs/scale.md have it."""

PAGE = Path(__file__).parents[1] / "docs" / "scale.md"
TINY = 100  # bytes: not even one column
ONE_SENTENCE = r"^[A-Z][^;]* memory allows [^;]*; allow more, or [^;]*\.$"

pytestmark = pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")


def entries(registry) -> list[Any]:
    found = [
        (entry, kinds)
        for named in registry
        for entry in configured(named)
        for kinds in (*named.kinds, *(["mixed"] if named.mixed else []))
    ]
    return [pytest.param(*one, id=f"{one[0]}-{one[1]}") for one in found]


def in_the_page(row: str) -> set[str]:
    """Return the names in a row of the page's table, by how the row begins."""
    (line,) = re.findall(rf"^\| {row} \|(.*)\|$", PAGE.read_text(), re.MULTILINE)
    return set(re.findall(r"`([^`]+)`", line))


def needs_rows(entry, kinds: str) -> bool:
    """Whether the page says so; ranks are those of numbers."""
    named = in_the_page("tests and scores that need all rows")
    options = {f"{k}={v!r}" for k, v in entry.params.items()} if kinds != "discrete" else set()
    return entry.name in named or bool(options & named)


def is_exact(entry) -> bool:
    return entry.name in in_the_page("tests and scores of counts: the same to the last bit")


def swept(entry, data, target) -> Any:
    """Return what a test says of a target, alone and given others; or how it is refused."""
    y, *others = sorted(range(data.n_columns), key=lambda i: data.names[i] != target)
    try:
        test = make_test(entry, data, y)
        questions = [(others, []), (others[1:], others[:1]), (others[2:], others[:2])]
        return np.concatenate([test.sweep(xs, y, given).values for xs, given in questions])
    except InsufficientMemoryError:
        raise
    except EiderdownError as problem:
        return str(problem)


def scored(entry, data, _) -> Any:
    score = make_score(entry, data)
    families = [(0, ()), (0, (1,)), (1, (0, 2)), (2, (3,)), (3, (0, 1, 2))]
    return np.array([score.local(child, parents) for child, parents in families])


def assert_same(asked, entry, kinds: str, gaps: float, target: str = "") -> None:
    data = whole_table(kinds, gaps)
    expected = asked(entry, data, target)
    is_refused = isinstance(expected, str)
    budget = None if needs_rows(entry, kinds) else TINY
    for n_parts in CUTS:
        found = asked(entry, in_parts(data, n_parts, budget), target)
        if is_refused or is_exact(entry):
            np.testing.assert_array_equal(found, expected)
        else:
            np.testing.assert_allclose(found, expected, rtol=TOLERANCE, atol=TOLERANCE)
    if budget is None and not is_refused:
        with pytest.raises(InsufficientMemoryError, match=ONE_SENTENCE):
            asked(entry, in_parts(data, 3, TINY), target)


def test_every_entry_is_in_the_page() -> None:
    rows = (
        "tests and scores of counts: the same to the last bit",
        "tests and scores of moments and likelihoods: the same within 1e-9 of their size",
        "tests and scores that need all rows",
    )
    named = [name for row in rows for name in in_the_page(row) if "=" not in name]
    assert sorted(named) == sorted(entry.name for entry in (*TESTS, *SCORES))


@pytest.mark.parametrize(("entry", "kinds"), entries(TESTS))
@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_every_test(entry, kinds, gaps) -> None:
    for target in TARGETS[kinds]:
        assert_same(swept, entry, kinds, gaps, target)


@pytest.mark.parametrize(("entry", "kinds"), entries(SCORES))
@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_every_score(entry, kinds, gaps) -> None:
    assert_same(scored, entry, kinds, gaps)


VERBS = {
    "boundary_path": lambda table: api.boundary_path(table, "sick"),
    "check_boundary": lambda table: api.check_boundary(table, "sick", members=["size", "kind"]),
    "compare_selectors": lambda table: api.compare_selectors(
        table, "sick", selectors=["none", "iamb"], folds=2, degrees=[1], Cs=[1.0]
    ),
    "find_all_boundaries": api.find_all_boundaries,
    "find_boundaries": lambda table: api.find_boundaries(table, "sick", runs=3),
    "find_boundary": lambda table: api.find_boundary(table, "sick"),
    "find_causes": lambda table: api.find_causes(table, "sick", resamples=3),
    "find_interactions": lambda table: api.find_interactions(
        table, "sick", folds=2, degree=1, C=1.0, n_monomials=2
    ),
    "find_parents_children": lambda table: api.find_parents_children(table, "bent"),
    "learn_network": api.learn_network,
    "learn_region": lambda table: api.learn_region(table, "sick"),
    "measure_confidence": lambda table: api.measure_confidence(table, runs=20),
    "measure_optima": lambda table: api.measure_optima(table, shares=[0.5], repeats=2, runs=3),
    "measure_stability": lambda table: api.measure_stability(table, resamples=3),
    "predict": lambda table: api.predict(table, table, "sick"),
    "test": lambda table: api.test(table, "size", "sick", given=["kind"]),
}
OF_EDGES = {"learn_skeleton", "read_skeleton"}  # which write, and read, a file


def test_every_verb_is_asked_and_in_the_page() -> None:
    verbs = {name for name in api.__all__ if name.islower()}
    assert set(VERBS) | OF_EDGES == verbs
    named = in_the_page("verbs that need parts alone") | in_the_page("verbs that need all rows")
    assert named == verbs - {"read_skeleton"}


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_verb(verb) -> None:
    ask, data = VERBS[verb], whole_table("mixed", 0.0 if verb == "predict" else 0.1)
    expected = ask(data).to_dict()
    budget = None if verb in in_the_page("verbs that need all rows") else TINY
    found = ask(in_parts(data, 3, budget)).to_dict()
    assert differences(found, expected, TOLERANCE) == []
    if budget is None:
        with pytest.raises(InsufficientMemoryError, match=ONE_SENTENCE):
            ask(in_parts(data, 3, TINY))


def test_a_skeleton(tmp_path) -> None:
    data = whole_table("mixed", 0.1)
    for name, table in (("whole", data), ("parts", in_parts(data, 3, TINY))):
        api.learn_skeleton(table, to=tmp_path / name)
    found, expected = (api.read_skeleton(tmp_path / name) for name in ("parts", "whole"))
    mine, theirs = (edges.sides.to_pylist() for edges in (found, expected))
    assert differences(mine, theirs, TOLERANCE) == []


@pytest.mark.parametrize("asked", [make_test, make_score])
def test_filling_in_values_needs_all_rows(asked) -> None:
    assert "missing='impute'" in in_the_page("tests and scores that need all rows")
    data = whole_table("discrete", 0.1)
    source = "bic" if asked is make_score else "g_square"
    whole, parts = (asked(source, t, missing="impute") for t in (data, in_parts(data, 3)))
    if asked is make_score:
        assert parts.local(0, [1]) == whole.local(0, [1])
    else:
        np.testing.assert_array_equal(parts.sweep([1, 2], 0).values, whole.sweep([1, 2], 0).values)
    with pytest.raises(InsufficientMemoryError, match=ONE_SENTENCE):
        asked(source, in_parts(data, 3, TINY), missing="impute")


@pytest.mark.parametrize("missing", ["testwise", "drop", "impute", "level"])
def test_every_way_with_missing_values(missing) -> None:
    def ask(table):
        return api.find_boundary(table, "kind", missing=missing, algorithm="iamb").to_dict()

    data = whole_table("discrete", 0.1)
    needs_all = f"missing={missing!r}" in in_the_page("tests and scores that need all rows")
    found = ask(in_parts(data, 3, None if needs_all else TINY))
    assert differences(found, ask(data), TOLERANCE) == []
    if needs_all:
        with pytest.raises(InsufficientMemoryError, match=ONE_SENTENCE):
            ask(in_parts(data, 3, TINY))
