"""Learn a network of numbers with another library; accuracy_peers.py starts it.

Usage: ``python accuracy_peer_runs.py NAME TABLE.npz``, as ``benchmarks/structure_peer_runs.py``,
whose form this has; the table holds ``values`` (rows x columns) and ``names``. It imports nothing
of Eiderdown, for it runs in an environment of the peers' own. Scores are the Gaussian BIC, tests
are of partial correlations at level 0.01.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

ALPHA = 0.01
Pairs = list[tuple[str, str]]
Found = Iterator[tuple[Pairs, Pairs] | None]


def pandas_table(table: dict[str, Any]) -> Any:
    import pandas

    return pandas.DataFrame(table["values"], columns=table["names"])


def pybnesian_climb(table: dict[str, Any]) -> Found:
    import pybnesian

    frame = pandas_table(table)
    yield None
    found = pybnesian.hc(
        frame, bn_type=pybnesian.GaussianNetworkType(), score="bic", operators=["arcs"]
    )
    yield found.arcs(), []


def pybnesian_mmhc(table: dict[str, Any]) -> Found:
    import pybnesian

    frame = pandas_table(table)
    yield None
    found = pybnesian.MMHC().estimate(
        pybnesian.LinearCorrelation(frame),
        pybnesian.ArcOperatorSet(),
        pybnesian.BIC(frame),
        bn_type=pybnesian.GaussianNetworkType(),
        alpha=ALPHA,
    )
    yield found.arcs(), []


def causal_learn_pc(table: dict[str, Any]) -> Found:
    from causallearn.search.ConstraintBased.PC import pc

    yield None
    marks = pc(table["values"], alpha=ALPHA, indep_test="fisherz", show_progress=False).G.graph
    names = table["names"]
    # -1 in [i, j] and 1 in [j, i] is an edge from i to j; what points both ways has no direction.
    pairs = [(int(i), int(j)) for i, j in zip(*np.nonzero(marks), strict=True)]
    directed = [(i, j) for i, j in pairs if marks[i, j] == -1 and marks[j, i] == 1]
    known = {frozenset(pair) for pair in directed}
    undirected = [(i, j) for i, j in pairs if i < j and frozenset((i, j)) not in known]
    yield [(names[i], names[j]) for i, j in directed], [(names[i], names[j]) for i, j in undirected]


PEERS: dict[str, tuple[str, Callable[[dict[str, Any]], Found]]] = {
    "pybnesian hill climbing": ("pybnesian", pybnesian_climb),
    "pybnesian MMHC": ("pybnesian", pybnesian_mmhc),
    "causal-learn PC": ("causal-learn", causal_learn_pc),
}


def main() -> None:
    name, path = sys.argv[1:]
    package, run = PEERS[name]
    stored = np.load(path)
    try:
        print(json.dumps({"version": version(package)}), flush=True)
    except PackageNotFoundError:
        sys.exit(f"{package} is not installed")
    steps = run({"values": stored["values"], "names": stored["names"].tolist()})
    next(steps)
    started = time.perf_counter()
    directed, undirected = next(steps)  # type: ignore[misc]
    seconds = time.perf_counter() - started
    print(json.dumps({"seconds": seconds, "directed": directed, "undirected": undirected}))


if __name__ == "__main__":
    main()
