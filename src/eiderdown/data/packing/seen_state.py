"""What has been seen of a column, as plain JSON and back, to go on with packing another time."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from eiderdown.data.distinct import DistinctCount
from eiderdown.data.packing.seen import SeenColumn

_PLAIN: Final = (
    *("values", "n_rows", "n_missing", "has_ids", "first_known", "least", "greatest", "first"),
    *("is_consecutive", "sample"),
)
_ARRAYS: Final = ("counts", "facts", "whole")


def state_of(own: SeenColumn) -> dict[str, Any]:
    """Return all that is known of a column."""
    state: dict[str, Any] = {name: getattr(own, name) for name in _PLAIN}
    state["counts"], state["facts"] = own.counts.tolist(), own.facts.tolist()
    state["whole"] = np.flatnonzero(own.whole).tolist() if len(own.whole) else None
    if own.distinct is not None:
        state["distinct"] = [own.distinct.depth, own.distinct.held.tolist()]
    return state


def restored(own: SeenColumn, state: dict[str, Any]) -> None:
    """Give a column of which nothing has been seen what is known of it."""
    for name in _PLAIN:
        setattr(own, name, state[name])
    own.counts = np.array(state["counts"], np.int64)
    own.facts = np.array(state["facts"], np.float64)
    if state["whole"] is not None:
        own.mark_these_whole(state["whole"])
    if "distinct" in state:
        own.distinct = DistinctCount(*state["distinct"])
    own.index_values()
