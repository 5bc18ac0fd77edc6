"""Tables whose columns are brought to one kind, wherever their rows are: part by part if in parts.

frequency_cuts(data, columns, 3)   cuts of all rows, from exact order statistics
cut(data, cuts)                    numbers cut into categories
as_numbers(data, names)            categories that are numbers, as numbers
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray, frozen
from eiderdown.data.blocks import Category
from eiderdown.data.columns import Kind
from eiderdown.data.dataset import Dataset
from eiderdown.data.discretise import discretise, equal_frequency_cuts, interval_names, midpoints
from eiderdown.data.order_statistics import neighbours, order_statistics
from eiderdown.data.partitioned import PartitionedDataset, without_rows
from eiderdown.data.partitions import ChangedPartitions, with_flags


def frequency_cuts(
    data: Dataset, columns: Sequence[int] | IntArray, n_bins: int
) -> dict[str, FloatArray]:
    """Return the cuts of columns into intervals of about the same number of values, by name.

    They are those of :func:`~eiderdown.data.discretise.equal_frequency_cuts`.
    """
    chosen = [int(i) for i in columns]
    if not isinstance(data, PartitionedDataset):
        return {data.names[i]: equal_frequency_cuts(data.values(i), n_bins) for i in chosen}
    of = data.marginals
    varying = [i for i in chosen if of.least[i] < of.greatest[i]]
    wanted = {i: np.arange(1, n_bins) * (int(of.counts[i][0]) / n_bins) for i in varying}
    ranks = {i: (np.ceil(own).astype(np.int64) - 1).tolist() for i, own in wanted.items()}
    found = order_statistics(data, ranks) if varying else {}
    around = neighbours(data, found) if varying else {}
    cuts = {data.names[i]: np.empty(0) for i in chosen}
    for i in varying:
        pairs = []
        for count, number, near in zip(wanted[i], found[i].tolist(), around[i], strict=True):
            # The gap below or above the number, whichever has closer to what is wanted below it.
            is_closer = count - near.n_less <= near.n_up_to - count
            is_lower = np.isnan(near.after) or (not np.isnan(near.before) and is_closer)
            pairs.append((near.before, number) if is_lower else (number, near.after))
        gaps = np.arange(0, 2 * len(pairs), 2)
        cuts[data.names[i]] = np.unique(midpoints(np.array(pairs).ravel(), gaps))
    return cuts


def cut(data: Dataset, cuts: Mapping[str, FloatArray]) -> Dataset:
    """Cut columns of a table into intervals, as :func:`~eiderdown.data.discretise.discretise`."""
    if not isinstance(data, PartitionedDataset) or not cuts:
        return discretise(data, cuts)
    what = repr({name: points.tolist() for name, points in cuts.items()})
    categories = {name: interval_names(points) for name, points in cuts.items()}
    return _changed(data, partial(discretise, cuts=dict(cuts)), categories, what)


def as_numbers(data: Dataset, names: Sequence[str]) -> Dataset:
    """Read discrete columns whose categories are numbers as numbers."""
    if not isinstance(data, PartitionedDataset):
        return _as_numbers(data, names)
    categories = dict.fromkeys(names, ())
    return _changed(data, partial(_as_numbers, names=tuple(names)), categories, repr(names))


def _as_numbers(data: Dataset, names: Sequence[str]) -> Dataset:
    numbers = {}
    for name in names:
        i = data.index(name)
        numbers[name] = np.array([*data.categories(i), np.nan])[data.codes(i)]
    kinds = dict.fromkeys(numbers, Kind.CONTINUOUS)
    if len(numbers) < data.n_columns:
        return data.drop(list(numbers)).with_columns(numbers, kinds=kinds).select(data.names)
    return Dataset.from_columns(numbers, kinds=kinds)


def _changed(
    data: PartitionedDataset,
    change: Callable[[Dataset], Dataset],
    categories: Mapping[str, tuple[Category, ...]],
    what: str,
) -> PartitionedDataset:
    """Return a table whose parts are changed when they are asked."""
    of_part = partial(_changed_part, change, data.columns.tolist(), data.names, data.has_missing)
    like = data.partitions.reduce(partial(_first_row, of_part), _first)
    own = [categories.get(name, data.categories(i)) for i, name in enumerate(data.names)]
    return replace(
        data,
        held=tuple(without_rows(block) for block in like.held),
        _categories=tuple(own),
        finer={name: kind for name, kind in data.finer.items() if name not in categories},
        origin=None,
        partitions=ChangedPartitions(data.partitions, of_part, what),
        columns=frozen(np.arange(data.n_columns)),
        known=None,
    )


# --- work on one part, which may be done elsewhere ------------------------------------------------


def _changed_part(
    change: Callable[[Dataset], Dataset],
    columns: list[int],
    names: tuple[str, ...],
    has_missing: BoolArray,
    part: Dataset,
) -> Dataset:
    """Change some columns of a part, which may have other names there."""
    own = replace(part._picked(np.array(columns)), names=names)
    return with_flags(change(own), has_missing)


def _first_row(change: Callable[[Dataset], Dataset], part: Dataset) -> Dataset:
    return change(with_flags(part.take([0]), part.has_missing))


def _first(one: Dataset, _: Dataset) -> Dataset:
    return one
