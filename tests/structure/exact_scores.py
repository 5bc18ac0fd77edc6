"""Scores for tests, of an exact distribution and of random numbers, and graphs near a graph."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np

from eiderdown.errors import GraphError
from eiderdown.graphs import DAG
from eiderdown.scores import LocalScore


class RandomScore(LocalScore):
    """A number for each family, which depends on names only, so the order of columns does not."""

    def __init__(self, names, seed=0, *, price=0.4):
        super().__init__(names)
        self.seed = seed
        self.price = price

    def _local(self, child, parents):
        spelled = "|".join([self.names[child], *sorted(self.names[p] for p in parents)])
        drawn = np.random.default_rng([self.seed, *map(ord, spelled)]).normal()
        return float(drawn) - self.price * len(parents)


class ExactScore(LocalScore):
    """BIC of as many rows as one likes, whose frequencies are exactly those of a network."""

    equivalent = True

    def __init__(self, network, n_rows=1_000_000):
        super().__init__(network.dag.nodes)
        self.n_rows = n_rows
        self.joint = network.marginal(*self.names)

    def _local(self, child, parents):
        categories = self.joint.shape
        n_free = (categories[child] - 1) * math.prod(categories[p] for p in parents)
        given = self._entropy({child, *parents}) - self._entropy(set(parents))
        return -self.n_rows * given - 0.5 * math.log(self.n_rows) * n_free

    def _entropy(self, columns):
        others = tuple(i for i in range(self.n_variables) if i not in columns)
        p = self.joint.sum(axis=others).ravel()
        return -float(np.sum(p[p > 0] * np.log(p[p > 0])))


def dag_of(score, parents):
    """The graph with these parents of each column, by name."""
    names = score.names
    pairs = [(names[p], names[c]) for c, family in enumerate(parents) for p in family]
    return DAG(names, pairs)


def graphs_near(dag):
    """Every DAG that is one addition, deletion or reversal away, by trying."""
    edges = set(dag.edges)
    for a, b in combinations(dag.nodes, 2):
        here = edges & {(a, b), (b, a)}
        for chosen in (set(), {(a, b)}, {(b, a)}):
            if chosen != here:
                try:
                    yield DAG(dag.nodes, (edges - here) | chosen)
                except GraphError:
                    continue


def every_dag(names):
    """All acyclic graphs over a few nodes."""
    pairs = list(combinations(names, 2))
    for choice in product(*([(), ((a, b),), ((b, a),)] for a, b in pairs)):
        try:
            yield DAG(names, [edge for edges in choice for edge in edges])
        except GraphError:
            continue
