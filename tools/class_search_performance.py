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
        "Sweeps of scores and levels of PC-stable are shared inside",
        "kernels, with threads that wait in compiled code and take over in less than a",
        "microsecond; the two chains of boss_restarts and rounds of ges_restarts have a thread",
        "each; runs, resamples and samples are shared with a forked process, which costs some",
        "milliseconds. What is missed: a climb, and GES, are chains of steps, whose sweeps take 3",
        "to 100 microseconds, and between them stands what is not shared; Python",
        "before and after a search (1 to 3 ms) is all there is on small tables; rounds of",
        "ges_restarts wait for the memory of gains, which one thread fills at a time. Runs of",
        "KIAMB that meet nothing new are walks of some microseconds on a map of what is known:",
        "little is left to share, so that around a target with fewer than 100 candidates nothing",
        "is. One job became quicker by that, which the ratio does not show.",
        "Measured by `make benchmark-classes`, the shortest of five tries. The rows of BOSS, of",
        "ges (but for Link), ges_restarts, hill_climbing, causes, 1,000 runs of KIAMB and the",
        "default on Alarm and Insurance were measured last, on a machine that took two to four",
        "times as long and was not steady: of these read ratios, and those by a tenth or two.",
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
