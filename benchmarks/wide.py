"""One target among a thousand to a million binary columns, and in a table of the size of a genome.

    sparse   2,000 rows, one per cent ones, from a SciPy matrix
    dense    2,000 rows, three of ten are ones, from an array of bytes
    genes    18,380 columns of three values in 16,838 rows, in modules that repeat each other

Each cell is a process of its own, which makes the table, compiles on a small one, and then measures
the wall-clock seconds from the matrix or array to the result, and the most memory that the process
ever had (VmHWM), table included. Beside them stand the seconds of one pass over the same data as
they are held, and how the seconds grow with the columns: the slope between two sizes in logarithms.
A virtual machine takes memory from its host page by page, at the first touch, which at a million
columns cost a fifth of the time; so another process touches some just before. The seconds that the
kernel takes are told apart. Writes benchmarks/results/wide.json. The largest dense cells take 5 GB.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
import warnings
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from measuring import write_record
from scipy import sparse

from eiderdown import Dataset, find_boundary
from eiderdown.data import FloatBlock
from eiderdown.errors import EiderdownWarning

N_ROWS = 2_000
COLUMNS = (1_000, 10_000, 100_000, 1_000_000)
SEARCHES = ("iamb", "pcmb", "auto")
GENES = (16_838, 18_380)
N_MODULES = 400
BYTES_PER_COLUMN = 3_000  # touched beforehand: what a search takes beside the table, and more
LIMIT = 600.0
"""Seconds after which a search is ended; its cell then says that it is not complete."""

AIMS = {
    "a million sparse columns by iamb, seconds": 30.0,
    "a million sparse columns by iamb, gigabytes": 4.0,
    "a gene by iamb, seconds": 30.0,
    "a gene by default, seconds": 30.0,
    "steepest slope from 100,000 to 1,000,000 columns": 1.1,
}


def main() -> None:
    """Measure all cells, print and save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int, nargs="*", default=list(COLUMNS))
    parser.add_argument("--forms", nargs="*", default=["sparse", "dense", "genes"])
    parser.add_argument("--searches", nargs="*", default=list(SEARCHES))
    parser.add_argument("--cell", nargs=3, metavar=("FORM", "COLUMNS", "SEARCH"))
    parser.add_argument("--dry", action="store_true", help="write no record")
    asked = parser.parse_args()
    if asked.cell:
        print(json.dumps(measured(asked.cell[0], int(asked.cell[1]), asked.cell[2])))
        return
    load, cells = os.getloadavg()[0], []
    for form in asked.forms:
        for n_columns in [GENES[1]] if form == "genes" else asked.columns:
            for search in asked.searches:
                cells.append(_in_a_process(form, n_columns, search))
                print(_line(cells[-1]), flush=True)
    slopes = list(_slopes(cells))
    for slope in slopes:
        few, many = slope["columns"]
        print(
            f"  slope {slope['form']:7}{slope['search']:6}{few:>10,} to {many:>10,}: "
            f"{slope['slope']:.2f} (processor {slope['processor_slope']:.2f})"
        )
    aims = _compared(cells, slopes)
    for what, aim in aims.items():
        print(f"  {what}: {aim['measured']:.2f}, aim {aim['aim']:g}")
    if not asked.dry:
        measured_here = {"cores": os.cpu_count(), "load_before": load, "aims": aims}
        write_record("wide", measured_here | {"cells": cells, "slopes": slopes})


def _in_a_process(form: str, n_columns: int, search: str) -> dict[str, Any]:
    command = [sys.executable, __file__, "--cell", form, str(n_columns), search]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    cell: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return cell


def _line(cell: dict[str, Any]) -> str:
    return (
        f"{cell['form']:7}{cell['columns']:>10,} {cell['search']:5} {cell['seconds']:8.2f} s "
        f"(dataset {cell['dataset_seconds']:.2f}, processor {cell['processor_seconds']:.2f}), "
        f"{cell['peak_gigabytes']:.2f} GB (table {cell['table_gigabytes']:.2f}), "
        f"{cell['passes']:.0f} passes, {cell['members']} members"
        + ("" if cell["complete"] else ", NOT COMPLETE")
    )


# --- one cell ------------------------------------------------------------------------------------


def measured(form: str, n_columns: int, search: str) -> dict[str, Any]:
    """Measure one cell in this process."""
    warnings.simplefilter("ignore", EiderdownWarning)
    make = {"sparse": sparse_table, "dense": dense_table, "genes": gene_table}[form]
    _search(make(600, np.random.default_rng(1)), search)
    table = make(n_columns, np.random.default_rng(0))
    _touch_memory(n_columns)
    before, started, at_work = _peak_gigabytes(), time.perf_counter(), time.process_time()
    in_kernel = os.times().system
    data, target = _dataset(table)
    made = time.perf_counter()
    found = find_boundary(
        data,
        target,
        algorithm=search,
        alpha=0.01 / n_columns,
        time_limit=LIMIT,
        progress=False,
    )
    seconds, processor = time.perf_counter() - started, time.process_time() - at_work
    in_kernel = os.times().system - in_kernel
    peak, one_pass = _peak_gigabytes(), _pass_seconds(data)
    return {
        "form": form,
        "columns": n_columns,
        "rows": data.n_rows,
        "search": search,
        "seconds": seconds,
        "dataset_seconds": made - started,
        "search_seconds": found.run.seconds,
        "processor_seconds": processor,
        "kernel_seconds": in_kernel,
        "peak_gigabytes": peak,
        "table_gigabytes": before,
        "pass_seconds": one_pass,
        "passes": seconds / one_pass,
        "tests": found.run.n_tests,
        "members": len(found.members),
        "complete": found.complete,
        "json_megabytes": len(found.to_json()) / 1e6,
    }


def _search(table: Any, search: str) -> None:
    """Search a small table of the same form, so that everything is compiled."""
    data, target = _dataset(table)
    find_boundary(data, target, algorithm=search, alpha=1e-4, progress=False)


def _dataset(table: Any) -> tuple[Dataset, str]:
    if isinstance(table, tuple):
        return Dataset.from_sparse(table[0], extra={"y": table[1]}), "y"
    return Dataset.of(table), "x0"


def sparse_table(n_columns: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Draw columns with one per cent ones, three denser ones that decide the target, and that."""
    counts = rng.binomial(N_ROWS, 0.01, n_columns)
    counts[:3] = (500, 600, 700)
    starts = np.concatenate([[0], np.cumsum(counts)])
    rows = rng.integers(0, N_ROWS, starts[-1], dtype=np.int32)
    ones = np.ones(len(rows), np.bool_)
    matrix = sparse.csc_array((ones, rows, starts), shape=(N_ROWS, n_columns))
    matrix.sum_duplicates()
    return matrix, _decided(matrix[:, [0, 1, 2]].toarray(), rng)


def dense_table(n_columns: int, rng: np.random.Generator) -> Any:
    """Draw columns of which three of ten cells are 1; the first is decided by the next three."""
    table = np.empty((N_ROWS, n_columns), np.uint8)
    for row in range(N_ROWS):
        table[row] = rng.integers(0, 10, n_columns, dtype=np.uint8) < 3
    table[:, 0] = _decided(table[:, 1:4].astype(np.bool_), rng)
    return table


def gene_table(n_columns: int, rng: np.random.Generator) -> Any:
    """Draw genes that follow the driver of their module in six of ten rows.

    The first is decided by five others.
    """
    n_rows = GENES[0] if n_columns == GENES[1] else N_ROWS
    drivers = rng.integers(0, 3, (n_rows, N_MODULES), dtype=np.int8)
    table = np.empty((n_rows, n_columns), np.int8)
    for gene in range(n_columns):
        noise = rng.integers(0, 3, n_rows, dtype=np.int8)
        follows = rng.random(n_rows, dtype=np.float32) < 0.6
        table[:, gene] = np.where(follows, drivers[:, gene % N_MODULES], noise)
    score = table[:, 1:6].sum(axis=1) + rng.normal(0, 1.5, n_rows)
    table[:, 0] = np.digitize(score, np.quantile(score, [1 / 3, 2 / 3]))
    return table


def _decided(causes: Any, rng: np.random.Generator) -> Any:
    return rng.random(len(causes)) < 0.08 + 0.28 * causes.sum(axis=1)


def _touch_memory(n_columns: int) -> None:
    """Let the host of a virtual machine hand out memory, in a process that ends at once."""
    n_numbers = BYTES_PER_COLUMN * n_columns // 8
    subprocess.run([sys.executable, "-c", f"import numpy; numpy.ones({n_numbers})"], check=True)


def _peak_gigabytes() -> float:
    """Return the most memory that this process ever had."""
    status = Path("/proc/self/status").read_text().splitlines()
    line = next(line for line in status if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024 / 1e9


def _pass_seconds(data: Dataset) -> float:
    """Time one pass over the cells as a sweep reads them: lists of rows, or bit planes."""
    arrays = []
    for number, block in enumerate(data.blocks):
        if isinstance(block, FloatBlock):
            continue
        rows = getattr(block, "rows", None)
        arrays.append(data.bit_planes(number).planes if rows is None else rows)
    words = [array.reshape(-1).view(np.uint8) for array in arrays]
    words = [array[: len(array) // 8 * 8].view(np.uint64) for array in words]
    times = []
    for _ in range(5):
        started = time.perf_counter()
        for array in words:
            np.bitwise_or.reduce(array)
        times.append(time.perf_counter() - started)
    return min(times)


# --- all cells -----------------------------------------------------------------------------------


def _slopes(cells: list[dict[str, Any]]) -> Any:
    """How the seconds grow with the columns, from each size to the next."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for cell in cells:
        groups.setdefault((cell["form"], cell["search"]), []).append(cell)
    for (form, search), group in groups.items():
        for small, large in pairwise(sorted(group, key=lambda cell: cell["columns"])):
            columns = [small["columns"], large["columns"]]
            wider = math.log(columns[1] / columns[0])
            grown = {
                name: math.log(large[f"{name}seconds"] / small[f"{name}seconds"]) / wider
                for name in ("", "processor_")
            }
            slopes = {f"{name}slope": slope for name, slope in grown.items()}
            yield {"form": form, "search": search, "columns": columns, **slopes}


def _compared(cells: list[dict[str, Any]], slopes: list[dict[str, Any]]) -> dict[str, Any]:
    """Put what was aimed at beside what was measured, where it was."""
    at = {(cell["form"], cell["columns"], cell["search"]): cell for cell in cells}
    million, genes = COLUMNS[-1], GENES[1]
    found: dict[str, float | None] = dict.fromkeys(AIMS)
    names = list(AIMS)
    if ("sparse", million, "iamb") in at:
        cell = at["sparse", million, "iamb"]
        found[names[0]], found[names[1]] = cell["seconds"], cell["peak_gigabytes"]
    for name, search in ((names[2], "iamb"), (names[3], "auto")):
        if ("genes", genes, search) in at:
            found[name] = at["genes", genes, search]["seconds"]
    steep = [slope["slope"] for slope in slopes if slope["columns"] == [100_000, million]]
    found[names[4]] = max(steep, default=None)
    return {
        name: {"aim": AIMS[name], "measured": value, "met": value <= AIMS[name]}
        for name, value in found.items()
        if value is not None
    }


if __name__ == "__main__":
    main()
