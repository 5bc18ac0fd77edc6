"""The fingerprint follows what a table says, not how it is held."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from eiderdown.data import Dataset
from eiderdown.data import columns as naming
from examples import examples


def mixed():
    generator = np.random.default_rng(5)
    return {
        "binary": generator.integers(0, 2, 100),
        "text": np.array(["p", "q", "r"])[generator.integers(0, 3, 100)],
        "number": generator.normal(size=100),
        "wide": pd.Categorical.from_codes(
            generator.integers(0, 40, 100) * 7, categories=range(300)
        ),
    }


@examples(20)
@given(st.integers(1, 150), st.integers(1, 12), st.floats(0, 1), st.integers(0, 99))
def test_sparse_and_dense_tables_have_the_same_fingerprint(n_rows, n_columns, density, seed):
    dense = (np.random.default_rng(seed).random((n_rows, n_columns)) < density).astype(int)
    assert Dataset.of(csr_array(dense)).fingerprint == Dataset.of(dense).fingerprint


def test_fingerprint_does_not_depend_on_which_columns_are_sparse():
    dense = (np.random.default_rng(0).random((80, 9)) < 0.3).astype(int)
    even = Dataset.from_sparse(csr_array(dense[:, ::2]), names=[f"x{i}" for i in range(0, 9, 2)])
    mixed_forms = even.with_columns({f"x{i}": dense[:, i] for i in range(1, 9, 2)})
    ordered = mixed_forms.select([f"x{i}" for i in range(9)])
    assert len(ordered.blocks) == 2
    assert ordered.fingerprint == Dataset.of(dense).fingerprint


def test_fingerprint_is_the_same_for_the_same_table_built_twice():
    assert Dataset.of(mixed()).fingerprint == Dataset.of(mixed()).fingerprint


@pytest.mark.parametrize("name", ["binary", "text", "number", "wide"])
def test_fingerprint_changes_when_one_cell_changes(name):
    columns = mixed()
    original = Dataset.of(columns).fingerprint
    column = pd.Series(columns[name])
    other = column[column != column[41]].iloc[0]
    column[41] = other
    assert Dataset.of({**columns, name: column}).fingerprint != original


def test_fingerprint_changes_when_a_name_a_level_a_kind_or_the_order_changes():
    columns = mixed()
    renamed = {("Text" if k == "text" else k): v for k, v in columns.items()}
    relevelled = {**columns, "text": np.where(columns["text"] == "q", "qq", columns["text"])}
    retyped = {**columns, "binary": columns["binary"].astype(bool)}
    reordered = dict(reversed(columns.items()))
    declared = {
        **columns,
        "text": pd.Categorical(columns["text"], categories=["p", "q", "r", "s"]),
    }
    tables = [columns, renamed, relevelled, retyped, reordered, declared]
    prints = {Dataset.of(table).fingerprint for table in tables}
    prints.add(Dataset.of(columns, kinds={"binary": "continuous"}).fingerprint)
    assert len(prints) == 7


def test_names_that_run_together_are_told_apart():
    first = Dataset.from_columns({"ab": [0, 1], "c": [0, 1]})
    second = Dataset.from_columns({"a": [0, 1], "bc": [0, 1]})
    assert first.fingerprint != second.fingerprint


def test_constant_columns_count_by_the_level_seen():
    def constant(level):
        return Dataset.from_columns({"c": [level, level]}).fingerprint

    assert len({constant(level) for level in (0, 1, False, True, "0")}) == 5


def test_fingerprint_does_not_depend_on_the_step(monkeypatch):
    whole = Dataset.of(mixed()).fingerprint
    monkeypatch.setattr(naming, "_STEP", 150)
    assert Dataset.of(mixed()).fingerprint == whole


def test_large_arrays_that_print_alike_have_different_fingerprints():
    zeros = np.zeros(10_000)
    other = zeros.copy()
    other[5000] = 1.0
    assert Dataset.of({"c": zeros}).fingerprint != Dataset.of({"c": other}).fingerprint


def test_negative_zero_is_zero():
    assert Dataset.of({"c": [0.0, 1.0]}).fingerprint == Dataset.of({"c": [-0.0, 1.0]}).fingerprint
