"""Write what was measured into docs/scale.md, from benchmarks/results/*.json.

Run it after one of the benchmarks that it names; a test fails when the page does not match. Usage::

    python tools/render_scale.py
"""

from __future__ import annotations

import json
import runpy
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
_TOOL = runpy.run_path(str(Path(__file__).with_name("record_pictures.py")))
PICTURES = _TOOL["SCALE"]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "scale.md"
BEGIN, END = "<!-- measured -->\n", "<!-- end of what was measured -->\n"

MOST_PASSES_AT_FIRST, MOST_PASSES_LATER, MOST_MB = 2.0, 0.2, 2_048
"""What was asked for: the first sweep, later ones, and memory, at 1e8 rows x 50 columns."""


def page(text: str) -> str:
    """Return the page with what was measured in its place."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + "\n" + measured() + "\n" + END + rest.split(END)[1]


def measured() -> str:
    """Return the sections of all records."""
    parts = (rows(), mixed(), wide(), long_and_wide(), cluster(), many(), projections())
    return "\n".join(parts)


def _record(name: str) -> dict[str, Any] | None:
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def _table(head: Iterable[str], lines: Iterable[Iterable[Any]]) -> str:
    head = list(head)
    shown = ["| " + " | ".join(map(str, line)) + " |" for line in lines]
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *shown]) + "\n"


def _not_run(title: str, command: str) -> str:
    return f"## {title}\n\nNot measured: run `{command}`.\n"


def _verdict(holds: bool) -> str:
    return "met" if holds else "**missed**"


def rows() -> str:
    """Show rows beyond memory."""
    title, record = "Rows", _record("scale")
    if record is None:
        return _not_run(title, "python benchmarks/scale.py")
    lines = []
    for cell in record["cells"]:
        plain = cell["plain_pass"]["seconds"]
        later = max(cell[f"later sweep {k}"]["seconds"] for k in (1, 2, 3))
        lines.append(
            (
                f"{cell['rows']:,}",
                "store" if cell["in_parts"] else "memory",
                f"{plain:.2f}",
                f"{cell['first sweep']['seconds'] / plain:.1f}",
                f"{later / plain:.2f}",
                f"{cell['iamb']['seconds']:.1f}",
                f"{cell['auto']['seconds']:.1f}",
                f"{cell['auto']['peak_mb']:,.0f}",
            )
        )
    head = (
        "rows",
        "held in",
        "plain pass, s",
        "first sweep, passes",
        "slowest later sweep, passes",
    )
    found = _table((*head, "IAMB, s", "default, s", "peak, MB"), lines)
    return (
        f"## {title}\n\n`python benchmarks/scale.py`: {record['cells'][0]['columns']} columns, "
        f'`memory="{record["memory"]}"`, {record["n_jobs"]} threads. A plain pass reads every '
        "column with pyarrow and does nothing with it; the first sweep reads, packs and tests all "
        f"columns against one; later ones condition on one, two and three.\n\n{found}\n"
        f"{PICTURES['scale'].markdown()}\n\n"
        f"{_aims_of_rows(record['cells'][-1])}\n{_slopes_in_rows(record)}"
    )


def _slopes_in_rows(record: dict[str, Any]) -> str:
    slopes = dict(record["slopes"])
    plain = slopes.pop("plain_pass", None)
    told = ", ".join(f"{name} {value:.2f}" for name, value in slopes.items() if value is not None)
    if not told:
        return ""
    other = [name for name, value in slopes.items() if value is None]
    not_told = (
        f" {' and '.join(other)} made other tests with more rows, because at alpha = .01 chance "
        "columns come in and go, so they have no slope."
        if other
        else ""
    )
    far = [n for n, value in slopes.items() if value is not None and not 0.9 <= value <= 1.1]
    verdict = _verdict(not far) + (f" ({', '.join(far)})" if far else "")
    return (
        f"Powers of the rows by which the time of the same work grows, from 1e7 rows on: {told}; "
        f"1 within 10 %: {verdict}.{not_told}{_beside_plain(plain)}\n"
    )


def _beside_plain(slope: float | None) -> str:
    if slope is None:
        return ""
    return (
        f" The plain pass of pyarrow over the same files has {slope:.2f}. Powers are of means over "
        "about as many seconds at each size, all other times of the best of several tries: a long "
        "try meets all that disturbs a machine, of which the best of many short ones is free."
    )


def _aims_of_rows(cell: dict[str, Any]) -> str:
    plain = cell["plain_pass"]["seconds"]
    first = cell["first sweep"]["seconds"] / plain
    later = max(cell[f"later sweep {k}"]["seconds"] for k in (1, 2, 3)) / plain
    peak = max(cell[name]["peak_mb"] for name in ("iamb", "auto"))
    return (
        f"At {cell['rows']:,} rows: within {MOST_MB:,} MB {_verdict(peak <= MOST_MB)} "
        f"({peak:,.0f}); a first sweep of at most {MOST_PASSES_AT_FIRST:g} passes "
        f"{_verdict(first <= MOST_PASSES_AT_FIRST)} ({first:.2f}); later sweeps at least five "
        f"times as fast as a pass {_verdict(later <= MOST_PASSES_LATER)} ({1 / later:.1f} times).\n"
    )


def mixed() -> str:
    """Show rows of numbers, categories, dates and gaps."""
    title, record = "Mixed rows", _record("scale_mixed")
    if record is None:
        return _not_run(title, "python benchmarks/scale.py --mixed")
    lines = [
        (
            f"{cell['rows']:,}",
            f'store, `memory="{cell["memory"]}"`' if cell["in_parts"] else "memory",
            f"{cell['plain_pass']['seconds']:.2f}",
            f"{cell['seconds_to_read']:.1f}",
            f"{cell['auto']['seconds']:.1f} ({cell['auto']['algorithm']})",
            f"{cell['iamb']['seconds']:.1f}",
            f"{max(cell[name]['peak_mb'] for name in ('auto', 'iamb')):,.0f}",
        )
        for cell in record["cells"]
    ]
    head = ("rows", "held in", "plain pass, s", "read, s", "default, s", "IAMB, s", "peak, MB")
    last = record["cells"][-1]["auto"]["members"]
    right = set(last) == set(record["true_members"])
    return (
        f"## {title}\n\n`python benchmarks/scale.py --mixed`: 21 columns of numbers, categories "
        "and dates, values missing in six of them, around a column of two classes; numbers are "
        "straight, two categories given numbers are confirmed by regression.\n\n"
        f"{_table(head, lines)}\nPeaks are those of the process, with its modules and kernels. "
        f"The same members in memory and beyond it: {'yes' if record['same'] else 'NO'}. Of the "
        f"largest table the default finds {', '.join(last)}"
        f"{': those that are true' if right else ''}.\n"
    )


def wide() -> str:
    """Show many columns in memory."""
    title, record = "Columns", _record("wide")
    if record is None:
        return _not_run(title, "make benchmark-wide")
    lines = [
        (
            cell["form"],
            f"{cell['columns']:,}",
            cell["search"],
            f"{cell['seconds']:.2f}",
            f"{cell['peak_gigabytes']:.2f}",
        )
        for cell in record["cells"]
    ]
    aims = [
        f"- {what}: {aim['measured']:.2f}, aim {aim['aim']:g}"
        for what, aim in record["aims"].items()
    ]
    slopes = [
        f"- {slope['form']}, {slope['search']}, {slope['columns'][0]:,} to "
        f"{slope['columns'][1]:,} columns: {slope['slope']:.2f}"
        for slope in record["slopes"]
    ]
    found = _table(("table", "columns", "search", "seconds", "peak, GB"), lines)
    return (
        f"## {title}\n\n`make benchmark-wide`: 2,000 rows (genes: 16,838), in memory, seconds from "
        f"the SciPy or NumPy array to the result.\n\n{found}\n{PICTURES['wide'].markdown()}\n\n"
        + "\n".join(aims)
        + "\n\n"
        "Powers of the columns by which seconds grow:\n\n" + "\n".join(slopes) + "\n"
    )


def long_and_wide() -> str:
    """Show the shape of Spark's mRMR."""
    title, record = "Long and wide", _record("scale_wide")
    if record is None:
        return _not_run(title, "python benchmarks/scale.py --wide")
    cell, spark = record["cell"], record["spark_mrmr"]
    per_column = record["seconds_per_column_with_packing"]
    return (
        f"## {title}\n\n`python benchmarks/scale.py --wide`: {cell['rows']:,} rows x "
        f"{cell['columns']} columns, projected to {spark['rows']:,} rows by the slope of 1 above. "
        f"IAMB at alpha = 1e-6: {record['seconds_per_column']:.1f} s for each selected column, "
        f"{per_column:.1f} s with packing "
        f"({len(cell['iamb']['members'])} selected, peak {cell['iamb']['peak_mb']:,.0f} MB). "
        f"Spark's mRMR is reported to take {spark['seconds_per_column']:.0f} s on a cluster, on "
        f"other data of that shape. Aim of 150 s: {_verdict(per_column < 150)}"
        ", as a projection.\n"
    )


def cluster() -> str:
    """Show workers of Dask."""
    title, record = "Workers", _record("cluster")
    if record is None:
        return _not_run(title, "python benchmarks/cluster.py")
    here = record["one_machine"]
    lines = [("this process, in memory", f"{here['seconds_to_read']:.1f}")]
    lines[0] += (f"{here['seconds_to_search']:.1f}", "")
    for run in record["clusters"]:
        killed = run.get("seconds_with_a_worker_killed")
        times = (f"{run['seconds_to_read']:.1f}", f"{run['seconds_to_search']:.1f}")
        lines.append(
            (f"{run['workers']} workers", *times, "" if killed is None else f"{killed:.1f}")
        )
    equal = all(run["equal"] for run in record["clusters"])
    survived = record["clusters"][-1]["equal_with_a_worker_killed"]
    found = _table(("where", "read, s", "IAMB, s", "IAMB with one killed, s"), lines)
    return (
        f"## {title}\n\n`python benchmarks/cluster.py`: {record['rows']:,} rows x "
        f"{record['columns']} columns, workers of one thread on this machine of "
        f"{record['cores']} cores.\n\n{found}\nAnswers equal to those of one machine: "
        f"{'yes' if equal else 'NO'}; with a worker killed on the way: "
        f"{'yes' if survived else 'NO'}. Two workers no slower than one beyond 10 %: "
        f"{_verdict(record['two_workers_to_one'] > 1 / 1.1)} "
        f"({record['two_workers_to_one']:.2f} times as fast).\n"
    )


def many() -> str:
    """Show many targets, and a skeleton."""
    title, record = "Targets", _record("many_targets")
    if record is None:
        return _not_run(title, "python benchmarks/many_targets.py")
    runs = record["boundaries"]
    lines = [
        (
            name,
            f"{run['seconds']:.0f}",
            f"{run['peak_mb']:,.0f}",
            f"{run['tests']:,}",
            f"{run['evicted']:,}",
        )
        for name, run in (
            ('`test_memory="1GB"`', runs["large"]),
            ('`test_memory="64MB"`', runs["small"]),
            (
                f"64MB, killed, then resumed from {runs['resumed']['kept']:,} targets",
                runs["resumed"],
            ),
        )
    ]
    found = _table(
        ("10,000 columns x 1,000 rows, PCMB", "s", "peak, MB", "tests", "forgotten"), lines
    )
    skeleton = record["skeleton"]
    return (
        f"## {title}\n\n`python benchmarks/many_targets.py`:\n\n{found}\nAll three answers are the "
        f"same: {'yes' if runs['same'] else 'NO'}.\n\nThe skeleton of 100,000 sparse columns: "
        f"{skeleton['cpu_ms_per_column']:.1f} ms of CPU time for each column, so about "
        f"{skeleton['projected_cpu_minutes']:.0f} minutes for all; what a killed and resumed run "
        f"wrote is the same: {'yes' if skeleton['same'] else 'NO'}. Of the first "
        f"{skeleton['whole']['finished']:,} columns {skeleton['true_edges']:,} edges are true, "
        f"{skeleton['false_edges']:,} false, and {skeleton['true_edges_there_are']:,} there are.\n"
    )


def projections() -> str:
    """Say what the measured slopes mean for larger tables, with the arithmetic."""
    record, across = _record("scale"), _record("wide")
    lines = ["## Projections\n"]
    if record is not None and record["cells"][-1]["in_parts"]:
        cell = record["cells"][-1]
        n_cells = cell["rows"] * cell["columns"]
        packing = n_cells / cell["first sweep"]["seconds"]
        sweeping = n_cells / cell["later sweep 2"]["seconds"]
        wanted = 1e9 * 1_000
        lines.append(
            f"**1e9 rows x 1,000 columns** are 1e12 cells. Here {n_cells:.0e} cells were packed "
            f"and swept in {cell['first sweep']['seconds']:.0f} s ({packing:.1e} a second, two "
            "cores) and swept again, given two columns, in "
            f"{cell['later sweep 2']['seconds']:.2f} s ({sweeping:.1e} a second, from the page "
            f"cache). By division: packing {wanted / packing / 3600:.1f} hours and a sweep "
            f"{wanted / sweeping / 60:.0f} minutes on this machine; on 32 workers of two cores "
            f"{wanted / packing / 32 / 60:.0f} minutes and {wanted / sweeping / 32:.0f} s. "
            "IAMB takes about two sweeps for each member. The "
            f"store would take {cell['store_bytes'] / n_cells * wanted / 1e12:.1f} TB; where it "
            "does not fit into the page cache of the workers, sweeps run at the speed of "
            "their disks. This was not run.\n"
        )
    cells = [] if across is None else across["cells"]
    million = [c for c in cells if c["columns"] == 1_000_000 and c["search"] == "iamb"]
    if million:
        cell = million[0]
        lines.append(
            f"**1e7 sparse columns** x 2,000 rows: ten times {cell['seconds']:.1f} s and "
            f"{cell['peak_gigabytes']:.1f} GB, so about {10 * cell['seconds'] / 60:.1f} minutes "
            f"and {10 * cell['peak_gigabytes']:.0f} GB on one machine; on a cluster that shares "
            "out the columns, each worker holds its part of them, and a sweep sends 4 bytes a row "
            "to each worker and some 100 bytes a column back: 1 GB for all, which is what costs "
            "there. This was not run.\n"
        )
    return "\n".join(lines)


def main() -> None:
    """Write the page and draw its pictures."""
    _TOOL["main"]()
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
