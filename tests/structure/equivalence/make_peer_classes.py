"""Make peer_classes.json: the classes that the library `ges` finds in small tables by BIC.

Run it in two environments, for `ges` must not be needed by the tests:

    .venv/bin/python tests/structure/equivalence/make_peer_classes.py tables | \
        .venv-peers/bin/python tests/structure/equivalence/make_peer_classes.py classes \
        > tests/structure/equivalence/peer_classes.json
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

SIZES = {"asia": 700, "sachs": 600, "insurance": 500, "child": 800}


def tables():
    from eiderdown import networks

    found = {}
    for name, n_rows in SIZES.items():
        data = networks.load(name).sample(n_rows, random_state=7)
        columns = {column: data.codes(i) for i, column in enumerate(data.names)}
        varying = {c: np.unique(codes, return_inverse=True)[1] for c, codes in columns.items()}
        found[name] = {
            c: "".join(map(str, codes.tolist())) for c, codes in varying.items() if codes.max()
        }
    return found


def classes(columns_of):
    sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
    from equivalence_peer_runs import LevelsBic, _of_adjacency
    from ges import fit
    from ges.scores.decomposable_score import DecomposableScore

    class LevelsScore(DecomposableScore):
        def __init__(self, codes):
            super().__init__(codes)
            self.p, self._bic = codes.shape[1], LevelsBic(codes)

        def full_score(self, adjacency):
            parents = [np.flatnonzero(column) for column in adjacency.T]
            return sum(self.local_score(i, set(p.tolist())) for i, p in enumerate(parents))

        def _compute_local_score(self, x, pa):
            return self._bic.of(x, sorted(pa))

    found = {"made_by": {"ges": version("ges")}, "tables": {}}
    for name, columns in columns_of.items():
        codes = np.array([[int(c) for c in text] for text in columns.values()]).T
        matrix, score = fit(LevelsScore(codes), phases=["forward", "backward"])
        directed, undirected = _of_adjacency(matrix, list(columns))
        found["tables"][name] = {
            "columns": columns,
            "directed": sorted(directed),
            "undirected": sorted(undirected),
            "score": float(score),
        }
    return found


if __name__ == "__main__":
    made = tables() if sys.argv[1] == "tables" else classes(json.load(sys.stdin))
    json.dump(made, sys.stdout, indent=1)
