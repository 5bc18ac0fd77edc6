"""Background knowledge about the edges of a graph: by name, as people state it, and by column.

`Knowledge.of_columns` turns what was said about names into `ColumnKnowledge`, which speaks of
column numbers, as searches do, and takes memory for what was said, not for every pair of columns.
"""

from __future__ import annotations

import reprlib
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from eiderdown.arrays import BoolArray, IntArray, frozen
from eiderdown.errors import (
    ConstantColumnError,
    GraphError,
    KnowledgeError,
    UnknownColumnError,
    listed,
)
from eiderdown.files import read_text, shortened
from eiderdown.graphs import DAG, PDAG
from eiderdown.plain_json import plain_json

Edge: TypeAlias = tuple[str, str]

NO_TIER = -1

_MOST_PARENTS: Final = 2**31 - 1


@dataclass(frozen=True, eq=False)
class ColumnKnowledge:
    """Background knowledge about columns by number; made by `Knowledge.of_columns`.

    Attributes
    ----------
    n_columns : int
        Columns of the table.
    tier : IntArray
        Tier of each column, -1 for those in none.
    forbid_within : bool
        Whether edges inside a tier are forbidden.
    required, forbidden : mapping of int to tuple of int
        By child, the parents that it must have, and those that it must not have.
    max_parents : int or None
        Most parents of any column.
    """

    n_columns: int
    tier: IntArray
    forbid_within: bool
    required: Mapping[int, tuple[int, ...]]
    forbidden: Mapping[int, tuple[int, ...]]
    max_parents: int | None

    def allowed(self, child: int, candidates: IntArray) -> BoolArray:
        """Tell, for each candidate, whether it may be a parent of ``child``."""
        may: BoolArray = candidates != child
        own = self.tier[child]
        if own != NO_TIER:
            theirs = self.tier[candidates]
            may &= theirs < own if self.forbid_within else theirs <= own
        never = self.forbidden.get(child)
        if never:
            may &= ~np.isin(candidates, never)
        return may

    def required_parents(self, child: int) -> tuple[int, ...]:
        """Return the parents that ``child`` must have, in column order."""
        return self.required.get(child, ())

    def required_edges(self) -> Iterator[tuple[int, int]]:
        """Yield every required (parent, child)."""
        return ((parent, child) for child, parents in self.required.items() for parent in parents)


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
        object.__setattr__(self, "tiers", _checked_tiers(self.tiers))
        object.__setattr__(self, "required", _checked_edges("required", self.required))
        object.__setattr__(self, "forbidden", _checked_edges("forbidden", self.forbidden))
        most = self.max_parents
        if most is not None and not _is_count(most):
            raise KnowledgeError(
                f"max_parents must be None or a whole number from 0 to {_MOST_PARENTS:,}, not "
                f"{reprlib.repr(most)}."
            )
        if not isinstance(self.forbid_within, bool):
            raise KnowledgeError(
                f"forbid_within is true or false, not {reprlib.repr(self.forbid_within)}."
            )
        self._refuse_contradictions()

    def allows(self, parent: str, child: str) -> bool:
        """Whether an edge from ``parent`` to ``child`` may be in the graph."""
        return self._objection(parent, child) is None

    def of_columns(self, names: Sequence[str]) -> ColumnKnowledge:
        """Say the same in column numbers; ``names`` are the columns of the table, in its order."""
        self._require_columns(names)
        position = {name: i for i, name in enumerate(names)}
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

    def restricted_to(self, columns: Sequence[str], *, table: Sequence[str]) -> Knowledge:
        """Leave out what is said about columns of a table that are not in the graph.

        Parameters
        ----------
        columns : sequence of str
            The columns that are in the graph.
        table : sequence of str
            All columns of the table; other names are refused.

        Raises
        ------
        ConstantColumnError
            When an edge is required at a column that is not in the graph.
        """
        self._require_columns(table)
        kept = set(columns)
        for edge in self.required:
            missing = [name for name in edge if name not in kept]
            if missing:
                raise ConstantColumnError(
                    f"The knowledge requires the edge {_shown(*edge)}, but column {missing[0]!r} "
                    "has a single value or is excluded; drop one of the two."
                )
        return replace(
            self,
            tiers=tuple(tuple(name for name in tier if name in kept) for tier in self.tiers),
            forbidden=tuple(edge for edge in self.forbidden if kept.issuperset(edge)),
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
        for parent, child in graph.directed:
            reason = self._objection(parent, child)
            if reason:
                raise KnowledgeError(
                    f"The graph has the edge {_shown(parent, child)}, but {reason}."
                )
        for a, b in graph.undirected:
            reason = self._objection(a, b)
            if reason and self._objection(b, a):
                raise KnowledgeError(f"The graph joins {a!r} and {b!r}, but {reason}.")
        backward = {(b, a) for a, b in graph.undirected}
        possible = backward.union(graph.directed, graph.undirected)
        for parent, child in self.required:
            if {parent, child}.issubset(graph.nodes) and (parent, child) not in possible:
                raise KnowledgeError(
                    f"The graph lacks the edge {_shown(parent, child)}, which is required."
                )
        for name, parents in zip(graph.nodes, graph.parent_indices, strict=True):
            if self.max_parents is not None and len(parents) > self.max_parents:
                raise KnowledgeError(
                    f"The graph gives {name!r} {len(parents)} parents, but max_parents is "
                    f"{self.max_parents}."
                )

    @cached_property
    def mentioned(self) -> tuple[str, ...]:
        """Every name that is mentioned, sorted."""
        in_tiers = {name for tier in self.tiers for name in tier}
        return tuple(sorted(in_tiers.union(*self.required, *self.forbidden)))

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers, for a file."""
        lists = {
            key: [list(members) for members in getattr(self, key)]
            for key in ("tiers", "required", "forbidden")
        }
        return {**lists, "max_parents": self.max_parents, "forbid_within": self.forbid_within}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Knowledge:
        """Read what :meth:`to_dict` wrote, or a mapping with some of the same keys.

        Examples
        --------
        >>> Knowledge.from_dict({"forbidden": [["B", "A"]]}).allows("B", "A")
        False
        """
        keys = tuple(field.name for field in fields(cls))
        if not isinstance(stored, Mapping):
            raise KnowledgeError(
                f"Knowledge is a mapping with keys {keys}, not {reprlib.repr(stored)}."
            )
        for key in stored:
            if key not in keys:
                raise KnowledgeError(f"Knowledge has no key {key!r}; its keys are {keys}.")
        return cls(**stored)

    def _require_columns(self, names: Sequence[str]) -> None:
        known = set(names)
        for name in self.mentioned:
            if name not in known:
                close = get_close_matches(name, names, n=3)
                way_out = f"did you mean {listed(close)}?" if close else f"it has {listed(names)}."
                raise UnknownColumnError(
                    f"The knowledge speaks of column {name!r}, which the table does not have; "
                    f"{way_out}"
                )

    @cached_property
    def _tier_of(self) -> dict[str, int]:
        return {name: number for number, tier in enumerate(self.tiers) for name in tier}

    def _objection(self, parent: str, child: str) -> str | None:
        """Say why an edge may not be there, or None."""
        if parent == child:
            return f"{parent!r} cannot be its own parent"
        if (parent, child) in self._never:
            return self._never[parent, child]
        before, after = self._tier_of.get(parent), self._tier_of.get(child)
        if before is None or after is None or before < after:
            return None
        if before > after:
            return f"{parent!r} is in a later tier than {child!r}"
        return f"{parent!r} and {child!r} are in one tier" if self.forbid_within else None

    @cached_property
    def _never(self) -> dict[Edge, str]:
        """The edges that a statement excludes, each with that statement."""
        reversed_ = {(b, a): f"{_shown(a, b)} is required" for a, b in self.required}
        return reversed_ | {edge: f"{_shown(*edge)} is forbidden" for edge in self.forbidden}

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


def _shown(parent: str, child: str) -> str:
    return f"{parent!r} -> {child!r}"


def _parents_by_child(edges: Iterable[tuple[int, int]]) -> dict[int, tuple[int, ...]]:
    parents: dict[int, set[int]] = {}
    for parent, child in edges:
        parents.setdefault(child, set()).add(parent)
    return {child: tuple(sorted(members)) for child, members in sorted(parents.items())}


def _is_count(most: object) -> bool:
    return isinstance(most, int) and not isinstance(most, bool) and 0 <= most <= _MOST_PARENTS


def _is_list(given: object, length: int | None = None) -> bool:
    is_list = isinstance(given, Sequence) and not isinstance(given, str)
    return is_list and (length is None or len(given) == length)  # type: ignore[arg-type]


def _checked_tiers(tiers: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the tiers as tuples; no column may be in two."""
    if not _is_list(tiers) or not all(map(_is_list, tiers)):
        raise KnowledgeError(
            f"tiers must be lists of column names in a list, not {reprlib.repr(tiers)}."
        )
    names = [name for tier in tiers for name in tier]
    for name in names:
        if not isinstance(name, str):
            raise KnowledgeError(f"tiers must hold column names, not {reprlib.repr(name)}.")
    for name, n_uses in Counter(names).items():
        if n_uses > 1:
            raise KnowledgeError(f"Column {name!r} is in two tiers; leave it in one.")
    return tuple(map(tuple, tiers))


def _checked_edges(option: str, edges: Sequence[Sequence[str]]) -> tuple[Edge, ...]:
    """Return the edges as pairs, each once."""
    if not _is_list(edges):
        raise KnowledgeError(f"{option} must be a list of pairs, not {reprlib.repr(edges)}.")
    for edge in edges:
        if not _is_list(edge, 2) or not all(isinstance(name, str) for name in edge):
            raise KnowledgeError(
                f"{option} must be a list of pairs such as ('parent', 'child'), but holds "
                f"{reprlib.repr(edge)}."
            )
    return tuple(dict.fromkeys((parent, child) for parent, child in edges))


KnowledgeSource: TypeAlias = Knowledge | Mapping[str, Any] | str | Path
"""Knowledge, a mapping with its keys, or the path of a file with it."""


def knowledge_from(source: KnowledgeSource) -> Knowledge:
    """Take knowledge in any of the ways that people may give it.

    Examples
    --------
    >>> knowledge_from({"forbidden": [["B", "A"]]}).forbidden
    (('B', 'A'),)
    """
    if isinstance(source, Knowledge):
        return source
    return read_knowledge(source) if isinstance(source, str | Path) else Knowledge.from_dict(source)


def read_knowledge(path: str | Path) -> Knowledge:
    """Read tiers, required and forbidden edges and the most parents from a file."""
    is_toml = Path(path).suffix.lower() == ".toml"
    text = read_text(path, "give the path of a .json or .toml file with knowledge.")
    where = f"In {shortened(path)!r}"
    try:
        return Knowledge.from_dict(_of_toml(text) if is_toml else plain_json(text))
    except KnowledgeError as problem:
        raise KnowledgeError(f"{where}: {problem}") from problem
    except ValueError as problem:
        form = "TOML" if is_toml else "JSON"
        raise KnowledgeError(
            f"{where}: This is not {form} ({problem}); correct it there."
        ) from problem


def _of_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("its lists and tables are too deep within each other") from None
