"""How long PC-stable takes with conditioning sets of every size, beside published times.

Run with ``make benchmark-pc``. 5,000 rows of each network, seed 0, constant columns left out,
significance level 0.01; counted is the search (pairs, levels, directions), from a test that has
seen nothing to the graph, kernels compiled before. The calibrated test is the default for
categories; ``g_square`` with every test trusted is what PC is usually run with, and does not end
where strata are thin, so it has a time limit. Published: Fast-BNS (compiled, one thread).

    python benchmarks/pc_stable.py [before]

With ``before`` the times are stored as those of an earlier version, one thread only: run it so
with that version's ``src`` in PYTHONPATH.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import numpy as np
from measuring import RESULTS, write_record

from eiderdown import networks
from eiderdown.data import Dataset
from eiderdown.independence import CALIBRATED_CHI_SQUARE, G_SQUARE, TestSource, make_test
from eiderdown.progress import Cancellation, Trace
from eiderdown.structure.constraint.pc_stable import pc_stable
from eiderdown.structure.problem import StructureProblem

NETWORKS = ("alarm", "hailfinder", "munin1", "link")
PUBLISHED = {"alarm": 0.12, "munin1": 15.5, "munin2": 3_496.0, "link": 62_900.0}
N_ROWS, SEED, ALPHA, TIME_LIMIT = 5_000, 0, 0.01, 60.0
DEFAULT = "calibrated_chi_square"
TESTS: dict[str, TestSource] = {
    DEFAULT: CALIBRATED_CHI_SQUARE,
    "g_square, every test trusted": G_SQUARE(reliability="always"),
}


def sampled(name: str) -> Dataset:
    """Return the rows of a network, without columns that are constant in them."""
    data = networks.load(name).sample(N_ROWS, random_state=SEED)
    varying = [x for x in range(data.n_columns) if len(np.unique(data.codes(x))) > 1]
    return data.select([data.names[x] for x in varying])


def measured(
    name: str, data: Dataset, test: str, n_jobs: int, *, limited: bool = False
) -> dict[str, Any]:
    """Run PC-stable once; with the default test to its end, unless it is limited."""
    asked = make_test(TESTS[test], data, None, n_jobs)
    trace = Trace(Cancellation(None if test == DEFAULT and not limited else TIME_LIMIT))
    problem = StructureProblem(data.n_columns, test=asked, alpha=ALPHA, trace=trace, n_jobs=n_jobs)
    started, cpu = time.perf_counter(), time.process_time()
    found = pc_stable(problem)
    row = {
        "network": name,
        "columns": data.n_columns,
        "test": test,
        "n_jobs": n_jobs,
        "wall": round(time.perf_counter() - started, 3),
        "cpu": round(time.process_time() - cpu, 3),
        "complete": found.complete,
        "n_tests": asked.counts.n_tests,
        "edges": len(found.directed) + len(found.undirected),
    }
    print(row, flush=True)
    return row


def main() -> None:
    """Measure all, and write the record."""
    before, load = sys.argv[1:] == ["before"], os.getloadavg()[0]
    small = sampled("hailfinder")
    small = small.select(list(small.names[:12]))
    for test in TESTS:
        measured("warming up", small, test, 1)
        measured("warming up", small, test, 1)
    tables = {name: sampled(name) for name in NETWORKS}
    runs = [
        measured(name, data, test, n_jobs, limited=before)
        for test in TESTS
        for name, data in tables.items()
        for n_jobs in ((1,) if before or test != DEFAULT else (1, 2))
    ]
    path = RESULTS / "pc_stable.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    found = {
        "rows": N_ROWS,
        "alpha": ALPHA,
        "time_limit": TIME_LIMIT,
        "published": PUBLISHED,
        "load_average": known.get("load_average") if before else [load, os.getloadavg()[0]],
        "before": known.get("before", []),
        "runs": known.get("runs", []),
    }
    write_record("pc_stable", {**found, "before" if before else "runs": runs})


if __name__ == "__main__":
    main()
