"""What every search of this layer takes and returns."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.boundary.trace import Trace
from eiderdown.independence import IndependenceBatch, IndependenceTest

DEFAULT_MAX_GIVEN = 3
"""Largest conditioning set of searches over subsets, whose number grows with its power."""

CROWD = 20
"""A pool with more members than this has thousands of subsets of three: there two must do."""


@dataclass(frozen=True, eq=False)
class LocalSearch:
    """One question to a search: whose boundary, among whom, by which evidence.

    Attributes
    ----------
    test : IndependenceTest
        The evidence.
    target : int
        Whose boundary.
    candidates : IntArray
        Variables that may be in it, the target not among them.
    alpha : float
        Significance level.
    max_given : int or None
        Largest conditioning set; None for no limit, or in searches over subsets for 3, and for 2
        at hubs with more than 20 neighbours.
    required : tuple of int
        Background knowledge: candidates that are in the answer whatever the tests say.
    trace : Trace
        Who listens.
    generator : numpy Generator
        Where random choices come from.
    known : dict
        Neighbourhoods found before, by search and variable; searches about many targets share it.
    """

    test: IndependenceTest
    target: int
    candidates: IntArray
    alpha: float
    max_given: int | None = None
    required: tuple[int, ...] = ()
    trace: Trace = field(default_factory=Trace)
    generator: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    known: dict[tuple[str, int], Any] = field(default_factory=dict)

    @property
    def max_subset(self) -> int:
        """Largest conditioning set of a search over subsets."""
        return DEFAULT_MAX_GIVEN if self.max_given is None else self.max_given

    def max_subset_of(self, n_pool: int) -> int:
        """Largest conditioning set from a pool of this size: one less among a crowd, by default."""
        if self.max_given is None and n_pool > CROWD:
            return DEFAULT_MAX_GIVEN - 1
        return self.max_subset

    def allows(self, n_given: int) -> bool:
        """Whether a conditioning set may be this large."""
        return self.max_given is None or n_given <= self.max_given

    def outside(self, members: list[int]) -> IntArray:
        """Candidates that are not members."""
        return self.candidates[~np.isin(self.candidates, members)]

    def sweep(self, candidates: IntArray, given: list[int]) -> IndependenceBatch:
        """Test candidates against the target."""
        return self.test.sweep(candidates, self.target, given)

    @cached_property
    def everyone(self) -> IntArray:
        """Candidates and target, in order."""
        return np.sort(np.append(self.candidates, self.target))

    def at(self, target: int) -> LocalSearch:
        """Ask the same about another variable, in silence and without required members."""
        others = self.everyone[self.everyone != target]
        return replace(self, target=target, candidates=others, required=(), trace=Trace())


@dataclass(frozen=True)
class Found:
    """What a search found.

    Attributes
    ----------
    members : tuple of int
        The boundary, or the parents and children, whichever the search is for.
    parents_children : tuple of int or None
        Those of the members that are parents or children; None where the search cannot tell.
    spouses : dict of int to int
        Members known to be spouses, each with a child they share with the target.
    """

    members: tuple[int, ...]
    parents_children: tuple[int, ...] | None = None
    spouses: dict[int, int] = field(default_factory=dict)
