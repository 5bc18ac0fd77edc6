"""Run one search of another library on a table; local_peers.py starts it.

Usage: ``python peer_runs.py NAME TABLE.npz``. The table holds ``codes`` (rows x columns), ``names``
and ``targets``. One line of JSON per target goes to stdout as soon as it is done, so that a run
that is stopped has told what it found: the target, its members, the seconds so far, and the number
of tests if the library tells it. It imports nothing of Eiderdown, for it runs in an environment of
the peers' own.

A run is a generator that first imports the library and brings the table into the form it wants,
then yields None, and then the answers; time is measured from there.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

import numpy as np

ALPHA = 0.01
Answer = tuple[str, list[str], int | None]
Found = Iterator[Answer | None]


def pandas_table(table: dict[str, Any], *, as_text: bool) -> Any:
    import pandas

    frame = pandas.DataFrame(table["codes"], columns=table["names"])
    if not as_text:
        return frame
    return frame.apply(lambda column: column.map(lambda code: f"l{code}").astype("category"))


def py_causal_fs(module: str, function: str) -> Callable[[dict[str, Any]], Found]:
    """Return a run of a search of pyCausalFS, which takes one target at a time."""

    def run(table: dict[str, Any]) -> Found:
        search = getattr(importlib.import_module(f"pyCausalFS.CBD.MBs.{module}"), function)
        frame, names = pandas_table(table, as_text=False), table["names"]
        frame.columns = range(len(names))
        yield None
        for target in table["targets"]:
            members, *_, n_tests = search(frame, names.index(target), ALPHA, True)
            yield target, [names[i] for i in members], int(n_tests)

    return run


def pybnesian_mmpc(table: dict[str, Any]) -> Found:
    """Whole network at once: the library has no search around one target."""
    import pybnesian

    frame = pandas_table(table, as_text=True)
    yield None
    graph = pybnesian.MMPC().estimate(pybnesian.ChiSquare(frame), alpha=ALPHA)
    pairs = [*graph.arcs(), *graph.edges()]
    yield from of_pairs(table, pairs)


def causal_learn_pc(table: dict[str, Any]) -> Found:
    """PC, whole network at once."""
    from causallearn.search.ConstraintBased.PC import pc

    yield None
    graph = pc(table["codes"], alpha=ALPHA, indep_test="gsq", show_progress=False).G.graph
    names = table["names"]
    pairs = [(names[i], names[j]) for i, j in zip(*np.nonzero(graph), strict=True)]
    yield from of_pairs(table, pairs)


def pyagrum_pc(table: dict[str, Any]) -> Found:
    """PC with G2, whole network at once."""
    import pyagrum

    frame = pandas_table(table, as_text=True)
    yield None
    learner = pyagrum.BNLearner(frame)
    learner.usePC()
    learner.useG2Test()
    learner.setPCAlpha(ALPHA)
    graph = learner.learnPDAG()
    names = [learner.nameFromId(i) for i in range(len(table["names"]))]
    pairs = [(names[a], names[b]) for a, b in [*graph.arcs(), *graph.edges()]]
    yield from of_pairs(table, pairs)


def pyimpetus_blanket(table: dict[str, Any]) -> Found:
    """Markov blanket by permutation tests of a decision tree (PPIMBC), one target at a time."""
    from PyImpetus import PPIMBC

    frame = pandas_table(table, as_text=False)
    yield None
    for target in table["targets"]:
        search = PPIMBC(p_val_thresh=ALPHA, cv=0, verbose=0, random_state=0, n_jobs=1)
        search.fit(frame.drop(columns=target), frame[target])
        yield target, list(search.MB), None


def of_pairs(table: dict[str, Any], pairs: list[tuple[str, str]]) -> Iterator[Answer]:
    """Turn adjacent pairs into the neighbours of each target."""
    adjacent: dict[str, set[str]] = {name: set() for name in table["names"]}
    for a, b in pairs:
        adjacent[a].add(b)
        adjacent[b].add(a)
    for target in table["targets"]:
        yield target, sorted(adjacent[target]), None


# name -> package, run
PEERS: dict[str, tuple[str, Callable[[dict[str, Any]], Found]]] = {
    "pyCausalFS MMPC": ("pyCausalFS", py_causal_fs("MMMB.MMPC", "MMPC")),
    "pyCausalFS IAMB": ("pyCausalFS", py_causal_fs("IAMB", "IAMB")),
    "pyCausalFS PCMB": ("pyCausalFS", py_causal_fs("PCMB.PCMB", "PCMB")),
    "pybnesian MMPC": ("pybnesian", pybnesian_mmpc),
    "causal-learn PC": ("causal-learn", causal_learn_pc),
    "pyagrum PC": ("pyagrum", pyagrum_pc),
    "PyImpetus PPIMBC": ("PyImpetus", pyimpetus_blanket),
}


def main() -> None:
    name, path = sys.argv[1:]
    package, run = PEERS[name]
    stored = np.load(path)
    table = {
        "codes": stored["codes"],
        "names": stored["names"].tolist(),
        "targets": stored["targets"].tolist(),
    }
    print(json.dumps({"version": version(package)}), flush=True)
    answers = run(table)
    next(answers)
    started = time.perf_counter()
    for target, members, n_tests in filter(None, answers):
        seconds = time.perf_counter() - started
        line = {"target": target, "members": members, "seconds": seconds, "n_tests": n_tests}
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
