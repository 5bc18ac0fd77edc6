"""One table of every kind of column, whole and in parts, and what is asked of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from eiderdown import Dataset
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.data.partitions import ListedPartitions, with_flags
from eiderdown.registry import Entry

N_ROWS = 240
CUTS = {1: (0, N_ROWS), 3: (0, 31, 180, N_ROWS)}
"""Where parts begin and end, by how many there are."""

COLUMNS = {
    "discrete": ("sick", "kind", "grade", "coin"),
    "continuous": ("size", "bent", "visits", "time"),
    "mixed": ("size", "bent", "visits", "time", "died", "sick", "kind", "grade", "coin"),
}
TARGETS = {
    "discrete": ("sick", "grade"),
    "continuous": ("size", "visits"),
    "mixed": ("bent", "visits", "sick", "grade", "time"),
}


def whole_table(kinds: str, gaps: float) -> Dataset:
    """Columns that depend on each other, some of them with gaps."""
    rng = np.random.default_rng(7)
    hidden = rng.normal(size=N_ROWS)
    until, censored = rng.exponential(size=(2, N_ROWS)) * np.exp(-0.5 * hidden)
    columns = {
        "size": hidden + rng.normal(size=N_ROWS),
        "bent": hidden**2 + rng.normal(size=N_ROWS),
        "visits": rng.poisson(np.exp(0.4 * hidden)).astype(float),
        "time": np.ceil(30.0 * np.minimum(until, censored)),
        "died": (until <= censored).astype(int),
        "sick": np.where(hidden + rng.logistic(size=N_ROWS) > 0, "yes", "no"),
        "kind": np.array(["u", "v", "w"])[
            np.digitize(hidden + rng.normal(size=N_ROWS), [-0.5, 0.5])
        ],
        "grade": np.digitize(hidden + rng.normal(size=N_ROWS), [-1, 0, 1]),
        "coin": rng.choice(["p", "q"], N_ROWS),
    }
    cells = {name: np.array(columns[name], dtype=object) for name in COLUMNS[kinds]}
    for name in ("bent", "sick", "coin", "time"):
        if name in cells:
            cells[name][rng.random(N_ROWS) < gaps] = None
    declared = {"grade": "ordered", "visits": "count", "time": "continuous"}
    return Dataset.from_columns(cells, kinds={n: k for n, k in declared.items() if n in cells})


def in_parts(data: Dataset, n_parts: int, budget: int | None = None) -> PartitionedDataset:
    """Cut a table into uneven parts, of which so many bytes may be in memory at once."""
    parts = [
        with_flags(data.take(np.arange(start, stop)), data.has_missing)
        for start, stop in pairwise(CUTS[n_parts])
    ]
    table = PartitionedDataset.over(ListedPartitions(parts), data)
    table.partitions.budget = budget
    return table


def configured(entry: Entry[..., Any]) -> Iterator[Entry[..., Any]]:
    """Yield an entry as it is, and with each other choice of its options."""
    yield entry
    for name, option in entry.options.items():
        choices = (True, False) if option.type is bool else option.choices or ()
        for choice in choices:
            if choice != option.default:
                needs_event = choice == "cox"
                yield entry(**{name: choice}, **({"event": "died"} if needs_event else {}))


def differences(mine: Any, theirs: Any, tolerance: float, where: str = "") -> list[str]:
    """Say in what two results differ, beyond seconds and digests; numbers by a tolerance."""
    if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
        keys = (set(mine) | set(theirs)) - {"seconds", "fingerprint"}
        found = [differences(mine.get(k), theirs.get(k), tolerance, f"{where}.{k}") for k in keys]
        return [text for texts in found for text in texts]
    if _is_list(mine) and _is_list(theirs) and len(mine) == len(theirs):
        pairs = enumerate(zip(mine, theirs, strict=True))
        found = [differences(a, b, tolerance, f"{where}[{k}]") for k, (a, b) in pairs]
        return [text for texts in found for text in texts]
    if isinstance(mine, float) and isinstance(theirs, float):
        same = math.isclose(mine, theirs, rel_tol=tolerance, abs_tol=tolerance)
        return [] if same or mine == theirs else [f"{where}: {mine} and {theirs}"]
    return [] if mine == theirs else [f"{where}: {mine!r} and {theirs!r}"]


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
