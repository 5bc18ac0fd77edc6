"""Grow-shrink trees: what each variable's best parents are among those that come before it.

B. Andrews, J. Ramsey, R. Sanchez-Romero, J. Camchong & E. Kummerfeld, "Fast scalable and accurate
discovery of DAGs using the best order score search and grow-shrink trees" (NeurIPS 2023).

Every variable has a tree. A tree node stands for a set of parents; its branches are the variables
that would raise the score as one more parent, the largest gain first. To find the parents among
some variables, one goes down from the root, each time along the first branch whose variable is one
of these (grow), and takes parents away again where the walk ends, while that raises the score
(shrink). What was computed for one question answers all others that pass the same tree node.

Two things are ours, for :func:`eiderdown.structure.order.boss_restarts.boss_restarts`:

- *families are remembered*: what the walk finds is not always the best set of parents, because
  growing is greedy. If a better one was found before, in a walk among other variables, it is taken
  wherever all of its members come before;
- *promising candidates*: with two parents or more, only such variables are tried that gain at the
  root or behind one of its branches to these parents.

Kernels walk, grow and shrink (:mod:`eiderdown.structure.order.tree_kernels`); they ask the score
for one sweep for each tree node, and remember what it answered. Python makes room for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import IntArray, apart, rows_apart
from eiderdown.scores.questions import Questions
from eiderdown.structure.order.sweep_memory import SweepMemory
from eiderdown.structure.order.tree_kernels import (
    N_COMPUTED,
    N_NODES,
    N_SCORED,
    NONE,
    REQUIRED,
    Room,
    Trees,
    learn,
)

if TYPE_CHECKING:
    from eiderdown.scores import LocalScore

_FIRST_ROOM = 1_024
_OF_NODES = ("first", "end", "child", "above", "added", "next_best", "first_parent")
_OF_BRANCHES = ("variable", "leads_to", "owner")


class GrowShrinkTrees:
    """The trees of all variables; they grow on demand.

    Parameters
    ----------
    score : LocalScore
        What parents gain.
    columns : IntArray
        The score's variable for each of ours; of parents that gain the same, the first is taken.
    may : uint8 array
        Whether the second variable may or must be a parent of the first.
    max_parents : int
        The most parents that a variable may have.
    tolerance : float
        A gain up to this is none.
    remembering : bool
        Whether families are remembered, and only promising candidates tried; see the module.
    memory : SweepMemory or None
        What the score has answered to other trees of the same score and variables.
    board : IntArray or None
        Where sweeps are shared with others; see :mod:`eiderdown.work_sharing`.

    Attributes
    ----------
    trees : Trees
        For kernels; another one after each call of :meth:`go_on`.
    """

    def __init__(
        self,
        score: LocalScore,
        columns: IntArray,
        may: NDArray[np.uint8],
        *,
        max_parents: int,
        tolerance: float = 0.0,
        remembering: bool = False,
        memory: SweepMemory | None = None,
        board: IntArray | None = None,
    ) -> None:
        n = len(columns)
        self._questions = Questions(score, rows_apart(1, 64)[0] if board is None else board)
        self._families: dict[int, tuple[int, ...]] = {}
        required = [np.flatnonzero(of_child == REQUIRED) for of_child in may]
        room = max(n, _FIRST_ROOM)
        scores = np.full(room, np.nan)
        scores[:n] = score.local_of_all(
            [
                (column, columns[begun].tolist())
                for column, begun in zip(columns.tolist(), required, strict=True)
            ]
        )
        of_nodes: dict[str, Any] = {name: np.full(room, NONE, dtype=np.int64) for name in _OF_NODES}
        of_branches: dict[str, Any] = {
            name: np.zeros(room, dtype=np.int32) for name in (*_OF_BRANCHES, "parent")
        }
        self.trees = Trees(
            **of_nodes,
            **of_branches,
            own=scores,
            score=np.full(room, np.nan),
            with_it=np.zeros(room),
            best=apart(np.full(n, NONE, dtype=np.int64)),
            may=apart(may),
            n_required=apart(np.array([len(begun) for begun in required], dtype=np.int64)),
            columns=apart(columns),
            sizes=rows_apart(1, 5)[0],
            room=Room(*rows_apart(len(Room._fields), n + 1)),
            question=self._questions.question,
            memory=SweepMemory.empty(n) if memory is None else memory,
            max_parents=max_parents,
            tolerance=tolerance,
            remembering=remembering,
        )
        self.trees.child[:n] = np.arange(n)
        self.trees.sizes[[N_NODES, N_SCORED]] = n
        self.go_on()

    @property
    def n_scored(self) -> int:
        """For how many sets of parents the trees needed scores, whoever computed them."""
        return int(self.trees.sizes[N_SCORED])

    @property
    def n_computed(self) -> int:
        """How many scores the trees asked for that nobody remembered."""
        return int(self.trees.sizes[N_COMPUTED])

    def go_on(self) -> None:
        """Make room for what kernels may add next; raise what the score had raised."""
        self._questions.raise_problem()
        n_nodes, n_branches, n_parents = self.trees.sizes[:N_SCORED].tolist()
        more = len(self.trees.best) + 1
        self._make_room(n_nodes + 1, *_OF_NODES, "own", "score")
        self._make_room(n_branches + more, *_OF_BRANCHES, "with_it")
        self._make_room(n_parents + more, "parent")

    def parents(self, node: int) -> tuple[int, ...]:
        """Return the parents that shrinking left at a tree node, in order."""
        found = self._families.get(node)
        if found is None:
            start = end = int(self.trees.first_parent[node])
            while self.trees.parent[end] != NONE:
                end += 1
            found = self._families[node] = tuple(self.trees.parent[start:end].tolist())
        return found

    def learn(self, child: int, family: tuple[int, ...], score: float) -> None:
        """Remember a family, in order, that other trees have found."""
        learn(self.trees, child, np.array(family, dtype=np.int64), len(family), score)
        self.go_on()

    def _make_room(self, n: int, *names: str) -> None:
        """Let arrays have at least n places."""
        n_now = len(getattr(self.trees, names[0]))
        if n > n_now:
            for name in names:
                values: NDArray[Any] = getattr(self.trees, name)
                more = np.empty(max(n, 2 * n_now) - n_now, dtype=values.dtype)
                longer: dict[str, Any] = {name: np.concatenate([values, more])}
                self.trees = self.trees._replace(**longer)
