"""Relief beside scikit-rebate, which is on the package index: seconds, and how scores agree.

    python benchmarks/relief_peers.py [PYTHON]

PYTHON is an interpreter that has skrebate, by default that of ``make peers``.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from measuring import median_seconds, write_record

from eiderdown.svm.rankings import relief_scores

PEERS = Path(__file__).parents[1] / ".venv-peers" / "bin" / "python"
SHAPES = ((500, 2_000, "binary"), (500, 2_000, "numbers"))
N_NEIGHBOURS = 5
PEER = """
import sys, time
import numpy as np
from skrebate import ReliefF

X, y = (np.load(sys.argv[1])[name] for name in ("X", "y"))
started = time.perf_counter()
found = ReliefF(n_neighbors=int(sys.argv[2]), n_features_to_select=2, n_jobs=1).fit(X, y)
np.savez(sys.argv[3], seconds=time.perf_counter() - started, scores=found.feature_importances_)
"""


def table(n_rows: int, n_columns: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Make a table whose class is the exclusive or (or the sign of the product) of two columns."""
    rng = np.random.default_rng(0)
    if kind == "binary":
        X = rng.integers(0, 2, size=(n_rows, n_columns)).astype(float)
        return X, (X[:, 0] != X[:, 1]).astype(int)
    X = rng.uniform(-1.0, 1.0, size=(n_rows, n_columns))
    return X, (X[:, 0] * X[:, 1] > 0.0).astype(int)


def of_peer(python: str, X: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    """Run scikit-rebate; return its seconds and scores."""
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder) / "given.npz", Path(folder) / "found.npz"
        np.savez(given, X=X, y=y)
        subprocess.run(
            [python, "-W", "ignore", "-c", PEER, given, str(N_NEIGHBOURS), found], check=True
        )
        answer = np.load(found)
        return float(answer["seconds"]), answer["scores"]


def main() -> None:
    """Measure and write down."""
    python = sys.argv[1] if len(sys.argv) > 1 else str(PEERS)
    rows = []
    for n_rows, n_columns, kind in SHAPES:
        X, y = table(n_rows, n_columns, kind)
        ours = median_seconds(lambda X=X, y=y: relief_scores(X, y, n_neighbours=N_NEIGHBOURS), 3)
        theirs, scores = of_peer(python, X, y)
        agreement = np.corrcoef(relief_scores(X, y, n_neighbours=N_NEIGHBOURS), scores)[0, 1]
        rows.append(
            {
                "table": f"{n_rows} x {n_columns}, {kind}",
                "seconds": ours,
                "skrebate_seconds": theirs,
                "ratio": theirs / ours,
                "correlation_of_scores": float(agreement),
            }
        )
        print("  {table}: {seconds:.3f} s, skrebate {skrebate_seconds:.1f} s".format(**rows[-1]))
    write_record("relief_peers", {"measured": rows})


if __name__ == "__main__":
    main()
