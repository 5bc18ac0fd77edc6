"""Searches for patterns with names instead of numbers, and tests whose answers are written down."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from eiderdown.graphs import PDAG, random_dag
from eiderdown.independence import Allows, CachedTest, IndependenceBatch, IndependenceTest
from eiderdown.structure.problem import StructureProblem

ORIENTATIONS = ("standard", "majority", "conservative")


@st.composite
def random_dags(draw, min_nodes=2, max_nodes=8):
    """DAGs from sparse to dense."""
    return random_dag(
        draw(st.integers(min_nodes, max_nodes)),
        edge_probability=draw(st.floats(0.1, 0.8)),
        random_state=draw(st.integers(0, 2**32 - 1)),
    )


def asked(test, *, known=None, target=None, **options):
    """Make the question about all variables of a test; what is known speaks of names."""
    return StructureProblem(
        test.n_variables,
        test=CachedTest(test),
        knowledge=None if known is None else known.of_columns(test.names),
        target=None if target is None else test.names.index(target),
        **options,
    )


def named(found, names):
    """Return what was found as a graph with names."""
    return PDAG(
        [names[x] for x in found.nodes],
        directed=[(names[x], names[y]) for x, y in found.directed],
        undirected=[(names[x], names[y]) for x, y in found.undirected],
    )


class WrittenTest(IndependenceTest):
    """Answers what is written down: log p by pair and set; otherwise strong dependence.

    ``written`` has lines such as ``"a b | c d": -0.5``; None stands for a test that the data cannot
    carry.
    """

    def __init__(self, names, written):
        super().__init__(names)
        self.written = {}
        for line, log_p in written.items():
            pair, _, given = line.partition("|")
            self.written[frozenset(pair.split()), frozenset(given.split())] = log_p

    def _sweep(self, candidates, target, given):
        conditions = frozenset(self.names[z] for z in given)
        pairs = [frozenset((self.names[x], self.names[target])) for x in candidates]
        answers = [self.written.get((pair, conditions), -50.0) for pair in pairs]
        log_p = np.array([-1.0 if answer is None else answer for answer in answers], dtype=float)
        return IndependenceBatch.of_sweep(
            candidates,
            target,
            given,
            statistic=-log_p,
            dof=1.0,
            log_p=log_p,
            n_used=100,
            effect=-log_p,
            allows=[Allows.BOTH if answer is not None else Allows.NOTHING for answer in answers],
        )
