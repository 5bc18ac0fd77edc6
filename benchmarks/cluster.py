"""A cluster on this machine: one and two workers, and what it costs to lose one of two.

A folder of Parquet files is made on the fly and removed afterwards. One machine answers first:
the table in memory, the boundary of one column by IAMB. Then workers of one thread each, in
processes of their own, answer the same: seconds to bring the table there, to search it, and to
search it again while one of two workers is killed in the middle. Every answer is compared with
that of one machine, evidence included. Two workers pay where there are two cores to spare.

    python benchmarks/cluster.py                      2e7 rows x 20 columns
    python benchmarks/cluster.py --rows 2e5           quicker
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from measuring import write_record

ROWS_PER_FILE = 1_000_000
ROWS_PER_GROUP = 250_000
TARGET = "HR"


def make_folder(folder: Path, n_rows: int, n_columns: int) -> None:
    """Write samples of Alarm as Parquet files of whole numbers."""
    import pyarrow as pa
    from pyarrow import parquet

    from eiderdown import networks

    network = networks.load("alarm")
    for number, start in enumerate(range(0, n_rows, ROWS_PER_FILE)):
        sample = network.sample(min(ROWS_PER_FILE, n_rows - start), random_state=number)
        names = [TARGET, *(name for name in sample.names if name != TARGET)][:n_columns]
        columns = {name: sample.codes(sample.index(name)) for name in names}
        path = folder / f"part-{number:05d}.parquet"
        parquet.write_table(pa.table(columns), path, row_group_size=ROWS_PER_GROUP)


@contextmanager
def workers(n_workers: int) -> Iterator[tuple[Any, list[subprocess.Popen[bytes]]]]:
    """Start a scheduler here and workers without nannies, one thread each."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=0, processes=False, protocol="tcp", dashboard_address=":0"
        ) as cluster,
        Client(cluster.scheduler_address) as client,
    ):
        command = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
        command += ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--memory-limit", "0"]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        started = [subprocess.Popen(command, env=env, **quiet) for _ in range(n_workers)]
        try:
            client.wait_for_workers(n_workers, timeout=120)
            yield client, started
        finally:
            for process in started:
                process.kill()
                process.wait(10)


def searched(table: Any) -> tuple[Any, float]:
    """Search, and return what was found, but for how it went, and seconds."""
    from eiderdown import find_boundary

    began = time.perf_counter()
    result = find_boundary(table, target=TARGET, algorithm="iamb", n_jobs=1, progress=False)
    seconds = time.perf_counter() - began
    found = result.to_dict()
    del found["run"]
    return found, seconds


def on_one_machine(folder: Path) -> tuple[Any, dict[str, float]]:
    from pyarrow import parquet

    from eiderdown import Dataset

    began = time.perf_counter()
    table = Dataset.of(parquet.read_table(folder))
    read = time.perf_counter() - began
    searched(table)  # which compiles what is not compiled
    found, seconds = searched(table)
    return found, {"seconds_to_read": read, "seconds_to_search": seconds}


def on_workers(folder: Path, n_workers: int, expected: Any) -> dict[str, Any]:
    from eiderdown import Dataset

    with workers(n_workers) as (client, started):
        began = time.perf_counter()
        table = Dataset.of(folder, client=client)
        read = time.perf_counter() - began
        searched(table)  # which compiles what is not compiled
        found, seconds = searched(table)
        record = {
            "workers": n_workers,
            "seconds_to_read": read,
            "seconds_to_search": seconds,
            "equal": found == expected,
        }
        if n_workers > 1:
            victim = started[-1]
            threading.Timer(seconds / 3, victim.send_signal, (signal.SIGKILL,)).start()
            found, killed = searched(table)
            record["seconds_with_a_worker_killed"] = killed
            record["equal_with_a_worker_killed"] = found == expected
            record["worker_was_killed"] = victim.poll() is not None
    return record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=2e7)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--folder", type=Path, default=None, help="where the files are made")
    given = parser.parse_args()
    n_rows = int(given.rows)
    folder = Path(tempfile.mkdtemp(dir=given.folder))
    try:
        make_folder(folder, n_rows, given.columns)
        expected, here = on_one_machine(folder)
        runs = [on_workers(folder, n, expected) for n in (1, 2)]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    one, two = runs
    record = {
        "rows": n_rows,
        "columns": given.columns,
        "cores": os.cpu_count(),
        "one_machine": here,
        "clusters": runs,
        "two_workers_to_one": one["seconds_to_search"] / two["seconds_to_search"],
        "cost_of_a_killed_worker": two["seconds_with_a_worker_killed"] / two["seconds_to_search"],
    }
    write_record("cluster", record)
    for name, value in record.items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
