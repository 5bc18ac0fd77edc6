"""``learn_network`` and ``learn_region``: from a table to a graph with its evidence."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any, TypeVar, Unpack

from eiderdown.api.local import evidence_of, test_of
from eiderdown.api.network_choice import chosen_search, short_of_rows
from eiderdown.api.tables import about_table
from eiderdown.data import Dataset
from eiderdown.data.prepare import Prepared, Takes, prepare_network
from eiderdown.errors import TooFewRowsError
from eiderdown.independence import CachedTest, IndependenceResult
from eiderdown.independence.registry import kinds_taken
from eiderdown.options import Option, declared
from eiderdown.progress import Cancelled, Trace, watched
from eiderdown.randomness import as_generator
from eiderdown.registry import Algorithm
from eiderdown.results import (
    LearnedEdge,
    LearnedGraph,
    LearnedNetwork,
    LearnedRegion,
    Run,
    issue_warnings,
)
from eiderdown.results.networks import NamedSets
from eiderdown.scores import make_score, takes_mixed
from eiderdown.shared_options import (
    IndependenceOptions,
    KnowledgeOptions,
    Label,
    RunOptions,
    ScoreOptions,
    TableOptions,
)
from eiderdown.structure import (
    REGION_ALGORITHMS,
    StructureFound,
    StructureProblem,
)
from eiderdown.structure.constraint.hidden_causes import with_ends
from eiderdown.structure.problem import Edge, compelled_edges

Learned = TypeVar("Learned", bound=LearnedGraph)


class GraphOptions(
    TableOptions, IndependenceOptions, ScoreOptions, KnowledgeOptions, RunOptions, total=False
):
    """What searches for networks and for regions take."""


class NetworkOptions(GraphOptions, total=False):
    """What :func:`learn_network` takes."""

    algorithm: Annotated[
        Any,
        Option(
            "search: a name, 'auto' to let the table choose, or a configured one such as "
            "MMHC(patience=30); see the table of algorithms in the documentation",
            default="auto",
            command_help="search; 'eiderdown algorithms network' lists them, and 'auto' goes by "
            "the table",
        ),
    ]


class RegionOptions(GraphOptions, total=False):
    """What :func:`learn_region` takes."""

    algorithm: Annotated[
        Any,
        Option(
            "search: a name, or a configured one such as REGION_MMHC(patience=30); see the table "
            "of algorithms in the documentation",
            default="region_mmhc_restarts",
            command_help="search; 'eiderdown algorithms region' lists them",
        ),
    ]
    depth: Annotated[
        int,
        Option(
            "how many steps from the target the region reaches: 1 for its parents and children, 2 "
            "for theirs as well, and so on",
            default=1,
            at_least=1,
        ),
    ]
    hidden_causes: Annotated[
        bool,
        Option(
            "also mark the ends of each edge as they are if hidden variables may be causes: which "
            "columns cause each other, which do not, and what stays open",
            default=False,
        ),
    ]


@about_table
@declared
def learn_network(data: Any, **options: Unpack[NetworkOptions]) -> LearnedNetwork:
    """Learn the Bayesian network of a table: which columns depend directly on which.

    Which search and which score are best goes by the table, and the run says which and why
    (:mod:`eiderdown.api.network_choice`); columns of a single value are nodes without edges. Where
    a search is named, discrete columns are judged by calibrated X2 and BIC, continuous ones by
    Fisher's z and the Gaussian BIC, unless ``test`` and ``score`` say otherwise. If there are both,
    searches by tests alone take them as they are, with Wilks' test. For scores continuous columns
    are cut into three categories of equal frequency, with a warning; ``score="kgv"`` takes them as
    they are.

    Parameters
    ----------
    data : Dataset, pandas, polars or Arrow table, NumPy or SciPy sparse array, or a path
        The table; see :meth:`eiderdown.Dataset.of`.
    **options

    Returns
    -------
    LearnedNetwork
        The graph, the evidence for each edge, and how the search went. Cancelled with Ctrl-C or by
        a time limit, the best so far.

    Examples
    --------
    >>> from eiderdown import learn_network, networks
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> network = learn_network(data, algorithm="hill_climbing")
    >>> sorted(network.boundary("dysp"))
    ['bronc', 'either']
    """
    search = chosen_search(Dataset.of(data), options)
    asked: Any = options if search.score is None else {**options, "score": search.score}
    return _learned(LearnedNetwork, search.algorithm, data, asked, why=search.why)


@about_table
@declared
def learn_region(data: Any, target: Label, **options: Unpack[RegionOptions]) -> LearnedRegion:
    """Learn the part of a Bayesian network around one column, without learning the rest.

    Parameters
    ----------
    data : any table
        See :meth:`eiderdown.Dataset.of`.
    target : label
        The centre of the region.
    **options

    Returns
    -------
    LearnedRegion
        The graph, the evidence for each edge, and how the search went. With ``hidden_causes`` each
        edge also has its ``marks``, and what they mean. Cancelled with Ctrl-C or by
        a time limit, the best so far.

    Examples
    --------
    >>> from eiderdown import learn_region, networks
    >>> data = networks.load("alarm").sample(5_000, random_state=0)
    >>> region = learn_region(data, target="HYPOVOLEMIA", depth=1)
    >>> sorted(region.nodes)
    ['HYPOVOLEMIA', 'LVEDVOLUME', 'STROKEVOLUME']
    """
    algorithm = REGION_ALGORITHMS[options["algorithm"]]
    around = {"target": target, "depth": options["depth"]}
    return _learned(
        LearnedRegion, algorithm, data, options, hidden_causes=options["hidden_causes"], **around
    )


def _learned(
    kind: type[Learned],
    algorithm: Algorithm[..., Any],
    data: Any,
    options: GraphOptions,
    *,
    why: str = "",
    hidden_causes: bool = False,
    **around: Any,
) -> Learned:
    """Prepare the table, search, and put names to what was found."""
    target = around.get("target")
    prepared = prepare_network(
        data,
        target=target,
        exclude=options["exclude"],
        knowledge=options["knowledge"],
        takes=_kinds_taken(algorithm, options),
        missing=options["missing"],
        complete=_why_complete(algorithm, options["missing"]),
        isolates=target is None,
    )
    what = f"{algorithm.returns} of {prepared.data.n_columns:,} columns"
    with watched(
        what if target is None else f"region around {target!r}",
        progress=options["progress"],
        counted="steps",
        time_limit=options["time_limit"],
    ) as trace:
        problem = _problem(algorithm, prepared, options, trace, depth=around.get("depth"))
        problem = replace(problem, hidden_causes=hidden_causes)
        started = time.perf_counter()
        found = _searched(algorithm, problem)
        seconds = time.perf_counter() - started
        run = _run(algorithm, prepared, problem, options, seconds=seconds, why=why)
    result = _named(kind, prepared, problem, found, run=run, **around)
    result = replace(
        result, warnings=(*result.warnings, *short_of_rows(run, prepared.data, options))
    )
    if prepared.knowledge is not None and result.complete:
        prepared.knowledge.check(result.graph)
    issue_warnings(result)
    return result


def _kinds_taken(algorithm: Algorithm[..., Any], options: GraphOptions) -> Takes:
    """Scores cut the numbers of mixed tables, unless they take both; tests alone go by the test."""
    if "score" in algorithm.needs and not takes_mixed(options["score"]):
        return "one kind"
    return kinds_taken(options["test"]) if "test" in algorithm.needs else "both kinds"


def _why_complete(algorithm: Algorithm[..., Any], missing: str) -> str:
    """Say why only complete rows can be used, if that is so.

    Classes of graphs want a score that is the same within them: the mean over imputed tables is.
    """
    if not algorithm.complete_rows or (missing == "impute" and algorithm.returns == "CPDAG"):
        return ""
    return f"{algorithm.name} takes no others"


def _problem(
    algorithm: Algorithm[..., Any],
    prepared: Prepared,
    options: GraphOptions,
    trace: Trace,
    *,
    depth: int | None,
) -> StructureProblem:
    """Make the test and the score, whichever the search needs."""
    test = test_of(prepared, options) if "test" in algorithm.needs else None
    n_jobs, score = options["n_jobs"], None
    if "score" in algorithm.needs:
        scored = prepared.uncut if takes_mixed(options["score"]) else prepared.data
        filling: Any = {name: options[name] for name in ("missing", "random_state")}
        score = make_score(options["score"], scored, n_jobs, **filling)
    problem = StructureProblem(
        n_variables=prepared.data.n_columns,
        test=test,
        score=score,
        alpha=options["alpha"],
        max_given=options["max_given"],
        knowledge=prepared.column_knowledge,
        target=prepared.target,
        depth=depth,
        trace=trace,
        generator=as_generator(options["random_state"]),
        n_jobs=n_jobs,
    )
    return algorithm.adapted(problem)


def _searched(algorithm: Algorithm[..., Any], problem: StructureProblem) -> StructureFound:
    try:
        found: StructureFound = algorithm.run(problem)
    except Cancelled:
        # Searches catch it where they have something to show; here nothing was found yet.
        everything = tuple(range(problem.n_variables))
        nodes = everything if problem.target is None else (problem.target,)
        return StructureFound(nodes, complete=False)
    if problem.hidden_causes and not found.ends and found.complete:
        found = with_ends(problem, found)  # of a search that does not mark them itself
    return found


def _run(
    algorithm: Algorithm[..., Any],
    prepared: Prepared,
    problem: StructureProblem,
    options: GraphOptions,
    *,
    seconds: float,
    why: str,
) -> Run:
    """Write down how the search went; refuse an answer that rests on no test at all."""
    said: dict[str, Any] = dict(algorithm.all_params)
    if problem.hidden_causes:
        said["hidden_causes"] = True
    test = problem.test
    if test is not None:
        said |= {"alpha": problem.alpha, "max_given": problem.max_given}
        said |= test.description
    if problem.score is not None:
        said |= problem.score.description
    if prepared.knowledge is not None:
        said["knowledge"] = prepared.knowledge.to_dict()
    if why:
        said["chosen"] = why
    run = Run.of(
        algorithm.name,
        prepared.source,
        said,
        counts=[test.counts] if isinstance(test, CachedTest) else [],
        seconds=seconds,
        random_state=options["random_state"] if algorithm.random else None,
    )
    if isinstance(test, CachedTest) and 0 < run.n_tests == run.n_skipped and not test.can_say:
        raise TooFewRowsError(
            f"Not one test has an answer: {run.n_rows} rows are too few to say anything about "
            "these columns; collect more rows or merge categories."
        )
    return run


def _named(
    kind: type[Learned],
    prepared: Prepared,
    problem: StructureProblem,
    found: StructureFound,
    **more: Any,
) -> Learned:
    """Turn column numbers back into names."""
    names = prepared.data.names
    interrupted = (
        () if found.complete else ("The search was interrupted; this is the best graph so far.",)
    )
    return kind(
        nodes=_nodes(prepared, found),
        edges=tuple(_edges(names, found)),
        is_cpdag=found.is_cpdag,
        score=found.score,
        n_scores=0 if problem.score is None else problem.score.counts.n_computed,
        separating_sets=NamedSets(names, found.separating_sets),
        warnings=(
            *prepared.warnings,
            *(() if problem.test is None else problem.test.notes),
            *found.notes,
            *interrupted,
        ),
        complete=found.complete,
        **more,
    )


def _nodes(prepared: Prepared, found: StructureFound) -> tuple[str, ...]:
    """Name the nodes, columns of a single value among them, in the order of the table."""
    names = {prepared.data.names[node] for node in found.nodes} | set(prepared.isolated)
    return tuple(name for name in prepared.source.names if name in names)


def _edges(names: tuple[str, ...], found: StructureFound) -> Iterator[LearnedEdge]:
    """Put names to the edges, the directed ones first."""
    compelled = frozenset(found.directed) if found.is_cpdag else found.compelled
    if compelled is None:
        compelled = compelled_edges(found.nodes, found.directed)
    for edge in sorted(found.directed):
        yield _edge(names, found, edge, directed=True, compelled=edge in compelled)
    for edge in sorted(found.undirected):
        yield _edge(names, found, edge, directed=False, compelled=False)


def _edge(names: tuple[str, ...], found: StructureFound, edge: Edge, **marks: bool) -> LearnedEdge:
    evidence = found.edge_evidence.get(edge)
    gain, test = None, None
    if isinstance(evidence, IndependenceResult):
        test = evidence_of(names, evidence, "kept")
    elif evidence is not None:
        gain = float(evidence)
    left, right = edge
    return LearnedEdge(
        left=names[left],
        right=names[right],
        gain=gain,
        test=test,
        ends=found.ends.get(edge),
        **marks,
    )
