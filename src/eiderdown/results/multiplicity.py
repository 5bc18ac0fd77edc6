"""Several Markov boundaries of one variable, and what stands for what in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Self

from eiderdown.results.local import MarkovBoundary
from eiderdown.results.run import Run
from eiderdown.results.stored import Stored


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


@dataclass(frozen=True)
class Boundaries(Stored):
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
    run : Run
        All runs in sum.
    predicted_by : str or None
        How accuracies were measured.
    warnings : tuple of str
        What the data could not carry, or what was left out.
    complete : bool
        False if the search was interrupted and these are the runs so far.
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

    def _fields(self) -> dict[str, Any]:
        alternatives = [
            {**asdict(found), "boundary": found.boundary.to_dict()} for found in self.alternatives
        ]
        return {**asdict(self), "alternatives": alternatives}

    @classmethod
    def _of_fields(cls, fields: dict[str, Any]) -> Self:
        fields["alternatives"] = tuple(_alternative(item) for item in fields["alternatives"])
        fields["replacements"] = tuple(
            Replacement(tuple(item["these"]), tuple(item["those"]), item["n_pairs"])
            for item in fields["replacements"]
        )
        fields["interchangeable"] = tuple(tuple(group) for group in fields["interchangeable"])
        fields["run"] = Run(**fields["run"])
        fields["warnings"] = tuple(fields["warnings"])
        return cls(**fields)


def _alternative(record: dict[str, Any]) -> AlternativeBoundary:
    accuracy = record["accuracy"]
    return AlternativeBoundary(
        MarkovBoundary.from_dict(record["boundary"]),
        record["n_runs"],
        None if accuracy is None else Accuracy(**accuracy),
    )
