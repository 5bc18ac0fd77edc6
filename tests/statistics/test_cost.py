"""The cost model picks sensibly, and a forced path is obeyed where the storage allows it."""

from __future__ import annotations

import numpy as np
import pytest

from eiderdown.statistics import CountStatistics, Path
from eiderdown.statistics.cost import SweepShape, cheapest, cost_of
from random_tables import mixed_table


@pytest.mark.parametrize(
    ("shape", "path"),
    [
        (SweepShape(100_000, 4, 2, 500), Path.PLANES),
        (SweepShape(100_000, 5_000, 2, 500), Path.CODES),
        (SweepShape(100_000, 60, 16, 1), Path.CODES),
        (SweepShape(1_909, 2, 2, 139_351, mean_listed=13.0), Path.SPARSE),
        (SweepShape(1_000_000, 2, 2, 1_000, mean_listed=400_000.0), Path.PLANES),
    ],
)
def test_the_cheapest_path_fits_the_shape(shape, path):
    assert cheapest(shape, has_planes=True) is path


def test_without_planes_only_the_storage_is_left():
    assert cheapest(SweepShape(100_000, 4, 2, 500), has_planes=False) is Path.CODES


@pytest.mark.parametrize("path", list(Path))
def test_more_rows_never_cost_less(path):
    costs = [cost_of(path, SweepShape(n, 6, 3, 10, mean_listed=n / 4)) for n in (10, 1_000, 10**6)]
    assert costs == sorted(costs)


def paths_taken(monkeypatch, forced):
    """Which kernels a sweep over a sparse, a small and a 40-level column calls."""
    from eiderdown.statistics import kernels

    taken = []
    for path in Path:
        real = getattr(kernels, f"count_{path.value}")

        def spy(*arguments, path=path, real=real):
            taken.append(path)
            real(*arguments)

        monkeypatch.setattr(kernels, f"count_{path.value}", spy)
    rng = np.random.default_rng(0)
    dense = [rng.integers(0, categories, 100) for categories in (2, 3, 40)]
    table = mixed_table(dense, [2, 3, 40], [rng.integers(0, 2, 100)])
    CountStatistics(table.data, path=forced).tables([0, 2, 3], 1)
    return sorted(taken, key=lambda path: path.value)


@pytest.mark.parametrize(
    ("forced", "expected"),
    [
        (Path.CODES, [Path.CODES, Path.CODES]),  # and the sparse column as it is cheapest
        (Path.PLANES, [Path.CODES, Path.PLANES, Path.PLANES]),  # 40 categories have no planes
        (Path.SPARSE, [Path.CODES, Path.SPARSE]),
    ],
)
def test_a_forced_path_is_obeyed_where_the_storage_allows_it(monkeypatch, forced, expected):
    taken = paths_taken(monkeypatch, forced)
    assert len(taken) == 3
    for path in set(expected):
        assert taken.count(path) >= expected.count(path)


def test_planes_of_sparse_columns_are_made_when_sweeps_have_missed_them_for_long_enough():
    rng = np.random.default_rng(0)
    sparse = [(rng.random(2_000) < 0.05).astype(int) for _ in range(30)]
    data = mixed_table([rng.integers(0, 2, 2_000)], [2], sparse).data
    (block,) = [i for i, block in enumerate(data.blocks) if len(block.variables) == 30]
    counts, columns = CountStatistics(data), list(range(1, 31))
    expected = CountStatistics(data, path=Path.SPARSE).tables(columns, 0)
    n_before = 0
    while not data.has_bit_planes(block):
        for table, known in zip(counts.tables(columns, 0), expected, strict=True):
            np.testing.assert_array_equal(table, known)
        n_before += 1
    assert 2 <= n_before <= 100
    for table, known in zip(counts.tables(columns, 0), expected, strict=True):
        np.testing.assert_array_equal(table, known)
