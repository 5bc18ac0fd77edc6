"""Section IV.6.1 of Brown (2009) and on: how true the marks of hidden causes are on samples.

Some nodes of known networks that have two children or more are left out of the table, and regions
are learned with ``hidden_causes=True``. A mark is right if it is true of the network: an arrow at a
column that does not cause the other, a tail at one that does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from brown2009_region_cells import SEED
from harness import Cell, Record, say
from kept_cells import KeptCells

from eiderdown import learn_region, networks
from eiderdown.graphs import DAG
from eiderdown.results import LearnedRegion

NETWORKS = ("alarm", "insurance", "child")
ROWS = (1_000, 5_000)
SEARCHES = ("region_mmhc_restarts", "gpc")
SHARE_HIDDEN, DEPTH, ALPHA, N_SAMPLES = 0.15, 2, 0.01, 3
SORTS = {"cause": "X causes Y", "hidden": "hidden common cause", "arrow": "Y does not cause X"}


def mark_regions(record: Record, kept: KeptCells, *, quick: bool) -> None:
    """Fill the table about marks."""
    table = record.table(
        f"Marks of hidden causes: true of those placed, in regions of depth {DEPTH} around every "
        "column, 15 % of the nodes hidden, 3 samples (beyond IV.6.1)",
        ("network", "rows", "search", "ends left open", *SORTS.values()),
    )
    totals: dict[str, tuple[Counter[str], Counter[str]]] = {
        search: (Counter(), Counter()) for search in SEARCHES
    }
    for name in NETWORKS[: 1 if quick else None]:
        for n_rows in ROWS[: 1 if quick else None]:
            for search in SEARCHES:
                say(f"Hidden causes: {name}, {n_rows:,} rows, {search}")
                counts = kept.get(
                    f"marks-{name}-{n_rows}-{search}",
                    lambda: _counted(name, n_rows, search),  # noqa: B023
                )
                found, true = map(Counter, counts)
                table.rows.append((name, n_rows, search, *_cells(found, true)))
                totals[search][0].update(found)
                totals[search][1].update(true)
    table.notes.append(
        "Each pair of columns counts once, by the region around one of them. An arrow is counted "
        f"where the other end is open; alpha = {ALPHA}. A hidden common cause counts as true if "
        "neither column causes the other."
    )
    for search, (found, true) in totals.items():
        shares = ", ".join(
            f"{word}: {true[sort]} of {found[sort]}" for sort, word in SORTS.items() if found[sort]
        )
        table.notes.append(f"In all, {search}: {shares}.")


def _counted(name: str, n_rows: int, search: str) -> tuple[Counter[str], Counter[str]]:
    """Count the marks of each sort, and those of them that are true, in some samples."""
    found: Counter[str] = Counter()
    true: Counter[str] = Counter()
    for k in range(N_SAMPLES):
        placed, right = _sampled(name, n_rows, search, k)
        found.update(placed)
        true.update(right)
    return found, true


def _sampled(name: str, n_rows: int, search: str, k: int) -> tuple[Counter[str], Counter[str]]:
    generator = np.random.default_rng([SEED, n_rows, k, *name.encode()])
    network = networks.load(name)
    common = [v for v in network.dag.nodes if len(network.dag.children(v)) > 1]
    n_hidden = round(SHARE_HIDDEN * network.dag.n_nodes)
    hidden = set(generator.choice(common, size=min(n_hidden, len(common)), replace=False).tolist())
    data = network.sample(n_rows, random_state=generator)
    constant = set(data.constant_columns())
    seen = data.select([v for v in data.names if v not in hidden | constant])
    found: Counter[str] = Counter()
    true: Counter[str] = Counter()
    known: set[frozenset[str]] = set()
    for target in seen.names:
        region = learn_region(
            seen,
            target=target,
            depth=DEPTH,
            algorithm=search,
            alpha=ALPHA,
            hidden_causes=True,
            progress=False,
            n_jobs=1,
        )
        for pair, sort, is_true in _judged(region, network.dag):
            if target in pair and pair not in known:
                known.add(pair)
                found[sort] += 1
                true[sort] += is_true
    return found, true


def _judged(region: LearnedRegion, dag: DAG) -> Iterator[tuple[frozenset[str], str, bool]]:
    """Yield each edge with what its marks say, and whether that is true."""
    for edge in region.edges:
        left, right = edge.left, edge.right
        causes = left in dag.ancestors(right), right in dag.ancestors(left)
        said = {("arrow", "arrow"): "hidden", ("circle", "circle"): "open"}
        sort = said.get(edge.ends, "cause" if "tail" in edge.ends else "arrow")
        marks = zip(edge.ends, causes, strict=True)
        is_true = all(mark == "circle" or (mark == "tail") == cause for mark, cause in marks)
        yield frozenset((left, right)), sort, is_true


def _cells(found: Counter[str], true: Counter[str]) -> list[Cell]:
    n = found.total()
    open_ends = 2 * found["open"] + found["arrow"]
    shares: list[Cell] = [f"{100 * open_ends / max(1, 2 * n):.0f} %"]
    return shares + [f"{true[sort]} of {found[sort]}" for sort in SORTS]
