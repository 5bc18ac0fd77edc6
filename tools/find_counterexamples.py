"""Find the smallest graph on which a registered search differs from the truth.

Every DAG of few nodes is tried with the d-separation oracle as the test, fewest nodes and edges
first, each under a few orders of the names, because names break ties. Usage::

    .venv/bin/python tools/find_counterexamples.py mmpc --set symmetry=none
    .venv/bin/python tools/find_counterexamples.py pcmb --max-nodes 4
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from eiderdown.boundary import BOUNDARY_ALGORITHMS, PARENTS_CHILDREN_ALGORITHMS, TestProblem
from eiderdown.boundary.known_sets import KnownSets
from eiderdown.graphs import DAG
from eiderdown.independence import OracleTest

ALPHA = 0.01
LETTERS = "ABCDEFGH"


@dataclass(frozen=True)
class Counterexample:
    """A graph and a target for which a search is wrong."""

    dag: DAG
    target: str
    found: frozenset[str]
    truth: frozenset[str]

    def __str__(self) -> str:
        """Write the graph in the notation of ``DAG.from_string``."""
        edges = ", ".join(f"{tail}->{head}" for tail, head in self.dag.edges)
        found, truth = ("{" + ", ".join(sorted(s)) + "}" for s in (self.found, self.truth))
        return f'"{edges}", target {self.target}: found {found}, not {truth}'


def smallest_counterexample(
    algorithm: str, params: dict[str, Any], *, max_nodes: int, n_orders: int = 4
) -> Counterexample | None:
    """Return the first graph on which the search fails, or None.

    Parameters
    ----------
    algorithm : str
        Registered name.
    params : dict
        Options of the search's own.
    max_nodes : int
        Largest graphs to try; there are 64 with 4 nodes, 1,024 with 5 and 32,768 with 6.
    n_orders : int
        How many orders of the names to try.
    """
    for n_nodes in range(2, max_nodes + 1):
        for names in _orders(n_nodes, n_orders):
            for dag in _every_dag(names):
                wrong = _failure(algorithm, params, dag)
                if wrong is not None:
                    return wrong
    return None


def _every_dag(names: list[str]) -> Iterator[DAG]:
    """Every DAG in which edges go from earlier to later names: all of them, up to names."""
    pairs = list(combinations(names, 2))
    for n_edges in range(len(pairs) + 1):
        for edges in combinations(pairs, n_edges):
            yield DAG(sorted(names), edges)


def _orders(n_nodes: int, n_orders: int) -> Iterator[list[str]]:
    generator = np.random.default_rng(0)
    names = list(LETTERS[:n_nodes])
    yield names
    for _ in range(n_orders - 1):
        yield [names[i] for i in generator.permutation(n_nodes)]


def _failure(algorithm: str, params: dict[str, Any], dag: DAG) -> Counterexample | None:
    about_boundaries = algorithm in BOUNDARY_ALGORITHMS.names
    registry = BOUNDARY_ALGORITHMS if about_boundaries else PARENTS_CHILDREN_ALGORITHMS
    entry, oracle = registry[algorithm], OracleTest(dag)
    entry = entry.with_params(params)
    known = KnownSets()
    for target, name in enumerate(dag.nodes):
        others = np.delete(np.arange(dag.n_nodes), target)
        problem = TestProblem(oracle, target, others, ALPHA, dag.n_nodes, known=known)
        found = frozenset(dag.nodes[x] for x in entry.run(problem).members)
        truth = dag.markov_boundary(name) if about_boundaries else dag.parents_children(name)
        if found != truth:
            return Counterexample(dag, name, found, truth)
    return None


def _read(setting: str) -> tuple[str, Any]:
    """Read ``name=value``; the value is true, false, a number or a word."""
    name, _, text = setting.partition("=")
    if text in ("true", "false"):
        return name, text == "true"
    try:
        return name, float(text) if "." in text else int(text)
    except ValueError:
        return name, text


def main() -> None:
    """Search and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("algorithm")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", type=_read)
    parser.add_argument("--max-nodes", type=int, default=5)
    parser.add_argument("--orders", type=int, default=4, help="orders of the names to try")
    asked = parser.parse_args()
    params = dict(asked.set)
    wrong = smallest_counterexample(
        asked.algorithm, params, max_nodes=asked.max_nodes, n_orders=asked.orders
    )
    none = f"no counter-example among all graphs of up to {asked.max_nodes} nodes"
    sys.stdout.write(f"{asked.algorithm} {params or ''}: {wrong or none}\n")


if __name__ == "__main__":
    main()
