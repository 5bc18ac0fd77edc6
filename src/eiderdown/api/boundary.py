"""``find_boundary``, ``find_parents_children``, ``find_all_boundaries``: answers with evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypeAlias, TypedDict, TypeVar, Unpack

from eiderdown.api import choice
from eiderdown.api.cluster_targets import shared_out
from eiderdown.api.kept_targets import TargetStateOptions, kept_targets, question_of
from eiderdown.api.local import (
    ConfiguredSearch,
    known_sets,
    prepared_for,
    run_search,
    summed_run,
    test_of,
)
from eiderdown.api.recording import is_outermost
from eiderdown.api.tables import about_table
from eiderdown.api.targets_apart import searches_apart
from eiderdown.boundary import (
    ALGORITHMS,
    BOUNDARY_ALGORITHMS,
    MARKOV_BOUNDARY,
    PARENTS_CHILDREN_ALGORITHMS,
    Search,
)
from eiderdown.boundary.ahead import SearchAhead
from eiderdown.boundary.false_discoveries import ErrorRate
from eiderdown.boundary.known_sets import KnownSets
from eiderdown.data import Dataset
from eiderdown.data.missing import FOR_SVM
from eiderdown.data.prepare import Prepared, prepare_target, prepare_targets
from eiderdown.errors import OptionError
from eiderdown.independence import CachedTest
from eiderdown.independence.registry import kinds_taken
from eiderdown.options import Option, declared
from eiderdown.progress import Cancelled, Trace, watched
from eiderdown.results import (
    AllBoundaries,
    LocalResult,
    MarkovBoundary,
    ParentsChildren,
    issue_warnings,
)
from eiderdown.shared_options import (
    IndependenceOptions,
    Label,
    Names,
    RememberingOptions,
    RequiredOptions,
    RunOptions,
    TableOptions,
    TieOptions,
)
from eiderdown.state import RecordFile

Result = TypeVar("Result", bound=LocalResult)

_SEARCH = "search: a name, 'auto' to let the table choose, or a configured entry such as"
_LISTED = "search; 'eiderdown algorithms {}' lists them, and 'auto' goes by the table"


Goal: TypeAlias = Annotated[
    Literal["boundary", "prediction"],
    Option(
        "what the answer is for: the Markov boundary, or beside it the smallest set of columns "
        "that predicts as well as any, chosen by cross-validation",
        default="boundary",
    ),
]


class LocalSearch(IndependenceOptions, TieOptions, RequiredOptions, total=False):
    """What searches around one column take, here and as estimators."""

    error_rate: ErrorRate


class BoundarySearch(LocalSearch, total=False):
    """What searches for Markov boundaries take."""

    algorithm: Annotated[
        str | Search,
        Option(f"{_SEARCH} PCMB(max_given=2)", choice.AUTO, command_help=_LISTED.format("find")),
    ]


class ParentsChildrenSearch(LocalSearch, total=False):
    """What searches for parents and children take."""

    algorithm: Annotated[
        str | Search,
        Option(
            f"{_SEARCH} MMPC(symmetry='or')",
            choice.AUTO,
            command_help=_LISTED.format("parents-children"),
        ),
    ]


class ExplainOptions(TypedDict, total=False):
    """What results can say of the columns outside."""

    explain_all: Annotated[
        bool,
        Option(
            "keep two tests of every column outside, by which the result can say why it is not in",
            default=True,
            flag="--no-explain-all",
        ),
    ]


class BoundaryOptions(BoundarySearch, TableOptions, RunOptions, ExplainOptions, total=False):
    """What :func:`find_boundary` takes."""

    check_interactions: Annotated[
        bool,
        Option(
            "also search interactions, as find_interactions does, on a half of the rows, and warn "
            "if the columns behind them predict the other half better than the boundary's",
            default=False,
        ),
    ]
    goal: Goal
    check_prediction: Annotated[
        bool,
        Option(
            "also measure how well the boundary and all columns predict rows that the search did "
            "not see, for which it is repeated in five folds",
            default=False,
        ),
    ]


class ParentsChildrenOptions(
    ParentsChildrenSearch, TableOptions, RunOptions, ExplainOptions, total=False
):
    """What :func:`find_parents_children` takes."""


class AllBoundariesOptions(
    IndependenceOptions,
    TieOptions,
    RememberingOptions,
    TargetStateOptions,
    TableOptions,
    RunOptions,
    total=False,
):
    """What :func:`find_all_boundaries` takes."""

    error_rate: ErrorRate

    algorithm: Annotated[
        str | Search,
        Option(
            f"{_SEARCH} GET_PC(max_given=2), for boundaries or parents and children",
            choice.AUTO,
            command_help=_LISTED.format("all"),
        ),
    ]
    targets: Annotated[
        Names | None,
        Option(
            "columns to ask about; None for all that vary",
            default=None,
            flag="--target",
            metavar="COLUMN",
        ),
    ]


@about_table
@declared
def find_boundary(data: Any, target: Label, **options: Unpack[BoundaryOptions]) -> MarkovBoundary:
    """Find the Markov boundary of a column: the columns that make all others irrelevant to it.

    Parameters
    ----------
    data : Dataset, pandas, polars or Arrow table, NumPy or SciPy sparse array, or a path
        The table; see :meth:`eiderdown.Dataset.of`.
    target : label
        The target column.
    **options

    Returns
    -------
    MarkovBoundary
        Members, evidence, and how the search went. Interrupted with Ctrl-C, or when its time is
        over, the best so far. With ``goal="prediction"`` its ``predictors`` are the columns to
        predict from, and ``prediction`` says how they were chosen.

    Examples
    --------
    >>> from eiderdown import find_boundary, networks
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> sorted(find_boundary(data, target="dysp").members)
    ['bronc', 'either']
    """
    table, progress = Dataset.of(data), options["progress"]
    checked = options["check_interactions"]
    search = choice.named(options["algorithm"], BOUNDARY_ALGORITHMS)
    predicted = options["check_prediction"] or options["goal"] == "prediction"
    with watched("", progress=False, time_limit=options["time_limit"]):
        result = _found(MarkovBoundary, table, target, search, choice.OF_BOUNDARY, options)
        if checked and result.complete:
            from eiderdown.api.interaction_check import with_interactions_checked

            with watched(f"interactions of {target!r}", progress=progress, counted="done") as shown:
                result = with_interactions_checked(
                    result,
                    prepare_target(
                        table,
                        target,
                        exclude=options["exclude"],
                        missing=options["missing"],
                        complete=FOR_SVM,
                    ),
                    random_state=options["random_state"] or 0,
                    n_jobs=options["n_jobs"],
                    shown=shown,
                )
        if predicted and result.complete:
            from eiderdown.api.prediction_goal import with_prediction

            with watched(f"prediction of {target!r}", progress=progress, counted="folds") as shown:
                result = with_prediction(result, table, options, shown)
    issue_warnings(result)
    return result


@about_table
@declared
def find_parents_children(
    data: Any, target: Label, **options: Unpack[ParentsChildrenOptions]
) -> ParentsChildren:
    """Find the parents and children of a column: those that no other columns separate from it.

    In searches over subsets conditioning sets have at most three columns (two at hubs with more
    than 20 parents and children, and one at those with more than 100, where subsets are too many)
    unless ``max_given`` says otherwise.

    Parameters
    ----------
    data : any table
        See :meth:`eiderdown.Dataset.of`.
    target : label
        The target column.
    **options

    Returns
    -------
    ParentsChildren
        Members, evidence, and how the search went. Interrupted with Ctrl-C, or when its time is
        over, the best so far.

    Examples
    --------
    >>> from eiderdown import find_parents_children, networks
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> sorted(find_parents_children(data, target="smoke").members)
    ['bronc', 'lung']
    """
    search = choice.named(options["algorithm"], PARENTS_CHILDREN_ALGORITHMS)
    default = choice.OF_PARENTS_CHILDREN
    result = _found(ParentsChildren, Dataset.of(data), target, search, default, options)
    issue_warnings(result)
    return result


def _found(
    kind: type[Result],
    data: Dataset,
    target: str,
    named: Search | None,
    default: choice.Default,
    options: Any,
) -> Result:
    """Search around one target, by what was named or by what the table chooses."""
    required, prepared = options["required"], prepared_for(data, target, options)
    what, limit = f"{default.by_tests.returns} of {target!r}", options["time_limit"]
    with watched(what, progress=options["progress"], time_limit=limit) as shown:
        test = test_of(prepared, options)
        search = configured(named, default, prepared, test, options)
        search = replace(search, explain_all=options["explain_all"] and is_outermost())
        return run_search(kind, prepared, test, search, listener=shown, required=required)


def configured(
    named: Search | None,
    default: choice.Default,
    prepared: Prepared,
    test: CachedTest,
    options: Any,
) -> ConfiguredSearch:
    """Return the search that was named, or that the table chooses, with its options."""
    search, why = named, ""
    if search is None:
        search, why = choice.chosen(default, prepared.data, test, options)
    asked = [options.get(name, False) for name in ("check_interactions", "check_prediction")]
    seeded = any(asked) or options.get("goal") == "prediction"
    return ConfiguredSearch.of(search, options, seeded=seeded, why=why)


@about_table
@declared
def find_all_boundaries(data: Any, **options: Unpack[AllBoundariesOptions]) -> AllBoundaries:
    """Find the boundary (or the parents and children) of every column.

    Targets share tests and sets of parents and children, so this is much quicker than one call for
    each. With a search for parents and children it is also the way to the skeleton of the whole
    network. With ``state`` every target is kept as soon as it is done, and a run that was
    interrupted or killed goes on where it was.

    Parameters
    ----------
    data : any table
        See :meth:`eiderdown.Dataset.of`.
    **options

    Returns
    -------
    AllBoundaries
        One result for each target. Interrupted with Ctrl-C, or when its time is over, those found
        so far.

    Examples
    --------
    >>> from eiderdown import find_all_boundaries, networks
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> found = find_all_boundaries(data, algorithm="get_pc")
    >>> found["smoke"].members
    ('bronc', 'lung')
    >>> found.skeleton().n_edges
    7
    """
    named, default = choice.named(options["algorithm"], ALGORITHMS), choice.OF_ALL
    returns = (named or default.by_tests).returns
    kind: type[LocalResult] = MarkovBoundary if returns == MARKOV_BOUNDARY else ParentsChildren
    table = Dataset.of(data, exclude=options["exclude"])
    taken = kinds_taken(options["test"])
    prepared = prepare_targets(table, takes=taken, missing=options["missing"])
    wanted = prepared.candidate_names if options["targets"] is None else options["targets"]
    if not len(wanted):
        raise OptionError("targets names no column; name some, or leave it out to ask about all.")
    if wanted is options["targets"]:
        for name in wanted:
            prepared.around(name)  # which refuses what cannot be asked about
    what, limit = f"{returns} of {len(wanted)} columns", options["time_limit"]
    with watched(what, progress=options["progress"], counted="targets", time_limit=limit) as shown:
        test = test_of(prepared, options)
        search = configured(named, default, prepared, test, options)
        question = question_of(prepared, test, search, options)
        with RecordFile(options["state"], question) as state:
            kept = kept_targets(state, kind)
            left = [name for name in wanted if prepared.data.name(name) not in kept]
            shared = shared_out(table, left, options)
            around = AroundEach(kind, prepared, test, search, known_sets(options), options)
            here = around.targets(left, shown.silent())
            for result in here if shared.layout is None else shared.results:
                if state.is_written:
                    state.append(result.to_dict())
                kept[result.target] = result
                with suppress(Cancelled):  # the next search will see it
                    shown.progressed("searching", len(kept))
    names = [prepared.data.name(name) for name in wanted]
    results = {name: kept[name] for name in names if name in kept}
    said = (*prepared.warnings, *test.notes, *([state.problem] if state.problem else []))
    complete = len(results) == len(names)
    if not complete:
        said = (*said, f"Interrupted: {len(results)} of {len(names)} targets are done.")
    run = summed_run(prepared, test, search, [result.run for result in results.values()])
    run = shared.recorded(run)
    found = AllBoundaries(results, said, complete, run)
    issue_warnings(found)
    return found


@dataclass(frozen=True)
class AroundEach:
    """Searches around many targets, which share tests and sets of parents and children."""

    kind: type[LocalResult]
    prepared: Prepared
    test: CachedTest
    search: ConfiguredSearch
    known: KnownSets
    options: Mapping[str, Any]

    def targets(self, names: Sequence[str], listener: Trace) -> Iterator[LocalResult]:
        """Search around each target, in their order, until one search is cancelled.

        Others search ahead; what they find is taken in the order of the names.
        """
        others = searches_apart(
            self.prepared, self.test, self.search, names, self.options, listener
        )
        with SearchAhead(map(self.prepared.data.index, names)) as ahead, others as apart:
            search = replace(self.search, ahead=ahead, apart=apart)
            for name in names:
                around = self.prepared.around(name)  # now, because it lists all candidates
                result = run_search(
                    self.kind, around, self.test, search, listener=listener, known=self.known
                )
                if not result.complete:
                    return
                yield result
