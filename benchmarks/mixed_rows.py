"""A table as people have them, with more rows than memory: numbers, categories, dates and gaps.

``python benchmarks/scale.py --mixed`` makes it as Parquet, searches around one column of two
classes with ``memory="2GB"``, and compares the answer of a million rows with that in memory.
"""

from __future__ import annotations

import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

ROWS_PER_FILE = 1_000_000
TARGET = "ill"
GAPS = {"age": 0.01, "pressure": 0.05, "sugar": 0.03, "smoker": 0.02, "visit": 0.01, "ward": 0.02}
"""Share of the cells of each of these columns that are missing."""

TRUE_MEMBERS = ("age", "pressure", "smoker", "treated")
N_CHANCE = 6  # columns of each kind that depend on nothing


def make_mixed(folder: Path, n_rows: int) -> int:
    """Write the table as Parquet files; return how many bytes they take."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for number, start in enumerate(range(0, n_rows, ROWS_PER_FILE)):
        rng = np.random.default_rng(number)
        columns = _columns(rng, min(ROWS_PER_FILE, n_rows - start))
        arrays = {}
        for name, values in columns.items():
            gaps = rng.random(len(values)) < GAPS.get(name, 0.0)
            arrays[name] = pa.array(values, mask=gaps)
        path = folder / f"part-{number:05d}.parquet"
        pq.write_table(pa.table(arrays), path, row_group_size=250_000)
    return sum(path.stat().st_size for path in folder.glob("*.parquet"))


def _columns(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """Draw some rows: what ``ill`` depends on, what depends on it, what looks so, and chance."""
    age = rng.normal(50.0, 15.0, n)
    region = rng.integers(0, 5, n)
    smoker = rng.random(n) < 0.2 + 0.1 * (region == 2)
    pressure = 90.0 + 0.5 * age + 8.0 * smoker + rng.normal(0.0, 12.0, n)
    sugar = 4.0 + 0.02 * pressure + rng.normal(0.0, 1.0, n)
    logit = -4.0 + 0.03 * (age - 50.0) + 0.02 * pressure + 0.7 * smoker
    ill = rng.random(n) < 1.0 / (1.0 + np.exp(-logit))
    treated = rng.random(n) < np.where(ill, 0.7, 0.1)
    ward = np.where(treated, rng.integers(0, 4, n), rng.integers(2, 8, n))
    day = np.datetime64("2020-01-01") + (1_500 * rng.random(n)).astype("timedelta64[D]")
    columns: dict[str, Any] = {
        "age": age,
        "pressure": pressure,
        "sugar": sugar,
        "visit": day,
        "region": np.array(["north", "east", "south", "west", "middle"])[region],
        "smoker": np.array(["no", "yes"])[smoker.astype(int)],
        "treated": np.array(["no", "yes"])[treated.astype(int)],
        "ward": np.array([f"ward {k}" for k in range(8)])[ward],
        TARGET: np.array(["no", "yes"])[ill.astype(int)],
    }
    for k in range(N_CHANCE):
        columns[f"number {k}"] = rng.normal(size=n)
        columns[f"kind {k}"] = np.array(["a", "b", "c"])[rng.integers(0, 3, n)]
    return columns


def search_mixed(folder: Path, store: Path, memory: str, n_jobs: int) -> dict[str, Any]:
    """Pack, then search by default, and again by IAMB from the packed table."""
    from eiderdown import Dataset, find_boundary
    from eiderdown.data.partitioned import PartitionedDataset

    _warm_up(n_jobs)
    started = time.perf_counter()
    data = Dataset.of(str(folder), memory=memory, store=str(store))
    found: dict[str, Any] = {
        "seconds_to_read": time.perf_counter() - started,
        "in_parts": isinstance(data, PartitionedDataset),
    }
    for name in ("auto", "iamb"):
        started, used = time.perf_counter(), time.process_time()
        test = _straight() if not found["in_parts"] else "auto"
        options = {"algorithm": name, "test": test, "n_jobs": n_jobs, "progress": False}
        result = find_boundary(data, TARGET, **options)
        found[name] = {
            "seconds": time.perf_counter() - started,
            "cpu": time.process_time() - used,
            "algorithm": result.run.algorithm,
            "members": sorted(result.members),
            "n_tests": result.run.n_tests,
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
    return found


def _warm_up(n_jobs: int) -> None:
    """Have modules imported and kernels compiled before anything is timed."""
    from eiderdown import Dataset, find_boundary

    with tempfile.TemporaryDirectory(prefix="eiderdown-scale-") as name:
        tables = Path(name) / "tables"
        tables.mkdir()
        make_mixed(tables, 20_000)
        for memory in ("1KB", "1GB"):
            data = Dataset.of(str(tables), memory=memory, store=str(Path(name) / "store"))
            for algorithm in ("auto", "iamb"):
                find_boundary(data, TARGET, algorithm=algorithm, n_jobs=n_jobs, progress=False)


def _straight() -> Any:
    """Return the test of memory that takes numbers straight, as is done beyond it."""
    from eiderdown.independence.registry import AUTO

    return AUTO(basis="linear")
