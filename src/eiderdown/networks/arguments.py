"""Checks on the arguments that every kind of network takes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from eiderdown.errors import NetworkFormatError, OptionError, listed
from eiderdown.graphs import DAG


def require_one_per_node(dag: DAG, given: Mapping[str, object], what: str) -> None:
    """Raise unless a mapping has exactly the nodes of a graph as its keys."""
    missing = [node for node in dag.nodes if node not in given]
    if missing:
        raise NetworkFormatError(f"There is no {what} for {listed(missing)}; every node needs one.")
    foreign = sorted(set(given) - set(dag.nodes))
    if foreign:
        raise NetworkFormatError(
            f"There is a {what} for {listed(foreign)}, which the graph does not have; "
            f"add the node or leave it out."
        )


def require_count(option: str, value: int, *, least: int) -> None:
    """Raise unless an option is a whole number that is large enough."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise OptionError(f"{option} must be a whole number, {least} or more, not {value!r}.")
