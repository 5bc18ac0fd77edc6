"""A table, a score and what is known before, made ready for repeated searches."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from eiderdown.confidence.kes_options import KesOptions
from eiderdown.data import Dataset
from eiderdown.data.whole_table import WholeTable, knowledge_about, whole_table
from eiderdown.errors import ConstantColumnError, TargetAmongCandidatesError
from eiderdown.knowledge import Knowledge
from eiderdown.knowledge.file import knowledge_from
from eiderdown.scores import LocalScore
from eiderdown.scores.source import built_score, takes_mixed
from eiderdown.structure.equivalence_search import EquivalenceSearch


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
    table = whole_table(data, options.exclude)
    check_target(options.target, table, options.exclude)
    known = None
    if options.knowledge is not None:
        known = knowledge_from(options.knowledge)
        known.of_columns(data.names)  # refuses names that are not columns
        known = knowledge_about(known, table.data.names)
    if takes_mixed(options.score):
        table = replace(table, data=table.as_given, cut=())
    # One thread: the runs are spread over threads instead.
    score = built_score(options.score, options.score_settings, table, n_workers=1)
    return KesProblem(table, score, known, options)


def check_target(target: str | None, table: WholeTable, exclude: Collection[str]) -> None:
    """Refuse a target that is no column of the networks."""
    if target is None:
        return
    table.source.index(target)
    if target in exclude:
        raise TargetAmongCandidatesError(
            f"Column {target!r} is both the target and excluded; take it out of the excluded ones."
        )
    if target in table.left_out:
        raise ConstantColumnError(
            f"Target {target!r} has a single value in all {table.data.n_rows} rows, so nothing can "
            "depend on it; choose another target or other rows."
        )
