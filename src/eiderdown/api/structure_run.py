"""What searches for networks and regions share: from a prepared table to a named result."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, TypeVar

from eiderdown.api.local import SearchOptions, evidence_of
from eiderdown.data.prepare import Prepared
from eiderdown.errors import TooFewRowsError
from eiderdown.independence import CachedTest, IndependenceResult
from eiderdown.progress import Trace
from eiderdown.randomness import as_generator
from eiderdown.results import LearnedEdge, LearnedGraph, Run
from eiderdown.scores import LocalScore
from eiderdown.structure.search import Edge, StructureFound, StructureSearch, essential

Learned = TypeVar("Learned", bound=LearnedGraph)


@dataclass(frozen=True, eq=False)
class StructureProblem:
    """One question, checked and prepared.

    Attributes
    ----------
    prepared : Prepared
        The table, what is known before, and the centre of a region.
    options : SearchOptions
        The search and its options.
    test : CachedTest or None
        Evidence of searches that test.
    score : LocalScore or None
        Evidence of searches that score.
    depth : int or None
        How many steps from the target the region reaches.
    n_jobs : int or None
        Threads.
    """

    prepared: Prepared
    options: SearchOptions
    test: CachedTest | None
    score: LocalScore | None
    depth: int | None = None
    n_jobs: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns in the network."""
        return self.prepared.data.names


def run_structure(
    kind: type[Learned], problem: StructureProblem, listener: Trace, **more: Any
) -> Learned:
    """Search and return a result with names.

    Interrupted with Ctrl-C it returns the best so far. Warnings are in the result; saying them is
    left to the caller.
    """
    started = time.perf_counter()
    found = _searched(problem, listener)
    run = _run_record(problem, time.perf_counter() - started)
    _require_some_reliable(run)
    result = _named(kind, problem, found, run, **more)
    if problem.prepared.knowledge is not None and result.complete:
        problem.prepared.knowledge.check(result.graph)
    return result


def _searched(problem: StructureProblem, listener: Trace) -> StructureFound:
    prepared, options = problem.prepared, problem.options
    data, target = prepared.data, prepared.target
    search = StructureSearch(
        n_variables=data.n_columns,
        test=problem.test,
        score=problem.score,
        alpha=options.alpha,
        max_given=options.max_given,
        knowledge=prepared.column_knowledge,
        target=target,
        depth=problem.depth,
        trace=listener,
        generator=as_generator(options.random_state),
        data=data,
        n_jobs=problem.n_jobs,
    )
    try:
        found: StructureFound = options.algorithm.function(search, **options.params)
    except KeyboardInterrupt:
        # Searches catch it where they have something to show; here nothing was found yet.
        nodes = tuple(range(data.n_columns)) if target is None else (target,)
        return StructureFound(nodes, complete=False)
    return found


def _run_record(problem: StructureProblem, seconds: float) -> Run:
    options, source = problem.options, problem.prepared.source
    said: dict[str, Any] = dict(options.params)
    if problem.test is not None:
        said |= {"alpha": options.alpha, "max_given": options.max_given}
        said |= problem.test.description
    if problem.score is not None:
        said |= problem.score.description
    if problem.prepared.knowledge is not None:
        said["knowledge"] = problem.prepared.knowledge.to_dict()
    return Run.of(
        options.algorithm.name,
        source,
        said,
        counts=[] if problem.test is None else [problem.test.counts],
        seconds=seconds,
        random_state=options.random_state if options.algorithm.random else None,
    )


def _require_some_reliable(run: Run) -> None:
    if 0 < run.n_tests == run.n_skipped:
        raise TooFewRowsError(
            f"Not one test has enough rows: {run.n_rows} rows are too few to say anything about "
            "these columns; collect more rows, merge categories, or relax the reliability rule."
        )


def _named(
    kind: type[Learned], problem: StructureProblem, found: StructureFound, run: Run, **more: Any
) -> Learned:
    """Turn column numbers back into names."""
    names = problem.names
    return kind(
        nodes=tuple(names[node] for node in found.nodes),
        edges=_edges(names, found),
        is_cpdag=found.is_cpdag,
        run=run,
        score=found.score,
        n_scores=0 if problem.score is None else problem.score.counts.n_computed,
        separating_sets={
            (names[min(pair)], names[max(pair)]): tuple(names[z] for z in given)
            for pair, given in found.separating_sets.items()
        },
        warnings=(
            *problem.prepared.warnings,
            *(() if problem.test is None else problem.test.notes),
            *found.notes,
            *_doubts(found),
        ),
        complete=found.complete,
        **more,
    )


def _doubts(found: StructureFound) -> tuple[str, ...]:
    if found.complete:
        return ()
    return ("The search was interrupted; this is the best graph so far.",)


def _edges(names: tuple[str, ...], found: StructureFound) -> tuple[LearnedEdge, ...]:
    compelled = frozenset(found.directed) if found.is_cpdag else found.compelled
    if compelled is None:
        compelled = essential(found.nodes, found.directed)
    directed = [_edge(names, found, edge, edge in compelled) for edge in sorted(found.directed)]
    undirected = [_edge(names, found, edge, None) for edge in sorted(found.undirected)]
    return (*directed, *undirected)


def _edge(
    names: tuple[str, ...], found: StructureFound, edge: Edge, compelled: bool | None
) -> LearnedEdge:
    """Put names to an edge, which has a direction unless ``compelled`` is None."""
    left, right = edge
    evidence = found.edge_evidence.get(edge)
    gain, test = None, None
    if isinstance(evidence, IndependenceResult):
        test = evidence_of(names, evidence, "kept")
    elif evidence is not None:
        gain = float(evidence)
    return LearnedEdge(
        left=names[left],
        right=names[right],
        directed=compelled is not None,
        compelled=bool(compelled),
        gain=gain,
        test=test,
    )
