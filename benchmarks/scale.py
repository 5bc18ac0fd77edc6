"""Rows beyond memory: a Parquet folder of up to 1e8 rows x 50 columns, packed, swept and searched.

Each size is made on the fly (bounded disk, removed afterwards) and measured in a process of its
own: one plain pyarrow pass over the same columns; the first sweep, which packs; later sweeps; IAMB
and the default search around one column. Times are given as multiples of the plain pass, memory as
the peak of the process, mapped pages included. Before the clock starts, modules are imported and
kernels compiled, for the plain pass as for the rest.

Short times are noise: what can be done again is done several times, and the best is taken, at
every size alike as long as all tries take no more than some seconds.

Slopes in rows compare the same work, and means over about as many seconds at every size: a long try
meets all that disturbs a machine, of which the best of many short ones is free.

Sweeps are the same at every size. Which tests a search makes
depends on the rows, because at alpha = .01 chance columns come in and go, so IAMB is measured once
more at an alpha at which they do not; its slope is given where the number of tests is the same.

    python benchmarks/scale.py                    1e5 .. 1e8 rows; some ten minutes
    python benchmarks/scale.py --rows 1e7 1e8     the two sizes that are packed, and their slopes
    python benchmarks/scale.py --wide             631 columns, projected to 65 M rows
    python benchmarks/scale.py --mixed            1e7 rows of numbers, categories, dates and gaps
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from measuring import write_record
from mixed_rows import TRUE_MEMBERS, make_mixed, search_mixed

MEMORY = "2GB"
ROWS_PER_FILE = 2_000_000
ROWS_PER_GROUP = 500_000
TARGET = "HR"
ALPHA_OF_MANY = 1e-6  # of 631 columns six would come in by chance at .01, and six more, and so on
STRICT = "iamb at 1e-6"
SLOPES = (
    "plain_pass",
    "first sweep",
    *(f"later sweep {k}" for k in (1, 2, 3)),
    STRICT,
    "iamb",
    "auto",
)
MIXED_RUNS = ("auto", "iamb")
PLAIN = (2, 20, 10.0)  # tries: at least, at most, and seconds after which no more are made
FIRST = (2, 10, 10.0)
LATER = (3, 100, 3.0)
ONCE = (1, 1, 0.0)
SIZES = (100_000, 1_000_000, 10_000_000, 100_000_000)
SPARK_MRMR = {"rows": 65_000_000, "columns": 631, "seconds_per_column": 150.0}


def make_tables(folder: Path, n_rows: int, n_columns: int) -> int:
    """Write samples of Alarm, side by side until there are enough columns, as Parquet files.

    Every other column is written as whole numbers, the others as categories.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from eiderdown import networks

    network = networks.load("alarm")
    n_copies = -(-n_columns // len(network.dag.nodes))
    for number, start in enumerate(range(0, n_rows, ROWS_PER_FILE)):
        size = min(ROWS_PER_FILE, n_rows - start)
        columns: dict[str, Any] = {}
        for copy in range(n_copies):
            sample = network.sample(size, random_state=1_000 * number + copy)
            for i, name in enumerate(sample.names):
                if len(columns) < n_columns:
                    label = name if copy == 0 else f"{name}.{copy}"
                    columns[label] = _column(sample, i)
        pq.write_table(
            pa.table(columns), folder / f"part-{number:05d}.parquet", row_group_size=ROWS_PER_GROUP
        )
    return sum(path.stat().st_size for path in folder.glob("*.parquet"))


def _column(sample: Any, i: int) -> Any:
    import pyarrow as pa

    codes = sample.codes(i)
    if i % 2:
        return pa.array(codes.astype(np.int64))
    categories = pa.array([str(category) for category in sample.categories(i)])
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int8)), categories)


def plain_pass(folder: Path) -> dict[str, float]:
    """Read every column once, and do nothing with it; the best of some tries."""
    import pyarrow.dataset as ds

    def read() -> int:
        dataset = ds.dataset(folder, format="parquet")
        return sum(int(batch.num_rows) for batch in dataset.to_batches())

    found, n_rows = best_of(read, PLAIN)
    return {**found, "rows": n_rows}


def best_of(work: Any, tries: tuple[int, int, float]) -> tuple[dict[str, float], Any]:
    """Do some work a few times; return the shortest time, the mean, and the last answer."""
    least, most, seconds = tries
    found: list[dict[str, float]] = []
    begun = time.perf_counter()
    while len(found) < least or (len(found) < most and time.perf_counter() - begun < seconds):
        started, used = time.perf_counter(), time.process_time()
        answer = work()
        took = {"seconds": time.perf_counter() - started, "cpu": time.process_time() - used}
        found.append(took)
    best = min(found, key=lambda one: one["seconds"])
    mean = float(np.mean([one["seconds"] for one in found]))
    return {**best, "mean_seconds": mean, "tries": len(found)}, answer


def search(folder: Path, store: Path, n_jobs: int, searches: list[str]) -> dict[str, Any]:
    """Pack, sweep and search; times in order, and the peak of memory after each."""
    from eiderdown import Dataset, find_boundary
    from eiderdown.data.partitioned import PartitionedDataset
    from eiderdown.independence import CalibratedChiSquareTest

    found: dict[str, Any] = {}

    def clock(name: str, work: Any, tries: tuple[int, int, float] = ONCE) -> Any:
        best, answer = best_of(work, tries)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        found[name] = {**best, "peak_mb": peak}
        return answer

    _warm_up(n_jobs)
    alpha = 0.01 if searches != ["iamb"] else ALPHA_OF_MANY

    def first() -> Any:
        shutil.rmtree(store, ignore_errors=True)
        data = Dataset.of(str(folder), memory=MEMORY, store=str(store))
        return data, _sweep(CalibratedChiSquareTest(data, n_jobs=n_jobs), data)

    data, _ = clock("first sweep", first, FIRST)
    found["in_parts"] = isinstance(data, PartitionedDataset)
    test = CalibratedChiSquareTest(data, n_jobs=n_jobs)
    for number in (1, 2, 3):
        clock(f"later sweep {number}", lambda number=number: _sweep(test, data, number), LATER)
    options = {"alpha": alpha, "n_jobs": n_jobs, "progress": False}
    runs = [(name, {**options, "algorithm": name}) for name in searches]
    if searches != ["iamb"]:
        strict = {**options, "algorithm": "iamb", "alpha": ALPHA_OF_MANY}
        runs.insert(0, (STRICT, strict))
    for name, how in runs:
        result = clock(name, lambda how=how: find_boundary(data, TARGET, **how))
        found[name] |= {"members": sorted(result.members), "n_tests": result.run.n_tests}
    return found


def _warm_up(n_jobs: int) -> None:
    """Have modules imported and kernels compiled before anything is timed."""
    import pyarrow.dataset  # noqa: F401  which imports pandas; the plain pass does so, too

    from eiderdown import Dataset, find_boundary, networks
    from eiderdown.data.partitioned import PartitionedDataset
    from eiderdown.data.partitions import MemoryPartitions

    small = networks.load("alarm").sample(200_000, random_state=0)
    parts = PartitionedDataset.over(MemoryPartitions(small, 4), small)
    for algorithm in ("iamb", "auto"):
        find_boundary(parts, TARGET, algorithm=algorithm, n_jobs=n_jobs, progress=False)
    with tempfile.TemporaryDirectory(prefix="eiderdown-scale-") as name:
        folder = Path(name)
        make_tables(folder, 10_000, len(small.names))
        Dataset.of([str(path) for path in folder.glob("*")], memory="1KB", store=name)


def _sweep(test: Any, data: Any, n_given: int = 0) -> Any:
    given = [data.index(name) for name in ("CO", "HRBP", "CATECHOL")[:n_given]]
    target = data.index(TARGET)
    others = [i for i in range(data.n_columns) if i not in (target, *given)]
    return test.sweep(others, target, given)


def in_process(*words: str) -> dict[str, Any]:
    """Run a part of this script in a process of its own, and return what it printed."""
    done = subprocess.run(
        [sys.executable, __file__, *words],
        check=True,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def measure(
    n_rows: int, n_columns: int, searches: tuple[str, ...] = ("iamb", "auto"), n_jobs: int = 2
) -> dict[str, Any]:
    """Measure one size."""
    folder = Path(tempfile.mkdtemp(prefix="eiderdown-scale-"))
    try:
        tables, store = folder / "tables", folder / "store"
        tables.mkdir()
        n_bytes = make_tables(tables, n_rows, n_columns)
        plain = in_process("--plain", str(tables))
        found = in_process("--search", str(tables), str(store), str(n_jobs), *searches)
        packed = sum(path.stat().st_size for path in store.rglob("*") if path.is_file())
    finally:
        shutil.rmtree(folder)
    return {
        "rows": n_rows,
        "columns": n_columns,
        "parquet_bytes": n_bytes,
        "store_bytes": packed,
        "plain_pass": plain,
        **found,
    }


def measure_mixed(sizes: tuple[tuple[int, str], ...], n_jobs: int = 2) -> list[dict[str, Any]]:
    """Measure tables of numbers, categories, dates and gaps, of some rows in some memory each."""
    cells = []
    for n_rows, memory in sizes:
        folder = Path(tempfile.mkdtemp(prefix="eiderdown-scale-"))
        try:
            (folder / "tables").mkdir()
            n_bytes = make_mixed(folder / "tables", n_rows)
            words = (str(folder / "tables"), str(folder / "store"), memory, str(n_jobs))
            plain = in_process("--plain", words[0])
            found = in_process("--search-mixed", *words)
        finally:
            shutil.rmtree(folder)
        size = {"rows": n_rows, "memory": memory, "parquet_bytes": n_bytes, "plain_pass": plain}
        cells.append({**size, **found})
        shown_in = "store" if found["in_parts"] else "memory"
        print(
            f"{n_rows:>13,} mixed rows in {shown_in}: read {found['seconds_to_read']:.1f} s, "
            f"default {found['auto']['seconds']:.1f} s ({found['auto']['algorithm']}), "
            f"iamb {found['iamb']['seconds']:.1f} s, peak {found['iamb']['peak_mb']:,.0f} MB; "
            f"{', '.join(found['auto']['members'])}",
            flush=True,
        )
    return cells


def shown(cell: dict[str, Any]) -> str:
    """Show one size in a line."""
    plain = cell["plain_pass"]["seconds"]
    later = max(cell[f"later sweep {k}"]["seconds"] for k in (1, 2, 3))
    return (
        f"{cell['rows']:>13,} x {cell['columns']}: pass {plain:.2f} s; first sweep "
        f"{cell['first sweep']['seconds'] / plain:.2f} passes; slowest later one "
        f"{later / plain:.3f}; iamb {cell['iamb']['seconds']:.1f} s, default "
        f"{cell['auto']['seconds']:.1f} s; peak {cell['auto']['peak_mb']:,.0f} MB"
    )


def slope(cells: list[dict[str, Any]], name: str) -> float | None:
    """Return by which power of the rows the time of the same work grows, in parts."""
    large = [cell for cell in cells if cell["in_parts"] and cell["rows"] >= 10_000_000]
    if len(large) < 2:
        return None
    first, last = large[0], large[-1]
    if first[name].get("n_tests") != last[name].get("n_tests"):
        return None  # not the same work
    ratio = last[name]["mean_seconds"] / first[name]["mean_seconds"]
    return float(np.log(ratio) / np.log(last["rows"] / first["rows"]))


def main() -> None:
    """Measure the sizes asked for, print and save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, nargs="*", default=SIZES)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--wide", action="store_true", help="631 columns, projected to 65 M rows")
    parser.add_argument("--mixed", action="store_true", help="numbers, categories, dates, gaps")
    parser.add_argument("--save", default="scale")
    parser.add_argument("--plain", help=argparse.SUPPRESS)
    parser.add_argument("--search", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--search-mixed", nargs="+", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.plain:
        print(json.dumps(plain_pass(Path(asked.plain))))
        return
    if asked.search:
        tables, store, n_jobs, *searches = asked.search
        print(json.dumps(search(Path(tables), Path(store), int(n_jobs), searches)))
        return
    if asked.search_mixed:
        tables, store, memory, n_jobs = asked.search_mixed
        print(json.dumps(search_mixed(Path(tables), Path(store), memory, int(n_jobs))))
        return
    if asked.mixed:
        few = (1_000_000, "20MB"), (1_000_000, "20GB")
        cells = measure_mixed((*few, (10_000_000, MEMORY)))
        same = all(cells[0][name]["members"] == cells[1][name]["members"] for name in MIXED_RUNS)
        record = {"cells": cells, "same": same, "true_members": TRUE_MEMBERS}
        write_record("scale_mixed", record)
        return
    if asked.wide:
        cell = measure(2_000_000, int(SPARK_MRMR["columns"]), ("iamb",))
        factor = SPARK_MRMR["rows"] / cell["rows"]
        per_column = cell["iamb"]["seconds"] * factor / max(1, len(cell["iamb"]["members"]))
        with_packing = cell["first sweep"]["seconds"] * factor + cell["iamb"]["seconds"] * factor
        with_packing /= max(1, len(cell["iamb"]["members"]))
        print(
            f"65 M rows, projected: {per_column:.1f} s per selected column, {with_packing:.1f} "
            f"with packing (Spark mRMR, a cluster: {SPARK_MRMR['seconds_per_column']:.0f} s)"
        )
        write_record(
            "scale_wide",
            {
                "cell": cell,
                "seconds_per_column": per_column,
                "seconds_per_column_with_packing": with_packing,
                "spark_mrmr": SPARK_MRMR,
            },
        )
        return
    cells = []
    for n_rows in asked.rows:
        cells.append(measure(int(n_rows), asked.columns))
        print(shown(cells[-1]), flush=True)
    slopes = {name: slope(cells, name) for name in SLOPES}
    print("Slopes in rows, from 1e7 on:", slopes)
    write_record(asked.save, {"memory": MEMORY, "n_jobs": 2, "cells": cells, "slopes": slopes})


if __name__ == "__main__":
    main()
