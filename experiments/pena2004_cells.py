"""Many runs of KES on samples of a table, after Pena, Kocka & Nielsen (2004)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
from harness import ROOT, Record, say
from kept_cells import KeptCells
from pena2004_measures import GROUPS, Means, Outcome

from eiderdown import DAG, Dataset, measure_confidence
from eiderdown.results.graph_features import GraphFeature

SEED = 2004
K = 0.8
OTHER_K = (0.4, 0.7, 0.9)
N_RUNS = 1_000
N_SAMPLES = 5
KEPT = ROOT / "experiments" / ".kept"


class Cells:
    """Runs of KES on tables, each table searched once, also if the experiment is stopped between.

    Parameters
    ----------
    record
        The experiment; its name and its params tell which cells are its own.
    n_runs
        Runs on each table.
    quick
        Whether nothing is to be kept.
    """

    def __init__(self, record: Record, n_runs: int, *, quick: bool) -> None:
        folder = None if quick else KEPT / record.name
        self._kept = KeptCells(folder, {**record.params, "runs": n_runs})
        self._n_runs = n_runs
        if len(self._kept):
            say(
                f"{len(self._kept)} tables of a stopped run are taken from {folder}; "
                "delete it to start afresh."
            )

    def outcome(
        self, name: str, data: Dataset, *, k: float, truth: DAG | None = None, **options: Any
    ) -> Outcome:
        """Search one table, unless that is done; by BIC, if the options do not say otherwise."""

        def make() -> dict[str, Any]:
            say(f"{name}: {data.n_rows:,} rows, k = {k:g}")
            return searched(data, k=k, n_runs=self._n_runs, truth=truth, **options)

        return Outcome(**self._kept.get(f"{name}, k {k:g}", make))

    def of_share(
        self, name: str, data: Dataset, share: int, n_samples: int, *, truth: DAG | None = None
    ) -> Means:
        """Search some samples of so many per cent of a table's rows."""
        samples = enumerate(random_rows(data, share, n_samples))
        return Means(
            [
                self.outcome(f"{name} {share} % {i}", sample, k=K, truth=truth)
                for i, sample in samples
            ]
        )

    def clear(self) -> None:
        """Forget what was kept; the experiment is done."""
        self._kept.clear()


def searched(
    data: Dataset, *, k: float, n_runs: int, truth: DAG | None = None, **options: Any
) -> dict[str, Any]:
    """Run KES on one table; return an Outcome as a mapping, to be kept."""
    started = time.perf_counter()
    found = measure_confidence(
        data, **{"runs": n_runs, "k": k, "score": "bic", "random_state": SEED, **options}
    )
    seconds = time.perf_counter() - started
    judged = found if truth is None else found.against(truth)
    errors = {
        group: [
            (at.true_positives, at.false_positives, at.false_negatives)
            for at in judged.curve(group)
        ]
        for group in GROUPS
    }
    model_errors = {
        group: differences(found.of_group(group), judged.of_group(group)) for group in GROUPS
    }
    edges = [(str(edge), edge.confidence, edge.in_model) for edge in judged.of_group("edges")]
    outcome = Outcome(
        n_rows=data.n_rows,
        n_runs=found.n_runs,
        n_optima=found.n_distinct,
        seconds=seconds,
        errors=errors,
        edges=edges,
        model_score=found.models[0].score,
        model_errors=model_errors,
    )
    return asdict(outcome)


def differences(found: Iterable[GraphFeature], true: Iterable[GraphFeature]) -> tuple[int, int]:
    """Count what only the first model has, and what only the second has."""
    first, second = (
        {(feature.kind, feature.left, feature.right) for feature in features if feature.in_model}
        for features in (found, true)
    )
    return len(first - second), len(second - first)


def random_rows(data: Dataset, share: int, n_samples: int) -> Iterator[Dataset]:
    """Draw samples of so many per cent of the rows; of all of them there is but one."""
    if share == 100:
        yield data
        return
    n_rows = round(data.n_rows * share / 100)
    for i in range(n_samples):
        generator = np.random.default_rng([SEED, share, i])
        yield data.take(np.sort(generator.choice(data.n_rows, n_rows, replace=False)))
