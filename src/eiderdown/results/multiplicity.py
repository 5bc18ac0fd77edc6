"""Several boundaries of one variable, and what stands for what in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from eiderdown.results.local import MarkovBoundary
from eiderdown.results.result import Result, Run

MOST_SUBSTITUTES: Final = 20
"""How many columns are listed that stand for a member."""


@dataclass(frozen=True)
class Accuracy:
    """How well a boundary predicts its target.

    Attributes
    ----------
    score : float
        Share of right predictions of a discrete target; R2 of a continuous one.
    balanced : float or None
        Mean of the classes' own shares; None for a continuous target.
    """

    score: float
    balanced: float | None = None


@dataclass(frozen=True)
class AlternativeBoundary:
    """One of several boundaries.

    Attributes
    ----------
    boundary : MarkovBoundary
        The boundary, with the evidence of the first run that found it.
    n_runs : int
        How many runs found it.
    accuracy : Accuracy or None
        How well it predicts the target, where that was asked for.
    """

    boundary: MarkovBoundary
    n_runs: int
    accuracy: Accuracy | None = None

    @property
    def members(self) -> tuple[str, ...]:
        """The boundary's members."""
        return self.boundary.members


@dataclass(frozen=True)
class Replacement:
    """Variables that stand for others: with the one side replaced a boundary is another one.

    Attributes
    ----------
    these, those : tuple of str
        The two sides, the smaller first; it has a single variable.
    n_pairs : int
        In how many pairs of boundaries the one side stands for the other.
    """

    these: tuple[str, ...]
    those: tuple[str, ...]
    n_pairs: int

    def refuse_contradictions(self) -> None:
        """Refuse a side without variables."""
        if not self.these or not self.those:
            raise ValueError("a replacement has an empty side")


@dataclass(frozen=True)
class Substitution:
    """What stands for a member of the most frequent boundary in the others.

    Attributes
    ----------
    member : str
        The member.
    n_runs : int
        In how many runs the boundary had the member.
    by : mapping of str to int
        The columns that stand for it, each with the number of runs whose boundary had the column
        and not the member; the most frequent first.
    """

    member: str
    n_runs: int
    by: Mapping[str, int]


@dataclass(frozen=True)
class Boundaries(Result):
    """The distinct Markov boundaries that repeated searches found.

    Iterating gives the alternatives, the most frequent first.

    Attributes
    ----------
    target : str
        The variable that was asked about.
    alternatives : tuple of AlternativeBoundary
        The distinct boundaries, by number of runs, then by names.
    n_runs : int
        How many runs there were.
    replacements : tuple of Replacement
        Which variables stand for which, the most frequent first.
    interchangeable : tuple of tuple of str
        Groups of variables that stand for each other one by one, directly or in a chain.
    predicted_by : str or None
        How accuracies were measured.
    run, warnings, complete
        See :class:`Result`.
    """

    kind = "boundaries"

    target: str
    alternatives: tuple[AlternativeBoundary, ...]
    n_runs: int
    replacements: tuple[Replacement, ...]
    interchangeable: tuple[tuple[str, ...], ...]
    run: Run
    predicted_by: str | None = None
    warnings: tuple[str, ...] = ()
    complete: bool = True

    def refuse_contradictions(self) -> None:
        """Refuse boundaries that no run found."""
        if any(not 0 < item.n_runs <= self.n_runs for item in self.alternatives):
            raise ValueError("a boundary was found in more runs than there were, or in none")

    def __iter__(self) -> Iterator[AlternativeBoundary]:
        return iter(self.alternatives)

    def __len__(self) -> int:
        return len(self.alternatives)

    def __getitem__(self, position: int) -> AlternativeBoundary:
        return self.alternatives[position]

    @property
    def member_counts(self) -> dict[str, int]:
        """In how many runs each variable was a member, the most frequent first."""
        counts: Counter[str] = Counter()
        for found in self.alternatives:
            counts.update(dict.fromkeys(found.members, found.n_runs))
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    @property
    def substitutions(self) -> tuple[Substitution, ...]:
        """Return for each member of the most frequent boundary which columns stand for it.

        Columns stand for a member that replace it in a pair of boundaries, or are interchangeable
        with it; where there are none, the columns that no boundary has together with it. There is
        a line for each member, however many boundaries there are, and at most 20 columns in it.

        Examples
        --------
        >>> import numpy as np
        >>> from eiderdown import find_boundaries
        >>> coin = np.random.default_rng(0).integers(0, 2, 200)
        >>> table = {"coin": coin, "photo": coin, "copy": coin}
        >>> found = find_boundaries(table, target="coin", runs=20, random_state=0, progress=False)
        >>> [(item.member, item.n_runs, item.by) for item in found.substitutions]
        [('photo', 11, {'copy': 9})]
        """
        if not self.alternatives:
            return ()
        counts, known = self.member_counts, self._stand_ins()
        return tuple(
            Substitution(
                name, counts[name], self._runs_without(name, known.get(name) or self._apart(name))
            )
            for name in self.alternatives[0].members
        )

    def _stand_ins(self) -> dict[str, set[str]]:
        """Return which columns stand for which by the replacements, in either direction."""
        found: dict[str, set[str]] = {}
        for item in self.replacements:
            for one, other in ((item.these, item.those), (item.those, item.these)):
                for name in one:
                    found.setdefault(name, set()).update(other)
        for group in self.interchangeable:
            for name in group:
                found.setdefault(name, set()).update(other for other in group if other != name)
        return found

    def _apart(self, member: str) -> set[str]:
        """Return the columns that no boundary has together with a member."""
        with_it = {
            x for found in self.alternatives if member in found.members for x in found.members
        }
        return set(self.member_counts) - with_it

    def _runs_without(self, member: str, others: Iterable[str]) -> dict[str, int]:
        """Return in how many runs each of some columns was there and the member was not."""
        counts: Counter[str] = Counter()
        for found in self.alternatives:
            if member not in found.members:
                counts.update(dict.fromkeys(set(others).intersection(found.members), found.n_runs))
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return dict(ranked[:MOST_SUBSTITUTES])
