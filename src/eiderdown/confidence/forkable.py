"""Whether searches may run in forked processes: those of ours, on a table in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eiderdown.data import Dataset
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.registry import Entry

_CHOSEN = ("algorithm", "test", "score")
_OURS = __name__.partition(".")[0]


def may_fork(data: Dataset, options: Mapping[str, Any]) -> bool:
    """Whether a verb may search a table in forked processes, by its options.

    Parts of a table are read by threads or on a cluster. A function of somebody's own, and what
    fills in missing values, may call libraries with threads, which a fork leaves behind; a library
    that waits for them would wait for ever.

    Examples
    --------
    >>> from eiderdown.scores import BIC
    >>> data = Dataset.from_columns({"a": [0, 1]})
    >>> may_fork(data, {"score": "auto"}), may_fork(data, {"score": BIC})
    (True, True)
    >>> may_fork(data, {"score": lambda data: None})
    False
    """
    return (
        not isinstance(data, PartitionedDataset)
        and options.get("missing") != "impute"
        and all(_is_ours(options.get(name)) for name in _CHOSEN)
    )


def _is_ours(chosen: Any) -> bool:
    if isinstance(chosen, Entry):
        return chosen.function.__module__.partition(".")[0] == _OURS
    return chosen is None or isinstance(chosen, str)
