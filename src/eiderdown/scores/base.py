"""The interface of every score: one number per column and set of parents, larger is better.

    local      one column with one set of parents
    additions  the same column with each candidate added     (one sweep)
    removals   the same column with each parent taken away

A graph's score is the sum over its columns, so a search only asks again for the columns that a
move touched. What was computed is remembered, whole sweeps included. A score of your own needs one
method, ``_local``; ``_additions`` and ``_locals`` may be overridden where something faster exists.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, ClassVar

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.errors import (
    NonFiniteError,
    OptionError,
    TargetAmongCandidatesError,
    UnknownColumnError,
)
from eiderdown.graphs import DAG
from eiderdown.options import checked_options, options_of
from eiderdown.scores.compiled import KernelScore
from eiderdown.scores.questions import CompiledAnswers, Question
from eiderdown.scores.sweeps import PackedSweeps, Sweep

_AS_IT_IS = frozen(np.zeros(1))
_MOST_REMEMBERED = 8_000_000  # numbers of remembered sweeps, 8 bytes each


@dataclass(frozen=True)
class ScoreCounts:
    """How much work was done.

    Attributes
    ----------
    n_computed : int
        Local scores that were computed.
    n_remembered : int
        Local scores that were answered from memory.
    """

    n_computed: int = 0
    n_remembered: int = 0


class LocalScore(ABC):
    """A decomposable score of graphs over integer variables; natural logarithms.

    Parameters
    ----------
    names : sequence of str
        Names of the variables; they break ties and order the parents, so that the order of the
        columns does not matter.
    """

    name: ClassVar[str]
    """What users call the score."""

    equivalent: bool = False
    """Whether graphs of one equivalence class always score the same."""

    params: Mapping[str, Any] = {}
    """The options that it was made with."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        rank = np.empty(len(self.names), dtype=np.int64)
        rank[sorted(range(len(self.names)), key=self.names.__getitem__)] = np.arange(len(rank))
        self.name_rank: IntArray = frozen(rank)
        self._rank = rank.tolist()
        self._known: dict[tuple[int, tuple[int, ...]], float] = {}
        self._sweeps: OrderedDict[tuple[int, tuple[int, ...]], tuple[IntArray, FloatArray]] = (
            OrderedDict()
        )
        self._n_in_sweeps = 0
        self._n_computed = 0
        self._n_remembered = 0

    @property
    def n_variables(self) -> int:
        """Number of variables the score knows."""
        return len(self.names)

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the score, for the record of a run."""
        return {"score": self.name, **self.params}

    @property
    def counts(self) -> ScoreCounts:
        """How much work was done so far."""
        return ScoreCounts(self._n_computed, self._n_remembered)

    def recount(self, n_computed: int) -> None:
        """Count as computed what a search says, of which others may have computed some."""
        self._n_computed = n_computed

    @abstractmethod
    def _local(self, child: int, parents: tuple[int, ...]) -> float:
        """Score a column with these parents, which are distinct and in the order of names."""

    def _locals(self, child: int, parent_sets: Sequence[tuple[int, ...]]) -> Sequence[float]:
        """Score a column with each of several sets of parents."""
        return [self._local(child, parents) for parents in parent_sets]

    def _additions(self, child: int, parents: tuple[int, ...], candidates: IntArray) -> FloatArray:
        """Score a column with each candidate added to its parents; all are disjoint."""
        sets = [self._in_name_order((*parents, x)) for x in candidates.tolist()]
        return np.array(self._locals(child, sets), dtype=np.float64)

    def local(self, child: int, parents: Sequence[int] = ()) -> float:
        """Score one column with one set of parents, in whatever order they come."""
        return self._remembered(child, [self._checked(child, parents)])[0]

    def local_of_all(self, families: Sequence[tuple[int, Sequence[int]]]) -> list[float]:
        """Answer many questions of :meth:`local`, child and parents, at once; can be quicker."""
        asked = [(child, self._checked(child, parents)) for child, parents in families]
        found = [self._recall(child, parents) for child, parents in asked]
        known = {
            family: value for family, value in zip(asked, found, strict=True) if value is not None
        }
        new = list(dict.fromkeys(family for family in asked if family not in known))
        for family, value in zip(new, self._local_of_all(new) if new else (), strict=True):
            if not math.isfinite(value):
                self._require_finite(family[0], [value])
            self._known[family] = known[family] = float(value)
        self._n_computed += len(new)
        self._n_remembered += len(asked) - len(new)
        return [known[family] for family in asked]

    def _local_of_all(self, families: Sequence[tuple[int, tuple[int, ...]]]) -> Sequence[float]:
        return [self._local(child, parents) for child, parents in families]

    def additions(
        self, child: int, parents: Sequence[int], candidates: Sequence[int] | IntArray
    ) -> FloatArray:
        """Score the column with each candidate added to its parents, in the candidates' order.

        The array may be shared with the memory of earlier answers and cannot be written to.
        """
        xs = np.ascontiguousarray(candidates, dtype=np.int64)
        family = self._checked(child, parents)
        self._refuse_repeated(child, family, xs)
        key = (child, family)
        found = self._sweeps.get(key)
        if found is not None and np.array_equal(found[0], xs):
            self._sweeps.move_to_end(key)
            self._n_remembered += len(xs)
            return found[1]
        values = frozen(self._additions(child, family, xs))
        self._require_finite(child, values)
        self._n_computed += len(xs)
        self._remember(key, xs.copy(), values)
        return values

    def gains(
        self, child: int, parents: Sequence[int], candidates: Sequence[int] | IntArray
    ) -> FloatArray:
        """Say what each candidate would add to the score as one more parent.

        Nothing is remembered: this is for callers with a memory of their own.
        """
        xs = np.ascontiguousarray(candidates, dtype=np.int64)
        family = self._checked(child, parents)
        self._refuse_repeated(child, family, xs)
        return self.gains_of_all([(child, family, xs)])[0]

    def gains_of_all(self, sweeps: Sequence[Sweep]) -> list[FloatArray]:
        """Answer many questions of :meth:`gains` at once, which can be quicker.

        Nothing is checked: child, parents and candidates are distinct, parents in name order.
        """
        found = self._gains_of_all(sweeps) if sweeps else []
        for (child, _, candidates), gains in zip(sweeps, found, strict=True):
            self._n_computed += len(candidates) + 1
            self._require_finite(child, gains)
        return found

    def _gains_of_all(self, sweeps: Sequence[Sweep]) -> list[FloatArray]:
        return [
            self._additions(child, parents, xs) - self._local(child, parents)
            for child, parents, xs in sweeps
        ]

    def relative_scores(self, packed: PackedSweeps) -> FloatArray:
        """Answer :meth:`gains_of_all` in one array: what a candidate gains is a difference.

        For each sweep it has a number for the column as it is, and then one for each candidate.
        """
        found = self._relative_scores(packed)
        if found is None:
            gains = self.gains_of_all(list(packed.sweeps()))
            return np.concatenate([part for one in gains for part in (_AS_IT_IS, one)])
        self._n_computed += len(found)
        self._require_all_finite(packed, found)
        return found

    def _relative_scores(self, packed: PackedSweeps) -> FloatArray | None:  # noqa: ARG002
        """Return the scores themselves, if one call answers all; else None."""
        return None

    def scores_of_all(self, packed: PackedSweeps) -> FloatArray:
        """Score, for each sweep, the column as it is and then with each candidate, all at once.

        Nothing is checked, as in :meth:`gains_of_all`, but the parents may be in any order. A score
        may remember the answers or not: all count as computed, wherever the rows are.
        """
        n_computed, n_remembered = self._n_computed, self._n_remembered
        found = self._scores_of_all(packed)
        self._n_computed, self._n_remembered = n_computed + len(found), n_remembered
        self._require_all_finite(packed, found)
        return found

    def _require_all_finite(self, packed: PackedSweeps, found: FloatArray) -> None:
        if not np.isfinite(found).all():
            for (child, _, _), scores in zip(packed.sweeps(), packed.apart(found), strict=True):
                self._require_finite(child, scores)

    def _scores_of_all(self, packed: PackedSweeps) -> FloatArray:
        found: list[FloatArray] = []
        for child, of_child in groupby(packed.sweeps(), key=itemgetter(0)):
            asked = [(self._in_name_order(parents), xs) for _, parents, xs in of_child]
            alone = self._remembered(child, [parents for parents, _ in asked])
            for (parents, xs), score in zip(asked, alone, strict=True):
                more = self.additions(child, parents, xs) if len(xs) else xs
                found.append(np.array([score, *more], dtype=np.float64))
        return np.concatenate(found) if found else np.empty(0)

    @property
    def kernel_score(self) -> KernelScore | None:
        """The score as kernels take it; None if they do not."""
        return None

    def compiled_answers(self, question: Question, board: IntArray) -> CompiledAnswers | None:  # noqa: ARG002
        """Return what answers a kernel's questions without Python; None if there is nothing."""
        return None

    def empty_total(self) -> float:
        """Score the graph without edges."""
        return math.fsum(self.local(column) for column in range(self.n_variables))

    def removals(self, child: int, parents: Sequence[int]) -> FloatArray:
        """Score the column with each parent taken away, in the parents' order."""
        family = self._checked(child, parents)
        sets = [tuple(z for z in family if z != parent) for parent in parents]
        return np.array(self._remembered(child, sets), dtype=np.float64)

    def total(self, dag: DAG) -> float:
        """Score a graph over all or some of the variables, by name."""
        column = {name: i for i, name in enumerate(self.names)}
        for node in dag.nodes:
            if node not in column:
                raise UnknownColumnError(
                    f"The graph has a node {node!r}, but the score knows no such variable; take it "
                    "out of the graph."
                )
        of_node = [column[name] for name in dag.nodes]
        families = zip(of_node, dag.parent_indices, strict=True)
        scores = {i: self.local(i, [of_node[p] for p in parents]) for i, parents in families}
        return float(sum(scores[i] for i in sorted(scores, key=self._rank.__getitem__)))

    def _remembered(self, child: int, sets: Sequence[tuple[int, ...]]) -> list[float]:
        """Look the sets up, and compute all that are new at once."""
        found = [self._recall(child, parents) for parents in sets]
        new = [parents for parents, value in zip(sets, found, strict=True) if value is None]
        values = self._locals(child, new) if new else ()
        self._require_finite(child, values)
        for parents, value in zip(new, values, strict=True):
            self._known[child, parents] = float(value)
        self._n_computed += len(new)
        self._n_remembered += len(sets) - len(new)
        return [
            self._known[child, parents] if value is None else value
            for parents, value in zip(sets, found, strict=True)
        ]

    def _recall(self, child: int, parents: tuple[int, ...]) -> float | None:
        """Find a score among single ones, or in a sweep that added one of the parents."""
        found = self._known.get((child, parents))
        if found is not None:
            return found
        for k, x in enumerate(parents):
            sweep = self._sweeps.get((child, parents[:k] + parents[k + 1 :]))
            if sweep is not None:
                at = np.flatnonzero(sweep[0] == x)
                if len(at):
                    return float(sweep[1][at[0]])
        return None

    def _remember(
        self, key: tuple[int, tuple[int, ...]], candidates: IntArray, values: FloatArray
    ) -> None:
        replaced = self._sweeps.pop(key, None)
        self._n_in_sweeps += len(values) - (0 if replaced is None else len(replaced[1]))
        self._sweeps[key] = (candidates, values)
        while self._n_in_sweeps > _MOST_REMEMBERED and len(self._sweeps) > 1:
            _, (_, dropped) = self._sweeps.popitem(last=False)
            self._n_in_sweeps -= len(dropped)

    def _in_name_order(self, parents: Sequence[int]) -> tuple[int, ...]:
        return tuple(sorted(parents, key=self._rank.__getitem__))

    def _checked(self, child: int, parents: Sequence[int]) -> tuple[int, ...]:
        """Put the parents in the order of names; refuse a column that comes twice."""
        if child < 0 or any(z < 0 for z in parents):
            raise OptionError("Variables are numbered from 0; a negative number names none.")
        family = self._in_name_order([int(z) for z in parents])
        if child in family or len(set(family)) < len(family):
            raise self._repeated(child if child in family else family[0])
        return family

    def _refuse_repeated(self, child: int, family: tuple[int, ...], xs: IntArray) -> None:
        for z in (child, *family):
            if np.any(xs == z):
                raise self._repeated(z)

    def _require_finite(self, child: int, values: Sequence[float] | FloatArray) -> None:
        """Refuse what no search could compare: a climb on it would never end."""
        if not np.isfinite(values).all():
            raise NonFiniteError(
                f"The score {self.name!r} of column {self.names[child]!r} is not a finite number; "
                "look for extreme values in it, or choose another score."
            )

    def _repeated(self, column: int) -> TargetAmongCandidatesError:
        return TargetAmongCandidatesError(
            f"Variable {self.names[column]!r} appears twice in one question: the column, its "
            "parents and the candidates must not share a variable."
        )


def checked_params(score: type[LocalScore], **params: Any) -> dict[str, Any]:
    """Check the options of a score as its class declares them."""
    return checked_options(options_of(score), params, score.__name__)
