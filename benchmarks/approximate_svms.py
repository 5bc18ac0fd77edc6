"""What SVMs of fewer rows find and cost: beside the SVM of all rows, and where there is none.

Run with ``make benchmark-approximate``. The problems are those of the thesis in which no single
column tells anything: two switches (XOR), the parity of three, and a circle in numbers. Each run is
a process of its own on one thread; it tells CPU seconds, the memory that it took beyond what was
there before, and which products were kept. The SVM of all rows ends at ``MOST_ROWS``.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

MOST_ROWS = 8_000
N_ROWS = (2_000, 8_000, 20_000, 100_000)
TRUTH = {
    "xor": {"x0 * x1"},
    "parity": {"x0 * x1 * x2"},
    "circle": {"x0^2", "x1^2"},
}


def problem(name: str, n_rows: int) -> tuple[dict[str, Any], int]:
    """Make a table, and say which degree it needs."""
    rng = np.random.default_rng(1)
    if name == "circle":
        X = rng.uniform(-1, 1, size=(n_rows, 10))
        y = (X[:, 0] ** 2 + X[:, 1] ** 2 < 0.6) ^ (rng.random(n_rows) < 0.1)
    else:
        X = rng.integers(0, 2, size=(n_rows, 30))
        order = 2 if name == "xor" else 3
        y = X[:, :order].sum(axis=1) % 2 ^ (rng.random(n_rows) < 0.1)
    table = {f"x{i}": column for i, column in enumerate(X.T)}
    return {**table, "y": y}, 3 if name == "parity" else 2


def peak_megabytes() -> float:
    """Most memory that this process ever had."""
    said = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text(encoding="ascii"))
    assert said is not None
    return int(said[1]) / 1024


def one(name: str, n_rows: int, how: str) -> dict[str, Any]:
    """Search once, after a small search that imports and compiles what there is."""
    import eiderdown

    warnings.simplefilter("ignore")
    options = {"C": 1e-3, "folds": 0, "progress": False, "approximate": how, "n_jobs": 1}
    small, degree = problem(name, 600)
    eiderdown.find_interactions(small, "y", degree=degree, **options)
    table, _ = problem(name, n_rows)
    before, started = peak_megabytes(), time.process_time()
    found = eiderdown.find_interactions(table, "y", degree=degree, **options)
    kept = {monomial.name for monomial in found.monomials}
    return {
        "problem": name,
        "rows": n_rows,
        "approximate": how,
        "cpu_seconds": round(time.process_time() - started, 2),
        "megabytes": round(peak_megabytes() - before),
        "found": len(kept & TRUTH[name]),
        "by_chance": len(kept - TRUTH[name]),
        "of": len(TRUTH[name]),
    }


def main() -> None:
    """Run every problem at every size, each in its own process."""
    from measuring import write_record

    rows = []
    for name in TRUTH:
        for n_rows in N_ROWS:
            for how in ("no", "sample", "nystroem"):
                if how == "no" and n_rows > MOST_ROWS:
                    continue
                command = [sys.executable, __file__, name, str(n_rows), how]
                env = {**os.environ, "OMP_NUM_THREADS": "1"}
                ran = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
                rows.append(json.loads(ran.stdout))
                print("  " + ", ".join(f"{key} {value}" for key, value in rows[-1].items()))
    write_record("approximate_svms", {"runs": rows})


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(one(sys.argv[1], int(sys.argv[2]), sys.argv[3])))
    else:
        main()
