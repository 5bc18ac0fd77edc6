"""The one preparation: from any table to columns that one test or one score can judge together.

What the evidence takes decides about kinds (:data:`Takes`). Evidence that takes both gets columns
as they are, so that numbers are never cut for it. Where a test of categories was asked for by name,
numbers are cut; where one of numbers was, categories that are numbers count as such. Networks by
scores cut the numbers of a table of both kinds. Nothing happens in silence: what is left out or
changed is said in a warning.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.data.changed_parts import as_numbers, cut, frequency_cuts
from eiderdown.data.columns import Kind
from eiderdown.data.dataset import Dataset
from eiderdown.data.missing import without_missing
from eiderdown.errors import (
    ColumnKindError,
    ConstantColumnError,
    InputError,
    TargetAmongCandidatesError,
    listed,
)
from eiderdown.knowledge import ColumnKnowledge, Knowledge, KnowledgeSource, knowledge_from

Takes: TypeAlias = Literal["both kinds", "discrete", "continuous", "one kind"]
"""Which columns evidence takes.

``"both kinds"`` leaves all columns as they are. ``"discrete"`` and ``"continuous"`` are for tests
that were asked for by name, and ``"one kind"`` for evidence that takes either: the target's kind.
"""

N_BINS = 3
"""Categories that a continuous column is cut into beside discrete ones, if rows allow it."""

ROWS_PER_DOF = 5.0
"""Rows for each degree of freedom that a test of two such columns wants."""


_ASKED = "the evidence asked for is for categories"


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
    isolated : tuple of str
        Columns of a single value, of which no search is told: nodes without edges.
    """

    source: Dataset
    data: Dataset
    candidates: IntArray
    target: int | None = None
    knowledge: Knowledge | None = None
    warnings: tuple[str, ...] = ()
    isolated: tuple[str, ...] = ()

    @property
    def target_name(self) -> str:
        """The target's name."""
        assert self.target is not None
        return self.data.names[self.target]

    @property
    def columns(self) -> IntArray:
        """Columns of ``data`` that take part, the target among them."""
        if self.target is None:
            return self.candidates
        return np.sort(np.append(self.candidates, self.target), kind="stable")

    @property
    def candidate_names(self) -> tuple[str, ...]:
        """Names of the columns that take part, except the target."""
        return tuple(self.data.names[i] for i in self.candidates)

    @cached_property
    def uncut(self) -> Dataset:
        """The columns of ``data`` as they came, for evidence that takes mixed kinds."""
        same = self.source.names == self.data.names
        return self.source if same else self.source.select(self.data.names)

    def with_isolated(self) -> Dataset:
        """Return ``data`` with the columns of a single value, each with one category."""
        if not self.isolated:
            return self.data
        texts = {name: [self._single_value(name)] * self.data.n_rows for name in self.isolated}
        return self.data.with_columns(texts, kinds=dict.fromkeys(texts, Kind.DISCRETE))

    def _single_value(self, name: str) -> str:
        source, column = self.source, self.source.index(name)
        row = int(np.argmin(source.missing(column)))
        if source.is_discrete[column]:
            return str(source.categories(column)[source.codes(column)[row]])
        return str(source.values(column)[row])

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
    takes: Takes = "both kinds",
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
    takes = takes if source.roles is None else "both kinds"
    data, changed = _brought_together(source, column, candidates, takes)
    said = (*said, *_left_out(source, constant), *changed)
    return Prepared(source, data, candidates, column, warnings=said)


def prepare_targets(
    table: Any, *, takes: Takes = "both kinds", missing: str = "testwise"
) -> Prepared:
    """Prepare a table for searches around each of its columns.

    Columns that do not vary are left out. :meth:`Prepared.around` then names a target.
    """
    source, said = without_missing(Dataset.of(table), None, (), missing)
    constant = source.constant_columns()
    left_out = set(constant)
    columns = np.array([i for i, name in enumerate(source.names) if name not in left_out])
    if len(columns) < 2:
        raise InputError("Fewer than two columns vary; there is nothing to search.")
    discrete = columns[source.is_discrete[columns]]
    kind_of = int(discrete[0]) if len(discrete) else int(columns[0])
    data, changed = _brought_together(source, kind_of, columns, takes)
    said = (*said, *_left_out(source, sorted(constant)), *changed)
    return Prepared(source, data, columns, warnings=said)


def prepare_network(
    table: Any,
    *,
    target: str | None = None,
    exclude: Collection[str] = (),
    knowledge: KnowledgeSource | None = None,
    takes: Takes = "one kind",
    missing: str = "testwise",
    complete: str = "",
    isolates: bool = False,
) -> Prepared:
    """Prepare a table for a network of its columns, or of those around one.

    Columns of a single value have no place in a search; with ``isolates`` they are nodes without
    edges, else they are left out. ``complete`` says, where that is so, why a search takes complete
    rows only.
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
    if source.roles is not None and takes != "one kind":  # which a score needs, whatever the rows
        takes = "both kinds"
    data, changed = _all_of_one_kind(data, takes)
    column = None if target is None else data.index(target)
    everyone = np.arange(data.n_columns)
    candidates = everyone if column is None else everyone[everyone != column]
    isolated = _of_one_value(source, constant) if isolates else ()
    constant = tuple(name for name in constant if name not in isolated)
    said = (*said, *_left_out(source, constant), *_left_isolated(isolated), *changed)
    return Prepared(source, data, candidates, column, known, said, isolated)


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


def _of_one_value(source: Dataset, constant: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that have a value; the others have none in any row."""
    return tuple(name for name in constant if source.n_missing(source.index(name)) < source.n_rows)


def _left_isolated(names: Sequence[str]) -> tuple[str, ...]:
    return (f"Without edges because they have a single value: {listed(names)}.",) if names else ()


def _left_out(source: Dataset, constant: Sequence[str]) -> tuple[str, ...]:
    flat = _of_one_value(source, constant)
    empty = [name for name in constant if name not in flat]
    sentences = {"a single value": flat, "no value in any row": empty}
    return tuple(
        f"Left out because they have {what}: {listed(names)}."
        for what, names in sentences.items()
        if names
    )


def _brought_together(
    data: Dataset, target: int, columns: IntArray, takes: Takes
) -> tuple[Dataset, tuple[str, ...]]:
    """Bring columns to the kind that the evidence takes."""
    everyone = columns if target in columns else np.sort(np.append(columns, target), kind="stable")
    discrete = data.is_discrete[everyone]
    if takes == "both kinds" or (takes == "one kind" and (discrete.all() or not discrete.any())):
        return data, ()
    if takes == "continuous" or (takes == "one kind" and not data.is_discrete[target]):
        return _as_numbers(data, everyone[discrete]) if discrete.any() else (data, ())
    if discrete.all() or not data.is_discrete[target]:  # a test of categories refuses the target
        return data, ()
    dof = (N_BINS - 1) * (int(data.n_categories[target]) - 1)
    return _cut(data, everyone[~discrete], dof, _ASKED)


def _all_of_one_kind(data: Dataset, takes: Takes) -> tuple[Dataset, tuple[str, ...]]:
    """Cut the continuous columns of a table that also has discrete ones, unless both are taken."""
    discrete = data.is_discrete
    if takes == "continuous" and discrete.any():
        return _as_numbers(data, np.flatnonzero(discrete))
    cuts = {"discrete": True, "one kind": bool(discrete.any())}.get(takes, False)
    if not cuts or discrete.all():
        return data, ()
    why = _ASKED if takes == "discrete" else "the score takes no numbers beside categories"
    return _cut(data, np.flatnonzero(~discrete), (N_BINS - 1) ** 2, why)


def _cut(
    data: Dataset, columns: IntArray, dof: int, because: str
) -> tuple[Dataset, tuple[str, ...]]:
    """Cut columns into three categories, or two where a test of three would have too few rows."""
    n_bins = N_BINS if data.n_rows >= ROWS_PER_DOF * dof else 2
    cuts = frequency_cuts(data, columns, n_bins)
    warning = (
        f"Cut into {n_bins} categories of equal frequency, because {because}: "
        f"{listed(list(cuts))}; discretise them yourself to choose other categories."
    )
    return cut(data, cuts), (warning,)


def _as_numbers(data: Dataset, columns: IntArray) -> tuple[Dataset, tuple[str, ...]]:
    """Read discrete columns whose categories are numbers as numbers."""
    categories = {data.names[i]: data.categories(int(i)) for i in columns}
    text = [
        name
        for name, values in categories.items()
        if not all(isinstance(value, int | float) for value in values)
    ]
    if text:
        raise ColumnKindError(
            f"The test asked for is for numbers, but these columns have categories that are not: "
            f"{listed(text)}; use the test 'wilks', which takes both, or exclude them."
        )
    warning = (
        f"Used as numbers, because the test asked for is for numbers: {listed(list(categories))}."
    )
    return as_numbers(data, list(categories)), (warning,)
