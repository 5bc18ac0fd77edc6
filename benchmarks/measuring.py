"""What benchmarks share: medians of times, where real data is, and the record of a run."""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import eiderdown

RESULTS = Path(__file__).parent / "results"
DATA = Path(os.environ.get("EIDERDOWN_DATA", Path(__file__).parents[2] / "shared" / "data"))


def median_seconds(work: Callable[[], Any], repeats: int = 7) -> float:
    """Do it once to warm up, then time it several times."""
    work()
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def thrombin_parts() -> Any | None:
    """Load Thrombin, or say that it is not there."""
    path = DATA / "real" / "thrombin_train.npz"
    if not path.exists():
        print(f"  Thrombin left out: {path} is not there (set EIDERDOWN_DATA to its folder).")
        return None
    return np.load(path)


def write_record(name: str, measured: dict[str, Any]) -> None:
    """Save what was measured, and on what."""
    RESULTS.mkdir(exist_ok=True)
    record = {
        "eiderdown": eiderdown.__version__,
        "python": sys.version.split()[0],
        "machine": platform.processor() or platform.machine(),
        **measured,
    }
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(record, indent=2) + "\n")
    print(f"Written to {path}")
