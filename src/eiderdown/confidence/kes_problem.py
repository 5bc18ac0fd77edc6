"""A table, a score and what is known before, made ready for repeated searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eiderdown.confidence.kes_options import KesOptions
from eiderdown.data import Dataset
from eiderdown.data.prepare import Prepared, prepare_network
from eiderdown.scores import LocalScore, make_score, takes_mixed
from eiderdown.structure.equivalence.search import EquivalenceSearch


@dataclass(frozen=True, eq=False)
class KesProblem:
    """One question to repeated searches.

    Attributes
    ----------
    prepared : Prepared
        The table, and what is known before.
    score : LocalScore
        What is climbed.
    options : KesOptions
        The rest.
    """

    prepared: Prepared
    score: LocalScore
    options: KesOptions

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that take part."""
        return self.score.names

    @property
    def conditions(self) -> dict[str, Any]:
        """What runs must have in common to be counted together, besides table and seed."""
        known = self.prepared.knowledge
        return {
            "k": self.options.k,
            **self.score.description,
            "max_parents": self.options.max_parents,
            "turning": self.options.turning,
            "knowledge": None if known is None else known.to_dict(),
        }

    def search(self) -> EquivalenceSearch:
        """Return a search whose runs share what they compute."""
        return EquivalenceSearch(
            self.score,
            knowledge=self.prepared.column_knowledge,
            max_parents=self.options.max_parents,
        )


def kes_problem(data: Dataset, options: KesOptions) -> KesProblem:
    """Set aside what cannot be in a network, and make the score.

    Parameters
    ----------
    data : Dataset
        The table.
    options : KesOptions
        What was asked for.
    """
    prepared = prepare_network(
        data,
        target=options.target,
        exclude=options.exclude,
        knowledge=options.knowledge,
        mixed=takes_mixed(options.score),
    )
    # One thread: the runs are spread over threads instead.
    score = make_score(options.score, prepared.data, n_jobs=1)
    return KesProblem(prepared, score, options)
