"""BAMB: balanced Markov boundary discovery.

Ling, Yu, Wang, Liu, Ding & Wu (2019). Spouses are looked for as soon as a child comes in, and help
at once to separate false children; no neighbourhood but the target's is searched.

Differences from the paper: spouses are checked against all present members, not only those that
came in with the same child; and once more in the end, when all members are known.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from eiderdown.boundary.neighbours import Neighbourhood, OpenCandidates, admit, prune, start
from eiderdown.boundary.search import Found, LocalSearch
from eiderdown.independence import IndependenceResult


@dataclass
class _Spouses:
    """Spouses by the child they came in with, each with the weakest test it survived."""

    by_child: dict[int, dict[int, IndependenceResult]] = field(default_factory=dict)
    refused: set[tuple[int, int]] = field(default_factory=set)

    def everyone(self) -> set[int]:
        return {x for spouses in self.by_child.values() for x in spouses}

    def forget_children_not_in(self, found: Neighbourhood) -> None:
        """Drop spouses that came in with a child that is a member no more."""
        for child in self.by_child.keys() - found.members.keys():
            del self.by_child[child]


def bamb(search: LocalSearch) -> Found:
    """Find the Markov boundary, parents and children and spouses in turns."""
    found, spouses = start(search), _Spouses()
    open_ = OpenCandidates.of(search, found)
    # Candidates in the order of assoc(X; T | {}).
    while (best := open_.first()) is not None:
        # Step 1: X comes in; members that a subset with X separates go out.
        admit(search, found, best)
        prune(search, found, newest=best.x)
        open_ = open_.without(best.x).tried(best.x, found.members)
        # Step 2: spouses that come with X. Step 3: with their help, more members go out.
        for spouse in _find_spouses(search, found, spouses, best.x):
            prune(search, found, newest=spouse, also=spouses.everyone())
        spouses.forget_children_not_in(found)
    _settle(search, found, spouses)
    return _told(search, found, spouses)


def _find_spouses(
    search: LocalSearch, found: Neighbourhood, spouses: _Spouses, child: int
) -> list[int]:
    """Return the new Y with dep(T; Y | Sep[Y] u {X}) that no subset with X separates from T."""
    known = spouses.by_child.setdefault(child, {})
    by_set: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for x, given in found.separating_sets().items():
        if x not in known and (child, x) not in spouses.refused and child not in given:
            by_set[given].append(x)
    new = []
    for given, xs in by_set.items():
        if search.max_given is not None and len(given) >= search.max_given:
            continue
        batch = search.test.sweep(xs, search.target, [*given, child])
        for i in batch.dependent(search.alpha).nonzero()[0]:
            known[int(batch.x[i])] = batch[int(i)]
            new.append(int(batch.x[i]))
    _check_spouses(search, found, spouses, child)
    return [x for x in new if x in known]


def _check_spouses(
    search: LocalSearch, found: Neighbourhood, spouses: _Spouses, child: int
) -> None:
    """Refuse Y if ind(T; Y | Z u {X}) for some subset Z of the members."""
    known = spouses.by_child[child]
    if not known or search.max_subset < 1:
        return
    tests = search.test.max_p_over_subsets(
        list(known),
        search.target,
        [z for z in {*found.members, *spouses.everyone()} if z != child],
        alpha=search.alpha,
        max_given=search.max_subset,
        always=(child,),
    )
    for result in tests:
        if result.independent(search.alpha):
            del known[result.x]
            spouses.refused.add((child, result.x))
        elif result.reliable:
            known[result.x] = result


def _settle(search: LocalSearch, found: Neighbourhood, spouses: _Spouses) -> None:
    """Look once more with all members known, until nothing changes."""
    before = None
    while before != (now := (set(found.members), spouses.everyone())):
        before = now
        for child in list(found.members):
            _find_spouses(search, found, spouses, child)
        for child in list(found.members):
            _check_spouses(search, found, spouses, child)
        prune(search, found, also=spouses.everyone())
        spouses.forget_children_not_in(found)


def _told(search: LocalSearch, found: Neighbourhood, spouses: _Spouses) -> Found:
    """Tell the trace whom we found; a spouse stands with the child that shows it best."""
    search.trace.kept(found.weakest())
    rank = search.test.name_rank
    proofs = [(r, child) for child, known in spouses.by_child.items() for r in known.values()]
    shared: dict[int, int] = {}
    for result, child in sorted(proofs, key=lambda proof: (proof[0].log_p, rank[proof[1]])):
        if result.x not in shared:
            shared[result.x] = child
            search.trace.admitted(result)
    return Found((*found.members, *shared), parents_children=tuple(found.members), spouses=shared)
