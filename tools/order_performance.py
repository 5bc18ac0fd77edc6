"""The section on Link of docs/performance.md; render_performance.py joins it in."""

from __future__ import annotations

from typing import Any

_AIM = 30.0  # CPU seconds on one thread, for a BIC at least that of the true graph


def section(record: dict[str, Any] | None) -> str:
    """Return the section, or that nothing was measured."""
    lines = [
        "## Link, by a score, on one thread",
        "",
        "BIC (the more, the better), structural Hamming distance of the CPDAGs, and CPU seconds on",
        "a sample of Link, compiling left out. Measured by `make benchmark-order`.",
        "",
    ]
    if record is None:
        return "\n".join([*lines, "Not measured yet.", ""])
    truth = record["truth"]
    lines += [
        f"{record['n_rows']:,} rows, seed {record['seed']}. The true graph has "
        f"{truth['n_edges']:,} edges, and a BIC of {truth['bic']:,.0f} between the columns that "
        f"vary, all but {truth['n_constant']}. `ges_restarts` may take {record['cap']:g} seconds "
        "of wall time.",
        "",
        "| search | BIC | less the true graph's | edges | distance | CPU seconds |",
        "|---|---|---|---|---|---|",
    ]
    for name, row in record["searches"].items():
        seconds = f"{row['seconds']:.1f}" + ("" if row["complete"] else ", interrupted")
        lines.append(
            f"| `{name}` | {row['bic']:,.0f} | {row['bic'] - truth['bic']:+,.0f} | "
            f"{row['n_edges']:,} | {row['distance']:,} | {seconds} |"
        )
    best = record["searches"]["boss_restarts"]
    met = best["bic"] >= truth["bic"] and best["seconds"] < _AIM
    lines += [
        "",
        f"The aim was the BIC of the true graph in less than {_AIM:g} seconds: "
        f"{'met' if met else 'missed'} by `boss_restarts`.",
    ]
    return "\n".join([*lines, ""])
