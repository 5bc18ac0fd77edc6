"""An oracle for small graphs that looks every answer up: searches over subsets take one step."""

from __future__ import annotations

import numpy as np

from eiderdown.graphs.separation import reachable
from eiderdown.independence import Allows, IndependenceBatch, OracleTest
from eiderdown.independence.batch import ALLOWS, DOF, EFFECT, LOG_P, N_VALUES, STATISTIC
from eiderdown.independence.oracle import LOG_P_OF_DEPENDENCE


class TableOracle(OracleTest):
    """Answers as OracleTest does; ``test_parents_children.py`` compares the two."""

    def __init__(self, dag):
        super().__init__(dag)
        n = dag.n_nodes
        self.connected = np.zeros((n, n, 1 << n), dtype=bool)
        for mask in range(1 << n):
            given = [z for z in range(n) if mask >> z & 1]
            for target in set(range(n)) - set(given):
                row = reachable(dag.parent_indices, dag.child_indices, target, given)
                self.connected[:, target, mask] = row

    def _batch(self, xs, target, given, connected):
        strength = connected.astype(float)
        values = np.zeros((len(xs), N_VALUES))
        values[:, [STATISTIC, EFFECT]] = strength[:, None]
        values[:, DOF] = 1.0
        values[:, ALLOWS] = Allows.BOTH
        values[:, LOG_P] = strength * LOG_P_OF_DEPENDENCE
        return IndependenceBatch(xs, np.full(len(xs), target), given, values)

    def _sweep(self, candidates, target, given):
        mask = sum(1 << z for z in given)
        connected = self.connected[candidates, target, mask]
        return self._batch(candidates, target, (given,) * len(candidates), connected)

    def max_p_over_subsets(self, candidates, target, pool, *, alpha, max_given, always=()):
        xs = np.ascontiguousarray(candidates, dtype=np.int64)
        self._check_subsets(xs, target, pool, max_given, always)
        subsets = self._subset_rows(pool, max_given, tuple(always))
        masks = np.where(subsets >= 0, 1 << np.maximum(subsets, 0), 0).sum(axis=1)
        allowed = (masks >> xs[:, None] & 1) == 0
        separating = allowed & ~self.connected[xs, target][:, masks]
        connected = ~separating.any(axis=1)
        chosen = np.where(connected, allowed.argmax(axis=1), separating.argmax(axis=1))
        given = [tuple(z for z in subsets[i].tolist() if z >= 0) for i in chosen]
        return self._batch(xs, target, given, connected)
