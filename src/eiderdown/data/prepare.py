"""The one preparation: from any table to columns that one test or one score can judge together.

A boundary is about a target, so that its kind decides: numbers are cut into categories beside a
discrete target, and categories that are numbers count as numbers beside a continuous one. A network
is about all columns; if kinds are mixed, numbers are cut. Evidence that takes mixed kinds gets the
columns as they are. Nothing happens in silence: what is left out or changed is said in a warning.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.data.columns import Kind
from eiderdown.data.dataset import Dataset
from eiderdown.data.discretise import discretise, equal_frequency_cuts
from eiderdown.data.missing import without_missing
from eiderdown.errors import (
    ColumnKindError,
    ConstantColumnError,
    InputError,
    TargetAmongCandidatesError,
    listed,
)
from eiderdown.knowledge import ColumnKnowledge, Knowledge, KnowledgeSource, knowledge_from

N_BINS = 3
"""Categories that a continuous column is cut into beside discrete ones, if rows allow it."""

ROWS_PER_DOF = 5.0
"""Rows for each degree of freedom that a test of two such columns wants."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table made ready for a search.

    Attributes
    ----------
    source : Dataset
        The table as the user gave it.
    data : Dataset
        What is searched. Around a target it has all columns; for a network, those that take part.
    candidates : IntArray
        Columns of ``data`` that take part, except the target.
    target : int or None
        The target's column in ``data``.
    knowledge : Knowledge or None
        What is known before about the columns that take part.
    warnings : tuple of str
        What was left out and changed on the way, in sentences.
    """

    source: Dataset
    data: Dataset
    candidates: IntArray
    target: int | None = None
    knowledge: Knowledge | None = None
    warnings: tuple[str, ...] = ()

    @property
    def target_name(self) -> str:
        """The target's name."""
        assert self.target is not None
        return self.data.names[self.target]

    @property
    def candidate_names(self) -> tuple[str, ...]:
        """Names of the columns that take part, except the target."""
        return tuple(self.data.names[i] for i in self.candidates)

    @cached_property
    def uncut(self) -> Dataset:
        """The columns of ``data`` as they came, for evidence that takes mixed kinds."""
        same = self.source.names == self.data.names
        return self.source if same else self.source.select(self.data.names)

    @cached_property
    def column_knowledge(self) -> ColumnKnowledge | None:
        """What is known before, in column numbers of ``data``."""
        return None if self.knowledge is None else self.knowledge.of_columns(self.data.names)

    def around(self, target: str) -> Prepared:
        """Make one of the columns that take part the target."""
        column = self.data.index(target)
        if column not in self.candidates:
            raise ConstantColumnError(
                f"Target {target!r} has a single value in all {self.data.n_rows} rows, so nothing "
                "can depend on it; take it out of the targets."
            )
        others = self.candidates[self.candidates != column]
        return replace(self, target=column, candidates=others, warnings=())

    def take(self, rows: IntArray) -> Prepared:
        """Return the same question to some of the rows."""
        data = self.data.take(rows)
        source = data if self.data is self.source else self.source.take(rows)
        return replace(self, source=source, data=data)


def prepare_target(
    table: Any,
    target: str,
    *,
    exclude: Collection[str] = (),
    required: Collection[str] = (),
    mixed: bool = False,
    missing: str = "testwise",
    complete: str = "",
) -> Prepared:
    """Prepare a table for a search around one column.

    ``complete`` says, where that is so, why a search takes complete rows only.
    """
    source, said = without_missing(Dataset.of(table), target, exclude, missing, complete)
    column, excluded = source.index(target), {source.index(name) for name in exclude}
    constant = source.constant_columns()
    _require_target(source, target, set(exclude), constant)
    constant = tuple(name for name in constant if source.index(name) not in excluded)
    excluded |= {source.index(name) for name in constant}
    _require_possible(source, column, excluded, required)
    everyone = np.arange(source.n_columns)
    candidates = everyone[~np.isin(everyone, [column, *excluded])]
    if len(candidates) == 0:
        raise InputError(
            f"No candidate columns are left for target {target!r}; give a table with at least one "
            "other column that varies and is not excluded."
        )
    as_it_is = mixed or source.roles is not None
    data, changed = (source, ()) if as_it_is else _like_target(source, column, candidates)
    said = (*said, *_left_out(constant), *changed)
    return Prepared(source, data, candidates, column, warnings=said)


def prepare_targets(table: Any, *, missing: str = "testwise") -> Prepared:
    """Prepare a table for searches around each of its columns, whose kinds have to agree.

    Columns that do not vary are left out. :meth:`Prepared.around` then names a target.
    """
    source, said = without_missing(Dataset.of(table), None, (), missing)
    constant = source.constant_columns()
    left_out = set(constant)
    columns = np.array([i for i, name in enumerate(source.names) if name not in left_out])
    if len(columns) < 2:
        raise InputError("Fewer than two columns vary; there is nothing to search.")
    data, changed = source, tuple[str, ...]()
    discrete = columns[source.is_discrete[columns]]
    if 0 < len(discrete) < len(columns):
        data, changed = _like_target(source, int(discrete[0]), columns)
    said = (*said, *_left_out(sorted(constant)), *changed)
    return Prepared(source, data, columns, warnings=said)


def prepare_network(
    table: Any,
    *,
    target: str | None = None,
    exclude: Collection[str] = (),
    knowledge: KnowledgeSource | None = None,
    mixed: bool = False,
    missing: str = "testwise",
    complete: str = "",
) -> Prepared:
    """Prepare a table for a network of its columns, or of those around one.

    ``complete`` says, where that is so, why a search takes complete rows only.
    """
    source, said = without_missing(Dataset.of(table), target, exclude, missing, complete)
    excluded = set(exclude)
    for name in excluded:
        source.index(name)
    constant = source.constant_columns()
    if target is not None:
        _require_target(source, target, excluded, constant)
    constant = tuple(name for name in constant if name not in excluded)
    if source.n_columns - len(constant) - len(excluded) < 2:
        raise InputError(
            "Fewer than two columns vary and are not excluded; there is nothing to search."
        )
    data = source.drop([*constant, *excluded]) if constant or excluded else source
    known = None
    if knowledge is not None:
        known = knowledge_from(knowledge).restricted_to(data.names, table=source.names)
    as_it_is = mixed or source.roles is not None
    data, changed = (data, ()) if as_it_is else _all_discrete(data)
    column = None if target is None else data.index(target)
    everyone = np.arange(data.n_columns)
    candidates = everyone if column is None else everyone[everyone != column]
    said = (*said, *_left_out(constant), *changed)
    return Prepared(source, data, candidates, column, known, said)


def _require_target(
    source: Dataset, target: str, exclude: Collection[str], constant: Collection[str]
) -> None:
    source.index(target)
    if target in exclude:
        raise TargetAmongCandidatesError(
            f"Column {target!r} is both the target and excluded; take it out of the excluded ones."
        )
    if target in constant:
        raise ConstantColumnError(
            f"Target {target!r} has a single value in all {source.n_rows} rows, so nothing can "
            "depend on it; choose another target or other rows."
        )


def _require_possible(
    source: Dataset, target: int, excluded: set[int], required: Collection[str]
) -> None:
    """Refuse required columns that cannot be in the answer."""
    for name in required:
        column = source.index(name)
        if column == target:
            raise TargetAmongCandidatesError(
                f"Column {name!r} is the target and cannot be required; take it out."
            )
        if column in excluded:
            raise TargetAmongCandidatesError(
                f"Column {name!r} is required, but it is excluded or has a single value; take it "
                "out of the required ones."
            )


def _left_out(constant: Sequence[str]) -> tuple[str, ...]:
    if not constant:
        return ()
    return (f"Left out because they have a single value: {listed(constant)}.",)


def _like_target(data: Dataset, target: int, columns: IntArray) -> tuple[Dataset, tuple[str, ...]]:
    """Bring columns to the target's kind."""
    other_kind = columns[data.is_discrete[columns] != data.is_discrete[target]]
    if len(other_kind) == 0:
        return data, ()
    if not data.is_discrete[target]:
        return _as_numbers(data, target, other_kind)
    dof = (N_BINS - 1) * (int(data.n_categories[target]) - 1)
    reason = f"the target {data.names[target]!r} is discrete"
    return _cut(data, other_kind, dof, reason)


def _all_discrete(data: Dataset) -> tuple[Dataset, tuple[str, ...]]:
    """Cut the continuous columns of a table that also has discrete ones."""
    if not data.is_discrete.any() or data.is_discrete.all():
        return data, ()
    continuous = np.flatnonzero(~data.is_discrete)
    return _cut(data, continuous, (N_BINS - 1) ** 2, "other columns are discrete")


def _cut(
    data: Dataset, columns: IntArray, dof: int, reason: str
) -> tuple[Dataset, tuple[str, ...]]:
    """Cut columns into three categories, or two where a test of three would have too few rows."""
    n_bins = N_BINS if data.n_rows >= ROWS_PER_DOF * dof else 2
    cuts = {data.names[i]: equal_frequency_cuts(data.values(int(i)), n_bins) for i in columns}
    warning = (
        f"Cut into {n_bins} categories of equal frequency, because {reason}: {listed(list(cuts))}; "
        "discretise them yourself to choose other categories."
    )
    return discretise(data, cuts), (warning,)


def _as_numbers(data: Dataset, target: int, columns: IntArray) -> tuple[Dataset, tuple[str, ...]]:
    """Read discrete columns whose categories are numbers as numbers."""
    categories = {data.names[i]: data.categories(int(i)) for i in columns}
    text = [
        name
        for name, values in categories.items()
        if not all(isinstance(value, int | float) for value in values)
    ]
    if text:
        raise ColumnKindError(
            f"The target {data.names[target]!r} is continuous, but these columns have categories "
            f"that are not numbers: {listed(text)}; exclude them, recode them as numbers, or "
            "discretise the target."
        )
    numbers = {
        name: np.array([*values, np.nan])[data.codes(data.index(name))]
        for name, values in categories.items()
    }
    kinds = dict.fromkeys(numbers, Kind.CONTINUOUS)
    replaced = data.drop(list(numbers)).with_columns(numbers, kinds=kinds).select(data.names)
    warning = (
        f"Used as numbers, because the target {data.names[target]!r} is continuous: "
        f"{listed(list(numbers))}."
    )
    return replaced, (warning,)
