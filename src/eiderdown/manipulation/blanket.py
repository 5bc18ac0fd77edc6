"""The columns that predict a target while others are set from outside; Brown (2009), section V.1.

    nothing set    MB(T): parents, children and spouses
    M is known     MB_M(T): MB(T) in the graph without the edges into M, that is without
                   manipulated children and spouses all of whose shared children are manipulated
    M is unknown   the parents that share no hidden cause with T: they are in MB_M(T) for every M

Theorem V.1: if T is not in M and no manipulated child of T has a descendant in MB_M(T), then
P_M(T | MB_M(T)) = P(T | MB_M(T)), and what was learned from untouched rows stays true.
Says the same: T is separated from every intervention (a further parent of what is set) given
MB_M(T). In this form it holds with hidden variables as well, and it is what is checked there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Literal, TypeAlias

from eiderdown.errors import InputError, OptionError, listed
from eiderdown.graphs import DAG, PDAG
from eiderdown.graphs.separation import reached_from
from eiderdown.results import Blanket, NeighbourRole, Orientation, SpouseRole
from eiderdown.results.causes import Manipulated

Caution: TypeAlias = Literal["cautious", "balanced", "strict"]
"""Keep what may be a cause, what is as likely one as not, or only what very likely is."""

LEAST: Mapping[str, float] = {"cautious": 0.4, "balanced": 0.5, "strict": 0.75}
"""How likely a column must be a cause, or a spouse, to be kept where others must not be used.

On samples of Alarm, Insurance and Child (seed 100), of the neighbours with .2 to .4 one in eight
was a cause and five in eight an effect; with .45 to .55, where undirected edges are, there were as
many of both.
"""


def blanket_under(
    found: Orientation | DAG | PDAG,
    manipulated: Iterable[str] | Literal["unknown"] | None = None,
    *,
    target: str | None = None,
    caution: Caution = "cautious",
    hidden: Collection[str] = (),
) -> Blanket:
    """Choose the columns that predict a target while others are set from outside.

    Parameters
    ----------
    found : Orientation, DAG or PDAG
        What is known: probabilities, the truth, or a graph with undirected edges.
    manipulated : iterable of str, "unknown" or None
        The columns that are set, "unknown" if it may be any, None if there are none.
    target : str or None
        The column to be predicted; an orientation knows it.
    caution : {"cautious", "balanced", "strict"}
        Whether neighbours that may be causes or effects are kept where only causes may be.
    hidden : collection of str
        Nodes of a DAG that are not in the table.

    Returns
    -------
    Blanket
        The columns, why each column of the boundary is in or out, and whether the condition of
        Theorem V.1 holds.

    Examples
    --------
    >>> dag = DAG.from_string("smoke->lung, lung->cough<-allergy, lung->fatigue")
    >>> blanket_under(dag, target="lung").columns
    ('smoke', 'cough', 'allergy', 'fatigue')
    >>> blanket = blanket_under(dag, ["smoke", "cough"], target="lung")
    >>> blanket.columns
    ('smoke', 'fatigue')
    >>> blanket.reasons["allergy"]
    "left out: 'cough', through which it tells of 'lung', is set from outside"
    >>> blanket_under(dag, "unknown", target="lung").columns
    ('smoke',)
    """
    if caution not in LEAST:
        raise OptionError(f"caution must be one of {tuple(LEAST)}, not {caution!r}.")
    known = _known(found, target)
    chosen = _checked(manipulated, known)
    if isinstance(found, DAG):
        return _from_truth(found, known.target, chosen, frozenset(hidden))
    if hidden:
        raise OptionError("hidden names nodes of a DAG; a learned graph has none.")
    return _from_roles(known, chosen, LEAST[caution])


# --- the graph is known --------------------------------------------------------------------------


def _from_truth(dag: DAG, target: str, chosen: Manipulated, hidden: frozenset[str]) -> Blanket:
    """Read everything off the graph, of whose nodes some may be hidden."""
    before = observed_boundary(dag, target, hidden)
    if chosen == "unknown":
        parents = _observed_parents(dag, target, hidden)
        columns = {x for x in parents if not confounded(dag, x, target, hidden)}
        reasons = {
            x: _reason_unknown(target, parent=x in parents, kept=x in columns)
            for x in _ordered(dag, before)
        }
        return Blanket(target, chosen, _ordered(dag, columns), reasons)
    fixed = chosen or ()
    kept = observed_boundary(dag.without_edges_into(fixed), target, hidden)
    reasons = {
        x: _reason_kept(dag, x, target, fixed) if x in kept else _reason_left_out(dag, x, target)
        for x in _ordered(dag, before)
    }
    offence = _offence(dag, target, fixed, kept) or _hidden_offence(dag, target, fixed, kept)
    return Blanket(target, chosen, _ordered(dag, kept), reasons, offence is None, offence)


def observed_boundary(dag: DAG, target: str, hidden: Collection[str] = ()) -> frozenset[str]:
    """Return the Markov boundary of a node among the nodes that are not hidden.

    Examples
    --------
    >>> dag = DAG.from_string("A->T, H->T, H->B, C->B")
    >>> sorted(observed_boundary(dag, "T", hidden={"H"}))
    ['A', 'B', 'C']
    """
    if not hidden:
        return dag.markov_boundary(target)
    seen = [node for node in dag.nodes if node not in hidden and node != target]
    return frozenset(
        x for x in seen if not dag.d_separated(x, target, given=[z for z in seen if z != x])
    )


def confounded(dag: DAG, x: str, y: str, hidden: Collection[str]) -> bool:
    """Whether a hidden node causes both, with nothing but hidden nodes on the way.

    Examples
    --------
    >>> dag = DAG.from_string("H->A, H->I->T, A->T")
    >>> confounded(dag, "A", "T", {"H", "I"}), confounded(dag, "A", "T", {"I"})
    (True, False)
    """
    return bool(_hidden_above(dag, x, hidden) & _hidden_above(dag, y, hidden))


def _hidden_above(dag: DAG, node: str, hidden: Collection[str]) -> set[str]:
    """Return the hidden nodes with a directed path of hidden nodes to a node."""
    found: set[str] = set()
    ahead = [p for p in dag.parents(node) if p in hidden]
    while ahead:
        found.add(here := ahead.pop())
        ahead += [p for p in dag.parents(here) if p in hidden and p not in found]
    return found


def _observed_parents(dag: DAG, node: str, hidden: Collection[str]) -> set[str]:
    """Return the observed parents of a node, or of hidden nodes that lead to it."""
    sources = chain([node], _hidden_above(dag, node, hidden))
    return {p for source in sources for p in dag.parents(source) if p not in hidden}


def _hidden_offence(
    dag: DAG, target: str, chosen: Iterable[str], columns: Collection[str]
) -> str | None:
    """Name a manipulated column that is not separated from the target by the columns."""
    for name in chosen:
        switch = f"set {name}"
        while switch in dag.nodes:
            switch += "'"
        augmented = DAG([*dag.nodes, switch], [*dag.edges, (switch, name)])
        if not augmented.d_separated(switch, target, given=columns):
            return (
                f"{name!r} is set from outside, and a hidden cause joins it with {target!r}: what "
                "untouched rows say of the two is no longer true."
            )
    return None


# --- the graph is learned ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Known:
    """What is known around a target, wherever it comes from."""

    target: str
    graph: DAG | PDAG
    neighbours: tuple[NeighbourRole, ...]
    spouses: tuple[SpouseRole, ...]


def _from_roles(known: _Known, chosen: Manipulated, least: float) -> Blanket:
    """Choose by how likely each neighbour is a cause."""
    judged: dict[str, tuple[bool, str]] = {}
    for role in known.neighbours:
        judged[role.name] = _of_neighbour(role, known.target, chosen, least)
    for spouse in known.spouses:
        is_kept, _ = judged.get(spouse.name, (False, ""))
        if not is_kept:
            judged[spouse.name] = _of_spouse(spouse, known, chosen, least)
    reasons = {}
    for name in _ordered(known.graph, judged):
        is_kept, why = judged[name]
        reasons[name] = f"{'kept' if is_kept else 'left out'}: {why}"
    columns = tuple(name for name in reasons if judged[name][0])
    effects = [role.name for role in known.neighbours if role.role == "effect"]
    offence = None
    if isinstance(chosen, tuple):
        offence = _offence(known.graph, known.target, chosen, columns, effects)
    return Blanket(known.target, chosen, columns, reasons, offence is None, offence)


def _of_neighbour(
    role: NeighbourRole, target: str, chosen: Manipulated, least: float
) -> tuple[bool, str]:
    """Say whether a neighbour is kept, and why."""
    if chosen is None or (chosen != "unknown" and role.name not in chosen):
        return True, f"it touches {target!r}, and nobody sets it"
    whether = "may be set from outside" if chosen == "unknown" else "is set from outside"
    shares = f"cause {role.cause:.0%}, effect {role.effect:.0%}, undecided {role.undecided:.0%}"
    if role.confounded:
        return False, f"it {whether} and shares a hidden cause with {target!r}"
    if least > LEAST["balanced"] and chosen == "unknown" and not role.unconfounded:
        return False, f"nothing shows that it shares no hidden cause with {target!r}"
    if role.likely_cause < least:
        return False, f"it {whether} and is hardly a cause of {target!r} ({shares})"
    how = "is likely" if role.role == "cause" else "may be"
    return True, f"it {whether}, but {how} a cause of {target!r} ({shares})"


def _of_spouse(
    spouse: SpouseRole, known: _Known, chosen: Manipulated, least: float
) -> tuple[bool, str]:
    """Say whether a spouse is kept, and why."""
    children, target = listed(spouse.children), known.target
    if chosen == "unknown":
        return False, f"it tells of {target!r} only through {children}, and any of them may be set"
    free = [child for child in spouse.children if child not in (chosen or ())]
    if not free:
        return False, _through_manipulated(children, target, len(spouse.children))
    if spouse.confounded and spouse.name in (chosen or ()):
        return False, f"it is set from outside and shares a hidden cause with {children}"
    share = f"{spouse.probability:.0%}"
    if spouse.probability < least:
        return False, f"it is hardly a cause of {children} ({share})"
    return True, f"with {target!r} it is a cause of {listed(free)} ({share})"


# --- what both share -----------------------------------------------------------------------------


def _known(found: Orientation | DAG | PDAG, target: str | None) -> _Known:
    """Put a graph or an orientation in one shape."""
    if isinstance(found, Orientation):
        if target not in (None, found.target):
            raise OptionError(f"This orientation is about {found.target!r}, not about {target!r}.")
        return _Known(found.target, found.graph, found.neighbours, tuple(_all_spouses(found)))
    if target is None:
        raise OptionError("A graph does not say what is to be predicted; give target.")
    roles = [
        *(NeighbourRole(x, 1.0, 0.0, 0.0) for x in found.parents(target)),
        *(NeighbourRole(x, 0.0, 1.0, 0.0) for x in found.children(target)),
        *(NeighbourRole(x, 0.0, 0.0, 1.0) for x in _undirected(found, target)),
    ]
    spouses = (SpouseRole(x, shared, 1.0) for x, shared in _shared_children(found, target).items())
    return _Known(target, found, tuple(sorted(roles, key=lambda r: r.name)), tuple(spouses))


def _all_spouses(found: Orientation) -> Iterator[SpouseRole]:
    """Give the spouses, and the neighbours that the graph makes spouses as well."""
    yield from found.spouses
    named = {spouse.name for spouse in found.spouses}
    for name, children in _shared_children(found.graph, found.target).items():
        if name not in named and found.neighbour(name) is not None:
            yield SpouseRole(name, children, 1.0)


def _shared_children(graph: DAG | PDAG, target: str) -> dict[str, tuple[str, ...]]:
    """Return the other parents of the target's children, with the children that they share."""
    found: dict[str, list[str]] = {}
    for child in sorted(graph.children(target)):
        for parent in sorted(graph.parents(child) - {target}):
            found.setdefault(parent, []).append(child)
    return {name: tuple(children) for name, children in found.items()}


def _undirected(graph: DAG | PDAG, target: str) -> frozenset[str]:
    return graph.adjacent(target) - graph.parents(target) - graph.children(target)


def _checked(manipulated: Iterable[str] | str | None, known: _Known) -> Manipulated:
    """Refuse the target among what is set, and names that a whole graph does not have."""
    if manipulated is None or manipulated == "unknown":
        return manipulated  # type: ignore[return-value]
    chosen = tuple([manipulated] if isinstance(manipulated, str) else manipulated)
    refuse_target(known.target, chosen)
    if isinstance(known.graph, DAG):
        known.graph.indices(chosen)
    return chosen


def refuse_target(target: str, manipulated: Collection[str]) -> None:
    """Refuse to predict what is set from outside."""
    if target in manipulated:
        raise InputError(
            f"The target {target!r} is among the manipulated columns, and whoever sets it knows it "
            "already; take it out of them."
        )


def _offence(
    graph: DAG | PDAG,
    target: str,
    chosen: Collection[str],
    columns: Collection[str],
    effects: Collection[str] | None = None,
) -> str | None:
    """Name a manipulated child with a descendant among the columns, against Theorem V.1."""
    children = graph.children(target) if effects is None else effects
    for child in sorted(set(children) & set(chosen)):
        below = graph.names(reached_from([graph.index(child)], graph.child_indices)) - {child}
        for descendant in _ordered(graph, below & set(columns)):
            return (
                f"{child!r}, an effect of {target!r}, is set from outside, and its descendant "
                f"{descendant!r} is used: what untouched rows say of {target!r} given "
                f"{descendant!r} is no longer true."
            )
    return None


def _reason_kept(dag: DAG, x: str, target: str, chosen: Collection[str]) -> str:
    """Say why a column of the boundary is of use, as the graph has it."""
    if x in dag.parents(target):
        return f"kept: it is a cause of {target!r}"
    if x in dag.children(target) and x not in chosen:
        return f"kept: it is an effect of {target!r}, and nobody sets it"
    shared = _shared_children(dag, target).get(x, ())
    if shared:
        free = [child for child in shared if child not in chosen]
        return f"kept: with {target!r} it is a cause of {listed(free or shared)}"
    return f"kept: hidden variables join it with {target!r}, and nobody sets it"


def _reason_left_out(dag: DAG, x: str, target: str) -> str:
    """Say why a column of the boundary is of no use, as the graph has it."""
    if x in dag.children(target):
        return f"left out: it is an effect of {target!r} and is set from outside"
    shared = _shared_children(dag, target).get(x, ())
    if shared:
        return f"left out: {_through_manipulated(listed(shared), target, len(shared))}"
    return f"left out: only hidden variables join it with {target!r}, and what is set cuts them off"


def _reason_unknown(target: str, *, parent: bool, kept: bool) -> str:
    if kept:
        return f"kept: it is a cause of {target!r}, whatever is set"
    if parent:
        return f"left out: it shares a hidden cause with {target!r}, and may be set"
    return f"left out: it is no cause of {target!r}, and it or what joins them may be set"


def _through_manipulated(children: str, target: str, n: int) -> str:
    verb = "is" if n == 1 else "are"
    return f"{children}, through which it tells of {target!r}, {verb} set from outside"


def _ordered(graph: DAG | PDAG, names: Collection[str]) -> tuple[str, ...]:
    """Put names in the order of the graph's nodes."""
    return tuple(node for node in graph.nodes if node in names)
