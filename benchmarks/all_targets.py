"""Searches around every column of Alarm and Pigs, on one thread and on two, beside pybnesian.

Run with ``python benchmarks/all_targets.py`` (PEERS_PYTHON names the interpreter with pybnesian,
.venv-peers/bin/python by default; without it only threads are compared). All times are the best of
several runs in turns, after a first one in which kernels are compiled or read from the cache;
pybnesian runs MMPC, the only one of these searches that it has, in a process of its own. Pigs comes
first, so that kernels are compiled that a small table alone would not be worth. ``--quick`` times
each search once, leaves IAMB and the default around Pigs out, and saves nothing. ``--network`` and
``--search`` choose some; their rows then take the place of those in the record.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from measuring import RESULTS, write_record

from eiderdown import find_all_boundaries, networks
from eiderdown.data import Dataset
from eiderdown.errors import EiderdownWarning

HERE = Path(__file__).parent
PYTHON = Path(os.environ.get("PEERS_PYTHON", HERE.parent / ".venv-peers" / "bin" / "python"))
ALPHA = 0.01
N_ROWS = 5_000
NETWORKS = ("pigs", "alarm")
SEARCHES = ("mmpc", "pcmb", "iamb", "auto")
LONG = {("pigs", "iamb"), ("pigs", "auto")}
REPEATS = {"pigs": 3, "alarm": 15}
THREADS = (1, 2)
AIMS = {"as quick as pybnesian": 1.5, "second thread": 1.7}


def seconds_of(data: Dataset, algorithm: str, n_jobs: int) -> tuple[float, int]:
    """Search around every column; return how long it took, and how many tests it made."""
    started = time.perf_counter()
    found = find_all_boundaries(
        data, algorithm=algorithm, alpha=ALPHA, n_jobs=n_jobs, progress=False
    )
    return time.perf_counter() - started, found.run.n_tests


def peer_seconds(table: Path) -> float | None:
    """Time MMPC of pybnesian, if it is there."""
    if not PYTHON.exists():
        return None
    command = [str(PYTHON), str(HERE / "peer_runs.py"), "pybnesian MMPC", str(table)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    seconds = [line["seconds"] for line in lines if "seconds" in line]
    return min(seconds) if seconds else None


def measured(
    network: str, data: Dataset, algorithm: str, table: Path, repeats: int
) -> dict[str, Any]:
    """Time one search on each number of threads, and the peer, in turns."""
    _, n_tests = seconds_of(data, algorithm, max(THREADS))
    best = dict.fromkeys(THREADS, np.inf)
    of_peer = []
    for _ in range(repeats):
        for n_jobs in THREADS:
            best[n_jobs] = min(best[n_jobs], seconds_of(data, algorithm, n_jobs)[0])
        if algorithm == "mmpc":
            of_peer.append(peer_seconds(table))
    peers = [seconds for seconds in of_peer if seconds is not None]
    row: dict[str, Any] = {
        "network": network,
        "algorithm": algorithm,
        "n_tests": n_tests,
        "seconds": {str(n_jobs): seconds for n_jobs, seconds in best.items()},
        "second_thread": best[1] / best[2],
    }
    if peers:
        row["pybnesian_seconds"] = min(peers)
        row["as_quick_as_pybnesian"] = min(peers) / best[1]
    return row


def told(row: dict[str, Any]) -> str:
    """One line about a search."""
    one, two = (row["seconds"][str(n_jobs)] for n_jobs in THREADS)
    line = (
        f"  {row['network']}, {row['algorithm']}: {one:.3g} s, on two threads {two:.3g} s "
        f"({row['second_thread']:.2f} times as quick)"
    )
    if "as_quick_as_pybnesian" in row:
        line += f"; {row['as_quick_as_pybnesian']:.2f} times as quick as pybnesian"
    return line


def merged(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put rows in the place of those in the record about the same."""
    path = RESULTS / "all_targets.json"
    before = json.loads(path.read_text())["searches"] if path.exists() else []
    by_key = {(row["network"], row["algorithm"]): row for row in [*before, *rows]}
    return [by_key[key] for key in itertools.product(NETWORKS, SEARCHES) if key in by_key]


def main() -> None:
    parser = argparse.ArgumentParser(description="Searches around every column.")
    parser.add_argument("--quick", action="store_true", help="once each; nothing is saved")
    parser.add_argument("--network", choices=NETWORKS, action="append", help="only this one")
    parser.add_argument("--search", choices=SEARCHES, action="append", help="only this one")
    asked = parser.parse_args()
    quick = asked.quick
    warnings.simplefilter("ignore", EiderdownWarning)
    rows = []
    for network in asked.network or NETWORKS:
        data = networks.load(network).sample(N_ROWS, random_state=0)
        codes = np.column_stack([data.codes(i) for i in range(data.n_columns)]).astype(np.int64)
        names = np.array(data.names)
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "table.npz"
            np.savez(table, codes=codes, names=names, targets=names)
            for algorithm in asked.search or SEARCHES:
                if quick and (network, algorithm) in LONG:
                    continue
                repeats = 1 if quick or (network, algorithm) in LONG else REPEATS[network]
                row = measured(network, data, algorithm, table, repeats)
                print(told(row), flush=True)
                rows.append(row)
    if not quick:
        write_record("all_targets", {"n_rows": N_ROWS, "aims": AIMS, "searches": merged(rows)})


if __name__ == "__main__":
    main()
