"""What was decided in an exploration so far: a value, so that undo and redo restore it exactly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias, get_args

from eiderdown.errors import OptionError
from eiderdown.knowledge import Edge, Knowledge
from eiderdown.option_types import shown

EdgeMark: TypeAlias = Literal["known", "not", "impossible", "open"]
"""Of a pair (a, b): a -> b is known; a -> b is not; neither is; nothing is said."""

Agreement: TypeAlias = Literal["and", "or"]
"""Whether two columns that are both grown must find each other, or one the other."""


@dataclass(frozen=True)
class State:
    """What was decided so far.

    Attributes
    ----------
    target : str
        The column where it began.
    alpha : float
        Significance level of the tests.
    test : str
        Name of the test.
    agreement : {"and", "or"}
        What an edge between two grown columns needs.
    grown : tuple of str
        Columns whose parents and children are shown, in the order in which they were asked for.
    known : tuple of (str, str)
        Edges, cause first, that are there whatever the tests say.
    impossible : tuple of (str, str)
        Directions that no edge may have.
    locked : bool
        Whether the graph is to stay as it is.
    """

    target: str
    alpha: float
    test: str = "auto"
    agreement: Agreement = "and"
    grown: tuple[str, ...] = ()
    known: tuple[Edge, ...] = ()
    impossible: tuple[Edge, ...] = ()
    locked: bool = False

    def knowledge(self, before: Knowledge) -> Knowledge:
        """Return what was known before together with the marks; contradictions are refused."""
        return replace(
            before,
            required=(*before.required, *self.known),
            forbidden=(*before.forbidden, *self.impossible),
        )

    def with_grown(self, *names: str) -> State:
        """Grow columns."""
        return replace(self, grown=tuple(dict.fromkeys((*self.grown, *names))))

    def with_mark(self, a: str, b: str, mark: EdgeMark) -> State:
        """Mark a pair; what was marked of it before is forgotten."""
        if a == b:
            raise OptionError(f"An edge joins two columns, but both are {a!r}.")
        pair = {a, b}
        known = tuple(edge for edge in self.known if set(edge) != pair)
        impossible = tuple(edge for edge in self.impossible if set(edge) != pair)
        if mark == "known":
            known = (*known, (a, b))
        elif mark != "open":
            impossible = (*impossible, (a, b), *(((b, a),) if mark == "impossible" else ()))
        return replace(self, known=known, impossible=impossible)

    def marks(self) -> list[tuple[str, str, EdgeMark]]:
        """Return every mark once."""
        pairs = {frozenset(edge): edge for edge in (*self.known, *self.impossible)}
        return [(a, b, self.mark_of(a, b)) for a, b in sorted(pairs.values())]

    def mark_of(self, a: str, b: str) -> EdgeMark:
        """Return what is said of a pair, as seen from its first column."""
        if (a, b) in self.known:
            return "known"
        ways = ((a, b) in self.impossible, (b, a) in self.impossible)
        return "impossible" if all(ways) else "not" if ways[0] else "open"


def _grow(state: State, names: list[str]) -> State:
    return state.with_grown(*names)


def _mark(state: State, a: str, b: str, mark: EdgeMark) -> State:
    return state.with_mark(a, b, mark)


def _set_alpha(state: State, alpha: float) -> State:
    return replace(state, alpha=alpha)


def _set_test(state: State, test: str) -> State:
    return replace(state, test=test)


def _set_agreement(state: State, agreement: Agreement) -> State:
    return replace(state, agreement=agreement)


def _set_locked(state: State, locked: bool) -> State:
    return replace(state, locked=locked)


@dataclass(frozen=True)
class Change:
    """A kind of command: what it does to a state, and what it takes."""

    apply: Callable[..., State]
    takes: Mapping[str, Any]

    def checked(self, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return what was given, or say what must be."""
        if set(given) != set(self.takes):
            wanted = ", ".join(self.takes)
            raise OptionError(f"The command {name!r} takes {wanted}, and nothing else.")
        for argument, kind in self.takes.items():
            _require(argument, kind, given[argument])
        return dict(given)


def _require(argument: str, kind: Any, value: Any) -> None:
    """Refuse values of another kind than a command takes."""
    if kind is list:
        fits = isinstance(value, list) and bool(value) and all(isinstance(x, str) for x in value)
        wanted = "a list of names"
    elif isinstance(kind, type):
        fits = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
        wanted = {str: "a text", bool: "true or false", float: "a number"}[kind]
    else:
        fits = isinstance(value, str) and value in get_args(kind)
        wanted = f"one of {', '.join(get_args(kind))}"
    if not fits:
        raise OptionError(f"{argument} must be {wanted}, not {shown(value)}.")


CHANGES: Final[Mapping[str, Change]] = {
    "grow": Change(_grow, {"names": list}),
    "mark": Change(_mark, {"a": str, "b": str, "mark": EdgeMark}),
    "set_alpha": Change(_set_alpha, {"alpha": float}),
    "set_test": Change(_set_test, {"test": str}),
    "set_agreement": Change(_set_agreement, {"agreement": Agreement}),
    "set_locked": Change(_set_locked, {"locked": bool}),
}
"""Every command that changes a state, by name."""


@dataclass(frozen=True)
class Command:
    """One command with its arguments, as it was given and is saved."""

    name: str
    arguments: Mapping[str, Any]

    @classmethod
    def of(cls, name: Any, arguments: Any) -> Command:
        """Check a command."""
        change = CHANGES.get(name) if isinstance(name, str) else None
        if change is None:
            raise OptionError(f"There is no command {shown(name)}; there is {', '.join(CHANGES)}.")
        if not isinstance(arguments, Mapping):
            raise OptionError(f"The arguments of {name!r} are a record, not {shown(arguments)}.")
        return cls(name, change.checked(name, arguments))

    def applied_to(self, state: State) -> State:
        """Return the state after it; a locked one can only be unlocked."""
        if state.locked and self.name != "set_locked":
            raise OptionError("The graph is locked; unlock it to change it.")
        return CHANGES[self.name].apply(state, **self.arguments)
