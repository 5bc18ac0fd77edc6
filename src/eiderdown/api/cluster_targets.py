"""Searches around many targets, shared out among the workers of a cluster.

Every worker has the whole table, and searches around some targets as one machine does around all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from eiderdown.data import Dataset
from eiderdown.progress import Cancelled, Trace
from eiderdown.results import LocalResult, Run

if TYPE_CHECKING:
    from eiderdown.data.cluster.layout import Layout
    from eiderdown.data.cluster.partitions import HeldRows

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
    results : mapping
        What was found around each target, in the order in which they were asked about.
    """

    layout: Layout | None = None
    results: Mapping[str, LocalResult] = field(default_factory=dict)

    def recorded(self, run: Run) -> Run:
        """Write down in a run how the table was shared out, if it was."""
        return run if self.layout is None else _with_option(run, self.layout)


def with_layout(result: R, table: Dataset) -> R:
    """Write down in a result how the table was shared out, unless its verb has done so."""
    run = getattr(result, "run", None)
    if not isinstance(run, Run) or "cluster" in run.options or not hasattr(table, "partitions"):
        return result
    from eiderdown.data.cluster.shards import is_on_cluster
    from eiderdown.data.cluster.tables import layout_for

    if not is_on_cluster(table):
        return result
    found: Any = result
    return cast("R", replace(found, run=_with_option(run, layout_for(cast("Any", table)))))


def _with_option(run: Run, layout: Layout) -> Run:
    return replace(run, options={**run.options, "cluster": layout.why})


def shared_out(
    table: Dataset, targets: Sequence[str], options: Mapping[str, Any], shown: Trace
) -> SharedOut:
    """Search around targets on the workers that hold a table, if that pays; else do nothing."""
    if not hasattr(table, "partitions"):
        return SharedOut()
    from eiderdown.data.cluster.shards import copies_of, is_on_cluster, workforce_of
    from eiderdown.data.cluster.tables import layout_for
    from eiderdown.data.cluster.workers import Question
    from eiderdown.data.partitioned import PartitionedDataset

    if not isinstance(table, PartitionedDataset) or not is_on_cluster(table):
        return SharedOut()
    layout = layout_for(table, len(targets))
    if layout.by != "targets":
        return SharedOut()
    copies, workforce = copies_of(table), workforce_of(table)
    n_shares = min(len(targets), _SHARES_PER_THREAD * sum(workforce.threads().values()))
    own = {name: value for name, value in options.items() if name not in _OF_THE_WHOLE}
    shares = [list(targets[k::n_shares]) for k in range(n_shares)]
    questions = [
        Question(k, [copies[k % len(copies)]], partial(_search, share, own))
        for k, share in enumerate(shares)
    ]
    found: dict[str, LocalResult] = {}
    try:
        for _, results in workforce.ask(questions):
            found |= results
            shown.progressed("searching", len(found))
    except Cancelled:
        with suppress(Cancelled):
            shown.progressed("interrupted", len(found))
    in_order = [target for target in targets if target in found]
    return SharedOut(layout, {target: found[target] for target in in_order})


_OF_THE_WHOLE = ("client", "targets", "progress", "time_limit", "exclude", "column_groups")


def _search(
    targets: Sequence[str], options: Mapping[str, Any], table: HeldRows
) -> dict[str, LocalResult]:
    """Search around some targets on a worker, with one thread."""
    import warnings

    from eiderdown.api.boundary import find_all_boundaries

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they are in the results, and issued where it was asked
        given = {name: value for name, value in options.items() if name not in _ROLES}
        found = find_all_boundaries(
            table.data, targets=targets, **{**given, "n_jobs": 1, "progress": False}
        )
    return {target: found[target] for target in targets}


_ROLES = ("row_counts", "sample_weight", "groups", "kinds")
