"""``measure_confidence`` and ``measure_optima``: how sure one can be of edges and boundaries."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from eiderdown.api.confidence_sources import Question, from_boundaries, from_resamples
from eiderdown.confidence import Resampling
from eiderdown.confidence.earlier_runs import Earlier
from eiderdown.confidence.found_models import ModelLearner
from eiderdown.confidence.kes_options import KesOptions
from eiderdown.confidence.optima_by_size import counted_optima
from eiderdown.confidence.repeated_search import analysed_optima
from eiderdown.confidence.resampling import Method
from eiderdown.data import Dataset
from eiderdown.errors import OptionError, listed
from eiderdown.knowledge.file import KnowledgeSource
from eiderdown.progress import watched
from eiderdown.results import FeatureConfidence, OptimaBySize, Weighting, issue_warnings
from eiderdown.scores import ScoreSource

Source: TypeAlias = Literal["kes", "resamples", "boundaries"]

N_RUNS = 1_000
"""How often KES is run; as k, from Pena, Kocka & Nielsen (2004), section 4.1."""

K = 0.8
"""Share of the improving moves among which KES takes the best."""

_OPTION_OF = {
    **dict.fromkeys(("k", "max_parents", "turning", "resume", "state"), ("kes",)),
    **dict.fromkeys(("method", "share"), ("resamples",)),
    "algorithm": ("resamples", "boundaries"),
}


def measure_confidence(  # noqa: PLR0913  every option is named by those who use it
    data: Any,
    *,
    source: Source = "kes",
    target: str | None = None,
    runs: int | None = None,
    weighting: Weighting | None = None,
    k: float = K,
    score: ScoreSource = "auto",
    max_parents: int | None = None,
    turning: bool = False,
    knowledge: KnowledgeSource | None = None,
    exclude: Collection[str] = (),
    algorithm: str | ModelLearner | None = None,
    method: Method = "bootstrap",
    share: float | None = None,
    random_state: int | None = 0,
    n_jobs: int | None = None,
    progress: bool = True,
    resume: Earlier | None = None,
    state: str | Path | None = None,
    **options: Any,
) -> FeatureConfidence:
    """Measure how sure one can be of edges, directed paths and Markov-blanket neighbours.

    Many models are found, and the confidence in a feature is the share of them that have it.

    Parameters
    ----------
    data : any table
        See :meth:`eiderdown.Dataset.of`.
    source : {"kes", "resamples", "boundaries"}, default="kes"
        Where the models come from: local optima of one table, found by a randomised search; one
        model for each of many resamples of the rows; or boundaries of one column, found by a
        search with random choices.
    target : str or None
        The column that is asked about. "boundaries" and searches around a column need it; for
        whole networks only reports and pictures are about it.
    runs : int or None
        How many models to find; None for 1,000 by KES and 100 otherwise.
    weighting : {"distinct", "runs", "score"} or None
        Whether each distinct model counts the same (the default of "kes"), by the number of runs
        that found it (that of the others), or in proportion to ``exp(score)``.
    k : float, default=0.8
        Of "kes": share of the improving moves among which a step takes the best; 0 takes any.
    score, knowledge, exclude
        As in :func:`learn_network`; for "kes" the score must be one that equivalent graphs share.
    max_parents : int or None
        Of "kes": most parents of any column.
    turning : bool, default=False
        Of "kes": whether a step may also turn an edge, which leaves fewer and better optima.
    algorithm : str, callable or None
        Of "resamples": a search for networks, regions, parents and children or boundaries by name
        (None for "mmhc_restarts"), or a function of a Dataset and a seed that returns a graph or
        one of Eiderdown's results. Of "boundaries": None for "kiamb".
    method, share
        Of "resamples", as in :func:`measure_stability`.
    random_state : int or None, default=0
        Seed; more runs begin with fewer.
    n_jobs : int or None
        Threads; None means every available core. The result does not depend on it.
    progress : bool, default=True
        Tell on stderr how many runs are made.
    resume : FeatureConfidence, str, Path or None
        Of "kes": runs made before on the same table with the same options, or their file.
    state : str, Path or None
        Of "kes": a file in which runs are kept; read if it is there, written every half a minute
        and at the end.
    **options
        Of "resamples" and "boundaries": options of the search, such as ``alpha`` or ``params``.

    Returns
    -------
    FeatureConfidence
        Confidences, models, curves and thresholds. Interrupted with Ctrl-C, of the runs so far.

    Notes
    -----
    A directed graph says more than data can, so it counts as its essential graph; a PDAG from a
    function of your own counts as it stands.

    Examples
    --------
    >>> from eiderdown import measure_confidence, networks
    >>> data = networks.load("asia").sample(500, random_state=0)
    >>> found = measure_confidence(data, k=0.3, runs=500)
    >>> found.n_distinct > 50
    True
    >>> found.confidence_of("neighbour", "bronc", "dysp")
    1.0
    """
    said: dict[str, Any] = {"k": k, "max_parents": max_parents, "turning": turning}
    said |= {
        "resume": resume,
        "state": state,
        "algorithm": algorithm,
        "method": method,
        "share": share,
    }
    _refuse_useless(source, said, options)
    table, exclude = Dataset.of(data), tuple(exclude)
    if source == "kes":
        searches = KesOptions(
            runs=N_RUNS if runs is None else runs,
            k=k,
            score=score,
            weighting="distinct" if weighting is None else weighting,
            knowledge=knowledge,
            max_parents=max_parents,
            turning=turning,
            exclude=exclude,
            target=target,
            random_state=random_state,
            n_jobs=n_jobs,
            progress=progress,
            state=state,
        )
        return _issued(analysed_optima(table, searches, resume=resume))
    question = Question(table, target, runs, weighting, exclude, random_state, n_jobs, progress)
    told = _told(score=score, knowledge=knowledge, exclude=exclude)
    if source == "boundaries":
        return _issued(from_boundaries(question, algorithm=algorithm, options=told | options))
    resampling = Resampling(method, share)
    return _issued(
        from_resamples(question, algorithm=algorithm, resampling=resampling, options=told | options)
    )


def measure_optima(  # noqa: PLR0913  as above
    data: Any,
    *,
    shares: Sequence[float] = (0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0),
    repeats: int = 5,
    runs: int = N_RUNS,
    k: float = K,
    score: ScoreSource = "auto",
    max_parents: int | None = None,
    turning: bool = False,
    knowledge: KnowledgeSource | None = None,
    exclude: Collection[str] = (),
    random_state: int | None = 0,
    n_jobs: int | None = None,
    progress: bool = True,
) -> OptimaBySize:
    """Count the distinct local optima that KES finds in samples of the rows.

    If the rows come from a network that they are faithful to, more of them leave fewer optima; in
    real tables they may not.

    Parameters
    ----------
    data : any table
        See :meth:`eiderdown.Dataset.of`.
    shares : sequence of float
        How many rows to draw, without replacement, as shares of those there are.
    repeats : int, default=5
        How many samples of each size; all rows make a single one.
    runs : int, default=1000
        How many searches in each sample.
    k, score, max_parents, turning, knowledge, exclude, random_state, n_jobs, \
progress
        As in :func:`measure_confidence`.

    Returns
    -------
    OptimaBySize
        The counts. Interrupted with Ctrl-C, of the samples so far.

    Examples
    --------
    >>> from eiderdown import measure_optima, networks
    >>> data = networks.load("asia").sample(4_000, random_state=0)
    >>> found = measure_optima(data, shares=(0.5, 1.0), repeats=2, runs=50)
    >>> [(count.share, count.n_rows) for count in found.counts]
    [(0.5, 2000), (0.5, 2000), (1.0, 4000)]
    """
    options = KesOptions(
        runs=runs,
        k=k,
        score=score,
        max_parents=max_parents,
        turning=turning,
        knowledge=knowledge,
        exclude=tuple(exclude),
        random_state=random_state,
        n_jobs=n_jobs,
    )
    table = Dataset.of(data)
    what = f"local optima of {table.n_columns:,} columns"
    with watched(what, progress=progress, counted="samples") as shown:
        result = counted_optima(table, options, shares=shares, repeats=repeats, trace=shown)
    issue_warnings(result)
    return result


def _refuse_useless(source: str, said: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Refuse options of other sources, which would be ignored."""
    if source not in get_args(Source):
        raise OptionError(f"source must be one of {get_args(Source)}, not {source!r}.")
    defaults = inspect.signature(measure_confidence).parameters
    useless = [
        name
        for name, value in said.items()
        if source not in _OPTION_OF[name] and value != defaults[name].default
    ]
    useless += options if source == "kes" else ()
    if useless:
        raise OptionError(f"source={source!r} has no use for {listed(useless)}; leave it out.")


def _told(**options: Any) -> dict[str, Any]:
    """Leave out what the user left out."""
    defaults = inspect.signature(measure_confidence).parameters
    return {name: value for name, value in options.items() if value != defaults[name].default}


def _issued(result: FeatureConfidence) -> FeatureConfidence:
    issue_warnings(result)
    return result
