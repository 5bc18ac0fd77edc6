"""``measure_stability``: how often edges come back when a graph is learned from resampled rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Unpack

from eiderdown.api.resampled import Resamples, chosen_learner
from eiderdown.confidence import Resampling, Tally
from eiderdown.confidence.resampling import Method
from eiderdown.data import Dataset
from eiderdown.options import (
    IndependenceOptions,
    KnowledgeOptions,
    Names,
    Option,
    RunOptions,
    ScoreOptions,
    TableOptions,
    declared,
    options_of,
)
from eiderdown.results import EdgeStability, issue_warnings


class SearchedOptions(
    TableOptions, IndependenceOptions, ScoreOptions, KnowledgeOptions, total=False
):
    """What is passed on to the search, where it takes it."""

    depth: Annotated[
        int | None,
        Option("how many steps a region reaches; None for 1", default=None, at_least=1),
    ]
    required: Annotated[
        Names, Option("columns that must be among the parents and children", default=())
    ]


class StabilityOptions(SearchedOptions, RunOptions, total=False):
    """What :func:`measure_stability` takes."""

    algorithm: Annotated[
        Any,
        Option(
            "search for networks, regions or parents and children: a name or a configured one; or "
            "a function of your own of a Dataset and a seed that returns a graph",
            default="mmhc_restarts",
        ),
    ]
    target: Annotated[
        str | None,
        Option("column around which a region, or parents and children, are searched", default=None),
    ]
    resamples: Annotated[int, Option("how often", default=100, at_least=1, metavar="N")]
    method: Annotated[Method, Option("draw rows with replacement, or without", default="bootstrap")]
    share: Annotated[
        float | None,
        Option(
            "how many rows to draw, as a share of those there are; None for all of them "
            "(bootstrap) or half of them (subsample)",
            default=None,
        ),
    ]


@declared
def measure_stability(data: Any, **options: Unpack[StabilityOptions]) -> EdgeStability:
    """Measure how often each edge comes back when the graph is learned from resampled rows.

    Parameters
    ----------
    data : any table
        See :meth:`eiderdown.Dataset.of`.
    **options

    Returns
    -------
    EdgeStability
        The frequencies of edges and directions. Interrupted with Ctrl-C, of the resamples so far.

    Notes
    -----
    A search for a directed graph says more than the data can: only directions that all equivalent
    graphs share are counted as directions. Those of a function of your own are counted as they are.

    Examples
    --------
    >>> from eiderdown import measure_stability, networks
    >>> data = networks.load("asia").sample(2_000, random_state=0)
    >>> found = measure_stability(data, algorithm="pc_confirmed", resamples=20, random_state=0)
    >>> found.edge("smoke", "bronc").adjacent
    1.0
    >>> ("bronc", "smoke") in found.consensus().undirected
    True
    """
    chosen: Mapping[str, Any] = options
    passed_on = options_of(SearchedOptions)
    given = {name: chosen[name] for name in passed_on if chosen[name] != passed_on[name].default}
    learner = chosen_learner(options["algorithm"], target=options["target"], options=given)
    resampling = Resampling(options["method"], options["share"])
    tally = Tally()
    drawn = Resamples(
        Dataset.of(data),
        learner,
        options["resamples"],
        resampling,
        options["random_state"],
        options["n_jobs"],
        options["progress"],
        options["time_limit"],
    )
    run, said, complete = drawn.gathered(learner, tally.add)
    result = EdgeStability(
        edges=tally.edge_frequencies(),
        nodes=tally.node_shares(),
        n_resamples=tally.n_graphs,
        resampled_by=resampling.described,
        run=run,
        warnings=said,
        complete=complete,
    )
    issue_warnings(result)
    return result
