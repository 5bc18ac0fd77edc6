"""The section on the first answer of docs/performance.md; render_performance.py joins it in."""

from __future__ import annotations

from typing import Any


def section(record: dict[str, Any] | None) -> str:
    """Return the section, or that nothing was measured."""
    lines = [
        "## The first answer",
        "",
        "CPU seconds of whole commands (user and system, imports included) on 2,000 rows of Alarm,",
        "37 columns: when no kernel has ever been compiled on the machine, and when all that the",
        "command calls are. A small problem is answered before anything is compiled, so the next",
        "run takes as long as the first. Measured by `make benchmark-first-answer`.",
        "",
    ]
    if record is None:
        return "\n".join([*lines, "Not measured yet.", ""])
    lines += [
        "| command | empty cache | aim | all compiled | aim |",
        "|---|---|---|---|---|",
    ]
    for name, row in record["commands"].items():
        first, warm = (_judged(row[key], row[f"aim_{key}"]) for key in ("first", "warm"))
        lines.append(f"| `eiderdown {name}` | {first} | {warm} |")
    return "\n".join([*lines, ""])


def _judged(seconds: float, aim: float | None) -> str:
    if aim is None:
        return f"{seconds:.2f} | -"
    return f"{seconds:.2f} | {aim:g}: {'met' if seconds < aim else 'missed'}"
