"""The d-separation oracle: a known DAG behind the interface of a test.

It makes no mistakes, so a search that is correct in theory must return exactly the truth.
"""

from __future__ import annotations

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.graphs import DAG
from eiderdown.graphs.separation import reachable
from eiderdown.independence.base import IndependenceTest
from eiderdown.independence.batch import IndependenceBatch

LOG_P_OF_DEPENDENCE = -1e6
"""Any finite number below the logarithm of every sensible alpha."""


class OracleTest(IndependenceTest):
    """Answers from the graph: dependent means d-connected.

    Parameters
    ----------
    dag : DAG
        The graph; variable i is node i.

    Examples
    --------
    >>> oracle = OracleTest(DAG.from_string("A->C, B->C"))
    >>> a, b, c = (oracle.names.index(name) for name in "ABC")
    >>> oracle.test(a, b).dependent(0.01), oracle.test(a, b, given=[c]).dependent(0.01)
    (False, True)
    """

    def __init__(self, dag: DAG) -> None:
        super().__init__(dag.nodes)
        self.dag = dag

    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        connected = reachable(self.dag.parent_indices, self.dag.child_indices, target, given)
        strength = connected[candidates].astype(np.float64)
        return IndependenceBatch.of_sweep(
            candidates,
            target,
            given,
            statistic=strength,
            dof=1.0,
            log_p=strength * LOG_P_OF_DEPENDENCE,
            effect=strength,
        )
