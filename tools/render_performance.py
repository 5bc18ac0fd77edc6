"""Write docs/performance.md, and the summary in docs/index.md, from benchmarks/results/*.json.

Run it after ``make benchmark`` or ``make benchmark-peers``. The same numbers give the same text,
and ``tests/docs/test_documentation.py`` fails when a page does not match the numbers. Usage::

    python tools/render_performance.py
"""

from __future__ import annotations

import json
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "sweep.json"
PEERS = ROOT / "benchmarks" / "results" / "local_peers.json"
FEATURE_SPACE = ROOT / "benchmarks" / "results" / "feature_space.json"
STRUCTURE = ROOT / "benchmarks" / "results" / "structure_peers.json"
EQUIVALENCE = ROOT / "benchmarks" / "results" / "equivalence_peers.json"
PC = ROOT / "benchmarks" / "results" / "pc_stable.json"
FIRST_ANSWER = ROOT / "benchmarks" / "results" / "first_answer.json"
ORDER = ROOT / "benchmarks" / "results" / "order_search.json"
CLASS_SEARCH = ROOT / "benchmarks" / "results" / "class_search.json"
ALL_TARGETS = ROOT / "benchmarks" / "results" / "all_targets.json"
PAGE = ROOT / "docs" / "performance.md"
HOME = ROOT / "docs" / "index.md"
BEGIN = "<!-- rendered by tools/render_performance.py -->\n"
END = "<!-- end of what is rendered -->\n"

_SCORES = ("precision", "recall", "f1")
_PEER_COLUMNS = (
    "search",
    "looks for",
    "targets done",
    "seconds",
    "times as long",
    "tests per second",
    *_SCORES,
)

_NETWORKS = runpy.run_path(str(Path(__file__).with_name("structure_performance.py")))
_CLASSES = runpy.run_path(str(Path(__file__).with_name("equivalence_performance.py")))
_PC = runpy.run_path(str(Path(__file__).with_name("pc_performance.py")))
_FIRST = runpy.run_path(str(Path(__file__).with_name("first_answer_performance.py")))
_ORDERS = runpy.run_path(str(Path(__file__).with_name("order_performance.py")))
_CLASS_SEARCH = runpy.run_path(str(Path(__file__).with_name("class_search_performance.py")))
_ALL = runpy.run_path(str(Path(__file__).with_name("all_targets_performance.py")))
_MACHINES = runpy.run_path(str(Path(__file__).with_name("feature_space_performance.py")))

_PICTURES = runpy.run_path(str(Path(__file__).with_name("record_pictures.py")))

PAPER_FEATURES = 6
"""Size of IAMB's boundary on Thrombin in Pena et al. 2007."""
_NOISE = 0.05  # two timings of the same work differ by this much
_NO_SLOWER = f"at most 1, give or take {_NOISE}"


def page(  # noqa: PLR0913, PLR0917  one for each record
    record: dict[str, Any],
    peers: dict[str, Any] | None,
    structure: dict[str, Any] | None = None,
    feature_space: dict[str, Any] | None = None,
    equivalence: dict[str, Any] | None = None,
    first_answer: dict[str, Any] | None = None,
    order: dict[str, Any] | None = None,
    pc: dict[str, Any] | None = None,
    class_search: dict[str, Any] | None = None,
    all_targets: dict[str, Any] | None = None,
) -> str:
    """Return the page on performance."""
    first = _FIRST["section"](first_answer)
    parts = [
        _opening(record),
        first,
        _thrombin(record["thrombin"]),
        _paths(record),
        _threads(record),
    ]
    machines, networks = _MACHINES["section"](feature_space), _NETWORKS["section"](structure)
    classes, orders = _CLASSES["section"](equivalence), _ORDERS["section"](order)
    levels, wide = _PC["section"](pc), _CLASS_SEARCH["section"](class_search)
    others = [machines, _peers(peers), _ALL["section"](all_targets), networks, classes, wide]
    return "\n".join([*parts, *others, orders, levels])


def summary(record: dict[str, Any]) -> str:
    """Return the few lines for the home page."""
    fastest = max(row["planes"] / row["codes"] for row in record["tests_per_second"])
    lines = [
        f"- Counting over bit planes is up to {fastest:.0f} times as fast as counting cell by cell."
    ]
    found = record["thrombin"]
    if found is not None:
        lines = [
            "- Thrombin (1,909 rows, 139,351 binary columns): testing every column once takes "
            f"{found['sweep_in_passes']:.1f} times",
            "  as long as reading the table once. A whole IAMB search is "
            f"{_rounded(found['times_faster_than_paper'])} times as fast as published",
            "  in 2007 (Pena et al., on the machine of that time); it finds "
            f"{len(found['boundary_1'])} members (published: {PAPER_FEATURES}).",
            *lines,
        ]
    return "\n".join(lines) + "\n"


def with_summary(home: str, record: dict[str, Any]) -> str:
    """Return the home page, its rendered part made anew."""
    before, rest = home.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}{summary(record)}{END}{after}"


def _opening(record: dict[str, Any]) -> str:
    return f"""# Performance

This page is written by `tools/render_performance.py` from
[benchmarks/results/sweep.json](../benchmarks/results/sweep.json); do not edit it by hand. To
measure on your machine:

    make benchmark
    .venv/bin/python tools/render_performance.py

Machines differ and are noisy, so read the ratios rather than the times. Measured with Eiderdown
{record["eiderdown"]} on Python {record["python"]} ({record["machine"]}).
"""


def _thrombin(found: dict[str, Any] | None) -> str:
    heading = "## A very wide table: Thrombin\n"
    if found is None:
        return f"{heading}\nNot measured: the data set was not at hand. Set `EIDERDOWN_DATA`.\n"
    rows = "\n".join(_table_row(*row) for row in _thrombin_rows(found))
    return f"""{heading}
1,909 rows, 139,351 binary columns and a binary target; almost all cells are zero. A *sweep* tests
every column against the target once. A *pass* reads the table's bits once and does nothing else:
no sweep over the bits can be faster. IAMB runs with alpha 1e-4.

| what | aimed at | measured | |
|---|---|---|---|
{rows}

The published time is that of Peña et al. (2007) on a 2.4 GHz Pentium, so the last ratio is partly
one of hardware.

- Loading the sparse matrix takes {found["load_seconds"]:.2f} s.
- A pass takes {_milliseconds(found["pass_seconds"])}.
- A sweep takes {_milliseconds(found["sweep_seconds_1"])} over row lists, which Eiderdown chooses
  here, and {_milliseconds(found["sweep_seconds_planes"])} when it is forced through bit planes.
"""


def _thrombin_rows(found: dict[str, Any]) -> Iterator[tuple[str, str, str, bool]]:
    passes, seconds = found["sweep_in_passes"], found["iamb_seconds_1"]
    held, peak = found["megabytes_all_forms"], found["peak_megabytes_above_interpreter"]
    threads = found["iamb_seconds_2"] / seconds
    same = found["boundary_1"] == found["boundary_2"]
    n_features = len(found["boundary_1"])
    faster = found["times_faster_than_paper"]
    yield "one sweep, in passes", "at most 20", f"{passes:.1f}", passes <= 20
    yield "IAMB, one thread", "under 1 s", f"{seconds:.2f} s", seconds < 1
    yield "IAMB, two threads over one", _NO_SLOWER, f"{threads:.2f}", threads <= 1 + _NOISE
    yield "same boundary with two threads", "yes", "yes" if same else "no", same
    expected = str(PAPER_FEATURES)
    yield "members of the boundary", expected, str(n_features), n_features == PAPER_FEATURES
    yield "table in all its forms", "under 120 MB", f"{held:.0f} MB", held < 120
    yield "peak above the interpreter", "under 300 MB", f"{peak:.0f} MB", peak < 300
    yield "IAMB, times as fast as published", "more than 1", _rounded(faster), faster > 1


def _paths(record: dict[str, Any]) -> str:
    rows = "\n".join(
        f"| {row['rows']:,} | {row['columns']:,} | {row['given']} "
        f"| {_rounded(row['codes'])} | {row['planes'] / row['codes']:.1f} "
        f"| {row['chosen'] / max(row['codes'], row['planes']):.2f} |"
        for row in record["tests_per_second"]
    )
    return f"""## Tests per second

G2 tests of binary columns, one thread. Counts come from small integer codes, one cell at a time, or
from bit planes, 64 rows at a time; Eiderdown guesses which is cheaper. A last column near 1 (or
above: noise) means that it guessed well.

| rows | columns | given | from codes, per second | planes over codes | chosen over the better |
|---:|---:|---:|---:|---:|---:|
{rows}
"""


def _threads(record: dict[str, Any]) -> str:
    rows = "\n".join(
        _table_row(_alarm(name), _NO_SLOWER, f"{ratio:.2f}", ratio <= 1 + _NOISE)
        for name, ratio in record["two_threads_over_one"].items()
    )
    return f"""## Threads

Time of one sweep with two threads over its time with one. A second thread must never make a search
slower.

| what | aimed at | measured | |
|---|---|---|---|
{rows}
"""


def _peers(record: dict[str, Any] | None) -> str:
    heading = "## Beside other libraries\n"
    if record is None:
        return f"{heading}\nNot measured: run `make benchmark-peers`.\n"
    tables = "\n\n".join(map(_peers_on, record["cases"]))
    return f"""{heading}
`make benchmark-peers` runs `benchmarks/local_peers.py`: the same table for all, alpha 0.01, in one
run. A peer is stopped after {record["time_limit"]:.0f} seconds, and its scores are those of the
targets it has done. *Times as long* compares it with the Eiderdown search named beside it: per
target, or for the whole network if that is all the peer can do. Scores are means over targets.

{_PICTURES["PERFORMANCE"]["local_peers"].markdown()}

{tables}
"""


def _peers_on(case: dict[str, Any]) -> str:
    rows = "\n".join(_peer_row(run, case["targets"]) for run in case["runs"])
    return f"""**{case["network"].capitalize()}, {case["rows"]:,} rows, {case["targets"]} targets**

| {" | ".join(_PEER_COLUMNS)} |
|---|---|---:|---:|---:|---:|---:|---:|---:|
{rows}"""


def _peer_row(run: dict[str, Any], n_targets: int) -> str:
    if run.get("problem"):
        return f"| {run['name']} | {run['what']} | failed: {run['problem']} | | | | | | |"
    stopped = " (stopped)" if run.get("stopped") else ""
    scores = " | ".join("" if run[k] is None else f"{run[k]:.2f}" for k in _SCORES)
    ratio = f"{_times(run['times_slower'])} x {run['twin']}" if "twin" in run else ""
    tests = _rounded(run["n_tests"] / run["seconds"]) if run["n_tests"] else ""
    done = f"{run['n_done']} of {n_targets}{stopped}"
    name = f"{run['name']} {run['version']}"
    return (
        f"| {name} | {run['what']} | {done} | {run['seconds']:.3g} | {ratio} | {tests} | {scores} |"
    )


def _times(ratio: float) -> str:
    return f"{ratio:.1f}" if ratio < 10 else _rounded(ratio)


def _alarm(name: str) -> str:
    """Write ``alarm_1000_rows`` for people."""
    return f"Alarm, {int(name.split('_')[1]):,} rows"


def _table_row(what: str, aim: str, measured: str, met: bool) -> str:
    return f"| {what} | {aim} | {measured} | {'met' if met else 'missed'} |"


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.1f} ms"


def _rounded(number: float) -> str:
    """Write two significant digits: more would be noise."""
    return f"{float(f'{number:.1e}'):,.0f}"


def read_peers() -> dict[str, Any] | None:
    """Read the comparison with other libraries; None if it was not made."""
    return _stored(PEERS)


def read_structure() -> dict[str, Any] | None:
    """Read the comparison of whole networks; None if it was not made."""
    return _stored(STRUCTURE)


def read_equivalence() -> dict[str, Any] | None:
    """Read the comparison of equivalence searches; None if it was not made."""
    return _stored(EQUIVALENCE)


def read_first_answer() -> dict[str, Any] | None:
    """Read how long a newcomer waits; None if it was not measured."""
    return _stored(FIRST_ANSWER)


def read_order() -> dict[str, Any] | None:
    """Read how searches by a score do on Link; None if it was not measured."""
    return _stored(ORDER)


def read_pc() -> dict[str, Any] | None:
    """Read how long PC-stable takes; None if it was not measured."""
    return _stored(PC)


def read_class_search() -> dict[str, Any] | None:
    """Read what threads give, and how GES does on many columns; None if it was not measured."""
    return _stored(CLASS_SEARCH)


def read_all_targets() -> dict[str, Any] | None:
    """Read how long searches around every column take; None if it was not measured."""
    return _stored(ALL_TARGETS)


def read_feature_space() -> dict[str, Any] | None:
    """Read how fast machines are read; None if it was not measured."""
    return _stored(FEATURE_SPACE)


def _stored(path: Path) -> dict[str, Any] | None:
    if not path.exists():
        return None
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def main() -> None:
    """Write both pages, and draw the pictures."""
    _PICTURES["main"]()
    record = json.loads(RESULTS.read_text(encoding="utf-8"))
    others = (
        read_structure(),
        read_feature_space(),
        read_equivalence(),
        read_first_answer(),
        read_order(),
        read_pc(),
        read_class_search(),
        read_all_targets(),
    )
    text = page(record, read_peers(), *others)
    PAGE.write_text(text, encoding="utf-8")
    HOME.write_text(with_summary(HOME.read_text(encoding="utf-8"), record), encoding="utf-8")


if __name__ == "__main__":
    main()
