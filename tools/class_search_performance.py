"""The sections on a second job and many columns of docs/performance.md."""

from __future__ import annotations

from typing import Any

_AIM = 1.7  # times as fast with a second job


def section(record: dict[str, Any] | None) -> str:
    """Return both sections, or that nothing was measured."""
    lines = [
        "## With a second job",
        "",
        f"How many times as fast verbs are with `n_jobs=2` (the aim is {_AIM:g} in all), and the",
        "share of CPU time on one thread during which Python's lock is held: compiled kernels run",
        "without it, the rest does not.",
        "Runs, resamples and samples are shared with a forked process, which has a lock of its own",
        "and costs some milliseconds. Each of the two chains of boss_restarts has a thread.",
        "Runs of KIAMB know each other's steps and take 0.07 ms: for 1,000 of them, the fork and the tests that both",
        "processes make weigh as much as what is shared. Any other search with restarts is one",
        "chain, in which each restart begins where the last one ended, so that threads only share",
        "out its large sweeps. Below a millisecond of work no second thread is woken. Where much",
        "of the time is Python, two threads hand its lock to and fro after every short kernel,",
        "which can cost more than the second core gives.",
        "Measured by `make benchmark-classes`, the shortest of five tries.",
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
    lines += [
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
