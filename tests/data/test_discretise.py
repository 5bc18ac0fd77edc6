"""Cuts of columns, alone and together, and the intervals between them."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from eiderdown.data import (
    Dataset,
    discretise,
    equal_frequency_cuts,
    equal_width_cuts,
    hartemink_cuts,
    mdl_cuts,
)
from eiderdown.data.discretise import codes_at, interval_names
from eiderdown.errors import (
    ColumnKindError,
    InputError,
    NonFiniteError,
    OptionError,
    UnknownColumnError,
)
from examples import examples

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


@examples(40)
@given(st.lists(floats, min_size=1, max_size=40), st.integers(2, 9))
def test_equal_width_intervals_are_equally_wide_and_cover_the_range(values, n_bins):
    cuts = equal_width_cuts(values, n_bins)
    assert len(cuts) == (n_bins - 1 if max(values) > min(values) else 0)
    edges = np.array([min(values), *cuts, max(values)])
    assert np.allclose(np.diff(edges), (max(values) - min(values)) / (len(cuts) + 1))


@examples(40)
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


@examples(40)
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
        cuts([1.0, np.inf], 2)
    with pytest.raises(InputError, match="at least one value"):
        cuts([], 2)


def test_mdl_refuses_classes_of_another_length():
    with pytest.raises(InputError, match="3 values but 2 classes"):
        mdl_cuts([1.0, 2.0, 3.0], [0, 1])


def naive_hartemink(columns, n_bins, n_initial_bins):
    """Try every merge of every column in turn and keep the one with the most information."""
    cuts = [equal_frequency_cuts(values, n_initial_bins).tolist() for values in columns]
    while any(len(own) >= n_bins for own in cuts):
        for i, own in enumerate(cuts):
            if len(own) >= n_bins:
                shorter = [own[:gap] + own[gap + 1 :] for gap in range(len(own))]
                kept = [information_with(columns, i, trial, cuts) for trial in shorter]
                cuts[i] = shorter[next(g for g, k in enumerate(kept) if k >= max(kept) - 1e-9)]
    return cuts


def information_with(columns, i, trial, cuts):
    own = codes_at(columns[i], np.array(trial))
    others = [j for j in range(len(columns)) if j != i]
    return sum(mutual_info_score(own, codes_at(columns[j], np.array(cuts[j]))) for j in others)


def total_information(columns, cuts):
    codes = [codes_at(values, np.asarray(own)) for values, own in zip(columns, cuts, strict=True)]
    return sum(mutual_info_score(a, b) for a, b in itertools.combinations(codes, 2))


@pytest.mark.no_cover
@examples(10)
@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(2, 3), st.integers(4, 8))
def test_hartemink_matches_the_naive_twin(seed, n_columns, n_bins, n_initial_bins):
    generator = np.random.default_rng(seed)
    first = generator.normal(size=40)
    columns = [first + generator.normal(size=40) for _ in range(n_columns)]
    columns[-1] = np.round(columns[-1])
    named = {f"c{i}": values for i, values in enumerate(columns)}
    found = hartemink_cuts(named, n_bins, n_initial_bins=n_initial_bins)
    expected = naive_hartemink(columns, n_bins, n_initial_bins)
    assert [cuts.tolist() for cuts in found.values()] == expected


def test_hartemink_keeps_more_information_than_equal_frequency():
    """All the dependence is in the upper tenth, which equal frequency divides by the median."""
    generator = np.random.default_rng(0)
    x = generator.normal(size=600)
    y = np.where(x > 1.3, 5.0, 0.0) + generator.normal(size=600)
    z = np.where(x > 1.3, -5.0, 0.0) + generator.normal(size=600)
    columns = [x, y, z]
    cuts = hartemink_cuts({"x": x, "y": y, "z": z}, 2, n_initial_bins=40)
    equal = [equal_frequency_cuts(values, 2) for values in columns]
    assert abs(cuts["x"][0] - 1.3) < 0.15
    assert total_information(columns, cuts.values()) > 2 * total_information(columns, equal)


def test_every_column_ends_with_the_wanted_number_of_intervals_if_it_can():
    generator = np.random.default_rng(1)
    columns = {"a": generator.normal(size=200), "b": generator.integers(0, 2, 200).astype(float)}
    cuts = hartemink_cuts(columns, 3)
    assert {name: len(own) for name, own in cuts.items()} == {"a": 2, "b": 1}


def test_hartemink_refuses_bad_options():
    pair = {"a": np.arange(5.0), "b": np.arange(5.0)}
    with pytest.raises(InputError, match="at least two"):
        hartemink_cuts({"a": np.arange(5.0)}, 2)
    with pytest.raises(OptionError, match=r"n_initial_bins must be at least n_bins \(4\), not 3"):
        hartemink_cuts(pair, 4, n_initial_bins=3)
    with pytest.raises(OptionError, match="n_bins must be at least 2"):
        hartemink_cuts(pair, 1)


@pytest.fixture
def data():
    return Dataset.from_columns(
        {"age": [31.5, 40.0, 28.0], "sex": ["f", "m", "f"], "height": [1.5, 1.75, 2.0]}
    )


def test_cut_columns_become_intervals_in_place(data):
    cut = discretise(data, {"height": np.array([1.75, 1.9]), "age": np.array([])})
    assert cut.names == data.names
    assert cut.categories(0) == ("(-inf, inf)",)
    assert cut.categories(2) == ("(-inf, 1.75]", "(1.75, 1.9]", "(1.9, inf)")
    assert cut.codes(2).tolist() == [0, 0, 2]
    assert cut.categories(1) == ("f", "m")


def test_columns_that_are_not_cut_stay_as_they_are(data):
    cut = discretise(data, {"age": np.array([30.0])})
    assert cut.values(2).tolist() == [1.5, 1.75, 2.0]
    assert cut.drop(["age"]).fingerprint == data.drop(["age"]).fingerprint
    assert discretise(data, {}) is data


def test_intervals_agree_with_pandas_cut():
    values = np.random.default_rng(0).normal(size=200).round(1)
    cuts = np.array([-0.5, 0.0, 0.7])
    data = discretise(Dataset.from_columns({"v": values}), {"v": cuts})
    expected = pd.cut(pd.Series(values), [-np.inf, *cuts, np.inf]).cat.codes
    assert data.codes(0).tolist() == expected.tolist()


def test_cuts_that_six_digits_confuse_get_all_their_digits():
    names = interval_names(np.array([1.00000001, 1.00000002]))
    assert len(set(names)) == 3
    assert names[1].startswith("(1.00000001")


def test_cuts_that_make_no_sense_are_refused(data):
    with pytest.raises(UnknownColumnError, match="'wage'"):
        discretise(data, {"wage": np.array([1.0])})
    with pytest.raises(ColumnKindError, match="'sex' is discrete"):
        discretise(data, {"sex": np.array([1.0])})
    for cuts in ([2.0, 1.0], [1.0, 1.0], [np.inf], [[1.0]]):
        with pytest.raises(InputError, match="cuts of column 'age' must be finite"):
            discretise(data, {"age": np.array(cuts)})
