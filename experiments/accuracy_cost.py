"""What one question costs, for ``accuracy.py``: the default's CPU seconds beside IAMB's.

Each call of ``find_boundary`` is one of its own, as a user's is: nothing is shared between targets.
On Thrombin (139,351 columns, one target; left out if it is not at hand) the table is read before.
"""

from __future__ import annotations

import time
from functools import partial
from statistics import fmean
from typing import Any

import numpy as np
from accuracy_cells import COLUMNS
from accuracy_searches import DEFAULT
from accuracy_tables import SEEDS, Part, sample
from harness import DATA
from kept_cells import KeptCells
from scipy.sparse import csr_array

from eiderdown import find_boundary
from eiderdown.data import Dataset

N_ROWS = 5_000
N_TARGETS = 10
LIMIT = 120.0
"""Seconds of the clock after which a call is stopped: it takes at least as long as is said."""

NETWORKS = ("alarm", "pigs")
THROMBIN, TARGET = "thrombin", "activity"
THROMBIN_FILE = DATA / "real" / "thrombin_train.npz"
CALLS: dict[str, dict[str, Any]] = {"iamb": {"algorithm": "iamb"}, DEFAULT: {}}


def cost_lines(part: Part, kept: KeptCells, *, quick: bool) -> list[str]:
    """Return the lines on cost, read or measured."""
    lines = []
    at_hand = (*NETWORKS, THROMBIN) if THROMBIN_FILE.exists() else NETWORKS
    for network in NETWORKS[:1] if quick else at_hand:
        cell = kept.get(f"cost_{network}", partial(_measured, part, network))
        for name, (n_rows, seconds) in cell.items():
            blanks = [""] * (len(COLUMNS) - 7)
            place = [part, network, str(SEEDS[part][0]), str(n_rows), "cost", name]
            lines.append(",".join([*place, *blanks, f"{seconds:.4g}"]))
    return lines


def _measured(part: Part, network: str) -> dict[str, tuple[int, float]]:
    """Ask about some targets, with each search in turn, after one call that compiles."""
    data, targets = _table(part, network)
    found: dict[str, tuple[int, float]] = {}
    for name, options in CALLS.items():
        _seconds(data, targets[0], options)
        seconds = [_seconds(data, target, options) for target in targets]
        found[name] = data.n_rows, fmean(seconds)
    return found


def _seconds(data: Dataset, target: str, options: dict[str, Any]) -> float:
    started = time.process_time()
    find_boundary(data, target, progress=False, n_jobs=1, time_limit=LIMIT, **options)
    return time.process_time() - started


def _table(part: Part, network: str) -> tuple[Dataset, list[str]]:
    if network != THROMBIN:
        one = sample(network, SEEDS[part][0], N_ROWS)
        return one.data, list(one.targets[:: max(1, len(one.targets) // N_TARGETS)])
    stored = np.load(THROMBIN_FILE)
    n_rows, n_columns = (int(n) for n in stored["shape"])
    ones = np.ones(len(stored["indices"]), np.uint8)
    matrix = csr_array((ones, stored["indices"], stored["indptr"]), shape=(n_rows, n_columns))
    return Dataset.from_sparse(matrix, extra={TARGET: stored["y"]}), [TARGET]
