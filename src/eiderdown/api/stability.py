"""``measure_stability``: how often edges come back when a graph is learned from resampled rows."""

from __future__ import annotations

from typing import Any

from eiderdown.api.resampled import Resamples, chosen_learner
from eiderdown.confidence import Learner, Resampling, Tally
from eiderdown.confidence.resampling import Method
from eiderdown.data import Dataset
from eiderdown.results import EdgeStability, issue_warnings


def measure_stability(
    data: Any,
    *,
    algorithm: str | Learner = "mmhc_restarts",
    target: str | None = None,
    resamples: int = 100,
    method: Method = "bootstrap",
    share: float | None = None,
    random_state: int | None = None,
    n_jobs: int | None = None,
    progress: bool = True,
    **options: Any,
) -> EdgeStability:
    """Measure how often each edge comes back when the graph is learned from resampled rows.

    Parameters
    ----------
    data : any table
        See :meth:`eiderdown.Dataset.of`.
    algorithm : str or callable, default="mmhc_restarts"
        Name of a search for networks (as in :func:`learn_network`), for regions
        (:func:`learn_region`) or for parents and children (:func:`find_parents_children`); or a function
        of your own that takes a Dataset and a seed and returns a graph.
    target : str or None
        The column around which a region, or parents and children, are searched.
    resamples : int, default=100
        How often.
    method : {"bootstrap", "subsample"}, default="bootstrap"
        Draw rows with replacement, or without.
    share : float or None
        How many rows to draw, as a share of those there are; None for all of them (bootstrap) or
        half of them (subsample).
    random_state : int or None
        Seed.
    n_jobs : int or None
        Threads, each with a resample; None means every available core. The result does not depend
        on it.
    progress : bool, default=True
        Tell on stderr how many resamples are done.
    **options
        Options of the search, as of the function that it belongs to, such as ``alpha``, ``depth``
        or ``knowledge``.

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
    >>> found = measure_stability(data, algorithm="pc_stable", resamples=20, random_state=0)
    >>> found.edge("smoke", "bronc").adjacent
    1.0
    >>> ("bronc", "smoke") in found.consensus().undirected
    True
    """
    learner = chosen_learner(algorithm, target=target, options=options)
    resampling = Resampling(method, share)
    table, tally = Dataset.of(data), Tally()
    drawn = Resamples(table, learner, resamples, resampling, random_state, n_jobs, progress)
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
