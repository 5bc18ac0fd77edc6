"""A table, a score and what is known before, made ready for repeated searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eiderdown.confidence.kes_options import KesOptions
from eiderdown.data import Dataset
from eiderdown.data.whole_table import WholeTable, table_and_knowledge
from eiderdown.knowledge import Knowledge
from eiderdown.scores import LocalScore
from eiderdown.scores.source import built_score, takes_mixed
from eiderdown.structure.equivalence.search import EquivalenceSearch


@dataclass(frozen=True, eq=False)
class KesProblem:
    """One question to repeated searches.

    Attributes
    ----------
    table : WholeTable
        The table.
    score : LocalScore
        What is climbed.
    knowledge : Knowledge or None
        What is known before.
    options : KesOptions
        The rest.
    """

    table: WholeTable
    score: LocalScore
    knowledge: Knowledge | None
    options: KesOptions

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that take part."""
        return self.score.names

    @property
    def conditions(self) -> dict[str, Any]:
        """What runs must have in common to be counted together, besides table and seed."""
        known = self.knowledge
        return {
            "k": self.options.k,
            **self.score.description,
            "max_parents": self.options.max_parents,
            "turning": self.options.turning,
            "knowledge": None if known is None else known.to_dict(),
        }

    def search(self) -> EquivalenceSearch:
        """Return a search whose runs share what they compute."""
        known = self.knowledge
        return EquivalenceSearch(
            self.score,
            knowledge=None if known is None else known.of_columns(self.names),
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
    table, known = table_and_knowledge(data, options.exclude, options.knowledge)
    if options.target is not None:
        table.require_target(options.target)
    if takes_mixed(options.score):
        table = table.uncut
    # One thread: the runs are spread over threads instead.
    score = built_score(options.score, options.score_params, table, n_jobs=1)
    return KesProblem(table, score, known, options)
