"""The section on PC-stable of docs/performance.md; ``render_performance.py`` puts it there."""

from __future__ import annotations

from typing import Any

_DEFAULT = "calibrated_chi_square"


def section(record: dict[str, Any] | None) -> str:
    """Return the section; without a record, how to make one."""
    heading = "## PC-stable with sets of every size\n"
    if record is None:
        return f"{heading}\nNot measured: run `make benchmark-pc`.\n"
    default = [run for run in record["runs"] if run["test"] == _DEFAULT]
    others = [run for run in record["runs"] if run["test"] != _DEFAULT]
    return f"""{heading}
`make benchmark-pc` runs `benchmarks/pc_stable.py`: {record["rows"]:,} rows of each network,
significance level {record["alpha"]}, no limit on conditioning sets; seconds of the search,
compiling aside. *Before* is the same search when it went through Python between tests, one thread.
*Published* are the times of Fast-BNS, compiled, on one thread of another machine, which trusts
every test; where strata are thin the calibrated test cannot say anything, and levels end sooner.
{_load(record)}
| network | columns | threads | seconds | CPU seconds | tests | before, CPU | published |
|---|---:|---:|---:|---:|---:|---:|---:|
{_rows(default, record)}

The same with G2 and every test trusted, whatever the rows; stopped after
{record["time_limit"]:.0f} seconds:

| network | columns | threads | seconds | CPU seconds | tests | before, CPU | published |
|---|---:|---:|---:|---:|---:|---:|---:|
{_rows(others, record)}
"""


def _load(record: dict[str, Any]) -> str:
    """Say how busy the machine was."""
    first, last = record["load_average"]
    return (
        f"The machine's load average was {first:.1f} at first and {last:.1f} at last; above\n"
        "the number of its cores CPU seconds say more than seconds do.\n"
    )


def _rows(runs: list[dict[str, Any]], record: dict[str, Any]) -> str:
    return "\n".join(_row(run, record) for run in runs)


def _row(run: dict[str, Any], record: dict[str, Any]) -> str:
    published = record["published"].get(run["network"])
    earlier = [
        old
        for old in record["before"]
        if (old["network"], old["test"]) == (run["network"], run["test"])
    ]
    cells = (
        run["network"].capitalize(),
        f"{run['columns']}",
        f"{run['n_jobs']}",
        _seconds(run, "wall"),
        _seconds(run, "cpu"),
        f"{run['n_tests']:,}",
        _seconds(earlier[0], "cpu") if earlier and run["n_jobs"] == 1 else "",
        "" if published is None or run["n_jobs"] > 1 else f"{published:,.10g}",
    )
    return f"| {' | '.join(cells)} |"


def _seconds(run: dict[str, Any], key: str) -> str:
    told = f"{run[key]:.3g}"
    return told if run["complete"] else f"not finished ({told})"
