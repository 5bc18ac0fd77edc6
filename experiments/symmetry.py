"""Neighbours found from both sides, from either, or from the target's: what each costs and finds.

Run with ``make experiment-symmetry``; ``--quick`` looks at one sample and saves nothing. Every
search by parents and children, with every symmetry, on samples of five networks: mean F1 of all
targets.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Set
from statistics import fmean
from typing import Any

import numpy as np
from harness import ROOT, Record, Table, quick_wanted, recording, say
from kept_cells import KeptCells

from eiderdown import Dataset, find_all_boundaries, find_boundary, learn_network, networks
from eiderdown.boundary import ALGORITHMS, MARKOV_BOUNDARY, TestProblem
from eiderdown.boundary.known_sets import KnownSets
from eiderdown.graphs import DAG
from eiderdown.independence import CachedTest, make_test
from eiderdown.structure import NETWORK_ALGORITHMS

NETWORKS = ("alarm", "child", "insurance", "hailfinder", "win95pts")
SEEDS = (0, 1)
ROWS = (200, 500, 1_000, 5_000)
ALPHA = 0.01
SYMMETRIES = ("and", "or", "none")
LOCAL = ("mmpc", "hiton_pc", "get_pc", "mmmb", "hiton_mb", "pcmb", "ipc_mb")
GRAPHS = ("mmhc", "mmhc_restarts")
SPOUSES = ("and", "or", "none")  # of pcmb, beside each symmetry of parents and children
TIMED = ("alarm", "hailfinder")

NOTES = [
    "F1 of one target: 1 if both sets are empty. Tests by the default of the library (`auto`: "
    "calibrated X2), alpha .01. KPCMB, which draws, and the searches for regions were not "
    "measured.",
    "Seconds are those of the processor with all kernels compiled, and the machine was busy with "
    "other work: read them as ratios.",
]


def main() -> None:
    """Run the experiment."""
    quick = quick_wanted(__doc__)
    params: dict[str, Any] = {
        "networks": ", ".join(NETWORKS),
        "rows": ", ".join(map(str, ROWS)),
        "seeds": ", ".join(map(str, SEEDS)),
        "alpha": ALPHA,
    }
    record = Record(
        "symmetry",
        "Symmetry of parents and children",
        "Pena, Nilsson, Bjorkegren & Tegner 2007 (and); the others are asked of every search here",
        params,
        notes=NOTES,
    )
    kept = KeptCells(None if quick else ROOT / "experiments" / ".kept" / "symmetry", params)
    names, rows, seeds = (("child",), (500,), (0,)) if quick else (NETWORKS, ROWS, SEEDS)
    with recording(record, quick=quick):
        cells = {}
        for name in names:
            for n_rows in rows:
                for seed in seeds:
                    cells[name, n_rows, seed] = kept.get(
                        f"{name}-{n_rows}-{seed}",
                        lambda: measured(name, n_rows, seed),  # noqa: B023
                    )
                    say(f"{name}, {n_rows} rows, seed {seed}")
        overall(record, cells, rows)
        spouses(record, cells, rows)
        by_network(record, cells, names, rows)
        costs(record, kept, names)
    if record.complete and not quick:
        kept.clear()


def measured(name: str, n_rows: int, seed: int) -> dict[str, float]:
    """Return the mean F1 of every search with every symmetry on one sample."""
    network = networks.load(name)
    data = network.sample(n_rows, random_state=seed)
    data = data.drop(data.constant_columns())
    test, known = make_test("auto", data), KnownSets()  # shared: a test is made once
    found = {}
    for algorithm in LOCAL:
        for symmetry in SYMMETRIES:
            params = {"symmetry": symmetry}
            found[f"{algorithm} {symmetry}"] = mean_f1(
                network.dag, data, test, known, algorithm, params
            )
    for symmetry in SYMMETRIES:
        for of_spouses in SPOUSES:
            params = {"symmetry": symmetry, "spouse_symmetry": of_spouses}
            found[f"pcmb {symmetry}, spouses {of_spouses}"] = mean_f1(
                network.dag, data, test, known, "pcmb", params
            )
    for algorithm in GRAPHS:
        for symmetry in SYMMETRIES:
            search = NETWORK_ALGORITHMS[algorithm](symmetry=symmetry)
            learned = learn_network(data, algorithm=search, alpha=ALPHA, progress=False)
            found[f"{algorithm} {symmetry}"] = fmean(
                f1(learned.boundary(target), network.dag.markov_boundary(target))
                for target in data.names
            )
    return found


def mean_f1(
    truth: DAG,
    data: Dataset,
    test: CachedTest,
    known: KnownSets,
    algorithm: str,
    params: Mapping[str, Any],
) -> float:
    """Search around every column and compare with the graph."""
    search = ALGORITHMS[algorithm].with_params(params)
    is_boundary = search.returns == MARKOV_BOUNDARY
    wanted = truth.markov_boundary if is_boundary else truth.parents_children
    scores = []
    for target, name in enumerate(data.names):
        others = np.delete(np.arange(data.n_columns), target)
        found = search.run(TestProblem(test, target, others, ALPHA, known=known))
        scores.append(f1({data.names[x] for x in found.members}, wanted(name)))
    return fmean(scores)


def f1(found: Set[str], truth: Set[str]) -> float:
    """Return F1 of a set of columns."""
    n = len(found) + len(truth)
    return 2 * len(found & truth) / n if n else 1.0


Cells = Mapping[tuple[str, int, int], Mapping[str, float]]


def overall(record: Record, cells: Cells, rows: tuple[int, ...]) -> None:
    """Mean over the networks, and in how many samples "or" is ahead of "and"."""
    table = record.table(
        "Mean F1 over the networks (mmhc: of the boundaries in its graph)",
        ["search", "rows", *SYMMETRIES, "or ahead of and", "none ahead of and"],
    )
    for algorithm in (*LOCAL, *GRAPHS):
        for n_rows in rows:
            here = [cell for (_, n, _), cell in cells.items() if n == n_rows]
            means = [fmean(cell[f"{algorithm} {s}"] for cell in here) for s in SYMMETRIES]
            ahead = [
                sum(cell[f"{algorithm} {s}"] > cell[f"{algorithm} and"] for cell in here)
                for s in ("or", "none")
            ]
            counts = [f"{n} of {len(here)}" for n in ahead]
            table.rows.append([algorithm, n_rows, *map(three, means), *counts])


def spouses(record: Record, cells: Cells, rows: tuple[int, ...]) -> None:
    """Of what is asked of a spouse and the child it shares."""
    table = record.table(
        "PCMB: symmetry of parents and children, and of spouses and the child they share (mean F1)",
        ["symmetry", "rows", *(f"spouses {s}" for s in SPOUSES)],
    )
    for symmetry in SYMMETRIES:
        for n_rows in rows:
            here = [cell for (_, n, _), cell in cells.items() if n == n_rows]
            means = [fmean(cell[f"pcmb {symmetry}, spouses {s}"] for cell in here) for s in SPOUSES]
            table.rows.append([symmetry, n_rows, *map(three, means)])


def by_network(record: Record, cells: Cells, names: tuple[str, ...], rows: tuple[int, ...]) -> None:
    """Tell for two searches where each symmetry is ahead."""
    for algorithm in ("get_pc", "pcmb"):
        table = record.table(f"{algorithm} by network (mean F1)", ["network", "rows", *SYMMETRIES])
        for name in names:
            for n_rows in rows:
                here = [cell for (c, n, _), cell in cells.items() if (c, n) == (name, n_rows)]
                means = [fmean(cell[f"{algorithm} {s}"] for cell in here) for s in SYMMETRIES]
                table.rows.append([name, n_rows, *map(three, means)])


def costs(record: Record, kept: KeptCells, names: tuple[str, ...]) -> None:
    """Time all targets together, and one alone."""
    columns = ["network", "targets", *(f"{s}, seconds" for s in SYMMETRIES)]
    table = Table("What PCMB costs, 1,000 rows", columns)
    for name in names:
        if name in TIMED:
            cell = kept.get(f"seconds-{name}", lambda: timed(name))  # noqa: B023
            table.rows += [[name, what, *seconds] for what, seconds in cell.items()]
    if table.rows:
        record.tables.append(table)


def timed(name: str) -> dict[str, list[float]]:
    """Return the seconds of all targets, and the mean of eight that are asked for alone."""
    data = networks.load(name).sample(1_000, random_state=0)
    data = data.drop(data.constant_columns())
    some = data.names[:: max(1, data.n_columns // 8)][:8]
    every, alone = [], []
    for symmetry in SYMMETRIES:
        search = ALGORITHMS["pcmb"](symmetry=symmetry)
        started = time.process_time()
        find_all_boundaries(data, algorithm=search, progress=False, n_jobs=1)
        every.append(time.process_time() - started)
        started = time.process_time()
        for target in some:
            find_boundary(data, target, algorithm=search, progress=False, n_jobs=1)
        alone.append((time.process_time() - started) / len(some))
    return {"all": every, "one (mean of 8)": alone}


def three(value: float) -> str:
    """Write a mean with three decimals, for differences are small."""
    return f"{value:.3f}"


if __name__ == "__main__":
    main()
