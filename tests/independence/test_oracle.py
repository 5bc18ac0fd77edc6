"""The oracle says exactly what d-separation says."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import pytest

from eiderdown.graphs import DAG, random_dag
from eiderdown.independence import Allows, OracleTest


@pytest.mark.parametrize("seed", range(12))
def test_the_oracle_answers_every_question_like_networkx(seed):
    dag = random_dag(6, edge_probability=0.4, random_state=seed)
    oracle, graph = OracleTest(dag), dag.to_networkx()
    for x, y in combinations(range(6), 2):
        others = [z for z in range(6) if z not in (x, y)]
        for size in range(5):
            for given in combinations(others, size):
                names = {dag.nodes[z] for z in given}
                separated = nx.is_d_separator(graph, {dag.nodes[x]}, {dag.nodes[y]}, names)
                answer = oracle.test(x, y, given)
                assert answer.independent(0.01) is separated
                assert answer.dependent(0.01) is not separated
                assert separated == dag.d_separated(dag.nodes[x], dag.nodes[y], names)


def test_the_oracle_is_symmetric_and_rests_on_no_rows():
    oracle = OracleTest(DAG.from_string("A->C, B->C, C->D"))
    a, b, d = (oracle.names.index(name) for name in "ABD")
    assert oracle.test(a, b, [d]).log_p == oracle.test(b, a, [d]).log_p
    assert oracle.test(a, b, [d]).n_used == 0
    assert oracle.test(a, b, [d]).allows == Allows.BOTH
