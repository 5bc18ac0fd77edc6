"""What speaks for a neighbour of a target being its cause or its effect, and what follows from it.

An :class:`Orientation` says how likely each neighbour is a cause; a :class:`Blanket` says which
columns may be used to predict the target when others are set from outside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

from eiderdown.graphs import PDAG
from eiderdown.results.codec import SHARE, Limits, of_plain, stored_by
from eiderdown.results.result import Result, Run

Role: TypeAlias = Literal["cause", "effect", "undecided"]
_SMOOTHING = 0.1  # so that few directed edges among many undirected ones do not decide alone

Manipulated: TypeAlias = tuple[str, ...] | Literal["unknown"] | None


@dataclass(frozen=True)
class YStructure:
    """A Y-test that was passed: a and b collide in c, and c separates them from d.

    Attributes
    ----------
    a, b : str
        The two that collide in c.
    c, d : str
        c is a cause of d, direct or not, and they share no hidden cause.
    p_score : float
        The least p-value of the independences; the larger, the safer.

    Examples
    --------
    >>> print(YStructure("a", "b", "smoke", "lung", 0.4))
    a -> smoke <- b, smoke -> lung
    >>> YStructure("a", "b", "smoke", "lung", 0.4).sentence()  # doctest: +ELLIPSIS
    "'smoke' causes 'lung' without a hidden common cause: 'a' and 'b' meet in it and tell ..."
    """

    limits: ClassVar[Limits] = {"p_score": SHARE}

    a: str
    b: str
    c: str
    d: str
    p_score: float

    def __str__(self) -> str:
        return f"{self.a} -> {self.c} <- {self.b}, {self.c} -> {self.d}"

    def sentence(self) -> str:
        """Say in words what was found."""
        return (
            f"{self.c!r} causes {self.d!r} without a hidden common cause: {self.a!r} and "
            f"{self.b!r} meet in it and tell nothing of {self.d!r} once it is known (p-score "
            f"{self.p_score:.2f})."
        )


@dataclass(frozen=True)
class NeighbourRole:
    """Whether a neighbour of the target is its cause or its effect.

    Attributes
    ----------
    name : str
        The column.
    cause, effect, undecided : float
        How likely it is each of them; they sum to 1.
    parent_tests, child_tests : int
        Y-tests that make it a cause of the target without hidden common cause, and an effect.
    best_child_score : float or None
        The largest p-score of the Y-tests that make it an effect.
    unconfounded : bool
        Whether there is evidence that it shares no hidden cause with the target.
    why : str
        The evidence in a sentence.
    confounded : bool
        Whether somebody knows that a hidden cause joins them; searches do not find that out.
    """

    limits: ClassVar[Limits] = dict.fromkeys(("cause", "effect", "undecided"), SHARE)

    name: str
    cause: float
    effect: float
    undecided: float
    parent_tests: int = 0
    child_tests: int = 0
    best_child_score: float | None = None
    unconfounded: bool = False
    why: str = ""
    confounded: bool = False

    @property
    def likely_cause(self) -> float:
        """How likely it is a cause, with what is undecided shared out as the rest is decided."""
        share = (self.cause + _SMOOTHING) / (self.cause + self.effect + 2 * _SMOOTHING)
        return self.cause + self.undecided * share

    @property
    def role(self) -> Role:
        """What it is more likely than not."""
        if self.cause > 0.5:
            return "cause"
        return "effect" if self.effect > 0.5 else "undecided"


@dataclass(frozen=True)
class SpouseRole:
    """Another cause of the target's effects.

    Attributes
    ----------
    name : str
        The column.
    children : tuple of str
        The effects that it shares with the target.
    probability : float
        How likely it is a spouse.
    why : str
        The evidence in a sentence.
    confounded : bool
        Whether somebody knows that a hidden cause joins it with such an effect.
    """

    limits: ClassVar[Limits] = {"probability": SHARE}

    name: str
    children: tuple[str, ...]
    probability: float
    why: str = ""
    confounded: bool = False


def _write_graph(graph: PDAG, _: Any) -> dict[str, Any]:
    """Write a graph as its nodes and its two sorts of edges."""
    return {
        "nodes": list(graph.nodes),
        "directed": [list(edge) for edge in graph.directed],
        "undirected": [list(edge) for edge in graph.undirected],
    }


def _read_graph(plain: Mapping[str, Any], _: Any) -> PDAG:
    edges = tuple[tuple[str, str], ...]
    directed, undirected = (of_plain(edges, plain[key]) for key in ("directed", "undirected"))
    return PDAG(of_plain(tuple[str, ...], plain["nodes"]), directed, undirected)


@dataclass(frozen=True, kw_only=True)
class Orientation(Result):
    """Which neighbours of a target are its causes, which its effects, and how sure that is.

    Attributes
    ----------
    target : str
        The column in question.
    neighbours : tuple of NeighbourRole
        Columns that nothing separates from the target, the likely causes first.
    spouses : tuple of SpouseRole
        Other causes of its effects, the likely ones first.
    y_structures : tuple of YStructure
        Y-tests about the target's edges that were passed, the highest p-scores first.
    graph : PDAG
        The region around the target, with the directions that are more likely than not.
    engine : str
        Which search and score directed the edges.
    run, warnings, complete
        See :class:`Result`.

    Examples
    --------
    >>> from eiderdown.results import Orientation, Run
    >>> found = Orientation(
    ...     target="lung",
    ...     neighbours=(
    ...         NeighbourRole("smoke", cause=0.9, effect=0.0, undecided=0.1),
    ...         NeighbourRole("xray", cause=0.0, effect=0.8, undecided=0.2),
    ...     ),
    ...     graph=PDAG.from_string("smoke->lung, lung->xray"),
    ...     engine="GES with BIC",
    ...     run=Run.of("causes", None, {}),
    ... )
    >>> found.causes, found.effects, found.undecided
    (('smoke',), ('xray',), ())
    >>> Orientation.from_json(found.to_json()) == found
    True
    """

    kind = "orientation"

    target: str
    neighbours: tuple[NeighbourRole, ...]
    spouses: tuple[SpouseRole, ...] = ()
    y_structures: tuple[YStructure, ...] = ()
    graph: PDAG = field(metadata=stored_by(_write_graph, _read_graph))
    engine: str
    run: Run
    warnings: tuple[str, ...] = ()
    complete: bool = True

    @property
    def causes(self) -> tuple[str, ...]:
        """Neighbours that are more likely causes than not, the likely ones first."""
        return self._with_role("cause")

    @property
    def effects(self) -> tuple[str, ...]:
        """Neighbours that are more likely effects than not."""
        return self._with_role("effect")

    @property
    def undecided(self) -> tuple[str, ...]:
        """Neighbours that may be either."""
        return self._with_role("undecided")

    def neighbour(self, name: str) -> NeighbourRole | None:
        """Return what is known of a neighbour, or None if the column is none."""
        return next((role for role in self.neighbours if role.name == name), None)

    def _with_role(self, role: Role) -> tuple[str, ...]:
        return tuple(item.name for item in self.neighbours if item.role == role)


def _write_manipulated(manipulated: Manipulated, _: Any) -> Any:
    return list(manipulated) if isinstance(manipulated, tuple) else manipulated


def _read_manipulated(plain: Any, _: Any) -> Manipulated:
    if plain is None:
        return None
    if plain == "unknown":
        return "unknown"
    columns: tuple[str, ...] = of_plain(tuple[str, ...], plain)
    return columns


@dataclass(frozen=True)
class Blanket:
    """The columns from which a target can be predicted while some columns are set from outside.

    Attributes
    ----------
    target : str
        The column to be predicted.
    manipulated : tuple of str, "unknown" or None
        The columns that are set from outside; None if none is.
    columns : tuple of str
        The columns to use, in the order of the graph.
    reasons : mapping of str to str
        For each column of the Markov boundary, why it is in or out.
    holds : bool
        Whether what was learned from untouched rows stays true (Theorem V.1 of Brown 2009).
    offence : str or None
        If not, which manipulated effect and which descendant of it are to blame.
    """

    target: str
    manipulated: Manipulated = field(metadata=stored_by(_write_manipulated, _read_manipulated))
    columns: tuple[str, ...]
    reasons: Mapping[str, str]
    holds: bool = True
    offence: str | None = None

    @property
    def excluded(self) -> tuple[str, ...]:
        """Columns of the boundary that must not be used."""
        return tuple(name for name in self.reasons if name not in self.columns)
