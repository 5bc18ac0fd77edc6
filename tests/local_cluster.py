"""A scheduler in this process and workers in processes of their own, on loopback."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SECONDS = 60  # until a worker is there, which is a second on a quiet machine


class LocalWorkers:
    """Workers without nannies, so that one that is killed stays away."""

    def __init__(self, scheduler: str) -> None:
        self.scheduler = scheduler
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(self, client: Any, n: int = 1) -> list[str]:
        """Start workers of one thread each and return their addresses."""
        before = set(client.nthreads())
        command = [sys.executable, "-m", "distributed.cli.dask_worker", self.scheduler]
        command += ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--memory-limit", "0"]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._processes += [subprocess.Popen(command, env=env, **quiet) for _ in range(n)]
        deadline = time.monotonic() + SECONDS
        while len(set(client.nthreads()) - before) < n:
            if time.monotonic() > deadline:
                raise TimeoutError("no worker came")
            time.sleep(0.05)
        return sorted(set(client.nthreads()) - before)

    def stop(self) -> None:
        """End them all, those that ignore it too."""
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(5)


@contextmanager
def local_cluster(n_workers: int = 2) -> Iterator[tuple[Any, LocalWorkers]]:
    """Give a client and its workers."""
    from distributed import Client, LocalCluster

    here = {"processes": False, "dashboard_address": ":0", "protocol": "tcp"}
    with (
        LocalCluster(n_workers=0, host="127.0.0.1", silence_logs=50, **here) as cluster,
        Client(cluster.scheduler_address, timeout=SECONDS, set_as_default=False) as client,
    ):
        workers = LocalWorkers(cluster.scheduler_address)
        try:
            workers.start(client, n_workers)
            yield client, workers
        finally:
            workers.stop()
