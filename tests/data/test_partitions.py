"""One suite for all partitions: they answer as the whole table in memory does."""

from __future__ import annotations

import functools
import itertools
import operator

import numpy as np
import pytest
from pyarrow import parquet

from eiderdown.data import Dataset
from eiderdown.data.packing.store import packed
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.data.partitions import Marginals, MemoryPartitions, Partitions, with_flags
from eiderdown.options import options_of
from eiderdown.shared_options import ReadOptions

N_PARTS = 5


@pytest.fixture(scope="module")
def whole() -> Dataset:
    """Codes of one and two bytes, numbers and missing values, of which one part has none."""
    rng = np.random.default_rng(0)
    n = 1503
    number = rng.normal(size=n)
    number[rng.random(n) < 0.1] = np.nan
    texts = rng.choice(["a", "b", "c"], n).astype(object)
    texts[:40] = None
    return Dataset.of(
        {
            "text": texts,
            "whole": rng.integers(0, 4, n),
            "many": rng.integers(0, 300, n),
            "number": number,
        },
        kinds={"many": "category"},
    )


class PartitionsConformance:
    """What all partitions must answer; subclasses say which in a fixture."""

    def test_has_all_rows(self, partitions, whole):
        assert partitions.n_rows == whole.n_rows

    def test_answers_come_in_the_order_of_the_rows(self, partitions, whole):
        values = np.concatenate(list(partitions.map(numbers)))
        np.testing.assert_array_equal(values, whole.values(3))

    def test_reduce_merges_in_the_order_of_the_rows(self, partitions, whole):
        """Concatenation is associative but not commutative."""
        codes = partitions.reduce(codes_of_many, joined)
        np.testing.assert_array_equal(codes, whole.codes(2))

    def test_every_part_has_the_form_of_the_whole(self, partitions, whole):
        forms = list(partitions.map(form))
        assert len(forms) > 1
        assert all(found == form(whole) for found in forms)

    def test_marginals_are_those_of_the_whole(self, partitions, whole):
        found, expected = partitions.reduce(Marginals.of, operator.add), Marginals.of(whole)
        for own, other in zip(found.counts, expected.counts, strict=True):
            np.testing.assert_array_equal(own, other)
        np.testing.assert_array_equal(found.least, expected.least)
        np.testing.assert_array_equal(found.greatest, expected.greatest)

    def test_the_table_in_memory_is_the_whole(self, partitions, whole):
        table = PartitionedDataset.over(partitions, whole)
        assert table.in_memory().fingerprint == whole.fingerprint

    def test_rows_with_values_are_those_of_the_whole(self, partitions, whole):
        table = PartitionedDataset.over(partitions, whole)
        complete, expected = table.complete_in([0, 3]), whole.complete_in([0, 3])
        assert complete.n_rows == expected.n_rows == table.n_complete([0, 3])
        assert complete.in_memory().fingerprint == expected.fingerprint
        rows = complete.partitions.map(operator.attrgetter("n_rows"))
        assert sum(rows) == complete.partitions.n_rows

    def test_an_error_of_the_work_is_raised(self, partitions):
        with pytest.raises(ZeroDivisionError):
            list(partitions.map(failing))
        with pytest.raises(ZeroDivisionError):
            partitions.reduce(failing, joined)


def numbers(part: Dataset) -> np.ndarray:
    return part.values(3).copy()


def codes_of_many(part: Dataset) -> np.ndarray:
    return part.codes(2).copy()


def joined(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return np.concatenate([left, right])


def form(part: Dataset) -> tuple[object, ...]:
    categories = tuple(part.categories(i) for i in range(part.n_columns))
    types = tuple(getattr(block, "codes", np.zeros(0)).dtype for block in part.held)
    return part.names, categories, part.has_missing.tolist(), types, part.finer


def failing(part: Dataset) -> float:
    return 1 / 0


def part_of(whole: Dataset, start: int, stop: int) -> Dataset:
    return with_flags(whole.take(np.arange(start, stop)), whole.has_missing)


def cuts(n_rows: int) -> list[tuple[int, int]]:
    """Return parts of different lengths."""
    ends = [0, 1, 60, 200, 333, n_rows]
    return list(itertools.pairwise(ends))


class TestMemoryPartitions(PartitionsConformance):
    @pytest.fixture
    def partitions(self, whole) -> Partitions:
        return MemoryPartitions(whole, N_PARTS)


class TestStoredPartitions(PartitionsConformance):
    @pytest.fixture
    def partitions(self, whole, tmp_path, monkeypatch) -> Partitions:
        monkeypatch.setattr("eiderdown.data.packing.pack.MOST_ROWS", 300)
        path = tmp_path / "table.parquet"
        parquet.write_table(whole.to_arrow(), path, row_group_size=100)
        options = {name: option.default for name, option in options_of(ReadOptions).items()}
        stored = packed(path, options | {"kinds": {"many": "category"}}, where=tmp_path / "stores")
        return stored.partitions


def test_reduce_of_one_part_is_its_answer(whole):
    assert (
        MemoryPartitions(whole, 1).reduce(operator.attrgetter("n_rows"), operator.add)
        == whole.n_rows
    )


def test_reduce_may_be_built_on_map_alone(whole):
    class Plain(Partitions):
        n_rows, fingerprint = whole.n_rows, whole.fingerprint

        def map(self, work, n_jobs=None):
            return map(work, [part_of(whole, *cut) for cut in cuts(whole.n_rows)])

    expected = functools.reduce(joined, Plain().map(codes_of_many))
    np.testing.assert_array_equal(Plain().reduce(codes_of_many, joined), expected)
