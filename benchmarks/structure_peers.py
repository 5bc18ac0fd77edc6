"""Whole networks: Eiderdown and its peers on the same tables.

Run with ``make peers`` (installs the peers into .venv-peers) and ``make benchmark-structure``. A
peer runs in a process of its own, with the interpreter PEERS_PYTHON (.venv-peers/bin/python by
default), until the time limit; quick ones get as many tries as Eiderdown. Peers that cannot be
imported are named and left out. All directed graphs are scored by one BIC, whoever found them; the
distance is that between patterns (one for each edge to add, delete or direct otherwise).

``--networks alarm,pigs`` measures some of the networks and keeps the stored results of the others;
``--limit`` sets another limit; ``--quick`` is Alarm alone with 20 seconds for each peer, and saves
nothing.
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
from pathlib import Path
from typing import Any

import numpy as np
from structure_peer_runs import HYBRID, PEERS, SCORED, TESTED

import eiderdown
from eiderdown import learn_network, networks
from eiderdown.data import Dataset
from eiderdown.errors import EiderdownWarning, GraphError
from eiderdown.graphs import DAG
from eiderdown.scores import LocalScore, make_score

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "structure_peers.json"
PYTHON = Path(os.environ.get("PEERS_PYTHON", HERE.parent / ".venv-peers" / "bin" / "python"))
NETWORKS = ("alarm", "insurance", "hailfinder", "pigs", "link")
N_ROWS = 5_000
TIME_LIMIT = 120.0
N_TRIES = 5  # of runs that take less than a second; of others, two
QUICK = 10.0  # seconds up to which a second try is worth while
# name -> what decides, and the algorithm
OURS: dict[str, tuple[str, str]] = {
    "eiderdown hill_climbing, restarts 0": (SCORED, "hill_climbing"),
    "eiderdown hill_climbing": (SCORED, "hill_climbing_restarts"),
    "eiderdown pc_stable": (TESTED, "pc_confirmed"),
    "eiderdown mmhc": (HYBRID, "mmhc_restarts"),
}

Marks = dict[frozenset[str], str]


def table_of(network: Any) -> Dataset:
    """Sample a network; categories that no row shows are not declared: peers cannot know them."""
    data = network.sample(N_ROWS, random_state=0)
    return Dataset.from_columns({name: data.codes(i) for i, name in enumerate(data.names)})


def marks(directed: list[Any], undirected: list[Any]) -> Marks:
    """Map each adjacent pair to the node its arrow points to, "" where it has none."""
    arrows = {frozenset(pair): pair[1] for pair in directed}
    return arrows | {frozenset(pair): "" for pair in undirected}


def judged(
    truth: DAG, score: LocalScore, directed: list[Any], undirected: list[Any]
) -> dict[str, Any]:
    """Compare a graph with the true one; score it if it is a directed graph."""
    pattern = truth.to_cpdag()
    true_marks = marks(list(pattern.directed), list(pattern.undirected))
    found, bic = marks(directed, undirected), None
    if not undirected:
        try:
            dag = DAG(truth.nodes, [(tail, head) for tail, head in directed])
        except GraphError:  # some PC implementations leave cycles
            dag = None
        if dag is not None:
            own = dag.to_cpdag()
            found, bic = marks(list(own.directed), list(own.undirected)), score.total(dag)
    differing = [pair for pair in true_marks | found if true_marks.get(pair) != found.get(pair)]
    return {"shd": len(differing), "bic": bic, "n_edges": len(found)}


def our_run(name: str, truth: DAG, data: Dataset, score: LocalScore) -> dict[str, Any]:
    """Time Eiderdown, with as many tries as a peer."""
    what, algorithm = OURS[name]
    seconds: list[float] = []
    while again(seconds[1:]) or len(seconds) < 2:  # the first run may compile
        started = time.perf_counter()
        found = learn_network(data, algorithm=algorithm, score="auto", progress=False)
        seconds.append(time.perf_counter() - started)
    directed = [(e.left, e.right) for e in found.edges if e.directed]
    undirected = [(e.left, e.right) for e in found.edges if not e.directed]
    return {
        "name": name,
        "version": eiderdown.__version__,
        "what": what,
        "seconds": min(seconds[1:]),
        **judged(truth, score, directed, undirected),
    }


def again(seconds: list[float]) -> bool:
    """Tell whether one more try is due: the same rule for all."""
    if not seconds:
        return True
    return len(seconds) < (N_TRIES if min(seconds) < 1.0 else 2) and min(seconds) < QUICK


def tried(table: Path, peer: str, limit: float) -> dict[str, Any]:
    """Run a peer in its own process, until the time limit."""
    command = [str(PYTHON), str(HERE / "structure_peer_runs.py"), peer, str(table)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired as expired:
        lines = [json.loads(line) for line in _json_lines((expired.stdout or b"").decode())]
        return {"stopped": True, "lines": lines, "problem": None}
    lines = [json.loads(line) for line in _json_lines(done.stdout)]
    errors = done.stderr.strip().splitlines()
    failed = not any("seconds" in line for line in lines)
    problem = (errors[-1] if errors else "no answer") if failed else None
    return {"stopped": False, "lines": lines, "problem": problem}


def _json_lines(output: str) -> list[str]:
    return [line for line in output.splitlines() if line.startswith("{")]


def peer_run(peer: str, truth: DAG, table: Path, score: LocalScore, limit: float) -> dict[str, Any]:
    """Run a peer, twice if it is quick, and judge what it found."""
    result = tried(table, peer, limit)
    row: dict[str, Any] = {
        "name": peer,
        "version": result["lines"][0]["version"] if result["lines"] else None,
        "what": PEERS[peer][1],
        "stopped": result["stopped"],
        "problem": result["problem"],
        "seconds": limit,
    }
    if result["stopped"] or result["problem"]:
        return row
    answer = result["lines"][-1]
    seconds = [answer["seconds"]]
    while again(seconds):
        lines = tried(table, peer, limit)["lines"]
        seconds.append(next((line["seconds"] for line in lines if "seconds" in line), limit))
    row["seconds"] = min(seconds)
    return row | judged(truth, score, answer["directed"], answer["undirected"])


def told(row: dict[str, Any]) -> str:
    """One line about a run."""
    if row.get("problem"):
        return f"  {row['name']}: left out: {row['problem']}"
    if row.get("stopped"):
        return f"  {row['name']}: nothing within {row['seconds']:.0f} s"
    bic = "" if row["bic"] is None else f", BIC {row['bic']:,.1f}"
    return f"  {row['name']}: {row['seconds']:.3g} s, SHD {row['shd']}{bic}"


def run_case(name: str, limit: float, only: str = "") -> dict[str, Any]:
    """All searches on one table, or those whose names hold a text, beside what is stored."""
    network = networks.load(name)
    data = table_of(network)
    score = make_score("bic", data)
    print(f"{name}, {data.n_columns} columns, {data.n_rows:,} rows:")
    print(f"  the true graph: BIC {score.total(network.dag):,.1f}")
    rows = []
    for ours in [own for own in OURS if only in own]:
        rows.append(our_run(ours, network.dag, data, score))
        print(told(rows[-1]), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.npz"
        codes = np.column_stack([data.codes(i) for i in range(data.n_columns)]).astype(np.int64)
        np.savez(table, codes=codes, names=np.array(data.names))
        for peer in [peer for peer in PEERS if only in peer]:
            rows.append(peer_run(peer, network.dag, table, score, limit))
            print(told(rows[-1]), flush=True)
    return {
        "network": name,
        "rows": data.n_rows,
        "columns": data.n_columns,
        "time_limit": limit,
        "true_bic": score.total(network.dag),
        "runs": beside_stored(name, rows),
    }


def beside_stored(network: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put new runs in the place of stored ones."""
    stored = [case for case in earlier().get("cases", []) if case["network"] == network]
    runs = {row["name"]: row for case in stored for row in case["runs"]}
    runs.update((row["name"], row) for row in rows)
    return [runs[name] for name in (*OURS, *PEERS) if name in runs]


def earlier() -> dict[str, Any]:
    """Read what was measured before."""
    if not RESULTS.exists():
        return {}
    stored: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return stored


def with_earlier(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put new cases in the place of stored ones, in the usual order."""
    by_name = {case["network"]: case for case in [*earlier().get("cases", []), *cases]}
    return [by_name[name] for name in NETWORKS if name in by_name]


def main() -> None:
    parser = argparse.ArgumentParser(description="Eiderdown's networks beside those of its peers.")
    parser.add_argument("--networks", default=",".join(NETWORKS), help="which, with commas")
    parser.add_argument("--only", default="", help="only runs whose names hold this text")
    parser.add_argument("--limit", type=float, default=TIME_LIMIT, help="seconds for each peer")
    parser.add_argument("--note", action="append", help="what readers have to know; instead of old")
    parser.add_argument("--quick", action="store_true", help="Alarm, 20 s a peer; nothing is saved")
    options = parser.parse_args()
    if not PYTHON.exists():
        sys.exit(f"{PYTHON} is not there; run `make peers`, or set PEERS_PYTHON.")
    warnings.simplefilter("ignore", EiderdownWarning)
    if options.quick:
        run_case("alarm", 20.0)
        return
    cases = [run_case(name, options.limit, options.only) for name in options.networks.split(",")]
    record = {
        "eiderdown": eiderdown.__version__,
        "python": sys.version.split()[0],
        "machine": platform.processor() or platform.machine(),
        "notes": options.note or earlier().get("notes", []),
        "cases": with_earlier(cases),
    }
    RESULTS.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(f"Written to {RESULTS}")


if __name__ == "__main__":
    main()
