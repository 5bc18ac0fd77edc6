"""A Markov boundary as the significance level moves: who is in at which level."""

from __future__ import annotations

from dataclasses import dataclass

from eiderdown.results.result import Result, Run


@dataclass(frozen=True)
class BoundaryPath(Result):
    """The Markov boundary of one variable at several significance levels.

    Attributes
    ----------
    target : str
        The variable that was asked about.
    alphas : tuple of float
        The significance levels, ascending.
    members : tuple of tuple of str
        The boundary at each of them, from the strongest evidence to the weakest.
    run, warnings, complete
        See :class:`Result`.

    Examples
    --------
    >>> run = Run.of("iamb", None, {})
    >>> path = BoundaryPath("T", (0.001, 0.01, 0.1), (("a",), ("a", "b"), ("b", "c")), run)
    >>> path.smallest_alpha
    {'a': 0.001, 'b': 0.01, 'c': 0.1}
    >>> path.levels_of("a")
    (True, True, False)
    """

    kind = "boundary_path"

    target: str
    alphas: tuple[float, ...]
    members: tuple[tuple[str, ...], ...]
    run: Run
    warnings: tuple[str, ...] = ()
    complete: bool = True

    def refuse_contradictions(self) -> None:
        """Refuse levels that are none, and boundaries that belong to no level."""
        if len(self.alphas) != len(self.members):
            raise ValueError("there is not one boundary for each alpha")
        if not all(0.0 < alpha < 1.0 for alpha in self.alphas):
            raise ValueError("an alpha is not between 0 and 1")
        if list(self.alphas) != sorted(set(self.alphas)):
            raise ValueError("the alphas do not rise")

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is a member at some level: the earliest first, then by name."""
        return tuple(self.smallest_alpha)

    @property
    def smallest_alpha(self) -> dict[str, float]:
        """For each column that is a member at some level, the smallest such level."""
        found: dict[str, float] = {}
        for alpha, members in zip(self.alphas, self.members, strict=True):
            for name in sorted(members):
                found.setdefault(name, alpha)
        return found

    def levels_of(self, name: str) -> tuple[bool, ...]:
        """Say at which levels a column is a member."""
        return tuple(name in members for members in self.members)
