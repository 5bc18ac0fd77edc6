"""The section on searches around every column; ``render_performance.py`` puts it on the page."""

from __future__ import annotations

from typing import Any


def section(record: dict[str, Any] | None) -> str:
    """Return the section; without a record, how to make one."""
    heading = "## Around every column\n"
    what = """Each search for parents and children is one compiled call; threads make
them ahead, and whoever waits for a long one helps. What follows on each search is Python,
done in the order of the targets by one thread: near-copies, names, counts of tests.
Searches of IAMB and of the default are shared with forked processes
([decisions](architecture.md#decisions))."""
    if record is None:
        return f"{heading}\n{what} Not measured here: run `make benchmark-all-targets`.\n"
    aims = record["aims"]
    rows = "\n".join(map(_row, record["searches"]))
    return f"""{heading}
{what} `make benchmark-all-targets` runs
`find_all_boundaries` on {record["n_rows"]:,} rows. Aims: on one thread
{aims["as quick as pybnesian"]} times as quick as pybnesian's MMPC, and a second job that makes
it {aims["second thread"]} times as quick.

| network | search | tests | seconds | with two jobs | second job | beside pybnesian |
|---|---|---:|---:|---:|---:|---:|
{rows}
"""


def _row(row: dict[str, Any]) -> str:
    peer = row.get("as_quick_as_pybnesian")
    cells = (
        row["network"].capitalize(),
        f"`{row['algorithm']}`",
        f"{row['n_tests']:,}",
        f"{row['seconds']['1']:.3g}",
        f"{row['seconds']['2']:.3g}",
        f"{row['second_thread']:.2f} times as quick",
        "" if peer is None else f"{peer:.2f} times as quick",
    )
    return f"| {' | '.join(cells)} |"
