"""Who runs a search short of rows is told once, with the name of one that needs fewer."""

from __future__ import annotations

import warnings

import pytest

from eiderdown import (
    EiderdownWarning,
    find_boundary,
    find_parents_children,
    learn_network,
    networks,
)
from eiderdown.boundary import ALGORITHMS, BOUNDARY_ALGORITHMS, PARENTS_CHILDREN_ALGORITHMS
from eiderdown.registry import HOMES
from eiderdown.structure import NETWORK_ALGORITHMS

NEARER = "from few rows {!r} comes nearer to the truth."


@pytest.fixture(scope="module")
def few():
    return networks.load("alarm").sample(60, random_state=0)


def advice_of(verb, *args, **options):
    """Return what a result says about better searches."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EiderdownWarning)
        found = verb(*args, progress=False, **options)
    assert any("could not " in sentence for sentence in found.warnings)
    return [sentence for sentence in found.warnings if "comes nearer" in sentence]


@pytest.mark.parametrize("name", ["gs", "iamb", "fbed", "pcmb"])
def test_a_boundary_from_few_rows_names_the_search_that_does_better(few, name):
    (said,) = advice_of(find_boundary, few, "CO", algorithm=name)
    assert said.endswith(NEARER.format("consensus"))


def test_parents_and_children_have_a_search_of_their_own(few):
    (said,) = advice_of(find_parents_children, few, "CO", algorithm="mmpc")
    assert said.endswith(NEARER.format("consensus_pc"))


@pytest.mark.parametrize("name", ["pc_stable", "mmhc"])
def test_a_network_by_tests_from_few_rows_names_the_search_by_scores(few, name):
    (said,) = advice_of(learn_network, few, algorithm=name)
    assert said.endswith(NEARER.format("boss_restarts"))


def test_where_the_better_search_cannot_be_made_it_is_not_named(few):
    assert advice_of(find_boundary, few, "CO", algorithm="consensus") == []
    assert advice_of(find_boundary, few, "CO", algorithm="iamb", error_rate="fdr") == []
    assert advice_of(find_boundary, few, "CO", algorithm="iamb", test="permutation") == []


def test_enough_rows_need_no_advice():
    data = networks.load("asia").sample(3_000, random_state=0)
    assert find_boundary(data, "dysp", algorithm="gs").warnings == ()
    assert learn_network(data, algorithm="pc_stable", progress=False).warnings == ()


def test_what_is_named_is_registered_beside_the_search_itself():
    for home in HOMES:
        for entry in home.entries:
            better = getattr(entry, "fewer_rows", "")
            assert not better or better in home.entries, entry.name
    for registry in (BOUNDARY_ALGORITHMS, PARENTS_CHILDREN_ALGORITHMS, NETWORK_ALGORITHMS):
        assert any(entry.fewer_rows for entry in registry)
    assert ALGORITHMS["consensus"].fewer_rows == ""
