"""One cell of ``brown2009_manipulation.py``: all targets of a network, learned from one table.

``find_causes`` searches graphs of resampled rows. Where all columns take part, they are the same
for all targets of a table, so they are searched once (``sharing_searches``).
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from brown2009_manipulation_measures import RELATIONS, EqualModel, relation
from brown2009_manipulation_networks import Study
from brown2009_manipulation_strategies import STRATEGIES, Strategies, y_test_counts

from eiderdown.api import causes
from eiderdown.confidence.resamples import learn_resampled
from eiderdown.data import Dataset
from eiderdown.errors import EiderdownWarning
from eiderdown.graphs import PDAG
from eiderdown.manipulation import confounded
from eiderdown.results import Orientation

TESTS = (0, 1, 2)
RESAMPLES = 10


def cell(study: Study, n_rows: int) -> list[dict[str, Any]]:
    """Return what was measured for each target."""
    warnings.simplefilter("ignore", EiderdownWarning)  # in a process of its own
    train = study.train(n_rows)
    with sharing_searches():
        return [measured(study, train, target) for target in study.targets]


@contextmanager
def sharing_searches() -> Iterator[None]:
    """Let ``find_causes`` search the graphs of the same columns once, from fewer resamples."""
    known: dict[tuple[str, ...], tuple[list[PDAG], Any]] = {}

    def shared(learn: Any, data: Dataset, *, gather: Callable[[PDAG], None], **options: Any) -> Any:
        columns = tuple(sorted(data.names))
        if columns not in known:
            graphs: list[PDAG] = []
            options["n_resamples"] = RESAMPLES
            known[columns] = graphs, learn_resampled(learn, data, gather=graphs.append, **options)
        graphs, resampled = known[columns]
        for graph in graphs:
            gather(graph)
        return resampled

    with mock.patch.object(causes, "learn_resampled", shared):
        yield


def measured(study: Study, train: Dataset, target: str) -> dict[str, Any]:
    """Let all strategies choose columns for one target, and measure them in the three tests."""
    started = time.perf_counter()
    strategies, model = Strategies(study, train, target), EqualModel(train, target)
    scores: dict[str, dict[str, float]] = {}
    chosen: dict[str, dict[str, list[int]]] = {}
    for test in TESTS:
        rows, manipulated = study.test(target, test), study.manipulated(target, test)
        scores[str(test)], chosen[str(test)] = {}, {}
        for strategy in STRATEGIES:
            columns = strategies.columns(strategy, manipulated)
            scores[str(test)][strategy] = model.score(columns, rows)
            related = [relation(study.dag, column, target) for column in columns]
            chosen[str(test)][strategy] = [related.count(kind) for kind in RELATIONS]
    return {
        "target": target,
        "has parents": bool(study.dag.parents(target)),
        "scores": scores,
        "chosen": chosen,
        "roles": roles(study, strategies.orientation),
        "seconds": round(time.perf_counter() - started, 2),
    }


def roles(study: Study, found: Orientation) -> dict[str, int]:
    """Count causes, effects and Y-tests that were found, those that are right, and the truth."""
    dag, target = study.dag, found.target
    seen = set(study.observed(target))
    causes, effects = dag.parents(target) & seen, dag.children(target) & seen
    near = [role.name for role in found.neighbours]
    edges = {
        (c, d)
        for c, d in [(x, target) for x in near] + [(target, x) for x in near]
        if c in dag.ancestors(d) and not confounded(dag, c, d, study.hidden)
    }
    tests = y_test_counts(study, found, edges)
    return {
        "causes found": len(found.causes),
        "causes right": len(set(found.causes) & dag.ancestors(target)),
        "causes": len(causes),
        "causes found of them": len(set(found.causes) & causes),
        "effects found": len(found.effects),
        "effects right": len(set(found.effects) & dag.descendants(target)),
        "effects": len(effects),
        "effects found of them": len(set(found.effects) & effects),
        "undecided": len(found.undecided),
        **{f"Y-tests {name}": number for name, number in tests.items()},
    }
