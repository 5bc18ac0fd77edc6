"""``learn_network`` and ``learn_region``: from a table to a graph with its evidence."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from eiderdown.api.evidence import EvidenceSource, recorded_test
from eiderdown.api.structure_run import Question, SearchChoice, run_structure
from eiderdown.data.prepare import Prepared, prepare_network
from eiderdown.errors import (
    OptionError,
)
from eiderdown.knowledge.file import KnowledgeSource
from eiderdown.progress import watched
from eiderdown.registry import Algorithm, Registry
from eiderdown.results import LearnedNetwork, LearnedRegion, issue_warnings
from eiderdown.scores.source import ScoreSource, built_score, takes_mixed
from eiderdown.structure.registry import NETWORK_ALGORITHMS, REGION_ALGORITHMS


def learn_network(  # noqa: PLR0913  every option is named by those who use it
    data: Any,
    *,
    algorithm: str | Algorithm[..., Any] = "mmhc_restarts",
    score: ScoreSource = "auto",
    score_params: Mapping[str, Any] | None = None,
    alpha: float = 0.01,
    max_given: int | None = None,
    knowledge: KnowledgeSource | None = None,
    exclude: Collection[str] = (),
    params: Mapping[str, Any] | None = None,
    evidence: EvidenceSource | None = None,
    random_state: int | None = 0,
    n_jobs: int | None = None,
    progress: bool = True,
) -> LearnedNetwork:
    """Learn the Bayesian network of a table: which columns depend directly on which.

    Discrete columns are judged by G2 and BIC, continuous ones by Fisher's z and the Gaussian BIC,
    unless ``evidence`` and ``score`` say otherwise. If there are both, continuous columns are cut
    into three categories of equal frequency, with a warning; ``score="kgv"`` takes them as they
    are.

    Parameters
    ----------
    data : Dataset, pandas, polars or Arrow table, NumPy or SciPy sparse array, or a path
        The table; see :meth:`eiderdown.Dataset.of`.
    algorithm : str or Algorithm, default="mmhc_restarts"
        Name of the search, or a configured one; see the table of algorithms in the documentation.
    score : str or callable, default="auto"
        Name of a score, or a function that makes a score of your own from a Dataset, for searches
        that score.
    score_params : mapping or None
        Options of the score, such as ``{"equivalent_sample_size": 10.0}`` for ``"bdeu"``.
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
    evidence : EvidenceOptions, callable or None
        Which test, and when to trust it; or a function that makes a test of your own from a
        Dataset.
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
        problem = _problem(prepared, options, (score, score_params), evidence, n_jobs=n_jobs)
        result = run_structure(LearnedNetwork, problem, shown)
    issue_warnings(result)
    return result


def learn_region(  # noqa: PLR0913  every option is named by those who use it
    data: Any,
    *,
    target: str,
    depth: int = 1,
    algorithm: str | Algorithm[..., Any] = "region_mmhc_restarts",
    score: ScoreSource = "auto",
    score_params: Mapping[str, Any] | None = None,
    alpha: float = 0.01,
    max_given: int | None = None,
    knowledge: KnowledgeSource | None = None,
    exclude: Collection[str] = (),
    params: Mapping[str, Any] | None = None,
    evidence: EvidenceSource | None = None,
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
    algorithm : str or Algorithm, default="region_mmhc_restarts"
        Name of the search, or a configured one; see the table of algorithms in the documentation.
    score, score_params, alpha, max_given, knowledge, exclude, params, evidence, random_state, \
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
        problem = _problem(prepared, options, (score, score_params), evidence, n_jobs=n_jobs)
        problem = replace(problem, depth=depth)
        result = run_structure(LearnedRegion, problem, shown, target=target, depth=depth)
    issue_warnings(result)
    return result


def _options(
    registry: Registry[Algorithm[..., Any]],
    algorithm: str | Algorithm[..., Any],
    params: Mapping[str, Any] | None,
    alpha: float,
    max_given: int | None,
    random_state: int | None,
) -> SearchChoice:
    search = registry[algorithm].with_params(params or {})
    return SearchChoice(search, alpha, max_given, random_state)


def _problem(
    prepared: Prepared,
    options: SearchChoice,
    score: tuple[ScoreSource, Mapping[str, Any] | None],
    evidence: EvidenceSource | None,
    *,
    n_jobs: int | None,
) -> Question:
    """Make the test and the score, whichever the search needs."""
    tests, scores = "test" in options.algorithm.needs, "score" in options.algorithm.needs
    return Question(
        prepared,
        options,
        test=recorded_test(evidence, prepared.data, 0, n_jobs) if tests else None,
        score=built_score(*score, prepared, n_jobs) if scores else None,
        n_jobs=n_jobs,
    )


def _is_mixed(options: SearchChoice, score: ScoreSource) -> bool:
    """Whether all evidence takes columns of several kinds at once."""
    return "test" not in options.algorithm.needs and takes_mixed(score)


def _check_depth(depth: int) -> None:
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 1:
        raise OptionError(f"depth must be an integer from 1 on, not {depth!r}.")
