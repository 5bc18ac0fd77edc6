"""Columns cut together keep the information they have about each other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from eiderdown.data import equal_frequency_cuts, hartemink_cuts
from eiderdown.data.intervals import codes_at
from eiderdown.errors import InputError, OptionError


def naive_hartemink(columns, n_bins, n_initial_bins):
    """Try every merge of every column in turn and keep the one with the most information."""
    cuts = [equal_frequency_cuts(values, n_initial_bins).tolist() for values in columns]
    while any(len(own) >= n_bins for own in cuts):
        for i, own in enumerate(cuts):
            if len(own) >= n_bins:
                shorter = [own[:gap] + own[gap + 1 :] for gap in range(len(own))]
                kept = [told(columns, i, trial, cuts) for trial in shorter]
                cuts[i] = shorter[next(g for g, k in enumerate(kept) if k >= max(kept) - 1e-9)]
    return cuts


def told(columns, i, trial, cuts):
    own = codes_at(columns[i], np.array(trial))
    others = [j for j in range(len(columns)) if j != i]
    return sum(mutual_info_score(own, codes_at(columns[j], np.array(cuts[j]))) for j in others)


def total_information(columns, cuts):
    codes = [codes_at(values, np.asarray(own)) for values, own in zip(columns, cuts, strict=True)]
    return sum(mutual_info_score(a, b) for a, b in itertools.combinations(codes, 2))


@settings(max_examples=25, deadline=None)
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


def test_bad_options_are_refused():
    pair = {"a": np.arange(5.0), "b": np.arange(5.0)}
    with pytest.raises(InputError, match="at least two"):
        hartemink_cuts({"a": np.arange(5.0)}, 2)
    with pytest.raises(OptionError, match=r"n_initial_bins must be at least n_bins \(4\), not 3"):
        hartemink_cuts(pair, 4, n_initial_bins=3)
    with pytest.raises(OptionError, match="n_bins must be at least 2"):
        hartemink_cuts(pair, 1)
