"""``measure_stability``: how often edges come back when a graph is learned from resampled rows."""

from __future__ import annotations

from typing import Annotated, Any, Unpack

from eiderdown.api.learners import (
    GRAPH_LEARNERS,
    LearnerOptions,
    Resamples,
    ResamplingOptions,
    graph_of,
    learner_of,
)
from eiderdown.api.tables import about_table
from eiderdown.confidence import EdgeCounts
from eiderdown.data import Dataset
from eiderdown.options import Label, Option, RunOptions, declared
from eiderdown.results import EdgeStability, issue_warnings


class StabilityOptions(LearnerOptions, ResamplingOptions, RunOptions, total=False):
    """What :func:`measure_stability` takes."""

    algorithm: Annotated[
        Any,
        Option(
            "search for networks, regions or parents and children: a name or a configured one; or "
            "a function of your own of a Dataset and a seed that returns a graph",
            default="mmhc_restarts",
        ),
    ]
    resamples: Annotated[int, Option("how often", default=100, at_least=1, metavar="N")]


@about_table
@declared
def measure_stability(
    data: Any, target: Label | None = None, **options: Unpack[StabilityOptions]
) -> EdgeStability:
    """Measure how often each edge comes back when the graph is learned from resampled rows.

    Parameters
    ----------
    data : any table
        See :meth:`eiderdown.Dataset.of`.
    target : label or None
        The column around which a region, or parents and children, are searched.
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
    learner = learner_of(options["algorithm"], GRAPH_LEARNERS, target=target, options={**options})
    resamples = Resamples(Dataset.of(data), learner, options["resamples"], {**options})
    counts = EdgeCounts()
    run, warnings, complete = resamples.learned(lambda learned: counts.add(graph_of(learned)))
    result = EdgeStability(
        edges=counts.edge_frequencies(),
        nodes=counts.node_shares(),
        n_resamples=counts.n_graphs,
        resampled_by=resamples.resampling.described,
        run=run,
        warnings=warnings,
        complete=complete,
    )
    issue_warnings(result)
    return result
