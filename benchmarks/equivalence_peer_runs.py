"""Find one equivalence class with another library; equivalence_peers.py starts it.

Usage: ``python equivalence_peer_runs.py NAME TABLE.npz``. The table holds ``values`` (rows x
columns; whole numbers are categories from 0) and ``names``. A first line of JSON on stdout is the
library's version, a second one the seconds and the edges found. It imports nothing of Eiderdown,
for it runs in an environment of the peers' own.

A run is a generator that first imports the library and brings the table into the form it wants,
then yields None, and then the edges: (tail, head) pairs and undirected pairs. Time is measured in
between. All maximise the same BIC, log-likelihood less ln(n) / 2 for every parameter, but for
causal-learn's own score of categories, a BDeu with a prior on the number of parents. ges and xges
have no score of categories, and causal-learn no BIC of categories: they are given the one written
here.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

Pairs = list[tuple[str, str]]
Found = Iterator[tuple[Pairs, Pairs] | None]
_MOST_CELLS = 1 << 20
_MOST_BYTES = 8 << 30  # ges keeps a matrix for every change it weighs, which is 300 GB for Pigs


class LevelsBic:
    """The BIC of a column of categories given its parents."""

    def __init__(self, codes: Any) -> None:
        self._columns = np.ascontiguousarray(codes.T)
        self._n_categories = [int(column.max()) + 1 for column in self._columns]
        self._price = 0.5 * float(np.log(codes.shape[0]))

    def of(self, node: int, parents: Iterable[int]) -> float:
        """Return the score of one family."""
        n_categories, group, n_groups, n_nominal = self._n_categories, 0, 1, 1
        for parent in parents:
            group = group * n_categories[parent] + self._columns[parent]
            n_groups *= n_categories[parent]
            n_nominal *= n_categories[parent]
            if n_groups > _MOST_CELLS:
                shown, group = np.unique(group, return_inverse=True)
                n_groups = len(shown)
        cells = group * n_categories[node] + self._columns[node]
        counts = np.bincount(cells, minlength=n_groups * n_categories[node])
        counts = counts.reshape(n_groups, n_categories[node])
        likelihood = _sum_n_log_n(counts) - _sum_n_log_n(counts.sum(axis=1))
        return likelihood - self._price * n_nominal * (n_categories[node] - 1)


def _sum_n_log_n(counts: Any) -> float:
    shown = counts[counts > 0]
    return float(shown @ np.log(shown))


def has_levels(table: dict[str, Any]) -> bool:
    return bool(np.issubdtype(table["values"].dtype, np.integer))


def xges_run(*, extended: bool) -> Callable[[dict[str, Any]], Found]:
    """Return a run of XGES, or of XGES-0, which leaves out the last part of the search."""

    def run(table: dict[str, Any]) -> Found:
        import xges
        import xges.bic_scorer_fast  # compiles
        from xges.scorer import ScorerInterface

        class LevelsScorer(ScorerInterface):  # type: ignore[misc]
            def __init__(self, codes: Any) -> None:
                super().__init__()
                self.n_variables = codes.shape[1]
                self._bic = LevelsBic(codes)
                self._known: dict[tuple[int, tuple[int, ...]], float] = {}

            def local_score(self, target: int, parents: set[int]) -> float:
                key = (target, tuple(sorted(parents)))
                if key not in self._known:
                    self._known[key] = self._bic.of(*key)
                return self._known[key]

        values = table["values"].astype(float)
        yield None
        scorer = LevelsScorer(table["values"]) if has_levels(table) else None
        found = xges.XGES(alpha=1.0).fit(values, extended_search=extended, scorer=scorer, verbose=0)
        yield _of_adjacency(found.to_adjacency_matrix(), table["names"])

    return run


def ges_run(*, iterate: bool) -> Callable[[dict[str, Any]], Found]:
    """Return a run of forward, backward and turning phases, once or until nothing rises."""

    def run(table: dict[str, Any]) -> Found:
        import ges
        from ges.scores.decomposable_score import DecomposableScore

        class LevelsScore(DecomposableScore):  # type: ignore[misc]
            def __init__(self, codes: Any) -> None:
                super().__init__(codes)
                self.p = codes.shape[1]
                self._bic = LevelsBic(codes)

            def full_score(self, adjacency: Any) -> float:
                parents = [np.flatnonzero(column) for column in adjacency.T]
                return sum(self.local_score(i, set(p.tolist())) for i, p in enumerate(parents))

            def _compute_local_score(self, x: int, pa: set[int]) -> float:
                return self._bic.of(x, sorted(pa))

        yield None
        if has_levels(table):
            found, _ = ges.fit(LevelsScore(table["values"]), iterate=iterate)
        else:
            found, _ = ges.fit_bic(table["values"], iterate=iterate)
        yield _of_adjacency(found, table["names"])

    return run


def causal_learn_run(table: dict[str, Any]) -> Found:
    """Maximise the BIC; for categories, ours stands in for what causal-learn calls BDeu."""
    from causallearn.search.ScoreBased import GES

    values, score = table["values"].astype(float), "local_score_BIC"
    if has_levels(table):
        bic, score = LevelsBic(table["values"]), "local_score_BDeu"

        def stand_in(_data: Any, node: int, parents: list[int], _params: Any = None) -> float:
            return bic.of(node, sorted(parents))

        GES.local_score_BDeu = stand_in
    yield None
    yield _of_marks(GES.ges(values, score_func=score)["G"].graph, table["names"])


def causal_learn_bdeu(table: dict[str, Any]) -> Found:
    from causallearn.search.ScoreBased.GES import ges

    values = table["values"].astype(float)
    yield None
    yield _of_marks(ges(values, score_func="local_score_BDeu")["G"].graph, table["names"])


def pgmpy_run(table: dict[str, Any]) -> Found:
    import pandas
    from pgmpy.causal_discovery import GES

    frame, score = pandas.DataFrame(table["values"], columns=table["names"]), "bic-g"
    if has_levels(table):
        frame, score = frame.astype(str).astype("category"), "bic-d"
    yield None
    found = GES(scoring_method=score).fit(frame).causal_graph_
    yield list(found.directed_edges), list(found.undirected_edges)


def _of_adjacency(matrix: Any, names: list[str]) -> tuple[Pairs, Pairs]:
    """Read a matrix in which an edge from i to j is [i, j], and one without arrow is both."""
    found = [(int(i), int(j)) for i, j in zip(*np.nonzero(matrix), strict=True)]
    directed = [(names[i], names[j]) for i, j in found if not matrix[j, i]]
    return directed, [(names[i], names[j]) for i, j in found if matrix[j, i] and i < j]


def _of_marks(marks: Any, names: list[str]) -> tuple[Pairs, Pairs]:
    """Read causal-learn's matrix: -1 in [i, j] and 1 in [j, i] is an edge from i to j."""
    return _of_adjacency((marks == -1).astype(int), names)


LEVELS, BOTH = ("bic",), ("bic", "gaussian_bic")

# name -> package, the scores by which it is run, run
PEERS: dict[str, tuple[str, tuple[str, ...], Callable[[dict[str, Any]], Found]]] = {
    "xges": ("xges", BOTH, xges_run(extended=True)),
    "xges without extended search": ("xges", BOTH, xges_run(extended=False)),
    "ges": ("ges", BOTH, ges_run(iterate=False)),
    "ges, iterated": ("ges", BOTH, ges_run(iterate=True)),
    "causal-learn": ("causal-learn", BOTH, causal_learn_run),
    "causal-learn by BDeu": ("causal-learn", LEVELS, causal_learn_bdeu),
    "pgmpy": ("pgmpy", BOTH, pgmpy_run),
}


def main() -> None:
    name, path = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
    package, _, run = PEERS[name]
    stored = np.load(Path(path))
    table = {"values": stored["values"], "names": stored["names"].tolist()}
    try:
        print(json.dumps({"version": version(package)}), flush=True)
    except PackageNotFoundError:
        sys.exit(f"{package} is not installed")
    steps = run(table)
    next(steps)
    started = time.perf_counter()
    try:
        directed, undirected = next(steps)  # type: ignore[misc]
    except MemoryError:
        sys.exit(f"more than {_MOST_BYTES >> 30} GB of memory")
    seconds = time.perf_counter() - started
    print(json.dumps({"seconds": seconds, "directed": directed, "undirected": undirected}))


if __name__ == "__main__":
    main()
