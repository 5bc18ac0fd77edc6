"""One greedy equivalence search: Eiderdown and its peers on the same tables.

Run with ``make benchmark-equivalence``, which installs the peers into .venv-peers and xges, whose
needs agree with nobody else's, into .venv-xges. Other interpreters are set with PEERS_PYTHON and
XGES_PYTHON. A peer runs on one thread in a process of its own, until the time limit; quick ones get
as many tries as Eiderdown, and one that was stopped on a network's first sample is not tried on the
others. Peers that cannot be imported are named and left out.

Two kinds of table: samples of the networks as they are, with the BIC, and samples of linear
Gaussian networks with the same graphs and random coefficients, with the Gaussian BIC. Every class
is scored anew by Eiderdown, whoever found it, and the distance is that between essential graphs.
The search was written with the scores of the first samples at hand, so it also meets its strongest
peer, xges, on further samples of the smaller networks.

``--networks alarm,pigs`` and ``--scores bic`` measure some of the tables, ``--only eiderdown,xges``
the searches whose names hold one of the texts; stored results of the others are kept. ``--answers
FILE`` keeps what peers found in a file and does not ask them again; ``--quick`` is Alarm's first
samples with 20 seconds for each peer, and saves nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from equivalence_peer_runs import BOTH, LEVELS, PEERS
from measuring import RESULTS, write_record
from structure_peers import again

import eiderdown
from eiderdown import learn_network, networks
from eiderdown.data import Dataset
from eiderdown.errors import EiderdownWarning, GraphError
from eiderdown.graphs import DAG, PDAG, cpdag_distance, structural_hamming_distance
from eiderdown.scores import BDEU, LocalScore, make_score

HERE = Path(__file__).parent
ROOT = HERE.parent
PYTHONS = {
    "xges": Path(os.environ.get("XGES_PYTHON", ROOT / ".venv-xges" / "bin" / "python")),
    "": Path(os.environ.get("PEERS_PYTHON", ROOT / ".venv-peers" / "bin" / "python")),
}
RECORD = "equivalence_peers"
NETWORKS = ("alarm", "insurance", "pigs")
N_ROWS = 5_000
SEEDS = range(3)
FURTHER = {"alarm": range(10, 15), "insurance": range(10, 15)}
TIME_LIMIT = 120.0
# name -> the scores by which it is run, options of learn_network; BDeu has weight 1, everywhere
OURS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "eiderdown ges_restarts": (BOTH, {"algorithm": "ges_restarts"}),
    "eiderdown ges": (BOTH, {}),
    "eiderdown ges_restarts by BDeu": (LEVELS, {"algorithm": "ges_restarts", "score": "bdeu"}),
    "eiderdown ges_restarts by BDeu, weight 10": (
        LEVELS,
        {"algorithm": "ges_restarts", "score": BDEU(equivalent_sample_size=10.0)},
    ),
}
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


class Answers:
    """What peers found, kept in a file if there is one."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        stored = path.read_text(encoding="utf-8") if path and path.exists() else "{}"
        self._known: dict[str, dict[str, Any]] = json.loads(stored)

    def get(self, key: str, ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return the answer; ask if it is not known."""
        if key in self._known:
            return self._known[key]
        answer = ask()
        if self._path and "problem" not in answer:
            self._known[key] = answer
            self._path.write_text(json.dumps(self._known), encoding="utf-8")
        return answer


def table_of(name: str, score: str, seed: int) -> tuple[DAG, Dataset]:
    """Sample a network; categories that no row shows are not declared: peers cannot know them."""
    network = networks.load(name)
    if score == "gaussian_bic":
        gaussian = networks.random_gaussian_network(network.dag, random_state=seed)
        return network.dag, gaussian.sample(N_ROWS, random_state=seed)
    data = network.sample(N_ROWS, random_state=seed)
    codes = {column: data.codes(i) for i, column in enumerate(data.names)}
    return network.dag, Dataset.from_columns(codes)


def judged(truth: DAG, score: LocalScore, answer: dict[str, Any]) -> dict[str, Any]:
    """Score a class by one of its graphs, and compare it with the true one."""
    pairs = [[(a, b) for a, b in answer[kind]] for kind in ("directed", "undirected")]
    found = PDAG(truth.nodes, *pairs)
    try:
        dag = found.to_dag()
    except GraphError:  # not an equivalence class
        distance = structural_hamming_distance(found, truth.to_cpdag())
        return {"shd": distance, "score": None}
    return {"shd": cpdag_distance(dag, truth), "score": score.total(dag)}


def our_run(name: str, truth: DAG, data: Dataset, score: LocalScore) -> dict[str, Any]:
    """Time Eiderdown, with as many tries as a peer."""
    seconds: list[float] = []
    while again(seconds):
        started = time.perf_counter()
        found = our_search(name, data, score.name)
        seconds.append(time.perf_counter() - started)
    answer = {
        "directed": [(e.left, e.right) for e in found.edges if e.directed],
        "undirected": [(e.left, e.right) for e in found.edges if not e.directed],
    }
    row = {"name": name, "version": eiderdown.__version__, "seconds": min(seconds)}
    return row | judged(truth, score, answer)


def our_search(name: str, data: Dataset, score: str) -> Any:
    options = {"algorithm": "ges", "score": score, "n_jobs": 1, "progress": False} | OURS[name][1]
    return learn_network(data, **options)


def compile_kernels(score: str) -> None:
    """Search a small table once, for the first search may compile."""
    _, data = table_of("asia", score, 0)
    for name in (name for name, (scores, _) in OURS.items() if score in scores):
        our_search(name, data, score)


def tried(peer: str, table: Path, limit: float) -> dict[str, Any]:
    """Run a peer in its own process, until the time limit."""
    python = PYTHONS.get(PEERS[peer][0], PYTHONS[""])
    if not python.exists():
        return {"problem": f"{python} is not there"}
    command = [str(python), str(HERE / "equivalence_peer_runs.py"), peer, str(table)]
    environment = os.environ | ONE_THREAD
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=limit, env=environment, check=False
        )
    except subprocess.TimeoutExpired as expired:
        return {"stopped": True, "seconds": limit, **_told((expired.stdout or b"").decode())}
    answer = _told(done.stdout)
    if "seconds" in answer:
        return answer
    errors = done.stderr.strip().splitlines()
    return answer | {"problem": errors[-1] if errors else "no answer"}


def _told(output: str) -> dict[str, Any]:
    lines = (json.loads(line) for line in output.splitlines() if line.startswith("{"))
    return {key: value for line in lines for key, value in line.items()}


def answer_of(peer: str, table: Path, limit: float) -> dict[str, Any]:
    """Run a peer, more than once if it is quick."""
    answer = tried(peer, table, limit)
    if "problem" in answer or "stopped" in answer:
        return answer
    seconds = [answer["seconds"]]
    while again(seconds):
        seconds.append(tried(peer, table, limit).get("seconds", limit))
    return answer | {"seconds": min(seconds)}


def run_sample(
    case: tuple[str, str, int], searches: list[str], limit: float, answers: Answers
) -> dict[str, Any]:
    """Run some searches on one table."""
    truth, data = table_of(*case)
    score = make_score(case[1], data)
    true_score = score.total(truth)
    print(f"{case[0]}, {case[1]}, sample {case[2]}: the true graph has {true_score:,.1f}")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.npz"
        np.savez(table, values=_values(data), names=np.array(data.names))
        for search in searches:
            if search in OURS:
                rows.append(our_run(search, truth, data, score))
            else:
                key = " ".join(map(str, [*case, search]))
                answer = answers.get(key, partial(answer_of, search, table, limit))
                rows.append({"name": search, **_row(answer, truth, score)})
            print(told(rows[-1]), flush=True)
    return {"seed": case[2], "true_score": true_score, "runs": rows}


def _values(data: Dataset) -> Any:
    every = range(data.n_columns)
    if data.is_discrete.all():
        return np.column_stack([data.codes(i) for i in every]).astype(np.int64)
    return np.column_stack([data.values(i) for i in every])


def _row(answer: dict[str, Any], truth: DAG, score: LocalScore) -> dict[str, Any]:
    row = {key: value for key, value in answer.items() if key not in ("directed", "undirected")}
    return row | judged(truth, score, answer) if "directed" in answer else row


def told(row: dict[str, Any]) -> str:
    """One line about a run."""
    if "problem" in row:
        return f"  {row['name']}: left out: {row['problem']}"
    if "stopped" in row:
        return f"  {row['name']}: nothing within {row['seconds']:.0f} s"
    score = "no equivalence class" if row["score"] is None else f"score {row['score']:,.1f}"
    return f"  {row['name']}: {row['seconds']:.3g} s, SHD {row['shd']}, {score}"


def asked(searches: Iterable[str], only: Sequence[str]) -> list[str]:
    """Return the searches whose names hold one of the texts; without any, all."""
    return [name for name in searches if not only or any(text in name for text in only)]


def run_case(
    name: str,
    score: str,
    limit: float,
    answers: Answers,
    *,
    only: Sequence[str] = (),
    quick: bool = False,
) -> dict[str, Any]:
    """All samples of one network, for one score."""
    compile_kernels(score)
    searches = [search for search, (scores, _) in OURS.items() if score in scores]
    searches += [peer for peer, (_, scores, _) in PEERS.items() if score in scores]
    searches = asked(searches, only)
    samples: list[dict[str, Any]] = []
    for seed in SEEDS[:1] if quick else SEEDS:
        samples.append(run_sample((name, score, seed), searches, limit, answers))
        gave_up = {run["name"] for run in samples[-1]["runs"] if "shd" not in run}
        searches = [search for search in searches if search not in gave_up]
    seeds = () if quick else FURTHER.get(name, ())
    rivals = asked(["eiderdown ges_restarts", "xges"], only)
    further = [run_sample((name, score, seed), rivals, limit, answers) for seed in seeds]
    return {
        "network": name,
        "score": score,
        "time_limit": limit,
        "samples": samples,
        "further": further,
    }


def earlier() -> dict[str, Any]:
    """Read what was measured before."""
    path = RESULTS / f"{RECORD}.json"
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return stored


def with_earlier(cases: list[dict[str, Any]], *, keep_runs: bool = False) -> list[dict[str, Any]]:
    """Put new cases in the place of stored ones, in the usual order.

    With ``keep_runs``, stored runs of searches that were not run anew stay.
    """
    known = {(case["score"], case["network"]): case for case in earlier().get("cases", [])}
    for case in cases:
        key = (case["score"], case["network"])
        known[key] = with_stored_runs(case, known[key]) if keep_runs and key in known else case
    return [known[s, n] for s in BOTH for n in NETWORKS if (s, n) in known]


def with_stored_runs(case: dict[str, Any], stored: dict[str, Any]) -> dict[str, Any]:
    """Add to a case the runs of its samples that only a stored one has, if there are such still."""
    order = [*OURS, *PEERS]

    def joined(sample: dict[str, Any], before: dict[int, dict[str, Any]]) -> dict[str, Any]:
        kept = before.get(sample["seed"], {"runs": []})
        runs = {run["name"]: run for run in [*kept["runs"], *sample["runs"]]}
        return sample | {"runs": [runs[name] for name in order if name in runs]}

    parts = {}
    for part in ("samples", "further"):
        before = {sample["seed"]: sample for sample in stored[part]}
        parts[part] = [joined(sample, before) for sample in case[part]]
    return case | parts


def main() -> None:
    parser = argparse.ArgumentParser(description="Eiderdown's GES beside that of its peers.")
    parser.add_argument("--networks", default=",".join(NETWORKS), help="which, with commas")
    parser.add_argument("--scores", default=",".join(BOTH), help="which, with commas")
    parser.add_argument("--only", default="", help="searches that hold a text, with commas")
    parser.add_argument("--limit", type=float, default=TIME_LIMIT, help="seconds for each peer")
    parser.add_argument("--answers", type=Path, help="file that keeps what peers found")
    parser.add_argument("--note", action="append", help="what readers have to know; instead of old")
    parser.add_argument("--quick", action="store_true", help="Alarm, 20 s a peer; nothing is saved")
    options = parser.parse_args()
    warnings.simplefilter("ignore", EiderdownWarning)
    answers = Answers(options.answers)
    if options.quick:
        for score in BOTH:
            run_case("alarm", score, 20.0, Answers(None), quick=True)
        return
    only = options.only.split(",") if options.only else ()
    cases = [
        run_case(name, score, options.limit, answers, only=only)
        for score in options.scores.split(",")
        for name in options.networks.split(",")
    ]
    notes = options.note or earlier().get("notes", [])
    joined = with_earlier(cases, keep_runs=bool(only))
    write_record(RECORD, {"rows": N_ROWS, "notes": notes, "cases": joined})


if __name__ == "__main__":
    main()
