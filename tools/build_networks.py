"""Build the reference networks that come with the library.

Reads a folder of published networks (``alarm.bif.gz``, ``ecoli70.json``, ...), as unpacked from
the PyPI package pgmpy 1.0.0 (``pgmpy/utils/example_models``), which took them from the bnlearn
repository. Writes one compressed JSON file per network and an index; the same input gives the
same bytes. Usage::

    python tools/build_networks.py <folder of sources>
"""

from __future__ import annotations

import gzip
import json
import math
import sys
from pathlib import Path
from typing import Any

from eiderdown.graphs import DAG
from eiderdown.networks import DiscreteNetwork, GaussianNetwork, read_bif
from eiderdown.networks.reference import to_document

DISCRETE = (
    "alarm",
    "andes",
    "asia",
    "cancer",
    "child",
    "diabetes",
    "earthquake",
    "hailfinder",
    "hepar2",
    "insurance",
    "link",
    "mildew",
    "munin",
    "munin1",
    "pathfinder",
    "pigs",
    "sachs",
    "survey",
    "water",
    "win95pts",
)
GAUSSIAN = ("arth150", "ecoli70", "magic-irri", "magic-niab")
TARGET = Path(__file__).parents[1] / "src" / "eiderdown" / "networks" / "reference"


def main(source: Path) -> None:
    """Convert every network and write the index."""
    networks: dict[str, DiscreteNetwork | GaussianNetwork] = {}
    networks |= {name: read_bif(source / f"{name}.bif.gz") for name in DISCRETE}
    networks |= {name: read_gaussian(source / f"{name}.json") for name in GAUSSIAN}
    index = {}
    for name, network in sorted(networks.items()):
        document = to_document(network)
        text = json.dumps(document, separators=(",", ":"), ensure_ascii=False)
        content = gzip.compress(text.encode("utf-8"), compresslevel=9, mtime=0)
        (TARGET / f"{name}.json.gz").write_bytes(content)
        sizes = {"n_nodes": network.dag.n_nodes, "n_edges": network.dag.n_edges}
        index[name] = {"kind": document["kind"], **sizes}
    (TARGET / "index.json").write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")


def read_gaussian(path: Path) -> GaussianNetwork:
    """Read one of the linear-Gaussian networks.

    Their ``variance`` is a variance: for the markers of the MAGIC networks, which take the values
    0 and 2, it equals mean * (2 - mean). (pgmpy 1.0.0 itself uses it as a standard deviation.)
    """
    source: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    numbers = {
        node: {name: value[0] for name, value in entry["coefficients"].items()}
        for node, entry in source["cpds"].items()
    }
    return GaussianNetwork(
        DAG(source["nodes"], [(a, b) for a, b in source["arcs"]]),
        {node: own.pop("(Intercept)") for node, own in numbers.items()},
        numbers,
        {node: math.sqrt(entry["variance"][0]) for node, entry in source["cpds"].items()},
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
