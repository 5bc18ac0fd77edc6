"""The exam for an oracle: answers that are those of a graph."""

from __future__ import annotations

from itertools import combinations

from eiderdown.graphs import DAG
from eiderdown.independence import IndependenceTest
from eiderdown.testing.samples import require


def check_oracle_like(
    test: IndependenceTest, dag: DAG, *, alpha: float = 0.01, max_given: int = 3
) -> None:
    """Check that a test answers every small question as d-separation in a graph does.

    Parameters
    ----------
    test : IndependenceTest
        The test; its variables are the nodes of the graph, in any order.
    dag : DAG
        The truth.
    alpha : float, default=0.01
        Level of the decisions.
    max_given : int, default=3
        Largest conditioning set that is asked about.

    Raises
    ------
    AssertionError
        With a sentence that names the first wrong answer.

    Examples
    --------
    >>> from eiderdown.independence import OracleTest
    >>> dag = DAG.from_string("A->C, B->C, C->D")
    >>> check_oracle_like(OracleTest(dag), dag)
    """
    require(
        sorted(test.names) == sorted(dag.nodes),
        f"The variables of the test must be the nodes of the graph, not {test.names}.",
    )
    index = {name: i for i, name in enumerate(test.names)}
    for x, y in combinations(dag.nodes, 2):
        others = [z for z in dag.nodes if z not in (x, y)]
        for size in range(min(max_given, len(others)) + 1):
            for given in combinations(others, size):
                answer = test.test(index[x], index[y], [index[z] for z in given])
                expected = dag.d_separated(x, y, given)
                right = answer.independent(alpha) if expected else answer.dependent(alpha)
                word = "independent" if expected else "dependent"
                require(
                    right,
                    f"{x} and {y} are {word} given {', '.join(given) or 'nothing'} in the graph, "
                    f"but the test says {answer.answer(alpha)!r} (log_p {answer.log_p:.3g}).",
                )
