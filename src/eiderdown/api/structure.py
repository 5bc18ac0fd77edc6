"""``learn_network`` and ``learn_region``: from a table to a graph with its evidence."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from eiderdown.api.local import SearchOptions
from eiderdown.api.structure_run import StructureProblem, run_structure
from eiderdown.data.prepare import Prepared, prepare_network
from eiderdown.errors import (
    OptionError,
)
from eiderdown.independence.registry import TestSource, make_test
from eiderdown.knowledge.file import KnowledgeSource
from eiderdown.old_registry import Registry
from eiderdown.progress import watched
from eiderdown.results import LearnedNetwork, LearnedRegion, issue_warnings
from eiderdown.scores import ScoreSource, make_score, takes_mixed
from eiderdown.structure.algorithms import (
    NETWORK_ALGORITHMS,
    REGION_ALGORITHMS,
    SCORING,
    TESTING,
)
from eiderdown.structure.search import Structure


def learn_network(
    data: Any,
    *,
    algorithm: str = "mmhc",
    score: ScoreSource = "auto",
    alpha: float = 0.01,
    max_given: int | None = None,
    knowledge: KnowledgeSource | None = None,
    exclude: Collection[str] = (),
    params: Mapping[str, Any] | None = None,
    test: TestSource = "auto",
    random_state: int | None = 0,
    n_jobs: int | None = None,
    progress: bool = True,
) -> LearnedNetwork:
    """Learn the Bayesian network of a table: which columns depend directly on which.

    Discrete columns are judged by G2 and BIC, continuous ones by Fisher's z and the Gaussian BIC,
    unless ``test`` and ``score`` say otherwise. If there are both, continuous columns are cut
    into three categories of equal frequency, with a warning; ``score="kgv"`` takes them as they are.

    Parameters
    ----------
    data : Dataset, pandas, polars or Arrow table, NumPy or SciPy sparse array, or a path
        The table; see :meth:`eiderdown.Dataset.of`.
    algorithm : str, default="mmhc"
        Registered name of the search; see the table of algorithms in the documentation.
    score : str, Score or callable, default="auto"
        For searches that score: the name of a score, a configured one such as
        ``BDEU(equivalent_sample_size=1)``, or a function that makes one from a Dataset.
    alpha : float, default=0.01
        Significance level, between 0 and 1, for searches that test.
    max_given : int or None, default=None
        Largest conditioning set; None for the algorithm's own choice.
    knowledge : Knowledge, mapping, path or None
        Tiers, required and forbidden edges, most parents; a mapping, or a .json or .toml file, has
        these as keys.
    exclude : collection of str
        Columns that are not to be in the network, such as identifiers.
    params : mapping or None
        Options of the algorithm's own, such as ``{"patience": 30}``.
    test : str, Test or callable, default="auto"
        Test of independence: a name, a configured test such as ``G_SQUARE(dof="nominal")``, or a
        function that makes one of your own from a Dataset; "auto" goes by the columns.
    random_state : int or None, default=0
        Seed of algorithms that make random choices; None for other choices each time.
    n_jobs : int or None
        Threads; None means every available core. The result does not depend on it.
    progress : bool, default=True
        Tell on stderr what a search of more than a second is doing.

    Returns
    -------
    LearnedNetwork
        The graph, the evidence for each edge, and how the search went. Interrupted with Ctrl-C,
        the best so far.

    Examples
    --------
    >>> from eiderdown import learn_network, networks
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> network = learn_network(data, algorithm="hill_climbing")
    >>> sorted(network.boundary("dysp"))
    ['bronc', 'either']
    """
    options = _options(NETWORK_ALGORITHMS, algorithm, params, alpha, max_given, random_state)
    prepared = prepare_network(
        data, exclude=exclude, knowledge=knowledge, mixed=_is_mixed(options, score)
    )
    what = f"{options.algorithm.returns} of {prepared.data.n_columns:,} columns"
    with watched(what, progress=progress, counted="steps") as shown:
        problem = _problem(prepared, options, score, test, n_jobs=n_jobs)
        result = run_structure(LearnedNetwork, problem, shown)
    issue_warnings(result)
    return result


def learn_region(  # noqa: PLR0913  every option is named by those who use it
    data: Any,
    *,
    target: str,
    depth: int = 1,
    algorithm: str = "region_mmhc",
    score: ScoreSource = "auto",
    alpha: float = 0.01,
    max_given: int | None = None,
    knowledge: KnowledgeSource | None = None,
    exclude: Collection[str] = (),
    params: Mapping[str, Any] | None = None,
    test: TestSource = "auto",
    random_state: int | None = 0,
    n_jobs: int | None = None,
    progress: bool = True,
) -> LearnedRegion:
    """Learn the part of a Bayesian network around one column, without learning the rest.

    Parameters
    ----------
    data : any table
        See :meth:`eiderdown.Dataset.of`.
    target : str
        The centre of the region.
    depth : int, default=1
        How many steps from the target the region reaches: 1 for its parents and children, 2 for
        theirs as well, and so on.
    algorithm : str, default="region_mmhc"
        Registered name of the search; see the table of algorithms in the documentation.
    score, alpha, max_given, knowledge, exclude, params, test, random_state, \
n_jobs, progress
        As in :func:`learn_network`.

    Returns
    -------
    LearnedRegion
        The graph, the evidence for each edge, and how the search went. Interrupted with Ctrl-C,
        the best so far.

    Examples
    --------
    >>> from eiderdown import learn_region, networks
    >>> data = networks.load("alarm").sample(5_000, random_state=0)
    >>> region = learn_region(data, target="HYPOVOLEMIA", depth=1)
    >>> sorted(region.nodes)
    ['HYPOVOLEMIA', 'LVEDVOLUME', 'STROKEVOLUME']
    """
    _check_depth(depth)
    options = _options(REGION_ALGORITHMS, algorithm, params, alpha, max_given, random_state)
    prepared = prepare_network(
        data,
        target=target,
        exclude=exclude,
        knowledge=knowledge,
        mixed=_is_mixed(options, score),
    )
    with watched(f"region around {target!r}", progress=progress, counted="steps") as shown:
        problem = _problem(prepared, options, score, test, n_jobs=n_jobs)
        problem = replace(problem, depth=depth)
        result = run_structure(LearnedRegion, problem, shown, target=target, depth=depth)
    issue_warnings(result)
    return result


def _options(
    registry: Registry[Structure],
    algorithm: str,
    params: Mapping[str, Any] | None,
    alpha: float,
    max_given: int | None,
    random_state: int | None,
) -> SearchOptions:
    search = registry[algorithm]
    return SearchOptions(search, search.params(params), alpha, max_given, random_state)


def _problem(
    prepared: Prepared,
    options: SearchOptions,
    score: ScoreSource,
    test: TestSource,
    *,
    n_jobs: int | None,
) -> StructureProblem:
    """Make the test and the score, whichever the search needs."""
    tests, scores = options.algorithm.name in TESTING, options.algorithm.name in SCORING
    scored = prepared.uncut if takes_mixed(score) else prepared.data
    return StructureProblem(
        prepared,
        options,
        test=make_test(test, prepared.data, 0, n_jobs) if tests else None,
        score=make_score(score, scored, n_jobs) if scores else None,
        n_jobs=n_jobs,
    )


def _is_mixed(options: SearchOptions, score: ScoreSource) -> bool:
    """Whether all evidence takes columns of several kinds at once."""
    return options.algorithm.name not in TESTING and takes_mixed(score)


def _check_depth(depth: int) -> None:
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 1:
        raise OptionError(f"depth must be an integer from 1 on, not {depth!r}.")
