"""Tests of independence whose answers are written down by hand."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from eiderdown.independence import Allows, IndependenceBatch, IndependenceTest

UNDECIDED = None


class WrittenTest(IndependenceTest):
    """Looks answers up in ``{(x, given): log_p}``.

    ``UNDECIDED`` as the answer makes a test with insufficient data, with a tempting log p.
    """

    def __init__(self, names, answers, *, tempting=-50.0):
        super().__init__(names)
        self.answers = answers
        self.tempting = tempting
        self.asked = []

    def _sweep(self, candidates, target, given):
        names = frozenset(self.names[z] for z in given)
        self.asked.append(names)
        written = [self.answers[self.names[x], names] for x in candidates]
        log_p = np.array([self.tempting if p is UNDECIDED else p for p in written], dtype=float)
        return IndependenceBatch.of_sweep(
            candidates,
            target,
            given,
            statistic=-log_p,
            dof=1.0,
            log_p=log_p,
            n_used=100,
            effect=-log_p,
            allows=[Allows.NOTHING if p is UNDECIDED else Allows.BOTH for p in written],
        )


def answers(**written):
    """Write ``x_given_ab=-9`` for a test of x given a and b, and ``x=-9`` for one given nothing.

    Whatever is not written is independent.
    """
    table = defaultdict(float)
    for key, log_p in written.items():
        x, _, given = key.partition("_given_")
        table[x, frozenset(given)] = log_p
    return table
