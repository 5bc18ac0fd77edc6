"""``measure_confidence`` and ``measure_optima``: how sure one can be of edges and boundaries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, TypedDict, Unpack

from eiderdown.api.learners import (
    LEARNERS,
    DepthOptions,
    Resamples,
    ResamplingOptions,
    learner_of,
    verb_of,
)
from eiderdown.api.multiplicity import PatienceOptions, find_boundaries
from eiderdown.api.network import learn_network
from eiderdown.api.tables import about_table
from eiderdown.confidence.features import (
    DistinctModels,
    columns_of,
    confidence_from,
    confidence_warnings,
    model_of,
)
from eiderdown.confidence.optima import (
    KesOptions,
    ModelOptions,
    Runs,
    StateOptions,
    confidence_by_kes,
)
from eiderdown.confidence.optima_by_size import count_optima
from eiderdown.data import Dataset
from eiderdown.data.prepare import prepare_network
from eiderdown.errors import OptionError, listed
from eiderdown.options import Option, declared, options_of
from eiderdown.progress import abandon, watched
from eiderdown.registry import Algorithm
from eiderdown.results import (
    FeatureConfidence,
    FoundModel,
    OptimaBySize,
    Weighting,
    issue_warnings,
    withheld_warnings,
)
from eiderdown.shared_options import (
    IndependenceOptions,
    KnowledgeOptions,
    Label,
    RequiredOptions,
    RunOptions,
    ScoreOptions,
    TableOptions,
)

Source: TypeAlias = Literal["kes", "resamples", "boundaries"]

N_RUNS: Final = 100
"""How many models other sources than KES give if nobody says; each costs more than one of KES."""


class SourceOptions(TypedDict, total=False):
    """Where models come from."""

    source: Annotated[
        Source,
        Option(
            "where the models come from: local optima of all rows, found by the randomised search "
            "KES; a model for each of many resamples of the rows; or boundaries of the target, "
            "found by a search with random choices",
            default="kes",
        ),
    ]


class OfAll(SourceOptions, ModelOptions, total=False):
    """What every source takes, besides what every verb does."""


class OfScores(ScoreOptions, KnowledgeOptions, total=False):
    """What sources take whose searches may score graphs."""


class OfKes(KesOptions, StateOptions, total=False):
    """What only KES takes."""

    resume: Annotated[
        FeatureConfidence | Path | None,
        Option(
            "runs of KES made before on the same table with the same options: a "
            "FeatureConfidence, or its file",
            default=None,
            flag="",
        ),
    ]


class OfSearches(IndependenceOptions, RequiredOptions, total=False):
    """What sources take whose search can be chosen."""

    algorithm: Annotated[
        str | Algorithm[..., Any] | Callable[[Dataset, int], Any] | None,
        Option(
            "search for networks, regions, parents and children or boundaries, on resamples "
            "(None for 'mmhc_restarts'), or for boundaries with random choices (None for 'kiamb'): "
            "a name or a configured one; on resamples also a function of a Dataset and a seed that "
            "returns a graph or a result",
            default=None,
            command_help="search on resamples (mmhc_restarts unless said otherwise), or for "
            "boundaries with random choices (kiamb); 'eiderdown algorithms confidence' lists them",
        ),
    ]


class OfResamples(ResamplingOptions, DepthOptions, total=False):
    """What only resamples take."""


class KesSource(OfAll, OfScores, OfKes, TableOptions, RunOptions, total=False):
    """What source "kes" takes."""


class ResampleSource(
    OfAll, OfScores, OfSearches, OfResamples, TableOptions, RunOptions, total=False
):
    """What source "resamples" takes."""


class BoundarySource(OfAll, OfSearches, PatienceOptions, TableOptions, RunOptions, total=False):
    """What source "boundaries" takes."""


class ConfidenceOptions(
    OfAll,
    OfScores,
    OfKes,
    OfSearches,
    OfResamples,
    PatienceOptions,
    TableOptions,
    RunOptions,
    total=False,
):
    """What :func:`measure_confidence` takes: the options of all sources."""


class CountOptions(
    KesOptions, ScoreOptions, KnowledgeOptions, TableOptions, RunOptions, total=False
):
    """What :func:`measure_optima` takes."""

    shares: Annotated[
        Sequence[float],
        Option(
            "how many rows to draw, without replacement, as shares of those there are",
            default=(0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0),
            metavar="X,...",
        ),
    ]
    repeats: Annotated[
        int, Option("samples of each size; all rows make a single one", default=5, at_least=1)
    ]
    runs: Runs


_OPTIONS_OF: Final[Mapping[Source, Any]] = {
    "kes": KesSource,
    "resamples": ResampleSource,
    "boundaries": BoundarySource,
}


@about_table
@declared
def measure_confidence(
    data: Any, target: Label | None = None, **options: Unpack[ConfidenceOptions]
) -> FeatureConfidence:
    """Measure how sure one can be of edges, directed paths and members of Markov boundaries.

    Many models are found, and the confidence in a graph feature is the share of them that have it.
    Options that the chosen source does not take are refused.

    Parameters
    ----------
    data : any table
        See :meth:`eiderdown.Dataset.of`.
    target : label or None
        The column that is asked about. Source "boundaries" and searches around a column need it;
        for whole networks only reports and pictures are about it.
    **options

    Returns
    -------
    FeatureConfidence
        Confidences, models, curves and thresholds. Cancelled with Ctrl-C or by a time limit, of
        the runs so far.

    Raises
    ------
    KeyboardInterrupt
        When it is cancelled before the first run has ended.

    Notes
    -----
    KES and its numbers are those of Pena, Kocka & Nielsen (2004); its score must be one that
    equivalent graphs share. More runs begin with the seeds of fewer. A directed graph says more
    than data can, so it counts as its essential graph; a PDAG from a function of your own counts
    as it stands.

    Examples
    --------
    >>> from eiderdown import measure_confidence, networks
    >>> data = networks.load("asia").sample(500, random_state=0)
    >>> found = measure_confidence(data, k=0.3, runs=500)
    >>> found.n_distinct > 50
    True
    >>> found.confidence_of("boundary", "bronc", "dysp")
    1.0
    """
    source, given = options["source"], {**options}
    known, of_source = options_of(ConfidenceOptions), options_of(_OPTIONS_OF[source])
    useless = [
        name for name in given if name not in of_source and not known[name].is_default(given[name])
    ]
    if useless:
        raise OptionError(f"source={source!r} has no use for {listed(useless)}; leave it out.")
    table = Dataset.of(data)
    if source == "kes":
        resume = options["resume"]
        result = confidence_by_kes(table, options, target=target, resume=resume)
    elif source == "resamples":
        result = _by_resamples(table, target, options)
    else:
        result = _by_boundaries(table, target, options)
    issue_warnings(result)
    return result


@about_table
@declared
def measure_optima(data: Any, **options: Unpack[CountOptions]) -> OptimaBySize:
    """Count the distinct local optima that KES finds in samples of the rows.

    If the rows come from a network that they are faithful to, more of them leave fewer optima; in
    real tables they may not.

    Parameters
    ----------
    data : any table
        See :meth:`eiderdown.Dataset.of`.
    **options

    Returns
    -------
    OptimaBySize
        The counts. Cancelled with Ctrl-C or by a time limit, of the samples so far.

    Examples
    --------
    >>> from eiderdown import measure_optima, networks
    >>> data = networks.load("asia").sample(4_000, random_state=0)
    >>> found = measure_optima(data, shares=(0.5, 1.0), repeats=2, runs=50)
    >>> [(count.share, count.n_rows) for count in found.counts]
    [(0.5, 2000), (0.5, 2000), (1.0, 4000)]
    """
    table = Dataset.of(data)
    what, limit = f"local optima of {table.n_columns:,} columns", options["time_limit"]
    with watched(what, progress=options["progress"], counted="samples", time_limit=limit) as shown:
        how: Any = {**options, "weighting": None, "state": None}
        result = count_optima(
            table,
            how,
            shares=options["shares"],
            repeats=options["repeats"],
            trace=shown,
        )
    issue_warnings(result)
    return result


def _by_resamples(
    table: Dataset, target: str | None, options: ConfidenceOptions
) -> FeatureConfidence:
    """Learn a model from each of many resamples."""
    weighting = _weighting(options, "are scores of different rows")
    nodes = _columns(table, target, options)
    algorithm = "mmhc_restarts" if options["algorithm"] is None else options["algorithm"]
    # Of whole networks, and of functions, only the report is about the target.
    is_local = isinstance(algorithm, str | Algorithm) and (
        verb_of(LEARNERS[algorithm]) is not learn_network
    )
    around = target if is_local else None
    learner = learner_of(algorithm, LEARNERS, target=around, options={**options})
    resamples = Resamples(table, learner, options["runs"] or N_RUNS, {**options})
    distinct, columns = DistinctModels(), dict.fromkeys(nodes)

    def digest(learned: Any) -> tuple[FoundModel, tuple[str, ...]]:
        return replace(model_of(learned), score=None), columns_of(learned)

    def gather(digested: tuple[FoundModel, tuple[str, ...]]) -> None:
        model, spoken_of = digested
        distinct.add(model)
        columns.update(dict.fromkeys(spoken_of))

    run, warnings, complete = resamples.learned(digest, gather)
    models = distinct.ranked()
    return confidence_from(
        models,
        tuple(columns),
        weighting,
        source="resamples",
        target=target,
        run=run,
        warnings=(*warnings, *confidence_warnings(models, weighting=weighting, same_rows=False)),
        complete=complete,
    )


def _by_boundaries(
    table: Dataset, target: str | None, options: ConfidenceOptions
) -> FeatureConfidence:
    """Search for the boundary of one column again and again, with random choices."""
    if target is None:
        raise OptionError("source='boundaries' is about one column; name it as target.")
    algorithm = "kiamb" if options["algorithm"] is None else options["algorithm"]
    if not isinstance(algorithm, str | Algorithm):
        raise OptionError("source='boundaries' takes a search by name, such as 'kiamb'.")
    weighting = _weighting(options, "have no score")
    nodes = _columns(table, target, options)
    taken = options_of(find_boundaries)
    given: Any = {name: value for name, value in options.items() if name in taken}
    limit = options["time_limit"]
    with withheld_warnings(), watched("", progress=False, time_limit=limit):
        found = find_boundaries(
            table,
            target=target,
            **{**given, "algorithm": algorithm, "runs": options["runs"] or N_RUNS, "cv": None},
        )
        if not found.alternatives:
            abandon()
    models = DistinctModels(map(model_of, found)).ranked()
    more = "a smaller fraction or more runs"
    return confidence_from(
        models,
        nodes,
        weighting,
        source="boundaries",
        target=target,
        run=found.run,
        warnings=(
            *found.warnings,
            *confidence_warnings(models, weighting=weighting, same_rows=True, more=more),
        ),
        complete=found.complete,
    )


def _columns(table: Dataset, target: str | None, options: ConfidenceOptions) -> tuple[str, ...]:
    """Return the columns that take part, of whatever kind they are."""
    return prepare_network(
        table,
        target=target,
        exclude=options["exclude"],
        takes="both kinds",
        missing=options["missing"],
    ).data.names


def _weighting(options: ConfidenceOptions, reason: str) -> Weighting:
    """Return what each model counts; scores do not count where they cannot be compared."""
    weighting = options["weighting"] or "runs"
    if weighting == "score":
        raise OptionError(
            f"weighting='score' is not for source={options['source']!r}, whose models {reason}; "
            "choose 'runs' or 'distinct'."
        )
    return weighting
