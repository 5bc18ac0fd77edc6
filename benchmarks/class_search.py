"""Searches by a score: what a second thread gives, and GES on thousands of columns.

Run with ``make benchmark-classes`` on a machine with two idle cores. For each verb the CPU time
outside compiled kernels is measured too, on one thread: only kernels run without Python's lock, so
that its share bounds what threads can give. ``--threads`` and ``--wide`` do one of the two,
``--only TEXT`` does the verbs whose names hold the text; stored results of the others are kept. GES
on tiles of Pigs takes minutes and up to 2 GB; CPU time is measured. Each verb and each size runs in
a process of its own.
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

from measuring import RESULTS, write_record

from eiderdown import (
    Dataset,
    find_boundaries,
    find_causes,
    learn_network,
    learn_region,
    measure_confidence,
    measure_optima,
    measure_stability,
    networks,
)
from eiderdown.errors import EiderdownWarning
from eiderdown.graphs import cpdag_distance
from eiderdown.kernels import Kernel

RECORD = "class_search"
N_ROWS, SEED = 5_000, 0
N_RUNS, N_RESAMPLES = 2_000, 20
N_SEARCHES, FEW_SEARCHES, N_SAMPLED_RUNS = 20_000, 1_000, 100
N_AROUND = 100
TARGETS = {"alarm": "HR", "insurance": "Accident"}
MANY_ROWS, FEW_RESAMPLES = 100_000, 6
REPEATS, PAUSE = 5, 0.4
QUIETLY: dict[str, Any] = {"progress": False, "random_state": SEED}
N_TILES, WIDE_ROWS = (5, 12, 23), 1_000


def discrete(name: str, n_rows: int = N_ROWS) -> Dataset:
    """Sample a network."""
    return networks.load(name).sample(n_rows, random_state=SEED)


def gaussian(name: str) -> Dataset:
    """Sample a linear Gaussian network with the same graph."""
    network = networks.random_gaussian_network(networks.load(name).dag, random_state=SEED)
    return network.sample(N_ROWS, random_state=SEED)


def verbs() -> dict[str, Callable[[], Callable[..., Any]]]:
    """Return what is measured, by name; each makes its table, and then takes n_jobs."""

    def learned(
        name: str, algorithm: str | None = None, n_rows: int = N_ROWS, **more: Any
    ) -> Callable[..., Any]:
        chosen = {} if algorithm is None else {"algorithm": algorithm}
        return partial(learn_network, discrete(name, n_rows), **chosen, **more, **QUIETLY)

    def sure(data: Dataset, **more: Any) -> Callable[..., Any]:
        return partial(measure_confidence, data, **more, **QUIETLY)

    def around(name: str) -> Callable[..., Any]:
        data = discrete(name)
        return partial(learn_region, data, data.names[len(data.names) // 3], **QUIETLY)

    def of_target(verb: Callable[..., Any], name: str, **more: Any) -> Callable[..., Any]:
        return partial(verb, discrete(name), TARGETS[name], **more, **QUIETLY)

    def counted(name: str) -> Callable[..., Any]:
        return partial(measure_optima, discrete(name), runs=N_SAMPLED_RUNS, **QUIETLY)

    searches, few_searches = (f"{n:,} runs of KIAMB" for n in (N_SEARCHES, FEW_SEARCHES))
    repeated: dict[str, Any] = {"runs": N_SEARCHES}
    seldom: dict[str, Any] = {"runs": FEW_SEARCHES}
    resampled = {"source": "resamples", "runs": N_RESAMPLES}
    by_bic: dict[str, Any] = {"score": "bic"}
    few = {"source": "resamples", "runs": FEW_RESAMPLES}
    many = f"{MANY_ROWS:,} rows"
    return {
        f"{N_RUNS:,} runs of KES, Alarm": lambda: sure(discrete("alarm"), runs=N_RUNS),
        f"{N_RUNS:,} runs of KES, Insurance": lambda: sure(discrete("insurance"), runs=N_RUNS),
        f"{N_RUNS:,} runs of KES, Insurance, Gaussian": lambda: sure(
            gaussian("insurance"), runs=N_RUNS
        ),
        f"{N_RESAMPLES} resamples, mmhc_restarts, Alarm": lambda: sure(
            discrete("alarm"), **resampled
        ),
        f"{N_RESAMPLES} resamples, ges, Alarm": lambda: sure(
            discrete("alarm"), algorithm="ges", **by_bic, **resampled
        ),
        f"stability, {N_RESAMPLES} resamples, Alarm": lambda: partial(
            measure_stability, discrete("alarm"), resamples=N_RESAMPLES, **QUIETLY
        ),
        f"{FEW_RESAMPLES} resamples, boss_restarts, Insurance": lambda: sure(
            discrete("insurance"), algorithm="boss_restarts", **few
        ),
        f"{FEW_RESAMPLES} resamples, mmhc_restarts, Insurance": lambda: sure(
            discrete("insurance"), algorithm="mmhc_restarts", **few
        ),
        f"{FEW_RESAMPLES} resamples, mmhc_restarts, Alarm, {many}": lambda: sure(
            discrete("alarm", MANY_ROWS), algorithm="mmhc_restarts", **few
        ),
        f"{FEW_RESAMPLES} resamples, ges, Alarm, {many}": lambda: sure(
            discrete("alarm", MANY_ROWS), algorithm="ges", **by_bic, **few
        ),
        f"{FEW_RESAMPLES} resamples, ges, Pigs": lambda: sure(
            discrete("pigs"), algorithm="ges", **by_bic, **few
        ),
        f"stability, {N_AROUND} resamples, mmpc, Alarm": lambda: of_target(
            measure_stability, "alarm", algorithm="mmpc", resamples=N_AROUND
        ),
        f"{N_AROUND} resamples, iamb, Alarm": lambda: of_target(
            measure_confidence, "alarm", source="resamples", algorithm="iamb", runs=N_AROUND
        ),
        f"boundaries, {few_searches}, Alarm": lambda: of_target(find_boundaries, "alarm", **seldom),
        f"boundaries, {few_searches}, Insurance": lambda: of_target(
            find_boundaries, "insurance", **seldom
        ),
        f"boundaries, {few_searches}, Alarm, Gaussian": lambda: partial(
            find_boundaries, gaussian("alarm"), TARGETS["alarm"], **seldom, **QUIETLY
        ),
        f"boundaries, {searches}, Alarm": lambda: of_target(find_boundaries, "alarm", **repeated),
        f"boundaries, {searches}, Insurance": lambda: of_target(
            find_boundaries, "insurance", **repeated
        ),
        f"confidence by boundaries, {searches}, Insurance": lambda: of_target(
            measure_confidence, "insurance", source="boundaries", **repeated
        ),
        "optima, 31 samples, Alarm": lambda: counted("alarm"),
        "optima, 31 samples, Insurance": lambda: counted("insurance"),
        "causes, Alarm": lambda: of_target(find_causes, "alarm"),
        "causes, Insurance": lambda: of_target(find_causes, "insurance"),
        "the default (boss_restarts), Alarm": lambda: learned("alarm"),
        "the default (boss_restarts), Insurance": lambda: learned("insurance"),
        "the default (boss_restarts), Link": lambda: learned("link"),
        "boss, Alarm": lambda: learned("alarm", "boss", **by_bic),
        "boss, Pigs": lambda: learned("pigs", "boss", **by_bic),
        "ges, Alarm": lambda: learned("alarm", "ges", **by_bic),
        f"ges, Alarm, {many}": lambda: learned("alarm", "ges", MANY_ROWS, **by_bic),
        "ges, Link": lambda: learned("link", "ges", **by_bic),
        "ges, Pigs": lambda: learned("pigs", "ges", **by_bic),
        "ges_restarts, Alarm": lambda: learned("alarm", "ges_restarts", **by_bic),
        "ges_restarts, Insurance": lambda: learned("insurance", "ges_restarts", **by_bic),
        "hill_climbing_restarts, Alarm": lambda: learned(
            "alarm", "hill_climbing_restarts", **by_bic
        ),
        "hill_climbing_restarts, Insurance": lambda: learned(
            "insurance", "hill_climbing_restarts", **by_bic
        ),
        "hill_climbing, Pigs": lambda: learned("pigs", "hill_climbing", **by_bic),
        f"hill_climbing, Alarm, {many}": lambda: learned(
            "alarm", "hill_climbing", MANY_ROWS, **by_bic
        ),
        "mmhc, Alarm": lambda: learned("alarm", "mmhc"),
        f"mmhc, Alarm, {many}": lambda: learned("alarm", "mmhc", MANY_ROWS),
        "mmhc, Pigs": lambda: learned("pigs", "mmhc"),
        "mmhc_restarts, Alarm": lambda: learned("alarm", "mmhc_restarts"),
        "mmhc_restarts, Pigs": lambda: learned("pigs", "mmhc_restarts"),
        "pc_stable, Alarm": lambda: learned("alarm", "pc_stable"),
        "pc_stable, Insurance": lambda: learned("insurance", "pc_stable"),
        f"pc_stable, Alarm, {many}": lambda: learned("alarm", "pc_stable", MANY_ROWS),
        f"pc_stable, Insurance, {many}": lambda: learned("insurance", "pc_stable", MANY_ROWS),
        "region, Alarm": lambda: around("alarm"),
        "region, Pigs": lambda: around("pigs"),
    }


def best_seconds(work: Callable[[], Any]) -> float:
    """Do it once to warm up, then time it several times, with pauses; return the shortest.

    Linux takes a twentieth of each second from work of real-time priority, which would hit some
    tries and not others.
    """
    work()
    times = []
    for _ in range(REPEATS):
        time.sleep(PAUSE)
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


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


def with_a_second_job(name: str) -> dict[str, Any]:
    """Measure a verb with one job and with two."""
    verb = verbs()[name]()
    share = share_outside_kernels(partial(verb, n_jobs=1))
    one, two = (best_seconds(partial(verb, n_jobs=n)) for n in (1, 2))
    return {"name": name, "outside_kernels": share, "one_thread": one, "two_threads": two}


def threads(only: str, known: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Measure verbs, each in a new process; the others are taken from what is known.

    A fork takes the longer the more memory a process has, and other verbs would leave theirs.
    """
    rows = {row["name"]: row for row in known}
    for name in verbs():
        if only.lower() in name.lower():
            rows[name] = row = in_a_new_process("--verb", name)
            one, two, share = row["one_thread"], row["two_threads"], row["outside_kernels"]
            print(f"  {name}: {one:.4f} s, {two:.4f} s, {one / two:.2f} times, {share:.0%} outside")
    return [rows[name] for name in verbs() if name in rows]


def in_a_new_process(*options: str) -> dict[str, Any]:
    """Return what this script says in JSON with some options."""
    command = [sys.executable, str(Path(__file__)), *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    said: dict[str, Any] = json.loads(done.stdout)
    return said


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


def wide(sizes: tuple[int, ...], known: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Measure GES on more and more columns, each time in a new process."""
    rows = {row["tiles"]: row for row in known}
    for n_tiles in sizes:
        rows[n_tiles] = in_a_new_process("--tiles", str(n_tiles))
        print(f"  {rows[n_tiles]}", flush=True)
    return [rows[n_tiles] for n_tiles in sorted(rows)]


def earlier() -> dict[str, Any]:
    """Read what was measured before."""
    path = RESULTS / f"{RECORD}.json"
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return stored


def main() -> None:
    parser = argparse.ArgumentParser(description="Threads, and thousands of columns.")
    parser.add_argument("--threads", action="store_true", help="only what a second thread gives")
    parser.add_argument("--wide", action="store_true", help="only GES on thousands of columns")
    parser.add_argument("--only", default="", help="only verbs whose names hold this text")
    parser.add_argument("--sizes", default="", help="only so many tiles, with commas")
    parser.add_argument("--tiles", type=int, help="one GES, told in JSON; nothing is saved")
    parser.add_argument("--verb", help="one verb, told in JSON; nothing is saved")
    options = parser.parse_args()
    warnings.simplefilter("ignore", EiderdownWarning)
    if options.tiles or options.verb:
        said = ges_on_tiles(options.tiles) if options.tiles else with_a_second_job(options.verb)
        print(json.dumps(said))
        return
    both, record = options.threads == options.wide, earlier()
    record |= {"rows": N_ROWS, "wide_rows": WIDE_ROWS}
    record = {"threads": [], "wide": []} | record
    if both or options.threads:
        record["threads"] = threads(options.only, record["threads"])
    if both or options.wide:
        sizes = tuple(map(int, options.sizes.split(","))) if options.sizes else N_TILES
        record["wide"] = wide(sizes, record["wide"])
    write_record(RECORD, record)


if __name__ == "__main__":
    main()
