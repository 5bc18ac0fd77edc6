"""Section IV.5.3 of Brown (2009): a region among ten to a hundred thousand variables.

One random network of 100,000 variables is sampled once. The smaller tables leave out variables that
are far from all targets, so the same regions are looked for in all of them, and nothing grows but
the number of other variables. The smallest has a few more than 10,000, if more than that are near.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

import numpy as np
from brown2009_region_cells import ALPHA, SEED, thesis_network, timed
from brown2009_region_measures import growth, region_distance
from harness import Cell, Record, say, verdict
from kept_cells import KeptCells

from eiderdown import learn_region
from eiderdown.data import Dataset
from eiderdown.graphs import PDAG
from eiderdown.networks import DiscreteNetwork

DEPTH, N_ROWS, N_TARGETS = 3, 1_000, 5
SIZES, QUICK_SIZES = (10_000, 25_000, 50_000, 75_000, 100_000), (1_000, 2_000)
THESIS_SECONDS, THESIS_NODES, WANTED_SECONDS = 8_426.0, 43, 60.0
LINEAR = 1.1


def scale_up(record: Record, kept: KeptCells, *, quick: bool) -> None:
    """Fill the table about regions among many variables."""
    sizes = QUICK_SIZES if quick else SIZES
    wide = _Wide(sizes[-1], 1 if quick else N_TARGETS)
    table = record.table(
        f"Regions of depth {DEPTH} in {N_ROWS:,} rows of a random network; number of targets: "
        f"{wide.n_targets} (IV.5.3)",
        (
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
    found = {n: kept.get(f"wide-{n}", lambda n=n: wide.searched(n)) for n in sizes}
    for n_variables, seconds, *numbers in found.values():
        theirs = (THESIS_SECONDS, THESIS_NODES) if n_variables == SIZES[-1] else (None, None)
        times = (fmean(seconds), max(seconds), theirs[0])
        row: list[Cell] = [n_variables, *times, numbers[0], theirs[1], *numbers[1:]]
        table.rows.append(row)
    table.notes += _judged({cell[0]: cell[1] for cell in found.values()})
    by_found = [fmean(cell[1]) / cell[2] for cell in found.values()]
    power = growth([cell[0] for cell in found.values()], by_found)
    table.notes.append(
        "The more variables there are, the more are found by chance, and each is searched around: "
        f"by variable found, time grows to the power {power:.2f}."
    )
    smallest, largest = (found[n] for n in (sizes[0], sizes[-1]))
    first, last = smallest[-1], largest[-1]
    table.notes.append(
        "Errors grow with the number of variables, as the thesis says: the distance is "
        f"{first:.1f} among {smallest[0]:,} and {last:.1f} among {largest[0]:,}: "
        f"{verdict(last > first)}. The search is region_mmhc_restarts by the calibrated X2 test, "
        "restarts: 1."
    )


@dataclass
class _Wide:
    """A random network of many variables, sampled once, when it is asked for."""

    n_variables: int
    n_targets: int

    def searched(self, n_variables: int) -> list[object]:
        """Learn all regions from one table; return its size, seconds, and means of the rest."""
        data, regions = self._part(n_variables), self._regions
        say(f"{data.n_columns:,} variables")
        found, seconds = [], []
        for target in regions:
            region, taken = timed(learn_region, data, target=target, depth=DEPTH, alpha=ALPHA)
            found.append(region)
            seconds.append(taken)
        pairs = list(zip(found, regions.values(), strict=True))
        return [
            data.n_columns,
            seconds,
            fmean(len(region.nodes) for region in found),
            fmean(len({*region.nodes} & {*true.nodes}) for region, true in pairs),
            fmean(true.n_nodes for true in regions.values()),
            fmean(region_distance(region.cpdag, true) for region, true in pairs),
        ]

    @cached_property
    def _drawn(self) -> tuple[DiscreteNetwork, Dataset, list[str]]:
        say(f"A random network of {self.n_variables:,} variables")
        generator = np.random.default_rng([SEED, self.n_variables])
        network = thesis_network(self.n_variables, generator)
        data = network.sample(N_ROWS, random_state=generator)
        return network, data, generator.permutation(data.names).tolist()

    @cached_property
    def _pattern(self) -> PDAG:
        return self._drawn[0].dag.to_cpdag()

    @cached_property
    def _regions(self) -> dict[str, PDAG]:
        _, data, order = self._drawn
        constant = set(data.constant_columns())
        targets = [v for v in order if v not in constant][: self.n_targets]
        return {v: self._pattern.region(v, DEPTH) for v in targets}

    def _part(self, n_variables: int) -> Dataset:
        """Keep the variables near the targets and random others."""
        _, data, order = self._drawn
        near = {x for v in self._regions for x in self._pattern.region(v, DEPTH + 1).nodes}
        others = [v for v in order if v not in near]
        kept = near.union(others[: max(0, n_variables - len(near))])
        return data.select([v for v in data.names if v in kept])


def _judged(seconds: dict[int, list[float]]) -> list[str]:
    sizes = sorted(seconds)
    power, slowest = growth(sizes, [fmean(seconds[n]) for n in sizes]), max(seconds[sizes[-1]])
    return [
        f"alpha = {ALPHA}: time grows as the number of variables to the power {power:.2f} (wanted: "
        f"at most {LINEAR}): {verdict(power <= LINEAR)}; the slowest of the regions among "
        f"{sizes[-1]:,} takes {slowest:.1f} s (wanted: less than {WANTED_SECONDS:.0f}): "
        f"{verdict(slowest < WANTED_SECONDS)}."
    ]
