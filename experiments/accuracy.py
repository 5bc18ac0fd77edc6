"""How near boundaries, parents and children, and graphs come to the truth, at any number of rows.

Run with ``make experiment-accuracy MINUTES=30``, which judges; ``--part development`` is for those
who build searches, who may look at those tables only. Every search of the library, and other
libraries where they are installed, meet the same tables (``accuracy_tables.py``). Finished cells
are kept in ``experiments/.kept`` and not made again unless the library's sources have changed. The
record keeps what it has of the other part. ``tools/render_accuracy.py`` writes docs/accuracy.md.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from accuracy_cells import (
    COLUMNS,
    LEAST_SECONDS,
    Batch,
    Limits,
    all_searches,
    batches,
    code_digest,
    kept_cells,
    missing_peers,
    run_batch,
)
from accuracy_cost import cost_lines
from accuracy_report import AccuracyRecord, fill
from accuracy_searches import VERBS, default_of
from accuracy_tables import ROWS, SEEN_BEFORE, Part
from harness import recording, say
from joblib import Parallel, delayed
from kept_cells import KeptCells

NAME = "accuracy"
ALPHA = 0.01
LIMIT, PEER_LIMIT = 60.0, 20.0

NOTES = [
    "Development tables were looked at while searches were built; seeds 0 to 9. Judging takes "
    "seeds from 9100 on, and networks that nothing was tuned on.",
    f"Not all of these are quite new: {', '.join(SEEN_BEFORE)} were judged by an earlier session "
    "with seed 7000, whose code is lost but whose summary was read, and the issue that asked for "
    "this has numbers of hepar2, andes, water and mildew. The other networks had not been "
    "judged before.",
    "Targets are columns that vary in the sample; true members that do not vary stay in the truth. "
    "All of a network's columns are targets up to 100, else 60 drawn by the seed, or 20 where "
    "searches are slow.",
    "An empty answer is right (F1 1) where the true set is empty, and has F1 0 elsewhere. "
    "Distance is sqrt((1 - precision)^2 + (1 - recall)^2). An edge of a CPDAG is right if the true "
    "one has it with the same mark.",
    "Our seconds are CPU seconds on one thread with kernels compiled before; targets of a table "
    "share tests, and a graph's time is divided by the targets. Peers' seconds are those of the "
    "clock.",
]


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--part", choices=("development", "judging"), default="development")
    parser.add_argument("--develop", dest="part", action="store_const", const="development")
    parser.add_argument("--judge", dest="part", action="store_const", const="judging")
    parser.add_argument("--minutes", type=float, default=1e6, help="after these no cell is begun")
    parser.add_argument("--only", help="networks, with commas; the record is not saved")
    parser.add_argument("--searches", help="searches, with commas; likewise")
    parser.add_argument("--rows", help="numbers of rows, with commas")
    parser.add_argument("--seeds", help="seeds, with commas")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument(
        "--limit",
        type=float,
        default=LIMIT,
        help="seconds for each cell of ours; one that was stopped stays so",
    )
    parser.add_argument("--peer-limit", type=float, default=PEER_LIMIT, help="and of a peer")
    parser.add_argument("--no-peers", action="store_true", help="Eiderdown alone")
    parser.add_argument("--quick", action="store_true", help="Asia, 200 rows; nothing is saved")
    return parser.parse_args()


def plan(given: argparse.Namespace) -> list[Batch]:
    """List what is to be measured, the most important first."""
    searches = all_searches()
    if given.no_peers or given.quick:
        searches = [search for search in searches if not search.key.startswith("peer ")]
    if given.searches:
        searches = [s for s in searches if s.name in given.searches.split(",")]
    return batches(
        given.part,
        searches,
        networks=["asia"] if given.quick else _listed(given.only),
        rows=[200] if given.quick else [int(n) for n in _listed(given.rows) or ROWS],
        seeds=[0] if given.quick else [int(s) for s in _listed(given.seeds) or ()] or None,
    )


def is_look(given: argparse.Namespace) -> bool:
    """Whether some networks or searches are looked at: printed, and not saved in the record."""
    return bool(given.only or given.searches)


def _listed(text: str | None) -> list[str] | None:
    return text.split(",") if text else None


def measure(
    todo: Sequence[Batch], ours: KeptCells, theirs: KeptCells, limits: Limits, n_jobs: int
) -> Iterator[list[str]]:
    """Yield the lines of each batch; after the deadline those of kept cells."""
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch=n_jobs)
    tasks = (delayed(run_batch)(batch, ours, theirs, limits) for batch in todo)
    yield from parallel(tasks)


def main() -> None:
    """Run the experiment."""
    given = options()
    part: Part = given.part
    ours, theirs = kept_cells(part, ALPHA, quick=given.quick)
    limits = Limits(given.limit, given.peer_limit, time.time() + 60 * given.minutes)
    record = AccuracyRecord(
        name=NAME,
        title="Accuracy of boundaries, parents and children, and graphs",
        paper="Eiderdown's own protocol",
        params={"alpha": ALPHA, "rows": ROWS},
        notes=[*NOTES, _said_of_peers()],
        line_columns=COLUMNS,
    )
    if not given.quick:
        record.keep_other_part(part)
    with recording(record, quick=given.quick or is_look(given)):
        _run(record, given, plan(given), (ours, theirs), limits)


def _run(
    record: AccuracyRecord,
    given: argparse.Namespace,
    todo: Sequence[Batch],
    kept: tuple[KeptCells, KeptCells],
    limits: Limits,
) -> None:
    """Measure, and fill the tables with what there is, whatever stops the run."""
    found: list[str] = []
    started, done = time.time(), 0
    try:
        if not is_look(given):
            found += cost_lines(given.part, kept[0], quick=given.quick)
        for lines in measure(todo, *kept, limits, given.jobs):
            found += lines
            done += 1
            if done % 20 == 0:
                say(f"{done} of {len(todo)} batches, {(time.time() - started) / 60:.1f} minutes")
    finally:
        over = replace(limits, deadline=0.0)  # cells of batches that were not finished
        kept_lines = [line for batch in todo for line in run_batch(batch, *kept, over)]
        record.lines = sorted({*record.lines, *found, *kept_lines})
        in_time = time.time() < limits.deadline - LEAST_SECONDS
        some = is_look(given) or given.no_peers or bool(given.rows) or bool(given.seeds)
        record.complete = done == len(todo) and in_time and not some
        record.parts[given.part] = {
            "minutes of the last run": round((time.time() - started) / 60, 1),
            "all of it": record.complete,
            "defaults": {question: str(default_of(question)) for question in VERBS},
            "code": code_digest(),
        }
        fill(record)


def _said_of_peers() -> str:
    missing = missing_peers()
    if not missing:
        return "All peers were installed."
    return f"Peers that were not installed, and so not measured: {', '.join(missing)}."


if __name__ == "__main__":
    main()
