"""From whatever table the user has to one whose columns can all be in one network.

Nothing happens in silence: whatever is left out or changed is said in a warning.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from eiderdown.data.cuts import equal_frequency_cuts
from eiderdown.data.dataset import Dataset
from eiderdown.data.intervals import discretise
from eiderdown.errors import (
    ConstantColumnError,
    InputError,
    TargetAmongCandidatesError,
    listed,
)
from eiderdown.knowledge import Knowledge
from eiderdown.knowledge.file import KnowledgeSource, knowledge_from

N_BINS = 3
"""Categories that a continuous column is cut into beside discrete ones, if rows allow it."""

ROWS_PER_DOF = 5.0
"""Rows for each degree of freedom that a test of two such columns wants."""


@dataclass(frozen=True)
class WholeTable:
    """A table for a network.

    Attributes
    ----------
    source : Dataset
        The table as the user gave it.
    data : Dataset
        The columns that vary and are not excluded, all of one kind.
    as_given : Dataset
        The same columns as they came, of whichever kinds.
    left_out : tuple of str
        Columns with a single value.
    cut : tuple of str
        Continuous columns that were cut because others are discrete.
    n_bins : int
        Into how many categories they were cut.
    """

    source: Dataset
    data: Dataset
    as_given: Dataset
    left_out: tuple[str, ...]
    cut: tuple[str, ...] = ()
    n_bins: int = N_BINS

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was left out and changed, in sentences."""
        said = []
        if self.left_out:
            said.append(f"Left out because they have a single value: {listed(self.left_out)}.")
        if self.cut:
            said.append(
                f"Cut into {self.n_bins} categories of equal frequency, because other columns are "
                f"discrete: {listed(self.cut)}; discretise them yourself to choose other categories."
            )
        return tuple(said)

    @property
    def uncut(self) -> WholeTable:
        """The same table with all columns as they came, for evidence that takes any kind."""
        return replace(self, data=self.as_given, cut=())

    def require_target(self, target: str) -> None:
        """Refuse a target that cannot be in the network."""
        self.source.index(target)
        if target in self.left_out:
            raise ConstantColumnError(
                f"Target {target!r} has a single value in all {self.source.n_rows} rows, so "
                "nothing can depend on it; choose another target or other rows."
            )
        if target not in self.as_given.names:
            raise TargetAmongCandidatesError(
                f"Column {target!r} is both the target and excluded; take it out of the excluded "
                "ones."
            )


def whole_table(source: Dataset, exclude: Collection[str] = ()) -> WholeTable:
    """Set aside what cannot be in a network, and cut continuous columns if others are discrete.

    Parameters
    ----------
    source : Dataset
        The table.
    exclude : collection of str
        Columns that are not to be in the network, such as identifiers.
    """
    excluded = set(exclude)
    for name in excluded:
        source.index(name)
    constant = tuple(name for name in source.constant_columns() if name not in excluded)
    if source.n_columns - len(constant) - len(excluded) < 2:
        raise InputError(
            "Fewer than two columns vary and are not excluded; there is nothing to search."
        )
    data = source.drop([*constant, *excluded]) if constant or excluded else source
    discrete = data.is_discrete
    if not discrete.any() or discrete.all():
        return WholeTable(source, data, data, constant)
    # Two categories where a table of two cut columns would have too few rows for a reliable test.
    n_bins = N_BINS if data.n_rows >= ROWS_PER_DOF * (N_BINS - 1) ** 2 else 2
    continuous = tuple(data.names[i] for i in np.flatnonzero(~discrete))
    cuts = {
        name: equal_frequency_cuts(data.values(data.index(name)), n_bins) for name in continuous
    }
    return WholeTable(source, discretise(data, cuts), data, constant, continuous, n_bins)


def table_and_knowledge(
    source: Dataset, exclude: Collection[str], knowledge: KnowledgeSource | None
) -> tuple[WholeTable, Knowledge | None]:
    """Make a table ready for a network, and cut what is known before down to its columns."""
    table = whole_table(source, exclude)
    if knowledge is None:
        return table, None
    known = knowledge_from(knowledge)
    known.of_columns(source.names)  # refuses names that are not columns
    return table, _knowledge_about(known, table.data.names)


def _knowledge_about(known: Knowledge, kept: Collection[str]) -> Knowledge:
    """Leave out what is said about columns that are not in the network.

    Raises
    ------
    ConstantColumnError
        When an edge is required at a column that is not in it.
    """
    names = set(kept)
    for edge in known.required:
        missing = [name for name in edge if name not in names]
        if missing:
            raise ConstantColumnError(
                f"The knowledge requires the edge {edge[0]!r} -> {edge[1]!r}, but column "
                f"{missing[0]!r} has a single value or is excluded; drop one of the two."
            )
    return Knowledge(
        tiers=tuple(tuple(name for name in tier if name in names) for tier in known.tiers),
        required=known.required,
        forbidden=tuple(edge for edge in known.forbidden if names.issuperset(edge)),
        max_parents=known.max_parents,
        forbid_within=known.forbid_within,
    )
