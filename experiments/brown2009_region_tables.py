"""Tables IV-2, IV-3, C-1 and C-2 and figures IV-4 to IV-6 of Brown (2009), and their verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import correlation, fmean, linear_regression

from brown2009_published_regions import (
    DISTANCES,
    GLOBAL_SECONDS,
    GPC_DISTANCES,
    GPC_TIME_SHARES,
    NETWORKS,
    TIME_SHARES,
    ByDepth,
)
from brown2009_region_cells import DEPTHS, Key, Study
from brown2009_region_outcomes import BEFORE_CLIMB, Outcome
from harness import Cell, Record, Table, verdict

PUBLISHED, OURS = "as published", "ours"
LOCAL = {PUBLISHED: "region_mmhc", OURS: "region_mmhc_restarts"}
GLOBAL = {PUBLISHED: "mmhc", OURS: "mmhc_restarts"}
TEXT_SHARES = (12.0, 22.0, 34.0, 44.0, 54.0)
TEXT_NO_WORSE, N_CELLS = 92, 120
PIGS, PIGS_DISTANCE = ("Pigs", 5_000), 1.0
STRAIGHT = 0.9

Outcomes = dict[Key, Outcome]


@dataclass(frozen=True, eq=False)
class Comparison:
    """One table of the thesis: a search against another, by time or by distance."""

    title: str
    search: str
    other: str
    published: ByDepth
    is_time: bool

    def number(self, found: Outcome, depth: int) -> float:
        """Return the number that the table has about one depth."""
        measure = found.time_share if self.is_time else found.excess
        return measure(self.search, self.other, depth)

    def among(self, outcomes: Outcomes) -> Outcomes:
        """Return the rows that the table has."""
        return {
            key: found
            for key, found in outcomes.items()
            if found.has(self.search) and found.has(self.other)
        }

    def numbers(self, outcomes: Outcomes, depth: int | None = None) -> list[float]:
        """Return the numbers of all rows, about one depth or all."""
        depths = DEPTHS if depth is None else (depth,)
        return [self.number(found, d) for found in self.among(outcomes).values() for d in depths]

    def printed(self, outcomes: Outcomes) -> list[float]:
        """Return the thesis's numbers of the same rows."""
        return [x for key in self.among(outcomes) for x in self.published[key]]

    def add_to(self, record: Record, outcomes: Outcomes) -> None:
        """Make the table, our numbers with the thesis's beside them."""
        depths = [part for d in DEPTHS for part in (f"d = {d}", "(thesis)")]
        table = record.table(self.title, ("network", "rows", *depths))
        for key, found in self.among(outcomes).items():
            table.rows.append((*key, *self._cells(found, key)))

    def _cells(self, found: Outcome, key: Key) -> list[Cell]:
        sure = found.is_faster if self.is_time else found.differs
        cells: list[Cell] = []
        for depth, theirs in zip(DEPTHS, self.published[key], strict=True):
            certain = sure(self.search, self.other, depth)
            mark = ("" if certain else " †") if self.is_time else (" ‡" if certain else "")
            cells += [self._written(self.number(found, depth)) + mark, self._written(theirs)]
        return cells

    def _written(self, number: float) -> str:
        return f"{number:.1f} %" if self.is_time else signed(number)


def signed(number: float) -> str:
    """Write a difference; nothing is +0.00."""
    return f"{round(number, 2) + 0.0:+.2f}"


def time_of(family: str) -> Comparison:
    """Return table IV-2 for a family of searches."""
    title = f"Time of RegionMMHC in per cent of MMHC's, {family} (IV-2)"
    return Comparison(title, LOCAL[family], GLOBAL[family], TIME_SHARES, True)


def quality_of(family: str) -> Comparison:
    """Return table IV-3 for a family of searches."""
    title = (
        "Distance of RegionMMHC's region minus that of MMHC's, so negative where RegionMMHC is "
        f"nearer, {family} (IV-3)"
    )
    return Comparison(title, LOCAL[family], GLOBAL[family], DISTANCES, False)


GPC_TIME = Comparison(
    "Time of AlgorithmGPC in per cent of RegionMMHC's, as published (C-1)",
    "gpc",
    "region_mmhc",
    GPC_TIME_SHARES,
    True,
)
GPC_QUALITY = Comparison(
    "Distance of RegionMMHC's region minus that of AlgorithmGPC's, as published (C-2)",
    "region_mmhc",
    "gpc",
    GPC_DISTANCES,
    False,
)


def fill(record: Record, studies: dict[str, Study], outcomes: Outcomes) -> None:
    """Make all tables about the measured cells."""
    aims = record.table("Aims", ("table", "aim", "ours", "thesis", "verdict"))
    made = record.table(
        "Networks (IV-1)", ("network", "variables", "edges", "(thesis)", "samples", "targets")
    )
    for name, study in studies.items():
        n_samples = max((len(o.cells) for key, o in outcomes.items() if key[0] == name), default=0)
        dag = study.network.dag
        sizes = (dag.n_nodes, dag.n_edges, NETWORKS[name], n_samples, len(study.targets))
        made.rows.append((name, *sizes))
    for family in (PUBLISHED, OURS):
        _whole(record, studies, outcomes, family)
        time_of(family).add_to(record, outcomes)
        quality_of(family).add_to(record, outcomes)
    GPC_TIME.add_to(record, outcomes)
    GPC_QUALITY.add_to(record, outcomes)
    points = _figures(record, studies, outcomes)
    for family in (PUBLISHED, OURS):
        _judge(aims, outcomes, family)
    _judge_gpc(aims, outcomes)
    _judge_line(aims, points)


def _whole(record: Record, studies: dict[str, Study], outcomes: Outcomes, family: str) -> None:
    table = record.table(
        f"MMHC, {family}: distance of the network and of the regions cut out of it, of so many "
        "true edges",
        ("network", "rows", "seconds", "(thesis) seconds", "whole", *(f"d = {d}" for d in DEPTHS)),
    )
    search = GLOBAL[family]
    for key, found in outcomes.items():
        study = studies[key[0]]
        true = study.network.dag.to_cpdag()
        cells: list[Cell] = [found.whole(search, 0), GLOBAL_SECONDS[key]]
        cells.append(f"{found.whole(search, 2):.1f} of {true.n_edges}")
        for depth in DEPTHS:
            n_edges = fmean(true.region(v, depth).n_edges for v in study.targets)
            cells.append(f"{fmean(found.distances(search, depth)):.1f} of {n_edges:.1f}")
        table.rows.append((*key, *cells))


def _figures(
    record: Record, studies: dict[str, Study], outcomes: Outcomes
) -> list[tuple[float, float]]:
    """Make the table of the figures; return the points of figure IV-5."""
    table = record.table(
        "Means over the numbers of rows, as published: time in per cent of MMHC's (figure IV-4), "
        "nodes considered in per cent of all against time before the climb in per cent of MMHC's "
        "(figure IV-5), distance minus MMHC's (figure IV-6)",
        ("network", "depth", "IV-4", "(thesis)", "IV-5: nodes", "IV-5: time", "IV-6", "(thesis)"),
    )
    local, whole = LOCAL[PUBLISHED], GLOBAL[PUBLISHED]
    points = []
    for name, study in studies.items():
        found = {key: outcome for key, outcome in outcomes.items() if key[0] == name}
        for position, depth in enumerate(DEPTHS if found else ()):
            mine = found.values()
            nodes = fmean(100 * o.n_nodes(local, depth) / study.network.dag.n_nodes for o in mine)
            restrict = fmean(o.time_share(local, whole, depth, BEFORE_CLIMB) for o in mine)
            points.append((nodes, restrict))
            table.rows.append(
                (
                    name,
                    depth,
                    f"{fmean(o.time_share(local, whole, depth) for o in mine):.1f} %",
                    f"{fmean(TIME_SHARES[key][position] for key in found):.1f} %",
                    f"{nodes:.1f} %",
                    f"{restrict:.1f} %",
                    signed(fmean(o.excess(local, whole, depth) for o in mine)),
                    signed(fmean(DISTANCES[key][position] for key in found)),
                )
            )
    table.notes.append(
        "The thesis's numbers are means of its tables; the points of figure IV-5 are not printed."
    )
    return points


def _judge(aims: Table, outcomes: Outcomes, family: str) -> None:
    """Compare means and counts over all cells with those of the thesis."""
    time, quality = time_of(family), quality_of(family)
    label = f"IV-2, {family}"
    for depth, theirs in zip(DEPTHS, TEXT_SHARES, strict=True):
        ours = fmean(time.numbers(outcomes, depth))
        aim = f"Time in per cent of MMHC's, d = {depth}, mean"
        aims.rows.append((label, aim, ours, theirs, verdict(ours <= theirs)))
    shares = time.numbers(outcomes)
    n, n_faster = len(shares), sum(x < 100 for x in shares)
    aim = f"Faster than MMHC, of {n} cells: all but one"
    aims.rows.append((label, aim, n_faster, n - 1, verdict(n_faster >= n - 1)))
    excesses, theirs_by_cell = quality.numbers(outcomes), quality.printed(outcomes)
    label, ours, theirs = f"IV-3, {family}", fmean(excesses), fmean(theirs_by_cell)
    aim = "Distance minus MMHC's, mean: not above 0"
    aims.rows.append((label, aim, ours, theirs, verdict(ours <= 0)))
    n_ours = sum(x <= 0 for x in excesses)
    n_theirs = TEXT_NO_WORSE if n == N_CELLS else sum(x <= 0 for x in theirs_by_cell)
    aim = f"No worse than MMHC, of {n} cells"
    aims.rows.append((label, aim, n_ours, n_theirs, verdict(n_ours >= n_theirs)))
    if PIGS in outcomes:
        distance = outcomes[PIGS].whole(GLOBAL[family], 2)
        aim = "Distance of MMHC on Pigs, 5,000 rows, at most 1"
        aims.rows.append((label, aim, distance, 0.0, verdict(distance <= PIGS_DISTANCE)))


def _judge_gpc(aims: Table, outcomes: Outcomes) -> None:
    """Count where AlgorithmGPC is quicker, and where RegionMMHC is no worse than it."""
    ours, theirs = (sum(x < 100 for x in f(outcomes)) for f in (GPC_TIME.numbers, GPC_TIME.printed))
    n = len(GPC_TIME.numbers(outcomes))
    aim = f"AlgorithmGPC faster than RegionMMHC, of {n} cells"
    aims.rows.append(("C-1", aim, ours, theirs, verdict(ours >= theirs)))
    quality = GPC_QUALITY.numbers, GPC_QUALITY.printed
    ours, theirs = (sum(x <= 0 for x in f(outcomes)) for f in quality)
    aim = f"RegionMMHC no worse than AlgorithmGPC, of {n} cells"
    aims.rows.append(("C-2", aim, ours, theirs, verdict(ours >= theirs)))


def _judge_line(aims: Table, points: list[tuple[float, float]]) -> None:
    """Say how straight the relation of nodes and time is, and how steep."""
    nodes, time = zip(*points, strict=True)
    r, slope = correlation(nodes, time), linear_regression(nodes, time).slope
    aim = f"Nodes against time of the skeleton: correlation at least {STRAIGHT} (slope {slope:.2f})"
    aims.rows.append(
        ("figure IV-5", aim, r, '"approximately linear"', verdict(r >= STRAIGHT)),
    )
