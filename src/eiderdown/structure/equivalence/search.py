"""Searches among Markov equivalence classes: what all runs share, and where one run stands."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, WordArray
from eiderdown.errors import OptionError
from eiderdown.memory import require_memory
from eiderdown.progress import Trace
from eiderdown.scores.base import ScoreCounts
from eiderdown.structure.equivalence.cpdag import (
    ADJACENT,
    ALLOWED,
    DAG_PARENTS,
    NEIGHBOURS,
    PARENTS,
    Constraints,
    pairs,
)
from eiderdown.structure.equivalence.gain_table import Family, GainTable
from eiderdown.structure.equivalence.listing import (
    ALL_LISTED,
    GAINS_MISSING,
    LIST_FULL,
    Workspace,
)
from eiderdown.structure.equivalence.operators import Operators, X, Y
from eiderdown.structure.equivalence.scored_steps import (
    advance_scoring,
    plain_steps,
    scored,
    scoring_kernel,
)
from eiderdown.structure.equivalence.sparse_gains import SparseGainTable
from eiderdown.structure.equivalence.steps import (
    NONE_LEFT,
    add_edges,
    force,
    list_all,
    remove_edges_at,
    replace_edges,
)
from eiderdown.structure.node_order import score_order
from eiderdown.structure.problem import Edge, StructureFound, edge_gains

if TYPE_CHECKING:
    from eiderdown.knowledge import ColumnKnowledge
    from eiderdown.scores import LocalScore

MOST_COLUMNS = 2_000
"""Of a search among orders; with more, its trees take too long."""

MOST_DENSE = 2_000
"""With more columns, rows of gains hold only those that rise."""

# Who may be whose parent takes 8, and edges, their copy, what is allowed and sets in the making 20;
# what is more was measured on joined copies of Pigs, up to 10,143 columns: operators take half, and
# rows of gains, sweeps on the way and the growing of lists the rest.
_BITS_PER_PAIR = 110

_ROUNDING = 1e-12  # a gain below this share of the score is a rounding error
N_CHANCES = 64  # that are drawn at once
_MOST_DESCRIBED = 200_000  # nodes of classes in which runs ended
_THAT_TELL = [PARENTS, NEIGHBOURS, DAG_PARENTS]  # planes

Priority: TypeAlias = tuple[int, int, int]
"""Which of Insert, Delete and Turn are applied before others, from 0 on; -1 for never."""


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
    n_steps : int
        How many classes were passed.
    complete : bool
        False if the search was cancelled and this is the best class it had reached.
    """

    directed: tuple[Edge, ...]
    undirected: tuple[Edge, ...]
    parents: tuple[tuple[int, ...], ...]
    score: float
    n_steps: int
    complete: bool = True

    def described(self, score: LocalScore) -> StructureFound:
        """Say for each edge what its removal would cost in one graph of the class."""
        lost = edge_gains(score, dict(enumerate(self.parents)))
        either_way = lost | {(b, a): gain for (a, b), gain in lost.items()}
        return StructureFound(
            nodes=tuple(range(score.n_variables)),
            directed=self.directed,
            undirected=self.undirected,
            is_cpdag=True,
            edge_evidence={edge: either_way[edge] for edge in (*self.directed, *self.undirected)},
            score=self.score,
            complete=self.complete,
        )


class EquivalenceSearch:
    """What searches over one score share: what is allowed, and a memory of gains for all threads.

    Parameters
    ----------
    score : LocalScore
        What to climb on; it must score equivalent graphs alike.
    knowledge : ColumnKnowledge or None
        Edges that must or must not be there, and the most parents.
    max_parents : int or None
        No set of more parents is scored; None for no limit but the knowledge's.
    edge_price : float
        What an edge costs beside what the score says. Equivalent graphs have equally many, so that
        it does not tell them apart.

    Attributes
    ----------
    columns : IntArray
        The score's variable for each node; nodes are in the order of their scores, which breaks
        ties, so that neither names nor the order of the columns matter.
    constraints : Constraints
        What is allowed.
    required : tuple of (int, int)
        Edges between nodes that must be there.
    gains : GainTable
        The memory.
    empty_score : float
        Score of the graph without edges.
    """

    def __init__(
        self,
        score: LocalScore,
        *,
        knowledge: ColumnKnowledge | None = None,
        max_parents: int | None = None,
        edge_price: float = 0.0,
    ) -> None:
        _check(score, max_parents)
        n = score.n_variables
        self.columns: IntArray = np.array(score_order(score, range(n)), dtype=np.int64)
        rank = np.argsort(self.columns).tolist()
        possible = np.empty((n, n), dtype=np.bool_)
        for node, column in enumerate(self.columns.tolist()):
            possible[node] = (
                self.columns != column
                if knowledge is None
                else knowledge.allowed(column, self.columns)
            )
        edges = () if knowledge is None else knowledge.required_edges()
        known = None if knowledge is None else knowledge.max_parents
        limits = [most for most in (max_parents, known) if most is not None]
        self.score = score
        self.scores: dict[Family, float] = {}  # of families, beside the gains
        self.described: dict[bytes, EquivalenceFound] = {}  # classes in which runs ended, by edges
        self.edge_price = edge_price
        self.required = tuple((rank[parent], rank[child]) for parent, child in edges)
        self.constraints = Constraints.of(possible, self.required, min(limits, default=n))
        self.empty_score = score.empty_total()
        table = GainTable if n <= MOST_DENSE else SparseGainTable
        self.gains = table(
            score,
            self.columns,
            self.constraints.parents[ALLOWED : ALLOWED + 1],
            tolerance=self.tolerance,
            edge_price=edge_price,
        )

    @property
    def counts(self) -> ScoreCounts:
        """How many gains were computed so far, for all runs."""
        return ScoreCounts(n_computed=self.gains.n_computed)

    @property
    def tolerance(self) -> float:
        """A gain up to this is none."""
        return _ROUNDING * max(1.0, abs(self.empty_score))

    def total(self, families: Sequence[Sequence[int]]) -> float:
        """Score a graph by the parents of each of the score's variables."""
        asked = [(child, tuple(family)) for child, family in enumerate(families)]
        scores = self._scored(asked)
        return math.fsum([*scores, -self.edge_price * sum(map(len, families))])

    def _scored(self, families: Sequence[Family]) -> list[float]:
        """Score families; runs in other threads wait only where one is new."""
        new = [family for family in families if family not in self.scores]
        if new:
            with self.gains.lock:
                self.scores.update(zip(new, self.score.local_of_all(new), strict=True))
        return [self.scores[family] for family in families]


def _check(score: LocalScore, max_parents: int | None) -> None:
    if not score.equivalent:
        raise OptionError(
            f"The score {score.name!r} can differ between equivalent graphs, so it cannot "
            "judge classes of them; use 'bic', 'bdeu' or 'gaussian_bic'."
        )
    if max_parents is not None and max_parents < 1:
        raise OptionError(f"max_parents must be at least 1 or None, not {max_parents}.")
    n = score.n_variables
    require_memory(
        _BITS_PER_PAIR * n * n / 8,
        f"A search from class to class of {n:,} columns",
        "use mmhc, or leave columns out",
    )


def require_few_columns(score: LocalScore) -> None:
    """Refuse tables of more columns than a search among orders can take."""
    if score.n_variables > MOST_COLUMNS:
        raise OptionError(
            "A search among orders weighs every pair of columns, and "
            f"{score.n_variables:,} are too many for that; use mmhc or ges, or leave columns out "
            f"until there are {MOST_COLUMNS:,}."
        )


class Saved(NamedTuple):
    """A class that a search may return to."""

    edges: WordArray
    score: float


class SearchState:
    """Where one run stands; it begins without edges, or with those that are required.

    Random choices come from the generator; without one they are always the same.
    """

    def __init__(
        self,
        search: EquivalenceSearch,
        generator: np.random.Generator | None = None,
        trace: Trace | None = None,
    ) -> None:
        shared = search.constraints
        self.search = search
        self.generator = generator or np.random.default_rng(0)
        self._trace = trace or Trace()
        self._space = Workspace.at_empty_graph(
            shared._replace(parents=shared.parents.copy()),
            search.gains.memory,
            search.gains.most_requests,
        )
        self._kernel_score = scoring_kernel(search.gains, self._space)
        self.n_nodes = len(search.columns)
        self._edges = self._space.graph.edges
        self._backup = self._edges.copy()
        self._listed: tuple[bool, ...] = ()  # which kinds of operators are
        self._last = -1  # the operator applied last
        self.n_steps = 0
        self.score = search.empty_score
        if search.required:
            self._require(search.required)

    def _require(self, edges: Iterable[Edge]) -> None:
        if not add_edges(self._space, np.array(list(edges), dtype=np.int64)):
            raise OptionError(
                "The required edges close a cycle or are forbidden; take some of them out."
            )
        self.score = self._total()

    def start_from(self, edges: Iterable[Edge]) -> None:
        """Go from the graph without edges to the class of another, whose edges are columns."""
        rank = np.argsort(self.search.columns).tolist()
        nodes = {(rank[parent], rank[child]) for parent, child in edges}
        listed = sorted(nodes - set(self.search.required))
        if listed:
            self._require(listed)

    def take_first_dag(self) -> None:
        """Let the DAG of the present class be the one that a state without a past would take."""
        add_edges(self._space, np.empty((0, 2), dtype=np.int64))

    def list_kinds(self, priority: Priority) -> None:
        """Let operators of the kinds that have a priority be listed."""
        listed = tuple(of_kind >= 0 for of_kind in priority)
        if listed != self._listed:
            self._space.outdated[:] = True
            self._listed = listed

    def called(
        self,
        plain: Callable[..., tuple[Any, ...]],
        scoring: Callable[..., tuple[Any, ...]],
        *args: object,
    ) -> tuple[Any, ...]:
        """Call a kernel that makes steps: where the score has kernels, one that computes gains."""
        gains = self.search.gains
        if self._kernel_score is not None and gains.lock.acquire(blocking=False):
            try:
                how = (gains, self._kernel_score, self._space, self._backup)
                return scored(scoring, *how, *args)
            finally:
                gains.lock.release()
        return plain(self._space._replace(memory=gains.memory), self._backup, *args)

    def provide(self, state: int) -> None:
        """Provide what was missing when a kernel ended, and tell how far the search is."""
        self._space = self._provided(self._space, state)
        self._trace.progressed("searching", self.n_steps)

    @property
    def is_checked(self) -> bool:
        """Whether the score has to be computed anew after each step; see below."""
        return self._space.constraints.orienting

    def climb(self, priority: Priority, *, k: float | None = 1.0) -> bool:
        """Apply operators until none gains; tell whether any was applied.

        k is the share of the gaining operators of which the best is applied: 1 for the best of all;
        None for the best of all without Turns, which is compiled sooner.
        """
        self.list_kinds(priority)
        order, n_before = np.array(priority, dtype=np.int64), self.n_steps
        step = self._checked_step if self.is_checked else self._steps
        state, chances = LIST_FULL, np.empty(0)
        while state != NONE_LEFT:
            if len(chances) == 0:
                chances = self.generator.random(N_CHANCES)
            state, n_used = step(order, k if k is None else float(k), chances)
            chances = chances[n_used:]
            self.provide(state)
        return self.n_steps > n_before

    def _steps(self, order: IntArray, k: float | None, chances: FloatArray) -> tuple[int, int]:
        """Apply operators; return what ended them and how many chances they used up."""
        ended = self.called(plain_steps, advance_scoring, order, k, chances)
        state, n_steps, self._last, gained = ended
        self.n_steps += n_steps
        self.score += gained
        return state, n_steps

    def _checked_step(
        self, order: IntArray, k: float | None, chances: FloatArray
    ) -> tuple[int, int]:
        """Apply one operator, and take it back unless the score rises.

        Where directions are known, the class has fewer graphs than its edges say, and the one that
        a gain was computed for may not be among them.
        """
        before = self.saved()
        state, n_used = self._steps(order, k, chances[:1])
        if n_used == 1:
            self.score = self._total()
            if self.score <= before.score + self.search.tolerance:
                self.n_steps -= 1
                self.score = before.score
                self._edges[:] = before.edges
                self._space.outdated[:] = False  # the operators were listed for this graph
                self._space.operators.drop(self._last)
        return state, n_used

    def _provided(self, space: Workspace, state: int) -> Workspace:
        """Return a workspace that has what was missing: gains, or room for operators."""
        if state == GAINS_MISSING:
            self.search.gains.fill(space.requests)
        elif state == LIST_FULL:
            return space._replace(operators=space.operators.with_room())
        return space

    def _total(self) -> float:
        return self.search.total(self.families())

    def found(self, *, complete: bool = True) -> EquivalenceFound:
        """Describe the present class between the score's variables."""
        described, key = self.search.described, self._edges[_THAT_TELL].tobytes()
        known = described.get(key)
        if known is None:
            if len(described) * self.n_nodes > _MOST_DESCRIBED:
                described.clear()
            known = described[key] = self._described()
        return replace(known, n_steps=self.n_steps, complete=complete)

    def _described(self) -> EquivalenceFound:
        columns, edges = self.search.columns.tolist(), self._edges
        directed = [(columns[parent], columns[node]) for node, parent in pairs(edges[PARENTS])]
        undirected = [
            (min(columns[a], columns[b]), max(columns[a], columns[b]))
            for a, b in pairs(edges[NEIGHBOURS])
            if a < b
        ]
        families = self.families()
        return EquivalenceFound(
            directed=tuple(sorted(directed)),
            undirected=tuple(sorted(undirected)),
            parents=tuple(families),
            score=self.search.total(families),
            n_steps=0,
        )

    def families(self) -> list[tuple[int, ...]]:
        """Return the parents of each of the score's variables in one DAG of the class."""
        columns = self.search.columns.tolist()
        found: list[list[int]] = [[] for _ in columns]
        for node, parent in pairs(self._edges[DAG_PARENTS]):
            found[columns[node]].append(columns[parent])
        return [tuple(family) for family in found]

    # --- leaving a local optimum -----------------------------------------------------------------

    def edges(self) -> list[Edge]:
        """Return the edges, the smaller node first, in order."""
        return [(a, b) for a, b in pairs(self._edges[ADJACENT]) if a < b]

    def saved(self) -> Saved:
        """Return a copy of the present class, and its score."""
        return Saved(self._edges.copy(), self.score)

    def return_to(self, saved: Saved) -> None:
        """Make a class of before the present one."""
        self.score = saved.score
        replace_edges(self._space, self._backup, saved.edges)

    def remove_edges_at(self, a: int, b: int) -> None:
        """Take the edges at two nodes out of a DAG of the class, unless they are required."""
        gained = math.nan
        while math.isnan(gained):
            space = self._space._replace(memory=self.search.gains.memory)
            gained = remove_edges_at(space, self._backup, a, b)
            if math.isnan(gained):
                self.search.gains.fill(space.requests)
        self.score += gained

    def deletes(self) -> Operators:
        """List all Deletes, also those that lose, the least loss first."""
        how = self._space.constraints, self._space.memory, self.search.gains.most_requests
        space = Workspace.at_empty_graph(*how)
        space, state = space._replace(graph=self._space.graph), GAINS_MISSING
        only_deletes = np.array([-1, 0, -1], dtype=np.int64)
        while state != ALL_LISTED:
            memory = self.search.gains.memory._replace(tolerance=-math.inf)
            space = space._replace(memory=memory)
            state = list_all(space, only_deletes)
            space = self._provided(space, state)
        found, n = space.operators, int(space.operators.n[0])
        return found.in_order(np.lexsort((found.move[:n, X], found.move[:n, Y], -found.gain[:n])))

    def force(self, operators: Operators, i: int) -> bool:
        """Apply a Delete, whatever it loses, and forbid the edge; False if it is impossible."""
        made = bool(force(self._space, self._backup, operators, i))
        if made:
            orienting = self._space.constraints.orienting
            self.score = self._total() if orienting else self.score + float(operators.gain[i])
            x, y = operators.move[i, [X, Y]].tolist()
            for child, parent in ((x, y), (y, x)):
                bit = np.uint64(1) << np.uint64(parent & 63)
                self._space.constraints.parents[ALLOWED, child, parent >> 6] &= ~bit
        return made

    def allow_all(self) -> None:
        """Allow again what was forbidden on the way."""
        allowed = self._space.constraints.parents[ALLOWED]
        at_first = self.search.constraints.parents[ALLOWED]
        self._space.outdated[np.any(allowed != at_first, axis=1)] = True
        allowed[:] = at_first
