"""Build the reference networks that come with the library.

Reads a folder of published networks (``alarm.bif.gz``, ``ecoli70.json``, ...), as unpacked from
the PyPI package pgmpy 1.0.0 (``pgmpy/utils/example_models``), which took them from the bnlearn
repository. LUCAS, the toy network of the Causality Challenge, is written down here. Writes one
compressed JSON file per network and an index; the same input gives the same bytes. Without a folder
only LUCAS is written, and the others stay as they are. Usage::

    python tools/build_networks.py [<folder of sources>]
"""

from __future__ import annotations

import gzip
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np

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
LUCAS: dict[str, tuple[tuple[str, ...], list[float]]] = {
    # node: its parents, and P(yes) of their combinations; the first parent changes fastest
    "Smoking": (("Peer_Pressure", "Anxiety"), [0.43118, 0.74591, 0.8686, 0.91576]),
    "Yellow_Fingers": (("Smoking",), [0.23119, 0.95372]),
    "Anxiety": ((), [0.64277]),
    "Peer_Pressure": ((), [0.32997]),
    "Genetics": ((), [0.15953]),
    "Attention_Disorder": (("Genetics",), [0.28956, 0.68706]),
    "Born_an_Even_Day": ((), [0.5]),
    "Car_Accident": (("Attention_Disorder", "Fatigue"), [0.2274, 0.779, 0.78861, 0.97169]),
    "Fatigue": (("Lung_Cancer", "Coughing"), [0.35212, 0.56514, 0.80016, 0.89589]),
    "Allergy": ((), [0.32841]),
    "Coughing": (("Allergy", "Lung_Cancer"), [0.1347, 0.64592, 0.7664, 0.99947]),
    "Lung_Cancer": (("Genetics", "Smoking"), [0.23146, 0.86996, 0.83934, 0.99351]),
}
TARGET = Path(__file__).parents[1] / "src" / "eiderdown" / "networks" / "reference"


def main(source: Path | None) -> None:
    """Convert every network and write the index."""
    networks: dict[str, DiscreteNetwork | GaussianNetwork] = {"lucas": lucas()}
    index = json.loads((TARGET / "index.json").read_text(encoding="utf-8"))
    if source is not None:
        networks |= {name: read_bif(source / f"{name}.bif.gz") for name in DISCRETE}
        networks |= {name: read_gaussian(source / f"{name}.json") for name in GAUSSIAN}
    for name, network in networks.items():
        document = to_document(network)
        text = json.dumps(document, separators=(",", ":"), ensure_ascii=False)
        content = gzip.compress(text.encode("utf-8"), compresslevel=9, mtime=0)
        (TARGET / f"{name}.json.gz").write_bytes(content)
        sizes = {"n_nodes": network.dag.n_nodes, "n_edges": network.dag.n_edges}
        index[name] = {"kind": document["kind"], **sizes}
    index = dict(sorted(index.items()))
    (TARGET / "index.json").write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")


def lucas() -> DiscreteNetwork:
    """Return the network of lung cancer; all nodes are "no" or "yes"."""
    dag = DAG(list(LUCAS), [(p, node) for node, (parents, _) in LUCAS.items() for p in parents])
    tables = {}
    for node, (parents, chances) in LUCAS.items():
        yes = np.reshape(chances, (2,) * len(parents), order="F")
        axes = [parents.index(p) for p in dag.ordered_parents(node)]
        yes = yes.transpose(axes)
        tables[node] = np.stack([1.0 - yes, yes], axis=-1)
    return DiscreteNetwork(dag, dict.fromkeys(LUCAS, ("no", "yes")), tables)


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
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
