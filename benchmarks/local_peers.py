"""Boundaries and parents-children of many targets: Eiderdown and its peers on the same table.

Run with ``make peers`` (installs the peers into .venv-peers) and ``make benchmark-peers``. A peer
runs in a process of its own, with the interpreter PEERS_PYTHON (.venv-peers/bin/python by default)
and for at most three minutes; what it found until then counts. Peers that cannot be imported
are named and left out. Peers that can only learn whole networks are compared with Eiderdown's time
for the whole network, the others with its time per target. ``--quick`` gives each peer 20 seconds
and saves nothing; ``--limit`` sets another limit.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from peer_runs import PEERS

import eiderdown
from eiderdown import AllBoundaries, find_all_boundaries, networks
from eiderdown.data import Dataset
from eiderdown.errors import EiderdownWarning
from eiderdown.graphs import DAG, boundary_scores

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "local_peers.json"
PYTHON = Path(os.environ.get("PEERS_PYTHON", HERE.parent / ".venv-peers" / "bin" / "python"))
TIME_LIMIT = 180.0
ALPHA = 0.01
N_ROWS = 5_000
BOUNDARY, NEIGHBOURS = "boundary", "parents and children"
# What is searched for, by Eiderdown's algorithm or the peer's name.
OURS = {"mmpc": NEIGHBOURS, "get_pc": NEIGHBOURS, "iamb": BOUNDARY, "pcmb": BOUNDARY}
KINDS = {name: NEIGHBOURS if name.endswith("PC") else BOUNDARY for name in PEERS}
# Which of Eiderdown's searches a peer is compared with.
TWINS = {
    "pyCausalFS MMPC": "mmpc",
    "pyCausalFS IAMB": "iamb",
    "pyCausalFS PCMB": "pcmb",
    "pybnesian MMPC": "mmpc",
    "causal-learn PC": "get_pc",
    "pyagrum PC": "get_pc",
    "PyImpetus PPIMBC": "pcmb",
}
WHOLE_ONLY = ("pybnesian MMPC", "causal-learn PC", "pyagrum PC")


def cases() -> Iterable[tuple[str, DAG, Dataset, list[str]]]:
    """Yield Alarm with all targets and Pigs with 20."""
    for name, n_targets in (("alarm", None), ("pigs", 20)):
        network = networks.load(name)
        data = network.sample(N_ROWS, random_state=0)
        nodes = list(network.dag.nodes)
        generator = np.random.default_rng(0)
        chosen = generator.choice(len(nodes), size=n_targets or len(nodes), replace=False)
        yield name, network.dag, data, [nodes[int(i)] for i in sorted(chosen)]


def scored(dag: DAG, what: str, found: Mapping[str, Iterable[str]]) -> dict[str, float | None]:
    """Mean precision, recall and F1 of those targets that were done."""
    truth = dag.markov_boundary if what == BOUNDARY else dag.parents_children
    scores = [boundary_scores(members, truth(target)) for target, members in found.items()]
    return {
        name: fmean(getattr(score, name) for score in scores) if scores else None
        for name in ("precision", "recall", "f1")
    }


def our_run(dag: DAG, data: Dataset, targets: list[str], algorithm: str) -> dict[str, Any]:
    """Time Eiderdown on some targets, and on all."""
    found, seconds = timed(data, algorithm, targets)
    n_all = len(dag.nodes)
    whole = seconds if len(targets) == n_all else timed(data, algorithm, None)[1]
    return {
        "name": f"eiderdown {algorithm}",
        "version": eiderdown.__version__,
        "what": OURS[algorithm],
        "seconds": seconds,
        "seconds_whole": whole,
        "n_done": len(targets),
        "n_tests": sum(found[target].run.n_tests for target in targets),
        **scored(dag, OURS[algorithm], {target: found[target].members for target in targets}),
    }


def timed(data: Dataset, algorithm: str, targets: list[str] | None) -> tuple[AllBoundaries, float]:
    """Return the result and the better of two times, the first of which may compile."""
    best = np.inf
    for _ in range(2):
        started = time.perf_counter()
        found = find_all_boundaries(
            data, algorithm=algorithm, targets=targets, alpha=ALPHA, progress=False
        )
        best = min(best, time.perf_counter() - started)
    return found, best


@dataclass(frozen=True)
class Try:
    """What one process of a peer told before it ended or was stopped."""

    lines: list[dict[str, Any]]
    stopped: bool
    problem: str | None

    @property
    def answers(self) -> list[dict[str, Any]]:
        """The targets it has done."""
        return [line for line in self.lines if "target" in line]

    @property
    def rank(self) -> tuple[int, float]:
        """More targets are better, then less time."""
        done = self.answers
        return -len(done), done[-1]["seconds"] if done else 0.0


def tried(table: Path, peer: str, limit: float) -> Try:
    """Run a peer in its own process, until the time limit."""
    command = [str(PYTHON), str(HERE / "peer_runs.py"), peer, str(table)]
    stopped = False
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
        output, errors = done.stdout, done.stderr.strip().splitlines()
    except subprocess.TimeoutExpired as expired:
        output, errors, stopped = (expired.stdout or b"").decode(), [], True
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    failed = not any("target" in line for line in lines)
    return Try(lines, stopped, errors[-1] if errors and failed else None)


def peer_run(dag: DAG, table: Path, peer: str, limit: float) -> dict[str, Any]:
    """Run a peer; a second try, as Eiderdown has it, if that can change anything."""
    best = tried(table, peer, limit)
    if best.problem is None and (peer in WHOLE_ONLY or not best.stopped):
        best = min(best, tried(table, peer, limit), key=lambda one: one.rank)
    answers = best.answers
    tests = [line["n_tests"] for line in answers if line["n_tests"] is not None]
    return {
        "name": peer,
        "version": best.lines[0]["version"] if best.lines else None,
        "what": KINDS[peer],
        "seconds": answers[-1]["seconds"] if answers else limit,
        "n_done": len(answers),
        "n_tests": sum(tests) if tests else None,
        "stopped": best.stopped,
        "problem": best.problem,
        **scored(dag, KINDS[peer], {line["target"]: line["members"] for line in answers}),
    }


def times_slower(peer: dict[str, Any], twin: dict[str, Any]) -> float:
    """Ratio of times: for whole networks, or per target."""
    if peer["name"] in WHOLE_ONLY:
        return float(peer["seconds"] / twin["seconds_whole"])
    return float(peer["seconds"] / peer["n_done"] / (twin["seconds"] / twin["n_done"]))


def told(row: dict[str, Any], n_targets: int) -> str:
    """One line about a run."""
    if row.get("problem"):
        return f"  {row['name']}: left out: {row['problem']}"
    if row["n_done"] == 0:
        return f"  {row['name']}: nothing within the limit of {row['seconds']:.0f} s"
    tests = f", {row['n_tests'] / row['seconds']:,.0f} tests/s" if row["n_tests"] else ""
    ratio = f", {row['times_slower']:,.1f} times Eiderdown's time" if "times_slower" in row else ""
    return (
        f"  {row['name']}: {row['n_done']} of {n_targets} targets in {row['seconds']:.3g} s{tests}"
        f"{ratio}; {row['what']}: precision {row['precision']:.2f}, recall {row['recall']:.2f}, "
        f"F1 {row['f1']:.2f}"
    )


def run_case(
    name: str, dag: DAG, data: Dataset, targets: list[str], limit: float
) -> dict[str, Any]:
    """All searches on one table."""
    print(f"{name}, {data.n_rows:,} rows, {len(targets)} targets:")
    rows = [our_run(dag, data, targets, algorithm) for algorithm in OURS]
    for row in rows:
        print(told(row, len(targets)), flush=True)
    ours = {row["name"]: row for row in rows}
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.npz"
        codes = np.column_stack([data.codes(i) for i in range(data.n_columns)]).astype(np.int64)
        np.savez(table, codes=codes, names=np.array(data.names), targets=np.array(targets))
        for peer, twin in TWINS.items():
            row = peer_run(dag, table, peer, limit)
            if row["n_done"]:
                row["twin"] = f"eiderdown {twin}"
                row["times_slower"] = times_slower(row, ours[row["twin"]])
            print(told(row, len(targets)), flush=True)
            rows.append(row)
    return {"network": name, "rows": data.n_rows, "targets": len(targets), "runs": rows}


def main() -> None:
    parser = argparse.ArgumentParser(description="Eiderdown against its peers.")
    parser.add_argument("--quick", action="store_true", help="20 s for each peer; nothing is saved")
    parser.add_argument("--limit", type=float, default=TIME_LIMIT, help="seconds for each peer")
    options = parser.parse_args()
    if not PYTHON.exists():
        sys.exit(f"{PYTHON} is not there; run `make peers`, or set PEERS_PYTHON.")
    warnings.simplefilter("ignore", EiderdownWarning)
    limit = 20.0 if options.quick else options.limit
    record = {
        "eiderdown": eiderdown.__version__,
        "python": sys.version.split()[0],
        "machine": platform.processor() or platform.machine(),
        "time_limit": limit,
        "cases": [run_case(*case, limit) for case in cases()],
    }
    if not options.quick:
        RESULTS.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        print(f"Written to {RESULTS}")


if __name__ == "__main__":
    main()
