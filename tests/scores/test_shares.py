"""Items of sweeps are even, have each candidate once, and are cut where that costs little."""

from __future__ import annotations

import numpy as np
import pytest

from eiderdown import networks
from eiderdown.scores import BicScore, cell_masks, shares
from eiderdown.scores.sweeps import PackedSweeps


def sweeps_of(data, sizes):
    """Return sweeps about one child each, with so many candidates."""
    others = np.arange(data.n_columns)
    return PackedSweeps.of(
        [(child, (), np.delete(others, child)[:size]) for child, size in enumerate(sizes)]
    )


def costs_of(data, packed):
    costs = shares.Costs(np.empty(len(packed.children)), np.empty(len(packed.candidates)))
    shares.estimate.as_python(BicScore(data)._columns, packed, costs)
    return costs


def items_of(data, packed, n_threads=2):
    items = np.empty((shares.MOST_ITEMS, 4), dtype=np.int64)
    n = shares.cut.as_python(packed, costs_of(data, packed), n_threads, items)
    return items[:n].tolist()


@pytest.mark.parametrize("sizes", [[36], [36, 36], [30, 2, 1, 20], [36] * 37, [0, 36, 0, 0, 5]])
@pytest.mark.parametrize("n_rows", [100, 2_000, 100_000])
@pytest.mark.parametrize("n_threads", [2, 3, 8])
def test_every_candidate_is_in_one_item_with_its_sweep(sizes, n_rows, n_threads):
    data = networks.load("alarm").sample(n_rows, random_state=0)
    packed = sweeps_of(data, sizes)
    items = items_of(data, packed, n_threads)
    assert len(items) < shares.MOST_ITEMS
    done = [b for _, start, end, _ in items for b in range(start, end)]
    assert sorted(done) == list(range(len(packed.candidates)))
    for k, start, _, _ in items:
        assert packed.starts[k] <= start < packed.ends[k]
    costs = [cost for *_, cost in items]
    assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("n_threads", [2, 3, 8])
@pytest.mark.parametrize("sizes", [[36], [36, 0, 0], [0, 0, 36], [20, 0, 36], [36, 36], [36] * 37])
def test_threads_that_take_items_in_turn_finish_together(sizes, n_threads):
    data = networks.load("alarm").sample(100_000, random_state=0)
    packed = sweeps_of(data, sizes)
    busy, shared = [0] * n_threads, costs_of(data, packed).shared.max()
    for *_, cost in items_of(data, packed, n_threads):
        busy[busy.index(min(busy))] += cost
    whole = sum(map(np.sum, costs_of(data, packed)))
    assert max(busy) <= 1.15 * whole / n_threads + 2 * max(shared, 6_000)


def test_a_sweep_is_cut_once_for_each_thread_that_joins():
    data = networks.load("pigs").sample(50_000, random_state=0)
    packed = sweeps_of(data, [data.n_columns - 1])
    for n_threads in (2, 3, 8):
        costs = [cost for *_, cost in items_of(data, packed, n_threads)]
        assert len(costs) == n_threads
        assert max(costs) < 1.1 * min(costs)


def test_little_work_is_left_together():
    data = networks.load("alarm").sample(100, random_state=0)
    assert len(items_of(data, sweeps_of(data, [10, 10]))) == 1


@pytest.mark.parametrize("n_rows", [1, 63, 64, 200])
@pytest.mark.parametrize("parents", [(), (3,), (3, 7), (3, 7, 9, 11, 13, 15)])
def test_masks_from_planes_and_from_labels_are_the_same(n_rows, parents):
    data = networks.load("alarm").sample(n_rows, random_state=0)
    columns = BicScore(data)._columns
    sets = np.array([parents], dtype=np.int64).reshape(1, -1)
    n_cells = int(np.prod(data.n_categories[[5, *parents]]))
    found = cell_masks.n_cut_cells.as_python(columns, 5, sets, 0)
    assert found == (n_cells if n_cells <= 256 else 0)
    if not found:
        return
    n_words = columns.planes.shape[1]
    masks = np.empty(n_cells * n_words, dtype=np.int64)
    sizes, place = np.empty(n_cells, dtype=np.int64), np.empty(n_cells, dtype=np.int64)
    with np.errstate(over="ignore"):  # as in compiled code
        cell_masks.cut_masks.as_python(columns, 5, sets, 0, (0, n_words), masks)
    labels = np.zeros(n_rows, dtype=np.int64)
    for x in (*parents, 5):
        labels = labels * data.n_categories[x] + data.codes(x)
    expected = np.zeros((n_cells, 64 * n_words), dtype=np.uint8)
    expected[labels, np.arange(n_rows)] = 1
    bits = np.unpackbits(masks.view(np.uint8), bitorder="little").reshape(n_cells, -1)
    assert np.array_equal(bits, expected)
    assert cell_masks.size_masks.as_python(masks, n_words, sizes, place) == len(set(labels))
    assert sizes.tolist() == np.bincount(labels, minlength=n_cells).tolist()
