"""Cuts of one column: equal width, equal frequency, and minimum description length."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eiderdown.data import equal_frequency_cuts, equal_width_cuts, mdl_cuts
from eiderdown.data.intervals import codes_at
from eiderdown.errors import InputError, NonFiniteError, OptionError

floats = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))


def naive_entropy(labels):
    return -sum(k / len(labels) * math.log2(k / len(labels)) for k in Counter(labels).values())


def naive_mdl(pairs):
    """Fayyad and Irani's recursion over all cuts between distinct values, one by one."""
    values = sorted({value for value, _ in pairs})
    whole = [label for _, label in pairs]
    best = None
    for low, high in itertools.pairwise(values):
        left = [label for value, label in pairs if value <= low]
        right = [label for value, label in pairs if value >= high]
        rest = (len(left) * naive_entropy(left) + len(right) * naive_entropy(right)) / len(pairs)
        if best is None or rest < best[0] - 1e-12:
            best = (rest, (low + high) / 2, left, right)
    if best is None:
        return []
    rest, cut, left, right = best
    k, k1, k2 = (len(set(labels)) for labels in (whole, left, right))
    delta = math.log2(3**k - 2) - (
        k * naive_entropy(whole) - k1 * naive_entropy(left) - k2 * naive_entropy(right)
    )
    if naive_entropy(whole) - rest <= (math.log2(len(pairs) - 1) + delta) / len(pairs):
        return []
    below = [pair for pair in pairs if pair[0] <= cut]
    above = [pair for pair in pairs if pair[0] > cut]
    return [*naive_mdl(below), cut, *naive_mdl(above)]


@settings(max_examples=100, deadline=None)
@given(st.lists(floats, min_size=1, max_size=40), st.integers(2, 9))
def test_equal_width_intervals_are_equally_wide_and_cover_the_range(values, n_bins):
    cuts = equal_width_cuts(values, n_bins)
    assert len(cuts) == (n_bins - 1 if max(values) > min(values) else 0)
    edges = np.array([min(values), *cuts, max(values)])
    assert np.allclose(np.diff(edges), (max(values) - min(values)) / (len(cuts) + 1))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=60), st.integers(2, 9))
def test_equal_frequency_cuts_are_unique_and_leave_no_interval_empty(values, n_bins):
    cuts = equal_frequency_cuts(values, n_bins)
    counts = np.bincount(codes_at(np.array(values, float), cuts), minlength=len(cuts) + 1)
    assert len(cuts) < n_bins
    assert (np.diff(cuts) > 0).all()
    assert (counts > 0).all()


@pytest.mark.parametrize(("n_rows", "n_bins"), [(12, 3), (100, 7), (1000, 60)])
def test_equal_frequency_without_ties_differs_by_at_most_one(n_rows, n_bins):
    values = np.random.default_rng(0).normal(size=n_rows)
    counts = np.bincount(codes_at(values, equal_frequency_cuts(values, n_bins)))
    assert len(counts) == n_bins
    assert counts.max() - counts.min() <= 1


def test_a_tie_at_a_quantile_moves_the_cut_beside_it():
    assert equal_frequency_cuts([0, 0, 0, 0, 0, 1, 2, 3], 2).tolist() == [0.5]
    assert equal_frequency_cuts([5, 5, 5], 4).tolist() == []


def test_mdl_of_a_worked_example():
    """Eight zeros and eight ones: gain 1 bit, cost (log2 15 + log2 7 - 2) / 16 = 0.29."""
    values, classes = np.arange(16.0), np.repeat([0, 1], 8)
    assert mdl_cuts(values, classes).tolist() == [7.5]


def test_mdl_refuses_a_cut_that_does_not_pay():
    """Two zeros and two ones: gain 1, cost (log2 3 + log2 7 - 2) / 4 = 0.60: cut; one of each:
    gain 1, cost (log2 1 + log2 7 - 2) / 2 = 0.40: cut; mixed classes: none.
    """
    assert mdl_cuts([1.0, 2.0, 3.0, 4.0], ["a", "a", "b", "b"]).tolist() == [2.5]
    assert mdl_cuts([1.0, 2.0], ["a", "b"]).tolist() == [1.5]
    assert mdl_cuts(np.arange(20.0), [0, 1] * 10).tolist() == []


def test_mdl_finds_several_cuts():
    classes = np.repeat(["a", "b", "a", "c"], 30)
    assert mdl_cuts(np.arange(120.0), classes).tolist() == [29.5, 59.5, 89.5]


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 60), st.integers(1, 12), st.integers(1, 4))
def test_mdl_matches_the_naive_twin(seed, n_rows, n_values, n_classes):
    generator = np.random.default_rng(seed)
    values = generator.integers(0, n_values, n_rows)
    noise = generator.integers(0, n_classes, n_rows)
    classes = np.where(generator.random(n_rows) < 0.7, values * n_classes // n_values, noise)
    expected = naive_mdl(list(zip(values.tolist(), classes.tolist(), strict=True)))
    assert mdl_cuts(values, classes).tolist() == expected


def test_mdl_does_not_overflow_for_hundreds_of_classes():
    """Every class has its own range of values, so that every change of class pays for a cut."""
    classes = np.repeat(np.arange(700), 30)
    cuts = mdl_cuts(np.arange(21_000.0), classes)
    assert cuts.tolist() == (np.arange(1, 700) * 30 - 0.5).tolist()


def test_cuts_between_neighbouring_floats_still_divide_them():
    low = 1.0
    high = np.nextafter(low, 2.0)
    cut = equal_frequency_cuts([low, high], 2)
    assert codes_at(np.array([low, high]), cut).tolist() == [0, 1]


@pytest.mark.parametrize("cuts", [equal_width_cuts, equal_frequency_cuts])
def test_bad_numbers_and_options_are_refused(cuts):
    with pytest.raises(OptionError, match="n_bins must be at least 2, not 1"):
        cuts([1.0, 2.0], 1)
    with pytest.raises(NonFiniteError, match="finite"):
        cuts([1.0, np.nan], 2)
    with pytest.raises(InputError, match="at least one value"):
        cuts([], 2)


def test_mdl_refuses_classes_of_another_length():
    with pytest.raises(InputError, match="3 values but 2 classes"):
        mdl_cuts([1.0, 2.0, 3.0], [0, 1])
