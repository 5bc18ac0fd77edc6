"""How long a newcomer waits: CPU seconds of whole commands, with an empty and with a warm cache.

Run with ``make benchmark-first-answer``. Each command is a process of its own, on 2,000 rows of
Alarm (37 columns); counted are the user and system seconds of the process, imports and compiling
included. The cache of kernels is an empty folder first; a small problem is answered without one.
Then every kernel that the command calls is compiled into it, and read from it afterwards. Python
writes its bytecode as it does for users, even where the environment forbids it.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from measuring import write_record

COMMANDS: dict[str, tuple[list[str], float | None, float]] = {
    # what is run on the table, and the aims in CPU seconds: empty cache, warm cache
    "--help": (["--help"], None, 0.3),
    "find": (["find", "TABLE", "--target", "HR"], 6.0, 1.5),
    "find --algorithm pcmb": (
        ["find", "TABLE", "--target", "HR", "--algorithm", "pcmb"],
        None,
        1.5,
    ),
    "network": (["network", "TABLE"], None, 1.5),
    "network --algorithm hill_climbing": (
        ["network", "TABLE", "--algorithm", "hill_climbing"],
        8.0,
        1.5,
    ),
    "network --algorithm ges": (["network", "TABLE", "--algorithm", "ges"], 15.0, 1.5),
}
WARM_RUNS = 5

AT_ONCE = "from eiderdown import cli, kernels; kernels.PATIENCE = 0.0; cli.main()"
"""The command, with no kernel run as Python however small the problem is."""


def cpu_seconds(words: list[str], cache: Path, *, compiling: bool = False) -> float:
    """Run a command and return the user and system seconds that it took."""
    how = ["-c", AT_ONCE] if compiling else ["-m", "eiderdown"]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONDONTWRITEBYTECODE": ""}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *how, *words],
        env=environment,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def measured(name: str, table: Path) -> dict[str, Any]:
    """Measure one command, first with an empty cache of its own."""
    words, aim_first, aim_warm = COMMANDS[name]
    words = [str(table) if word == "TABLE" else word for word in words]
    with tempfile.TemporaryDirectory() as cache:
        first = cpu_seconds(words, Path(cache))
        cpu_seconds(words, Path(cache), compiling=True)
        warm = statistics.median(cpu_seconds(words, Path(cache)) for _ in range(WARM_RUNS))
    row = {"first": first, "warm": warm, "aim_first": aim_first, "aim_warm": aim_warm}
    print(f"  {name}: {first:.2f} CPU seconds with an empty cache, {warm:.2f} with all compiled")
    return row


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "alarm.csv"
        sample = ["sample", "alarm", "--rows", "2000", "--out", str(table)]
        cpu_seconds(sample, Path(folder))  # also writes the bytecode of what is imported
        write_record("first_answer", {"commands": {n: measured(n, table) for n in COMMANDS}})


if __name__ == "__main__":
    main()
