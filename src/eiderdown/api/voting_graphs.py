"""Graphs that vote on a boundary: learned among the columns near a target, by several scores."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from threading import Lock
from typing import Any

import numpy as np

from eiderdown.boundary.problem import LearnedGraph
from eiderdown.data import Dataset
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.forked import is_forked
from eiderdown.progress import Trace
from eiderdown.registry import Score
from eiderdown.scores import make_score
from eiderdown.scores.registry import BDEU, BGE, DEGENERATE_GAUSSIAN, QNML

FEWEST_COMPLETE = 20
"""With fewer rows that are complete in all columns near the target, graphs do not vote."""

SCORES_OF_VOTES: Mapping[str, tuple[tuple[Score[..., Any], int], ...]] = {
    "discrete": ((QNML, 10), (BDEU(equivalent_sample_size=10), 4)),
    "continuous": ((DEGENERATE_GAUSSIAN, 4), (BGE, 4)),
    "mixed": ((DEGENERATE_GAUSSIAN, 10), (DEGENERATE_GAUSSIAN, 4)),
}
"""By which scores a search that needs some learns graphs, for each kind of table. An edge costs
ln(columns / this number) beside the score: chance among many columns must not pay."""

USUAL_ALPHA = 0.01
"""Significance level by which edges cost no more than that; with a smaller one they do."""


_ONE_AT_A_TIME = Lock()
"""Threads learn graphs in turns. That is thousands of short steps of Python, which they could only
take by handing its lock over and over to each other; meanwhile they test. A forked process has a
lock of its own."""


def graphs_among(
    data: Dataset,
    alpha: float,
    trace: Trace,
    memory: dict[Any, Any] | None,
    n_jobs: int | None,
    columns: Sequence[int],
) -> Iterator[LearnedGraph]:
    """Learn a class of graphs among some columns by each score, and return one of each class.

    The first column is the one that is asked about. Rows in which one of the columns is missing are
    left out, and so are copies of earlier columns. What is learned stays in the memory, if there is
    one: another alpha may ask for the same graphs.
    """
    from eiderdown.structure.equivalence.ges import ges_parents  # of few callers' concern
    from eiderdown.structure.equivalence.search import EquivalenceSearch

    known, asked = {} if memory is None else memory, tuple(columns)
    if asked not in known:
        known[asked] = _table_among(data, asked)
    table = known[asked]
    if table is None:
        return
    left = [data.index(name) for name in table.names]
    is_discrete = table.is_discrete
    kind = "discrete" if is_discrete.all() else "mixed" if is_discrete.any() else "continuous"
    for number, (source, free) in enumerate(SCORES_OF_VOTES[kind]):
        price = max(0.0, math.log(data.n_columns / free)) + max(0.0, math.log(USUAL_ALPHA / alpha))
        if (asked, number) not in known:
            # In memory the counts of so few columns are not worth a thread; in parts they are.
            in_parts = isinstance(table, PartitionedDataset)
            known[asked, number] = make_score(source, table, n_jobs if in_parts else 1)
        if (asked, number, price) not in known:
            with nullcontext() if is_forked() else _ONE_AT_A_TIME:
                search = EquivalenceSearch(known[asked, number], edge_price=price)
                known[asked, number, price] = ges_parents(search, trace=trace)
        graph = known[asked, number, price]
        families = (tuple(left[p] for p in parents) for parents in graph)
        parents = dict.fromkeys(columns, ()) | dict(zip(left, families, strict=True))
        yield LearnedGraph(source.name, parents)


def _table_among(data: Dataset, columns: tuple[int, ...]) -> Dataset | None:
    """Return the complete rows of some columns, without copies; None if the rows are too few."""
    table = data.select([data.names[i] for i in columns])
    if table.has_missing.any():
        incomplete = np.flatnonzero(table.has_missing).tolist()
        if table.n_complete(incomplete) < FEWEST_COMPLETE:
            return None
        table = table.complete_in(incomplete)
        table = table.drop(table.constant_columns())
    return table.drop(_copies(table, but=data.names[columns[0]]))


def _copies(table: Dataset, but: str) -> list[str]:
    """Return the columns that equal an earlier one: scores cannot choose between the two.

    Numbers equal others in whatever unit. Copies of the target are its boundary, and stay.
    """
    asked = [i for i in _that_may_be_copies(table) if table.names[i] != but]
    digests = _digests(table, asked)
    seen: set[bytes] = set()
    copies = []
    for i, digest in zip(asked, digests, strict=True):
        if digest in seen:
            copies.append(table.names[i])
        seen.add(digest)
    return copies


def _digests(table: Dataset, columns: list[int]) -> list[bytes]:
    """Return a digest of each column's cells, of every part of the table one after the other."""
    if not columns:
        return []
    scales = [None if table.is_discrete[i] else _scale(table, i) for i in columns]
    return table.reduce(partial(_digests_of_part, scales), _behind, columns)


def _scale(table: Dataset, column: int) -> tuple[float, float]:
    """Return the first number of a column, and how far the farthest one is from it."""
    if isinstance(table, PartitionedDataset):
        first = table.reduce(_first_number, _former, [column])
        ends = np.array([table.marginals.greatest[column], table.marginals.least[column]])
    else:
        ends = table.values(column)
        first = float(ends[0])
    away = ends - first
    return first, float(away[np.abs(away).argmax()]) or 1.0


def _first_number(part: Dataset) -> float:
    return float(part.values(0)[0])


def _former(first: float, second: float) -> float:  # noqa: ARG001
    return first


def _digests_of_part(scales: list[tuple[float, float] | None], part: Dataset) -> list[bytes]:
    """Digest the cells of a part; numbers as seen from the first, so far as rounding lets them."""
    digests = []
    for i, scale in enumerate(scales):
        if scale is None:
            cells: Any = part.codes(i)
        else:
            first, farthest = scale
            cells = np.round((part.values(i) - first) / farthest, 9) + 0.0  # no -0
        kind = b"codes" if scale is None else b"numbers"
        digest = hashlib.blake2b(np.ascontiguousarray(cells).data, digest_size=32, person=kind)
        digests.append(digest.digest())
    return digests


def _behind(left: list[bytes], right: list[bytes]) -> list[bytes]:
    return [a + b for a, b in zip(left, right, strict=True)]


def _that_may_be_copies(table: Dataset) -> Iterable[int]:
    """Return the columns to compare; in parts only those of which others are as frequent.

    All numbers are, so that they are compared in one pass.
    """
    if not isinstance(table, PartitionedDataset):
        return range(table.n_columns)
    alike: dict[tuple[bool, ...], list[int]] = {}
    for i, counts in enumerate(table.marginals.counts):
        alike.setdefault((bool(table.is_discrete[i]), *counts.tolist()), []).append(i)
    return sorted(i for columns in alike.values() if len(columns) > 1 for i in columns)
