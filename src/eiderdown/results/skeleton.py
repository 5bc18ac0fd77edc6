"""What is said of a skeleton that went to a file: how far it is, and how many edges there are."""

from __future__ import annotations

from dataclasses import dataclass, field

from eiderdown.results.result import Result, Run


@dataclass(frozen=True)
class LearnedSkeleton(Result):
    """A skeleton whose edges are in a file; :func:`eiderdown.read_skeleton` reads it.

    Attributes
    ----------
    path : str
        The file.
    n_targets, n_finished : int
        Columns that take part, and those around which the search is done.
    n_edges : int
        Pairs that have found each other.
    n_one_sided : int
        Pairs of finished columns of which only one has found the other.
    degree_counts : tuple of int
        How many finished columns have 0, 1, 2, ... edges.
    run, warnings, complete
        See :class:`Result`; tests and seconds are those since the work was last begun.
    """

    kind = "learned_skeleton"

    path: str
    n_targets: int
    n_finished: int
    n_edges: int
    n_one_sided: int
    run: Run
    degree_counts: tuple[int, ...] = ()
    warnings: tuple[str, ...] = field(default=())
    complete: bool = True

    def refuse_contradictions(self) -> None:
        """Refuse counts that no search can have found."""
        if self.n_finished > self.n_targets:
            raise ValueError("more columns are done than take part")
        if any(count < 0 for count in self.degree_counts):
            raise ValueError("a count is negative")
