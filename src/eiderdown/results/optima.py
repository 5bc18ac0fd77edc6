"""How many distinct models repeated searches find, against the number of rows."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

from eiderdown.results.run import Run
from eiderdown.results.stored import Stored

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class OptimaCount:
    """What repeated searches found in one sample of the rows.

    Attributes
    ----------
    share : float
        Share of the rows that was drawn.
    n_rows : int
        How many rows that were.
    repeat : int
        Which of the samples of this size it was, from 0.
    n_distinct : int
        Distinct models found.
    n_runs : int
        How many runs there were.
    best_score : float or None
        Score of the best model, where the search has one.
    n_edges : int
        Edges of the best model.
    """

    share: float
    n_rows: int
    repeat: int
    n_distinct: int
    n_runs: int
    best_score: float | None
    n_edges: int


@dataclass(frozen=True)
class OptimaBySize(Stored):
    """How many distinct models repeated searches find, by share of the rows.

    Attributes
    ----------
    counts : tuple of OptimaCount
        One for each sample, by share, then by repeat.
    run : Run
        All runs in sum.
    warnings : tuple of str
        What the data could not carry, or what was left out.
    complete : bool
        False if it was interrupted and these are the samples so far.
    """

    kind = "optima_by_size"

    counts: tuple[OptimaCount, ...]
    run: Run
    warnings: tuple[str, ...] = ()
    complete: bool = True

    def mean_by_share(self) -> dict[float, float]:
        """Return the mean number of distinct models for each share of the rows, rising."""
        found = defaultdict(list)
        for count in self.counts:
            found[count.share].append(count.n_distinct)
        return {share: sum(found[share]) / len(found[share]) for share in sorted(found)}

    def to_frame(self) -> pandas.DataFrame:
        """Return the table as a pandas frame with a row for each sample."""
        import pandas

        columns = list(OptimaCount.__dataclass_fields__)
        return pandas.DataFrame([asdict(count) for count in self.counts], columns=columns)

    def _fields(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def _of_fields(cls, fields: dict[str, Any]) -> Self:
        fields["counts"] = tuple(OptimaCount(**item) for item in fields["counts"])
        fields["run"] = Run(**fields["run"])
        fields["warnings"] = tuple(fields["warnings"])
        return cls(**fields)
