"""Questions to searches that test and score, with exact evidence or with data."""

from __future__ import annotations

from exact_scores import ExactScore

from eiderdown.graphs import DAG
from eiderdown.independence import CachedTest, GSquareTest, OracleTest
from eiderdown.scores import make_score
from eiderdown.structure.problem import StructureProblem


def exact_search(network, **more):
    names = network.dag.nodes
    return StructureProblem(
        len(names), OracleTest(network.dag), ExactScore(network), max_given=len(names), **more
    )


def sampled_search(data, score="bdeu", **more):
    return StructureProblem(
        data.n_columns, CachedTest(GSquareTest(data)), make_score(score, data), **more
    )


def graph_of(found, names):
    return DAG(names, [(names[p], names[c]) for p, c in found.directed])
