"""Ties between columns that tell exactly the same are broken by name, or at random."""

from __future__ import annotations

import numpy as np
import pytest

from eiderdown import (
    Dataset,
    check_boundary,
    find_all_boundaries,
    find_boundaries,
    find_boundary,
    networks,
)
from eiderdown.estimators import MarkovBoundarySelector

pytestmark = pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")

COPIES = ("a", "b", "c", "d")


@pytest.fixture(scope="module")
def copies():
    """A target with noise, four copies of its cause, and a column of its own."""
    rng = np.random.default_rng(0)
    cause, other = rng.integers(0, 2, (2, 400))
    target = np.where(rng.random(400) < 0.1, 1 - cause, cause)
    return Dataset.of({**dict.fromkeys(COPIES, cause), "other": other, "target": target})


def members_by_name(data, algorithm):
    return set(find_boundary(data, "target", algorithm=algorithm).members)


def members(data, seed, **more):
    found = find_boundary(data, "target", ties="random", random_state=seed, **more)
    return set(found.members)


@pytest.mark.parametrize("algorithm", ["auto", "iamb", "inter_iamb", "gs", "fbed", "iamb_fdr"])
def test_one_of_several_copies_is_found_and_not_always_the_same(copies, algorithm):
    assert members_by_name(copies, algorithm) == {"a"}
    found = [members(copies, seed, algorithm=algorithm) for seed in range(8)]
    assert all(len(one) == 1 for one in found)
    assert len(set().union(*found)) > 1


def test_ties_alone_are_drawn():
    data = networks.load("asia").sample(2_000, random_state=0)  # where nothing ties
    plain = find_boundary(data, "dysp", algorithm="iamb")
    drawn = find_boundary(data, "dysp", algorithm="iamb", ties="random", random_state=3)
    assert drawn.evidence == plain.evidence


@pytest.mark.parametrize("algorithm", ["iamb", "pcmb", "kiamb", "mmmb"])
def test_a_seed_breaks_ties_alike_for_any_order_of_the_columns(copies, algorithm):
    turned = copies.select(copies.names[::-1])
    for seed in range(4):
        assert members(copies, seed, algorithm=algorithm) == members(
            turned, seed, algorithm=algorithm
        )


def test_the_run_says_how_ties_were_broken_only_if_not_by_name(copies):
    drawn = find_boundary(copies, "target", algorithm="iamb", ties="random", random_state=5)
    assert (drawn.run.options["ties"], drawn.run.random_state) == ("random", 5)
    plain = find_boundary(copies, "target", algorithm="iamb", random_state=5)
    assert "ties" not in plain.run.options
    assert plain.run.random_state is None


def test_without_a_seed_the_one_that_was_drawn_is_written_down(copies):
    drawn = find_boundary(copies, "target", algorithm="iamb", ties="random", random_state=None)
    seed = drawn.run.random_state
    again = find_boundary(copies, "target", algorithm="iamb", ties="random", random_state=seed)
    assert again.members == drawn.members


def test_repeated_searches_without_random_choices_differ_by_their_ties(copies):
    found = find_boundaries(
        copies, "target", algorithm="iamb", ties="random", runs=30, cv=None, random_state=0
    )
    assert {member for item in found for member in item.members} == set(COPIES)
    assert found.interchangeable == (COPIES,)
    first = found[0].boundary
    alone = find_boundary(
        copies, "target", algorithm="iamb", ties="random", random_state=first.run.random_state
    )
    assert alone.members == first.members


def test_all_boundaries_share_one_order(copies):
    found = find_all_boundaries(
        copies, targets=["target", "other"], algorithm="pcmb", ties="random", random_state=4
    )
    assert set(found["target"].members) == members(copies, 4, algorithm="pcmb")


def test_a_check_adds_by_the_same_order(copies):
    added = {
        check_boundary(copies, "target", members=[], ties="random", random_state=seed).boundary
        for seed in range(12)
    }
    assert len(added) > 1
    assert all(len(boundary) == 1 for boundary in added)
    assert check_boundary(copies, "target", members=[]).boundary == ("a",)


def test_selectors_take_it(copies):
    frame = copies.to_pandas()
    X, y = frame.drop(columns="target"), frame["target"]
    kept = {
        MarkovBoundarySelector(algorithm="iamb", ties="random", random_state=seed)
        .fit(X, y)
        .get_feature_names_out()[0]
        for seed in range(8)
    }
    assert len(kept) > 1
