"""FBED: forward-backward selection with early dropping.

Borboudakis & Tsamardinos (2019), "Forward-backward selection with early dropping". A candidate
that is independent of the target given the present members is not looked at again in that run, so
most runs cost little more than one sweep over the whole table. What was dropped gets another chance
in the next run.

With at least one extra run and a test that makes no mistakes it is exact under faithfulness:
parents and children depend on the target given anything, so none is dropped in the first run;
spouses depend on it given anything that holds the shared child, so none is dropped in the second.
"""

from __future__ import annotations

from eiderdown.boundary.grow_shrink import admit, begin, shrink
from eiderdown.boundary.search import Found, LocalSearch
from eiderdown.errors import OptionError
from eiderdown.independence import IndependenceBatch


def fbed(search: LocalSearch, *, runs: int = 1) -> Found:
    """Find a Markov boundary, looking at hopeless candidates once a run only.

    Parameters
    ----------
    search : LocalSearch
        The question.
    runs : int
        The paper's K: forward runs after the first. They end early when one adds nobody, so that a
        large number means "until nothing changes".
    """
    if runs < 0:
        raise OptionError(f"runs must be at least 0 extra forward runs, not {runs!r}.")
    boundary = begin(search)
    for _ in range(runs + 1):
        if not _forward(search, boundary):
            break
    shrink(search, boundary)
    return Found(tuple(boundary))


def _forward(search: LocalSearch, boundary: list[int]) -> bool:
    """Add the best of those still dependent until none is left; say whether anybody came in."""
    n_before = len(boundary)
    open_, dropped = search.outside(boundary), []
    while len(open_) and search.allows(len(boundary)):
        batch = search.sweep(open_, boundary)
        dependent = batch.dependent(search.alpha)
        dropped.append(batch.take(~dependent))
        best = batch.take(dependent).strongest(search.test.name_rank)
        if best is None:
            break
        admit(search, boundary, best)
        open_ = batch.x[dependent & (batch.x != best.x)]
    if dropped:
        search.trace.not_admitted(IndependenceBatch.joined(dropped))
    return len(boundary) > n_before
