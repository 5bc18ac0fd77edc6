"""The exam for a search for Markov boundaries, and the one for an oracle of a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations, product
from typing import TypeAlias

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.boundary.problem import Found, TestProblem
from eiderdown.data import Dataset
from eiderdown.graphs import DAG, random_dag
from eiderdown.independence import (
    GSquareTest,
    IndependenceBatch,
    IndependenceTest,
    OracleTest,
)
from eiderdown.progress import Cancelled, Trace
from eiderdown.randomness import as_generator
from eiderdown.testing.samples import require, sampled

BoundarySearch: TypeAlias = Callable[[TestProblem], Found]

_ALPHA = 0.01
_N_TABLES = 8
_N_ROWS = 400
_MOST_NODES = 8


def check_boundary_search(
    search: BoundarySearch, *, exact: bool = True, n_graphs: int = 200, random_state: int = 0
) -> None:
    """Check that a search for Markov boundaries keeps every promise it is registered with.

    With the d-separation oracle of random graphs it must return exactly the Markov boundary of
    every node. What it returns must be consistent: candidates only, and all required ones; each
    member with a test that did not find it independent of the target; whoever was removed or
    separated with one that did; spouses with a child among the members. It must honour
    ``max_given``; return the best so far when it is cancelled; not depend on the order of the
    columns; admit nothing on the strength of tests with insufficient data; and, among independent
    columns, find nothing at a tiny ``alpha``.

    Parameters
    ----------
    search : callable
        Takes a :class:`eiderdown.boundary.TestProblem`, returns what it found.
    exact : bool, default=True
        Whether to require exact boundaries from the oracle; False for a search that is known to
        fall short of them.
    n_graphs : int, default=200
        How many random graphs of 3 to 8 nodes to try.
    random_state : int, default=0
        Seed of graphs and tables.

    Raises
    ------
    AssertionError
        With a sentence that says what was violated.

    Examples
    --------
    >>> from eiderdown.boundary.iamb import iamb
    >>> check_boundary_search(iamb, n_graphs=20)
    """
    graphs = list(_random_dags(n_graphs, random_state))
    for dag in graphs if exact else []:
        _check_exactness(search, dag)
    for dag in graphs[: max(1, n_graphs // 10)]:
        _check_candidates(search, dag)
        _check_required(search, dag)
        _check_max_given(search, dag)
        _check_cancellation(search, dag)
    for dag in graphs[:_N_TABLES]:
        data = sampled(dag, "discrete", _N_ROWS, random_state)
        _check_column_order(search, data)
        _check_insufficient(search, data)
        _check_tiny_alpha(search, dag, random_state)


def _random_dags(n_graphs: int, random_state: int) -> Iterator[DAG]:
    generator = as_generator(random_state)
    for i in range(n_graphs):
        share = float(generator.uniform(0.1, 0.7))
        n_nodes = 3 + i % (_MOST_NODES - 2)
        yield random_dag(n_nodes, edge_probability=share, random_state=generator)


def _members(search: BoundarySearch, problem: TestProblem) -> set[str]:
    """Run the search, require a consistent answer, and return the members' names."""
    found = search(problem)
    require(isinstance(found, Found), f"A search must return a Found, not {found!r}.")
    require(found.complete, "A search that nobody cancels must be complete.")
    _require_consistent(problem, found)
    return {problem.test.names[x] for x in found.members}


def _require_consistent(problem: TestProblem, found: Found) -> None:
    """Require that each decision is about a candidate, and that its test says the same."""
    names, alpha = problem.test.names, problem.alpha
    said = f"the boundary of {names[problem.target]!r}"
    outsiders = [names[x] for x in found.members.keys() - set(problem.candidates.tolist())]
    require(not outsiders, f"Only candidates may be members, but {said} holds {outsiders}.")
    for x, result in [*found.members.items(), *found.removed.items()]:
        require(
            (result.x, result.y) == (x, problem.target),
            f"The evidence of {names[x]!r} in {said} is about other variables.",
        )
    free = found.members.keys() - set(problem.required) - found.unconfirmed
    wrong = [names[x] for x in free if not found.members[x].dependent(alpha)]
    require(not wrong, f"Members must depend on the target, but {wrong} do not in {said}.")
    both = [names[x] for x in found.members.keys() & found.removed.keys()]
    require(not both, f"Who was removed is no member, but {both} are both in {said}.")
    separated = [result for batch in found.separated for result in batch]
    wrong = [names[r.x] for r in separated if not r.independent(alpha)]
    require(
        not wrong,
        f"Who is separated must be independent given some set, but not {wrong} in {said}.",
    )
    known = {x for x in found.parents_children or () if x not in found.members}
    require(not known, f"Parents and children must be members, but {known} are not in {said}.")
    for spouse, child in found.spouses.items():
        require(
            spouse in found.members and child in found.members,
            f"A spouse and its child must be members, but {names[spouse]!r} or {names[child]!r} is "
            f"not in {said}.",
        )


def _problem(
    test: IndependenceTest, target: int, *, alpha: float = _ALPHA, max_given: int | None = None
) -> TestProblem:
    """Ask about a target among all other variables."""
    others = np.delete(np.arange(test.n_variables), target)
    return TestProblem(test, target, others, alpha, max_given)


def _check_exactness(search: BoundarySearch, dag: DAG) -> None:
    oracle = OracleTest(dag)
    for target, name in enumerate(dag.nodes):
        problem = _problem(oracle, target, max_given=dag.n_nodes)
        found, truth = _members(search, problem), dag.markov_boundary(name)
        require(
            found == truth,
            f"With the oracle of the graph {dag.edges} the boundary of {name!r} must be "
            f"{sorted(truth)}, not {sorted(found)}.",
        )


def _check_candidates(search: BoundarySearch, dag: DAG) -> None:
    oracle = OracleTest(dag)
    for target in range(dag.n_nodes):
        problem = _problem(oracle, target)
        _members(search, replace(problem, candidates=problem.candidates[::2]))


def _check_required(search: BoundarySearch, dag: DAG) -> None:
    oracle = OracleTest(dag)
    for target in range(dag.n_nodes):
        problem = _problem(oracle, target)
        required = int(problem.candidates[-1])
        found = _members(search, replace(problem, required=(required,)))
        require(
            dag.nodes[required] in found,
            f"Required members must be in the answer, but {dag.nodes[required]!r} is not in the "
            f"boundary of {dag.nodes[target]!r}.",
        )


class _Watched(IndependenceTest):
    """Remembers the largest conditioning set it was asked about."""

    def __init__(self, inner: IndependenceTest) -> None:
        super().__init__(inner.names)
        self.inner = inner
        self.most_given = 0

    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        self.most_given = max(self.most_given, len(given))
        return self.inner.sweep(candidates, target, given)


def _check_max_given(search: BoundarySearch, dag: DAG) -> None:
    for target in range(dag.n_nodes):
        for max_given in (0, 1, 2):
            watched = _Watched(OracleTest(dag))
            _members(search, _problem(watched, target, max_given=max_given))
            require(
                watched.most_given <= max_given,
                f"With max_given={max_given} the search conditioned on {watched.most_given} "
                "variables.",
            )


class _Impatient(Trace):
    """Cancels at the n-th step."""

    def __init__(self, n_steps: int) -> None:
        super().__init__()
        self.n_left = n_steps

    def progressed(self, phase: str, n: int) -> None:
        del phase, n
        self.n_left -= 1
        if self.n_left <= 0:
            raise Cancelled


def _check_cancellation(search: BoundarySearch, dag: DAG) -> None:
    oracle = OracleTest(dag)
    for target, n_steps in product(range(dag.n_nodes), (1, 2, 4)):
        trace = _Impatient(n_steps)
        try:
            found = search(replace(_problem(oracle, target), trace=trace))
        except Cancelled:
            require(False, "A cancelled search must return the best so far; use best_so_far().")
        told = trace.n_left < n_steps
        require(told or not found.members, "A search must tell its progress, to be cancelled.")
        finished = trace.n_left > 0
        require(found.complete == finished, "A search that was cancelled is not complete.")


def _check_column_order(search: BoundarySearch, data: Dataset) -> None:
    turned = data.select(data.names[::-1])
    for name in data.names:
        ours, theirs = (
            _members(search, _problem(GSquareTest(table, n_jobs=1), table.index(name)))
            for table in (data, turned)
        )
        require(
            ours == theirs,
            f"The order of the columns must not matter, but it turns the boundary of {name!r} "
            f"from {sorted(ours)} into {sorted(theirs)}.",
        )


def _check_insufficient(search: BoundarySearch, data: Dataset) -> None:
    for target in range(data.n_columns):
        test = GSquareTest(data, dof="nominal", min_rows=1e6, n_jobs=1)
        found = _members(search, _problem(test, target))
        require(
            not found,
            f"Tests with insufficient data must admit nothing, but {sorted(found)} came in.",
        )


def _check_tiny_alpha(search: BoundarySearch, dag: DAG, random_state: int) -> None:
    apart = sampled(dag.without_edges_into(dag.nodes), "discrete", _N_ROWS, random_state)
    test = GSquareTest(apart, n_jobs=1)
    for target in range(apart.n_columns):
        found = _members(search, _problem(test, target, alpha=1e-9))
        require(
            not found,
            f"Among independent columns nothing is significant at 1e-9, but {sorted(found)} "
            f"came into the boundary of {apart.names[target]!r}.",
        )


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
