"""What was aimed at in ``accuracy.py``, beside what was measured: met or missed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from accuracy_cost import THROMBIN
from accuracy_lines import Measurements, TableKey, of_networks, with_rows
from accuracy_searches import DEFAULT, OLD_DEFAULT
from accuracy_tables import ROWS
from harness import Cell, Table, verdict

SIX = ("alarm", "child", "insurance", "hailfinder", "hepar2", "win95pts")
"""The networks of the table that the aim was set by."""

PUBLISHED = {200: 0.546, 500: 0.653, 1_000: 0.740, 5_000: 0.845}
"""The best in that table, of other samples: PCMB with either side, and at 5,000 rows GES."""

MARGIN, MOST_LOST, MOST_TIMES, MOST_SECONDS = 0.04, 0.02, 5.0, 1.0
GRAPH_RIVAL = "ges_restarts bic"
READ_FROM_GES = "graph: ges bic"
FIXED = (
    *("iamb", "inter_iamb", "iamb_npc", "inter_iamb_npc", "kiamb", "iamb_fdr", "gs", "fbed"),
    *("koller_sahami", "mmmb", "hiton_mb", "ipc_mb", "bamb", "pcmb", "kpcmb"),
    *("pcmb symmetry=or", "pcmb symmetry=and"),
)
"""The searches by tests that there were when the aim was set."""

COLUMNS = ("aim", "tables", "default", "rival", "difference", "aimed at", "")


def fill_verdicts(table: Table, measured: Measurements) -> None:
    """Judge boundaries, graphs and cost, in this order."""
    table.rows += _margins(measured, "six networks", SIX)
    table.rows += _over_published(measured)
    table.rows += _margins(measured, "all networks", None)
    table.rows += _worst(measured)
    table.rows += _graphs(measured)
    table.rows += _costs(measured)
    table.notes.append(
        f"The six networks are {', '.join(SIX)}. The best search by tests is chosen after the "
        "fact, with hindsight that no user has, at each number of rows. A mean is given only over "
        "tables that all searches compared have finished."
    )


def _margins(
    measured: Measurements, which: str, networks: Collection[str] | None
) -> list[Sequence[Cell]]:
    """Compare the default's mean F1 with that of the best fixed search, and of GES."""
    rows: list[Sequence[Cell]] = []
    for n_rows in ROWS:
        found = with_rows(measured.tables("boundary", DEFAULT, OLD_DEFAULT), n_rows)
        found = found if networks is None else of_networks(found, networks)
        for rival, names in (("search by tests", FIXED), ("read from GES", (READ_FROM_GES,))):
            tables = _shared(measured, found, names)
            best = measured.best("boundary", names, tables)
            if best is None:
                continue
            ours = measured.mean("boundary", DEFAULT, tables)
            aim = f"boundary, {which}, {n_rows:,} rows: F1 over the best {rival}"
            if rival == "read from GES":
                aim = f"boundary, {which}, {n_rows:,} rows: F1 over that {rival}"
            rows.append(_compared(aim, len(tables), ours, best, MARGIN))
    return rows


def _over_published(measured: Measurements) -> list[Sequence[Cell]]:
    """Compare the default's mean F1 with the best in the table that the aim was set by."""
    rows: list[Sequence[Cell]] = []
    for n_rows, best in PUBLISHED.items():
        tables = of_networks(with_rows(measured.tables("boundary", DEFAULT), n_rows), SIX)
        if {network for network, _, _ in tables} == set(SIX):
            ours = measured.mean("boundary", DEFAULT, tables)
            aim = f"boundary, six networks, {n_rows:,} rows: F1 over the best of earlier samples"
            rows.append(_compared(aim, len(tables), ours, ("earlier", best), MARGIN))
    return rows


def _shared(measured: Measurements, tables: set[TableKey], names: Sequence[str]) -> set[TableKey]:
    """Return the tables that the searches which finished most of them all finished."""
    able = [measured.tables("boundary", name) & tables for name in names]
    most = [finished for finished in able if finished and 10 * len(finished) >= 9 * len(tables)]
    return set.intersection(*most) if most else set()


def _compared(
    aim: str, n_tables: int, ours: float, best: tuple[str, float], margin: float
) -> Sequence[Cell]:
    name, theirs = best
    difference = ours - theirs
    wanted = f"at least +{margin:g}" if margin else "above 0"
    met = difference >= margin if margin else difference > 0
    numbers = f"{ours:.3f}", f"{theirs:.3f} ({name})", f"{difference:+.3f}"
    return aim, n_tables, *numbers, wanted, verdict(met)


def _worst(measured: Measurements) -> list[Sequence[Cell]]:
    """Find the network and number of rows where the default loses most to the old one."""
    tables = measured.tables("boundary", DEFAULT, OLD_DEFAULT)
    if not tables:
        return []
    cells: dict[tuple[str, int], set[TableKey]] = {}
    for table in tables:
        cells.setdefault(table[:2], set()).add(table)
    means = {
        cell: [measured.mean("boundary", name, own) for name in (DEFAULT, OLD_DEFAULT)]
        for cell, own in cells.items()
    }
    lost = {cell: ours - theirs for cell, (ours, theirs) in means.items()}
    worst = min(lost, key=lambda cell: (lost[cell], cell))
    n_below = sum(difference < -MOST_LOST for difference in lost.values())
    aim = (
        f"boundary, worst of {len(cells)} cells ({worst[0]}, {worst[1]:,} rows): F1 over "
        f"{OLD_DEFAULT}; {n_below} below -{MOST_LOST:g}"
    )
    ours, theirs = means[worst]
    numbers = f"{ours:.3f}", f"{theirs:.3f} ({OLD_DEFAULT})", f"{lost[worst]:+.3f}"
    n_tables = len(cells[worst])
    return [(aim, n_tables, *numbers, f"at least -{MOST_LOST:g}", verdict(n_below == 0))]


def _graphs(measured: Measurements) -> list[Sequence[Cell]]:
    """Compare the CPDAGs of learn_network's default with those of GES with restarts."""
    tables = measured.tables("graph", DEFAULT, GRAPH_RIVAL)
    rows: list[Sequence[Cell]] = []
    for n_rows in (None, *ROWS):
        some = tables if n_rows is None else with_rows(tables, n_rows)
        if some:
            where = "all tables" if n_rows is None else f"{n_rows:,} rows"
            ours = measured.mean("graph", DEFAULT, some)
            theirs = measured.mean("graph", GRAPH_RIVAL, some)
            aim = f"graph, {where}: CPDAG F1 over {GRAPH_RIVAL}"
            rows.append(_compared(aim, len(some), ours, (GRAPH_RIVAL, theirs), 0.0))
    return rows


def _costs(measured: Measurements) -> list[Sequence[Cell]]:
    """CPU seconds of one call, the default's over IAMB's."""
    rows: list[Sequence[Cell]] = []
    for table in sorted(measured.tables("cost", DEFAULT, OLD_DEFAULT)):
        network, n_rows, _ = table
        ours, theirs = (
            measured.value("cost", name, table, "seconds") for name in (DEFAULT, OLD_DEFAULT)
        )
        place = f"{network}, {n_rows:,} rows"
        numbers = f"{ours:.2g} s", f"{theirs:.2g} s ({OLD_DEFAULT})", f"{ours / theirs:.1f} times"
        met = ours <= MOST_TIMES * theirs
        aim = f"cost, {place}: CPU seconds of one call over {OLD_DEFAULT}'s"
        rows.append((aim, 1, *numbers, f"at most {MOST_TIMES:g} times", verdict(met)))
        if network == "alarm":
            aim, limit = f"cost, {place}: one call", f"under {MOST_SECONDS:g} s"
            rows.append((aim, 1, f"{ours:.2g} s", None, None, limit, verdict(ours < MOST_SECONDS)))
    if rows and not any(THROMBIN in str(row[0]) for row in rows):
        aim = f"cost, {THROMBIN}: not measured, the data set was not at hand"
        rows.append((aim, 0, None, None, None, f"at most {MOST_TIMES:g} times", "undecided"))
    return rows
