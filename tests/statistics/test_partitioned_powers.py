"""Numbers that bend: the same choice, columns and correlations in memory and in parts."""

from __future__ import annotations

import numpy as np
import pytest

from eiderdown import Dataset, find_boundary
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.data.partitions import MemoryPartitions
from eiderdown.data.sampled_rows import sampled_rows
from eiderdown.independence import bends, make_test
from eiderdown.statistics.moments import Coding, MomentStatistics
from eiderdown.statistics.partitioned_moments import TOLERANCE_OF_PARTS, PartitionedMoments


def parted(data: Dataset, n_parts: int) -> PartitionedDataset:
    parts = PartitionedDataset.over(MemoryPartitions(data, n_parts), data)
    parts.partitions.budget = 100  # not even for one column
    return parts


def bent(n_rows: int = 600, missing: float = 0.0) -> Dataset:
    """Numbers far from 0, with long tails, of two and three values, of one; and a category."""
    rng = np.random.default_rng(n_rows)
    x = rng.normal(size=n_rows)
    columns = {
        "x": x + 1e4,
        "square": np.where(rng.random(n_rows) < missing, np.nan, x**2 + rng.normal(size=n_rows)),
        "tail": rng.exponential(size=n_rows) ** 3,
        "uneven": np.where(rng.random(n_rows) < 0.3, 1.5, 2.5),
        "even": np.where(np.arange(n_rows) % 2, 0.0, 1.1),
        "three": rng.choice([0.0, 1.0, 7.1], n_rows),
        "flat": np.full(n_rows, 2.5),
        "kind": rng.choice(["a", "b", "c"], n_rows),
        "sick": np.where(x**2 + rng.logistic(size=n_rows) > 1, "yes", "no"),
    }
    kinds = {name: "continuous" for name in columns if name not in ("kind", "sick")}
    return Dataset.from_columns(columns, kinds=kinds)


@pytest.mark.parametrize("basis", ["quadratic", "cubic"])
@pytest.mark.parametrize("n_parts", [1, 3, 40])
def test_powers_of_parts_are_those_in_memory(basis, n_parts) -> None:
    data, coding = bent(), Coding(basis)
    whole = MomentStatistics(data, coding=coding)
    parts = PartitionedMoments(parted(data, n_parts), coding=coding)
    for name in ("first", "n_main", "varies", "unusable"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))
    for i in range(data.n_columns):
        np.testing.assert_allclose(
            parts.correlations(i), whole.correlations(i), rtol=0.0, atol=TOLERANCE_OF_PARTS
        )
        np.testing.assert_allclose(parts.unit_columns(i), whole.unit_columns(i), atol=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("target", ["x", "square", "sick", "kind"])
@pytest.mark.parametrize("most", [200, 100_000])
def test_the_default_test_bends_in_parts_as_it_does_in_memory(
    missing, target, most, monkeypatch
) -> None:
    monkeypatch.setattr(bends, "MOST_ROWS", most)
    data = bent(1_000, missing).drop(["flat"])
    y = data.index(target)
    whole, parts = make_test("auto", data, y), make_test("auto", parted(data, 4), y)
    assert parts.description == whole.description
    for given in [[], [2], [2, 5]]:
        xs = [i for i in range(data.n_columns) if i != y and i not in given]
        mine, theirs = parts.sweep(xs, y, given), whole.sweep(xs, y, given)
        np.testing.assert_allclose(mine.values, theirs.values, rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
def test_a_bent_cause_is_found_in_parts() -> None:
    data = bent(2_000)
    whole, parts = (find_boundary(table, "square") for table in (data, parted(data, 5)))
    assert "x" in parts.members
    assert parts.members == whole.members
    assert parts.run.options["test"] == whole.run.options["test"]
    assert parts.run.options["basis"] == "cubic"


def test_rows_are_sampled_by_what_they_hold() -> None:
    data = bent(3_000)
    rng = np.random.default_rng(0)
    expected = sampled_rows(data, 500)
    assert expected.n_rows == 500
    turned = data.take(rng.permutation(data.n_rows))
    for other in (sampled_rows(turned, 500), sampled_rows(parted(turned, 7), 500)):
        assert other.fingerprint == expected.fingerprint
    assert sampled_rows(parted(data, 7), 3_000).fingerprint == data.fingerprint


@pytest.mark.parametrize("n_distinct", [1, 30, 700])
def test_rows_that_repeat_are_sampled_in_proportion(n_distinct) -> None:
    rng = np.random.default_rng(n_distinct)
    x = np.minimum(rng.geometric(3.0 / n_distinct if n_distinct > 3 else 1.0, 20_000), n_distinct)
    data = Dataset.from_columns({"x": x.astype(float), "y": -0.0 * x}, kinds={"x": "continuous"})
    few, parts = sampled_rows(data, 1_000), sampled_rows(parted(data, 9), 1_000)
    assert parts.fingerprint == few.fingerprint
    assert few.n_rows == pytest.approx(1_000, abs=100)
    values, counts = np.unique(few.values(0), return_counts=True)
    for value, count in zip(values, counts, strict=True):
        assert abs(count - np.sum(x == value) / 20) <= 1.0
