"""What the searches cost as columns become more: the exclusive-or of two among independent ones."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from lantz2007_measures import LOOKAHEAD, PATIENT, PLAIN, SCORE, SKEWED

from eiderdown import Dataset, learn_network

SEARCHES = (PLAIN, SKEWED, PATIENT, LOOKAHEAD)
N_ROWS = 1_000
TABLE = "Cost: CPU seconds and whether the exclusive-or was found, by number of columns"
COLUMNS = (
    "columns",
    "CPU seconds plain",
    "skewed / plain",
    "patient / plain",
    "lookahead / plain",
    "lookahead / skewed",
    "found skewed",
    "found patient",
    "found lookahead",
)


def cost_row(n_columns: int, seeds: Sequence[int]) -> list[int | float | str]:
    """Measure the searches on tables with the exclusive-or of two columns."""
    seconds = dict.fromkeys(SEARCHES, 0.0)
    n_found = dict.fromkeys(SEARCHES, 0)
    for seed in seeds:
        data = _with_exclusive_or(n_columns, seed)
        for search in SEARCHES:
            taken, found = _timed(data, search, seed)
            seconds[search] += taken / len(seeds)
            n_found[search] += found
    ratios = [seconds[search] / seconds[PLAIN] for search in (SKEWED, PATIENT, LOOKAHEAD)]
    found_of = [f"{n_found[search]} of {len(seeds)}" for search in (SKEWED, PATIENT, LOOKAHEAD)]
    against_skewed = seconds[LOOKAHEAD] / seconds[SKEWED]
    return [n_columns, seconds[PLAIN], *ratios, against_skewed, *found_of]


def _with_exclusive_or(n_columns: int, seed: int) -> Dataset:
    rng = np.random.default_rng([2007, n_columns, seed])
    columns = {f"x{i:03d}": rng.integers(0, 2, N_ROWS) for i in range(n_columns - 1)}
    columns["y"] = columns["x000"] ^ columns["x001"]
    return Dataset.from_columns(columns, kinds=dict.fromkeys(columns, "discrete"))


def _timed(data: Dataset, search: str, seed: int) -> tuple[float, bool]:
    """Return the CPU seconds of the quicker of two runs, and whether they find both parents."""
    seconds = []
    for _ in range(2):
        started = time.process_time()
        learned = learn_network(
            data, algorithm=search, score=SCORE, random_state=seed, n_jobs=1, progress=False
        )
        seconds.append(time.process_time() - started)
    return min(seconds), set(learned.boundary("y")) == {"x000", "x001"}
