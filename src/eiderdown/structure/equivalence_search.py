"""Searches among equivalence classes of graphs: KES and GES.

KES (Nielsen, Kocka & Pena 2003; Pena, Kocka & Nielsen 2004) looks at all classes next to the
present one, larger and smaller, that score higher, draws a share k of them at random, and moves to
the best of that share. Run again and again it ends in different local optima. GES (Chickering 2002)
always makes the best move: first only larger classes, then only smaller ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eiderdown.errors import OptionError
from eiderdown.progress import Trace
from eiderdown.scores.base import ScoreCounts
from eiderdown.structure.search import Edge

if TYPE_CHECKING:
    from eiderdown.knowledge import ColumnKnowledge
    from eiderdown.scores import LocalScore
    from eiderdown.structure.class_ground import Ground
    from eiderdown.structure.class_walk import ClassWalk

MOST_COLUMNS = 2_000
"""With more, the rows of gains no longer fit into memory."""

# Which of Insert, Delete and Turn are made before others; -1 for never.
_INSERTS, _DELETES = (0, -1, -1), (-1, 0, -1)
_INSERTS_AND_DELETES = (0, 0, -1)
_ANYTHING = (2, 0, 1)
_ANYTHING_ALIKE = (0, 0, 0)

_RETRY_K = 0.8
_START_K = 0.5
_MOST_STARTS, _STARTS_TIMES_NODES = 30, 1_000  # fewer starts where each takes long
_STARTS_PER_KEPT = 6


@dataclass(frozen=True)
class EquivalenceFound:
    """Where a search ended.

    Attributes
    ----------
    directed : tuple of (int, int)
        Edges, parent first, with the same direction in all graphs of the class; with knowledge, in
        all that agree with it.
    undirected : tuple of (int, int)
        The other edges, the smaller number first.
    parents : tuple of tuple of int
        Parents of every variable in one graph of the class.
    score : float
        Score of the class.
    n_moves : int
        How many classes were passed.
    complete : bool
        False if Ctrl-C ended the search and this is the class it had reached.
    """

    directed: tuple[Edge, ...]
    undirected: tuple[Edge, ...]
    parents: tuple[tuple[int, ...], ...]
    score: float
    n_moves: int
    complete: bool = True


class EquivalenceSearch:
    """Searches among the equivalence classes of graphs over a score's variables.

    All runs share one memory of scores, also when they run in several threads.

    Parameters
    ----------
    score : LocalScore
        What to climb on; it must score equivalent graphs alike.
    knowledge : ColumnKnowledge or None
        Edges that must or must not be there, and the most parents.
    max_parents : int or None
        No set of more parents is scored; None for no limit but the knowledge's.

    Examples
    --------
    >>> from eiderdown import networks
    >>> from eiderdown.scores import make_score
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> search = EquivalenceSearch(make_score("bic", data))
    >>> found = [search.kes(k=0.5, generator=np.random.default_rng(i)) for i in range(20)]
    >>> len({run.directed + run.undirected for run in found}) > 1
    True
    >>> max(run.score for run in found) >= search.ges().score
    True
    """

    def __init__(
        self,
        score: LocalScore,
        *,
        knowledge: ColumnKnowledge | None = None,
        max_parents: int | None = None,
    ) -> None:
        if not score.equivalent:
            raise OptionError(
                f"The score {score.name!r} can differ between equivalent graphs, so it cannot "
                "judge classes of them; use 'bic', 'bdeu' or 'gaussian_bic'."
            )
        if max_parents is not None and max_parents < 1:
            raise OptionError(f"max_parents must be at least 1 or None, not {max_parents}.")
        if score.n_variables > MOST_COLUMNS:
            raise OptionError(
                f"A search among classes weighs every pair of columns, and {score.n_variables:,} "
                f"are too many for that; use mmhc, or leave columns out until there are "
                f"{MOST_COLUMNS:,}."
            )
        # Here and not at the top, because it needs compiled code.
        from eiderdown.structure.class_ground import Ground

        self._ground = Ground.of(score, knowledge, max_parents)

    @property
    def counts(self) -> ScoreCounts:
        """How many gains were computed so far, for all runs."""
        return ScoreCounts(n_computed=self._ground.gains.n_computed)

    def kes(
        self,
        *,
        k: float = 0.8,
        turning: bool = False,
        generator: np.random.Generator | None = None,
        trace: Trace | None = None,
    ) -> EquivalenceFound:
        """Run KES once, from the graph without edges.

        Parameters
        ----------
        k : float, default=0.8
            Share of the better classes next to the present one of which the best is taken, from 0
            (any of them) to 1 (the best of all).
        turning : bool, default=False
            Whether the classes that one turned edge leads to count as next to the present one.
        generator : numpy Generator or None
            Where random choices come from; None for always the same.
        trace : Trace or None
            Who listens to the progress.
        """
        if not 0.0 <= k <= 1.0:
            raise OptionError(f"k must be from 0 to 1, not {k}.")

        walks = _Walks(self._ground, generator, trace)
        with walks.until_interrupted():
            walks.begin().climb(_ANYTHING_ALIKE if turning else _INSERTS_AND_DELETES, k=k)
        return walks.best()

    def ges(
        self,
        *,
        retries: bool = True,
        generator: np.random.Generator | None = None,
        trace: Trace | None = None,
    ) -> EquivalenceFound:
        """Run GES, and then look for ways out of the local optimum.

        Parameters
        ----------
        retries : bool, default=True
            Whether to go on after the two phases: with other starts, turned edges, around each edge
            with chance, and without each edge. False for the two phases of the paper and nothing
            else.
        generator : numpy Generator or None
            Where the random choices of the retries come from; None for always the same.
        trace : Trace or None
            Who listens to the progress.
        """
        walks = _Walks(self._ground, generator, trace)
        with walks.until_interrupted():
            walk = walks.begin()
            walk.climb(_INSERTS)
            walk.climb(_DELETES)
            if retries:
                walks.retry()
        return walks.best()


class _Walks:
    """The walks of one search.

    Parameters
    ----------
    ground : Ground
        Where they climb.
    generator : numpy Generator or None
        Where random choices come from; None for always the same.
    trace : Trace or None
        Who listens.
    """

    def __init__(
        self, ground: Ground, generator: np.random.Generator | None, trace: Trace | None
    ) -> None:
        self._ground = ground
        self._generator = generator or np.random.default_rng(0)
        self._trace = trace or Trace()
        self._walks: list[ClassWalk] = []
        self._complete = True

    @contextmanager
    def until_interrupted(self) -> Iterator[None]:
        """Let Ctrl-C end the search; what was reached is kept."""
        try:
            yield
        except KeyboardInterrupt:
            self._complete = False

    def begin(self) -> ClassWalk:
        """Begin a walk, which goes on counting moves where the last one ended."""
        from eiderdown.structure.class_walk import ClassWalk

        walk = ClassWalk(self._ground, self._generator, self._trace)
        walk.n_moves = self._n_moves
        self._walks.append(walk)
        return walk

    def retry(self) -> None:
        """Begin elsewhere, too, and look for ways out of the best optima."""
        from eiderdown.structure.class_retries import retry_around_edges, retry_without_deletes

        n_starts = min(_MOST_STARTS, _STARTS_TIMES_NODES // len(self._ground.columns))
        for _ in range(n_starts):
            self.begin().climb(_ANYTHING_ALIKE, k=_START_K)
        n_kept = max(1, n_starts // _STARTS_PER_KEPT)
        for walk in sorted(self._walks, key=lambda walk: -walk.score)[:n_kept]:
            walk.n_moves = self._n_moves
            walk.climb(_ANYTHING)
            while retry_around_edges(walk, _ANYTHING, k=_RETRY_K) or retry_without_deletes(
                walk, _ANYTHING
            ):
                pass

    def best(self) -> EquivalenceFound:
        """Describe where the best walk ended."""
        walk = max(self._walks, key=lambda walk: walk.score)
        directed, undirected = walk.edges()
        families = walk.families()
        return EquivalenceFound(
            directed=tuple(directed),
            undirected=tuple(undirected),
            parents=tuple(families),
            score=self._ground.total(families),
            n_moves=self._n_moves,
            complete=self._complete,
        )

    @property
    def _n_moves(self) -> int:
        return max((walk.n_moves for walk in self._walks), default=0)
