"""An oracle that hides some nodes of a graph, and what marks must mean there."""

from __future__ import annotations

import numpy as np

from eiderdown.independence import OracleTest


class HidingOracle(OracleTest):
    """Answers from a graph of which some nodes are not among the variables."""

    def __init__(self, dag, hidden):
        super().__init__(dag)
        seen = [node for node in dag.nodes if node not in hidden]
        self.whole = OracleTest(dag)
        self.place = np.array([dag.nodes.index(node) for node in seen], dtype=np.int64)
        super(OracleTest, self).__init__(seen)

    def _sweep(self, candidates, target, given):
        asked = (self.place[candidates], int(self.place[target]), tuple(self.place[list(given)]))
        found = self.whole._sweep(asked[0], asked[1], tuple(int(z) for z in asked[2]))
        return type(found).of_sweep(
            candidates,
            target,
            given,
            statistic=found.statistic,
            dof=1.0,
            log_p=found.log_p,
            effect=found.effect,
        )


def causes(dag):
    """Which nodes have a directed path to each."""
    return {node: dag.ancestors(node) - {node} for node in dag.nodes}
