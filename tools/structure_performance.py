"""The section of docs/performance.md on whole networks; ``render_performance.py`` puts it there."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_PICTURES = runpy.run_path(str(Path(__file__).with_name("record_pictures.py")))

# algorithm, network, largest distance from the true CPDAG, seconds
_TARGETS = (
    ("hill_climbing", "pigs", 0, 20.0),
    ("mmhc", "pigs", 1, 15.0),
    ("pc_stable", "alarm", 5, 0.3),
)


def section(record: dict[str, Any] | None) -> str:
    """Return the section; without a record, how to make one."""
    heading = "## Whole networks beside other libraries\n"
    if record is None:
        return f"{heading}\nNot measured: run `make benchmark-structure`.\n"
    tables = "\n\n".join(map(_case, record["cases"]))
    aims = "\n".join(_aim_row(*row) for case in record["cases"] for row in _aims(case))
    return f"""{heading}
`make benchmark-structure` runs `benchmarks/structure_peers.py`: 5,000 rows of each network, the
same table for all. Directed graphs are scored by one BIC, whoever found them; *SHD* is the distance
from the true CPDAG. Tests are at significance level 0.01.
{_notes(record)}
| what | aimed at | measured | |
|---|---|---|---|
{aims}

{_PICTURES["PERFORMANCE"]["structure_peers"].markdown()}

{tables}
"""


def _aims(case: dict[str, Any]) -> Iterator[tuple[str, str, str, bool | None]]:
    name, done = case["network"].capitalize(), [run for run in case["runs"] if "shd" in run]
    ours = {run["name"].removeprefix("eiderdown "): run for run in done}
    peers = [run for run in done if not run["name"].startswith("eiderdown ")]
    scored = [run for run in peers if run["what"] == "score" and run["bic"] is not None]
    for climb in (key for key in ours if key.startswith("hill_climbing")):
        yield from _against_peers(f"{name}, {climb}", ours[climb], scored)
    for algorithm, network, most_shd, limit in _TARGETS:
        if case["network"] == network:
            run = ours[algorithm]
            aim = f"SHD at most {most_shd} in under {limit:g} s"
            told = f"SHD {run['shd']} in {run['seconds']:.2g} s"
            met = run["shd"] <= most_shd and run["seconds"] < limit
            yield f"{name}, {algorithm}", aim, told, met


def _against_peers(
    name: str, run: dict[str, Any], scored: list[dict[str, Any]]
) -> Iterator[tuple[str, str, str, bool | None]]:
    """Compare one setting of ours with the best BIC of a peer, and with who reached it first."""
    if not scored:
        yield f"{name}: BIC over the best peer's", "at least 0", "no peer finished", None
        return
    best = max(float(peer["bic"]) for peer in scored)
    lead = run["bic"] - best
    yield f"{name}: BIC over the best peer's", "at least 0", f"{lead:,.1f}", lead >= 0
    # Scores of the same graph may differ in the last digits.
    first = min((p for p in scored if p["bic"] >= best - 1e-6), key=lambda p: float(p["seconds"]))
    ratio = run["seconds"] / first["seconds"]
    what = f"{name}: time over that of {first['name']}, the fastest with that BIC"
    yield what, "at most 1", f"{ratio:.2g}", ratio <= 1


def _notes(record: dict[str, Any]) -> str:
    """Say what a reader has to know about how it was measured."""
    return "".join(f"\n- {note}" for note in record.get("notes", [])) + "\n"


def _case(case: dict[str, Any]) -> str:
    rows = "\n".join(map(_row, case["runs"]))
    return f"""**{case["network"].capitalize()}, {case["columns"]} columns** (true graph: BIC \
{case["true_bic"]:,.0f}; peers stopped after {case["time_limit"]:.0f} seconds)

| search | goes by | seconds | SHD | BIC |
|---|---|---:|---:|---:|
{rows}"""


def _row(run: dict[str, Any]) -> str:
    name = f"{run['name']} ({run['version']})"
    if run.get("problem"):
        return f"| {run['name']} | {run['what']} | failed: {run['problem']} | | |"
    if run.get("stopped"):
        return f"| {name} | {run['what']} | stopped | | |"
    bic = "" if run["bic"] is None else f"{run['bic']:,.0f}"
    return f"| {name} | {run['what']} | {run['seconds']:.3g} | {run['shd']} | {bic} |"


def _aim_row(what: str, aim: str, measured: str, met: bool | None) -> str:
    verdict = "undecided" if met is None else "met" if met else "missed"
    return f"| {what} | {aim} | {measured} | {verdict} |"
