"""Columns lost to their copies are named, with the way out; nothing is said where none is lost."""

from __future__ import annotations

import re

import numpy as np
import pytest

from eiderdown import Dataset, find_all_boundaries, find_boundary, find_parents_children
from eiderdown.api import near_copies
from eiderdown.boundary import PCMB
from eiderdown.errors import EiderdownWarning

SYMMETRICAL = ["pcmb", "mmmb", "hiton_mb", "ipc_mb"]


def flipped(column, share, generator):
    """Return a copy that differs in a share of the rows."""
    copy = column.copy()
    rows = generator.choice(len(copy), int(share * len(copy)), replace=False)
    copy[rows] = 1 - copy[rows]
    return copy


@pytest.fixture(scope="module")
def categories():
    """A target of one cause, which has a copy that differs in five of 1,000 rows."""
    generator = np.random.default_rng(2)
    cause = generator.integers(2, size=1_000)
    noise = {f"n{i}": generator.integers(2, size=1_000) for i in range(8)}
    target = np.where(generator.random(1_000) < 0.7, cause, 1 - cause)
    return Dataset.from_columns(
        {"a": cause, "b": flipped(cause, 0.005, generator), **noise, "t": target}
    )


@pytest.fixture(scope="module")
def numbers():
    generator = np.random.default_rng(0)
    causes = generator.normal(size=(500, 2))
    copies = causes + 0.02 * generator.normal(size=(500, 2))
    target = causes.sum(axis=1) + generator.normal(size=500)
    return Dataset.from_numpy(np.column_stack([causes, copies, target]), names=list("abcdt"))


@pytest.mark.parametrize("name", SYMMETRICAL)
def test_an_emptied_boundary_names_the_copies_and_the_way_out(categories, name):
    with pytest.warns(EiderdownWarning, match="near-copies") as said:
        found = find_boundary(categories, "t", algorithm=name)
    assert found.members == ()
    text = str(said[0].message)
    assert re.search(r"boundary is empty, though 't' depends on '[ab]', '[ab]' \(p .*e-", text)
    assert "'a' and 'b' are near-copies (they differ in 5 of 1,000 rows)" in text
    assert "exclude=['b']" in text
    assert "symmetry='or'" in text
    assert "algorithm='iamb'" in text
    assert text in found.warnings


def test_every_way_out_is_one(categories):
    assert find_boundary(categories, "t", algorithm="pcmb", exclude=["b"]).members == ("a",)
    for search in (PCMB(symmetry="or"), PCMB(symmetry="none"), "iamb"):
        found = find_boundary(categories, "t", algorithm=search)
        assert found.members in (("a",), ("b",))
        assert not found.warnings


def test_copies_among_numbers_are_named_with_their_correlation(numbers):
    with pytest.warns(EiderdownWarning, match=r"'a' and 'c' are near-copies \(their correlation"):
        assert find_parents_children(numbers, "t", algorithm="get_pc").members == ()


def test_the_order_of_the_columns_does_not_matter(numbers):
    said = []
    for names in ("abcdt", "dtcba"):
        with pytest.warns(EiderdownWarning):
            said.append(find_boundary(numbers.select(list(names)), "t", algorithm="pcmb").warnings)
    assert said[0] == said[1]


def test_what_is_lost_beside_members_is_named_too(categories):
    generator = np.random.default_rng(3)
    other = generator.integers(2, size=1_000)
    target = np.where(generator.random(1_000) < 0.5, categories.codes(categories.index("t")), other)
    data = categories.drop(["t"]).with_columns({"c": other, "t": target})
    with pytest.warns(EiderdownWarning, match=r"Lost from the boundary, though 't' depends on"):
        found = find_boundary(data, "t", algorithm="pcmb")
    assert "c" in found.members
    assert not {"a", "b"} & set(found.members)


def test_many_targets_keep_their_warnings_to_themselves(categories):
    found = find_all_boundaries(categories, algorithm="pcmb", targets=["t", "n0"])
    assert "near-copies" in found["t"].warnings[0]
    assert not found["n0"].warnings


def test_a_search_counts_only_tests_of_its_own(categories):
    with pytest.warns(EiderdownWarning):
        first = find_boundary(categories, "t", algorithm="pcmb").run.n_tests
    both = find_all_boundaries(categories, algorithm="pcmb", targets=["t"])
    assert both["t"].run.n_tests == first


def test_molecules_of_few_ones_that_share_fragments():
    """As in DOROTHEA and Thrombin: rare ones, many columns nearly the same."""
    generator = np.random.default_rng(1)
    active = generator.random(800) < 0.1
    fragment = np.where(active, generator.random(800) < 0.8, generator.random(800) < 0.02)
    columns = {}
    for i in range(6):
        copy = fragment.copy()
        rows = generator.choice(800, 2, replace=False)
        copy[rows] = ~copy[rows]
        columns[f"f{i}"] = copy.astype(int)
    columns |= {f"r{i}": (generator.random(800) < 0.05).astype(int) for i in range(60)}
    data = Dataset.from_columns({**columns, "active": active.astype(int)})
    with pytest.warns(EiderdownWarning, match=r"'f\d' and 'f\d' are near-copies"):
        found = find_boundary(data, "active", algorithm="pcmb")
    assert not any(name.startswith("f") for name in found.members)
    assert any(n.startswith("f") for n in find_boundary(data, "active", algorithm="iamb").members)


def test_more_lost_than_found_is_said_without_copies_too(monkeypatch, categories):
    monkeypatch.setattr(near_copies, "SHARED_ENTROPY", 1.1)  # nothing is a copy of anything
    with pytest.warns(EiderdownWarning, match="is empty, though 't' depends on") as said:
        find_boundary(categories, "t", algorithm="pcmb")
    assert "near-copies" not in str(said[0].message)
    assert "exclude" not in str(said[0].message)
    data = categories.with_columns({"again": categories.codes(categories.index("t"))})
    assert not find_boundary(data, "again", algorithm="iamb", exclude=["t"]).warnings
