"""How long a sweep of Wilks' test over very many numeric columns takes, in passes over the table.

Run with ``make benchmark-blocks``. A pass reads the table of floats once and adds it up; no sweep
over it can be faster. The table has 100,000 columns of 500 rows and a class of three values. A
sweep tests every column against the class, given nothing or given three columns, and includes what
has to be learnt about the table first.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from measuring import median_seconds, write_record

from eiderdown.data import Dataset
from eiderdown.independence import WilksTest

N_COLUMNS, N_ROWS = 100_000, 500
MOST_PASSES = 10.0


def seconds_of(work: Any) -> float:
    """Time something that is done once."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> None:
    """Measure and save."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(N_ROWS, N_COLUMNS))
    data = Dataset.from_numpy(values).with_columns({"class": rng.integers(0, 3, N_ROWS)})
    floats = data.blocks[-1].values  # type: ignore[union-attr]
    a_pass = median_seconds(lambda: float(floats.sum()), repeats=5)
    small = WilksTest(data.select(data.names[-10:]))
    small.sweep([0, 1], 9, [2])  # compiles
    rows = {}
    for n_jobs in (1, 2):
        for given in ([], [0, 1, 2]):
            times = [seconds_of(lambda g=given, n=n_jobs: sweep(data, g, n)) for _ in range(3)]
            passes = min(times) / a_pass
            rows[f"{n_jobs} threads, {len(given)} given"] = round(passes, 2)
            print(f"{n_jobs} threads, given {len(given)} columns: {passes:.1f} passes")
    aims = {"most_passes": MOST_PASSES, "met": max(rows.values()) <= MOST_PASSES}
    write_record(
        "block_sweep",
        {"columns": N_COLUMNS, "rows": N_ROWS, "pass_seconds": a_pass, "passes": rows, **aims},
    )


def sweep(data: Dataset, given: list[int], n_jobs: int) -> None:
    """Make the test, which learns means and lengths, and sweep once."""
    test = WilksTest(data, n_jobs=n_jobs)
    test.sweep(np.arange(3, N_COLUMNS), N_COLUMNS, given)


if __name__ == "__main__":
    main()
