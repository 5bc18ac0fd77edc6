"""The reference networks that come with the library.

They are stored in the folder ``reference`` beside this file, whose README.md names the origin and
the licence of each; ``tools/build_networks.py`` makes them.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from typing import Literal

from eiderdown.errors import OptionError
from eiderdown.networks.compact import from_document
from eiderdown.networks.discrete import DiscreteNetwork
from eiderdown.networks.gaussian import GaussianNetwork


@dataclass(frozen=True)
class NetworkSummary:
    """What is known of a reference network before it is loaded.

    Attributes
    ----------
    kind
        Whether it is a discrete or a linear-Gaussian network.
    n_nodes, n_edges
        Its size.
    """

    kind: Literal["discrete", "gaussian"]
    n_nodes: int
    n_edges: int


def available() -> dict[str, NetworkSummary]:
    """Return the names of the reference networks, each with a summary.

    Examples
    --------
    >>> available()["alarm"]
    NetworkSummary(kind='discrete', n_nodes=37, n_edges=46)
    """
    index = json.loads(_stored("index.json"))
    return {name: NetworkSummary(**summary) for name, summary in index.items()}


def load(name: str) -> DiscreteNetwork | GaussianNetwork:
    """Load a reference network.

    Parameters
    ----------
    name
        One of the names that ``available`` lists.

    Returns
    -------
    DiscreteNetwork or GaussianNetwork
        The network.

    Examples
    --------
    >>> load("asia")
    DiscreteNetwork(8 nodes, 8 edges)
    """
    names = sorted(available())
    if name not in names:
        near = get_close_matches(str(name).lower(), names, n=1)
        hint = f"perhaps {near[0]!r} was meant" if near else f"the names are {', '.join(names)}"
        raise OptionError(f"There is no reference network named {name!r}; {hint}.")
    return from_document(json.loads(gzip.decompress(_stored(f"{name}.json.gz"))))


def _stored(file_name: str) -> bytes:
    return (files("eiderdown.networks") / "reference" / file_name).read_bytes()
