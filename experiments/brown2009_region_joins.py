"""Section IV.6.1 of Brown (2009): regions around all columns joined, against the whole search.

All searches take the same test, score and symmetry, so that only the climb differs: one over the
whole network, or one around every column.
"""

from __future__ import annotations

from statistics import fmean
from typing import Any

from brown2009_region_cells import Study, study_of, timed
from brown2009_region_measures import region_distance
from harness import Record, say
from kept_cells import KeptCells

from eiderdown import learn_network
from eiderdown.structure import JOINED_REGIONS, MMHC, MMHC_RESTARTS

NETWORKS = ("Alarm", "RN50", "RN100", "Alarm10", "Ins10")
ROWS = (500, 1_000, 5_000)
SEARCHES = {
    "MMHC": MMHC(),
    "joined": JOINED_REGIONS(restarts=0),
    "MMHC, restarts": MMHC_RESTARTS(symmetry="and"),
    "joined, restarts": JOINED_REGIONS(),
}
N_SAMPLES = 1


def join_regions(record: Record, kept: KeptCells, *, quick: bool) -> None:
    """Fill the table about joined regions."""
    table = record.table(
        "Distance from the true network, and seconds: regions joined against the whole search "
        "(IV.6.1)",
        (
            "network",
            "rows",
            *(part for search in SEARCHES for part in (search, f"{search}: seconds")),
        ),
    )
    nearer: list[tuple[float, float]] = []
    for name in NETWORKS[: 1 if quick else None]:
        study = study_of(name, quick=quick)
        for n_rows in ROWS[: 1 if quick else None]:
            say(f"Joined regions: {name}, {n_rows:,} rows")
            samples = range(1 if quick else N_SAMPLES)
            found = [
                kept.get(
                    f"joined-{name}-{n_rows}-{k}",
                    lambda: _measured(study, n_rows, k),  # noqa: B023
                )
                for k in samples
            ]
            means = {
                search: [fmean(float(cell[search][i]) for cell in found) for i in (0, 1)]
                for search in SEARCHES
            }
            table.rows.append((name, n_rows, *(x for pair in means.values() for x in pair)))
            nearer.append((means["joined"][0], means["MMHC"][0]))
            nearer.append((means["joined, restarts"][0], means["MMHC, restarts"][0]))
    counts = [
        (sum(a <= b for a, b in part), len(part), fmean(a - b for a, b in part))
        for part in (nearer[::2], nearer[1::2])
    ]
    table.notes += [
        f"{label} joined regions are no further than the whole search in {n_better} of {n} cells; "
        f"their distance minus its is {difference:+.1f} on average."
        for label, (n_better, n, difference) in zip(
            ("Without restarts", "With restarts"), counts, strict=True
        )
    ]


def _measured(study: Study, n_rows: int, k: int) -> dict[str, Any]:
    data, true = study.samples[n_rows][k], study.network.dag.to_cpdag()
    cells = {}
    for search, algorithm in SEARCHES.items():
        network, seconds = timed(learn_network, data, algorithm=algorithm)
        cells[search] = [region_distance(network.cpdag, true), seconds]
    return cells
