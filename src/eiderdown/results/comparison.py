"""What changed from one result to another of the same kind, and why, as far as their records say.

    local results    members, their roles, and what the tests of a column say in each
    graphs           edges and the directions that are compelled
    confidences      graph features that at least half of the models have

The reasons are of two sorts. Those of the whole are read off the runs: another table, another
algorithm, other options, another version. Those of one change are read off the tests: a p-value
near the significance level, insufficient data in one of the two, a column that took no part.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from eiderdown.errors import OptionError
from eiderdown.results.changes import Change, ResultChanges
from eiderdown.results.confidence import FeatureConfidence
from eiderdown.results.evidence import Allowed, answer_of, p_text
from eiderdown.results.local import LocalResult
from eiderdown.results.networks import LearnedGraph
from eiderdown.results.result import Result, Run
from eiderdown.results.screen import ALLOWED

NEAR: Final = math.log(10.0)
"""A p-value is near alpha if it is within a factor of ten."""

LEAST_CONFIDENCE: Final = 0.5
"""Graph features that fewer of the models have are not compared."""

MUCH: Final = 0.1
"""By how much a confidence must move to be a change."""

_ORDER: Final = ("entered", "left", "changed")
_NOT_COMPARED: Final = ("why", "chosen", "level")  # which follow from the others


def compare_results(a: Result, b: Result) -> ResultChanges:
    """Say what changed from one result to another of the same kind, and why.

    Parameters
    ----------
    a, b : MarkovBoundary, ParentsChildren, LearnedNetwork, LearnedRegion or FeatureConfidence
        The two results, of one kind and about the same target, the earlier first.

    Returns
    -------
    ResultChanges
        What entered, left, and changed its role or direction, each with a reason where the records
        give one; and what is different about the two runs.

    Examples
    --------
    >>> from eiderdown import compare_results, find_boundary, networks
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> strict, lenient = (
    ...     find_boundary(data, "dysp", algorithm="iamb", alpha=alpha, progress=False)
    ...     for alpha in (1e-100, 0.01)
    ... )
    >>> print(compare_results(strict, lenient))
    markov boundary of 'dysp': 1 entered, 1 the same
      entered: either: was absent (p 2.4e-67), is member (p 2.4e-67)
    Why: alpha was 1e-100 and is 0.01
    """
    _require_comparable(a, b)
    before, after = _compared(a), _compared(b)
    found = [
        _change(name, before, after)
        for name in {**before.states, **after.states}
        if not _same(before.states.get(name), after.states.get(name))
    ]
    shared = before.states.keys() & after.states.keys()
    return ResultChanges(
        compared=b.kind,
        target=getattr(b, "target", None),
        changes=tuple(sorted(found, key=lambda item: (_ORDER.index(item.sort), item.what))),
        n_same=sum(_same(before.states[name], after.states[name]) for name in shared),
        reasons=(*_interrupted(a, b), *_reasons(before.run, after.run)),
        run=after.run,
    )


def _require_comparable(a: Result, b: Result) -> None:
    known = (LocalResult, LearnedGraph, FeatureConfidence)
    for result in (a, b):
        if not isinstance(result, known):
            kind = getattr(result, "kind", type(result).__name__).replace("_", " ")
            raise OptionError(
                f"Cannot compare a {kind}; give two boundaries, sets of parents and children, "
                "graphs or confidences."
            )
    if a.kind != b.kind:
        kinds = [result.kind.replace("_", " ") for result in (a, b)]
        raise OptionError(
            f"The first result is a {kinds[0]} and the second a {kinds[1]}; compare two of one "
            "kind."
        )
    targets = [getattr(result, "target", None) for result in (a, b)]
    if isinstance(a, LocalResult) and targets[0] != targets[1]:
        raise OptionError(
            f"The first result is about {targets[0]!r} and the second about {targets[1]!r}; "
            "compare two about one target."
        )


# --- what is compared ----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Compared:
    """A result as things that have a state each: members a role, edges a direction."""

    result: Any
    run: Run
    states: Mapping[str, str | float]

    @property
    def level(self) -> float:
        options = self.run.options
        level = options.get("level", options.get("alpha", 1.0))
        return float(level) if isinstance(level, int | float) and 0.0 < level <= 1.0 else 1.0


def _compared(result: Any) -> _Compared:
    if isinstance(result, LocalResult):
        states: Mapping[str, Any] = {name: _role(result, name) for name in result.members}
    elif isinstance(result, LearnedGraph):
        states = {_edge(edge.left, edge.right): _direction(edge) for edge in result.edges}
    else:
        states = {
            f"{feature.kind} {feature.left!r}, {feature.right!r}": feature.confidence
            for feature in result.features
            if feature.confidence >= LEAST_CONFIDENCE
        }
    return _Compared(result, result.run, states)


def _role(result: LocalResult, name: str) -> str:
    if name in result.spouses:
        return f"spouse by {result.spouses[name]!r}"
    return "parent or child" if name in (result.parents_children or ()) else "member"


def _edge(left: str, right: str) -> str:
    one, other = sorted((left, right))
    return f"{one!r} - {other!r}"  # quoted, because names may hold dashes


def _direction(edge: Any) -> str:
    """Return a direction that all equivalent graphs share, or that there is none."""
    if edge.compelled:
        return f"{edge.left} -> {edge.right}"
    return " -- ".join(sorted((edge.left, edge.right)))


def _same(one: Any, other: Any) -> bool:
    """Say whether two states are the same; a role that one search cannot tell is no change."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= MUCH
    told = one is not None and other is not None
    return one == other or (told and "member" in (one, other))


# --- one change ----------------------------------------------------------------------------------


def _change(name: str, before: _Compared, after: _Compared) -> Change:
    is_in = (name in before.states, name in after.states)
    sort: Any = {(False, True): "entered", (True, False): "left"}.get(is_in, "changed")
    said = [_state(name, side) for side in (before, after)]
    return Change(name, sort, said[0], said[1], "; ".join(_why(name, before, after)))


def _state(name: str, side: _Compared) -> str:
    state = side.states.get(name)
    tested = _tested(name, side)
    p = "" if tested is None else f" (p {p_text(tested.log_p)})"
    if state is None:
        return f"absent{p}"
    return f"{state:.2f}" if isinstance(state, float) else f"{state}{p}"


@dataclass(frozen=True)
class _Tested:
    log_p: float
    allows: Allowed


def _tested(name: str, side: _Compared) -> _Tested | None:
    """Return the test that decided about a column or an edge, if the result has it."""
    result = side.result
    if isinstance(result, LearnedGraph):
        tests = [e.test for e in result.edges if _edge(e.left, e.right) == name]
        return _Tested(tests[0].log_p, tests[0].allows) if tests and tests[0] else None
    if not isinstance(result, LocalResult):
        return None
    for item in result.evidence:
        if item.variable == name:
            return _Tested(item.log_p, item.allows)
    if result.screen is not None and name in result.screen.names:
        i = result.screen.names.index(name)
        return _Tested(float(result.screen.log_p[i]), ALLOWED[int(result.screen.allows[i])])
    return None


def _why(name: str, before: _Compared, after: _Compared) -> Iterator[str]:
    """Say what the tests of the two say about one change."""
    for side, which in ((before, "first"), (after, "second")):
        tested = _tested(name, side)
        if tested is None:
            if _took_no_part(name, side):
                yield f"it took no part in the {which}"
            continue
        if answer_of(tested.log_p, tested.allows, side.level) == "cannot say":
            yield f"insufficient data in the {which}"
        elif abs(tested.log_p - math.log(side.level)) <= NEAR:
            above = "above" if tested.log_p > math.log(side.level) else "below"
            yield f"p {p_text(tested.log_p)} in the {which}, just {above} alpha {side.level:g}"


def _took_no_part(name: str, side: _Compared) -> bool:
    result = side.result
    if not isinstance(result, LocalResult):
        return False
    screen = result.screen
    return screen is not None and name not in screen.names and name not in side.states


# --- the whole -----------------------------------------------------------------------------------


def _interrupted(a: Result, b: Result) -> Iterator[str]:
    for result, which in ((a, "first"), (b, "second")):
        if not result.complete:
            yield f"the {which} search was interrupted"


def _reasons(before: Run, after: Run) -> Iterator[str]:
    """Say what is different about two runs."""
    if before.fingerprint != after.fingerprint:
        yield _other_table(before, after)
    if before.algorithm != after.algorithm:
        yield f"the search was {before.algorithm} and is {after.algorithm}"
    yield from _other_options(before.options, after.options)
    if before.random_state != after.random_state:
        yield f"the random state was {before.random_state} and is {after.random_state}"
    for name in ("eiderdown", *(x for x in after.versions if x != "eiderdown")):
        then, now = before.versions.get(name), after.versions.get(name)
        if then != now:
            yield f"{name} was version {then} and is {now}"


def _other_table(before: Run, after: Run) -> str:
    sizes = [(run.n_rows, run.n_columns) for run in (before, after)]
    if sizes[0] == sizes[1]:
        return "the table has the same size but other contents"
    shapes = [f"{n_rows:,} rows x {n_columns:,} columns" for n_rows, n_columns in sizes]
    return f"the table had {shapes[0]} and has {shapes[1]}"


def _other_options(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for name in {**before, **after}:
        then, now = before.get(name), after.get(name)
        if then != now and name not in _NOT_COMPARED:
            yield f"{name} was {_shown(then)} and is {_shown(now)}"


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
