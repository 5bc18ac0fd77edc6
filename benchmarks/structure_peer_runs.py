"""Learn one network with another library; structure_peers.py starts it.

Usage: ``python structure_peer_runs.py NAME TABLE.npz``. The table holds ``codes`` (rows x columns)
and ``names``. A first line of JSON on stdout tells the library's version, a second one the seconds
and the edges found. It imports nothing of Eiderdown, for it runs in an environment of the peers'
own.

A run is a generator that first imports the library and brings the table into the form it wants,
then yields None, and then the edges: (tail, head) pairs and undirected pairs. Time is measured in
between. Scores are the BIC without a prior, tests are at level 0.01.
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
PATIENCE = 15
TABU_LENGTH = 100
Pairs = list[tuple[str, str]]
Found = Iterator[tuple[Pairs, Pairs] | None]


def pandas_table(table: dict[str, Any]) -> Any:
    import pandas

    frame = pandas.DataFrame(table["codes"], columns=table["names"])
    return frame.apply(lambda column: column.map(lambda code: f"l{code}").astype("category"))


def pybnesian_climb(patience: int) -> Callable[[dict[str, Any]], Found]:
    """Return a run of greedy hill climbing; with patience it also makes moves that lose."""

    def run(table: dict[str, Any]) -> Found:
        import pybnesian

        frame = pandas_table(table)
        yield None
        found = pybnesian.hc(
            frame,
            bn_type=pybnesian.DiscreteBNType(),
            score="bic",
            operators=["arcs"],
            patience=patience,
        )
        yield found.arcs(), []

    return run


def pybnesian_mmhc(table: dict[str, Any]) -> Found:
    import pybnesian

    frame = pandas_table(table)
    yield None
    found = pybnesian.MMHC().estimate(
        pybnesian.ChiSquare(frame),
        pybnesian.ArcOperatorSet(),
        pybnesian.BIC(frame),
        bn_type=pybnesian.DiscreteBNType(),
        alpha=ALPHA,
    )
    yield found.arcs(), []


def pyagrum_climb(*, tabu: bool) -> Callable[[dict[str, Any]], Found]:
    """Return a run of greedy hill climbing, or of local search with a tabu list."""

    def run(table: dict[str, Any]) -> Found:
        import pyagrum

        frame = pandas_table(table)
        yield None
        learner = pyagrum.BNLearner(frame)
        learner.useScoreBIC()
        learner.useNoPrior()
        if tabu:
            learner.useLocalSearchWithTabuList(TABU_LENGTH, PATIENCE)
        else:
            learner.useGreedyHillClimbing()
        graph = learner.learnDAG()
        yield [(learner.nameFromId(a), learner.nameFromId(b)) for a, b in graph.arcs()], []

    return run


def pyagrum_pc(table: dict[str, Any]) -> Found:
    import pyagrum

    frame = pandas_table(table)
    yield None
    learner = pyagrum.BNLearner(frame)
    learner.usePC()
    learner.useG2Test()
    learner.setPCAlpha(ALPHA)
    graph = learner.learnPDAG()
    name = learner.nameFromId
    directed = [(name(a), name(b)) for a, b in graph.arcs()]
    yield directed, [(name(a), name(b)) for a, b in graph.edges()]


def pgmpy_climb(table: dict[str, Any]) -> Found:
    from pgmpy.estimators import HillClimbSearch

    frame = pandas_table(table)
    yield None
    found = HillClimbSearch(frame).estimate(
        scoring_method="bic-d", tabu_length=TABU_LENGTH, show_progress=False
    )
    yield list(found.edges()), []


def pgmpy_mmhc(table: dict[str, Any]) -> Found:
    from pgmpy.estimators import MmhcEstimator

    frame = pandas_table(table)
    yield None
    found = MmhcEstimator(frame).estimate(
        scoring_method="bic-d", tabu_length=TABU_LENGTH, significance_level=ALPHA
    )
    yield list(found.edges()), []


def pgmpy_pc(table: dict[str, Any]) -> Found:
    from pgmpy.estimators import PC

    frame = pandas_table(table)
    yield None
    found = PC(frame).estimate(
        variant="stable", ci_test="g_sq", significance_level=ALPHA, show_progress=False
    )
    yield list(found.directed_edges), list(found.undirected_edges)


def causal_learn_pc(table: dict[str, Any]) -> Found:
    from causallearn.search.ConstraintBased.PC import pc

    yield None
    graph = pc(table["codes"], alpha=ALPHA, indep_test="gsq", show_progress=False).G.graph
    yield _of_marks(graph, table["names"])


def causal_learn_ges(table: dict[str, Any]) -> Found:
    """Greedy equivalence search; its score for discrete columns is BDeu."""
    from causallearn.search.ScoreBased.GES import ges

    codes = table["codes"].astype(float)
    yield None
    graph = ges(codes, score_func="local_score_BDeu")["G"].graph
    yield _of_marks(graph, table["names"])


def _of_marks(marks: Any, names: list[str]) -> tuple[Pairs, Pairs]:
    """Read causal-learn's matrix: -1 in [i, j] and 1 in [j, i] is an edge from i to j."""
    pairs = [(i, j) for i in range(len(names)) for j in range(len(names)) if marks[i, j] != 0]
    directed = [(i, j) for i, j in pairs if marks[i, j] == -1 and marks[j, i] == 1]
    known = {frozenset(pair) for pair in directed}
    undirected = [(i, j) for i, j in pairs if i < j and frozenset((i, j)) not in known]
    return [(names[i], names[j]) for i, j in directed], [
        (names[i], names[j]) for i, j in undirected
    ]


SCORED, TESTED, HYBRID = "score", "tests", "tests, then score"

# name -> package, what decides, run
PEERS: dict[str, tuple[str, str, Callable[[dict[str, Any]], Found]]] = {
    "pybnesian hill climbing": ("pybnesian", SCORED, pybnesian_climb(0)),
    "pybnesian hill climbing, patience 15": ("pybnesian", SCORED, pybnesian_climb(PATIENCE)),
    "pyagrum hill climbing": ("pyagrum", SCORED, pyagrum_climb(tabu=False)),
    "pyagrum tabu": ("pyagrum", SCORED, pyagrum_climb(tabu=True)),
    "pgmpy tabu": ("pgmpy", SCORED, pgmpy_climb),
    "causal-learn GES": ("causal-learn", SCORED, causal_learn_ges),
    "pyagrum PC": ("pyagrum", TESTED, pyagrum_pc),
    "pgmpy PC": ("pgmpy", TESTED, pgmpy_pc),
    "causal-learn PC": ("causal-learn", TESTED, causal_learn_pc),
    "pybnesian MMHC": ("pybnesian", HYBRID, pybnesian_mmhc),
    "pgmpy MMHC": ("pgmpy", HYBRID, pgmpy_mmhc),
}


def main() -> None:
    name, path = sys.argv[1:]
    package, _, run = PEERS[name]
    stored = np.load(path)
    table = {"codes": stored["codes"], "names": stored["names"].tolist()}
    try:
        print(json.dumps({"version": version(package)}), flush=True)
    except PackageNotFoundError:
        sys.exit(f"{package} is not installed")
    steps = run(table)
    next(steps)
    started = time.perf_counter()
    directed, undirected = next(steps)  # type: ignore[misc]
    seconds = time.perf_counter() - started
    print(json.dumps({"seconds": seconds, "directed": directed, "undirected": undirected}))


if __name__ == "__main__":
    main()
