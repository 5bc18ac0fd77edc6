"""Many targets: 10,000 columns, and the skeleton of 100,000; memory, evictions, and kills.

Run with ``python benchmarks/many_targets.py`` (hours; ``--columns``, ``--skeleton-columns`` and
``--seconds`` make it smaller). Each run is a process of its own, so that its peak is its own:

    boundaries    find_all_boundaries on Alarm tiled to 10,000 columns x 1,000 rows, with 1 GB for
                  tests and with 64 MB; then one that is killed and goes on
    skeleton      learn_skeleton on 100,000 sparse columns x 1,000 rows, for some minutes, once in
                  one go and once killed on the way; and from its rate how long the whole would take

Results of the runs are compared: what is found must be the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from measuring import write_record
from scipy.sparse import csc_array

from eiderdown import Dataset, find_all_boundaries, learn_skeleton, networks, read_skeleton
from eiderdown.networks import tile

N_ROWS = 1_000
CHAIN = 5  # columns of the sparse table that depend on each other, one on the one before


def tiled_alarm(n_columns: int) -> Dataset:
    """Sample Alarm, tiled; the first columns of it."""
    alarm = networks.load("alarm")
    tiles = tile(alarm, -(-n_columns // 37), random_state=0)
    data = tiles.sample(N_ROWS, random_state=0)
    return data.select(data.names[:n_columns])


def sparse_chains(n_columns: int) -> Dataset:
    """Make sparse columns in chains, of which all neighbours are known."""
    rng, columns = np.random.default_rng(0), []
    for i in range(n_columns):
        kept = columns[-1] & (rng.random(N_ROWS) < 0.8) if i % CHAIN else False
        columns.append(kept | (rng.random(N_ROWS) < (0.02 if i % CHAIN else 0.1)))
    return Dataset.from_sparse(csc_array(np.stack(columns, axis=1).astype(np.int8)))


def boundaries(n_columns: int, memory: str, state: str | None, save: Path) -> dict[str, Any]:
    """Find all boundaries, save them, and say what it took."""
    data = tiled_alarm(n_columns)
    held, cpu, wall = _peak(), time.process_time(), time.perf_counter()
    found = find_all_boundaries(
        data,
        algorithm="pcmb",
        alpha=0.01 / n_columns,
        test_memory=memory,
        state=state,
        progress=False,
    )
    cpu, wall, peak = time.process_time() - cpu, time.perf_counter() - wall, _peak()
    found.save(save)
    run = found.run
    members = json.dumps({name: sorted(result.members) for name, result in found.items()})
    return {
        "columns": n_columns,
        "test_memory": memory,
        "cpu_seconds": round(cpu, 1),
        "seconds": round(wall, 1),
        "peak_mb_before": held,
        "peak_mb": peak,
        "peak_mb_saved": _peak(),
        "json_mb": round(save.stat().st_size / 2**20, 1),
        "tests": run.n_tests,
        "repeated": run.n_repeated,
        "evicted": run.n_evicted,
        "members": sum(len(result.members) for result in found.values()),
        "digest": hashlib.sha256(members.encode()).hexdigest()[:16],
    }


def skeleton(n_columns: int, to: Path, seconds: float) -> dict[str, Any]:
    """Learn a part of a skeleton, and say what it took."""
    data = sparse_chains(n_columns)
    held, cpu = _peak(), time.process_time()
    found = learn_skeleton(data, to=to, time_limit=seconds, progress=False)
    return {
        "columns": n_columns,
        "finished": found.n_finished,
        "cpu_seconds": round(time.process_time() - cpu, 1),
        "seconds": round(found.run.seconds, 1),
        "peak_mb_before": held,
        "peak_mb": _peak(),
        "edges": found.n_edges,
        "one_sided": found.n_one_sided,
        "file_mb": round(to.stat().st_size / 2**20, 2),
        "tests": found.run.n_tests,
        "evicted": found.run.n_evicted,
    }


def _peak() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def in_process(*words: Any, killed_after: float | None = None) -> dict[str, Any]:
    """Do one of the works above in a process of its own, which may be killed."""
    command = [sys.executable, __file__, "--work", json.dumps([str(word) for word in words])]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        said, _ = process.communicate(timeout=killed_after)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        return {"killed_after": killed_after}
    measured: dict[str, Any] = json.loads(said)
    print(measured)
    return measured


def work(words: list[str]) -> None:
    """Do one piece of work, and print what it took."""
    warnings.simplefilter("ignore")
    name, n_columns, *rest = words
    if name == "boundaries":
        memory, state, save = rest
        measured = boundaries(int(n_columns), memory, state or None, Path(save))
    else:
        to, seconds = rest
        measured = skeleton(int(n_columns), Path(to), float(seconds))
    print(json.dumps(measured))


def all_boundaries(n_columns: int, folder: Path) -> dict[str, Any]:
    """Compare a large memory, a small one, and a run that was killed."""
    large = in_process("boundaries", n_columns, "1GB", "", folder / "large.json")
    small = in_process("boundaries", n_columns, "64MB", "", folder / "small.json")
    resumed_from = ("boundaries", n_columns, "64MB", folder / "state", folder / "resumed.json")
    killed = in_process(*resumed_from, killed_after=0.5 * small["seconds"])
    n_kept = (folder / "state").read_bytes().count(b"\n") - 1
    resumed = in_process(*resumed_from)
    digests = {run["digest"] for run in (large, small, resumed)}
    return {
        "large": large,
        "small": small,
        "resumed": {**resumed, **killed, "kept": n_kept},
        "same": len(digests) == 1,
    }


def streamed_skeleton(n_columns: int, seconds: float, folder: Path) -> dict[str, Any]:
    """Compare a part of a skeleton in one go and one that was killed, and project the whole."""
    paths = folder / "whole.arrow", folder / "killed.arrow"
    whole = in_process("skeleton", n_columns, paths[0], seconds)
    in_process("skeleton", n_columns, paths[1], seconds, killed_after=max(30.0, seconds))
    n_kept = read_skeleton(paths[1]).n_finished if paths[1].exists() else 0
    resumed = in_process("skeleton", n_columns, paths[1], seconds)
    one, other = (read_skeleton(path) for path in paths)
    n_same = min(one.sides.num_rows, other.sides.num_rows)
    frame = one.to_frame()
    numbers = [frame[side].str[1:].astype(int) for side in ("x", "y")]
    true = (numbers[1] - numbers[0] == 1) & (numbers[0] % CHAIN != CHAIN - 1)
    n_true = sum((i % CHAIN) > 0 for i in range(whole["finished"]))
    rate = whole["cpu_seconds"] / max(1, whole["finished"])
    return {
        "whole": whole,
        "resumed": {**resumed, "kept": n_kept},
        "same": one.sides[:n_same].equals(other.sides[:n_same]),
        "true_edges": int(true.sum()),
        "true_edges_there_are": n_true,
        "false_edges": int((~true).sum()),
        "cpu_ms_per_column": round(1_000 * rate, 2),
        "projected_cpu_minutes": round(rate * n_columns / 60, 1),
    }


def main() -> None:
    """Measure all, and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--columns", type=int, default=10_000)
    parser.add_argument("--skeleton-columns", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--work")
    asked = parser.parse_args()
    if asked.work:
        work(json.loads(asked.work))
        return
    with tempfile.TemporaryDirectory() as folder:
        measured = {
            "rows": N_ROWS,
            "boundaries": all_boundaries(asked.columns, Path(folder)),
            "skeleton": streamed_skeleton(asked.skeleton_columns, asked.seconds, Path(folder)),
        }
    write_record("many_targets", measured)


if __name__ == "__main__":
    main()
