"""The sections on a second job and many columns of docs/performance.md."""

from __future__ import annotations

from typing import Any

_AIM = 1.7  # times as fast with a second job
_LONG = 0.3  # seconds that a user notices


def section(record: dict[str, Any] | None) -> str:
    """Return both sections, or that nothing was measured."""
    lines = [
        "## With a second job",
        "",
        f"How many times as fast verbs are with `n_jobs=2` (the aim is {_AIM:g} in all), and the",
        "share of CPU time on one thread during which Python's lock is held: compiled kernels run",
        "without it, the rest does not.",
        "Sweeps of scores and levels of PC-stable are shared inside kernels, with threads that",
        "wait in compiled code and take over in less than a microsecond; the second chain of",
        "boss_restarts and rounds of ges_restarts have a thread; runs, resamples and samples are",
        "shared with a forked process, which costs 4 to 6 milliseconds, and as much again for the",
        "pages that it copies. What is missed, and why: a climb, and GES, are chains of steps,",
        "whose sweeps take 3 to 100 microseconds, and between them stands what is not shared;",
        "Python before and after a search (1 to 3 ms) is all there is on small tables; searches",
        "for parents and children around 37 columns of 100,000 rows are few and uneven; runs of",
        "KIAMB are known steps and leave nothing to share: 20,000 of them on Insurance take a",
        "sixth of the time that two processes took when each run was searched.",
        "Measured by `make benchmark-classes`, the shortest of five tries, each verb in a process",
        "of its own, with real-time priority.",
        "",
    ]
    if record is None:
        return "\n".join([*lines, "Not measured yet.", ""])
    lines += ["| verb | one job (s) | with two jobs | lock held |", "|---|---|---|---|"]
    for row in record["threads"]:
        faster = row["one_thread"] / row["two_threads"]
        met = "met" if faster >= _AIM else "missed"
        held, one = row["outside_kernels"], row["one_thread"]
        lines.append(f"| {row['name']} | {one:.3g} | {faster:.2f}, {met} | {held:.0%} |")
    long, short = (
        [row for row in record["threads"] if (row["one_thread"] >= _LONG) is is_long]
        for is_long in (True, False)
    )
    lines += [
        "",
        f"Of what takes one job {_LONG} seconds and more, {_n_met(long)} of {len(long)} reach the",
        f"aim, and of what takes less {_n_met(short)} of {len(short)}.",
        "",
        "## GES on thousands of columns",
        "",
        f"Copies of Pigs that are joined, {record['wide_rows']:,} rows, BIC, CPU time of one",
        "thread, and the most memory that the process took.",
        "",
        "| columns | true edges | edges | distance | CPU minutes | memory (GB) |",
        "|---|---|---|---|---|---|",
    ]
    for row in record["wide"]:
        lines.append(
            f"| {row['columns']:,} | {row['true_edges']:,} | {row['edges']:,} | "
            f"{row['distance']:,} | {row['seconds'] / 60:.1f} | {row['peak_bytes'] / 2**30:.1f} |"
        )
    return "\n".join([*lines, ""])


def _n_met(rows: list[dict[str, Any]]) -> int:
    return sum(row["one_thread"] / row["two_threads"] >= _AIM for row in rows)
