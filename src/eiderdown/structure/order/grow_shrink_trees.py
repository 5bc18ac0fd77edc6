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

Kernels walk; Python grows the tree nodes that were missing, by one sweep of the score each.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.structure.order.answers import Answers

if TYPE_CHECKING:
    from eiderdown.scores import LocalScore

NONE = -1
_FIRST_ROOM = 1_024


class Trees(NamedTuple):
    """What kernels read; the root of each variable's tree has the variable's number.

    Attributes
    ----------
    first, end : IntArray
        Where the branches of each tree node begin and end.
    variable, leads_to : int32 array
        By branch: the parent that it adds, and the tree node, ``NONE`` if it has not been grown.
    score : FloatArray
        By tree node: the variable's score with what shrinking leaves; NaN if nobody has asked.
    best, next_best : IntArray
        By variable, the tree node with the best remembered family; by tree node, the next.
    first_parent : IntArray
        By tree node: where the parents of its remembered family begin.
    parent : int32 array
        The parents of all remembered families, each time with ``NONE`` at the end.
    """

    first: Annotated[IntArray, "int64[::1]"]
    end: Annotated[IntArray, "int64[::1]"]
    variable: Annotated[NDArray[np.int32], "int32[::1]"]
    leads_to: Annotated[NDArray[np.int32], "int32[::1]"]
    score: Annotated[FloatArray, "float64[::1]"]
    best: Annotated[IntArray, "int64[::1]"]
    next_best: Annotated[IntArray, "int64[::1]"]
    first_parent: Annotated[IntArray, "int64[::1]"]
    parent: Annotated[NDArray[np.int32], "int32[::1]"]


class _TreeNode(NamedTuple):
    child: int
    parents: tuple[int, ...]  # in the order in which they were added
    score: float  # before shrinking


class _Branches(NamedTuple):
    variables: list[int]  # that raise the score as one more parent, the best first
    scores: list[float]  # with each of them
    n_scored: int


class _Shrunk(NamedTuple):
    parents: tuple[int, ...]
    score: float
    n_scored: int


_NO_BRANCHES = _Branches([], [], 0)


class GrowShrinkTrees:
    """The trees of all variables; they grow on demand.

    Parameters
    ----------
    score : LocalScore
        What parents gain.
    columns : IntArray
        The score's variable for each of ours; of parents that gain the same, the first is taken.
    allowed : BoolArray
        Whether the second variable may be a parent of the first.
    required : sequence of tuple of int
        By variable, the parents that it must have.
    max_parents : int
        The most parents that a variable may have.
    tolerance : float
        A gain up to this is none.
    remembering : bool
        Whether families are remembered, and only promising candidates tried; see the module.
    answers : Answers or None
        What the score has answered to other trees of the same score and variables.

    Attributes
    ----------
    n_scored : int
        For how many sets of parents the trees needed scores, whoever computed them.
    trees : Trees
        For kernels; another one after each call of :meth:`fill`.
    """

    def __init__(
        self,
        score: LocalScore,
        columns: IntArray,
        allowed: BoolArray,
        required: Sequence[tuple[int, ...]],
        *,
        max_parents: int,
        tolerance: float = 0.0,
        remembering: bool = False,
        answers: Answers | None = None,
    ) -> None:
        n = len(columns)
        self._score, self._columns, self._allowed = score, columns, allowed
        self._required, self._max_parents = required, max_parents
        self._tolerance, self._remembering = tolerance, remembering
        self._answers = answers or Answers()
        self.n_scored = 0
        self._gained: dict[tuple[int, int], BoolArray] = {}  # see _promising
        self._nodes: list[_TreeNode] = []
        self._first: list[int] = []  # branch of each tree node
        self._shrunk: dict[int, tuple[int, ...]] = {}
        self._known: set[tuple[int, tuple[int, ...]]] = set()
        self._n_branches = self._n_parents = 0
        self._scores: FloatArray = np.zeros(_FIRST_ROOM)  # with a branch's variable added
        numbers, parents = np.zeros(_FIRST_ROOM, dtype=np.int64), np.zeros(_FIRST_ROOM, np.int32)
        self.trees = Trees(
            first=numbers,
            end=numbers.copy(),
            variable=parents,
            leads_to=parents.copy(),
            score=np.full(_FIRST_ROOM, np.nan),
            best=np.full(n, NONE, dtype=np.int64),
            next_best=numbers.copy(),
            first_parent=numbers.copy(),
            parent=parents.copy(),
        )
        for child, begun in enumerate(required):
            self._grow(_TreeNode(child, begun, self._local(child, begun)))
            self.n_scored += 1

    @property
    def n_nodes(self) -> int:
        """How many tree nodes there are."""
        return len(self._nodes)

    def fill(self, missing: Iterable[int]) -> None:
        """Compute what walks missed: a branch to be grown, or -1 less a tree node to be shrunk."""
        for request in missing:
            if request >= 0 and self.trees.leads_to[request] == NONE:
                self._grow_branch(request)
            elif request < 0 and -1 - request not in self._shrunk:
                self._shrink(-1 - request)

    def parents(self, node: int) -> tuple[int, ...]:
        """Return the parents that shrinking left at a tree node."""
        return self._shrunk[node]

    def learn(self, child: int, family: tuple[int, ...], score: float) -> None:
        """Remember a family, in order, that other trees have found."""
        if (child, family) not in self._known:
            self._put(_TreeNode(child, family, score), _NO_BRANCHES)
            self._set_shrunk(self.n_nodes - 1, _Shrunk(family, score, 0))

    def _grow_branch(self, branch: int) -> None:
        at = bisect_right(self._first, branch) - 1
        child, parents, _ = self._nodes[at]
        more = (*parents, int(self.trees.variable[branch]))
        self._grow(_TreeNode(child, more, float(self._scores[branch])))
        self.trees.leads_to[branch] = self.n_nodes - 1

    def _grow(self, node: _TreeNode) -> None:
        """Add a tree node with its branches."""
        branches = self._answered(node)
        self._put(node, branches)
        self.n_scored += branches.n_scored

    def _put(self, node: _TreeNode, branches: _Branches) -> None:
        here = slice(self._n_branches, self._n_branches + len(branches.variables))
        self._make_room(self.n_nodes + 1, "first", "end", "score", "next_best", "first_parent")
        self._make_room(here.stop, "variable", "leads_to")
        if here.stop > len(self._scores):
            self._scores = np.resize(self._scores, len(self.trees.variable))
        self.trees.first[self.n_nodes], self.trees.end[self.n_nodes] = here.start, here.stop
        self.trees.variable[here], self.trees.leads_to[here] = branches.variables, NONE
        self._scores[here] = branches.scores
        self._n_branches = here.stop
        self._nodes.append(node)
        self._first.append(here.start)

    def _answered(self, node: _TreeNode) -> _Branches:
        found = self._answers.of(("grow", *node[:2]), lambda: tuple(self._branches(node)))
        return _Branches(*found)

    def _branches(self, node: _TreeNode) -> _Branches:
        """Score a variable with one more parent, each that is possible."""
        n_required = len(self._required[node.child])
        if self._remembering and len(node.parents) >= n_required + 2:
            possible = np.logical_or.reduce(
                [self._promising(node.child, z) for z in node.parents[n_required:]]
            )
        else:
            possible = self._allowed[node.child].copy()
        possible[list(node.parents)] = False
        others = np.flatnonzero(possible)
        if len(node.parents) >= self._max_parents or len(others) == 0:
            return _NO_BRANCHES
        child, parents = int(self._columns[node.child]), self._columns[list(node.parents)].tolist()
        scores = self._score.additions(child, parents, self._columns[others])
        gains = scores - node.score
        better = np.flatnonzero(gains > self._tolerance)
        best_first = better[np.argsort(-gains[better], kind="stable")]
        return _Branches(others[best_first].tolist(), scores[best_first].tolist(), len(others))

    def _promising(self, child: int, parent: int) -> BoolArray:
        """Say who gains at the root of a tree, or behind its branch to a parent."""
        found = self._gained.get((child, parent))
        if found is None:
            first, end = int(self.trees.first[child]), int(self.trees.end[child])
            found = np.zeros(len(self._columns), dtype=np.bool_)
            found[self.trees.variable[first:end]] = True
            if found[parent]:
                branch = first + int(np.argmax(self.trees.variable[first:end] == parent))
                parents, score = (*self._required[child], parent), float(self._scores[branch])
                found[self._answered(_TreeNode(child, parents, score)).variables] = True
            self._gained[child, parent] = found
        return found

    def _shrink(self, at: int) -> None:
        """Take parents away, each time the one whose removal gains most."""
        node = self._nodes[at]
        found = self._answers.of(("shrink", *node[:2]), lambda: tuple(self._shrunken(node)))
        self._set_shrunk(at, _Shrunk(*found))

    def _set_shrunk(self, at: int, shrunk: _Shrunk) -> None:
        self._shrunk[at] = shrunk.parents
        self.trees.score[at] = shrunk.score
        self.n_scored += shrunk.n_scored
        if self._remembering:
            self._remember(at, self._nodes[at].child, tuple(sorted(shrunk.parents)))

    def _shrunken(self, node: _TreeNode) -> _Shrunk:
        child, parents, best = node
        kept, column, n_scored = list(parents), int(self._columns[child]), 0
        while len(kept) > len(self._required[child]):
            without = self._score.removals(column, self._columns[kept].tolist())
            n_scored += len(kept)
            if self._required[child]:
                without[np.isin(kept, self._required[child])] = -np.inf
            worst = int(np.argmax(without))
            if without[worst] <= best + self._tolerance:
                break
            best = float(without[worst])
            del kept[worst]
        return _Shrunk(tuple(kept), best, n_scored)

    def _remember(self, at: int, child: int, family: tuple[int, ...]) -> None:
        """Put a family among the child's others, the best first."""
        if (child, family) in self._known:
            return
        self._known.add((child, family))
        start, end = self._n_parents, self._n_parents + len(family)
        self._make_room(end + 1, "parent")
        self.trees.first_parent[at] = start
        self.trees.parent[start : end + 1] = (*family, NONE)
        self._n_parents = end + 1
        best, score, next_best = self.trees.best, self.trees.score, self.trees.next_best
        before, node = NONE, int(best[child])
        while node != NONE and score[node] >= score[at]:
            before, node = node, int(next_best[node])
        next_best[at] = node
        if before == NONE:
            best[child] = at
        else:
            next_best[before] = at

    def _local(self, child: int, parents: Sequence[int]) -> float:
        return self._score.local(int(self._columns[child]), self._columns[list(parents)].tolist())

    def _make_room(self, n: int, *names: str) -> None:
        """Let arrays have at least n places."""
        for name in names:
            values: NDArray[Any] = getattr(self.trees, name)
            if n > len(values):
                empty = np.full(max(n, 2 * len(values)) - len(values), np.nan)
                more = empty if values.dtype == np.float64 else np.zeros_like(empty, values.dtype)
                self.trees = self.trees._replace(**{name: np.concatenate([values, more])})
