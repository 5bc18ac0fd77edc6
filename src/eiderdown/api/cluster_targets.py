"""Searches around many targets, shared out among the workers of a cluster.

Every worker has the whole table, and searches around some targets as one machine does around all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from eiderdown.data import Dataset
from eiderdown.progress import Cancelled
from eiderdown.results import LocalResult, Run

if TYPE_CHECKING:
    from eiderdown.data.cluster.layout import Layout
    from eiderdown.data.cluster.partitions import HeldRows
    from eiderdown.data.partitioned import PartitionedDataset

R = TypeVar("R")

_SHARES_PER_THREAD = 4
"""Into how many shares the targets of a thread are cut: more even work, but fewer shared tests."""


@dataclass(frozen=True)
class SharedOut:
    """What workers have found around targets.

    Attributes
    ----------
    layout : Layout or None
        How the table was shared out; None if targets were not.
    results : iterable
        What is found around each target, as it comes, until the work is cancelled.
    """

    layout: Layout | None = None
    results: Iterable[LocalResult] = ()

    def recorded(self, run: Run) -> Run:
        """Write down in a run how the table was shared out, if it was."""
        return run if self.layout is None else _with_option(run, self.layout)


def with_layout(result: R, table: Dataset) -> R:
    """Write down in a result how the table was shared out, unless its verb has done so."""
    run = getattr(result, "run", None)
    if not isinstance(run, Run) or "cluster" in run.options or not hasattr(table, "partitions"):
        return result
    from eiderdown.data.cluster.tables import is_on_cluster, layout_for

    if not is_on_cluster(table):
        return result
    found: Any = result
    return cast("R", replace(found, run=_with_option(run, layout_for(cast("Any", table)))))


def _with_option(run: Run, layout: Layout) -> Run:
    return replace(run, options={**run.options, "cluster": layout.why})


def shared_out(table: Dataset, targets: Sequence[str], options: Mapping[str, Any]) -> SharedOut:
    """Search around targets on the workers that hold a table, if that pays; else do nothing."""
    if not hasattr(table, "partitions"):
        return SharedOut()
    from eiderdown.data.cluster.tables import is_on_cluster, layout_for

    there = cast("PartitionedDataset", table)
    if not is_on_cluster(there):
        return SharedOut()
    layout = layout_for(there, len(targets))
    if layout.by != "targets":
        return SharedOut()
    own = {name: value for name, value in options.items() if name not in _OF_THE_WHOLE}
    return SharedOut(layout, _found_there(there, targets, own))


def _found_there(
    table: PartitionedDataset, targets: Sequence[str], options: Mapping[str, Any]
) -> Iterator[LocalResult]:
    """Yield what workers find; each of them has the whole table."""
    from eiderdown.data.cluster.questions import Question
    from eiderdown.data.cluster.shards import copies_of, workforce_of

    copies, workforce = copies_of(table), workforce_of(table)
    n_shares = min(len(targets), _SHARES_PER_THREAD * sum(workforce.threads().values()))
    shares = [list(targets[k::n_shares]) for k in range(n_shares)]
    questions = [
        Question(k, [copies[k % len(copies)]], partial(_search, share, options))
        for k, share in enumerate(shares)
    ]
    with suppress(Cancelled):
        for _, results in workforce.ask(questions):
            yield from results


_OF_THE_WHOLE = (
    *("client", "memory", "store", "targets", "progress", "time_limit", "state"),
    *("exclude", "column_groups", "row_counts", "sample_weight", "groups", "kinds"),
)
"""Options that have acted before targets are shared out."""


def _search(
    targets: Sequence[str], options: Mapping[str, Any], table: HeldRows
) -> list[LocalResult]:
    """Search around some targets on a worker, with one thread."""
    import warnings

    from eiderdown.api.boundary import find_all_boundaries

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they are in the results, and issued where it was asked
        given = {**options, "n_jobs": 1, "progress": False}
        found = find_all_boundaries(table.data, targets=targets, **given)
    return [found[target] for target in targets]
