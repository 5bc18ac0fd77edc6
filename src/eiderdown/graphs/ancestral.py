"""Marks at the ends of edges where hidden variables may be causes, and the rules that place them.

An edge has a mark at either end. At the end of Y, on an edge to X:

    arrow    Y is no cause of X
    tail     Y is a cause of X
    circle   either may be

A cause may be an indirect one. So X o-> Y says that Y does not cause X, X --> Y that X causes Y,
and X <-> Y that neither causes the other, which leaves a hidden common cause.

The rules are those of J. Zhang, "On the completeness of orientation rules for causal discovery in
the presence of latent confounders and selection bias" (Artificial Intelligence 172, 2008), without
the three on selection bias (R5 to R7). A rule that asks whether the middle of a triple is a
collider goes by triples that were decided, and by no others: what tests left open stays open.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import Literal, TypeAlias

Mark: TypeAlias = Literal["arrow", "circle", "tail"]
Ends: TypeAlias = tuple[Mark, Mark]
"""The marks of an edge, at its first node and at its second."""

Triple: TypeAlias = tuple[int, int, int]
"""Two nodes and, between them, one that is adjacent to both."""

IsCollider: TypeAlias = Callable[[Sequence[int]], bool | None]
"""Tells of a path whether its last node but one is a collider on it; None if it cannot tell."""

_LEFT = {"arrow": "<", "circle": "o", "tail": "-"}
_RIGHT = {"arrow": ">", "circle": "o", "tail": "-"}


def drawn(ends: Ends) -> str:
    """Draw the marks of an edge.

    Examples
    --------
    >>> drawn(("circle", "arrow")), drawn(("tail", "arrow")), drawn(("arrow", "arrow"))
    ('o->', '-->', '<->')
    """
    return f"{_LEFT[ends[0]]}-{_RIGHT[ends[1]]}"


def said(left: str, ends: Ends, right: str) -> str:
    """Say what the marks of an edge mean.

    Examples
    --------
    >>> said("X", ("circle", "arrow"), "Y")
    'Y does not cause X: X causes Y, or a hidden cause has both as effects, or both'
    >>> said("X", ("arrow", "arrow"), "Y")
    'neither causes the other: a hidden cause has both as effects'
    """
    if ends == ("arrow", "arrow"):
        return "neither causes the other: a hidden cause has both as effects"
    if ends in (("tail", "arrow"), ("arrow", "tail")):
        cause, effect = (left, right) if ends[0] == "tail" else (right, left)
        return f"{cause} causes {effect}"
    if "arrow" in ends:
        cause, effect = (left, right) if ends[1] == "arrow" else (right, left)
        return (
            f"{effect} does not cause {cause}: {cause} causes {effect}, or a hidden cause has both "
            "as effects, or both"
        )
    return "either may cause the other, or a hidden cause has both as effects"


class MarkedGraph:
    """Edges whose ends are marked, circles at first; a mark that is placed stays.

    Parameters
    ----------
    adjacent : mapping of int to collection of int
        The nodes adjacent to each. Rules go through nodes in this order.
    no_colliders : collection of (int, int, int)
        Triples whose ends were separated by a set with the middle in it.
    separated : collection of frozenset of int
        Pairs that some set separated.
    """

    def __init__(
        self,
        adjacent: Mapping[int, Collection[int]],
        no_colliders: Collection[Triple],
        separated: Collection[frozenset[int]],
    ) -> None:
        place = {node: i for i, node in enumerate(adjacent)}
        self._adjacent = {
            x: sorted((y for y in near if y in place), key=place.__getitem__)
            for x, near in adjacent.items()
        }
        self._near = {x: frozenset(near) for x, near in self._adjacent.items()}
        self._at: dict[tuple[int, int], Mark] = {
            (x, y): "circle" for x, near in self._adjacent.items() for y in near
        }
        self._passes = {*no_colliders, *((b, m, a) for a, m, b in no_colliders)}
        self._separated = frozenset(separated)

    def mark(self, x: int, y: int) -> Mark:
        """Return the mark at y of the edge between x and y."""
        return self._at[x, y]

    def ends(self, x: int, y: int) -> Ends:
        """Return the marks of the edge between x and y."""
        return self._at[y, x], self._at[x, y]

    def collide(self, colliders: Iterable[Triple]) -> None:
        """Say of middles that they cause neither of the ends: they cannot contradict each other."""
        for a, middle, b in colliders:
            self._at[a, middle] = self._at[b, middle] = "arrow"

    def apply_rules(self, is_collider: IsCollider) -> None:
        """Place every mark that follows, until none does.

        Parameters
        ----------
        is_collider : callable
            Decides about discriminating paths, which R4 asks.
        """
        while any([self._by_triples(), self._by_paths(), self._by_discriminating(is_collider)]):
            pass

    def _arrow(self, x: int, y: int) -> bool:
        """Mark that y does not cause x; tell whether that is new."""
        new = self._at[x, y] == "circle"
        if new:
            self._at[x, y] = "arrow"
        return new

    def _direct(self, cause: int, effect: int) -> bool:
        """Mark that one causes the other, unless a mark speaks against it; tell whether it is new.

        Tests err, so that rules may contradict each other; no cycle is made of them.
        """
        now = self._at[effect, cause], self._at[cause, effect]
        if now == ("tail", "arrow") or now[0] == "arrow" or now[1] == "tail":
            return False
        if self._causes(effect, cause):
            return False
        self._at[effect, cause], self._at[cause, effect] = "tail", "arrow"
        return True

    def _is_cause(self, x: int, y: int) -> bool:
        return self._at[y, x] == "tail" and self._at[x, y] == "arrow"

    def _causes(self, x: int, y: int) -> bool:
        """Whether edges that say "causes" lead from x to y."""
        reached, waiting = {x}, [x]
        while waiting:
            node = waiting.pop()
            for z in self._adjacent[node]:
                if z not in reached and self._is_cause(node, z):
                    reached.add(z)
                    waiting.append(z)
        return y in reached

    def _by_triples(self) -> bool:
        """R1, R2, R3 and R8: what two edges that meet say about one of them, or about a third."""
        changed = False
        for b, near in self._adjacent.items():
            for a, c in permutations(near, 2):
                # R1: a *-> b o-* c, no collider: b --> c.
                if self._at[a, b] == "arrow" and (a, b, c) in self._passes:
                    changed |= self._direct(b, c)
                if c not in self._near[a]:
                    continue
                # R2: a --> b *-> c or a *-> b --> c, and a *-o c: a *-> c.
                onward = self._at[a, b] == "arrow" and self._at[b, c] == "arrow"
                if onward and "tail" in (self._at[b, a], self._at[c, b]):
                    changed |= self._arrow(a, c)
                # R8: a --> b --> c, and a o-> c: a --> c.
                if self._is_cause(a, b) and self._is_cause(b, c):
                    changed |= self._direct(a, c)
            changed |= self._third_rule(b)
        return changed

    def _third_rule(self, b: int) -> bool:
        """R3: a *-> b <-* c, a *-o d o-* c, no collider, and d *-o b: d *-> b."""
        changed = False
        into = [x for x in self._adjacent[b] if self._at[x, b] == "arrow"]
        for d in self._adjacent[b]:
            if self._at[d, b] != "circle":
                continue
            pairs = combinations([x for x in into if d in self._near[x]], 2)
            if any((a, d, c) in self._passes for a, c in pairs):
                changed |= self._arrow(d, b)
        return changed

    def _by_paths(self) -> bool:
        """R9 and R10: a o-> c, and every way on from a, if a causes it, leads to c: a --> c."""
        changed = False
        for a, near in self._adjacent.items():
            open_ends = [c for c in near if self.ends(a, c) == ("circle", "arrow")]
            if not open_ends:
                continue
            ways = {x: self._led_to(a, x) for x in near if self._may_cause(a, x)}
            for c in open_ends:
                goals = {c, *(p for p in self._adjacent[c] if self._is_cause(p, c))}
                leading = [x for x, reached in ways.items() if reached & goals]
                if any((x, a, y) in self._passes for x, y in combinations(leading, 2)):
                    changed |= self._direct(a, c)
        return changed

    def _led_to(self, a: int, first: int) -> set[int]:
        """Return what a causes if it causes this neighbour: no node on the way is a collider."""
        seen, waiting = {(a, first)}, deque([(a, first)])
        while waiting:
            before, node = waiting.popleft()
            for z in self._adjacent[node]:
                step = node, z
                if step in seen or z == a or not self._may_cause(node, z):
                    continue
                if (before, node, z) in self._passes:
                    seen.add(step)
                    waiting.append(step)
        return {node for _, node in seen}

    def _may_cause(self, x: int, y: int) -> bool:
        return self._at[y, x] != "arrow" and self._at[x, y] != "tail"

    def _by_discriminating(self, is_collider: IsCollider) -> bool:
        """R4: b o-* c at the end of a path that tells whether b is a collider on it."""
        changed = False
        for c, near in self._adjacent.items():
            for b in near:
                if self._at[c, b] != "circle":
                    continue
                for path in self._discriminating(b, c):
                    decided = is_collider(path)
                    if decided is None:
                        continue
                    if decided:
                        a = path[-3]
                        marked = [self._arrow(a, b), self._arrow(c, b), self._arrow(b, c)]
                        changed |= any(marked)
                    else:
                        changed |= self._direct(b, c)
                    break
        return changed

    def _discriminating(self, b: int, c: int) -> Iterator[list[int]]:
        """Yield the shortest discriminating paths for b, one through each neighbour a of b.

        Between its first node, which was separated from c, and b all nodes are colliders on it and
        causes of c.
        """
        for a in self._adjacent[b]:
            if c not in self._near[a] or not self._is_step(b, a, c):
                continue
            before, waiting = {a: b}, deque([a])
            while waiting:
                node = waiting.popleft()
                ends = [z for z in self._adjacent[node] if self._at[z, node] == "arrow"]
                first = next((z for z in ends if frozenset((z, c)) in self._separated), None)
                if first is not None and first not in before:
                    path = [first, node]
                    while path[-1] != b:
                        path.append(before[path[-1]])
                    yield [*path, c]
                    break
                for z in ends:
                    if z not in before and z not in (b, c) and self._is_step(node, z, c):
                        before[z] = node
                        waiting.append(z)

    def _is_step(self, node: int, z: int, c: int) -> bool:
        """Whether z, reached from a node of the path, may stand within it."""
        return self._at[node, z] == "arrow" and c in self._near[z] and self._is_cause(z, c)
