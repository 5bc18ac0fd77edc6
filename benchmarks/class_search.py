"""Searches by a score: what a second thread gives, and GES on thousands of columns.

Run with ``make benchmark-classes`` on a machine with two idle cores. For each verb the CPU time
outside compiled kernels is measured too, on one thread: only kernels run without Python's lock, so
that its share bounds what threads can give. ``--threads`` and ``--wide`` do one of the two and keep
the stored results of the other. GES on tiles of Pigs takes minutes and up to 2 GB; each size runs
in a process of its own, for its peak of memory.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from measuring import RESULTS, median_seconds, write_record

from eiderdown import Dataset, learn_network, measure_confidence, networks
from eiderdown.errors import EiderdownWarning
from eiderdown.graphs import cpdag_distance
from eiderdown.kernels import Kernel

RECORD = "class_search"
N_ROWS, SEED = 5_000, 0
N_RUNS, N_RESAMPLES, REPEATS = 2_000, 20, 3
N_TILES, WIDE_ROWS = (5, 12, 23), 1_000


def discrete(name: str) -> Dataset:
    """Sample a network."""
    return networks.load(name).sample(N_ROWS, random_state=SEED)


def gaussian(name: str) -> Dataset:
    """Sample a linear Gaussian network with the same graph."""
    network = networks.random_gaussian_network(networks.load(name).dag, random_state=SEED)
    return network.sample(N_ROWS, random_state=SEED)


def verbs() -> dict[str, Callable[..., Any]]:
    """Return what is measured, by name; each takes n_jobs."""
    alarm, insurance, numbers = discrete("alarm"), discrete("insurance"), gaussian("insurance")
    learned = partial(learn_network, progress=False, random_state=SEED)
    sure = partial(measure_confidence, progress=False, random_state=SEED)
    return {
        f"{N_RUNS:,} runs of KES, Alarm": partial(sure, alarm, runs=N_RUNS),
        f"{N_RUNS:,} runs of KES, Insurance": partial(sure, insurance, runs=N_RUNS),
        f"{N_RUNS:,} runs of KES, Insurance, Gaussian": partial(sure, numbers, runs=N_RUNS),
        f"{N_RESAMPLES} resamples, mmhc_restarts, Alarm": partial(
            sure, alarm, source="resamples", runs=N_RESAMPLES
        ),
        f"{N_RESAMPLES} resamples, ges, Alarm": partial(
            sure, alarm, source="resamples", algorithm="ges", score="bic", runs=N_RESAMPLES
        ),
        "boss_restarts, Alarm": partial(learned, alarm, algorithm="boss_restarts"),
        "ges, Pigs": partial(learned, discrete("pigs"), algorithm="ges", score="bic"),
        "ges_restarts, Alarm": partial(learned, alarm, algorithm="ges_restarts", score="bic"),
        "hill_climbing_restarts, Alarm": partial(
            learned, alarm, algorithm="hill_climbing_restarts", score="bic"
        ),
    }


@contextmanager
def time_in_kernels() -> Iterator[list[float]]:
    """Sum the CPU time of this thread within compiled kernels."""
    seconds, plain = [0.0], Kernel.__call__

    def timed(self: Kernel, *args: Any) -> Any:
        if self._callable is None:
            return plain(self, *args)
        started = time.thread_time()
        try:
            return self._callable(*args)
        finally:
            seconds[0] += time.thread_time() - started

    Kernel.__call__ = timed  # type: ignore[method-assign]
    try:
        yield seconds
    finally:
        Kernel.__call__ = plain  # type: ignore[method-assign]


def share_outside_kernels(work: Callable[[], Any]) -> float:
    """Return the share of CPU time, on one thread, during which Python's lock is held."""
    work()
    started = time.thread_time()
    with time_in_kernels() as inside:
        work()
    return 1.0 - inside[0] / (time.thread_time() - started)


def threads() -> list[dict[str, Any]]:
    """Measure every verb with one thread and with two."""
    rows = []
    for name, verb in verbs().items():
        share = share_outside_kernels(partial(verb, n_jobs=1))
        one, two = (median_seconds(partial(verb, n_jobs=n), REPEATS) for n in (1, 2))
        rows.append({"name": name, "outside_kernels": share, "one_thread": one, "two_threads": two})
        print(f"  {name}: {one / two:.2f} times as fast with two threads, {share:.0%} outside")
    return rows


def ges_on_tiles(n_tiles: int) -> dict[str, Any]:
    """Run GES once on copies of Pigs that are joined, on one thread."""
    network = networks.tile(networks.load("pigs"), n_tiles, random_state=SEED)
    data = network.sample(WIDE_ROWS, random_state=SEED)
    started = time.process_time()
    found = learn_network(data, algorithm="ges", score="bic", n_jobs=1, progress=False)
    return {
        "tiles": n_tiles,
        "columns": data.n_columns,
        "edges": len(found.edges),
        "true_edges": network.dag.n_edges,
        "distance": cpdag_distance(found.graph, network.dag),
        "seconds": time.process_time() - started,
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def wide() -> list[dict[str, Any]]:
    """Measure GES on more and more columns, each time in a new process."""
    rows = []
    for n_tiles in N_TILES:
        command = [sys.executable, str(Path(__file__)), "--tiles", str(n_tiles)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        rows.append(json.loads(done.stdout))
        print(f"  {rows[-1]}", flush=True)
    return rows


def earlier() -> dict[str, Any]:
    """Read what was measured before."""
    path = RESULTS / f"{RECORD}.json"
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return stored


def main() -> None:
    parser = argparse.ArgumentParser(description="Threads, and thousands of columns.")
    parser.add_argument("--threads", action="store_true", help="only what a second thread gives")
    parser.add_argument("--wide", action="store_true", help="only GES on thousands of columns")
    parser.add_argument("--tiles", type=int, help="one GES, told in JSON; nothing is saved")
    options = parser.parse_args()
    warnings.simplefilter("ignore", EiderdownWarning)
    if options.tiles:
        print(json.dumps(ges_on_tiles(options.tiles)))
        return
    both, known = options.threads == options.wide, earlier()
    record: dict[str, Any] = {"rows": N_ROWS, "wide_rows": WIDE_ROWS}
    record["threads"] = threads() if both or options.threads else known.get("threads", [])
    record["wide"] = wide() if both or options.wide else known.get("wide", [])
    write_record(RECORD, record)


if __name__ == "__main__":
    main()
