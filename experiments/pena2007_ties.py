"""Sections 4.1 and 5.1 of Pena et al. (2007) on Thrombin: ties at random, and what is a boundary.

Run with ``make experiment-ties``; ``--quick`` makes few runs and saves nothing. Each algorithm is
run 114 times, as in the paper, with ties broken at random, or as often as its minutes allow: how
often is in the table. The sets of s. 5.1 are checked, by the default test, as they are printed.
"""

from __future__ import annotations

import time
from collections import Counter

from harness import Cell, Record, Table, quick_wanted, recording, say, verdict
from pena2007_thrombin import ALPHA, FRACTION, N_RUNS, PAPER, SEED, TARGET, thrombin

from eiderdown import Boundaries, Dataset, Evidence, check_boundary, find_boundaries
from eiderdown.boundary import BOUNDARY_ALGORITHMS
from eiderdown.independence import G_SQUARE

MINUTES = {"iamb": 6, "kiamb": 6, "pcmb": 1, "kpcmb": 1}
"""At most, by algorithm; what is done by then is counted."""

TESTS = {"G2": G_SQUARE(reliability="rows_per_dof"), "calibrated X2": "auto"}
"""The paper's test with its rule of five rows per degree of freedom, and the default."""

RANDOM = ("kiamb", "kpcmb")
SETS = (  # as the paper numbers them, from 1, with what it says still depends; None for a boundary
    ((3392, 79651, 135817), 46937),
    ((3392, 46937, 79651, 135817), 63916),
    ((3392, 46937, 63916, 79651, 135817), 138924),
    ((3392, 46937, 63916, 79651, 135817, 138924), None),
)
SIZES = {"iamb": (6, 6), "pcmb": (2, 4), "kiamb": (4, 7)}
"""Sizes of the boundaries that the paper prints: of PCMB 3 +- 1 is a mean with its deviation."""

RUNS_NOTE = (
    "Many columns of Thrombin are exact copies of others, and many more tie with them given what "
    "is in already. With ties broken at random, as in the paper, the runs of IAMB differ. 'As "
    "many': at least as many different boundaries as published, of 114 runs. 'As large': all "
    "within the published sizes (of PCMB 3 +- 1 is a mean with its deviation). PCMB does not end "
    "within its minute, nor did PCMB or KPCMB within ten by calibrated X2: what is a copy of a "
    "member leaves nothing to test, stays, and is searched around in its turn."
)
SETS_NOTE = (
    "The numbers are the paper's, which count from 1. 'Still depend' counts all columns on which "
    "the activity depends given the set, at alpha .0001; the paper names one of them, and it is "
    "found if it is among them. Beside it: how many of the others have the same statistic or a "
    "larger one."
)


def main() -> None:
    """Run the experiment."""
    quick = quick_wanted(__doc__)
    record = Record(
        name="pena2007_ties",
        title="Thrombin again: ties broken at random, and which sets are boundaries",
        paper="Pena, Nilsson, Bjorkegren & Tegner 2007, s. 4.1 and 5.1",
        params={"seed": SEED, "runs": N_RUNS, "K": FRACTION, "alpha": ALPHA, "minutes": MINUTES},
        notes=[RUNS_NOTE, SETS_NOTE],
    )
    with recording(record, quick=quick):
        data = thrombin().data
        check_sets(record, data)
        table = record.table(
            "Runs with ties broken at random",
            (
                "algorithm",
                "test",
                "runs",
                "boundaries",
                "(paper, 114 runs)",
                "as many",
                "sizes",
                "(paper)",
                "as large",
                "most frequent, runs",
                "seconds",
            ),
        )
        for algorithm in MINUTES:
            for test in TESTS:
                repeat(table, data, algorithm, test, 3 if quick else N_RUNS)


def check_sets(record: Record, data: Dataset) -> None:
    """Ask of each set of s. 5.1 whether it is a boundary."""
    table = record.table(
        "Is it a boundary? The sets of s. 5.1",
        ("set", "paper says it lacks", "still depend", "its rank among them", "paper's answer"),
    )
    for numbers, lacking in SETS:
        say(f"checking {numbers}")
        names = [f"x{number - 1}" for number in numbers]
        found = check_boundary(
            data, TARGET, members=names, alpha=ALPHA["kiamb"], progress=False, time_limit=60.0
        )
        lacks = None if lacking is None else f"x{lacking - 1}"
        agrees = lacks in found.dependent if lacks else not found.dependent
        rank = _rank(found.evidence, lacks) if lacks else None
        table.rows.append(
            (
                ", ".join(map(str, numbers)),
                "nothing" if lacking is None else str(lacking),
                len(found.dependent),
                rank,
                verdict(agrees),
            )
        )


def _rank(evidence: tuple[Evidence, ...], name: str) -> str:
    """Say how many columns depend more, or as much."""
    outside = [item for item in evidence if item.decision == "not_admitted"]
    mine = next((item for item in outside if item.variable == name), None)
    if mine is None:
        return f"behind the first {len(outside)}"
    before = sum(item.log_p < mine.log_p for item in outside)
    tied = sum(item.log_p == mine.log_p for item in outside) - 1
    return f"{before} before it, {tied} or more tie" if tied else f"{before} before it"


def repeat(table: Table, data: Dataset, algorithm: str, test: str, n_runs: int) -> None:
    """Run one algorithm again and again by one test, and write its row."""
    minutes = MINUTES[algorithm]
    say(f"{algorithm}, {test}: {n_runs} runs, at most {minutes} minutes")
    search = BOUNDARY_ALGORITHMS[algorithm]
    if algorithm in RANDOM:
        search = search.with_params({"fraction": FRACTION})
    started = time.perf_counter()
    found = find_boundaries(
        data,
        TARGET,
        algorithm=search,
        runs=n_runs,
        alpha=ALPHA[algorithm],
        test=TESTS[test],
        ties="random",
        cv=None,
        random_state=SEED,
        time_limit=60.0 * minutes,
        progress=False,
        n_jobs=1,
    )
    seconds = time.perf_counter() - started
    table.rows.append((algorithm, test, found.n_runs, *_row(algorithm, found, n_runs), seconds))


def _row(algorithm: str, found: Boundaries, n_wanted: int) -> tuple[Cell, ...]:
    """Compare the boundaries of some runs with the published ones."""
    published, published_sizes = PAPER[algorithm][:2]
    if not found.n_runs:
        return None, published, "did not end", None, published_sizes, None, None
    sizes: Counter[int] = Counter()
    for item in found:
        sizes[len(item.members)] += item.n_runs
    as_many = verdict(len(found) >= published) if published else None
    as_large = None
    if algorithm in SIZES:
        least, most = SIZES[algorithm]
        as_large = verdict(least <= min(sizes) and max(sizes) <= most)
    return (
        len(found),
        published,
        as_many if found.n_runs == n_wanted else "not all runs",
        ", ".join(f"{size} in {n} runs" for size, n in sorted(sizes.items())),
        published_sizes,
        as_large,
        max(item.n_runs for item in found),
    )


if __name__ == "__main__":
    main()
