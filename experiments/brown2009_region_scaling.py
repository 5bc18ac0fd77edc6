"""Section IV.5.3 of Brown (2009): a region among ten to a hundred thousand variables.

One random network of 100,000 variables is sampled once. The smaller tables leave out variables that
are far from all targets, so the same regions are looked for in all of them, and nothing grows but
the number of other variables.
"""

from __future__ import annotations

from statistics import fmean

import numpy as np
from brown2009_region_cells import SEED, thesis_network, timed
from brown2009_region_measures import growth, region_distance
from harness import Cell, Record, say, verdict

from eiderdown import learn_region
from eiderdown.data import Dataset
from eiderdown.graphs import PDAG

DEPTH, N_ROWS, N_TARGETS = 3, 1_000, 5
ALPHAS = (0.05, 0.01)
SIZES, QUICK_SIZES = (10_000, 30_000, 100_000), (1_000, 2_000)
THESIS_SECONDS, THESIS_NODES, WANTED_SECONDS = 8_426.0, 43, 60.0
THESIS_CELL = (100_000, 0.05)
LINEAR = 1.1


def scale_up(record: Record, *, quick: bool) -> None:
    """Fill the table about regions among many variables."""
    sizes = QUICK_SIZES if quick else SIZES
    generator = np.random.default_rng([SEED, sizes[-1]])
    say(f"A random network of {sizes[-1]:,} variables")
    network = thesis_network(sizes[-1], generator)
    true = network.dag.to_cpdag()
    data = network.sample(N_ROWS, random_state=generator)
    constant = set(data.constant_columns())
    order = generator.permutation(data.names).tolist()
    targets = [v for v in order if v not in constant][: 1 if quick else N_TARGETS]
    regions = {v: true.region(v, DEPTH) for v in targets}
    near = {x for v in targets for x in true.region(v, DEPTH + 1).nodes}
    table = record.table(
        f"Regions of depth {DEPTH} in {N_ROWS:,} rows of a random network; number of targets: "
        f"{len(targets)} (IV.5.3)",
        (
            "alpha",
            "variables",
            "seconds, mean",
            "seconds, slowest",
            "(thesis) seconds",
            "variables found",
            "(thesis)",
            "of them in the true region",
            "true region",
            "distance",
        ),
    )
    by_alpha: dict[float, list[list[float]]] = {alpha: [] for alpha in ALPHAS}
    for n_variables in sizes:
        part = _part(data, near, order, n_variables)
        for alpha in ALPHAS:
            say(f"{part.n_columns:,} variables, alpha = {alpha}")
            row, seconds = _searched(part, regions, alpha)
            table.rows.append(row)
            by_alpha[alpha].append(seconds)
    table.notes += [_judged(alpha, sizes, seconds) for alpha, seconds in by_alpha.items()]


def _part(data: Dataset, near: set[str], order: list[str], n_variables: int) -> Dataset:
    """Keep the variables near the targets and random others."""
    others = [v for v in order if v not in near]
    kept = near.union(others[: max(0, n_variables - len(near))])
    return data.select([v for v in data.names if v in kept])


def _searched(
    data: Dataset, regions: dict[str, PDAG], alpha: float
) -> tuple[list[Cell], list[float]]:
    """Learn all regions from one table; return a row on them, and the seconds of each."""
    found, seconds = [], []
    for target in regions:
        region, taken = timed(learn_region, data, target=target, depth=DEPTH, alpha=alpha)
        found.append(region)
        seconds.append(taken)
    pairs = list(zip(found, regions.values(), strict=True))
    is_thesis = (data.n_columns, alpha) == THESIS_CELL
    row: list[Cell] = [
        alpha,
        data.n_columns,
        fmean(seconds),
        max(seconds),
        THESIS_SECONDS if is_thesis else None,
        fmean(len(region.nodes) for region in found),
        THESIS_NODES if is_thesis else None,
        fmean(len({*region.nodes} & {*true.nodes}) for region, true in pairs),
        fmean(true.n_nodes for true in regions.values()),
        fmean(region_distance(region.cpdag, true) for region, true in pairs),
    ]
    return row, seconds


def _judged(alpha: float, sizes: tuple[int, ...], seconds: list[list[float]]) -> str:
    power, slowest = growth(sizes, [fmean(values) for values in seconds]), max(seconds[-1])
    return (
        f"alpha = {alpha}: time grows as the number of variables to the power {power:.2f} (wanted: "
        f"at most {LINEAR}): {verdict(power <= LINEAR)}; the slowest of the regions among "
        f"{sizes[-1]:,} takes {slowest:.1f} s (wanted: less than {WANTED_SECONDS:.0f}): "
        f"{verdict(slowest < WANTED_SECONDS)}."
    )
