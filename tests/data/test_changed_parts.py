"""Order statistics, cuts and columns of another kind: of parts as of all rows in memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown import Dataset, find_boundary, learn_network
from eiderdown.data.changed_parts import as_numbers, cut, frequency_cuts
from eiderdown.data.order_statistics import order_statistics
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.data.partitions import MemoryPartitions
from examples import examples

TINY = 100  # bytes: not even one column


def parted(data: Dataset, n_parts: int) -> PartitionedDataset:
    parts = PartitionedDataset.over(MemoryPartitions(data, n_parts), data)
    parts.partitions.budget = TINY
    return parts


def table(seed: int, n_rows: int, n_values: int) -> Dataset:
    """Numbers with ties, of both signs and all sizes, some with gaps, and categories."""
    rng = np.random.default_rng(seed)
    tied = rng.integers(-n_values, n_values + 1, n_rows) / 4.0
    columns = {
        "wide": rng.normal(size=n_rows) * 10.0 ** rng.integers(-300, 300, n_rows),
        "tied": np.where(tied == 0.0, rng.choice([0.0, -0.0], n_rows), tied),
        "gaps": np.where(rng.random(n_rows) < 0.3, np.nan, tied),
        "flat": np.full(n_rows, 2.5),
        "grade": rng.integers(0, 3, n_rows),
        "kind": rng.choice(["a", "b"], n_rows),
    }
    columns["gaps"][0] = 0.125
    kinds = dict.fromkeys(("wide", "tied", "gaps", "flat"), "continuous")
    return Dataset.from_columns(columns, kinds=kinds | {"grade": "discrete"})


@examples(20)
@given(
    seed=st.integers(0, 10_000),
    n_rows=st.integers(2, 60),
    n_values=st.integers(0, 9),
    n_parts=st.sampled_from([1, 2, 5]),
)
def test_quantiles_ranks_and_cuts_are_those_of_memory(seed, n_rows, n_values, n_parts) -> None:
    data = table(seed, n_rows, n_values)
    parts = parted(data, n_parts)
    shares = (0.0, 0.1, 0.25, 0.5, 0.75, 0.99, 1.0)
    for i in range(4):
        np.testing.assert_array_equal(parts.quantiles(i, shares), data.quantiles(i, shares))
        known = np.sort(data.values(i)[~np.isnan(data.values(i))])
        ranks = sorted({0, len(known) // 3, len(known) - 1})
        np.testing.assert_array_equal(order_statistics(parts, {i: ranks})[i], known[ranks])
    for n_bins in (2, 3, 7):
        mine, theirs = (frequency_cuts(t, [0, 1, 2, 3], n_bins) for t in (parts, data))
        assert mine.keys() == theirs.keys()
        for name, points in theirs.items():
            np.testing.assert_array_equal(mine[name], points)


def assert_same_table(found: PartitionedDataset, expected: Dataset) -> None:
    assert found.names == expected.names
    assert [found.kind(i) for i in range(found.n_columns)] == [
        expected.kind(i) for i in range(expected.n_columns)
    ]
    found.partitions.budget = None
    for i in range(expected.n_columns):
        assert found.categories(i) == expected.categories(i)
        assert found.n_missing(i) == expected.n_missing(i)
    assert found.in_memory().fingerprint == expected.fingerprint


def test_columns_are_cut_part_by_part() -> None:
    data = table(1, 90, 5)
    cuts = frequency_cuts(data, [0, 1, 2], 3)
    for names in (data.names, ("kind", "gaps", "wide", "tied")):
        expected, parts = data.select(names), parted(data, 4).select(names)
        assert_same_table(cut(parts, cuts), cut(expected, cuts))


def test_categories_are_read_as_numbers_part_by_part() -> None:
    data = table(2, 90, 5)
    for names in (data.names, ("grade",)):
        expected, parts = data.select(names), parted(data, 4).select(names)
        assert_same_table(as_numbers(parts, ["grade"]), as_numbers(expected, ["grade"]))


@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
def test_searches_that_need_one_kind_need_no_rows_in_memory() -> None:
    data = table(3, 400, 40).drop(["flat"])
    for ask in (
        lambda t: learn_network(t).edges,
        lambda t: find_boundary(t, "kind", test="g_square").evidence,
        lambda t: find_boundary(t, "tied", test="fisher_z", exclude=["kind"]).members,
    ):
        assert ask(parted(data, 3)) == ask(data)
