"""Runs of registered searches, with names instead of numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eiderdown.boundary import (
    BOUNDARY_ALGORITHMS,
    PARENTS_CHILDREN_ALGORITHMS,
    Found,
    TestProblem,
)
from eiderdown.boundary.known_sets import KnownSets
from eiderdown.graphs import random_dag
from eiderdown.independence import IndependenceBatch, IndependenceTest

DAG_A = "P->Q, T->Q, Q->S, P->R, R->S"
DAG_B = "P->Q, Q->T, T->S, R->S, P->R"


@dataclass(frozen=True)
class Answer:
    """What a search found, by name and by number."""

    members: set[str]
    parents_children: set[str] | None
    spouses: dict[str, str]
    found: Found
    names: tuple[str, ...]

    @property
    def separating_sets(self):
        """Every variable that was dropped, with the test that did it."""
        separated = {r.x: r for batch in self.found.separated for r in batch}
        dropped = {**separated, **self.found.removed}
        return {self.names[x]: r for x, r in dropped.items() if x not in self.found.members}


def registered(name):
    registry = (
        BOUNDARY_ALGORITHMS if name in BOUNDARY_ALGORITHMS.names else PARENTS_CHILDREN_ALGORITHMS
    )
    return registry[name]


def run(algorithm, test, target, *, params=None, without=(), required=(), seed=0, **search):
    """Run a registered search for a named target."""
    index = test.names.index
    out = {index(target), *map(index, without)}
    problem = TestProblem(
        test,
        index(target),
        np.array([i for i in range(test.n_variables) if i not in out]),
        required=tuple(map(index, required)),
        generator=np.random.default_rng(seed),
        **{"alpha": 0.01, **search},
    )
    found = registered(algorithm).with_params(params or {}).run(problem)
    names, near = test.names, found.parents_children
    return Answer(
        members={names[x] for x in found.members},
        parents_children=None if near is None else {names[x] for x in near},
        spouses={names[x]: names[child] for x, child in found.spouses.items()},
        found=found,
        names=names,
    )


def random_dags(sizes, seed):
    """Draw ``sizes[n]`` graphs of n nodes, from sparse to dense."""
    generator = np.random.default_rng(seed)
    for n_nodes, n_graphs in sizes.items():
        for _ in range(n_graphs):
            share = float(generator.uniform(0.15, 0.7))
            yield random_dag(n_nodes, edge_probability=share, random_state=generator)


def wrong_answers(algorithm, oracle, truth, params=None, known=None):
    """Search around every node of the oracle's graph; return where it differs from the truth."""
    dag = oracle.dag
    options = {"params": params, "max_given": dag.n_nodes}
    options["known"] = KnownSets() if known is None else known
    answers = {node: run(algorithm, oracle, node, **options).members for node in dag.nodes}
    return {node: found for node, found in answers.items() if found != truth(node)}


class Spy(IndependenceTest):
    """Passes questions on, one by one, and remembers every answer."""

    def __init__(self, inner):
        super().__init__(inner.names)
        self.inner = inner
        self.answers = []

    def _sweep(self, candidates, target, given) -> IndependenceBatch:
        batch = self.inner.sweep(candidates, target, given)
        self.answers += list(batch)
        return batch
