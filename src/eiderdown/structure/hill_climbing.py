"""Hill climbing over directed acyclic graphs, with a TABU list and restarts.

Each step makes the best of all legal single changes (add, delete, reverse) that does not lead back
to one of the last graphs, even if it loses; the best graph on the way is the answer. Tsamardinos,
Brown & Aliferis (2006) keep 100 graphs and stop after 15 changes without a new best. Of equal
changes the one is made whose place was left alone for longest, so that a walk over a plateau, such
as among equivalent graphs, sees all of it. Only the children that a change touched are scored
again, each by one sweep.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.errors import OptionError
from eiderdown.progress import Trace
from eiderdown.structure.search import StructureFound, StructureSearch

if TYPE_CHECKING:
    from eiderdown.knowledge import ColumnKnowledge
    from eiderdown.scores import LocalScore
    from eiderdown.structure.walk import Walk

MOST_COLUMNS = 5_000
"""With more, all pairs of them would take more than a gigabyte."""


@dataclass(frozen=True)
class Climbed:
    """Where a climb ended.

    Attributes
    ----------
    parents : tuple of tuple of int
        Parents of every column, in column order.
    score : float
        Score of that graph.
    n_moves : int
        How many changes were made on the way.
    complete : bool
        False if Ctrl-C ended the climb and this is the best so far.
    """

    parents: tuple[tuple[int, ...], ...]
    score: float
    n_moves: int
    complete: bool = True


def climb(
    score: LocalScore,
    *,
    knowledge: ColumnKnowledge | None = None,
    candidates: Mapping[int, IntArray] | Sequence[IntArray] | None = None,
    start: Sequence[tuple[int, int]] = (),
    max_parents: int | None = None,
    tabu_length: int = 100,
    patience: int = 15,
    restarts: int = 0,
    perturbation: int = 1,
    least_share: float = 0.0,
    generator: np.random.Generator | None = None,
    trace: Trace | None = None,
) -> Climbed:
    """Find a directed acyclic graph with a high score.

    Parameters
    ----------
    score : LocalScore
        What to climb on.
    knowledge : ColumnKnowledge or None
        Edges that must or must not be there, and the most parents.
    candidates : sequence or mapping of IntArray, or None
        By column, which others may be its parents; None for all. Of a mapping, only the columns
        that it names take part.
    start : sequence of (int, int)
        Edges (parent, child) of the first graph; those that are required come on top.
    max_parents : int or None
        Most parents of any column; None for no limit but the knowledge's.
    tabu_length : int
        How many of the last graphs may not come again.
    patience : int
        How many changes without a new best graph end the climb; 0 to make no change that does not
        gain.
    restarts : int
        How many rounds of restarts. In a round every column in turn, in random order, loses its
        edges in the best graph so far, and the climb goes on from there.
    perturbation : int
        How many columns lose their edges at a time.
    least_share : float
        The climb also ends when a change gains less than this share of the first change.
    generator : numpy Generator or None
        Where the order of the restarts comes from; None for always the same.
    trace : Trace or None
        Who listens to the progress.

    Returns
    -------
    Climbed
        The best graph on the way. Interrupted with Ctrl-C, the best so far.

    Examples
    --------
    >>> from eiderdown import networks
    >>> from eiderdown.scores import make_score
    >>> score = make_score("bic", networks.load("asia").sample(5_000, random_state=0))
    >>> found = climb(score)
    >>> dysp = score.names.index("dysp")
    >>> sorted(score.names[parent] for parent in found.parents[dysp])
    ['bronc', 'either']
    """
    _check(tabu_length, patience, restarts, perturbation, least_share)
    from eiderdown.structure.walk import Walk

    walk = Walk(
        score,
        _by_column(score, candidates),
        knowledge=knowledge,
        start=start,
        max_parents=max_parents,
        tabu_length=tabu_length,
    )
    listener, drawn = trace or Trace(), generator or np.random.default_rng(0)
    complete = True
    try:
        _go_up(walk, patience, least_share, listener)
        for _ in range(restarts):
            nodes = drawn.permutation(walk.n_nodes)
            for k in range(0, walk.n_nodes, perturbation):
                walk.isolate(nodes[k : k + perturbation].tolist())
                _go_up(walk, patience, least_share, listener)
    except KeyboardInterrupt:
        complete = False
    return Climbed(walk.parents(), walk.best_score, walk.n_moves, complete)


def hill_climbing(
    search: StructureSearch, *, tabu_length: int = 100, patience: int = 15, restarts: int = 1
) -> StructureFound:
    """Search all directed acyclic graphs by hill climbing.

    Parameters
    ----------
    search : StructureSearch
        The question; it needs a score.
    tabu_length, patience, restarts
        As in :func:`climb`.
    """
    if search.n_variables > MOST_COLUMNS:
        raise OptionError(
            f"hill_climbing weighs every pair of columns, and {search.n_variables:,} columns are "
            f"too many for that; use mmhc, or leave columns out until there are {MOST_COLUMNS:,}."
        )
    climbed = climb(
        search.the_score,
        knowledge=search.knowledge,
        tabu_length=tabu_length,
        patience=patience,
        restarts=restarts,
        generator=search.generator,
        trace=search.trace,
    )
    return StructureFound.of_parents(search.the_score, climbed.parents, complete=climbed.complete)


def _go_up(walk: Walk, patience: int, least_share: float, trace: Trace) -> None:
    """Make the best move again and again, until patience ends or no move will do."""
    more_than = walk.hair if patience == 0 else -math.inf
    n_before, n_idle = walk.n_moves, 0
    while n_idle < max(1, patience):
        gain = walk.step(more_than=more_than)
        if gain is None:
            return
        if least_share > 0.0 and walk.n_moves == n_before + 1:
            more_than = least_share * gain
        n_idle = 0 if walk.note_best() else n_idle + 1
        trace.progressed("climbing", walk.n_moves)


def _by_column(
    score: LocalScore, candidates: Mapping[int, IntArray] | Sequence[IntArray] | None
) -> Mapping[int, IntArray]:
    if isinstance(candidates, Mapping):
        return candidates
    if candidates is not None:
        return dict(enumerate(candidates))
    everyone = np.arange(score.n_variables)
    return dict.fromkeys(range(score.n_variables), everyone)


def _check(
    tabu_length: int, patience: int, restarts: int, perturbation: int, least_share: float
) -> None:
    for name, value, least in (
        ("tabu_length", tabu_length, 0),
        ("patience", patience, 0),
        ("restarts", restarts, 0),
        ("perturbation", perturbation, 1),
    ):
        if value < least:
            raise OptionError(f"{name} must be at least {least}, not {value}.")
    if not 0.0 <= least_share <= 1.0:
        raise OptionError(f"least_share must be from 0 to 1, not {least_share}.")
