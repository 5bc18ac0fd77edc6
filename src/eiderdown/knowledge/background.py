"""Background knowledge as people state it: about columns by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any

import numpy as np

from eiderdown.arrays import frozen
from eiderdown.errors import GraphError, KnowledgeError, UnknownColumnError, listed
from eiderdown.graphs import DAG, PDAG
from eiderdown.knowledge.column_knowledge import NO_TIER, ColumnKnowledge
from eiderdown.knowledge.reading import Edge, check_max_parents, checked_edges, checked_tiers

_KEYS = ("tiers", "required", "forbidden", "max_parents", "forbid_within")


@dataclass(frozen=True)
class Knowledge:
    """Background knowledge about the edges of a graph.

    Parameters
    ----------
    tiers : sequence of sequences of str
        Groups of columns, earliest first: no edge goes from a later tier into an earlier one.
        Columns in no tier are free.
    required, forbidden : sequence of (parent, child)
        Edges that the graph must have, and edges that it must not have.
    max_parents : int or None
        Most parents of any column.
    forbid_within : bool
        Whether edges inside a tier are forbidden, too.

    Raises
    ------
    KnowledgeError
        When the statements contradict each other.

    Examples
    --------
    >>> known = Knowledge(tiers=[["smoke"], ["lung", "bronc"]], forbidden=[("lung", "bronc")])
    >>> known.allows("smoke", "lung"), known.allows("lung", "smoke")
    (True, False)
    >>> known.allows("bronc", "lung"), known.allows("lung", "bronc")
    (True, False)
    """

    tiers: tuple[tuple[str, ...], ...] = ()
    required: tuple[Edge, ...] = ()
    forbidden: tuple[Edge, ...] = ()
    max_parents: int | None = None
    forbid_within: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "tiers", checked_tiers(self.tiers))
        object.__setattr__(self, "required", checked_edges("required", self.required))
        object.__setattr__(self, "forbidden", checked_edges("forbidden", self.forbidden))
        check_max_parents(self.max_parents)
        if not isinstance(self.forbid_within, bool):
            raise KnowledgeError(f"forbid_within is true or false, not {self.forbid_within!r}.")
        self._refuse_contradictions()

    def allows(self, parent: str, child: str) -> bool:
        """Whether an edge from ``parent`` to ``child`` may be in the graph."""
        return self._objection(parent, child) is None

    def of_columns(self, names: Sequence[str]) -> ColumnKnowledge:
        """Say the same in column numbers.

        Parameters
        ----------
        names : sequence of str
            The columns of the table, in its order.
        """
        position = {name: i for i, name in enumerate(names)}
        for name in self.mentioned:
            if name not in position:
                raise UnknownColumnError(_unknown(name, names))
        tier = np.full(len(names), NO_TIER, dtype=np.int64)
        for number, members in enumerate(self.tiers):
            tier[[position[name] for name in members]] = number
        required = [(position[parent], position[child]) for parent, child in self.required]
        forbidden = [(position[parent], position[child]) for parent, child in self.forbidden]
        # An edge that is there cannot be there the other way round.
        forbidden += [(child, parent) for parent, child in required]
        return ColumnKnowledge(
            n_columns=len(names),
            tier=frozen(tier),
            forbid_within=self.forbid_within,
            required=_parents_by_child(required),
            forbidden=_parents_by_child(forbidden),
            max_parents=self.max_parents,
        )

    def check(self, graph: DAG | PDAG) -> None:
        """Refuse a graph that breaks the knowledge, and name the edge that does.

        A required edge is missed only if the graph has both its nodes. An undirected edge must
        have a direction that is allowed.

        Raises
        ------
        KnowledgeError
            When the graph breaks the knowledge.

        Examples
        --------
        >>> Knowledge(required=[("A", "B")]).check(DAG.from_string("A->B->C"))
        """
        directed = graph.edges if isinstance(graph, DAG) else graph.directed
        undirected = () if isinstance(graph, DAG) else graph.undirected
        for parent, child in directed:
            reason = self._objection(parent, child)
            if reason:
                raise KnowledgeError(
                    f"The graph has the edge {_shown(parent, child)}, but {reason}."
                )
        for a, b in undirected:
            reason = self._objection(a, b)
            if reason and self._objection(b, a):
                raise KnowledgeError(f"The graph joins {a!r} and {b!r}, but {reason}.")
        self._check_required(graph, {*directed, *undirected, *((b, a) for a, b in undirected)})
        self._check_parents(graph)

    @cached_property
    def mentioned(self) -> tuple[str, ...]:
        """Every name that is mentioned, sorted."""
        in_tiers = {name for tier in self.tiers for name in tier}
        return tuple(sorted(in_tiers.union(*self.required, *self.forbidden)))

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers, for a file."""
        return {
            "tiers": [list(tier) for tier in self.tiers],
            "required": [list(edge) for edge in self.required],
            "forbidden": [list(edge) for edge in self.forbidden],
            "max_parents": self.max_parents,
            "forbid_within": self.forbid_within,
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Knowledge:
        """Read what :meth:`to_dict` wrote, or a mapping with some of the same keys.

        Examples
        --------
        >>> Knowledge.from_dict({"forbidden": [["B", "A"]]}).allows("B", "A")
        False
        """
        if not isinstance(stored, Mapping):
            raise KnowledgeError(f"Knowledge is a mapping with keys {_KEYS}, not {stored!r}.")
        for key in stored:
            if key not in _KEYS:
                raise KnowledgeError(f"Knowledge has no key {key!r}; its keys are {_KEYS}.")
        return cls(**stored)

    @cached_property
    def _tier_of(self) -> dict[str, int]:
        return {name: number for number, tier in enumerate(self.tiers) for name in tier}

    def _objection(self, parent: str, child: str) -> str | None:
        """Say why an edge may not be there, or None."""
        if parent == child:
            return f"{parent!r} cannot be its own parent"
        if (parent, child) in self._forbidden:
            return f"{_shown(parent, child)} is forbidden"
        if (child, parent) in self._required:
            return f"{_shown(child, parent)} is required"
        before, after = self._tier_of.get(parent), self._tier_of.get(child)
        if before is None or after is None or before < after:
            return None
        if before > after:
            return f"{parent!r} is in a later tier than {child!r}"
        return f"{parent!r} and {child!r} are in one tier" if self.forbid_within else None

    @cached_property
    def _required(self) -> frozenset[Edge]:
        return frozenset(self.required)

    @cached_property
    def _forbidden(self) -> frozenset[Edge]:
        return frozenset(self.forbidden)

    def _refuse_contradictions(self) -> None:
        for parent, child in self.required:
            reason = self._objection(parent, child)
            if reason:
                raise KnowledgeError(
                    f"The edge {_shown(parent, child)} is required, but {reason}; drop one of the "
                    "two statements."
                )
        nodes = dict.fromkeys(name for edge in self.required for name in edge)
        try:
            required = DAG(nodes, self.required)
        except GraphError as error:
            raise KnowledgeError(f"The required edges cannot all be there: {error}") from None
        for child in required.nodes:
            n_parents = len(required.parents(child))
            if self.max_parents is not None and n_parents > self.max_parents:
                raise KnowledgeError(
                    f"max_parents is {self.max_parents}, but {child!r} has {n_parents} required "
                    "parents; allow at least that many."
                )

    def _check_required(self, graph: DAG | PDAG, possible: set[Edge]) -> None:
        present = set(graph.nodes)
        for parent, child in self.required:
            if parent in present and child in present and (parent, child) not in possible:
                raise KnowledgeError(
                    f"The graph lacks the edge {_shown(parent, child)}, which is required."
                )

    def _check_parents(self, graph: DAG | PDAG) -> None:
        if self.max_parents is None:
            return
        for name, parents in zip(graph.nodes, graph.parent_indices, strict=True):
            if len(parents) > self.max_parents:
                raise KnowledgeError(
                    f"The graph gives {name!r} {len(parents)} parents, but max_parents is "
                    f"{self.max_parents}."
                )


def _shown(parent: str, child: str) -> str:
    return f"{parent!r} -> {child!r}"


def _parents_by_child(edges: Iterable[tuple[int, int]]) -> dict[int, tuple[int, ...]]:
    parents: dict[int, set[int]] = {}
    for parent, child in edges:
        parents.setdefault(child, set()).add(parent)
    return {child: tuple(sorted(members)) for child, members in sorted(parents.items())}


def _unknown(name: str, names: Sequence[str]) -> str:
    close = get_close_matches(name, names, n=3)
    way_out = f"did you mean {listed(close)}?" if close else f"it has {listed(names)}."
    return f"The knowledge speaks of column {name!r}, which the table does not have; {way_out}"
